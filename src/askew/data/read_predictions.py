"""Read predictions of any model, as id and answer, from common formats:

* the official VQA results file ``[{"question_id": 1, "answer": "yes"}]``,
* GQA's ``[{"questionId": "1", "prediction": "yes"}]``,
* JSONL with the same or our own names, ``{"id": 1, "answer": "yes"}``,
* an object ``{"1": "yes"}``, whose ids JSON can only write as text,
* the logs of other evaluation harnesses that ran an export of ``askew export``.

In a record with both, ``prediction`` is the model's answer and ``answer`` is people's. The format is detected from the
content. These fields of logs are used:

* lmms-eval and lm-eval, ``*samples_*.jsonl`` (or the older JSON with ``logs``): the ids from ``askew.ids``, from
  ``doc.askew_ids``, or from ``doc.question_id`` or ``doc.id``; the answer from ``filtered_resps``, else ``resps``. In
  a log with several filters, the first counts.
* VLMEvalKit's prediction file, as TSV, CSV, XLSX, JSON or JSONL: ``askew_ids`` and ``prediction``; without
  ``askew_ids``, of its own benchmarks, ``index``, which names the question also where there is a column ``id``.
* inspect_ai, ``.eval`` or ``.json``: ``metadata.askew_ids``, else the sample's ``id``; the answer from
  ``output.completion``, else the first choice's message.

A log without the ids still has row numbers (``doc_id``, ``index``), which ``ids.jsonl`` of the export maps to ids.

The text that a harness writes for a failed request is a missing answer, never an answer to score:

* lmms-eval, ``[LMMS_EVAL_REQUEST_FAILED after 5 retries] ...``: ``lmms_eval/models/*/openai.py``, ``async_openai.py``.
* lmms-eval and lm-eval, empty or blank text, also when the budget is spent: ``lmms_eval/models/simple/gemini_api.py``,
  ``claude.py``. An empty answer of a model cannot be distinguished from these, so it is a missing answer too.
* VLMEvalKit, ``Failed to obtain answer via API.`` anywhere: ``vlmeval/api/base.py``, ``vlmeval/inference.py``.
* VLMEvalKit with SKIP_ERR=1, ``Failed to obtain answer: ...``: ``vlmeval/inference.py``.
* inspect_ai, a sample's ``error`` or ``invalidation``: EvalSample in ``inspect_ai/log/_log.py``.
* inspect_ai, ``output.error``, or neither a choice nor text: ``inspect_ai/model/_model_output.py``.
* inspect_ai, the server's text with stop_reason content_filter or model_length: ``inspect_ai/model/_openai.py``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from zipfile import ZipFile

import orjson

from askew.data.bad_records import Sieve, identity, mapping, missing, repeated, text, wrong
from askew.data.json_stream import glimpse, items, lines, pairs
from askew.data.jsonl import valid_lines
from askew.data.records_by_id import distinct
from askew.data.table_files import looks_like_table, prediction_rows, zip_archive, zip_kind
from askew.errors import BadRecord, DataError
from askew.files.limits import MAX_RECORD, load_json
from askew.types import Id

_IDS = ("question_id", "questionId", "id")
_ANSWERS = ("prediction", "answer")
_VLMEVALKIT = frozenset(("index", "question", "prediction"))
"""Columns of a prediction file of VLMEvalKit, which keeps those of its questions."""


def read_predictions(
    path: str | os.PathLike[str], ids: str | os.PathLike[str] | None = None
) -> Iterator[tuple[Id, str]]:
    """Question id and answer of each prediction, streamed; repeated ids are refused.

    ``ids`` is the ``ids.jsonl`` of an export, for a log with row numbers instead of ids.
    """
    path = os.fspath(path)
    log = _open_log(path, ids)
    if log is not None:
        return _logged_answers(path, log)
    shape = glimpse(path)
    if shape.top == "[":
        return _answers(_strict(path), items(path, "predictions"), _id, _answer)
    if all(any(name in shape.keys for name in names) for names in (_IDS, _ANSWERS)) or _is_lined(path):
        sieve = _strict(path, "line")
        return _answers(sieve, valid_lines(sieve), _id, _answer)
    return _answers(_strict(path), pairs(path), lambda pair: pair[0], lambda pair: _answer({"answer": pair[1]}))


def _strict(path: str, word: str = "record") -> Sieve:
    """Bad records of predictions always raise an error, since a missing answer would change the score."""
    return Sieve(path, skip=False, word=word, advice="")


def _is_lined(path: str) -> bool:
    """Whether the file is JSONL: the first line is a whole object and others follow."""
    try:
        first = list(islice(lines(path), 2))
        return len(first) == 2 and isinstance(load_json(first[0][1]), dict)
    except (orjson.JSONDecodeError, DataError):
        return False  # a long object on one line, or an error that reading reports


def _answers(
    sieve: Sieve, records: Iterator[tuple[int, Any]], identify: Callable[[Any], Id], answer_of: Callable[[Any], str]
) -> Iterator[tuple[Id, str]]:
    for number, key, record in distinct(sieve, records, identify):
        answer = sieve.sift(number, key, answer_of, record)
        if answer is not None and not _is_failure(answer):
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


Known = Mapping[int, Sequence[Id]]
"""The ids of each row of an export."""


@dataclass(frozen=True)
class Samples:
    """Records of lmms-eval and lm-eval."""

    known: Known

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The questions that this record answers."""
        ours, doc = record.get("askew"), record.get("doc")
        if isinstance(ours, dict) and "ids" in ours:
            return _decoded_ids(ours["ids"])
        return _logged_ids(doc if isinstance(doc, dict) else {}, record.get("doc_id"), self.known, "doc")

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer; None if the request failed, whatever a filter did to the failure text."""
        filtered, raw = (_first_text(record.get(name)) for name in ("filtered_resps", "resps"))
        answer = raw if filtered is None else filtered
        if answer is None:
            raise BadRecord("neither 'filtered_resps' nor 'resps' has text. Log the samples of a task that generates.")
        raw = answer if raw is None else raw
        return answer if raw.strip() and not _is_failure(raw) and not _is_failure(answer) else None


@dataclass(frozen=True)
class Rows:
    """Rows of VLMEvalKit's prediction files."""

    known: Known

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The questions that this row answers."""
        if not self.known and not record.get("askew_ids") and record.keys() >= _VLMEVALKIT:
            index = record["index"]
            return (int(index) if re.fullmatch(r"[0-9]{1,18}", str(index)) else identity(record, "index"),)
        return _logged_ids(record, record.get("index"), self.known, "row")

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer; None if VLMEvalKit reports a failure, or if a person left it empty."""
        name = "prediction" if "prediction" in record else "answer"
        if record.get(name) is None:
            raise missing(record, name)
        if not isinstance(record[name], str):
            raise wrong(name, "text", record[name])
        content: str = record[name]
        empty = name == "answer" and not content.strip()  # a sheet that people fill in
        return None if empty or _is_failure(content) else content


@dataclass(frozen=True)
class Inspected:
    """Samples of inspect_ai."""

    known: Known

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The questions that this sample answers."""
        metadata = record.get("metadata")
        if isinstance(metadata, dict) and "askew_ids" in metadata:
            return _decoded_ids(metadata["askew_ids"])
        return (identity(record, "id"),)

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer; None if there is no completed output."""
        if _is_failed_sample(record):
            return None
        output = record["output"]
        if isinstance(output.get("completion"), str):
            return str(output["completion"])
        choices = output.get("choices")
        if not isinstance(choices, list) or not choices:
            return None
        content = mapping(mapping(choices[0]).get("message")).get("content")
        if isinstance(content, list):
            texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
            return "\n".join(text for text in texts if isinstance(text, str))
        return content if isinstance(content, str) else None


@dataclass(frozen=True)
class Log:
    """A recognised log: its records, what messages call them, and how they are read."""

    records: Iterator[tuple[int, Any]]
    word: str
    reader: Samples | Rows | Inspected


def _open_log(path: str, ids: str | os.PathLike[str] | None = None) -> Log | None:
    """The log of a harness at this path; None if it is something else."""
    known = read_ids(ids) if ids is not None else {}
    kind = zip_kind(path)
    if kind == "inspect":
        return Log(_zipped_samples(path), "sample", Inspected(known))
    if kind == "xlsx" or looks_like_table(path):
        return Log(prediction_rows(path), "row", Rows(known))
    return _open_json_log(path, known)


def _logged_answers(path: str, log: Log) -> Iterator[tuple[Id, str]]:
    """The id and answer of every answered question; repeated ids are refused, failures are left out."""
    sieve = _strict(path, log.word)
    first_filter: object = None
    seen: set[Id] = set()
    for number, record in log.records:
        fields = sieve.sift(number, None, mapping, record) or {}
        first_filter = fields.get("filter") if first_filter is None else first_filter
        if fields.get("filter", first_filter) != first_filter:
            continue
        keys = sieve.sift(number, None, log.reader.ids, fields) or ()
        for key in keys:
            if key in seen:
                sieve.refuse(number, repeated(key), key)
            seen.add(key)
        answer = sieve.sift(number, keys[0], log.reader.answer, fields)
        if answer is not None:
            yield from ((key, answer) for key in keys)


def read_ids(path: str | os.PathLike[str]) -> dict[int, tuple[Id, ...]]:
    """The map from rows to ids that ``askew export`` wrote as ``ids.jsonl``."""
    sieve = _strict(os.fspath(path), "line")
    ids_of_row: dict[int, tuple[Id, ...]] = {}
    for number, record in valid_lines(sieve):
        fields = sieve.sift(number, None, mapping, record) or {}
        index = fields.get("index")
        if type(index) is not int:
            sieve.refuse(number, wrong("index", "a whole number", index))
        else:
            ids_of_row[index] = sieve.sift(number, index, _decoded_ids, fields.get("ids")) or ()
    return ids_of_row


def _decoded_ids(value: object) -> tuple[Id, ...]:
    """The ids of a row, from their JSON text or as they are.

    >>> _decoded_ids('[7,"7/rad"]')
    (7, '7/rad')
    >>> _decoded_ids("7")
    Traceback (most recent call last):
    askew.errors.BadRecord: 'askew_ids' must be a list of ids, but is text ('7'). Fix the record.
    """
    ids = value
    if isinstance(value, str):
        try:
            ids = load_json(value)
        except orjson.JSONDecodeError:
            ids = None
    if not isinstance(ids, list) or not ids or not all(type(key) in (int, str) for key in ids):
        raise wrong("askew_ids", "a list of ids", value)
    return tuple(ids)


def _open_json_log(path: str, known: Known) -> Log | None:
    shape = glimpse(path)
    keys, lines = set(shape.keys), shape.top == "{"
    if {"doc_id", "doc"} & keys and {"filtered_resps", "resps"} & keys:
        return _log(path, lines, "", Samples(known))
    if {"logs"} <= keys and {"args", "model_configs"} & keys:
        return _log(path, False, "logs", Samples(known))
    if {"eval", "status"} <= keys and lines:
        return _log(path, False, "samples", Inspected(known))
    if "askew_ids" in keys or keys >= _VLMEVALKIT or ({"index", "prediction"} <= keys and not keys & set(_IDS)):
        return _log(path, lines, "", Rows(known))
    return None


def _log(path: str, lines: bool, key: str, reader: Samples | Rows | Inspected) -> Log:
    if lines:
        return Log(valid_lines(_strict(path, "line")), "line", reader)
    return Log(items(path, key), "record", reader)


def _zipped_samples(path: str) -> Iterator[tuple[int, Any]]:
    """The samples of an inspect ``.eval`` log, in its order."""
    with zip_archive(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]
        for number, name in enumerate(names, 1):
            yield number, _sample(path, archive, name)


def _sample(path: str, archive: ZipFile, name: str) -> Any:
    try:
        if archive.getinfo(name).file_size > MAX_RECORD:
            raise DataError(f"{path}: {name} is larger than {MAX_RECORD >> 20} MiB, the limit for a sample.")
        return load_json(archive.read(name))
    except NotImplementedError:
        raise DataError(
            f"{path}: this Python cannot read its compression. Convert the log: inspect log convert --to json"
        ) from None
    except orjson.JSONDecodeError as trouble:
        raise BadRecord(f"{path}: {name}: broken JSON ({trouble}). Was the evaluation stopped? Run it again.") from None


def _logged_ids(fields: Mapping[str, Any], row: object, known: Known, where: str) -> Sequence[Id]:
    """The ids in a record, or else those of its row."""
    if fields.get("askew_ids"):
        return _decoded_ids(fields["askew_ids"])
    for name in _IDS:
        if fields.get(name) is not None:
            return (identity(fields, name),)
    place = int(row) if isinstance(row, int | str) and re.fullmatch(r"[0-9]{1,18}", str(row)) else None
    if place is None:
        raise BadRecord(f"its {where} has no 'askew_ids' and no row number. Log the questions that askew exported.")
    if not known:
        raise BadRecord(
            f"its {where} has no 'askew_ids', only the row {place}. Give the ids.jsonl of the export (ids=...)."
        )
    if place not in known:
        raise BadRecord(f"row {place} is not in the ids.jsonl that was given. Was it written by the same export?")
    return known[place]


def _first_text(value: object) -> str | None:
    """The first text in lists of lists.

    >>> _first_text([["yes", "no"]]), _first_text("yes"), _first_text([[]])
    ('yes', 'yes', None)
    """
    while isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, str) else None


_FAILURE_TEXTS = re.compile(
    r"\s*\[LMMS_EVAL_REQUEST_FAILED\b|\s*Failed to obtain answer\b|.*Failed to obtain answer via API",
    re.IGNORECASE | re.DOTALL,  # filters of a task may lowercase everything
)
_FAILED_STOPS = ("content_filter", "model_length")


def _is_failure(text: str) -> bool:
    """Whether a text is what a harness writes instead of an answer when a request failed.

    >>> _is_failure("[LMMS_EVAL_REQUEST_FAILED after 5 retries] Connection error."), _is_failure("failed")
    (True, False)
    """
    return _FAILURE_TEXTS.match(text) is not None


def _is_failed_sample(sample: Mapping[str, Any]) -> bool:
    """Whether a sample of inspect_ai has no completed output.

    >>> _is_failed_sample({"output": {"choices": [], "completion": ""}})
    True
    """
    output = sample.get("output")
    if sample.get("error") or sample.get("invalidation") or not isinstance(output, dict) or output.get("error"):
        return True
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    stopped = first.get("stop_reason") if isinstance(first, dict) else None
    return stopped in _FAILED_STOPS or not (first or output.get("completion"))
