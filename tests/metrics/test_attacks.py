from __future__ import annotations

import math

from outcomes_by_hand import outcome, total, variant

from askew.metrics.attacks import AttackAccuracy, AttackErrorRate, AttackNote, AttackTries, ValidAttackRate

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


FOUND = [
    outcome("red", "red", variant("blue", "red", status="found", fooled_at=3, valid=True, similarity=0.9), id=1),
    outcome("red", "red", variant("blue", "red", status="found", fooled_at=20, valid=False, similarity=0.8), id=2),
    outcome("red", "red", variant("red", "red", status="failed", fooled_at=0, valid=True, similarity=0.1), id=3),
    outcome("blue", "red", id=4),  # skipped
]


def test_valid_success_by_hand():
    assert total(AttackErrorRate(), FOUND) == 2 / 3
    assert total(ValidAttackRate(), FOUND) == 1 / 3
    assert ValidAttackRate().measure(GROUPS[1]) is None, "not checked"


def test_accuracy_against_the_budget_by_hand():
    assert [total(AttackAccuracy(budget), FOUND) for budget in (1, 3, 19, 20)] == [3 / 4, 2 / 4, 2 / 4, 1 / 4]


def test_notes_are_averaged_where_the_attack_succeeded():
    assert total(AttackNote("similarity"), FOUND) == (0.9 + 0.8) / 2
    assert AttackNote("grammar").measure(FOUND[0]) is None


def test_notes_that_are_not_numbers_are_ignored():
    odd = outcome("red", "red", variant("blue", "red", tries="many", fooled_at="3", status="found", similarity="high"))
    assert AttackTries().measure(odd) == (0.0, 1.0)
    assert total(AttackAccuracy(), [odd]) == 1.0
    assert AttackNote().measure(odd) is None
