"""Loss from one noise level to another, and how many steps are losses; all by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import BadOption
from askew.metrics.noise import NoiseAccuracy, NoiseFalls, NoiseLoss, RScore, r_score
from askew.metrics.scorer import score
from askew.types import Expect, ImageRef


def noisy(said, level, **note):
    return variant(said, "red", Expect.NOISE, level=level, **note)


def curve(*said, id=1):  # noqa: A002
    """An outcome with these answers to the original and to levels 1, 2, ...; people say red."""
    return outcome(said[0], "red", *(noisy(word, level) for level, word in enumerate(said[1:], 1)), id=id, image=id)


FOUR = [
    curve("red", "red", "red", "blue", id=1),
    curve("red", "red", "blue", "blue", id=2),
    curve("red", "blue", "red", "blue", id=3),
    curve("red", "blue", "blue", "red", id=4),
]
"""Accuracies 1, 1/2, 1/2, 1/4."""


@pytest.mark.parametrize(
    ("level", "since", "lost"),
    [(1, 0, 0.5), (2, 0, 0.5), (3, 0, 0.75), (2, 1, 0.0), (3, 2, 0.25), (3, 1, 0.25)],
)
def test_loss(level, since, lost):
    assert total(NoiseLoss(level, since), FOUR) == pytest.approx(lost)


def test_a_gain_is_below_zero():
    assert total(NoiseLoss(1), [curve("blue", "red")]) == -1


def test_only_groups_with_both_levels_count():
    assert NoiseLoss(2, 1).measure(curve("red", "red")) is None
    missing = curve("red", None, "red")
    assert NoiseLoss(2, 1).measure(missing) is None
    assert NoiseLoss(2, 1).measure(missing, failed=0.0) == (0.0, 1.0, 1.0)
    assert NoiseLoss(1).measure(outcome("red", "red")) is None


def test_falls():
    assert total(NoiseFalls(3), FOUR) == pytest.approx(2 / 3)
    assert total(NoiseFalls(1), FOUR) == 1
    assert total(NoiseFalls(2), [curve("blue", "red", "red")]) == 0


def test_falls_needs_every_level():
    assert NoiseFalls(2).measure(curve("red", "red")) is None
    assert NoiseFalls(2).measure(curve("red", "red", None), failed=1.0) == (1.0, 1.0, 1.0, 1.0)
    assert math.isnan(NoiseFalls(2).combine(np.zeros(4)))


def test_falls_of_many_sums_at_once():
    sums = np.array([[4.0, 3.0, 1.0, 4.0], [3.0, 3.0, 1.0, 4.0], [0.3, 0.1 + 0.2, 0.0, 1.0], [0.0] * 4]).T
    assert NoiseFalls(2).combine(sums) == pytest.approx([1.0, 0.5, 0.5, math.nan], nan_ok=True)


def test_several_variants_of_a_level_count_by_their_mean():
    one = outcome("red", "red", noisy("red", 1), noisy("blue", 1))
    assert NoiseLoss(1).measure(one) == (1.0, 0.5, 1.0)


def test_losses_have_intervals():
    many = [
        replace(one, group=replace(one.group, id=n, original=replace(one.group.original, image=ImageRef(n))))
        for n, one in enumerate(FOUR * 5)
    ]
    found = {s.metric: s for s in score(many, {"step": NoiseLoss(3, 2), "falls": NoiseFalls(3)})}
    assert found["step"].value == 0.25
    assert found["step"].low < 0.25 < found["step"].high
    assert 0 <= found["falls"].low <= found["falls"].value <= found["falls"].high <= 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: NoiseLoss(0),
        lambda: NoiseLoss(2, 2),
        lambda: NoiseLoss(1, -1),
        lambda: NoiseLoss(mode="loose"),
        lambda: NoiseFalls(0),
        lambda: NoiseFalls(mode="loose"),
    ],
)
def test_bad_options_are_refused(make):
    with pytest.raises(BadOption):
        make()


@pytest.mark.parametrize(
    ("points", "score"),
    [
        (5.85, 0.48),
        (8.67, 0.36),
        (9.13, 0.34),
        (6.59, 0.45),
        (13.55, 0.19),
        (10.13, 0.30),
        (12.19, 0.23),
        (4.91, 0.53),
        (8.46, 0.37),
    ],
)
def test_gives_the_papers_values(points, score):
    assert round(float(r_score(points / 100)), 2) == score


def test_is_one_within_the_tolerance_and_zero_beyond_the_limit():
    assert r_score(5e-4) == 1.0
    assert r_score(0.0) == 1.0
    assert r_score(0.2) == 0.0
    assert r_score(0.9) == 0.0
    assert 0 < r_score(0.19999) < r_score(0.0006) < 1


def noisy_variant(said, **note):
    return variant(said, "red", Expect.NOISE, **note)


GROUPS = [
    outcome("red", "red", noisy_variant("red", level=1), noisy("blue", level=2), id=1),
    outcome("red", "red", noisy_variant("red", level=1), noisy("blue", level=2), id=2),
    outcome("red", "red", noisy_variant("red", level=1), noisy("red", level=2), id=3),
    *(outcome("red", "red", noisy_variant("red", level=1), id=4 + n) for n in range(16)),
    outcome("red", "red", noisy_variant("blue", level=1), id=20),
]


def test_uses_the_variants_of_its_level_and_the_originals_of_the_same_groups():
    assert total(NoiseAccuracy(0), GROUPS) == 1.0
    assert total(NoiseAccuracy(1), GROUPS) == pytest.approx(19 / 20)
    assert total(NoiseAccuracy(2), GROUPS) == pytest.approx(1 / 3)
    assert total(RScore(1), GROUPS) == pytest.approx(
        (math.sqrt(0.2) - math.sqrt(0.05)) / (math.sqrt(0.2) - math.sqrt(5e-4))
    )
    assert total(RScore(2), GROUPS) == 0.0
    assert total(RScore(3), GROUPS) is None


def test_a_gain_is_penalised_like_a_loss():
    gain = [outcome("blue", "red", noisy_variant("red", level=1), id=20), *GROUPS[:19]]
    assert total(RScore(1), gain) == pytest.approx(total(RScore(1), GROUPS))


def test_an_answer_that_changes_is_noticed_also_if_it_is_as_wrong_as_before():
    assert RScore().measure(curve("blue", "Blue.")) == (0.0, 0.0, 1.0, 0.0)
    assert RScore().measure(curve("blue", "green")) == (0.0, 0.0, 1.0, 1.0)
    assert RScore(2).measure(curve("red", "blue", "red")) == (1.0, 1.0, 1.0, 0.0)


def test_missing_answers():
    group = outcome("red", "red", noisy_variant(None, level=1))
    assert RScore().measure(group) is None
    assert RScore().measure(group, 0.0) == (1.0, 0.0, 1.0, 1.0)
    assert NoiseAccuracy(1).measure(group) is None
    assert NoiseAccuracy(0).measure(outcome("red", "red")) is None


def test_limits_must_be_in_order():
    with pytest.raises(BadOption, match="0 <= t < m <= 1"):
        RScore(t=0.3)
