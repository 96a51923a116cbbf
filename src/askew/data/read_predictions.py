"""Read predictions of any model, as id and answer, from common formats:

* the official VQA results file ``[{"question_id": 1, "answer": "yes"}]``,
* GQA's ``[{"questionId": "1", "prediction": "yes"}]``,
* JSONL with the same or our own names, ``{"id": 1, "answer": "yes"}``,
* an object ``{"1": "yes"}``, whose ids JSON can only write as text,
* the logs of other harnesses that answered an export (see ``askew.data.harness_logs``).

In a record with both, ``prediction`` is the model's answer and ``answer`` is people's. The error texts of harnesses
are never taken as answers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from askew.data.bad_records import Sieve, identity, mapping, missing, text
from askew.data.disk_index import distinct
from askew.data.harness_logs import is_failure, logged_answers, open_log
from askew.data.json_stream import glimpse, items, lines, pairs
from askew.data.jsonl import valid_lines
from askew.errors import BadRecord, DataError
from askew.files.limits import load_json
from askew.types import Id

_IDS = ("question_id", "questionId", "id")
_ANSWERS = ("prediction", "answer")


def read_predictions(
    path: str | os.PathLike[str], ids: str | os.PathLike[str] | None = None
) -> Iterator[tuple[Id, str]]:
    """Question id and answer of each prediction, streamed; repeated ids are refused.

    ``ids`` is the ``ids.jsonl`` of an export, for a log with row numbers instead of ids.
    """
    path = os.fspath(path)
    log = open_log(path, ids)
    if log is not None:
        return logged_answers(path, log)
    shape = glimpse(path)
    if shape.top == "[":
        return _listed(Sieve(path, skip=False, advice=""))
    if all(any(name in shape.keys for name in names) for names in (_IDS, _ANSWERS)) or _is_lined(path):
        return _lined(Sieve(path, skip=False, word="line", advice=""))
    return _mapped(Sieve(path, skip=False, advice=""))


def _is_lined(path: str) -> bool:
    """Whether the file is JSONL: the first line is a whole object and others follow."""
    try:
        first = list(islice(lines(path), 2))
        return len(first) == 2 and isinstance(load_json(first[0][1]), dict)
    except (orjson.JSONDecodeError, DataError):
        return False  # a long object on one line, or an error that reading reports


def _listed(sieve: Sieve) -> Iterator[tuple[Id, str]]:
    return _checked(sieve, items(sieve.path, "predictions"))


def _lined(sieve: Sieve) -> Iterator[tuple[Id, str]]:
    return _checked(sieve, valid_lines(sieve))


def _checked(sieve: Sieve, records: Iterator[tuple[int, Any]]) -> Iterator[tuple[Id, str]]:
    for number, key, record in distinct(sieve, records, _id):
        answer = sieve.sift(number, key, _answer, record)
        if answer is not None and not is_failure(answer):
            yield key, answer


def _mapped(sieve: Sieve) -> Iterator[tuple[Id, str]]:
    for number, key, pair in distinct(sieve, pairs(sieve.path), lambda pair: pair[0]):
        answer = sieve.sift(number, key, _answer, {"answer": pair[1]})
        if answer is not None and not is_failure(answer):
            yield key, answer


def _id(record: object) -> Id:
    fields = mapping(record)
    name = next((name for name in _IDS if name in fields), "question_id")
    return identity(fields, name)


def _answer(record: object) -> str:
    """The answer of a record, which may be an empty string but must be present: a failure is not an answer.

    >>> _answer({"question_id": 1, "answer": None})
    Traceback (most recent call last):
    askew.errors.BadRecord: 'answer' is null. Fill it in, or leave the record out.
    """
    fields = mapping(record)
    name = next((name for name in _ANSWERS if name in fields), "answer")
    if name in fields and fields[name] is None:
        raise BadRecord(f"{name!r} is null. Fill it in, or leave the record out.")
    if name not in fields:
        raise missing(fields, name)
    return text(fields, name, "")
