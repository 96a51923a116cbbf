"""MM-UPD: questions with and without a correct answer, and the accuracies of its evaluator recomputed by hand."""

from __future__ import annotations

import json
from base64 import b64encode

import openpyxl
import pyarrow
import pytest
from benchmark_samples import Says
from pyarrow import parquet

import askew
from askew.answers.extract import extract, unparsed
from askew.answers.no_option import NO_OPTION
from askew.data.benchmarks.mm_upd import MmUpd
from askew.data.groups import GroupFile, write_groups
from askew.data.match_predictions import match_predictions
from askew.data.open_path import open_path
from askew.errors import BadOption, BadRecord, DataError
from askew.types import Prediction, Question


def row(index, kind, answer, options, masked="", image=b"picture"):
    letters = dict.fromkeys("ABCDE", "nan") | dict(zip("ABCDE", options, strict=False))
    cells = {"hint": "nan", "category": "ocr", "l2-category": "perception", "source": "made", "split": "test"}
    shown = b64encode(image * 20).decode()
    return {"index": index, "question": f"What is {index % 100}?", **cells, **letters, "answer": answer, "type": kind,
            "masked_answer": masked, "image": shown}  # fmt: skip


AAD = [
    row(1, "standard", "B", ["cat", "dog", "cow"]),
    row(1_000_001, "standard", "A", ["dog", "cow", "cat"]),
    row(1, "upd", "F", ["cat", "cow"], "dog"),
    row(2, "standard", "A", ["red", "blue", "green"]),
    row(2, "upd", "F", ["blue", "green"], "red"),
    row(3, "standard", "C", ["one", "two", "six"]),
    row(3, "upd", "F", ["one", "two"], "six"),
]
IVQD_OPTION = [
    row(2, "standard", "A", ["red", "blue", "None of the above"]),
    row(2, "upd", "C", ["red", "blue", "None of the above"], "red", b"another"),
]


def release(folder, **parts):
    for name, rows in parts.items():
        (folder / name).mkdir(parents=True)
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / name / "test-00000-of-00001.parquet")
    return folder


def test_the_rows_of_an_index_are_three_groups(tmp_path):
    data = open_path(release(tmp_path, mmaad_base=AAD, mmivqd_option=IVQD_OPTION))
    assert isinstance(data, MmUpd)
    groups = {group.id: group for group in data.groups()}
    assert len(groups) == 4 * 3
    dual = groups["dual/aad-base/standard/1"]
    assert [one.question.id for one in dual.variants] == ["aad-base/standard/1000001", "aad-base/upd/1"]
    assert dual.original.choices == ("cat", "dog", "cow")
    assert dual.variants[1].question.answers == (NO_OPTION, "dog")
    assert groups["upd/ivqd-option/upd/2"].original.answers == (NO_OPTION, "None of the above")
    assert dual.original.image == dual.variants[1].question.image
    other = groups["dual/ivqd-option/standard/2"]
    assert other.original.image != other.variants[0].question.image
    (tmp_path / "out").mkdir()
    write_groups(groups.values(), str(tmp_path / "out" / "groups.jsonl"))
    again = {group.id: group for group in GroupFile(str(tmp_path / "out" / "groups.jsonl")).groups()}
    assert {key: group.original.answers for key, group in again.items()} == {
        key: group.original.answers for key, group in groups.items()
    }


def test_accuracies_by_hand(tmp_path):
    # 1: both rotations and the unsolvable one correct; 2: an option of the unsolvable one; 3: standard wrong.
    said = {
        ("What is 1?", ("cat", "dog", "cow")): "B. dog",
        ("What is 1?", ("dog", "cow", "cat")): "(A)",
        ("What is 1?", ("cat", "cow")): "dog",
        ("What is 2?", ("red", "blue", "green")): "A",
        ("What is 2?", ("blue", "green")): "A. blue",
        ("What is 3?", ("one", "two", "six")): "I cannot tell.",
        ("What is 3?", ("one", "two")): "None of the above.",
        ("What is 2?", ("red", "blue", "None of the above")): "C",
    }
    asked = {
        "\n".join([text, *(f"{letter}. {one}" for letter, one in zip("ABCDE", options, strict=False))]): reply
        for (text, options), reply in said.items()
    }
    model = Says(
        lambda question: next(reply for start, reply in asked.items() if question.text.startswith(f"{start}\nAns"))
    )
    path = release(tmp_path, mmaad_base=AAD, mmivqd_option=IVQD_OPTION)
    result = askew.evaluate(model, f"mm-upd:{path}", "mm-upd", extract="mm-upd")
    part = "tag.part=aad-base"
    assert result.score("standard", part).value == pytest.approx(2 / 3)
    assert result.score("upd", part).value == pytest.approx(2 / 3)
    assert result.score("dual", part).value == pytest.approx(1 / 3)
    part = "tag.part=ivqd-option"
    assert [result.score(name, part).value for name in ("standard", "upd", "dual")] == [0.0, 1.0, 0.0]


def test_the_instruction_setting_asks_for_f(tmp_path):
    data = MmUpd(str(release(tmp_path, mmaad_base=AAD)), instruction=True)
    first = next(data.questions())
    assert first.text.endswith('answer "F. None of the above".')
    assert dict(first.tags)["part"] == "aad-instruction"


@pytest.mark.parametrize("write", ["authors", "sheet", "lmms-eval"])
def test_outputs_are_matched_by_type_and_index(tmp_path, write):
    data = open_path(release(tmp_path / "data", mmaad_base=AAD, mmivqd_option=IVQD_OPTION))
    if write == "sheet":
        folder = tmp_path / "mmaad_base"
        folder.mkdir()
        book = openpyxl.Workbook()
        book.active.append(["index", "question", "type", "answer", "prediction"])
        for one in AAD:
            book.active.append([one["index"], one["question"], one["type"], one["answer"], f"F {one['type']}"])
        path = folder / "model.xlsx"
        book.save(path)
    else:
        lines = [
            {"question_id": one["index"], "eval_type": one["type"], "round_id": 0, "text": f"F {one['type']}"}
            if write == "authors"
            else {"doc_id": n, "doc": {k: v for k, v in one.items() if k != "image"},
                  "filtered_resps": [f"F {one['type']}"], "resps": [[f"F {one['type']}"]]}
            for n, one in enumerate(AAD)
        ]  # fmt: skip
        path = tmp_path / ("mmaad_base.jsonl" if write == "authors" else "1_samples_mmaad_base.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = match_predictions(str(path), data).answers
    assert found == {f"aad-base/{one['type']}/{one['index']}": f"F {one['type']}" for one in AAD}


def test_a_file_that_does_not_say_what_it_answers_is_refused(tmp_path):
    data = open_path(release(tmp_path / "data", mmaad_base=AAD, mmivqd_option=IVQD_OPTION))
    path = tmp_path / "model.jsonl"
    path.write_text('{"question_id": 1, "eval_type": "upd", "text": "A"}\n')
    with pytest.raises(BadRecord, match="does not say which it answers"):
        match_predictions(str(path), data)


def test_choosing_no_option_is_a_clear_answer():
    question, said = Question(1, None, "Which?", (NO_OPTION,), choices=("a dog", "a cat")), Prediction(1, "F")
    assert unparsed(question, said, extract("mm-upd", question, said)) == ""


def test_names_and_labels_are_checked(tmp_path):
    with pytest.raises(DataError, match="kind and setting are in the name"):
        list(MmUpd(str(release(tmp_path / "a", upd=AAD))).groups())
    with pytest.raises(BadRecord, match="the label is 'E'; it must be one of the letters A, B"):
        list(MmUpd(str(release(tmp_path / "b", mmaad_base=[row(1, "standard", "E", ["cat", "dog"])]))).groups())
    with pytest.raises(BadOption, match="is for multiple choice"):
        extract("mm-upd", Question(1, None, "Is it?"), Prediction(1, "Yes"))
