"""The independent evaluator: by hand on a small scene, and against every question of a world."""

from __future__ import annotations

from functools import cache

import pytest

from askew.answers.normalise import modal_answer, normalise
from askew.errors import DataError
from askew.types import Relation, Scene, Thing
from askew.world.ask import asked_and_answered
from askew.world.phrasing import Meaning, Pick
from askew.world.scenes import make_scene
from askew.world.splits import Shift
from independent_answers import true_answer

SCENE = Scene(
    "s",
    (
        Thing("1", "table", ("brown", "wooden"), (20, 100, 100, 60)),
        Thing("2", "cup", ("white", "plain", "full"), (30, 80, 30, 30)),
        Thing("3", "cup", ("red", "plain", "empty"), (70, 80, 30, 30)),
        Thing("4", "man", ("old", "standing", "holding"), (150, 60, 40, 120)),
        Thing("5", "shirt", ("blue", "striped"), (155, 90, 30, 30)),
        Thing("6", "umbrella", ("green", "plain", "open", "dry"), (140, 10, 60, 60)),
        Thing("7", "duck", ("white", "small", "standing"), (100, 170, 30, 30)),
    ),
    (
        Relation("2", "on", "1"),
        Relation("3", "on", "1"),
        Relation("4", "wearing", "5"),
        Relation("4", "holding", "6"),
        Relation("1", "left of", "4"),
        Relation("4", "right of", "1"),
    ),
    (224, 224),
    {"place": "park", "setting": "outdoors", "weather": "sunny"},
)
MAN, TABLE, CUP = Pick("man"), Pick("table"), Pick("cup")


@pytest.mark.parametrize(
    ("meaning", "answer"),
    [
        (Meaning("exists", Pick("bird")), "yes"),
        (Meaning("exists", Pick("cup", ("green",))), "no"),
        (Meaning("count", CUP), "2"),
        (Meaning("count", Pick("cup", tie="on", to=TABLE)), "2"),
        (Meaning("count", Pick("horse")), "0"),
        (Meaning("count is", CUP, values=("3",)), "no"),
        (Meaning("more than", CUP, values=("1",)), "yes"),
        (Meaning("more", CUP, other=MAN), "yes"),
        (Meaning("is", Pick("umbrella"), values=("open",)), "yes"),
        (Meaning("is", CUP, values=("plain",)), "yes"),
        (Meaning("is called", Pick("animal"), values=("horse",)), "no"),
        (Meaning("same", CUP, "colour"), "no"),
        (Meaning("look", TABLE, "material"), "wood"),
        (Meaning("look", Pick("shirt", tie="worn by", to=MAN), "colour"), "blue"),
        (Meaning("look", Pick("umbrella", tie="held by", to=MAN), "colour"), "green"),
        (Meaning("choose", MAN, "young/old", ("young", "old")), "old"),
        (Meaning("relates", TABLE, "right of", other=MAN), "no"),
        (Meaning("relates", MAN, "holding", other=Pick("ball")), "no"),
        (Meaning("name", Pick("animal")), "duck"),
        (Meaning("what", MAN, "holding"), "umbrella"),
        (Meaning("what", None, "on", other=TABLE), "cups"),
        (Meaning("who", Pick("umbrella"), "holding"), "man"),
        (Meaning("where", Pick("cup", ("red",))), "on table"),
        (Meaning("side", MAN), "right"),
        (Meaning("fact", about="weather"), "sunny"),
        (Meaning("fact is", about="place", values=("beach",)), "no"),
    ],
)
def test_answers_by_hand(meaning: Meaning, answer: str) -> None:
    assert true_answer(SCENE, meaning) == answer


@pytest.mark.parametrize(
    "meaning",
    [
        Meaning("look", CUP, "colour"),  # white and red
        Meaning("side", CUP),  # two of them
        Meaning("where", Pick("horse")),  # none
        Meaning("is", CUP, values=("full",)),  # one is, one is not
        Meaning("relates", Pick("duck"), "left of", other=MAN),  # nothing is known of the two
        Meaning("doing", MAN),  # standing, or holding an umbrella
    ],
)
def test_ambiguous_questions_are_refused(meaning: Meaning) -> None:
    with pytest.raises(DataError):
        true_answer(SCENE, meaning)


@cache
def scenes() -> list[Scene]:
    return [make_scene(13, index) for index in range(310)]


@pytest.mark.parametrize("shifted", [False, True])
def test_agrees_with_the_annotators_on_every_question_of_a_world(shifted: bool) -> None:
    checked = 0
    for scene in scenes():
        for asked, question in asked_and_answered(scene, 13, Shift("test") if shifted else None):
            assert normalise(true_answer(scene, asked.meaning)) == modal_answer(question.answers, normalise), (
                question.text
            )
            checked += 1
    assert checked > 2000
