"""Data sets of basic questions (BQD): for each image and main question the nearest questions of a pool, with scores.

A record is ``{image, main question, 21 × (basic question, score)}`` as in Huang et al. (2019), with the proof of its
ranking; the first line says how the file was produced. ``basic:bqd=FILE`` uses a file instead of ranking. Files are
JSONL or, for notebooks and data hubs, Parquet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import orjson

from askew.errors import BadRecord, DataError, need
from askew.files.limits import bounded_lines, load_json
from askew.files.read_write import file_sha256, opened, replaced
from askew.rank.ranking import Header, Nearest, RankingStore, nearest_from
from askew.types import Question

FORMAT = "askew-bqd-1"
_BATCH = 500


def write_bqd(questions: Iterable[Question], targets: Mapping[str, RankingStore | BqdFile]) -> int:
    """Write the basic questions of these main questions, streamed: one file for each ranking.

    Questions that were not ranked are left out. Returns the number of records over all files.
    """
    count = 0
    with ExitStack() as stack:
        files = {path: stack.enter_context(replaced(path)) for path in targets}
        for path, ranked in targets.items():
            files[path].write(orjson.dumps({"format": FORMAT, **ranked.header}) + b"\n")
        rest = iter(questions)
        while part := list(islice(rest, _BATCH)):
            for path, ranked in targets.items():
                lines = _lines(part, ranked)
                files[path].writelines(lines)
                count += len(lines)
    return count


def read_header(path: str) -> Header:
    """How the file was produced: ranker, pool and versions."""
    if path.endswith(".parquet"):
        first = (_opened(path).schema_arrow.metadata or {}).get(_KEY, b"")
    else:
        with opened(path) as file:
            first = next(bounded_lines(file, path), b"")
    with suppress(orjson.JSONDecodeError):
        header = load_json(first)
        if isinstance(header, dict) and header.get("format") == FORMAT:
            return {key: value for key, value in header.items() if key != "format"}
    raise DataError(
        f"{path}: this is not a file of basic questions (the first line of one says {FORMAT!r}). "
        "Write one with askew build basic."
    )


def read_bqd(path: str) -> Iterator[tuple[Mapping[str, Any], Nearest]]:
    """The records of the file, streamed: the line itself (with ``image`` and ``question_id``) and its ranking."""
    read_header(path)
    for number, record in _records(path):
        try:
            yield record, nearest_from(record)
        except BadRecord as fault:
            raise BadRecord(f"{path}: record {number}: {fault}") from None


@dataclass(frozen=True, repr=False)
class BqdFile:
    """A file of basic questions, JSONL or Parquet, as a ranking that needs no ranker; read at first use."""

    path: str

    def __repr__(self) -> str:
        return f"BqdFile({os.path.basename(self.path)!r}, {self.signature!r})"

    @cached_property
    def signature(self) -> str:
        """A hash of the file's content, as 16 hexadecimal digits."""
        return file_sha256(self.path)[:16]

    @cached_property
    def header(self) -> Header:
        """How the file was produced: ranker, pool and versions."""
        return read_header(self.path)

    @property
    def name(self) -> str:
        """The name in tables of the ranker that wrote the file."""
        return str(self.header.get("name") or "file")

    def nearest(self, texts: Sequence[str]) -> Mapping[str, Nearest]:
        """The basic questions of these texts, as far as they are in the file."""
        return {text: self._rankings[text] for text in texts if text in self._rankings}

    @cached_property
    def _rankings(self) -> dict[str, Nearest]:
        """The rankings by main question; a question of the pool is in memory once."""
        pool: dict[str, str] = {}
        found = {}
        for _, nearest in read_bqd(self.path):
            questions = tuple(pool.setdefault(question, question) for question in nearest.questions)
            found[nearest.text] = replace(nearest, questions=questions)
        return found


def _lines(questions: Sequence[Question], ranked: RankingStore | BqdFile) -> list[bytes]:
    known = ranked.nearest(list(dict.fromkeys(question.text for question in questions)))
    lines = []
    for question in questions:
        if question.text in known:
            image = None if question.image is None else question.image.id
            record = {"image": image, "question_id": question.id, **known[question.text].record()}
            lines.append(orjson.dumps(record) + b"\n")
    return lines


def _records(path: str) -> Iterator[tuple[int, Any]]:
    """The records with their numbers; in a JSONL file, their line numbers."""
    if path.endswith(".parquet"):
        yield from enumerate(read_parquet(path), 1)
        return
    with opened(path) as file:
        for number, line in islice(enumerate(bounded_lines(file, path), 1), 1, None):
            try:
                yield number, load_json(line)
            except orjson.JSONDecodeError as trouble:
                raise BadRecord(
                    f"{path}: record {number}: invalid JSON ({trouble}). Write the file again with askew build basic."
                ) from None


_ROWS = 2000
_KEY = b"askew"
_IDS = ("image", "question_id")


def write_parquet(source: str, target: str) -> int:
    """Write a JSONL file of basic questions as Parquet; returns the number of records.

    Columns: ``image``, ``question_id``, ``question``, ``basic`` (a list of question and score) and ``proof`` (name to
    number). Ids that are all integers stay integers; all others are JSON (``"a"`` in quotes, ``null`` for none).
    """
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    numbers = {key: all(type(record.get(key)) is int for record, _ in read_bqd(source)) for key in _IDS}
    header = {"format": FORMAT, **read_header(source)}
    ids = [(key, arrow.int64() if numbers[key] else arrow.string()) for key in _IDS]
    pair = arrow.struct([("question", arrow.string()), ("score", arrow.float64())])
    proof = arrow.map_(arrow.string(), arrow.float64())
    columns = [*ids, ("question", arrow.string()), ("basic", arrow.list_(pair)), ("proof", proof)]
    schema = arrow.schema(columns).with_metadata({_KEY: orjson.dumps(header)})
    count = 0
    rows = (_row(record, numbers) for record, _ in read_bqd(source))
    with replaced(target) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while part := list(islice(rows, _ROWS)):
            writer.write_table(arrow.Table.from_pylist(part, schema))
            count += len(part)
    return count


def read_parquet(path: str) -> Iterator[dict[str, Any]]:
    """The records, as in the JSONL file."""
    for batch in _opened(path).iter_batches(batch_size=_ROWS):
        for row in batch.to_pylist():
            ids = {key: orjson.loads(row[key]) if isinstance(row[key], str) else row[key] for key in _IDS}
            basic = [[pair["question"], pair["score"]] for pair in row["basic"]]
            yield {**ids, "question": row["question"], "basic": basic, "proof": dict(row["proof"] or ())}


def _row(record: Mapping[str, Any], numbers: Mapping[str, bool]) -> dict[str, Any]:
    ids = {key: record.get(key) if numbers[key] else orjson.dumps(record.get(key)).decode() for key in _IDS}
    basic = [{"question": question, "score": score} for question, score in record["basic"]]
    proof = [(name, None if value is None else float(value)) for name, value in record["proof"].items()]
    return {**ids, "question": record["question"], "basic": basic, "proof": proof}


def _opened(path: str) -> Any:
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    try:
        return parquet.ParquetFile(path)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. Put it there, or give the path where it is.") from None
    except (arrow.ArrowException, OSError) as trouble:
        raise DataError(
            f"{path}: cannot be read as Parquet ({trouble}). Write it again with askew build basic."
        ) from None
