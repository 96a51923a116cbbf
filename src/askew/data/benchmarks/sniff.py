"""Which benchmark a path holds, recognised by file names, keys of first records and column names.

``marks.yaml`` says for every reader what identifies its files, so that only the reader that fits is imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from askew.data.json_stream import glimpse
from askew.data.table_files import column_names, delimiter_of
from askew.errors import AskewError
from askew.files.paths import is_table
from askew.files.read_write import opened, resource

_DATA = re.compile(r"\.(json|jsonl|csv|tsv|parquet|txt)(\.gz)?$", re.IGNORECASE)
_HEAD = 1 << 16
_DEPTH = 4
"""How many levels of sub-folders are searched."""


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
        return [file for file in self.files if match_name(pattern, file)]

    @cached_property
    def start(self) -> FileStart:
        """How files begin; each is opened once."""
        return FileStart(cache(first_keys), cache(inner_keys), cache(_beginning))

    def of(self, reader: str) -> list[str]:
        """The files that match a reader's marks."""
        return sorted({file for mark in MARKS[reader] for file in mark.files(self)})


class FileStart(NamedTuple):
    """Functions that return what a file begins with."""

    first_keys: Callable[[str], frozenset[str]]
    inner_keys: Callable[[str], frozenset[str]]
    beginning: Callable[[str], bytes]


@dataclass(frozen=True)
class Mark:
    """What identifies a file; all the given conditions must hold.

    Without ``names`` it identifies only a file that is given as the path, not one in a folder.
    """

    names: str = ""
    """Its name (without folders and ``.gz``), as a regular expression."""
    keys: frozenset[str] = frozenset()
    """Keys of the first record of a JSON or JSONL file, or columns of a table."""
    folders: frozenset[str] = frozenset()
    """Possible names of its folder, or of the folder above."""
    without: frozenset[str] = frozenset()
    """Keys that the first record must not have."""
    inner: frozenset[str] = frozenset()
    """Keys of the first record of a JSON file ``{id: record}``."""
    begins: bytes = b""
    """A regular expression that its beginning must match."""
    annotations: bytes = b""
    """A regular expression that must occur in the beginning of the annotations file beside it."""
    beside: str = ""
    """The name of another file that must be there, as a regular expression."""
    alone: bool = False
    """Only if the file is given as the path: a folder that contains it may have another reader."""

    def files(self, contents: PathContents) -> list[str]:
        """The files at a path that it identifies."""
        if os.path.isdir(contents.path) and (self.alone or not self.names):
            return []
        if self.beside and not contents.named(self.beside):
            return []
        named = contents.named(self.names) if self.names else contents.files
        return [file for file in named if self._fits(file, contents.start)]

    def _fits(self, file: str, start: FileStart) -> bool:
        return (
            (not self.keys or start.first_keys(file) >= self.keys)
            and (not self.folders or not self.folders.isdisjoint(file.split(os.sep)[-3:-1]))
            and (not self.without or self.without.isdisjoint(start.first_keys(file)))
            and (not self.inner or start.inner_keys(file) >= self.inner)
            and (not self.begins or bool(re.match(self.begins, start.beginning(file), re.DOTALL)))
            and (not self.annotations or bool(re.search(self.annotations, start.beginning(_annotations(file)))))
        )


def _marks() -> Iterator[tuple[str, tuple[Mark, ...]]]:
    sets, patterns = ("keys", "folders", "without", "inner"), ("begins", "annotations")
    for reader, entries in resource("data/benchmarks/marks.yaml").items():
        read = dict.fromkeys(sets, frozenset) | dict.fromkeys(patterns, str.encode)
        yield reader, tuple(Mark(**{name: read.get(name, type(v))(v) for name, v in one.items()}) for one in entries)


MARKS: Mapping[str, tuple[Mark, ...]] = dict(_marks())
"""For each reader of a benchmark (module and class), the marks of its files; one is enough. Tried in this order."""


def sniff(path: str) -> str:
    """The reader of the benchmark at a path, as in ``MARKS``; empty if no mark fits."""
    contents = PathContents(path)
    return next((reader for reader in MARKS if contents.of(reader)), "")


def match_name(pattern: str, file: str) -> re.Match[str] | None:
    """How the name of a file (without folders and ``.gz``) matches a pattern as a whole, in any case of its letters."""
    return re.fullmatch(pattern, os.path.basename(file).removesuffix(".gz"), re.IGNORECASE)


def names_of(reader: str) -> str:
    """The regular expression for the names of a reader's files.

    >>> names_of("visdial:VisDial")
    'visdial_1\\\\.0_(?:train|val|test)\\\\.json'
    """
    return next(mark.names for mark in MARKS[reader] if mark.names)


def first_keys(path: str) -> frozenset[str]:
    """The keys of the first record of a JSON or JSONL file, or the columns of a table; empty if it has none."""
    try:
        if is_table(path):
            with opened(path) as file:
                line = file.read(_HEAD).split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip("\r")
            return frozenset(column_names(line, delimiter_of(line)))
        if path.endswith(".parquet"):
            return _columns(path)
        return frozenset(glimpse(path).keys)
    except (AskewError, OSError, UnicodeDecodeError):
        return frozenset()  # the reader of other formats says what is wrong


def inner_keys(path: str) -> frozenset[str]:
    """The keys of the first record of a JSON file ``{id: record}``; empty for other files."""
    if is_table(path) or path.endswith(".parquet"):
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


def _beginning(path: str) -> bytes:
    try:
        with opened(path) as file:
            return file.read(_HEAD)
    except (AskewError, OSError):
        return b""  # the reader of other formats says what is wrong


def _annotations(questions: str) -> str:
    from askew.data.benchmarks.vqa_records import annotations_of

    return annotations_of(questions) or ""
