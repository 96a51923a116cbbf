from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from outcomes_by_hand import outcome, variant

from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.noise import RScore
from askew.metrics.rad_metrics import Rad
from askew.metrics.scorer import score
from askew.significance import by_image, settled
from askew.types import Kind

METRICS = {"accuracy.original": Accuracy("original"), "accuracy.gap": Gap(), "rad.forward": Rad()}


def made_up(count, seed="resample", failures=0.0):
    rng = Random(seed)

    def said(right):
        return None if rng.random() < failures else ("red" if rng.random() < right else "blue")

    return [
        outcome(
            said(0.8),
            "red",
            variant(said(0.6), "red", test=rng.choice("CH"), made_by=rng.choice(("r/1", "r/2"))),
            variant(said(0.5), "red", test="H", made_by="r/3"),
            id=n,
            image=n // 3,
            kind=Kind(rng.choice(("number", "other")), rng.choice(("how many", "what"))),
        )
        for n in range(count)
    ]


def by_name(scores):
    return {(one.part, one.metric): one for one in scores}


def test_a_score_by_hand():
    groups = [
        outcome("red", "red", variant("red", "red", test="C"), id=1, image=1),
        outcome("red", "red", variant("x", "red", test="H"), id=2, image=2),
        outcome("x", "red", variant("red", "red", test="H"), id=3, image=3),
        outcome("red", "red", variant(None, "red", test="H"), id=4, image=4),
    ]
    scores = by_name(score(groups, METRICS, "rad"))
    rad = scores["", "rad.forward"]
    assert (rad.value, rad.n, rad.failed) == (0.5, 2, 1)  # n counts the correct originals
    assert scores["", "accuracy.gap"].n == 3
    assert (rad.lowest, rad.highest) == (0.3333333333, 0.6666666667)
    assert (rad.images, math.isnan(rad.low), math.isnan(rad.high)) == (2, True, True)  # too few to tell
    assert rad.suite == "rad"
    way = "references=matches/min(3, n - 1); interval=score-t"
    assert rad.signature == f"Rad(backward=False, correct='modal', mode='official'); {way}"
    part = scores["test=H", "rad.forward"]
    assert (part.value, part.n, part.failed) == (0.0, 1, 1)
    assert scores["test=C", "rad.forward"].value == 1.0
    assert math.isnan(scores["test=C", "rad.forward"].low)  # a single image


def test_a_missing_answer_that_could_not_have_counted_is_not_a_failure():
    wrong = outcome("x", "red", variant(None, "red"), id=1, image=1)
    unknown = outcome(None, "red", variant("red", "red"), id=2, image=2)
    right = outcome("red", "red", variant(None, "red"), id=3, image=3)
    scores = by_name(score([wrong, unknown, right], METRICS, parts=()))
    assert scores["", "rad.forward"].failed == 2
    assert scores["", "accuracy.gap"].failed == 3


def test_parts_are_the_scores_of_their_groups_alone():
    outcomes = made_up(120)
    whole = by_name(score(outcomes, METRICS))
    parts = {part for part, _ in whole}
    assert {"", "test=C", "test=H", "made_by=r/3", "answer_type=number", "question_type=what"} <= parts
    for part in parts - {""}:
        name, value = part.split("=", 1)
        if name in ("test", "made_by"):
            alone = [one for one in (o.only({name: value}) for o in outcomes) if one.variants]
        else:
            alone = [one for one in outcomes if getattr(one.group.original.kind, name) == value]
        expected = by_name(score(alone, METRICS, parts=()))
        for metric in METRICS:
            assert whole[part, metric].value == expected["", metric].value
            assert whole[part, metric].n == expected["", metric].n
        assert whole[part, "accuracy.original"].n == len(alone)


def test_order_does_not_matter():
    outcomes = made_up(60, failures=0.1)
    shuffled = Random(0).sample(outcomes, len(outcomes))
    assert score(outcomes, METRICS) == score(shuffled, METRICS)


def test_no_outcomes_give_nan_not_zero():
    scores = score([], METRICS, "s")
    assert [(one.part, one.metric, one.n) for one in scores] == [("", name, 0) for name in METRICS]
    assert all(math.isnan(getattr(one, name)) for one in scores for name in ("value", "low", "high", "lowest"))


def test_everything_failed():
    groups = [outcome(None, "red", variant(None, "red"), id=n, image=n) for n in range(3)]
    gap = by_name(score(groups, METRICS))["test=t", "accuracy.gap"]
    assert (gap.n, gap.failed) == (0, 3)
    assert math.isnan(gap.value)
    assert (gap.lowest, gap.highest) == (-1.0, 1.0)  # all originals right and no variant, or the reverse


def test_bounds_contain_the_value_when_answers_are_missing():
    for one in score(made_up(80, failures=0.2), {"a": Accuracy("variant")}):
        assert one.lowest <= one.value <= one.highest


def test_without_missing_answers_the_bounds_are_the_value():
    for one in score(made_up(30), METRICS):
        assert one.lowest == one.highest == one.value


def test_intervals_narrow_with_more_images():
    few, many = (by_name(score(made_up(n), METRICS))["", "rad.forward"] for n in (60, 960))
    assert many.high - many.low == pytest.approx((few.high - few.low) / 4, rel=0.35)
    assert many.low < many.value < many.high


def test_a_score_has_pinned_digits():
    """What every machine must give, to the digits that are kept."""
    one = by_name(score(made_up(60), METRICS))["test=H", "rad.forward"]
    assert (one.value, one.n, one.images) == (0.4848484848, 46, 20)
    assert (one.low, one.high) == pytest.approx((0.3459864024, 0.6260900984), rel=1e-8)


def test_a_share_of_one_still_has_an_interval():
    """Ten images, all correct: an interval from 1 to 1 would claim certainty."""
    outcomes = [outcome("red", "red", id=n, image=n) for n in range(10)]
    one = score(outcomes, {"accuracy.all": Accuracy()})[0]
    assert (one.value, one.high, one.images) == (1.0, 1.0, 10)
    assert one.low == pytest.approx(10 / (10 + 2.262157162798205**2))


def test_equal_images_still_have_an_interval():
    """Ten images, each half right. Up to t² / (10 + t²) of all may be unlike these, t with nine degrees of freedom."""
    outcomes = [outcome(said, "red", id=f"{image}{said}", image=image) for image in range(10) for said in ("red", "x")]
    one = score(outcomes, {"accuracy.all": Accuracy()})[0]
    unlike = 2.262157162798205**2 / (10 + 2.262157162798205**2)
    assert one.value == 0.5
    assert (one.low, one.high) == pytest.approx((0.5 - 0.5 * unlike, 0.5 + 0.5 * unlike))


@pytest.mark.parametrize(("said", "low", "high"), [("red", -0.33851, 0.33851), ("x", -1.0, -1 + 2 * 0.33851)])
def test_a_gap_that_every_image_has_still_has_an_interval(said, low, high):
    """A gap lies between -1 and 1, and ten images may all be unlike a third of the others."""
    outcomes = [outcome("red", "red", variant(said, "red"), id=n, image=n) for n in range(10)]
    one = score(outcomes, {"accuracy.gap": Gap()})[0]
    assert one.value == (0.0 if said == "red" else -1.0)
    assert (one.low, one.high) == pytest.approx((low, high), abs=1e-5)


def test_r_score_is_exactly_one_where_no_answer_changed_and_else_as_uncertain_as_the_loss():
    """A model that ignores the noise had 1.00 (0.46–1.00). Of 100 wrong answers that became other wrong ones, none was
    lost, but 3.8 points might be."""
    lost = 1.9842169515**2 / (100 + 1.9842169515**2)
    low = (0.2**0.5 - lost**0.5) / (0.2**0.5 - 0.0005**0.5)
    for before, after, expected in (("red", "red", 1.0), ("blue", "blue", 1.0), ("blue", "green", low)):
        outcomes = [outcome(before, "red", variant(after, "red", level=1), id=n, image=n) for n in range(100)]
        one = score(outcomes, {"rscore.1": RScore()})[0]
        assert (one.value, one.high) == (1.0, 1.0)
        assert one.low == pytest.approx(expected, abs=1e-5)


def test_rows_of_an_image_are_added_up_whatever_their_order():
    rng = np.random.default_rng(1)
    images, rows = rng.integers(0, 20, 200), np.column_stack([rng.integers(0, 2, 200), np.ones(200)]).astype(float)
    found = by_image(images, rows)
    expected = [rows[images == image].sum(axis=0) for image in sorted(set(images.tolist()))]
    assert found.tolist() == [one.tolist() for one in expected]
    shuffled = rng.permutation(200)
    assert by_image(images[shuffled], rows[shuffled]).tolist() == found.tolist()


def test_images_that_add_nothing_are_left_out():
    assert by_image(np.array([1, 2]), np.array([[0.0, 0.0], [1.0, 1.0]])).tolist() == [[1.0, 1.0]]
    assert by_image(np.zeros(0, dtype=np.int64), np.zeros((0, 2))).shape == (0, 2)


def test_settled_rounds_to_ten_digits():
    assert settled(2 / 3) == 0.6666666667
    assert settled(12345678.987654) == 12345678.99
    assert settled(0.3 - 0.1 - 0.2) == 0.0  # -2.8e-17 here, perhaps another tiny number elsewhere
    assert math.isnan(settled(math.nan))
    assert math.copysign(1, settled(-0.0)) == 1
