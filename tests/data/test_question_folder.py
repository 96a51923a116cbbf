"""A folder of tables or JSONL files with the same columns is one data set; of others the files are listed."""

from __future__ import annotations

import json

import pytest

import askew
from askew.data.match_predictions import match_predictions
from askew.data.open_path import open_path
from askew.data.question_folder import QuestionFolder
from askew.errors import DataError

TSV = "index\tquestion\tA\tB\tanswer\n1\tWhich?\tx\ty\tA\n2\tWho?\tx\ty\tB\n"
CSV = "question,answer\nIs it?,yes\n"


def folder(place, **files):
    for name, content in files.items():
        path = place / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return place


def test_tables_of_vlmevalkit_are_one_data_set(tmp_path):
    data = open_path(folder(tmp_path / "data", Art_DOT_tsv=TSV, more__Law_DOT_tsv=TSV))
    assert isinstance(data, QuestionFolder)
    questions = list(data.questions())
    assert [question.id for question in questions] == ["Art/1", "Art/2", "more/Law/1", "more/Law/2"]
    assert [dict(question.tags)["file"] for question in questions] == ["Art", "Art", "more/Law", "more/Law"]
    (tmp_path / "replies").mkdir()
    for name in ("Art", "Law"):
        rows = f"index\tquestion\tprediction\n1\tWhich?\t{name}\n2\tWho?\tB\n"
        (tmp_path / "replies" / f"MODEL_{name}.tsv").write_text(rows)
    found = match_predictions(str(tmp_path / "replies"), data).answers
    assert found == {"Art/1": "Art", "Art/2": "B", "more/Law/1": "Law", "more/Law/2": "B"}


def test_the_accuracy_of_each_file_is_measured(tmp_path):
    data = folder(tmp_path, a_DOT_csv=CSV, b_DOT_csv=CSV.replace("yes", "no"))
    result = askew.evaluate("constant:yes", str(data), "accuracy:accuracy=robust")
    assert result.score("accuracy.all").value == 0.5
    assert [result.score("accuracy.all", f"tag.file={name}").value for name in "ab"] == [1.0, 0.0]


def test_jsonl_files_with_questions_are_one_data_set(tmp_path):
    line = json.dumps({"id": 1, "question": "Is it?", "answer": "yes"}) + "\n"
    data = open_path(folder(tmp_path / "a", one_DOT_jsonl=line, two_DOT_jsonl=line))
    assert [question.id for question in data.questions()] == ["one/1", "two/1"]
    folder(tmp_path / "b", one_DOT_jsonl=line, two_DOT_jsonl='{"id": 1, "answer": "yes"}\n')
    with pytest.raises(DataError, match="cannot read this as data"):
        open_path(tmp_path / "b")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"a_DOT_csv": CSV, "b_DOT_csv": "question,answers\nIs it?,yes\n"},
            r"the columns of 'b' .*'answer', 'answers'",
        ),
        ({"a_DOT_csv": "x,y\n1,2\n"}, r"the first has no column 'question'"),
        ({"train_DOT_csv": CSV, "test_DOT_csv": CSV}, r"they are the splits test, train"),
        ({"a_DOT_tsv": TSV, "MMBench_DEV_EN_DOT_tsv": TSV}, r"'MMBench_DEV_EN' is a benchmark of its own"),
    ],
)
def test_files_that_are_not_one_data_set_are_listed(tmp_path, files, reason):
    with pytest.raises(DataError, match=rf"are here, and {reason}.*Give one, e\.g\. .*sv"):
        open_path(folder(tmp_path, **files))


def test_two_files_of_one_name_are_refused(tmp_path):
    with pytest.raises(DataError, match="same name without extension"):
        open_path(folder(tmp_path, a_DOT_csv=CSV, a_DOT_tsv=CSV))
