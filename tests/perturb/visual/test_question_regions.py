"""Regions of a question: objects it names, random boxes, and boxes rescaled to another image size."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from askew.perturb.visual.hide_background import (
    SMALLEST,
    asks_for_place,
    asks_for_surroundings,
    hull,
    named_boxes,
    random_boxes,
    regions,
)
from askew.types import Question, Relation, Scene, Thing

SCENE = Scene(
    "s",
    (
        Thing("1", "dog", (), (0, 0, 50, 50)),
        Thing("2", "hot dog", (), (60, 0, 50, 50)),
        Thing("3", "person", (), (0, 60, 50, 100)),
        Thing("4", "dog", (), (120, 0, 50, 50)),
        Thing("5", "traffic lights", (), (0, 170, 40, 20)),
        Thing("6", "sky"),
        Thing("7", "bus", (), (200, 0, 10, 10)),
    ),
    size=(300, 200),
)
BOX = {thing.id: thing.box for thing in SCENE.things}


def named(text: str, *answers: str) -> list[object]:
    return named_boxes(Question(1, None, text, answers, scene=SCENE))


def test_every_object_of_that_name_is_kept() -> None:
    assert named("Is the dog brown?") == [BOX["1"], BOX["4"]]


def test_a_compound_name_does_not_match_its_shorter_part() -> None:
    assert named("Is there a hot dog?") == [BOX["2"]]
    assert named("Is the dog eating a hot dog?") == [BOX["1"], BOX["2"], BOX["4"]]


def test_singular_and_plural_both_match() -> None:
    assert named("How many people are there?") == [BOX["3"]]
    assert named("Is the traffic light red?") == [BOX["5"]]
    assert named("Are there any buses?") == [BOX["7"]]
    assert named("Is there a cat?") == []


def test_objects_that_the_answer_names_are_kept_too() -> None:
    assert named("What is to the left of the person?", "dog", "dog", "cat") == [BOX["1"], BOX["3"], BOX["4"]]


def test_what_an_object_rides_or_holds_belongs_to_it() -> None:
    related = (Relation("3", "riding", "7"), Relation("3", "to the left of", "1"), Relation("2", "on", "3"))
    question = Question(1, None, "What is the person doing?", ("riding",), scene=replace(SCENE, relations=related))
    assert named_boxes(question) == [BOX["2"], BOX["3"], BOX["7"]]


def test_questions_about_places() -> None:
    assert asks_for_place(Question(1, None, "Is the dog on the left brown?"))
    assert not asks_for_place(Question(1, None, "Is the dog brown?"))
    assert asks_for_surroundings(Question(1, None, "Where is the dog?"))
    assert not asks_for_surroundings(Question(1, None, "Is this where dogs live?"))
    assert not asks_for_surroundings(Question(1, None, ""))


def test_a_question_that_names_nothing_has_no_regions() -> None:
    assert named("What is the weather like?", "sunny") == []
    assert named("Is the sky blue?") == []  # it has no box
    assert named_boxes(Question(1, None, "Is the dog brown?")) == []


def test_random_boxes_are_large_enough_and_the_same_again() -> None:
    counts = set()
    for seed in range(40):
        drawn = random_boxes(SCENE, (300, 200), Random(seed))
        assert drawn == random_boxes(SCENE, (300, 200), Random(seed))
        assert all(min(box[2:]) >= SMALLEST and box in BOX.values() for box in drawn)
        counts.add(len(drawn))
    assert counts == {1, 2}


@given(st.tuples(st.integers(1, 600), st.integers(1, 600)), st.integers())
def test_without_a_scene_random_boxes_lie_in_the_image(size: tuple[int, int], seed: int) -> None:
    ((x, y, width, height),) = random_boxes(None, size, Random(seed))
    assert 0 <= x <= size[0] - width
    assert 0 <= y <= size[1] - height
    assert width >= min(SMALLEST, size[0])
    assert height >= min(SMALLEST, size[1])


@given(
    st.lists(st.tuples(*[st.floats(-100, 700)] * 2, *[st.floats(0, 700)] * 2), max_size=4),
    st.tuples(st.integers(1, 500), st.integers(1, 500)),
)
def test_regions_lie_in_the_image_and_are_never_small(boxes: list, size: tuple[int, int]) -> None:
    found = regions(boxes, (500, 400), size)
    for left, top, right, bottom in found:
        assert 0 <= left < right <= size[0]
        assert 0 <= top < bottom <= size[1]
        assert right - left >= min(SMALLEST, size[0])
        assert bottom - top >= min(SMALLEST, size[1])
    if found:
        left, top, right, bottom = hull(found)
        assert all(x >= left and y >= top and end <= right and foot <= bottom for x, y, end, foot in found)


def test_boxes_scale_with_the_image() -> None:
    assert regions([(10, 20, 100, 50)], (500, 400), (250, 200)) == [(5, 7, 55, 39)]  # 25 high, grown to 32
    assert regions([(480, 10, 100, 50)], (500, 400), (500, 400)) == [(468, 10, 500, 60)]  # cut at the border
