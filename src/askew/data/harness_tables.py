"""Rows of tables (TSV, CSV, XLSX) and samples of zipped logs, as records with text in their fields."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import orjson

from askew.errors import BadRecord, DataError, need
from askew.files.limits import MAX_MEMBER, MAX_RECORD, bounded_lines, load_json
from askew.files.read_write import opened, opened_raw

_ZIP = b"PK\x03\x04"
_HEAD = 1 << 16


def zip_kind(path: str) -> str:
    """``xlsx``, ``inspect`` (its ``.eval`` log), or an empty string for a file that is not a zip file."""
    with opened_raw(path) as file:
        if file.read(4) != _ZIP:
            return ""
    with _archive(path) as archive:
        names = archive.namelist()
    if any(name.startswith("xl/") for name in names):
        return "xlsx"
    if any(name.startswith("samples/") for name in names) or "header.json" in names:
        return "inspect"
    raise DataError(f"{path}: this zip file is neither XLSX nor an inspect log. Unpack it and give one of its files.")


def looks_like_table(path: str) -> bool:
    """Whether the file begins with column names, one of them for answers."""
    with opened(path) as file:
        head = file.read(_HEAD).lstrip()
    if head[:1] in (b"{", b"["):
        return False
    names = head.split(b"\n", 1)[0].decode(errors="replace")
    columns = next(csv.reader([names], delimiter=_delimiter(names)), [])
    return bool({"prediction", "answer"} & {column.strip() for column in columns}) and len(columns) > 1


def table_rows(path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table with their numbers as in a spreadsheet: the header is row 1."""
    rows = _sheet_rows(path) if zip_kind(path) == "xlsx" else _text_rows(path)
    _, names = next(rows, (1, []))
    for number, cells in rows:
        if any(cells):
            if len(cells) != len(names):
                raise BadRecord(
                    f"{path}: row {number}: {len(cells)} cells for {len(names)} columns. Fix the row, or write the "
                    "table again with quotes around text."
                )
            yield number, dict(zip(names, cells, strict=True))


def zipped_samples(path: str) -> Iterator[tuple[int, Any]]:
    """The samples of an inspect ``.eval`` log, in its order."""
    with _archive(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]
        for number, name in enumerate(names, 1):
            yield number, _sample(path, archive, name)


def _sample(path: str, archive: zipfile.ZipFile, name: str) -> Any:
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


@contextmanager
def _archive(path: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError) as damage:
        raise DataError(f"{path}: the zip file is cut off or damaged ({damage}). Copy it again.") from None


def _text_rows(path: str) -> Iterator[tuple[int, list[str]]]:
    with opened(path) as file:
        text = (line.decode() for line in bounded_lines(file, path))
        try:
            first = next(text, "")
            yield 1, [name.strip() for name in next(csv.reader([first], delimiter=_delimiter(first)), [])]
            yield from enumerate(csv.reader(text, delimiter=_delimiter(first), strict=True), 2)
        except UnicodeDecodeError as trouble:
            raise DataError(f"{path}: not UTF-8 ({trouble.reason}). Save the file as UTF-8.") from None
        except csv.Error as trouble:
            raise DataError(f"{path}: the table is broken ({trouble}). Write it again.") from None


def _sheet_rows(path: str) -> Iterator[tuple[int, list[str]]]:
    with _archive(path) as archive:
        if large := [member.filename for member in archive.infolist() if member.file_size > MAX_MEMBER]:
            raise DataError(f"{path}: {large[0]} in it unpacks to more than {MAX_MEMBER >> 20} MiB. Save it as TSV.")
    book = need("openpyxl", "xlsx").load_workbook(path, read_only=True)
    try:
        for number, cells in enumerate(book.worksheets[0].iter_rows(values_only=True), 1):
            yield number, ["" if cell is None else str(cell) for cell in cells]
    finally:
        book.close()


def _delimiter(names: str) -> str:
    return "\t" if "\t" in names else ","
