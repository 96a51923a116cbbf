import pytest

from askew.language.articles import article, with_article

AN = """elephant apple hour honest heir umbrella X-ray x-ray SUV MP3 8 11 18 80 1800s 11th RV LCD old-fashioned igloo
ostrich NBA HDMI unusual uninhabited F-16 hourglass herb ugly""".split()  # noqa: SIM905
A = """church uniform unicorn unique European euro one one-way once UFO USB utensil university union 7 100 747 1 2nd
user ukulele UPS house hotel yellow ewe historic U-turn 12 1000""".split()  # noqa: SIM905


@pytest.mark.parametrize("word", AN)
def test_an(word):
    assert article(word) == "an"


@pytest.mark.parametrize("word", A)
def test_a(word):
    assert article(word) == "a"


def test_the_first_word_decides():
    assert with_article("uniform eagle") == "a uniform eagle"
    assert with_article("eagle uniform") == "an eagle uniform"


def test_quotes_are_looked_through():
    assert article('"angry" dog') == "an"
