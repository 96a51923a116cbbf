import pytest

from askew.language.numbers import number_of, number_word


def test_words_and_back():
    for number in range(1001):
        assert number_of(number_word(number)) == number, number_word(number)
        assert number_of(str(number)) == number


@pytest.mark.parametrize(
    "text", ["1-12", "at least 25", "2 sets", "-3", "½", "١٢", "10.5", "1,00", "zeros", "lots", "  "]
)
def test_only_exact_numbers_count(text):
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("text", "number"), [("Twenty One", 21), ("A hundred", 100), ("10,000", 10000), ("12.", 12), ("no", 0)]
)
def test_ways_people_write_numbers(text, number):
    assert number_of(text) == number
