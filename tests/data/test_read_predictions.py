"""Predictions made elsewhere, in all common formats."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from askew.data.read_predictions import read_predictions
from askew.errors import BadRecord, DataError

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
