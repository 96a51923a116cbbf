import pytest

from askew.language import inflect
from askew.language.inflect import (
    article,
    is_mass,
    is_plural,
    needs_no_article,
    number_of,
    number_word,
    plural,
    singular,
    third_person,
    with_article,
)

PAIRS = [
    ("people", "person"), ("men", "man"), ("women", "woman"), ("children", "child"), ("sheep", "sheep"),
    ("deer", "deer"), ("buses", "bus"), ("glasses", "glass"), ("knives", "knife"), ("leaves", "leaf"),
    ("feet", "foot"), ("teeth", "tooth"), ("mice", "mouse"), ("cookies", "cookie"), ("skis", "ski"),
    ("benches", "bench"), ("tomatoes", "tomato"), ("geese", "goose"), ("wolves", "wolf"), ("giraffes", "giraffe"),
    ("pieces", "piece"), ("boxes", "box"), ("parties", "party"), ("Giraffes", "Giraffe"),
    ("policemen", "policeman"), ("snowmen", "snowman"), ("humans", "human"), ("ottomans", "ottoman"),
]  # fmt: skip


@pytest.mark.parametrize(("many", "one"), PAIRS)
def test_singular_and_plural_are_inverse(many, one):
    assert singular(many) == one
    assert plural(one) == many
    assert plural(many) == many
    assert singular(one) == one


def test_a_phrase_is_inflected_by_its_last_word():
    assert singular("traffic lights") == "traffic light"
    assert plural("sports car") == "sports cars"


@pytest.mark.parametrize("noun", sorted(inflect.nouns("pairs")))
def test_things_that_come_in_pairs_are_counted_in_pairs(noun):
    assert singular(noun) == f"pair of {noun}"
    assert is_plural(noun)
    assert plural(noun) == noun


@pytest.mark.parametrize("noun", ["luggage", "furniture", "tennis", "wood", "rice"])
def test_mass_nouns_have_one_form(noun):
    assert is_mass(noun)
    assert needs_no_article(noun)
    assert singular(noun) == plural(noun) == noun


def test_pizza_is_counted_or_not():
    assert needs_no_article("pizza")
    assert not is_mass("pizza")
    assert plural("pizza") == "pizzas"


def test_lists_do_not_contradict_each_other():
    assert not inflect.nouns("mass") & inflect.nouns("pairs")
    assert not inflect.nouns("mass") & inflect.nouns("invariant")
    assert not set(inflect._irregular()) & inflect.nouns("mass")


@pytest.mark.parametrize(("verb", "form"), [("are", "is"), ("have", "has"), ("stand", "stands"), ("fly", "flies")])
def test_verbs_agree(verb, form):
    assert third_person(verb) == form


@pytest.mark.parametrize("noun", ["ramen", "specimen", "fedora", "sauna", "bus", "tennis", "lens", "panda"])
def test_words_that_only_look_plural_stay(noun):
    assert singular(noun) == noun
    assert not is_plural(noun)


def test_plurals_inside_longer_words():
    assert singular("salespeople") == "salesperson"
    assert singular("grandchildren") == "grandchild"


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


def test_numbers_as_words_and_back():
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
