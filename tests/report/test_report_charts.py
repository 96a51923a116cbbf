"""ACC against C-ACC with human figures, and which model covers which."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from coverage_by_outcomes import coverage as covered
from fake_runs import make_run

from askew.files.records import outcome_from
from askew.report.charts import PAIR_ACCURACY, coverage_matrix, coverage_section, dot_plot
from askew.report.html import page
from askew.report.load import load_run
from askew.report.pair_table import Trait, read_pairs
from askew.report.report_data import ReportData
from askew.report.table_formats import filled_tables


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        load_run(make_run(folder / name, name, ("carets",), 60, skill, steady, failures=0.05, images=False))
        for name, skill, steady in (("Human", 0.9, 0.95), ("strong", 0.8, 0.7), ("weak", 0.5, 0.5))
    ]


def content(runs) -> ReportData:
    return ReportData(runs, (), read_pairs(runs))


def test_human_figures_are_dashed_lines_and_not_a_model(runs) -> None:
    drawn = dot_plot(content(runs), PAIR_ACCURACY)
    tests = 1 + len(runs[0].suites[0]["tests"])
    assert drawn.count('class="people-line faint"') == drawn.count('class="people-line"') == tests
    assert drawn.count("people ") - drawn.count("what people") == tests
    human = runs[0].score("carets", "carets.cacc")
    assert f'x1="{round(100 * human.value, 2):g}%"' in drawn
    legend = re.search(r'<p class="legend">.*?</p>', drawn)[0]
    assert all(name in legend for name in ("strong", "weak"))
    assert "Human" not in legend


def test_without_human_figures_there_is_no_line(runs) -> None:
    drawn = dot_plot(content(runs[1:]), PAIR_ACCURACY)
    assert "people-line" not in drawn
    assert "Dashed" not in drawn


def test_human_figures_without_a_model_are_drawn(runs) -> None:
    assert "people-line" in dot_plot(content(runs[:1]), PAIR_ACCURACY)


def test_the_table_has_every_model(runs) -> None:
    drawn = dot_plot(content(runs), PAIR_ACCURACY)
    figure = runs[1].score("carets", "carets.acc", "test=Negation")
    assert f"<td>strong</td><td>{figure.full}</td>" in drawn


def test_suites_without_pairs_have_no_pair_figures(tmp_path: Path) -> None:
    made = [load_run(make_run(tmp_path / "a", "a", ("rad",), 20, images=False))]
    assert dot_plot(content(made), PAIR_ACCURACY) is None
    assert coverage_section(content(made)) is None  # coverage needs two models


@pytest.mark.parametrize("test", ["", "Rephrasing"])
def test_coverage_equals_that_computed_from_outcomes(runs, test) -> None:
    table = read_pairs(runs)
    chosen = np.ones(table.pairs, dtype=bool)
    if test:
        chosen = table.heads[:, 1] == table.number_of[Trait("carets", "test", test)]
    ours = coverage_matrix(table, chosen)
    outcomes = {
        run.model: [_right_or_not(o, test) for o in (outcome_from(record) for _, record in run.outcomes())]
        for run in runs
    }
    theirs = covered(outcomes)
    for i, first in enumerate(runs):
        for j, second in enumerate(runs):
            assert ours[i][j][0] == pytest.approx(theirs[first.model][second.model])


def _right_or_not(outcome, test):
    return outcome.only({"test": test}) if test else outcome


def test_coverage_by_hand() -> None:
    table = replace(read_pairs([]), codes=[np.array([4, 4, 0, 8, 4], np.uint8), np.array([4, 1, 4, 4, 255], np.uint8)])
    found = coverage_matrix(table, np.ones(5, dtype=bool))
    # Run 0 is correct on pairs 0, 1 and 4, run 1 on 0, 2 and 3; run 0 has no answer to pair 3, run 1 none to 4.
    assert found[0][1] == (1 / 2, 2)
    assert found[1][0] == (1 / 2, 2)
    assert found[0][0] == (1.0, 3)
    assert coverage_matrix(table, np.zeros(5, dtype=bool))[0][1] == (None, 0)


def test_human_figures_come_after_the_models_in_tables(runs) -> None:
    lines = filled_tables(runs)[0].lines
    assert [(line.label, line.human) for line in lines] == [("strong", False), ("weak", False), ("Human", True)]
    assert page(runs).count('class="ours human"') == len(filled_tables(runs))


def test_names_are_escaped(tmp_path: Path) -> None:
    made = [
        load_run(make_run(tmp_path / str(n), name, ("carets",), 30, images=False))
        for n, name in enumerate(("<script>x", "human"))
    ]
    text = page(made)
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text
