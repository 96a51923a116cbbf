"""Table 7: a random sample is written, coded by one or two people, and read back."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from askew.collect.examples import Answer, Example
from askew.collect.stats.human_coding import (
    LABELS,
    Kappa,
    check_coded,
    draw_sample,
    kappa_table,
    read_coded,
    sample_lines,
    table7,
)
from askew.errors import DataError


def example(key: int, kind: str = "E", text: str = "Is it red?") -> Example:
    author = Answer("no", "no", None)
    others = [Answer("no", "no", "yes")] * 2
    about = (key, 1 + key % 2, key, "toy", key, 1, text, kind, False, None)
    return Example(*about, "wrong", 9.0, "m", "yes", 0.1, "VERIFIED", author, others)


def written(path: Path, marks: dict[int, str], count: int = 12, text: str = "Is it red?") -> Path:
    """A sample of so many questions; ``marks`` names the labels of a question, none where it is not mentioned."""
    path.write_bytes(b"".join(sample_lines(example(key, text=text) for key in range(count))))
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name in marks.get(int(row["id"]), "none").split():
            row[name] = "x"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_sample_is_drawn_from_successes_of_each_round_whatever_the_order():
    examples = [example(key, "ABCDE"[key % 5]) for key in range(4000)]
    sample = draw_sample(examples, seed=3)
    assert [one.round for one in sample] == [1] * 300 + [2] * 300
    assert {one.type for one in sample} == set("CDE")
    assert draw_sample(reversed(examples), seed=3) == sample
    assert draw_sample(examples, seed=4) != sample
    assert len(draw_sample(examples[:20], seed=3)) == 12


def test_shares_of_labels_by_hand(tmp_path):
    coded = read_coded(written(tmp_path / "a.csv", {0: "count ocr", 1: "count", 2: "count"}))
    sheet = table7([coded])
    found = {line.label: [cell.value for cell in line.cells] for line in sheet.lines}
    place = list(LABELS).index("count")
    assert found["all (12)"][place] == 0.25
    assert found["R1 (6)"][place] == pytest.approx(2 / 6)
    assert found["all (12)"][list(LABELS).index("ocr")] == pytest.approx(1 / 12)


def test_kappa_of_two_coders_by_hand(tmp_path):
    """Both code 2 as count, each coder alone 1, neither 8: observed agreement 10/12, by chance 90/144."""
    first = read_coded(written(tmp_path / "a.csv", {0: "count", 1: "count", 2: "count"}))
    second = read_coded(written(tmp_path / "b.csv", {0: "count", 1: "count", 3: "count"}))
    sheet = kappa_table([first, second])
    cells = {line.label: line.cells for line in sheet.lines}["Count"]
    assert list(cells[:3]) == [3, 3, 2]
    assert cells[3].value == pytest.approx((10 / 12 - 90 / 144) / (1 - 90 / 144))
    assert cells[3].low < cells[3].value < cells[3].high
    assert "mean of 1 labels" in table7([first, second]).notes[-1]
    assert np.isnan(Kappa().combine(np.array([0.0, 0.0, 0.0, 5.0])))


def test_mistakes_of_a_coder_are_reported(tmp_path):
    path = written(tmp_path / "a.csv", {0: ""})
    with pytest.raises(DataError, match=r"1 rows have no mark, e.g. row 2.*--allow-uncoded"):
        read_coded(path)
    assert read_coded(path, allow_uncoded=True).uncoded == 1
    path.write_text(path.read_text().replace("x", "perhaps", 1))
    with pytest.raises(DataError, match="perhaps"):
        read_coded(path, allow_uncoded=True)
    with pytest.raises(DataError, match="marked with other labels"):
        read_coded(written(tmp_path / "b.csv", {0: "count none"}))
    (tmp_path / "c.csv").write_text("id,round\n1,1\n")
    with pytest.raises(DataError, match="no column 'image'"):
        read_coded(tmp_path / "c.csv")
    one, other = (read_coded(written(tmp_path / f"{n}.csv", {}, count=n)) for n in (3, 4))
    with pytest.raises(DataError, match="1 questions are coded in only one"):
        table7([one, other])
    with pytest.raises(DataError, match="the same file twice"):
        table7([one, one])
    with pytest.raises(DataError, match="not successful questions of this study"):
        check_coded([other], [example(0), example(1)])
    check_coded([other], [example(key) for key in range(9)])


def test_files_of_spreadsheets_are_read_and_no_cell_is_a_formula(tmp_path):
    path = written(tmp_path / "a.csv", {0: "count"}, text='=HYPERLINK("x"); "and"')
    assert "'=HYPERLINK" in path.read_text()
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    assert read_coded(path).labels[0] == {"count"}
