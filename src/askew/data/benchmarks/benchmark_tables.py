"""Benchmarks that come as tables: TSV and CSV with images as base64 in a cell, and Parquet."""

from __future__ import annotations

import binascii
import csv
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from askew.data.bad_records import Sieve
from askew.data.benchmarks.sniff import column_names, delimiter_of
from askew.data.disk_index import Index
from askew.errors import BadImage, BadRecord, DataError, need
from askew.files.limits import MAX_RECORD, bounded_lines
from askew.files.read_write import opened
from askew.types import Id, ImageRef

SHORT = 64
"""A cell of at most this many characters in an image column is the index of the row that has the image."""
_BATCH = 32
"""How many rows of a Parquet file are in memory at a time; a row may hold images."""


def table_records(sieve: Sieve) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a TSV or CSV file with their numbers (the header is row 1); one with missing cells is bad."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
    path = sieve.path
    with opened(path) as file:
        text = (line.decode() for line in bounded_lines(file, path))
        try:
            first = next(text, "").removeprefix("\ufeff")
            names = column_names(first)
            for number, cells in enumerate(csv.reader(text, delimiter=delimiter_of(first), strict=True), 2):
                if len(cells) == len(names):
                    yield number, dict(zip(names, cells, strict=True))
                elif cells:
                    fault = BadRecord(f"there are {len(cells)} cells for {len(names)} columns. Fix the row.")
                    sieve.refuse(number, fault)
        except UnicodeDecodeError as trouble:
            raise DataError(f"{path}: not UTF-8 ({trouble.reason}). Save the file as UTF-8.") from None
        except csv.Error as trouble:
            raise DataError(f"{path}: the table is broken ({trouble}). Copy or download it again.") from None


def parquet_records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a Parquet file with their numbers from 1, a few in memory at a time."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    try:
        batches = parquet.ParquetFile(path).iter_batches(batch_size=_BATCH)
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from enumerate(rows, 1)
    except (arrow.ArrowException, OSError) as trouble:
        raise DataError(f"{path}: cannot be read as Parquet ({trouble}). Copy or download it again.") from None


def stored_image(key: Id, value: Any) -> ImageRef:
    """The image in a cell of a Parquet file: bytes, or an object with ``bytes``, as in the hub's image columns."""
    content = value.get("bytes") if isinstance(value, Mapping) else value
    if not isinstance(content, bytes) or not content:
        raise BadImage("the row has no image. Use the file with the images, as it is published.")
    return ImageRef(key, data=content)


def encoded_image(key: Id, cell: str) -> ImageRef:
    """The image in a cell of a table, as base64.

    >>> encoded_image(1, "YWJj").data
    b'abc'
    """
    try:
        return ImageRef(key, data=b64decode(cell, validate=True))
    except (binascii.Error, ValueError):
        raise BadImage("the image is not base64. Copy or download the file again.") from None


class TableImages:
    """The images in the column ``image`` of a table: base64, or the index of another row that has the image.

    Images that other rows refer to are kept in a temporary file, so memory stays flat however many there are.
    """

    def __init__(self, path: str, keep_all: bool = False) -> None:
        """``keep_all``: keep every image, so that each can be found by the index of its row."""
        self._path, self._keep_all = path, keep_all

    def find(self, index: str, cell: str) -> ImageRef:
        """The image of a row; its id is the index of the row that has it."""
        if len(cell) > SHORT:
            return encoded_image(index, cell)
        found = self._referred.get(cell) if cell else None
        if found is None:
            raise BadImage(
                f"the image is {cell!r}, which is neither base64 nor the index of a row with an image. "
                "Copy or download the file again."
            )
        return encoded_image(cell, found[1])

    @cached_property
    def _referred(self) -> Index:
        """The images that rows refer to, by the index of the row that has them."""
        wanted = set() if self._keep_all else {row["image"] for row in self._rows() if len(row["image"]) <= SHORT}
        found = Index()
        for row in self._rows():
            if len(row["image"]) > SHORT and (self._keep_all or row["index"] in wanted):
                found.add(row["index"], record=row["image"])
        return found

    def _rows(self) -> Iterator[Mapping[str, str]]:
        return (row for _, row in table_records(Sieve(self._path, True)))
