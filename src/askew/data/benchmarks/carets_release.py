"""The release of CARETS (Jimenez et al. 2022), 27 JSON lists, and the files that ``askew build`` writes in its format.

A record is ``{"img_id", "label": {answer: 1.0}, "question_id", "sent", "question_type", "assignment"}``. A changed
question has the id of its original and a suffix that names the test; originals and changed questions are mixed. The
released files have no suffix for changed images; ours have ``-v1``, ``-v2``, ...
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.data.bad_records import Sieve, identity, mapping, text, wrong
from askew.data.benchmarks.benchmark_reader import GroupBenchmark
from askew.data.disk_index import distinct, gathered
from askew.errors import BadRecord
from askew.types import Expect, Group, Id, Kind, Question, Variant

TEST_OF_SUFFIX = {
    "t": "REPHRASE-INV",
    "s": "ORDER-INV",
    "h": "ONTOLOGICAL-INV",
    "v": "VISUAL-INV",
    "n": "NEGATION-DIR",
    "a": "ANTONYM-DIR",
}
PAPER_PAIRS = {
    "REPHRASE-INV": 19412,
    "ORDER-INV": 14412,
    "ONTOLOGICAL-INV": 13952,
    "VISUAL-INV": 26272,
    "NEGATION-DIR": 10000,
    "ANTONYM-DIR": 5000,
}
"""Table 6 of the paper."""
RELEASED_FILES = 27
_RELEASED = re.compile(r".+_test\.json")
_CHANGED = re.compile(r"(.+)-([tshna]|v\d*)")
_LOGIC = {"Q2": "conjunction", "Q3": "disjunction"}
_WANTED = "the JSON lists of the release (..._test.json), or rephrase_inv.json, ... as askew build writes them"


@dataclass(frozen=True, repr=False)
class CaretsRelease(GroupBenchmark):
    """The released questions of CARETS, or a benchmark that askew built in that format (Jimenez et al. 2022)."""

    title: ClassVar[str] = "CARETS"
    suites: ClassVar[Sequence[str]] = ("carets",)

    def files(self) -> Sequence[str]:
        """All files of the folder that have the release's keys."""
        return self.marked_files(_WANTED)

    def expected(self) -> Mapping[str, int]:
        """Empty: the paper's sizes are only remarks, since a few of the files are useful too."""
        return {}

    def in_the_paper(self) -> Mapping[str, str]:
        """The pairs of each test, for files of the release."""
        if not self._released():
            return {}
        return {f"pairs of {test}": f"{size:,}, Table 6" for test, size in PAPER_PAIRS.items()}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The pairs of every file, in its order."""
        unchanged: Counter[str] = Counter()
        for path in self.files():
            for group in self._groups_of(path, unchanged):
                counts[f"pairs of {group.variants[0].test}"] += len(group.variants)
                yield group
        released = self._released()
        if released and os.path.isdir(self.path):
            self.remarks.append(f"{self.title}: {len(released)} of {RELEASED_FILES} expected files.")
        for name, count in unchanged.items():
            self.remarks.append(
                f"{self.title}: left out because nothing was made from them: {count:,} questions of {name}."
            )

    def _released(self) -> list[str]:
        return [path for path in self.files() if _RELEASED.fullmatch(os.path.basename(path))]

    def _groups_of(self, path: str, unchanged: Counter[str]) -> Iterator[Group]:
        sieve, name = self.sieve(path), os.path.basename(path)
        stem = name.split(".")[0]
        rows = distinct(sieve, self.records(sieve), _key)
        for members in gathered((number, _parts(str(key))[0], record) for number, key, record in rows):
            first = [row for row in members if not _parts(_key(row[1]))[1]]
            changed = [row for row in members if _parts(_key(row[1]))[1]]
            if not first:
                fault = BadRecord("the question it was made from is not in the file. Use the complete file.")
                sieve.refuse(changed[0][0], fault, _key(changed[0][1]))
                continue
            if not changed:
                unchanged[name] += 1
            yield from self._pairs(sieve, stem, first[0], changed)

    def _pairs(
        self, sieve: Sieve, stem: str, first: tuple[int, Any], changed: Sequence[tuple[int, Any]]
    ) -> Iterator[Group]:
        """One group for each test that changes the question."""
        original = sieve.sift(first[0], _key(first[1]), self._question, stem, first[1])
        variants: dict[str, list[Variant]] = {}
        for number, record in changed:
            question = sieve.sift(number, _key(record), self._question, stem, record)
            if original is not None and question is not None:
                variant = _variant(original, question, record)
                variants.setdefault(variant.test, []).append(variant)
        if original is not None:
            for test, made in variants.items():
                yield Group(f"{original.id}/{test}", "carets", original, tuple(made))

    def _question(self, stem: str, record: Mapping[str, Any]) -> Question:
        image = identity(record, "img_id")
        answers = _answers(record)
        kind = Kind("yes/no" if set(answers) <= {"yes", "no"} else "other", text(record, "question_type", ""))
        found = self.image_of(image, f"{image}.jpg", f"{image}.png", str(image))
        return Question(f"{stem}/{_key(record)}", found, text(record, "sent"), answers, kind)


def _variant(original: Question, question: Question, record: Mapping[str, Any]) -> Variant:
    suffix = _parts(_key(record))[1]
    test = TEST_OF_SUFFIX[suffix[0]]
    expect = Expect.DIFFERENT if test.endswith("-DIR") else Expect.SAME
    change = text(record, "image_change", "")
    made_by = f"visual/{change}" if change else f"carets/{question.kind.question_type or suffix[0]}"
    return Variant(question, expect, test, made_by, _note(original, record, test))


def _note(original: Question, record: Mapping[str, Any], test: str) -> dict[str, Any]:
    """The note that assigns a pair to the columns of Tables 2, 3 and 4, derived from the answer and the options."""
    arguments = record.get("assignment")
    note: dict[str, Any] = {"arguments": arguments} if isinstance(arguments, dict) else {}
    binary = original.kind.answer_type == "yes/no"
    if test == "ONTOLOGICAL-INV" and binary:
        note["direction"] = "hypernym" if original.answers == ("yes",) else "hyponym"
    if test in ("REPHRASE-INV", "ORDER-INV"):
        note["form"] = "binary" if binary else "multi-choice"
        options = note.get("arguments", {}).get("options")
        if not binary and isinstance(options, list):
            note["choices"] = f"{len(options)}-choice"
    if test == "ORDER-INV" and original.kind.question_type in _LOGIC:
        note["order"] = _LOGIC[original.kind.question_type]
    return note


def _answers(record: Mapping[str, Any]) -> tuple[str, ...]:
    label = record.get("label")
    if not isinstance(label, dict) or not label:
        raise wrong("label", "an object {answer: 1.0}", label)
    return tuple(label)


def _parts(key: str) -> tuple[str, str]:
    """The id of the original, and the suffix of a changed question.

    >>> _parts("2354786-3-12"), _parts("2354786-3-12-t")
    (('2354786-3-12', ''), ('2354786-3-12', 't'))
    """
    match = _CHANGED.fullmatch(key)
    return (match[1], match[2]) if match else (key, "")


def _key(record: object) -> str:
    key: Id = identity(mapping(record), "question_id")
    return str(key)
