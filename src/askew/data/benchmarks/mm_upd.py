"""MM-UPD (Miyai et al. 2024): multiple choice of MMBench, and the same questions made unsolvable.

Parquet files or TSVs with ``index, question, hint, A ... E, answer, masked_answer, type, category`` and an image as
base64. Of each index there is a ``standard`` row and an unsolvable one (``upd``), whose correct option is left out
(AAD), whose options are those of another question (IASD), or whose image is (IVQD). Rotations of the options have the
index plus a multiple of a million. The folder or file is named by the kind and by the setting, ``mmaad_base`` or
``mmaad_option``: with the option "None of the above" or without; the answer to a row without it is F.

An index is three groups, under the tag ``grouping``: its standard rows, its unsolvable rows, and both (``dual``).
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from askew.answers.choices import LETTERS
from askew.answers.no_option import NO_OPTION
from askew.data.bad_records import Sieve, distinct, gathered, short, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, bad_label
from askew.data.benchmarks.vlmevalkit import MILLION
from askew.data.jsonl import check_choices
from askew.data.table_files import BytesById, encoded_images, parquet_records, table_records, the_only
from askew.errors import BadRecord, DataError
from askew.files.paths import is_table
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

_PART = re.compile(r"mm(?P<kind>aad|iasd|ivqd)_(?P<setting>base|option|instruction)", re.IGNORECASE)
_NOTHING = ("", "nan", "none", "null")
"""Cells that are empty."""
_INSTRUCTION = {
    "aad": 'If all the options are incorrect, answer "F. None of the above".',
    "iasd": 'If all the options are incorrect, answer "F. None of the above".',
    "ivqd": 'If the given image is irrelevant to the question, answer "F. The image and question are irrelevant.".',
}
"""What the instruction setting adds to the base setting."""
_MASKED = ("aad", "iasd")
"""Kinds in which the answer that is left out is correct too."""


@dataclass(frozen=True, repr=False)
class MmUpd(GroupBenchmark):
    """MM-UPD: questions of MMBench with and without a correct answer (Miyai et al. 2024)."""

    title: ClassVar[str] = "MM-UPD"
    suites: ClassVar[Sequence[str]] = ("mm-upd",)
    rule: ClassVar[str] = "mm-upd"

    instruction: bool = False
    """Add the sentence of the instruction setting to the questions of the base setting."""

    def files(self) -> Sequence[str]:
        """The Parquet files or TSVs."""
        return self.marked_files("the folders mmaad_base, mmiasd_base, mmivqd_base, ... with their Parquet files")

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By type and index; the kind and setting are in the name of the file or folder, if the data have several."""
        index = record.get("index", record.get("question_id"))
        kind = record.get("eval_type", record.get("type"))
        if index is None or not isinstance(kind, str) or record.get("askew_ids"):
            return None
        parts = {self._part(path) for path in self.files()}
        named = _named(file)
        if not named and len(parts) > 1:
            raise BadRecord(
                f"the data have the parts {', '.join(sorted(parts))}, and the file does not say which it answers. "
                "Name it, or its folder, as lmms-eval does, e.g. mmaad_base."
            )
        part = named or next(iter(parts))
        return (f"{part}/{'standard' if kind == 'standard' else 'upd'}/{_index({'index': index})}",)

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The groups of each index: standard, unsolvable, both."""
        by_part: dict[str, list[str]] = {}
        for path in self.files():
            by_part.setdefault(self._part(path), []).append(path)
        for part, paths in by_part.items():
            images = BytesById(
                (_key(row), text(row, "image").encode("latin-1", "replace"))
                for path in paths
                for _, row in _records(Sieve(path, True))
            )
            for rows in gathered(self._rows(paths)):
                yield from self._groups(part, rows, images, counts)

    def _rows(self, paths: Sequence[str]) -> Iterator[tuple[int, Id, tuple[Sieve, Mapping[str, Any]]]]:
        """Each row, without its image, by its index without rotations."""
        for path in paths:
            sieve = self.sieve(path, "row")
            for number, _, row in distinct(sieve, _records(sieve), _key):
                yield number, _index(row) % MILLION, (sieve, {**row, "image": None})

    def _groups(
        self,
        part: str,
        rows: Sequence[tuple[int, tuple[Sieve, Mapping[str, Any]]]],
        images: BytesById,
        counts: Counter[str],
    ) -> Iterator[Group]:
        """The groups of one index; both types only if there are both."""
        found: dict[str, list[Question]] = {"standard": [], "upd": []}
        for number, (sieve, row) in sorted(rows, key=lambda one: _index(one[1][1])):
            key = _key(row)
            question = sieve.sift(number, key, self._question, part, row, images.get(key) or b"")
            if question is not None:
                counts[f"{row['type']} questions of {part}"] += 1
                found[row["type"]].append(question)
        if all(found.values()):
            found["dual"] = [*found["standard"], *found["upd"]]
        for grouping, members in found.items():
            if members:
                yield _group(grouping, members)

    def _question(self, part: str, row: Mapping[str, Any], image: bytes) -> Question:
        kind, _, setting = part.partition("-")
        shown = {letter: option for letter in LETTERS[:5] if (option := _cell(row, letter))}
        options = check_choices(tuple(shown.values()))
        answers = _answers(kind, row, shown)
        asked = text(row, "question").strip()
        hint = _cell(row, "hint")
        return Question(
            f"{part}/{_key(row)}",
            _image(image),
            f"{asked}\n{_INSTRUCTION[kind]}" if setting == "instruction" else asked,
            answers,
            Kind("choice", _cell(row, "category")),
            context=f"Hint: {hint}" if hint else "",
            tags=(("part", part), ("type", row["type"])),
            choices=options,
        )

    def _part(self, path: str) -> str:
        """The kind and the setting of a file, e.g. ``aad-base``."""
        part = _named(path)
        if not part:
            raise DataError(
                f"{path}: MM-UPD's kind and setting are in the name of the folder or file. Name it as published, e.g. "
                "mmaad_base, mmiasd_option, mmivqd_base."
            )
        return part.replace("-base", "-instruction") if self.instruction else part


def _answers(kind: str, row: Mapping[str, Any], shown: Mapping[str, str]) -> tuple[str, ...]:
    """The correct option; of an unsolvable row also that there is none, and what was left out."""
    answer = text(row, "answer").strip()
    if row["type"] == "standard":
        if answer not in shown:
            raise bad_label(answer, f"one of the letters {', '.join(shown)}")
        return (shown[answer],)
    if answer not in shown and answer != "F":
        raise bad_label(answer, f"F, or one of the letters {', '.join(shown)}")
    masked = _cell(row, "masked_answer") if kind in _MASKED else ""
    correct = (NO_OPTION, shown.get(answer, ""), masked)
    return tuple(filter(None, correct))


def _group(grouping: str, members: Sequence[Question]) -> Group:
    first, *rest = (
        replace(question, tags=tuple(sorted((*question.tags, ("grouping", grouping))))) for question in members
    )
    variants = tuple(Variant(question, Expect.GIVEN, grouping, f"mm-upd/{grouping}") for question in rest)
    return Group(f"{grouping}/{first.id}", "mm-upd", first, variants)


def _records(sieve: Sieve) -> Iterator[tuple[int, Mapping[str, Any]]]:
    return table_records(sieve) if is_table(sieve.path) else parquet_records(sieve.path)


def _image(cell: bytes) -> ImageRef:
    """The image of a row, known by its content: the rows of an index share one, except in IVQD."""
    found = the_only(encoded_images("", cell.decode("latin-1")))
    digest = hashlib.sha256(found.data or b"").hexdigest()
    return replace(found, id=digest[:16], sha256=digest)


def _cell(row: Mapping[str, Any], name: str) -> str:
    """The text of a cell; empty for what pandas writes for an empty one."""
    value = str(row.get(name, "")).strip()
    return "" if value.lower() in _NOTHING else value


def _index(row: Mapping[str, Any]) -> int:
    value = str(row.get("index", "")).strip()
    if not value.isdecimal():
        raise BadRecord(f"the index is {short(value)}; it must be a whole number. Fix the row.")
    return int(value)


def _key(row: Mapping[str, Any]) -> Id:
    """The type and the index, which only together name a row."""
    if row["type"] not in ("standard", "upd"):
        raise bad_label(row["type"], "standard or upd (type)")
    return f"{row['type']}/{_index(row)}"


def _named(path: str) -> str:
    """The kind and setting in the path of a file, the last if there are several; empty if there is none.

    >>> _named("data/mmaad_base/test-00000-of-00001.parquet"), _named("a.tsv")
    ('aad-base', '')
    """
    found = list(_PART.finditer(path))
    return f"{found[-1]['kind']}-{found[-1]['setting']}".lower() if found else ""
