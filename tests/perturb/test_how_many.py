"""Y/N←HM: what follows "How many" comes out as English, or is refused."""

import pytest

from askew.language.tagger import Tagger
from askew.perturb.rad.how_many import HowMany
from askew.perturb.rad.yes_no_template import AnswerPools, CannotAsk

TEMPLATE = HowMany()


def ask(text, value, template=TEMPLATE):
    return template.read(text, Tagger(), AnswerPools()).ask(value).text


GRAMMAR = [
    ("How many dogs?", "Are there three dogs?", "Is there one dog?"),
    ("How many people are there?", "Are there three people?", "Is there one person?"),
    ("How many people are there in the room?",
     "Are there three people in the room?", "Is there one person in the room?"),
    ("How many people are there visible?", "Are there three people visible?", "Is there one person visible?"),
    ("How many people are there total?", None, None),
    ("How many sheep are in the picture?",
     "Are there three sheep in the picture?", "Is there one sheep in the picture?"),
    ("How many birds in the sky?", "Are there three birds in the sky?", "Is there one bird in the sky?"),
    ("How many wine glasses are on the table?", "Are there three wine glasses on the table?",
     "Is there one wine glass on the table?"),
    ("How many scissors are shown?", "Are there three scissors shown?", "Is there one pair of scissors shown?"),
    ("How many slices of pizza are on the plate?", "Are there three slices of pizza on the plate?",
     "Is there one slice of pizza on the plate?"),
    ("How many types of animals are there?", "Are there three types of animals?", "Is there one type of animal?"),
    ("How many pairs of shoes are visible?", "Are there three pairs of shoes visible?",
     "Is there one pair of shoes visible?"),
    ("How many dogs can you see?", "Are there three dogs that you can see?", "Is there one dog that you can see?"),
    ("How many dogs do you see in this photo?", "Are there three dogs that you can see in this photo?",
     "Is there one dog that you can see in this photo?"),
    ("How many boats can be seen?",
     "Are there three boats that can be seen?", "Is there one boat that can be seen?"),
    ("How many people have hats?", "Are there three people that have hats?", None),
    ("How many men have hats on?", "Are there three men that have hats on?", None),
    ("How many people are on skateboards?", "Are there three people on skateboards?", None),
    ("How many people are wearing red shirts?", "Are there three people wearing red shirts?", None),
    ("How many people are near the windows?", "Are there three people near the windows?",
     "Is there one person near the windows?"),
    ("How many people are wearing glasses?", "Are there three people wearing glasses?",
     "Is there one person wearing glasses?"),
    ("How many bites were taken out of the sandwich?", None, None),
    ("How many people rode bikes?", None, None),
    ("How many inches did it rain?", None, None),
    ("How many people don't have a skateboard?", "Are there three people that do not have a skateboard?",
     "Is there one person that does not have a skateboard?"),
    ("How many men in the picture are wearing sunglasses?",
     "Are there three men in the picture wearing sunglasses?",
     "Is there one man in the picture wearing sunglasses?"),
    ("How many lights are red?", "Are there three lights that are red?", "Is there one light that is red?"),
    ("How many of us?", None, None),
    ("How many people are women?",
     "Are there three people that are women?", "Is there one person that is a woman?"),
    ("How many balls is he holding?",
     "Are there three balls that he is holding?", "Is there one ball that he is holding?"),
    ("How many rings is the man wearing?", "Are there three rings that the man is wearing?",
     "Is there one ring that the man is wearing?"),
    ("How many bananas are being held?", "Are there three bananas being held?", "Is there one banana being held?"),
    ("How many people aren't wearing hats?", "Are there three people not wearing hats?", None),
    ("How many giraffe are there", "Are there three giraffes?", "Is there one giraffe?"),
    ("How  many cats are  here ??", "Are there three cats here?", "Is there one cat here?"),
    ("How many zebras are next to each other?", "Are there three zebras next to each other?", None),
    ("How many bowls have food in them?", "Are there three bowls that have food in them?", None),
    ("How many men are wearing turbans on their heads?",
     "Are there three men wearing turbans on their heads?", None),
    ("How many sports cars are there?", "Are there three sports cars?", "Is there one sports car?"),
    ("How many pizzas pies are there?", None, None),
    ("How many red cars are there?", None, None),
    ("How many of the people are standing?", None, None),
    ("How many are there?", None, None),
    ("How many stories is the building?", None, None),
    ("How many people can fit in the car?", None, None),
    ("How many doors does the car have?", None, None),
    ("How many luggage are there?", None, None),
    ("How many cats and dogs are there?", None, None),
    ("How many men's faces are shown?", None, None),
    ("How many inches long is the phone?", None, None),
    ("How many cars are there, 2 or 3?", None, None),
    ("How many pieces of furniture which are used for sleeping are featured?", None, None),
]  # fmt: skip


def test_grammar():
    for text, several, one in GRAMMAR:
        for value, expected in (("3", several), ("1", one)):
            try:
                asked = ask(text, value)
            except CannotAsk:
                asked = None
            assert asked == expected, text


def test_numbers_are_written_in_words():
    asked = [ask("How many dogs are there?", value) for value in ("0", "12", "25", "150")]
    assert asked == [
        "Are there zero dogs?",
        "Are there twelve dogs?",
        "Are there twenty-five dogs?",
        "Are there 150 dogs?",
    ]


@pytest.mark.parametrize(
    ("drawn", "given", "clashes"),
    [
        ("2", "two", True), ("2", "2 or 3", True), ("3", "1-3", True), ("0", "none", True), ("0", "no", True),
        ("12", "a dozen", True), ("2", "3", False), ("2", "many", False), ("0", "no idea", False),
        ("9", "10", True), ("9", "9.", True), ("8", "9", False), ("25", "20", True), ("26", "20", False),
    ],
)  # fmt: skip
def test_numbers_that_are_too_near_are_not_drawn(drawn, given, clashes):
    assert TEMPLATE.clash(drawn, given) is clashes


@pytest.mark.parametrize("tail", ["are supposed to sit on this", "are about to eat", "are needed for this recipe"])
def test_what_should_or_may_be_is_not_what_is_there(tail):
    with pytest.raises(CannotAsk, match="could be"):
        TEMPLATE.read(f"How many people {tail}?", Tagger(), AnswerPools())


def test_parts_are_not_asked_what_they_have():
    with pytest.raises(CannotAsk, match="has or does"):
        TEMPLATE.read("How many colors have the vegetables?", Tagger(), AnswerPools())
    assert TEMPLATE.read("How many people have the ball?", Tagger(), AnswerPools())
