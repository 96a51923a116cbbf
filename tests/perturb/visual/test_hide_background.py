"""Blur, mask and crop, by hand and against SciPy; the regions of a question: named, random, and rescaled boxes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from askew.errors import BadOption
from askew.perturb.visual.hide_background import (
    CHANGES,
    SMALLEST,
    asks_for_place,
    asks_for_surroundings,
    changed,
    check_change,
    gaussian,
    hull,
    named_boxes,
    random_boxes,
    regions,
)
from askew.types import Question, Relation, Scene, Thing

FILL = (10, 20, 30)


def photo(width: int = 200, height: int = 150, seed: int = 0) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def noise(width: int = 200, height: int = 150) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))


def halves() -> Image.Image:
    values = np.zeros((150, 200, 3), dtype=np.uint8)
    values[:, 100:] = 255
    values[:4] = 255  # and a detail at the border
    return Image.fromarray(values)


@pytest.mark.parametrize("sigma", [3, 6, 9])
@pytest.mark.parametrize("make", [photo, noise, halves])
def test_blurs_like_scipy_within_six_levels(make, sigma) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    image = make()
    exact = ndimage.gaussian_filter(np.asarray(image, dtype=float), (sigma, sigma, 0), mode="nearest")
    error = np.abs(np.asarray(gaussian(image, sigma), dtype=float) - exact)
    assert error.max() <= 6
    assert error.mean() <= 1


@pytest.mark.parametrize("sigma", [3, 9])
def test_a_soft_mask_blends_with_the_blurred_mask(sigma) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    image = photo()
    mask = np.zeros((150, 200))
    mask[40:90, 30:110] = 1
    mask[100:140, 150:190] = 1
    soft = ndimage.gaussian_filter(mask, sigma, mode="nearest")[..., None]
    values = np.asarray(image, dtype=float)
    blurred = ndimage.gaussian_filter(values, (sigma, sigma, 0), mode="nearest")
    wanted = soft * values + (1 - soft) * blurred
    made = changed(image, [(30, 40, 110, 90), (150, 100, 190, 140)], f"blur-{sigma}", FILL)
    assert np.abs(np.asarray(made, dtype=float) - wanted).max() <= 8


def test_the_middle_of_a_kept_box_stays_and_the_rest_does_not() -> None:
    image = noise()
    made = changed(image, [(40, 40, 140, 120)], "blur-3", FILL)
    before, after = (np.asarray(image)[55:105, 55:125] for image in (image, made))
    assert (before == after).all()
    assert np.asarray(made)[:30].std() < np.asarray(image)[:30].std() / 3


def test_a_plain_image_stays_plain_up_to_its_border() -> None:
    plain = Image.new("RGB", (50, 40), (200, 100, 7))
    assert gaussian(plain, 9).getcolors() == [(2000, (200, 100, 7))]


def test_mask_and_crop() -> None:
    image = photo()
    parts = [(10, 20, 60, 70), (100, 30, 150, 90)]
    masked, cut = (changed(image, parts, change, FILL) for change in ("mask", "crop"))
    values, kept = np.asarray(masked), np.asarray(image)
    assert (values[20:70, 10:60] == kept[20:70, 10:60]).all()
    assert (values[30:90, 100:150] == kept[30:90, 100:150]).all()
    assert (values[:20] == FILL).all()
    assert (values[70:, :60] == FILL).all()
    assert (values[:, 150:] == FILL).all()
    assert cut.size == (140, 70)
    assert (np.asarray(cut) == kept[20:90, 10:150]).all()


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (33, 500)])
@pytest.mark.parametrize("change", CHANGES)
def test_any_size(size, change) -> None:
    made = changed(Image.new("RGB", size, "red"), [(0, 0, *size)], change, FILL)
    assert made.size == size
    assert made.getpixel((0, 0)) == (255, 0, 0)


@pytest.mark.parametrize("change", ["blur", "blur-0", "blur-51", "blur-3.5", "blur--3", "masks", ""])
def test_unknown_changes_are_refused(change) -> None:
    with pytest.raises(BadOption, match=r"is not an image change\. Known: mask, crop and blur-1"):
        check_change(change)


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
