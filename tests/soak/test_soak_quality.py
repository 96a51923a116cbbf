"""A crowd of a hundred verifiers with gold and strikes (the larger run of tests/collect/test_quality_control.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "collect"))

from crowd import run_crowd

pytestmark = pytest.mark.soak

SIZES = {"good": 60, "adversarial": 20, "random": 20}


def test_a_hundred_people(tmp_path):
    """At least 95 % of the careless are excluded within 40 items, at most 2 % of the good ever; E gets truer."""
    runs = {excludes: run_crowd(tmp_path / str(excludes), SIZES, 220, excludes=excludes) for excludes in (True, False)}
    for excludes, found in runs.items():
        print(f"excluding={excludes}: {found}")
    assert runs[True].caught["adversarial"] + runs[True].caught["random"] >= 0.95 * 40
    assert runs[True].lost["good"] <= 0.02 * 60
    assert runs[True].types["U"] == 0
    assert runs[True].accuracy >= runs[False].accuracy
