from __future__ import annotations

from outcomes_by_hand import outcome, total, variant

from askew.metrics.introspect import Introspect
from askew.metrics.rad import Rad

GROUPS = [
    outcome("yes", "yes", variant("red", "red"), variant("x", "red"), variant("red", "red"), id=1),
    outcome("no", "yes", variant("red", "red"), id=2),
]


def test_four_cells_by_hand():
    cells = {(main, sub): total(Introspect(main, sub), GROUPS) for main in (True, False) for sub in (True, False)}
    assert cells == {(True, True): 0.5, (True, False): 0.25, (False, True): 0.25, (False, False): 0.0}


def test_consistency_is_rad():
    assert total(Rad(), GROUPS) == total(Introspect(True, True), GROUPS) / 0.75


def test_missing_answers():
    group = outcome("yes", "yes", variant(None, "red"))
    assert Introspect().measure(group) is None
    assert Introspect(True, False).measure(group, 0.0) == (1.0, 1.0)
