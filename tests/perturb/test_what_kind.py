"""Y/N←WK: correct word order and articles, and drawn answers that are surely wrong."""

import pytest

from askew.files.read_write import resource
from askew.language.tagger import Tagger
from askew.perturb.rad.rad_perturbation import votes
from askew.perturb.rad.what_kind import WhatKind, _kin_groups
from askew.perturb.rad.yes_no_template import AnswerPools, CannotAsk

TEMPLATE = WhatKind()
KINDS = resource("perturb/rad/kinds.yaml")


def ask(noun, value, pools=None):
    return TEMPLATE.read(f"What kind of {noun} is this?", Tagger(), pools or AnswerPools()).ask(value)


@pytest.mark.parametrize(
    ("noun", "value", "text", "kind"),
    [
        ("animal", "elephant", "Is this animal an elephant?", "is this"),
        ("animal", "goats", "Is this animal a goat?", "is this"),
        ("animal", "wild", "Is this animal wild?", "is this"),
        ("animal", "farm", "Is this a farm animal?", "is this a"),
        ("food", "pizza", "Is this food pizza?", "is this"),
        ("food", "sandwich", "Is this food a sandwich?", "is this"),
        ("food", "donuts", "Is this food donuts?", "is this"),
        ("food", "fast food", "Is this fast food?", "is this"),
        ("sport", "surfing", "Is this sport surfing?", "is this"),
        ("vegetable", "broccoli", "Is this vegetable broccoli?", "is this"),
        ("fruit", "orange", "Is this fruit an orange?", "is this"),
        ("building", "brick", "Is this building brick?", "is this"),
        ("building", "office", "Is this an office building?", "is this an"),
        ("room", "living room", "Is this a living room?", "is this a"),
        ("room", "bedrooms", "Is this a bedroom?", "is this a"),
        ("room", "dining", "Is this a dining room?", "is this a"),
        ("bear", "polar", "Is this a polar bear?", "is this a"),
        ("pizza", "mushrooms", "Is this a mushroom pizza?", "is this a"),
        ("bread", "wheat", "Is this wheat bread?", "is this"),
        ("train", "amtrak", "Is this an amtrak train?", "is this an"),
        ("phone", "iphone", "Is this an iphone?", "is this an"),
        ("shirt", "t-shirt", "Is this a t-shirt?", "is this a"),
        ("market", "farmers", "Is this a farmers market?", "is this a"),
        ("book", "children's", "Is this a children's book?", "is this a"),
        ("boat", "canoe", "Is this boat a canoe?", "is this"),
        ("a ride", "train", "Is this a train ride?", "is this a"),
    ],
)
def test_order_and_article(noun, value, text, kind):
    asked = ask(noun, value)
    assert asked.text == text
    assert asked.question_type == kind


def test_compounds_in_the_data_decide_the_order():
    assert ask("room", "hotel").text == "Is this room a hotel?"
    assert ask("room", "hotel", AnswerPools(compounds=frozenset({"hotel room"}))).text == "Is this a hotel room?"


@pytest.mark.parametrize(("noun", "value"), [("pizza", "pizza"), ("bird", "birds")])
def test_an_answer_that_repeats_the_noun_is_refused(noun, value):
    with pytest.raises(CannotAsk, match="repeats"):
        ask(noun, value)


@pytest.mark.parametrize(("noun", "reason"), [("pants", "plural"), ("dogs", "plural"), ("electronic", "no noun")])
def test_nouns_that_cannot_be_asked_about(noun, reason):
    with pytest.raises(CannotAsk, match=reason):
        ask(noun, "dell")


@pytest.mark.parametrize(
    "answer", ["beef and turkey", "i don't know", "yes", "black & white", "big", "w x y z", "piece of cake", ""]
)
def test_answers_that_name_no_kind(answer):
    assert TEMPLATE.value(answer) is None


@pytest.mark.parametrize(
    ("drawn", "given"),
    [
        ("dog", "puppy"), ("cow", "cows"), ("bear", "polar bear"), ("corned beef", "beef"), ("animal", "cow"),
        ("bird", "pigeon"), ("jet", "airplane"), ("truck", "pickup truck"), ("church", "cathedral"),
    ],
)  # fmt: skip
def test_answers_that_may_both_be_true_clash(drawn, given):
    assert TEMPLATE.clash(drawn, given)


def test_answers_that_exclude_each_other_do_not_clash():
    assert not TEMPLATE.clash("elephant", "cow")
    assert not TEMPLATE.clash("kitchen", "bedroom")


def test_drawn_answers_are_of_the_same_family_as_the_answer():
    assert TEMPLATE.contrasts("metal", "wood")
    assert not TEMPLATE.contrasts("italian", "pizza")


def test_the_lists_agree():
    assert not set(KINDS["counted"]) & set(KINDS["uncounted"])
    words = [str(word) for words in KINDS["aspects"].values() for word in words]
    assert sorted(words) == sorted(set(words)), "a word is about one aspect only"
    assert all(isinstance(word, str) for group in _kin_groups() for word in group)


@pytest.mark.parametrize("noun", KINDS["usual"])
def test_usual_answers_can_be_asked_and_some_exclude_each_other(noun):
    answers = KINDS["usual"][noun]
    clashes = [one for one in answers if all(TEMPLATE.clash(one, other) for other in answers)]
    assert not clashes, f"{noun}: nothing can be drawn where one of these is the answer"
    noun = {"produce": "vegetable", "place": "location", "music": "instrument"}.get(noun, noun)
    assert all(ask(noun, answer).text.startswith("Is this ") for answer in answers)
    assert len({TEMPLATE.value(answer) for answer in answers} - {None}) == len(answers)


def test_a_more_specific_answer_says_yes():
    assert votes(TEMPLATE, "plane", ["plane", "planes", "prop plane", "plane ticket", "bird"]) == ("yes",) * 3 + ("no",)
    assert votes(TEMPLATE, "dog", ["hot dog", "dogs"]) == ("yes",)
