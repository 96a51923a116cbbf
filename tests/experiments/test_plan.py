"""An experiment's page."""

from __future__ import annotations

from pathlib import Path

import pytest

from askew.errors import BadOption, UsageError
from askew.experiments import (
    EXPERIMENTS,
    Claim,
    ExperimentFinding,
    ExperimentPlan,
    PaperCell,
    clear,
    experiment,
    paper_table,
)
from askew.experiments.q3r import NETS, _weights_claim


def finding() -> ExperimentFinding:
    table = paper_table("Table 3", ("Pert", "CS"), {"XNM": (PaperCell((60.0, 62.0, 61.0), 64.7), PaperCell((50.0,)))})
    claim = Claim("Q3R raises CS.", "61.0 against 50.0", True)
    return ExperimentFinding("Q3R", "A paper. 2020", "We train.", [table], [claim], ["Few pairs."], {"scenes": 10})


def test_the_page_has_the_table_the_verdict_and_how_it_was_made():
    page = finding().markdown("askew experiment q3r --output q3r", "2026-01-02", 3.4)
    assert "| XNM | 61.0 ± 1.0 (64.7) | 50.0 |" in page
    assert "- Q3R raises CS. **Holds**: 61.0 against 50.0" in page
    assert "    askew experiment q3r --output q3r\n\n2026-01-02; 3 minutes; scenes 10." in page


@pytest.mark.parametrize(("holds", "word"), [(True, "Holds"), (False, "Does not hold"), (None, "Undecided")])
def test_a_claim_says_whether_it_holds(holds, word):
    assert f"**{word}**" in Claim("It is so.", "1 against 2", holds).markdown()


def test_a_difference_must_be_larger_than_twice_its_error():
    # sd of (0, 2) is √2, of the mean 1, of the difference √2: a gap of 2.8 is within 2√2, one of 2.9 is not
    assert clear((2.8, 4.8), (0.0, 2.0)) is None
    assert clear((2.9, 4.9), (0.0, 2.0)) is True
    assert clear((0.0, 2.0), (2.9, 4.9)) is False


def test_every_experiment_is_registered():
    for name in EXPERIMENTS:
        assert callable(experiment(name))


def test_a_folder_of_another_experiment_is_refused(tmp_path):
    ExperimentPlan(tmp_path / "q3r", scenes=3).begin("q3r")  # stopped before anything was written
    ExperimentPlan(tmp_path / "q3r", scenes=60).begin("q3r")
    (tmp_path / "q3r" / "tests").mkdir()
    ExperimentPlan(tmp_path / "q3r", scenes=60, seeds=5, executor="local:workers=2").begin("q3r")
    with pytest.raises(UsageError, match=r"another experiment \(scenes 60, now 80\)\. Give another --output"):
        ExperimentPlan(tmp_path / "q3r", scenes=80).begin("q3r")
    with pytest.raises(UsageError, match="experiment q3r, now language-only"):
        ExperimentPlan(tmp_path / "q3r", scenes=60).begin("language-only")


@pytest.mark.parametrize(
    ("after", "holds"), [((1.0, 1.1), True), ((9.0, 9.1), False), ((1.0, 6.0), None), ((1.0,), None)]
)
def test_the_claim_about_weights_holds_only_for_a_clear_difference(after, holds):
    apart = {name + way: values for name in NETS for way, values in (("", (5.0, 5.2)[: len(after)]), (" + Q3R", after))}
    claim = _weights_claim(apart)
    assert claim.holds is holds
    assert claim.seen.startswith(f"StackNMN {(sum(after) / len(after)) / (5.1 if len(after) > 1 else 5.0) - 1:+.0%};")


def test_an_empty_plan_is_refused():
    with pytest.raises(BadOption, match="seeds is 0"):
        ExperimentPlan(Path("x"), seeds=0)
