from __future__ import annotations

import math
from random import Random

import pytest
from outcomes_by_hand import outcome, variant

from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.rad import Rad
from askew.metrics.resample import Scorer, score
from askew.metrics.rscore import RScore
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
    scores = by_name(score(groups, METRICS, "rad", resamples=500))
    rad = scores["", "rad.forward"]
    assert (rad.value, rad.n, rad.failed) == (0.5, 2, 1)  # it rests on the originals that are right
    assert scores["", "accuracy.gap"].n == 3
    assert (rad.lowest, rad.highest) == (settled_third := 0.3333333333, 0.6666666667)
    assert 0 <= rad.low <= settled_third < rad.high <= 1
    assert rad.suite == "rad"
    assert rad.signature == "Rad(backward=False, correct='modal', mode='official'); references=matches/min(3, n - 1)"
    part = scores["test=H", "rad.forward"]
    assert (part.value, part.n, part.failed) == (0.0, 1, 1)
    assert scores["test=C", "rad.forward"].value == 1.0
    assert math.isnan(scores["test=C", "rad.forward"].low)  # a single image


def test_a_missing_answer_that_could_not_have_counted_is_not_a_failure():
    wrong = outcome("x", "red", variant(None, "red"), id=1, image=1)
    unknown = outcome(None, "red", variant("red", "red"), id=2, image=2)
    right = outcome("red", "red", variant(None, "red"), id=3, image=3)
    scores = by_name(score([wrong, unknown, right], METRICS, parts=(), resamples=0))
    assert scores["", "rad.forward"].failed == 2
    assert scores["", "accuracy.gap"].failed == 3


def test_parts_are_the_scores_of_their_groups_alone():
    outcomes = made_up(120)
    whole = by_name(score(outcomes, METRICS, resamples=10))
    parts = {part for part, _ in whole}
    assert {"", "test=C", "test=H", "made_by=r/3", "answer_type=number", "question_type=what"} <= parts
    for part in parts - {""}:
        name, value = part.split("=", 1)
        if name in ("test", "made_by"):
            alone = [one for one in (o.only({name: value}) for o in outcomes) if one.variants]
        else:
            alone = [one for one in outcomes if getattr(one.group.original.kind, name) == value]
        expected = by_name(score(alone, METRICS, parts=(), resamples=10))
        for metric in METRICS:
            assert whole[part, metric].value == expected["", metric].value
            assert whole[part, metric].n == expected["", metric].n
        assert whole[part, "accuracy.original"].n == len(alone)


def test_order_does_not_matter():
    outcomes = made_up(60, failures=0.1)
    shuffled = Random(0).sample(outcomes, len(outcomes))
    assert score(outcomes, METRICS, resamples=50) == score(shuffled, METRICS, resamples=50)


def test_the_same_seed_gives_the_same_intervals_and_another_gives_others():
    outcomes = made_up(60)
    first, again, other = (score(outcomes, METRICS, resamples=50, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert [one.value for one in first] == [one.value for one in other]
    assert [one.low for one in first] != [one.low for one in other]


def test_nothing_is_nan_not_zero():
    scores = Scorer(METRICS, "s").scores()
    assert [(one.part, one.metric, one.n) for one in scores] == [("", name, 0) for name in METRICS]
    assert all(math.isnan(getattr(one, name)) for one in scores for name in ("value", "low", "high", "lowest"))


def test_everything_failed():
    groups = [outcome(None, "red", variant(None, "red"), id=n, image=n) for n in range(3)]
    gap = by_name(score(groups, METRICS, resamples=20))["test=t", "accuracy.gap"]
    assert (gap.n, gap.failed) == (0, 3)
    assert math.isnan(gap.value)
    assert (gap.lowest, gap.highest) == (-1.0, 1.0)  # all originals right and no variant, or the reverse


def test_bounds_hold_the_value_when_answers_are_missing():
    for one in score(made_up(80, failures=0.2), {"a": Accuracy("variant")}, resamples=0):
        assert one.lowest <= one.value <= one.highest
        assert math.isnan(one.low)


def test_without_missing_answers_the_bounds_are_the_value():
    for one in score(made_up(30), METRICS, resamples=0):
        assert one.lowest == one.highest == one.value


def test_intervals_narrow_with_more_images():
    few, many = (by_name(score(made_up(n), METRICS, resamples=300))["", "rad.forward"] for n in (60, 960))
    assert many.high - many.low == pytest.approx((few.high - few.low) / 4, rel=0.35)
    assert many.low < many.value < many.high


def test_a_score_is_pinned():
    """What every machine must give, digit for digit."""
    one = by_name(score(made_up(60), METRICS, resamples=200))["test=H", "rad.forward"]
    assert (one.value, one.low, one.high, one.n) == (0.4848484848, 0.3570852535, 0.6237851662, 46)


def test_a_share_at_the_edge_is_not_certain():
    """Ten images, all right: resampling gives 1 every time, and an interval from 1 to 1 would be a lie."""
    outcomes = [outcome("red", "red", id=n, image=n) for n in range(10)]
    one = score(outcomes, {"accuracy.all": Accuracy()}, resamples=50)[0]
    assert (one.value, one.high) == (1.0, 1.0)
    assert one.low == pytest.approx(10 / (10 + 1.959963984540054**2))


def test_images_that_are_all_alike_are_not_certain_either():
    """Two images, each half right: resampling gives 0.5 every time. Up to 1.96² / (2 + 1.96²) of all may be unlike."""
    outcomes = [outcome(said, "red", id=f"{image}{said}", image=image) for image in (1, 2) for said in ("red", "x")]
    one = score(outcomes, {"accuracy.all": Accuracy()}, resamples=50)[0]
    unlike = 3.841458820694124 / 5.841458820694124
    assert one.value == 0.5
    assert (one.low, one.high) == pytest.approx((0.5 - 0.5 * unlike, 0.5 + 0.5 * unlike))


@pytest.mark.parametrize(("images", "said", "low", "high"), [(10, "red", -0.27753, 0.27753), (2, "x", -1.0, 0.31524)])
def test_a_gap_that_every_image_has_is_not_certain(images, said, low, high):
    """A gap lies between -1 and 1. Two lost of two: -1 + 2 · 3.84 / 5.84 is above zero, so it proves nothing."""
    outcomes = [outcome("red", "red", variant(said, "red"), id=n, image=n) for n in range(images)]
    one = score(outcomes, {"accuracy.gap": Gap(change=True)}, resamples=50)[0]
    assert one.value == (0.0 if said == "red" else -1.0)
    assert (one.low, one.high) == pytest.approx((low, high), abs=1e-5)


def test_an_r_score_of_one_is_as_uncertain_as_the_loss_of_nothing():
    """Ten images that lose nothing: 27.8 points may be lost, and R_score is 0 from 20 on; of 100 images 3.7 points."""
    for images, low in ((10, 0.0), (100, (0.2**0.5 - 0.0369935**0.5) / (0.2**0.5 - 0.0005**0.5))):
        outcomes = [outcome("red", "red", variant("red", "red", level=1), id=n, image=n) for n in range(images)]
        one = score(outcomes, {"rscore.1": RScore()}, resamples=50)[0]
        assert (one.value, one.high) == (1.0, 1.0)
        assert one.low == pytest.approx(low, abs=1e-5)
