from __future__ import annotations

import math

import pytest
from outcomes_by_hand import outcome, total, variant

from askew.metrics.rad import Introspect, Rad
from askew.types import Expect


def pair(original_right, variant_right, number):
    return outcome(
        "red" if original_right else "blue",
        "red",
        variant("yes" if variant_right else "no", "yes", Expect.GIVEN),
        id=number,
    )


# Of ten questions four originals are right, three of them with a right variant; two more variants are right.
TEN = [pair(n < 4, n < 3 or n in (5, 6), n) for n in range(10)]


def test_by_hand():
    assert total(Rad(), TEN) == 0.75
    assert total(Rad(backward=True), TEN) == 0.6


def test_does_not_depend_on_accuracy():
    assert total(Rad(), [pair(True, True, 1), *(pair(False, False, n) for n in range(2, 50))]) == 1.0


def test_not_defined_when_no_original_is_right():
    assert math.isnan(total(Rad(), [pair(False, True, 1)]))
    assert total(Rad(backward=True), [pair(False, True, 1)]) == 0.0


def test_each_variant_counts_with_its_original():
    three = outcome("red", "red", variant("red", "red"), variant("x", "red"), variant("red", "red"))
    assert Rad().measure(three) == (2.0, 3.0)
    assert Rad(backward=True).measure(three) == (2.0, 2.0)


def test_missing_answers():
    no_original = outcome(None, "red", variant("red", "red"))
    assert Rad().measure(no_original) is None
    assert Rad().measure(no_original, 0.0) == (0.0, 0.0)
    assert Rad().measure(no_original, 1.0) == (1.0, 1.0)
    no_variant = outcome("red", "red", variant(None, "red"))
    assert Rad().measure(no_variant) is None
    assert Rad().measure(no_variant, 0.0) == (0.0, 1.0)
    assert Rad().measure(outcome("red", "red")) is None


def test_the_rule_for_right_is_an_option():
    some = outcome("blue", ("red",) * 7 + ("blue",) * 3, variant("red", "red"))
    assert Rad().measure(some) == (0.0, 0.0)
    assert Rad(correct="any").measure(some) == (1.0, 1.0)
    assert Rad(correct=">=0.95").measure(some) == (0.0, 0.0)


def test_vectorised_over_many_sums():
    assert Rad().combine([[3.0, 1.0], [4.0, 2.0]]).tolist() == pytest.approx([0.75, 0.5])


GROUPS = [
    outcome("yes", "yes", variant("red", "red"), variant("x", "red"), variant("red", "red"), id=1),
    outcome("no", "yes", variant("red", "red"), id=2),
]


def test_four_cells_by_hand():
    cells = {(main, sub): total(Introspect(main, sub), GROUPS) for main in (True, False) for sub in (True, False)}
    assert cells == {(True, True): 0.5, (True, False): 0.25, (False, True): 0.25, (False, False): 0.0}


def test_consistency_is_rad():
    assert total(Rad(), GROUPS) == total(Introspect(True, True), GROUPS) / 0.75


def test_introspect_with_missing_answers():
    group = outcome("yes", "yes", variant(None, "red"))
    assert Introspect().measure(group) is None
    assert Introspect(True, False).measure(group, 0.0) == (1.0, 1.0)
