from __future__ import annotations

import re
from pathlib import Path

from fake_runs import make_run

from askew.report.html import page
from askew.report.load import NOTHING, Run, load_run
from askew.report.table_formats import (
    PUBLISHED,
    cell_text,
    filled_tables,
    html,
    latex_tables,
    latex_text,
    markdown_tables,
    published_rows,
    without_published,
)
from askew.types import MetricFacts, Score, Table, TableRow


def texts(table: Table, row: TableRow) -> list[str]:
    return [cell_text(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)]


def test_latex_escapes_everything_special() -> None:
    assert latex_text(r"%_&#{}~^\$") == (r"\%\_\&\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$")
    assert latex_text("RAD(D, D′), Y/N←C") == r"RAD(D, D$'$), Y/N$\leftarrow$C"


def test_a_table_has_our_rows_and_the_papers(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", "our_model", groups=60, images=False))
    sheet = filled_tables([run])[0]
    assert [line.label for line in sheet.lines] == ["our_model"]
    assert [line.label for line in published_rows(sheet)] == ["BUTD", "Made-up model"]
    figure = run.score("rad", "rad.forward", "test=Y/N←C")
    assert texts(sheet, sheet.lines[0])[0] == f"{100 * figure.value:.1f}"
    assert sheet.lines[0].cells[0] == figure
    assert texts(sheet, next(published_rows(sheet))) == ["67.15", "58.68", "78.59", "—"]


def test_published_rows_stand_below_a_heading_that_says_they_are_not_comparable(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", "our_model", groups=60, images=False))
    for text in (markdown_tables([run]), latex_tables([run]), page([run])):
        assert text.index("our") < text.index(PUBLISHED) < text.index("BUTD")
    assert rf"\multicolumn{{5}}{{l}}{{\emph{{{PUBLISHED}}}}} \\" in latex_tables([run])
    assert f'<th scope="rowgroup" colspan="5">{PUBLISHED}</th>' in page([run])


def test_published_rows_can_be_left_out(tmp_path: Path) -> None:
    run = without_published(load_run(make_run(tmp_path / "a", "our_model", groups=60, images=False)))
    for text in (markdown_tables([run]), latex_tables([run]), page([run])):
        assert "our" in text
        assert "BUTD" not in text
        assert PUBLISHED not in text


def test_published_figures_are_as_printed(tmp_path: Path) -> None:
    """Rosenberg et al. print 74.40 and Whitehead et al. −1.8; counts are integers."""
    run = load_run(make_run(tmp_path / "a", groups=30, images=False))
    (suite,) = run.results["suites"]
    table = suite["tables"][0] | {"published": {"BAN": [74.4, 62.45, -1.8, 12000]}}
    results = {**run.results, "suites": [suite | {"tables": [table]}]}
    sheet = filled_tables([Run(run.folder, results)])[0]
    assert texts(sheet, next(published_rows(sheet))) == ["74.40", "62.45", "−1.80", "12,000"]


def test_our_figures_and_published_ones_sort_on_one_scale(tmp_path: Path) -> None:
    sheet = filled_tables([load_run(make_run(tmp_path / "a", groups=60, images=False))])[0]
    ours, published = re.findall(r'<td data-sort="([\d.]+)">', html(sheet, sortable=True))[:: len(sheet.columns)][:2]
    assert 1 < float(ours) <= 100
    assert float(published) == 67.15


def test_a_table_over_data_has_one_row_for_each_data_set(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / m, m, groups=30, images=False)) for m in ("a", "b")]
    sheet = filled_tables(runs)[1]
    assert [line.label for line in sheet.lines] == ["world/val"]
    assert texts(sheet, next(published_rows(sheet)))[0] == "12,000"


def test_how_many_questions_there_are_does_not_depend_on_who_answered_them(tmp_path: Path) -> None:
    """Twenty groups of each test; a question without an answer is still a question of the data."""
    run = load_run(make_run(tmp_path / "a", groups=60, failures=0.3, images=False))
    scores = [score | {"n": 13, "failed": 7} for score in run.results["scores"]]
    sheet = filled_tables([Run(run.folder, {**run.results, "scores": scores})])[1]
    assert texts(sheet, sheet.lines[0]) == ["20", "20", "20"]


def test_figures_are_printed_in_their_own_unit_and_with_their_own_n() -> None:
    assert (
        Score("attack-tries", 3.2, 2.5, 4.0, 12, facts=MetricFacts(unit="")).full == "3.20 (2.50–4.00; n 12)"
    )  # calls, not per cent
    assert (
        Score("gap:mode=robust", 0.05, -0.02, 0.12, 40, facts=MetricFacts(signed=True)).full
        == "+5.0 (−2.0 to +12.0; n 40)"
    )
    assert Score("cs.2", 1.0, n=1, images=1).full == "100.0 (no interval: fewer than 10 images; n 1)"
    assert NOTHING.full == "— (n 0)"


def test_markdown_is_a_table_whatever_the_model_is_called(tmp_path: Path) -> None:
    text = markdown_tables([load_run(make_run(tmp_path / "a", "a|b_c", groups=30, images=False))])
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert "a\\|b\\_c" in rows[2]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[:4]} == {6}


def test_latex_is_balanced_whatever_the_model_is_called(tmp_path: Path) -> None:
    text = latex_tables([load_run(make_run(tmp_path / "a", r"100% a_b & {c} \d #1 ~ ^", groups=30, images=False))])
    assert r"100\% a\_b \& \{c\} \textbackslash{}d \#1 \textasciitilde{} \textasciicircum{}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    for line in text.splitlines():
        if line.endswith(r"\\") and "100" in line:
            assert len(re.findall(r"(?<!\\)&", line)) == 4 or len(re.findall(r"(?<!\\)&", line)) == 3


def test_nothing_measured_is_a_dash(tmp_path: Path) -> None:
    sheet = filled_tables([load_run(make_run(tmp_path / "a", groups=1, failures=0, images=False))])[0]
    assert texts(sheet, sheet.lines[0])[1] == "—"


def test_a_suite_without_tables_gets_a_plain_one(tmp_path: Path) -> None:
    sheet = filled_tables([load_run(make_run(tmp_path / "a", suites=("rscore",), groups=20, images=False))])[0]
    assert [column.label for column in sheet.columns] == ["all"]
    assert sheet.title == "Basic questions as noise (R_score): R_score"
