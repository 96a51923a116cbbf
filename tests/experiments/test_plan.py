"""An experiment's page."""

from __future__ import annotations

from pathlib import Path

import pytest

from askew.errors import BadOption, UsageError
from askew.experiments import (
    EXPERIMENTS,
    ExperimentFinding,
    ExperimentPlan,
    PaperCell,
    experiment,
    paper_table,
)
from askew.experiments.claims import Claim, SeedDifference


def finding() -> ExperimentFinding:
    table = paper_table("Table 3", ("Pert", "CS"), {"XNM": (PaperCell((60.0, 62.0, 61.0), 64.7), PaperCell((50.0,)))})
    claim = Claim("Q3R raises CS.", {"XNM 50.0 → 61.0": SeedDifference((10.0, 11.0, 12.0, 11.0, 11.0))})
    return ExperimentFinding("Q3R", "A paper. 2020", "We train.", [table], [claim], ["Few pairs."], {"scenes": 10})


def test_the_page_has_the_table_the_verdict_and_how_it_was_made():
    page = finding().markdown("askew experiment q3r --output q3r", "2026-01-02", 3.4)
    assert "| XNM | 61.0 ± 1.0 (64.7) | 50.0 |" in page
    assert "- Q3R raises CS. **Holds**: XNM 50.0 → 61.0 (+11.0, +10.1 to +11.9)." in page
    assert "    askew experiment q3r --output q3r\n\n2026-01-02; 3 minutes of processor time; scenes 10." in page
    assert "; 3 minutes of processor time since it was resumed;" in finding().markdown("askew", "", 3.4, True)


def test_every_experiment_is_registered():
    for name in EXPERIMENTS:
        assert callable(experiment(name))


def test_a_folder_of_another_experiment_is_refused(tmp_path):
    ExperimentPlan(tmp_path / "q3r", scenes=3).begin("q3r")  # stopped before anything was written
    assert not ExperimentPlan(tmp_path / "q3r", scenes=60).begin("q3r")
    (tmp_path / "q3r" / "tests").mkdir()
    assert ExperimentPlan(tmp_path / "q3r", scenes=60, seeds=5, executor="local:workers=2").begin("q3r")
    with pytest.raises(UsageError, match=r"another experiment \(scenes 60, now 80\)\. Give another --output"):
        ExperimentPlan(tmp_path / "q3r", scenes=80).begin("q3r")
    with pytest.raises(UsageError, match="experiment q3r, now rad-regression"):
        ExperimentPlan(tmp_path / "q3r", scenes=60).begin("rad-regression")


def test_an_empty_plan_is_refused():
    with pytest.raises(BadOption, match="seeds is 0"):
        ExperimentPlan(Path("x"), seeds=0)
