from __future__ import annotations

import math

from outcomes_by_hand import outcome, total, variant

from askew.metrics.attacks import AttackErrorRate, AttackTries

GROUPS = [
    outcome("red", "red", variant("red", "red", tries=40), id=1),  # survived
    outcome("red", "red", variant("blue", "red", tries=10), id=2),  # became wrong
    outcome("blue", "red", variant("blue", "red", tries=1), id=3),  # was wrong already
    outcome("red", "red", variant("red", "red", tries=3), variant("blue", "red", tries=2), id=4),  # one sufficed
    outcome("red", "red", id=5),  # not attacked
]


def test_error_rate_by_hand():
    assert total(AttackErrorRate(), GROUPS) == 2 / 3
    assert total(AttackErrorRate(all_attacked=True), GROUPS) == 3 / 4
    assert math.isnan(total(AttackErrorRate(), GROUPS[2:3]))


def test_tries_by_hand():
    assert total(AttackTries(), GROUPS) == (40 + 10 + 1 + 5) / 4
    assert AttackTries().measure(GROUPS[4]) is None


def test_missing_answers():
    group = outcome("red", "red", variant(None, "red"))
    assert AttackErrorRate().measure(group) is None
    assert AttackErrorRate().measure(group, 0.0) == (1.0, 1.0)
    assert AttackErrorRate().measure(group, 1.0) == (0.0, 1.0)
