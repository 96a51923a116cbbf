"""Gold and strikes: careless people are excluded soon, good ones stay, and released labels improve."""

from __future__ import annotations

from crowd import run_crowd

SIZES = {"good": 9, "adversarial": 3, "random": 3}


def test_gold_and_strikes_exclude_careless_people_within_forty_items(tmp_path):
    """A fifth of the crowd adversarial, a fifth random: at least 95 % of them are excluded, at most 2 % of the others.

    With six careless and nine good people this means all and none. The soak test has a larger crowd, which also works
    without exclusion for comparison, and ``test_gold`` tries the rule itself on thousands.
    """
    found = run_crowd(tmp_path / "study", SIZES, questions=24, verifiers=5)
    assert found.caught["adversarial"] + found.caught["random"] >= 0.95 * 6
    assert found.lost["good"] <= 0.02 * 9
    assert found.types["U"] == 0, "the good ones finished what the exclusions opened again"
    assert found.accuracy > 0.75
