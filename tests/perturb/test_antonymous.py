"""Antonyms of what a question asks for, and of nothing else."""

import json

import pytest

from askew.language.tagger import Tagger
from askew.perturb.lexical.antonymous import PATTERN, Antonymous
from askew.perturb.lexical.substitutions import edited


def opposite(text):
    """The first opposite, or the reason against it; None if there is neither."""
    found = next(iter(Antonymous().propose(text, Tagger().tags([text])[0])), None)
    return edited(text, [found[0]]) if isinstance(found, tuple) else found


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Is the window open?", "Is the window closed?"),
        ("Are these glasses full?", "Are these glasses empty?"),
        ("Is the tv on?", "Is the tv off?"),
        ("Are the lights on the bus on?", "Are the lights on the bus off?"),
        ("Is the man old?", "Is the man young?"),
        ("Is the building old?", "Is the building new?"),
        ("Is the man standing?", "Is the man sitting?"),
        ("Is this an old photo?", "Is this a new photo?"),
        ("Is the floor wet in this picture?", "Is the floor dry in this picture?"),
        ("Is the sky clear?", "Is the sky cloudy?"),
        ("Is this dog's tail short?", "Is this dog's tail long?"),
        ("Is the dog short?", "Is the dog tall?"),
        ("Is the tree short?", "Is the tree tall?"),
        ("Is the man walking?", "Is the man riding?"),
        ("Is this edible?", "Is this inedible?"),
        ("Is the sun rising?", "Is the sun setting?"),
        ("Is the bus coming?", "Is the bus going?"),
        ("Is the bed made?", "Is the bed unmade?"),
        ("Is the lamp lit?", "Is the lamp unlit?"),
    ],
)
def test_the_asked_attribute_becomes_its_opposite(text, changed):
    assert opposite(text) == changed


@pytest.mark.parametrize(
    "text",
    [
        "What is near the open window?",
        "Is the open window red?",
        "Is there an open window?",
        "Is a window open?",
        "Does the window look open?",
        "Is this a window?",
        "Is the man happy to be here?",
        "Is this a beach sitting?",
        "Is the man wooden?",
        "Is the man tall or short?",
    ],
)
def test_attributes_that_are_only_mentioned_or_have_no_opposite_stay(text):
    assert opposite(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Is this building more than 5 stories tall?", "the attribute is compared, joined or graded"),
        ("Is the man hungry?", "no reviewed antonym"),
        ("Is this man twenty years old?", "the attribute has a measure"),
        ("Is the water knee deep?", "the attribute has a measure"),
        ("Is this an open market?", "another sense of the word"),
        ("Is the man safe?", "another sense of the word"),
        ("Is the dog walking?", "another sense of the word"),
        ("Is this an old timer?", "inside a fixed phrase"),
        ("Is this photo clear?", "another sense of the word"),
        ("Is the moon full?", "another sense of the word"),
        ("Is the glass half full?", "inside a fixed phrase"),
        ("Is the man black?", "another sense of the word"),
    ],
)
def test_refused_with_a_reason(text, reason):
    assert opposite(text) == reason


def test_every_opposite_that_fits_is_proposed():
    found = Antonymous().propose("Is the door open?", Tagger().tags(["Is the door open?"])[0])
    assert [edit.text for edit, _, _ in found] == ["closed", "shut"]


def test_the_opposite_of_old_depends_on_its_subject():
    assert opposite("Are the people old?") == "Are the people young?"
    assert opposite("Is the old man's car old?") == "Is the old man's car new?"


@pytest.mark.parametrize(
    "text", ["Is this a kitchen?", "Are the men in a bus?", "What is open?", "Is there a wet dog?"]
)
def test_questions_without_an_opposite_are_not_tagged(text):
    assert not Antonymous().could(text)
    assert opposite(text) is None


@pytest.mark.parametrize(
    "text", ["Is the half-open door tall?", "Is the man's hat off?", "Is the man sit", "are these\nwet"]
)
def test_questions_that_may_have_an_opposite_are_not_skipped(text):
    assert Antonymous().could(text)


def test_no_real_question_with_a_proposal_is_skipped(real_data):
    path = real_data("vqa2_dev/v2_OpenEnded_mscoco_train2014_questions.json")
    antonymous = Antonymous()
    texts = [question["question"] for question in json.loads(path.read_text(encoding="utf-8"))["questions"]]
    passed = [text for text in dict.fromkeys(texts) if PATTERN.match(text) and not antonymous.could(text)][:400]
    assert len(passed) > 200
    found = [antonymous.propose(*each) for each in zip(passed, Tagger().tags(passed), strict=True)]
    assert found == [()] * len(passed)
