"""Read predictions of any model, as id and answer, from results files and the logs of other harnesses.

Their formats, the fields that are used, and the texts of failed requests are listed in ``docs/interchange.md``; a
file's format is detected from its content. A log without ids still has row numbers (``doc_id``, ``index``), which the
``ids.jsonl`` of an export maps to ids. ``match_predictions.py`` matches files that name questions by a benchmark's own
keys, or not at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeAlias
from zipfile import ZipFile

import orjson

from askew.data.bad_records import Sieve, mapping, repeated, wrong
from askew.data.json_stream import decoded, glimpse, items, lines, pairs
from askew.data.jsonl import valid_lines
from askew.data.prediction_records import (
    ANSWERS,
    ASKED,
    IDS,
    VLMEVALKIT,
    Inspected,
    Known,
    ResultRecords,
    Rows,
    Samples,
    decoded_ids,
)
from askew.data.table_files import looks_like_table, prediction_rows, zip_archive, zip_kind
from askew.errors import BadRecord, DataError
from askew.files.limits import MAX_RECORD, load_json
from askew.types import Id

_FILE = re.compile(r"\.(?:json|jsonl|tsv|csv|xlsx|eval|txt)(?:\.gz)?$", re.IGNORECASE)
_SAMPLES = "samples_"
"""In the names of lmms-eval's logs, beside which its results are."""
_MME = ("image", "question", "answer", "response")
"""The cells of a line of MME's result files."""

Named: TypeAlias = Callable[[Mapping[str, Any], str], Sequence[Id] | None]
"""Returns the ids of the questions that a record in a file answers, by the keys of a benchmark; None if it has none."""


class PredictionRecord(NamedTuple):
    """A record of a file of predictions."""

    file: str
    ids: Sequence[Id]
    """Of the questions that it answers; none if they were not asked for."""
    answer: str | None
    """None if the request failed."""
    names: Mapping[str, Any]
    """The fields that may name the question."""
    row: object
    """The number of the row of the data, if the record says it."""

    @property
    def asked(self) -> str:
        """The question as it was asked; empty if the record does not say."""
        return next((self.names[name] for name in ASKED if isinstance(self.names.get(name), str)), "")


def read_predictions(
    path: str | os.PathLike[str], ids: str | os.PathLike[str] | None = None
) -> Iterator[tuple[Id, str]]:
    """Question id and answer of each prediction, streamed; repeated ids are refused.

    ``ids`` is the ``ids.jsonl`` of an export, for a log with row numbers instead of ids.
    """
    for reply in read_replies(path, ids):
        if reply.answer is not None:
            yield from ((key, reply.answer) for key in reply.ids)


def read_replies(
    path: str | os.PathLike[str],
    ids: str | os.PathLike[str] | None = None,
    named: Named | None = None,
    by_id: bool = True,
) -> Iterator[PredictionRecord]:
    """The records of a file, or of the files in a folder, streamed; repeated ids are refused.

    ``named`` finds the ids of questions by a benchmark's own keys. ``by_id=False``: do not look for ids.
    """
    known = read_ids(ids) if ids is not None else {}
    seen: dict[Id, int] = {}
    for file in prediction_files(os.fspath(path)):
        yield from _replies(_open_log(file, known), named, by_id, seen)


def prediction_files(path: str) -> Sequence[str]:
    """The file itself, or the files of predictions in a folder and its sub-folders, sorted."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(
        os.path.join(place, name) for place, _, names in os.walk(path) for name in names if _FILE.search(name)
    )
    if not found:
        raise DataError(
            f"{path}: this is a folder without a file of predictions (JSON, JSONL, TSV, CSV, XLSX, TXT). Give the "
            "file, or the folder that has it."
        )
    return [file for file in found if _SAMPLES in os.path.basename(file)] or found


def _replies(log: Log, named: Named | None, by_id: bool, seen: dict[Id, int]) -> Iterator[PredictionRecord]:
    sieve = _strict(log.path, log.word)
    first_filter: object = None
    for number, record in log.records:
        fields = sieve.sift(number, None, mapping, record) or {}
        first_filter = fields.get("filter") if first_filter is None else first_filter
        if fields.get("filter", first_filter) != first_filter:
            continue
        names = log.reader.names(fields)
        keys: Sequence[Id] = ()
        if by_id:
            own = named and sieve.sift(number, None, named, names, log.path)
            keys = (sieve.sift(number, None, log.reader.ids, fields) or ()) if own is None else own
        for key in keys:
            if key in seen:
                sieve.refuse(number, repeated(key, None, f"{log.word} {seen[key]}"), key)
            seen[key] = number
        answer = sieve.sift(number, keys[0] if keys else None, log.reader.answer, fields)
        yield PredictionRecord(log.path, keys, answer, names, fields.get("doc_id"))


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


@dataclass(frozen=True)
class Log:
    """A file of predictions: its records, what messages call them, and how they are read."""

    path: str
    records: Iterator[tuple[int, Any]]
    word: str
    reader: ResultRecords | Samples | Rows | Inspected


def _open_log(path: str, known: Known) -> Log:
    """The predictions in a file, by its content."""
    kind = zip_kind(path)
    if kind == "inspect":
        return Log(path, _zipped_samples(path), "sample", Inspected(known))
    if kind == "xlsx" or looks_like_table(path, ANSWERS):
        return Log(path, prediction_rows(path), "row", Rows(known))
    if path.endswith(".txt"):
        return Log(path, _mme_lines(path), "line", ResultRecords())
    return _open_json(path, known)


def _mme_lines(path: str) -> Iterator[tuple[int, Any]]:
    """The lines of a result file of MME, which is named after a category."""
    for number, line in lines(path):
        cells = decoded(line).split("\t")
        if len(cells) != len(_MME):
            raise BadRecord(
                f"{path}: line {number}: {len(cells)} cells instead of {len(_MME)}: image, question, label and reply, "
                "with tabs between them, as in MME's results. Write it again, or write JSONL."
            )
        yield number, {**dict(zip(_MME, cells, strict=True)), "category": os.path.basename(path)[:-4]}


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
            ids_of_row[index] = sieve.sift(number, index, decoded_ids, fields.get("ids")) or ()
    return ids_of_row


def _open_json(path: str, known: Known) -> Log:
    shape = glimpse(path)
    keys, lined = set(shape.keys), shape.top == "{"
    if {"doc_id", "doc"} & keys and {"filtered_resps", "resps"} & keys:
        return _log(path, lined, "", Samples(known))
    if {"logs"} <= keys and {"args", "model_configs"} & keys:
        return _log(path, False, "logs", Samples(known))
    if {"eval", "status"} <= keys and lined:
        return _log(path, False, "samples", Inspected(known))
    if "askew_ids" in keys or keys >= VLMEVALKIT or ({"index", "prediction"} <= keys and not keys & set(IDS)):
        return _log(path, lined, "", Rows(known))
    is_record = all(any(name in keys for name in names) for names in ((*IDS, *ASKED, "image"), ANSWERS))
    if not lined or is_record or _is_lined(path):
        return _log(path, lined, "predictions", ResultRecords())
    return Log(path, ((number, _keyed(*pair)) for number, pair in pairs(path)), "record", ResultRecords())


def _keyed(key: str, value: object) -> Mapping[str, Any]:
    """The record of a pair of an object."""
    fields = value if isinstance(value, dict) else {"answer": value}
    return {**fields, "question_id": key}


def _log(path: str, lined: bool, key: str, reader: ResultRecords | Samples | Rows | Inspected) -> Log:
    if lined:
        return Log(path, valid_lines(_strict(path, "line")), "line", reader)
    return Log(path, items(path, key), "record", reader)


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
