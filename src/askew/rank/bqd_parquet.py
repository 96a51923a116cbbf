"""Data sets of basic questions as Parquet, for notebooks and data hubs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from askew.errors import DataError, need
from askew.files import replaced
from askew.rank.bqd import FORMAT, read_bqd, read_header
from askew.rank.remembered import Header

_ROWS = 2000
_KEY = b"askew"
_IDS = ("image", "question_id")


def write_parquet(source: str, target: str) -> int:
    """Write a JSONL file of basic questions as Parquet; gives how many records there were.

    Columns: ``image``, ``question_id``, ``question``, ``basic`` (a list of question and score) and ``proof`` (name to
    number). Ids that are all whole numbers stay numbers; all others are JSON (``"a"`` in quotes, ``null`` for none).
    """
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    numbers = {key: _all_numbers(source, key) for key in _IDS}
    header = {"format": FORMAT, **read_header(source)}
    schema = _schema(arrow, numbers).with_metadata({_KEY: orjson.dumps(header)})
    count = 0
    with replaced(target) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for record, _ in read_bqd(source):
            rows.append(_row(record, numbers))
            count += 1
            if len(rows) == _ROWS:
                writer.write_table(arrow.Table.from_pylist(rows, schema))
                rows = []
        writer.write_table(arrow.Table.from_pylist(rows, schema))
    return count


def read_parquet_header(path: str) -> Header:
    """What made the file."""
    metadata = _opened(path).schema_arrow.metadata or {}
    header: Header = orjson.loads(metadata.get(_KEY, b"null"))
    return header


def read_parquet(path: str) -> Iterator[dict[str, Any]]:
    """The records, as the lines of the JSONL file have them."""
    for batch in _opened(path).iter_batches(batch_size=_ROWS):
        for row in batch.to_pylist():
            ids = {key: orjson.loads(row[key]) if isinstance(row[key], str) else row[key] for key in _IDS}
            basic = [[pair["question"], pair["score"]] for pair in row["basic"]]
            yield {**ids, "question": row["question"], "basic": basic, "proof": dict(row["proof"] or ())}


def _schema(arrow: Any, numbers: Mapping[str, bool]) -> Any:
    ids = [(key, arrow.int64() if numbers[key] else arrow.string()) for key in _IDS]
    pair = arrow.struct([("question", arrow.string()), ("score", arrow.float64())])
    proof = arrow.map_(arrow.string(), arrow.float64())
    return arrow.schema([*ids, ("question", arrow.string()), ("basic", arrow.list_(pair)), ("proof", proof)])


def _row(record: Mapping[str, Any], numbers: Mapping[str, bool]) -> dict[str, Any]:
    ids = {key: record.get(key) if numbers[key] else orjson.dumps(record.get(key)).decode() for key in _IDS}
    basic = [{"question": question, "score": score} for question, score in record["basic"]]
    proof = [(name, None if value is None else float(value)) for name, value in record["proof"].items()]
    return {**ids, "question": record["question"], "basic": basic, "proof": proof}


def _all_numbers(source: str, key: str) -> bool:
    return all(type(record.get(key)) is int for record, _ in read_bqd(source))


def _opened(path: str) -> Any:
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    try:
        return parquet.ParquetFile(path)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. Put it there, or give the path where it is.") from None
    except (arrow.ArrowException, OSError) as trouble:
        raise DataError(
            f"{path}: cannot be read as Parquet ({trouble}). Make it again with askew build basic."
        ) from None
