from __future__ import annotations

import math

from outcomes_by_hand import outcome, variant

from askew.metrics.coverage import coverage


def run(*right):
    """Groups 0, 1, ...: whether both members are right; None: the variant was not answered."""
    said = {True: "red", False: "blue", None: None}
    return [outcome("red", "red", variant(said[one], "red"), id=n) for n, one in enumerate(right)]


def test_by_hand():
    matrix = coverage({"a": run(True, True, True, False), "b": run(True, False, False, False)})
    assert matrix["a"] == {"a": 1.0, "b": 1.0}  # all that b has right, a has right too
    assert matrix["b"] == {"a": 1 / 3, "b": 1.0}


def test_only_pairs_both_answered_count():
    matrix = coverage({"a": run(True, None, False), "b": run(True, True, True)})
    assert matrix["a"]["b"] == 0.5
    assert matrix["b"]["a"] == 1.0


def test_not_defined_without_right_pairs():
    assert math.isnan(coverage({"a": run(False), "b": run(True)})["b"]["a"])
    assert coverage({}) == {}
