"""Choose the reader for a path by its content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from importlib import import_module

from askew.data.bad_records import short
from askew.data.benchmarks.sniff import MARKS, first_keys, sniff
from askew.data.hub_records import is_hub_path, question_files
from askew.data.json_stream import format_of, glimpse
from askew.errors import DataError
from askew.files.paths import is_table
from askew.files.read_write import opened, resource
from askew.verbs import Dataset

READERS = {
    "vqa": "askew.data.benchmarks.vqa:Vqa",
    "gqa": "askew.data.benchmarks.gqa:Gqa",
    "groups": "askew.data.groups:GroupFile",
    "hub": "askew.data.hub_questions:HubQuestions",
    "csv": "askew.data.jsonl:QuestionTable",
    "folder": "askew.data.question_folder:QuestionFolder",
    "jsonl": "askew.data.jsonl:Jsonl",
    "lines": "askew.data.jsonl:Lines",
}
"""Readers of general formats, imported when they are needed."""
RELEASE = "release.json"
"""The manifest in a folder written by ``askew collect export``."""
GROUPS = "groups.jsonl"
"""A file in every folder written by ``askew build``."""
_TEXT = (".txt", ".txt.gz")
_WORLD = os.path.join("images", ".drawn")
"""A file in every folder written by ``askew world``."""
_QUESTIONS_FILE = re.compile(r"questions(_\d+)?\.json(\.gz)?$")
_KNOWN = (
    "Known formats: VQA v2 or GQA questions, in a file or folder; published benchmarks (askew ls reader lists them); "
    "JSONL, CSV, TSV or Parquet with image, question and answer; groups; JSON with conversations; WebDataset archives "
    "(.tar); .txt with one question per line"
)
_ADVICE = {
    "annotations": "this is a VQA annotations file. Give the questions file, and this one as annotations=...",
    "scenes": "this is a GQA scene graph file. Give the questions file, and this one as scenes=...",
    "results": "this is a file of predictions (it has no field 'question'). Give the questions as data, and "
    "this one as the model: predictions:...",
}


def open_path(path: str | os.PathLike[str], *, images: str | None = None, skip_bad: bool = False) -> Dataset:
    """The data set at a path: a benchmark, VQA v2, GQA, our own JSONL or JSON, a table, groups, or text (``.txt``).

    For a folder written by ``askew world``, ``askew build`` or ``askew collect export``: the questions of a split, or
    the groups.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        before, comma, options = path.partition(",")
        if comma and "=" in options and os.path.exists(before):
            raise DataError(f"{path}: options need the name of a reader before the path: {_named(before)}:{path}")
        raise DataError(f"{path}: there is no such file or folder. Put the data there, or give the path where it is.")
    kind, file = _kind_and_file(path)
    module, _, name = READERS.get(kind, f"askew.data.benchmarks.{kind}").partition(":")
    reader: Callable[..., Dataset] = vars(import_module(module))[name]
    return reader(file, skip_bad=skip_bad) if kind == "lines" else reader(file, images=images, skip_bad=skip_bad)


def _named(path: str) -> str:
    """What the reader of a path is called in specs."""
    kind = _kind_and_file(path)[0]
    place = READERS.get(kind, f"askew.data.benchmarks.{kind}")
    readers: Mapping[str, str] = resource("components.yaml")["reader"]
    return next((name for name, known in readers.items() if known == place), kind)


def _kind_and_file(path: str) -> tuple[str, str]:
    """A format, or the reader of a benchmark as in ``MARKS``; and the file to read, which is usually the path."""
    if path.endswith(_TEXT):
        return "lines", path
    if os.path.isfile(os.path.join(path, RELEASE)):
        return "jsonl", _release_split(path)
    if os.path.isfile(os.path.join(path, _WORLD)):
        return "jsonl", _world_split(path)
    if os.path.isfile(groups := os.path.join(path, GROUPS)):
        return "groups", groups
    kind = sniff(path) or _format(path)
    if kind not in READERS and kind not in MARKS:
        raise DataError(f"{path}: {_ADVICE.get(kind) or _unknown(path)}.")
    return kind, path


def _unknown(path: str) -> str:
    """What is said of a path in no known format; of JSON, the fields that there are."""
    fields = glimpse(path).keys[:8] if os.path.isfile(path) else ()
    found = f": the fields of its first record are {', '.join(map(short, fields))}" if fields else ""
    advice = f"; name one 'question', or say which it is: hub:{path},question=FIELD" if fields else ""
    return f"askew cannot read this as data{found}{advice}. {_KNOWN}"


def _format(path: str) -> str:
    """The format of a path that is not a benchmark."""
    if is_hub_path(path):
        return "hub"
    if os.path.isdir(path):
        return _format_in(path)
    if not is_table(path):
        return format_of(path)
    with opened(path):
        pass  # refuses an empty file or a pointer
    if "question" not in (columns := first_keys(path)):
        named = ", ".join(map(short, sorted(columns)[:8]))
        raise DataError(f"{path}: its first row names the columns {named}; name one 'question'. {_KNOWN}.")
    return "csv"


def _release_split(folder: str) -> str:
    """The test questions of a folder written by ``askew collect export``."""
    path = os.path.join(folder, "test.jsonl")
    if os.path.isfile(path) and not os.path.getsize(path):
        splits = [os.path.join(folder, name) for name in ("dev.jsonl", "train.jsonl")]
        filled = [split for split in splits if os.path.isfile(split) and os.path.getsize(split)]
        advice = f"Give another split: {filled[0]}" if filled else "Its other splits are empty too."
        raise DataError(f"{path}: this release has no test questions. {advice}")
    return path


def _world_split(folder: str) -> str:
    """The questions of a folder written by ``askew world``: the default split of ``world``."""
    path = os.path.join(folder, "val.jsonl")
    if os.path.isfile(path) and not os.path.getsize(path):
        raise DataError(
            f"{path}: this world has too few scenes for a val split. Give another split: "
            f"{os.path.join(folder, 'train.jsonl')}, or write a world of 20 scenes or more."
        )
    return path


def _format_in(folder: str) -> str:
    """``vqa`` or ``gqa`` if all questions files of a folder are of that kind, ``folder`` if it has tables or JSONL."""
    inside = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    found: dict[str, str] = {}
    for file in filter(_QUESTIONS_FILE.search, inside):
        found.setdefault(format_of(file), file)
    kinds = sorted(found.keys() & {"vqa", "gqa"}, reverse=True)
    if len(kinds) > 1:
        files = " or ".join(found[kind] for kind in kinds)
        raise DataError(f"{folder}: VQA and GQA questions are in this folder. Give one of the files, e.g. {files}")
    if not kinds and question_files(folder):
        return "folder"
    return kinds[0] if kinds else ""
