"""A folder of tables (CSV, TSV) or JSONL files with the same columns: one data set, whose files are a tag."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from askew.data.bad_records import DataFiles, short
from askew.data.benchmarks.sniff import first_keys, sniff
from askew.data.benchmarks.vlmevalkit import VlmEvalKitTable
from askew.data.hub_records import question_files, split_of
from askew.data.jsonl import Jsonl, QuestionTable
from askew.errors import DataError
from askew.files.paths import is_table, stem_of
from askew.types import Id, Question

_SHOWN = 8
"""How many files an error names."""


@dataclass(frozen=True, repr=False)
class QuestionFolder(DataFiles):
    """The questions of all tables of a folder, or of its JSONL files if it has no tables, in the order of their names.

    The tag ``file`` is the path of a question's file below the folder, without its extension; ids begin with it.
    """

    path: str
    """The folder."""
    images: str | None = None
    """The folder of images; without it, images are looked for as for each file alone."""
    skip_bad: bool = False
    """Leave out bad records and list them in ``skipped``."""

    def __post_init__(self) -> None:
        columns = {name: first_keys(path) for name, path in self._named.items()}
        first = next(iter(columns.values()), frozenset())
        splits = {split for name in columns if (split := split_of(name))}
        others = [name for name, path in self._named.items() if sniff(path) not in ("", "vlmevalkit:VlmEvalKitTable")]
        if others:
            self._refuse(f"{short(others[0])} is a benchmark of its own")
        if "question" not in first:
            self._refuse("the first has no column 'question'")
        if len(splits) > 1:
            self._refuse(f"they are the splits {', '.join(sorted(splits))}")
        if is_table(next(iter(self._named.values()))):  # records of JSONL may leave fields out
            different = [name for name, found in columns.items() if found != first]
            if different:
                unlike = ", ".join(map(short, sorted(columns[different[0]] ^ first)))
                self._refuse(f"the columns of {short(different[0])} are not those of the first ({unlike})")

    @property
    def name(self) -> str:
        """The name of the folder."""
        return os.path.basename(os.path.abspath(self.path))

    @property
    def suites(self) -> Sequence[str]:
        """The suite of each file."""
        return VlmEvalKitTable.suites

    @property
    def extract(self) -> str:
        """As for each file."""
        return "short" if isinstance(next(iter(self._members.values())), VlmEvalKitTable) else "none"

    def files(self) -> Sequence[str]:
        """The tables or JSONL files."""
        return list(self._named.values())

    def questions(self) -> Iterator[Question]:
        """The questions of each file."""
        self.begin()
        for name, data in self._members.items():
            for question in data.questions():
                tags = {**dict(question.tags), "file": name}
                yield replace(question, id=f"{name}/{question.id}", tags=tuple(sorted(tags.items())))
            self.skipped.extend(data.skipped)
            self.remarks.extend(data.remarks)

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the ids of the file whose name the file of predictions has in its own, as in ``MODEL_OCRBench.xlsx``."""
        named = [name for name in self._members if stem_of(name).lower() in os.path.basename(file).lower()]
        longest = max(map(len, named), default=0)
        found = [name for name in named if len(name) == longest]
        data = self._members[found[0]] if len(found) == 1 else None
        own = data.answered(record, file) if isinstance(data, VlmEvalKitTable) else None
        return None if own is None else [f"{found[0]}/{key}" for key in own]

    def in_order(self) -> Mapping[str, Sequence[Question]]:
        """The questions in the order of each file."""
        found: dict[str, list[Question]] = {name: [] for name in self._members}
        for question in self.questions():
            found[dict(question.tags)["file"]].append(question)
        return found

    @cached_property
    def _named(self) -> Mapping[str, str]:
        """The files by their paths below the folder, without extensions."""
        files = question_files(self.path)
        if not files:
            raise DataError(f"{self.path}: there is neither a table (CSV, TSV) nor a JSONL file with questions here.")
        below = {file: os.path.relpath(file, self.path) for file in files}
        named = {os.path.join(os.path.dirname(name), stem_of(name)): file for file, name in below.items()}
        if len(named) < len(files):
            raise DataError(f"{self.path}: two files have the same name without extension. Rename one.")
        return named

    @cached_property
    def _members(self) -> Mapping[str, QuestionTable | Jsonl | VlmEvalKitTable]:
        found: dict[str, QuestionTable | Jsonl | VlmEvalKitTable] = {}
        for name, path in self._named.items():
            reader = Jsonl if not is_table(path) else VlmEvalKitTable if sniff(path) else QuestionTable
            found[name] = reader(path, images=self.images, skip_bad=self.skip_bad)
        return found

    def _refuse(self, reason: str) -> None:
        """Say why the files are not one data set, which there are, and what to type."""
        files = list(self._named.values())
        names = ", ".join(os.path.relpath(file, self.path) for file in files[:_SHOWN])
        more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
        raise DataError(
            f"{self.path}: the files {names}{more} are here, and {reason}, so they are not one data set. Give one, "
            f"e.g. {files[0]}"
        )
