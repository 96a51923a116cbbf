from __future__ import annotations

import math

import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import BadOption
from askew.metrics.rscore import NoiseAccuracy, RScore, r_score
from askew.types import Expect


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


def test_one_within_the_tolerance_zero_beyond_the_limit():
    assert r_score(5e-4) == 1.0
    assert r_score(0.0) == 1.0
    assert r_score(0.2) == 0.0
    assert r_score(0.9) == 0.0
    assert 0 < r_score(0.19999) < r_score(0.0006) < 1


def noisy(said, **note):
    return variant(said, "red", Expect.NOISE, **note)


GROUPS = [
    outcome("red", "red", noisy("red", level=1), noisy("blue", level=2), id=1),
    outcome("red", "red", noisy("red", level=1), noisy("blue", level=2), id=2),
    outcome("red", "red", noisy("red", level=1), noisy("red", level=2), id=3),
    *(outcome("red", "red", noisy("red", level=1), id=4 + n) for n in range(16)),
    outcome("red", "red", noisy("blue", level=1), id=20),
]


def test_takes_the_variants_of_its_level_and_the_same_groups_originals():
    assert total(NoiseAccuracy(0), GROUPS) == 1.0
    assert total(NoiseAccuracy(1), GROUPS) == pytest.approx(19 / 20)
    assert total(NoiseAccuracy(2), GROUPS) == pytest.approx(1 / 3)
    assert total(RScore(1), GROUPS) == pytest.approx(
        (math.sqrt(0.2) - math.sqrt(0.05)) / (math.sqrt(0.2) - math.sqrt(5e-4))
    )
    assert total(RScore(2), GROUPS) == 0.0
    assert total(RScore(3), GROUPS) is None


def test_a_gain_is_penalised_like_a_loss():
    gain = [outcome("blue", "red", noisy("red", level=1), id=20), *GROUPS[:19]]
    assert total(RScore(1), gain) == pytest.approx(total(RScore(1), GROUPS))


def test_missing_answers():
    group = outcome("red", "red", noisy(None, level=1))
    assert RScore().measure(group) is None
    assert RScore().measure(group, 0.0) == (1.0, 0.0, 1.0)
    assert NoiseAccuracy(1).measure(group) is None
    assert NoiseAccuracy(0).measure(outcome("red", "red")) is None


def test_limits_must_be_in_order():
    with pytest.raises(BadOption, match="0 <= t < m <= 1"):
        RScore(t=0.3)
