from __future__ import annotations

import re
from pathlib import Path

from fake_runs import make_run

from askew.report.load import load_run
from askew.report.tables import latex_tables, latex_text, markdown_tables, sheets


def test_latex_escapes_everything_special() -> None:
    assert latex_text(r"%_&#{}~^\$") == (r"\%\_\&\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$")
    assert latex_text("RAD(D, D′), Y/N←C") == r"RAD(D, D$'$), Y/N$\leftarrow$C"


def test_a_table_has_our_rows_and_the_papers(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", "our_model", groups=60, pictures=False))
    sheet = sheets([run])[0]
    assert [(line.label, line.published) for line in sheet.lines] == [
        ("our_model", False),
        ("BUTD", True),
        ("Made-up model", True),
    ]
    figure = run.figure("rad", "rad.forward", "test=Y/N←C")
    assert sheet.lines[0].cells[0].text == f"{100 * figure.value:.1f}"
    assert sheet.lines[0].cells[0].n == figure.n
    assert [cell.text for cell in sheet.lines[1].cells] == ["67.15", "58.68", "78.59", "—"]


def test_our_figures_and_published_ones_sort_on_one_scale(tmp_path: Path) -> None:
    sheet = sheets([load_run(make_run(tmp_path / "a", groups=60, pictures=False))])[0]
    assert 1 < sheet.lines[0].cells[0].sort <= 100


def test_a_table_over_data_has_one_row_for_each_data_set(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / m, m, groups=30, pictures=False)) for m in ("a", "b")]
    sheet = sheets(runs)[1]
    assert [line.label for line in sheet.lines] == ["world/val", "Made-up data"]
    assert sheet.lines[1].cells[0].text == "12,000"


def test_markdown_is_a_table_whatever_the_model_is_called(tmp_path: Path) -> None:
    text = markdown_tables([load_run(make_run(tmp_path / "a", "a|b_c", groups=30, pictures=False))])
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert "a\\|b\\_c" in rows[2]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[:4]} == {6}


def test_latex_is_balanced_whatever_the_model_is_called(tmp_path: Path) -> None:
    text = latex_tables([load_run(make_run(tmp_path / "a", r"100% a_b & {c} \d #1 ~ ^", groups=30, pictures=False))])
    assert r"100\% a\_b \& \{c\} \textbackslash{}d \#1 \textasciitilde{} \textasciicircum{}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    for line in text.splitlines():
        if line.endswith(r"\\") and "100" in line:
            assert len(re.findall(r"(?<!\\)&", line)) == 4 or len(re.findall(r"(?<!\\)&", line)) == 3


def test_nothing_measured_is_a_dash(tmp_path: Path) -> None:
    sheet = sheets([load_run(make_run(tmp_path / "a", groups=1, failures=0, pictures=False))])[0]
    assert sheet.lines[0].cells[1].text == "—"


def test_a_suite_without_tables_gets_a_plain_one(tmp_path: Path) -> None:
    sheet = sheets([load_run(make_run(tmp_path / "a", suites=("rscore",), groups=20, pictures=False))])[0]
    assert sheet.columns == ("all",)
    assert sheet.title == "Basic questions as noise (R_score): R_score"
