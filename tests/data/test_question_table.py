"""Questions in CSV and TSV files: a column for each field, whatever program wrote the table."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from askew.cli import main
from askew.data.jsonl import QuestionTable
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError

TABLE = (
    "id,image,question,answers\n"
    "7,a.jpg,What color is the cat?,black|black|gray\n"
    'b2,b.jpg,"Is it a ""dog"", or a cat?",no\n'
)


def test_a_column_for_each_field(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    (tmp_path / "q.csv").write_text(TABLE)
    first, second = open_path(tmp_path / "q.csv").questions()
    assert (first.id, first.text, first.answers) == ("7", "What color is the cat?", ("black", "black", "gray"))
    assert first.image is not None
    assert first.image.path == str(tmp_path / "a.jpg")
    assert (second.id, second.text, second.answers) == ("b2", 'Is it a "dog", or a cat?', ("no",))


def test_tabs_semicolons_byte_order_marks_and_gzip_give_the_same_questions(tmp_path: Path) -> None:
    def texts(name: str, content: bytes) -> list[tuple[str, tuple[str, ...]]]:
        (tmp_path / name).write_bytes(content)
        return [(question.text, question.answers) for question in open_path(tmp_path / name).questions()]

    wanted = [("Is it red?", ("yes",)), ("Is it blue?", ("no",))]
    rows = [["image", "question", "answer"], ["a.jpg", "Is it red?", "yes"], ["a.jpg", "Is it blue?", "no"]]
    for separator, end in ((",", "\n"), ("\t", "\r\n"), (";", "\r\n")):
        content = end.join(map(separator.join, rows)).encode()
        assert texts("q.csv", content) == wanted, separator
        assert texts("q.csv", b"\xef\xbb\xbf" + content) == wanted, separator
        assert texts("q.tsv.gz", gzip.compress(content)) == wanted, separator


def test_options_are_separated_by_bars_and_blank_cells_are_absent(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("question\tchoices\tanswer\nWhat is it?\ta cat | a dog\tB\nIs it?\t\tyes\n")
    chosen, plain = QuestionTable(str(tmp_path / "q.tsv")).questions()
    assert (chosen.choices, chosen.answers) == (("a cat", "a dog"), ("a dog",))
    assert (plain.choices, plain.answers) == ((), ("yes",))


def test_bad_rows_are_reported_by_their_number_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,answer,mood\nIs it?,yes,good\nIs it,there,too,many\n,no,\n")
    with pytest.raises(BadRecord, match=r"q.csv: row 3: there are 4 cells for 3 columns"):
        list(QuestionTable(str(tmp_path / "q.csv")).questions())
    table = QuestionTable(str(tmp_path / "q.csv"), skip_bad=True)
    assert [question.text for question in table.questions()] == ["Is it?"]
    assert [message.split(": ")[1][:5] for message in table.skipped] == ["row 3", "row 4"]
    assert "'mood' (1 record)" in table.remarks[0]


def test_a_table_without_questions_names_its_columns(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("picture,text\na.jpg,Is it?\n")
    with pytest.raises(DataError, match=r"names the columns 'picture', 'text'; name one 'question'. Known formats: "):
        open_path(tmp_path / "q.csv")


def test_a_table_is_run_like_any_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text(TABLE)
    assert (
        main(["run", "--model", "constant:no", "--data", "q.csv", "--suite", "accuracy", "--output", "run", "--quiet"])
        == 0
    )
    assert '"value": 0.5' in Path("run/results.json").read_text()
