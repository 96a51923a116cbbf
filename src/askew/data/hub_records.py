"""Records as hubs and training code store them: Parquet, folders of ``datasets``, WebDataset archives, JSON.

Each record is an object of columns; an encoded image in it is bytes, or ``{"bytes", "path"}`` as in the hub's image
columns. Records are streamed, a few in memory at a time, and images are never decoded here.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from askew.data.bad_records import Sieve
from askew.data.json_stream import first_character, format_of, glimpse, is_seed_bench, items, pairs
from askew.data.jsonl import valid_lines
from askew.data.table_files import BATCH, parquet_records
from askew.errors import DataError, need
from askew.files.limits import MAX_RECORD, load_json
from askew.files.paths import is_table

_SHARD = re.compile(r"\.(?:parquet|arrow|tar)$", re.IGNORECASE)
_SPLIT = re.compile(r"(?:^|[/_-])(train|training|validation|val|valid|dev|testdev|testmini|test)(?=$|[/_.-])")
"""The split of a shard, in its name or in that of its folder."""
_NUMBERED = re.compile(r"(?P<split>[^/\\]+)-\d{5}-of-\d{5}\.[a-z]+$", re.IGNORECASE)
"""The name of a shard, as the hub and ``datasets`` write it."""
_SAME = {"training": "train", "validation": "val", "valid": "val", "dev": "val"}
_CACHE = "cache-"
"""In the names of files that ``datasets`` writes beside a saved data set for itself."""
_JSONL = (".jsonl", ".jsonl.gz")
_IMAGES = ("jpg", "jpeg", "png", "webp")
_TEXTS = {"txt": "answer", "cls": "answer", "text": "answer"}
"""Members of WebDataset samples that hold one text."""


def is_hub_path(path: str) -> bool:
    """Whether a path is a shard, or a folder of shards."""
    return bool(_SHARD.search(path)) or (os.path.isdir(path) and bool(_shards(path)))


def hub_files(path: str, split: str | None) -> Sequence[str]:
    """The file itself, or the shards of one split of a folder; DataError if there are several splits."""
    if not os.path.isdir(path):
        return [path]
    by_split: dict[str, list[str]] = {}
    for shard in _shards(path):
        by_split.setdefault(split_of(os.path.relpath(shard, path)), []).append(shard)
    wanted = _SAME.get(split, split) if split else next(iter(by_split), "")
    if (len(by_split) > 1 and split is None) or wanted not in by_split:
        there = ", ".join(f"{name or 'unnamed'} ({len(files)})" for name, files in by_split.items()) or "none"
        raise DataError(
            f"{path}: the splits of its Parquet, Arrow or tar files are: {there}. Pick one: hub:{path},split=test; or "
            "give a file or sub-folder."
        )
    return by_split[wanted]


def split_of(name: str) -> str:
    """The split in the name of a shard, or else in its folders'; empty if there is none.

    >>> split_of("data/validation-00000-of-00002.parquet"), split_of("test/data-00000.arrow"), split_of("a.tar")
    ('val', 'test', '')
    """
    shard = _NUMBERED.search(name)
    if shard and shard["split"] != "data":
        return _SAME.get(shard["split"], shard["split"])
    found: str = next(iter(_SPLIT.findall(name.lower())[::-1]), "")
    return _SAME.get(found, found)


def _shards(folder: str) -> list[str]:
    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if _SHARD.search(name) and not name.startswith(_CACHE)
    )


def hub_records(sieve: Sieve) -> Iterator[tuple[int, Any]]:
    """The records of one file with their numbers from 1."""
    path = sieve.path
    if path.endswith(".parquet"):
        return parquet_records(path)
    if path.endswith(".arrow"):
        return _arrow_records(path)
    if path.endswith(".tar"):
        return _samples(path)
    if first_character(path) == "[":
        return items(path, "")
    if is_seed_bench(glimpse(path)):
        return items(path, "questions")
    if is_keyed(path):
        return ((number, {"id": key, **record}) for number, (key, record) in pairs(path) if isinstance(record, dict))
    return valid_lines(sieve)


def is_keyed(path: str) -> bool:
    """Whether a JSON file is an object of records with questions, by id (MM-Vet, ScienceQA)."""
    shape = glimpse(path)
    return shape.top == "{" and {"question", "answer"} <= set(shape.inner)


def columns_of(path: str) -> Sequence[str]:
    """The columns of a shard, or the fields of the first record."""
    for _, record in hub_records(Sieve(path, True)):
        return list(record) if isinstance(record, Mapping) else []
    return []


def _arrow_records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file of ``save_to_disk``: Arrow's stream format, in older versions its file format."""
    arrow = need("pyarrow", "parquet")
    number = 0
    try:
        with arrow.memory_map(path) as file:
            try:
                batches = iter(arrow.ipc.open_stream(file))
            except arrow.ArrowInvalid:
                whole = arrow.ipc.open_file(file)
                batches = (whole.get_batch(place) for place in range(whole.num_record_batches))
            for batch in batches:
                for start in range(0, batch.num_rows, BATCH):
                    for row in batch.slice(start, BATCH).to_pylist():
                        number += 1
                        yield number, row
    except (arrow.ArrowException, OSError) as trouble:
        raise DataError(f"{path}: cannot be read as Arrow ({trouble}). Copy or download it again.") from None


def _samples(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The samples of a WebDataset archive: consecutive members with one name, in which an extension is a column."""
    try:
        with tarfile.open(path, "r|*") as archive:
            members = ((*os.path.split(member.name), member) for member in archive if member.isfile())
            named = ((os.path.join(place, name.split(".")[0]), name, member) for place, name, member in members)
            for number, (key, sample) in enumerate(groupby(named, lambda member: member[0]), 1):
                record: dict[str, Any] = {"__key__": key}
                for _, name, member in sample:
                    if member.size > MAX_RECORD:
                        raise DataError(f"{path}: {member.name} is larger than {MAX_RECORD >> 20} MiB, the limit.")
                    file = archive.extractfile(member)
                    record.update(_column(path, name, file.read() if file else b""))
                yield number, record
    except (tarfile.TarError, EOFError) as trouble:
        raise DataError(f"{path}: the archive is cut off or damaged ({trouble}). Copy it again.") from None


def _column(path: str, name: str, content: bytes) -> dict[str, Any]:
    """The columns of one member."""
    extension = name.lower().partition(".")[2]
    if extension in _IMAGES:
        return {"image": {"bytes": content, "path": name}}
    try:
        if extension == "json":
            fields = load_json(content)
            return fields if isinstance(fields, dict) else {"json": fields}
        return {_TEXTS.get(extension, extension): content.decode().strip()}
    except (orjson.JSONDecodeError, UnicodeDecodeError) as trouble:
        raise DataError(f"{path}: {name} in it is neither JSON nor UTF-8 text ({trouble}). Write it again.") from None


def question_files(folder: str) -> list[str]:
    """The tables of a folder and its sub-folders, or else its JSONL files if all hold questions; sorted."""
    inside = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    listed = [file for file in inside if file.endswith(_JSONL)]
    return [file for file in inside if is_table(file)] or (
        listed if all(format_of(file) == "jsonl" for file in listed) else []
    )
