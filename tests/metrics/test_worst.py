from __future__ import annotations

from outcomes_by_hand import outcome, total, variant

from askew.metrics.worst import Worst

SOME = ("red",) * 2 + ("blue",) * 8


def test_by_hand():
    groups = [
        outcome("red", "red", variant("red", SOME), variant("red", "red"), id=1),  # .6
        outcome("blue", "red", variant("red", "red"), id=2),  # 1, with the original 0
        outcome("red", "red", id=3),
    ]
    assert total(Worst(), groups) == 0.8
    assert total(Worst(original=True), groups) == 0.3


def test_a_group_with_a_missing_answer_is_left_out():
    unknown = outcome("red", "red", variant(None, "red"), variant("red", SOME))
    assert Worst().measure(unknown) is None
    assert Worst().measure(unknown, 0.0) == (0.0, 1.0)
    assert Worst().measure(unknown, 1.0) == (0.6, 1.0)
    assert Worst().measure(outcome("red", "red", variant(None, "red"), variant("x", "red"))) is None
