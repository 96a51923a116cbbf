"""Which benchmark a path holds, told by file names, keys of first records and column names."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from askew.data.json_stream import glimpse
from askew.errors import AskewError
from askew.files.read_write import opened

_DATA = re.compile(r"\.(json|jsonl|csv|tsv|parquet)(\.gz)?$", re.IGNORECASE)
_TABLE = re.compile(r"\.(csv|tsv)(\.gz)?$", re.IGNORECASE)
_HEAD = 1 << 16
_DEPTH = 4
"""How many levels of sub-folders are looked into."""


@dataclass(frozen=True)
class PathContents:
    """What can be seen of a path without reading it: the names of its files, and how a file begins."""

    path: str

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The data files: the file itself, or those of the folder and its sub-folders, sorted."""
        if not os.path.isdir(self.path):
            return (self.path,)
        found = []
        base = self.path.rstrip(os.sep).count(os.sep)
        for place, folders, names in os.walk(self.path):
            if place.count(os.sep) - base >= _DEPTH:
                folders.clear()
            found += [os.path.join(place, name) for name in names if _DATA.search(name)]
        return tuple(sorted(found))

    def named(self, pattern: str) -> list[str]:
        """The data files whose name (without folders) matches the pattern as a whole."""
        whole = re.compile(pattern, re.IGNORECASE)
        return [file for file in self.files if whole.fullmatch(re.sub(r"\.gz$", "", os.path.basename(file)))]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the first record of a file, or the columns of a table; empty for a folder."""
        return frozenset() if os.path.isdir(self.path) else first_keys(self.path)

    @cached_property
    def inner(self) -> frozenset[str]:
        """The keys of the first object inside a JSON file's first object, e.g. of ``{id: {...}}``; else empty."""
        return frozenset() if os.path.isdir(self.path) else inner_keys(self.path)


class Sniffer(Protocol):
    """A reader that recognises its files."""

    @classmethod
    def sniff(cls, contents: PathContents) -> bool:
        """Whether the path holds this benchmark."""
        ...


def first_keys(path: str) -> frozenset[str]:
    """The keys of the first record of a JSON or JSONL file, or the columns of a table; empty if it has none."""
    try:
        if _TABLE.search(path):
            with opened(path) as file:
                line = file.read(_HEAD).split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip("\r")
            delimiter = "\t" if "\t" in line else ","
            return frozenset(column.strip() for column in next(csv.reader([line], delimiter=delimiter), []))
        if path.endswith(".parquet"):
            return _columns(path)
        return frozenset(glimpse(path).keys)
    except (AskewError, OSError, UnicodeDecodeError):
        return frozenset()  # the reader of other formats says what is wrong


def inner_keys(path: str) -> frozenset[str]:
    """The keys of the first record of a JSON file ``{id: record}``; empty for other files."""
    if _TABLE.search(path) or path.endswith(".parquet"):
        return frozenset()
    try:
        return frozenset(glimpse(path).inner)
    except (AskewError, OSError, UnicodeDecodeError):
        return frozenset()  # the reader of other formats says what is wrong


def _columns(path: str) -> frozenset[str]:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ModuleNotFoundError:
        return frozenset()
    try:
        return frozenset(parquet.read_schema(path).names)
    except ArrowInvalid:
        return frozenset()
