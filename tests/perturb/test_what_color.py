"""Y/N←C: noun phrases are carried over, anything else is refused; near colours are never drawn."""

import pytest

from askew.language.tagger import Tagger
from askew.perturb.rad.what_color import Color, _data
from askew.perturb.rad.yes_no_template import AnswerPools, CannotAsk

TEMPLATE = Color()


@pytest.mark.parametrize(
    "subject",
    [
        "cat",
        "bedspread",
        "man's shirt",
        "girl on the left's hat",
        "shirt the man is wearing",
        "object that the baby is holding",
        "bus which is parked",
        "ground the person is walking on",
        "train in the picture on the left",
        "cup sitting on the shelf holding pens and pencils",
        "large black pole to the left of the machine",
        "black and white cat's collar",
        "majority of the flowers",
        "wall behind the toilet and the sink",
    ],
)
def test_noun_phrases_are_carried_over(subject):
    frame = TEMPLATE.read(f"What color is the {subject}?", Tagger(), AnswerPools())
    assert frame.ask("red").text == f"Is the color of the {subject} red?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("What color is the man wearing?", "the question has a verb of its own"),
        ("What color is the woman on the left wearing?", "the question has a verb of its own"),
        ("What color is the wall painted?", "the question has a verb of its own"),
        ("What color is the traffic light on?", "the question ends in an incomplete phrase"),
        ("What color is the cat and the dog?", "asks about two things"),
        ("What color is the shirt and pants?", "asks about two things"),
        ("What color is the bowl with soup and is it full?", "asks about two things"),
        ("What color is the cup on the table and what is in it?", "asks about two things"),
        ("What color is the plate in the front, on the right?", "the question has more than one part"),
        ("What color is the cat? And the dog?", "the question has more than one part"),
    ],
)
def test_anything_but_a_noun_phrase_is_refused(text, reason):
    with pytest.raises(CannotAsk, match=reason):
        TEMPLATE.read(text, Tagger(), AnswerPools())


def test_spelling_is_kept():
    assert (
        TEMPLATE.read("What colour is the cat?", Tagger(), AnswerPools()).ask("red").text
        == "Is the colour of the cat red?"
    )


def test_plural_is_an_extension():
    text = "What color are the walls?"
    assert not TEMPLATE.matches(text)
    asked = Color(extensions=True).read(text, Tagger(), AnswerPools()).ask("red")
    assert (asked.text, asked.frame) == ("Is the color of the walls red?", "color/plural")


@pytest.mark.parametrize(
    "answer", ["red and white", "multi", "striped", "rainbow", "clear", "don't know", "", "red/blue"]
)
def test_only_single_colors_are_accepted(answer):
    assert TEMPLATE.value(answer) is None


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("gray", "grey", True), ("silver", "grey", True), ("tan", "beige", True), ("light blue", "blue", True),
        ("navy blue", "blue", True), ("dark green", "light green", True), ("lime green", "green", True),
        ("red", "blue", False), ("white", "black", False), ("green", "red", False), ("yellow", "blue", False),
    ],
)  # fmt: skip
def test_near_colors_clash_both_ways(one, other, near):
    assert TEMPLATE.clash(one, other) is near
    assert TEMPLATE.clash(other, one) is near


def test_a_color_named_among_others_clashes():
    assert TEMPLATE.clash("red", "red and white")
    assert TEMPLATE.clash("gray", "white, grey")
    assert not TEMPLATE.clash("red", "blue and white")


def test_every_color_clashes_with_itself_and_few_others():
    colors = list(_data()["colors"])
    for color in colors:
        assert TEMPLATE.clash(color, color)
        assert sum(TEMPLATE.clash(color, other) for other in colors) < len(colors) / 2
