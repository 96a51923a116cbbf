"""Predictions made elsewhere, in all common formats.

In logs of other harnesses, odd records are read or refused with their place, and failures are not answers.
"""

from __future__ import annotations

import gzip
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from askew.data.read_predictions import read_predictions
from askew.errors import BadRecord, DataError, MissingExtra

OFFICIAL = json.dumps([{"question_id": 1, "answer": "yes"}, {"question_id": "1", "answer": ""}])
GQA = json.dumps([{"questionId": "01", "prediction": "dog"}, {"questionId": "1", "prediction": "cat"}])
LINES = '{"id": "a", "answer": "yes"}\n\n{"id": 2, "answer": "no"}\n'
LINES_BY_OTHER_NAMES = '{"question_id": "a", "prediction": "yes", "score": 0.5}\n{"question_id": 2, "prediction": "no"}'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (OFFICIAL, [(1, "yes"), ("1", "")]),
        (GQA, [("01", "dog"), ("1", "cat")]),
        (LINES, [("a", "yes"), (2, "no")]),
        (LINES_BY_OTHER_NAMES, [("a", "yes"), (2, "no")]),
        ('{"01": "dog", "1": "cat"}', [("01", "dog"), ("1", "cat")]),
        ('{\n  "01": "dog",\n  "1": "cat"\n}', [("01", "dog"), ("1", "cat")]),
        ("[]", []),
        ("{}", []),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_every_form_is_read(tmp_path: Path, content: str, expected: list[Any], zipped: bool) -> None:
    path = tmp_path / "predictions"
    path.write_bytes(gzip.compress(content.encode()) if zipped else content.encode())
    assert list(read_predictions(str(path))) == expected


@pytest.mark.parametrize(
    ("content", "place", "fault"),
    [
        ('[{"question_id": 1, "answer": "a"}, {"question_id": 1, "answer": "b"}]', "record 2 (id 1)", "occurs twice"),
        ('{"id": 1, "answer": "a"}\n{"id": 1, "answer": "b"}', "line 2 (id 1)", "occurs twice"),
        ('{"1": "a", "2": "b", "1": "c"}', "record 3", "the id '1' occurs twice"),
        ('[{"question_id": 1, "answer": 3}]', "record 1 (id 1)", "'answer' must be text"),
        ('[{"question_id": 1, "answer": null}]', "record 1 (id 1)", "'answer' is null"),
        ('[{"question_id": 1}]', "record 1 (id 1)", "'answer' is missing (present fields: question_id)"),
        ('[{"answer": "a"}]', "record 1", "'question_id' is missing"),
        ('{"1": ["a"]}', "record 1 (id '1')", "'answer' must be text, but is a list"),
        ('{"1": null}', "record 1 (id '1')", "'answer' is null"),
        ('{"id": 1, "answer": "a"}\n{"id": 2', "line 2", "broken JSON"),
        ('["a"]', "record 1", "must be an object"),
        (
            '{"qid": 1, "pred": "a"}\n{"qid": 2, "pred": "b"}',
            "line 1",
            "'question_id' is missing (present fields: qid, pred)",
        ),
    ],
)
def test_bad_predictions_are_reported_with_their_place(tmp_path: Path, content: str, place: str, fault: str) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(content)
    with pytest.raises(BadRecord) as error:
        list(read_predictions(str(path)))
    assert str(error.value).startswith(f"{path}: {place}")
    assert fault in str(error.value)
    assert "skip_bad" not in str(error.value)
    assert "--" not in str(error.value), "not every command that takes predictions has options for them"


def test_a_broken_list_is_reported_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text('[{"question_id": 1, "answer": "a"},')
    with pytest.raises(DataError, match="broken JSON near its end"):
        list(read_predictions(str(path)))


def written(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def sample(doc_id: int, answer: Any, **more: Any) -> dict[str, Any]:
    return {"doc_id": doc_id, "target": "", "filtered_resps": answer, **more}


def read(path: Path, ids: Path | None = None) -> list[tuple[Any, str]]:
    return list(read_predictions(path, ids))


@pytest.mark.parametrize("answer", ["yes", ["yes"], [["yes"]], [["yes", "no"]]])
def test_answers_are_found_at_any_depth(tmp_path, answer):
    assert read(written(tmp_path / "log", sample(0, answer, doc={"askew_ids": "[7]"}))) == [(7, "yes")]


def test_unfiltered_answers_count_where_there_are_no_others(tmp_path):
    log = written(tmp_path / "log", {"doc_id": 0, "doc": {"id": "a"}, "resps": [["no"]]})
    assert read(log) == [("a", "no")]


@pytest.mark.parametrize(("name", "key"), [("question_id", 5), ("questionId", "05"), ("id", "a/b")])
def test_a_custom_data_set_has_its_ids_in_the_doc(tmp_path, name, key):
    assert read(written(tmp_path / "log", sample(0, ["yes"], doc={name: key, "question": "Is it?"}))) == [(key, "yes")]


def test_rows_come_back_through_the_map(tmp_path):
    """A log with only row numbers, in any order, one row for two ids."""
    ids = written(tmp_path / "ids.jsonl", {"index": 0, "ids": [7, "7"]}, {"index": 1, "ids": ["8/rad"]})
    log = written(tmp_path / "log", sample(1, ["no"]), sample(0, ["yes"]))
    assert read(log, ids) == [("8/rad", "no"), (7, "yes"), ("7", "yes")]
    table = tmp_path / "table.tsv"
    table.write_text("index\tprediction\n1\tno\n0\tyes\n")
    assert read(table, ids) == read(log, ids)


def test_tables_of_predictions_are_read_as_tables_of_questions_are(tmp_path):
    """With semicolons, as some spreadsheets write CSV, and with cells longer than Python's default limit."""
    file = tmp_path / "answers.csv"
    file.write_text("question_id;prediction\n7;yes\n8;" + "why " * 50_000 + "\n")
    (first, short), (second, long) = read_predictions(str(file))
    assert (first, short, second) == ("7", "yes", "8")
    assert len(long) > 131_072


def test_a_failure_of_vlmevalkit_is_not_an_answer(tmp_path):
    table = tmp_path / "table.tsv"
    rows = [(1, "Failed to obtain answer via API."), (2, "Failed to obtain answer: <class 'RuntimeError'> x"), (3, "")]
    table.write_text("askew_ids\tprediction\n" + "".join(f"[{key}]\t{answer}\n" for key, answer in rows))
    assert read(table) == [(3, "")]


FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error code: 503 - {'error': 'overloaded'}"


def test_a_failure_of_lmms_eval_is_not_an_answer(tmp_path):
    """A real log of 1,000 samples with 128 of these once scored n = 1,000, failed 0."""
    records = [
        sample(0, [FAILED], doc={"id": 0}, resps=[[FAILED]]),
        sample(1, ["[invalid]"], doc={"id": 1}, resps=[[FAILED]]),
        sample(2, [FAILED.lower()], doc={"id": 2}),
        sample(3, [""], doc={"id": 3}, resps=[[""]]),
        sample(4, [" \n"], doc={"id": 4}),
        sample(5, ["[invalid]"], doc={"id": 5}, resps=[["I see a dog"]]),
        sample(6, ["failed"], doc={"id": 6}, resps=[["failed"]]),
    ]
    assert read(written(tmp_path / "log", *records)) == [(5, "[invalid]"), (6, "failed")]


def test_a_failure_that_was_copied_from_a_log_is_not_an_answer_either(tmp_path):
    answers = {"1": FAILED, "2": "Sorry. Failed to obtain answer via API.", "3": "yes"}
    (tmp_path / "map.json").write_text(json.dumps(answers))
    records = [{"question_id": key, "answer": text} for key, text in answers.items()]
    (tmp_path / "list.json").write_text(json.dumps(records))
    for path in (tmp_path / "map.json", tmp_path / "list.json", written(tmp_path / "lines", *records)):
        assert read(path) == [("3", "yes")]


def test_a_sample_of_inspect_without_completed_output_is_not_an_answer(tmp_path):
    """What inspect logs of a request that was refused, ran into the context's end, or never came back."""

    def output(text: str, stop: str = "stop", **more: Any) -> dict[str, Any]:
        choice = {"message": {"role": "assistant", "content": text}, "stop_reason": stop}
        return {"model": "m", "choices": [choice], "completion": text, **more}

    outputs: list[Any] = [
        output("Your input image may contain content that is not allowed.", "content_filter"),
        output("This model's maximum context length is 8192 tokens.", "model_length"),
        output("no", error="moderated"),
        {"model": "", "choices": [], "completion": ""},
        None,
        output("yes"),
        output("", "stop"),
        output("a long ans", "max_tokens"),
    ]
    samples = [{"id": number, "output": each} for number, each in enumerate(outputs)]
    samples.append({"id": "x", "output": output("yes"), "invalidation": {"reason": "wrong image"}})
    (tmp_path / "log.json").write_text(json.dumps({"version": 2, "status": "error", "eval": {}, "samples": samples}))
    assert read(tmp_path / "log.json") == [(5, "yes"), (6, ""), (7, "a long ans")]


def test_a_failure_of_inspect_is_not_an_answer(tmp_path):
    output = {"completion": "yes", "choices": []}
    samples = [
        {"id": 1, "output": output, "error": {"message": "timeout"}},
        {"id": 2, "output": {"choices": []}},
        {"id": 3, "output": output, "metadata": {"askew_ids": '["3"]'}},
        {"id": 4},
    ]
    (tmp_path / "log.json").write_text(json.dumps({"version": 2, "status": "error", "eval": {}, "samples": samples}))
    assert read(tmp_path / "log.json") == [("3", "yes")]


def test_a_prediction_is_not_taken_for_the_reference_beside_it(tmp_path):
    """VLMEvalKit's files have the human answer as "answer"; it was once read instead of the model's."""
    records = [{"question_id": 1, "answer": "white", "prediction": "black"}]
    (tmp_path / "list.json").write_text(json.dumps(records))
    (tmp_path / "table.csv").write_text("question_id,answer,prediction\n1,white,black\n")
    assert read(tmp_path / "list.json") == [(1, "black")]
    assert read(written(tmp_path / "lines", *records)) == [(1, "black")]
    assert read(tmp_path / "table.csv") == [("1", "black")]


def test_a_zipped_log_is_read(tmp_path):
    log = written(tmp_path / "log", sample(0, ["yes"], askew={"ids": "[1]", "answer": "yes"}))
    (tmp_path / "log.gz").write_bytes(gzip.compress(log.read_bytes()))
    assert read(tmp_path / "log.gz") == [(1, "yes")]


@pytest.mark.parametrize(
    ("records", "place", "fault"),
    [
        ([sample(0, ["a"], doc={"id": 1}), sample(1, ["b"], doc={"id": 1})], "line 2 (id 1)", "occurs twice"),
        ([sample(0, ["a"])], "line 1", "only the row 0. Give the ids.jsonl"),
        ([sample(0, [[1.5, True]], doc={"id": 1})], "line 1 (id 1)", "a task that generates"),
        ([sample(0, ["a"], doc={"askew_ids": "7"})], "line 1", "'askew_ids' must be a list of ids"),
        ([sample(0, ["a"], askew={"ids": "[]"})], "line 1", "'askew_ids' must be a list of ids"),
        ([{"askew_ids": "[1]", "prediction": 3}], "line 1 (id 1)", "'prediction' must be text"),
        ([{"askew_ids": "[1]", "prediction": None}], "line 1 (id 1)", "'prediction' is null"),
        ([{"askew_ids": "[1, 1.5]", "prediction": "a"}], "line 1", "'askew_ids' must be a list of ids"),
        ([sample(0, ["a"], doc={"id": 1}), ["b"]], "line 2", "must be an object"),
    ],
)
def test_bad_logs_say_where_and_what(tmp_path, records, place, fault):
    log = written(tmp_path / "log", *records)
    with pytest.raises(BadRecord) as error:
        read(log)
    assert str(error.value).startswith(f"{log}: {place}")
    assert fault in str(error.value)


def test_a_row_missing_from_the_map_is_refused(tmp_path):
    ids = written(tmp_path / "ids.jsonl", {"index": 0, "ids": [7]})
    with pytest.raises(BadRecord, match=r"line 1: row 3 is not in the ids\.jsonl"):
        read(written(tmp_path / "log", sample(3, ["a"])), ids)
    for bad in ({"index": "0", "ids": [7]}, {"index": 0, "ids": []}, {"index": True, "ids": [1]}):
        with pytest.raises(BadRecord, match=r"bad\.jsonl: line 1"):
            read(written(tmp_path / "log", sample(0, ["a"])), written(tmp_path / "bad.jsonl", bad))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"askew_ids\tprediction\n[1]\ta\tb\n", "row 2: 3 cells for 2 columns"),
        (b'askew_ids\tprediction\n[1]\t"a\n', "the table is broken"),
        (b"askew_ids\tprediction\n[1]\t\xff\n", "not UTF-8"),
        (b"one,two\n1,2\n", "this is not JSON"),
        (b"PK\x03\x04rest", "cut off or damaged"),
    ],
)
def test_broken_tables_are_refused(tmp_path, content, fault):
    (tmp_path / "table").write_bytes(content)
    with pytest.raises(DataError, match=fault):
        read(tmp_path / "table")


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "/") + ".json", content)
    return path


def test_broken_archives_are_refused(tmp_path):
    with pytest.raises(DataError, match="neither XLSX nor an inspect log"):
        read(archive(tmp_path / "other.zip", readme=b"{}"))
    with pytest.raises(DataError, match=r"samples/1\.json: broken JSON"):
        read(archive(tmp_path / "log.eval", samples__1=b"{"))
    whole = archive(tmp_path / "whole.eval", header=b"{}", samples__1=b'{"id": 1, "output": {"completion": "a"}}')
    content = whole.read_bytes()
    # The method of compression is at byte 8 of a member's header and at byte 10 of its entry in the directory.
    start, entry = content.index(b"PK\x03\x04", 4), content.rindex(b"PK\x01\x02")
    strange = bytearray(content)
    strange[start + 8], strange[entry + 10] = 93, 93
    (tmp_path / "zstd.eval").write_bytes(strange)
    if sys.version_info < (3, 14):
        with pytest.raises(DataError, match="inspect log convert --to json"):
            read(tmp_path / "zstd.eval")
    assert read(whole) == [(1, "a")]


def test_a_spreadsheet_without_its_reader_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match="openpyxl"):
        read(archive(tmp_path / "table.xlsx", xl__workbook=b"{}"))


def test_a_long_log_is_streamed(tmp_path):
    log = tmp_path / "log"
    with log.open("w") as file:
        for number in range(5000):
            file.write(json.dumps(sample(number, ["yes"], doc={"askew_ids": f"[{number}]"})) + "\n")
        file.write("{broken")
    answers = read_predictions(log)
    assert next(answers) == (0, "yes")
    with pytest.raises(BadRecord, match="line 5001: broken JSON"):
        list(answers)


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "json"])
def test_the_index_of_vlmevalkit_names_the_question_and_not_a_column_id(tmp_path, kind):
    """The ids of another numbering were taken: 0.0 where every answer was right."""
    rows = [
        {"index": n, "id": 10 - n, "question": "Is it?", "answer": "yes", "prediction": f"p{n}"} for n in range(1, 4)
    ]
    path = tmp_path / f"MMBench.{kind}"
    if kind == "tsv":
        lines = ["\t".join(map(str, values)) for values in (rows[0].keys(), *(row.values() for row in rows))]
        path.write_text("\n".join(lines))
    else:
        path.write_text(json.dumps(rows) if kind == "json" else "".join(json.dumps(row) + "\n" for row in rows))
    assert dict(read_predictions(path)) == {1: "p1", 2: "p2", 3: "p3"}


def test_a_sheet_of_people_with_an_index_keeps_its_ids(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("index,id,question,answer\n0,7,Is it?,yes\n1,8,Is it?,no\n")
    assert {str(key): answer for key, answer in read_predictions(path)} == {"7": "yes", "8": "no"}
