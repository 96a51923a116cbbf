"""The demo of two rounds: it ends with a comparison of the two robots, and goes on after a kill."""

from __future__ import annotations

import json
import re
from contextlib import closing

import pytest

pytest.importorskip("torch")

from askew.cli import main
from askew.collect.invariants import violations
from askew.collect.simulation.demo_rounds import ErrorRate, demo_rounds, error_rates
from askew.collect.study import open_study
from askew.errors import DataError, UsageError

SMALL = {"base": "world:train,scenes=20,seed=77", "scenes": 6}


def test_two_rounds_end_with_a_comparison_of_the_robots(tmp_path, capsys):
    folder = tmp_path / "demo"
    assert demo_rounds(folder, 0, 2, 0.5, **SMALL) == 0
    out = capsys.readouterr().out
    assert "Round 1 of 2" in out
    assert "Round 2 has 6 new images" in out
    with closing(open_study(folder / "study")) as study, study.database.read() as tx:
        assert violations(tx) == []
        assert len(error_rates(tx, 1)) == 1
        rates = error_rates(tx, 2)
    release = json.loads((folder / "release" / "release.json").read_text())
    assert [one["round"] for one in release["rounds"]] == [1, 2]
    assert [one["rounds"] for one in release["trainings"]] == [[1]]
    for rate in rates.values():
        assert f"on {rate.wrong} of {rate.asked} " in out
    if len(rates) == 2:
        low, high = map(int, re.search(r"95 % interval ([+-]\d+) to ([+-]\d+)", out).groups())
        assert low <= high
    with pytest.raises(DataError, match="already ended"):
        demo_rounds(folder, 0, 2, 0.5, **SMALL)


def test_a_difference_is_said_only_if_its_interval_excludes_zero():
    gap, low, high = ErrorRate(30, 60).minus(ErrorRate(31, 60))
    assert low < gap < 0 < high
    gap, low, high = ErrorRate(10, 100).minus(ErrorRate(60, 100))
    assert low < gap < high < 0
    assert ErrorRate(56, 70).minus(ErrorRate(48, 80)) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-4)  # Newcombe 1998


def test_a_demo_has_at_least_one_round(tmp_path, capsys):
    assert main(["collect", "demo", "--rounds", "0", "--output", str(tmp_path / "demo")]) == 2
    assert "give 2 or more" in capsys.readouterr().err
    with pytest.raises(UsageError, match="more than 0"):
        demo_rounds(tmp_path / "demo", 0, 2, -1)
