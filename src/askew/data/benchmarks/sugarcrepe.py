"""SugarCrepe (Hsieh et al. 2023): a caption and a wrong one that differs in an object, attribute or relation.

Files ``add_att.json``, ``swap_obj.json``, ...: ``{key: {"filename", "caption", "negative_caption"}}``, images of COCO
val2017. Each becomes a two-choice question in both orders.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from askew.data.bad_records import distinct, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, inner_keys, names_of
from askew.data.json_stream import pairs
from askew.data.jsonl import check_choices
from askew.errors import BadRecord, DataError
from askew.files.paths import stem_of
from askew.types import Expect, Group, Id, Kind, Question, Variant

SIZES: Mapping[str, int | tuple[int, ...]] = {
    "add_att": 692,
    "add_obj": 2062,
    "replace_att": 788,
    "replace_obj": 1652,
    "replace_rel": 1406,
    "swap_att": 666,
    "swap_obj": (245, 246),
}
"""Captions of each file; one was removed from ``swap_obj`` after the paper."""
CAPTION_QUESTION = "Which caption fits the image?"
_FILE = names_of("sugarcrepe:SugarCrepe")
_DATA = "data"
"""The folder of the repository that is evaluated; ``data_unrefined`` beside it has the same names."""
_KEYS = {"filename", "caption", "negative_caption"}
_ORDERS = {"positive-first": "", "negative-first": "/swapped"}
"""Folders of replies in the repository, and what the ids of their questions end with."""


@dataclass(frozen=True, repr=False)
class SugarCrepe(GroupBenchmark):
    """SugarCrepe: the correct or a slightly wrong caption, asked in both orders (Hsieh et al. 2023)."""

    title: ClassVar[str] = "SugarCrepe"
    suites: ClassVar[Sequence[str]] = ("sugarcrepe",)
    rule: ClassVar[str] = "short"

    def files(self) -> Sequence[str]:
        """The files that are there, one for each kind of change."""
        if not os.path.isdir(self.path):
            if not inner_keys(self.path) >= _KEYS:
                raise wrong_file(self.path, self.title, "one of add_att.json, ..., swap_obj.json")
            return [self.path]
        found = PathContents(self.path).named(_FILE)
        if not found:
            raise missing_files(self.path, self.title, "add_att.json, replace_obj.json, ... of its repository (data)")
        folders = sorted({os.path.dirname(file) for file in found})
        chosen = next((folder for folder in folders if os.path.basename(folder) == _DATA), folders[0])
        if len(folders) > 1 and os.path.basename(chosen) != _DATA:
            raise DataError(
                f"{self.path}: files of {self.title} are in {len(folders)} folders: {', '.join(folders)}. Give one of "
                f"them, e.g. sugarcrepe:{chosen}"
            )
        return [file for file in found if os.path.dirname(file) == chosen]

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the image and both captions, and the order named by the folder: positive or negative caption first."""
        if not record.keys() >= _KEYS:
            return None
        order = next((name for name in _ORDERS if name in file), "")
        if not order:
            raise BadRecord(
                f"the order of its captions is not known. Put the file into a folder {' or '.join(_ORDERS)}, as in the "
                "repository (gpt-4v-results)."
            )
        found = self._by_captions.get(_captions(record), [])
        found = [key for key in found if key.split("/")[0] in file] or found  # the kind, if the file names it
        return [f"{key}{_ORDERS[order]}" for key in found[:1]]

    @cached_property
    def _by_captions(self) -> Mapping[tuple[str, ...], list[str]]:
        found: dict[tuple[str, ...], list[str]] = {}
        for path in self.files():
            for _, (key, record) in pairs(path):
                found.setdefault(_captions(record), []).append(f"{stem_of(path)}/{key}")
        return found

    def expected(self) -> Mapping[str, int | tuple[int, ...]]:
        """The sizes of the files that are there."""
        stems = (stem_of(file) for file in self.files())
        return {f"captions in {stem}.json": SIZES[stem] for stem in stems if stem in SIZES}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """One group for each caption: the two orders of the options."""
        found = {stem_of(file) for file in self.files()}
        if os.path.isdir(self.path) and (absent := [stem for stem in SIZES if stem not in found]):
            self.remarks.append(f"{self.title}: these files are not here: {', '.join(f'{a}.json' for a in absent)}.")
        for path in self.files():
            sieve, stem = self.sieve(path), stem_of(path)
            for number, key, (_, record) in distinct(sieve, pairs(path), lambda pair: pair[0]):
                group = sieve.sift(number, key, self._group, stem, f"{stem}/{key}", record)
                if group is not None:
                    counts[f"captions in {stem}.json"] += 1
                    yield group

    def _group(self, stem: str, key: str, record: object) -> Group:
        fields: Mapping[str, Any] = mapping(record)
        caption = text(fields, "caption")
        options = check_choices((caption, text(fields, "negative_caption")))
        image = self.image(text(fields, "filename"))
        first = Question(key, image, CAPTION_QUESTION, (caption,), Kind("choice", stem), choices=options)
        swapped = replace(first, id=f"{key}/swapped", choices=options[::-1])
        return Group(key, "sugarcrepe", first, (Variant(swapped, Expect.SAME, stem, "sugarcrepe/order"),))


def _captions(record: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(record.get(name)) for name in sorted(_KEYS))
