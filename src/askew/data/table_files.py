"""Rows of table files as records: TSV and CSV (images are base64 in a cell), Parquet and XLSX.

Readers of questions leave out bad rows one by one (``table_records``, ``parquet_records``); a bad row of a model's
predictions stops the reading (``prediction_rows``).
"""

from __future__ import annotations

import binascii
import csv
import zipfile
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from tempfile import TemporaryFile
from typing import Any
from weakref import finalize

from askew.data.bad_records import Sieve
from askew.errors import BadImage, BadRecord, DataError, need
from askew.files.limits import MAX_MEMBER, MAX_RECORD, bounded_lines
from askew.files.read_write import opened, opened_raw
from askew.types import Id, ImageRef

LONGEST_INDEX = 64
"""A cell of at most this many characters in an image column is the index of the row that has the image."""
BATCH = 32
"""How many rows of a Parquet file are in memory at a time; a row may hold images."""
_ZIP = b"PK\x03\x04"
_HEAD = 1 << 16


def delimiter_of(first: str) -> str:
    """The delimiter of a table, detected from its first line; some programs write CSV with semicolons.

    >>> delimiter_of("image;question;answer"), delimiter_of("image,question")
    (';', ',')
    """
    return "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","


def column_names(first: str, delimiter: str) -> list[str]:
    """The names in the first line of a table."""
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]


def table_records(sieve: Sieve) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a TSV or CSV file with their numbers (the header is row 1); one with missing cells is bad."""
    rows = _text_rows(sieve.path, "Copy or download it again.")
    _, names = next(rows)
    for number, cells in rows:
        if len(cells) == len(names):
            yield number, dict(zip(names, cells, strict=True))
        elif cells:
            sieve.refuse(number, BadRecord(f"there are {len(cells)} cells for {len(names)} columns. Fix the row."))


def parquet_records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a Parquet file with their numbers from 1, a few in memory at a time."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    with opened(path):
        pass  # refuses an empty file or a pointer
    try:
        # pre-buffering would hold the whole file
        batches = parquet.ParquetFile(path, pre_buffer=False).iter_batches(batch_size=BATCH)
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from enumerate(rows, 1)
    except (arrow.ArrowException, OSError) as trouble:
        raise DataError(f"{path}: cannot be read as Parquet ({trouble}). Copy or download it again.") from None


def parquet_image(key: Id, value: Any) -> ImageRef:
    """The image in a cell of a Parquet file: bytes, or an object with ``bytes``, as in the hub's image columns."""
    content = value.get("bytes") if isinstance(value, Mapping) else value
    if not isinstance(content, bytes) or not content:
        raise BadImage("the row has no image. Use the file with the images, as it is published.")
    return ImageRef(key, data=content)


def listed_cell(cell: str) -> list[str]:
    """The items of a cell, which may be the text of a list; neither base64 nor names of images have commas.

    >>> listed_cell("['a.jpg', 'b.jpg']"), listed_cell("a.jpg"), listed_cell('["YWJj"]')
    (['a.jpg', 'b.jpg'], ['a.jpg'], ['YWJj'])
    """
    if not (cell.startswith("[") and cell.endswith("]")):
        return [cell]
    return [part.strip("'\" \n") for part in cell[1:-1].split(",")]


def encoded_images(key: str, cell: str) -> list[ImageRef]:
    """The images in a cell of a table, as base64; those after the first have a number behind the key.

    >>> [(image.id, image.data) for image in encoded_images("7", "['YWJj', 'YWJk']")]
    [('7', b'abc'), ('7/2', b'abd')]
    """
    try:
        contents = [b64decode(part, validate=True) for part in listed_cell(cell)]
    except (binascii.Error, ValueError):
        raise BadImage("the image is not base64. Copy or download the file again.") from None
    return [ImageRef(key if place == 1 else f"{key}/{place}", data=one) for place, one in enumerate(contents, 1)]


def the_only(images: Sequence[ImageRef]) -> ImageRef:
    """The image of a row that must have one."""
    if len(images) != 1:
        raise BadImage(f"the row has {len(images)} images, and this benchmark has one. Use the published file.")
    return images[0]


class BytesById:
    """Byte strings by id, in a temporary file, since images may take gigabytes; the first of an id counts."""

    def __init__(self, contents: Iterable[tuple[Id, bytes]]) -> None:
        self._file = TemporaryFile(prefix="askew-")  # noqa: SIM115 - closed with this object
        finalize(self, self._file.close)
        self._places: dict[Id, tuple[int, int]] = {}
        for key, content in contents:
            if key not in self._places:
                self._places[key] = self._file.tell(), len(content)
                self._file.write(content)

    def get(self, key: Id) -> bytes | None:
        """The bytes of this id."""
        if (place := self._places.get(key)) is None:
            return None
        self._file.seek(place[0])
        return self._file.read(place[1])


class TableImages:
    """The images in the column ``image`` of a table: base64, or the index of another row that has the image.

    Images that other rows refer to are kept in a temporary file.
    """

    def __init__(self, path: str, keep_all: bool = False) -> None:
        """``keep_all``: keep every image, so that each can be found by the index of its row."""
        self._path, self._keep_all = path, keep_all

    def find(self, index: str, cell: str) -> ImageRef:
        """The image of a row that has one; its id is the index of the row that has it."""
        return the_only(self.find_all(index, cell))

    def find_all(self, index: str, cell: str) -> list[ImageRef]:
        """The images of a row."""
        if len(cell) > LONGEST_INDEX:
            return encoded_images(index, cell)
        found = self._referred.get(cell) if cell else None
        if found is None:
            raise BadImage(
                f"the image is {cell!r}, which is neither base64 nor the index of a row with an image. "
                "Copy or download the file again."
            )
        return encoded_images(cell, found.decode("latin-1"))

    @cached_property
    def _referred(self) -> BytesById:
        """The cells with an image that rows refer to, by the index of the row that has them."""
        wanted = (
            set() if self._keep_all else {row["image"] for row in self._rows() if len(row["image"]) <= LONGEST_INDEX}
        )
        return BytesById(
            (row["index"], row["image"].encode("latin-1", "replace"))  # other characters are not base64
            for row in self._rows()
            if len(row["image"]) > LONGEST_INDEX and (self._keep_all or row["index"] in wanted)
        )

    def _rows(self) -> Iterator[Mapping[str, str]]:
        return (row for _, row in table_records(Sieve(self._path, True)))


def zip_kind(path: str) -> str:
    """``xlsx``, ``inspect`` (its ``.eval`` log), or an empty string for a file that is not a zip file."""
    with opened_raw(path) as file:
        if file.read(4) != _ZIP:
            return ""
    with zip_archive(path) as archive:
        names = archive.namelist()
    if any(name.startswith("xl/") for name in names):
        return "xlsx"
    if any(name.startswith("samples/") for name in names) or "header.json" in names:
        return "inspect"
    raise DataError(f"{path}: this zip file is neither XLSX nor an inspect log. Unpack it and give one of its files.")


def looks_like_table(path: str, answers: Iterable[str]) -> bool:
    """Whether the file begins with column names, one of them for answers."""
    with opened(path) as file:
        head = file.read(_HEAD).lstrip()
    if head[:1] in (b"{", b"["):
        return False
    names = head.split(b"\n", 1)[0].decode(errors="replace")
    columns = column_names(names, delimiter_of(names))
    return not set(columns).isdisjoint(answers) and len(columns) > 1


def prediction_rows(path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table with their numbers as in a spreadsheet: the header is row 1."""
    rows = _sheet_rows(path) if zip_kind(path) == "xlsx" else _text_rows(path, "Write it again.")
    _, names = next(rows, (1, []))
    for number, cells in rows:
        if any(cells):
            if len(cells) != len(names):
                raise BadRecord(
                    f"{path}: row {number}: {len(cells)} cells for {len(names)} columns. Fix the row, or write the "
                    "table again with quotes around text."
                )
            yield number, dict(zip(names, cells, strict=True))


@contextmanager
def zip_archive(path: str) -> Iterator[zipfile.ZipFile]:
    """Open a zip file; DataError if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError) as damage:
        raise DataError(f"{path}: the zip file is cut off or damaged ({damage}). Copy it again.") from None


def _text_rows(path: str, remedy: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row with its number; an error ends with ``remedy``."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
    with opened(path) as file:
        text = (line.decode() for line in bounded_lines(file, path))
        try:
            first = next(text, "")
            delimiter = delimiter_of(first)
            yield 1, column_names(first, delimiter)
            yield from enumerate(csv.reader(text, delimiter=delimiter, strict=True), 2)
        except UnicodeDecodeError as trouble:
            raise DataError(f"{path}: not UTF-8 ({trouble.reason}). Save the file as UTF-8.") from None
        except csv.Error as trouble:
            raise DataError(f"{path}: the table is broken ({trouble}). {remedy}") from None


def _sheet_rows(path: str) -> Iterator[tuple[int, list[str]]]:
    with zip_archive(path) as archive:
        if large := [member.filename for member in archive.infolist() if member.file_size > MAX_MEMBER]:
            raise DataError(f"{path}: {large[0]} in it unpacks to more than {MAX_MEMBER >> 20} MiB. Save it as TSV.")
    book = need("openpyxl", "xlsx").load_workbook(path, read_only=True)
    try:
        for number, cells in enumerate(book.worksheets[0].iter_rows(values_only=True), 1):
            yield number, ["" if cell is None else str(cell) for cell in cells]
    finally:
        book.close()
