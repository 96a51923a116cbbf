"""The released questions of CARETS, RAD and VQA P2, whose perturbations askew also makes itself.

CARETS (Jimenez et al. 2022): 27 JSON lists, and the files that ``askew build`` writes in its format. A record is
``{"img_id", "label": {answer: 1.0}, "question_id", "sent", "question_type", "assignment"}``. A changed question has the
id of its original and a suffix that names the test; originals and changed questions are mixed. The released files have
no suffix for changed images; ours have ``-v1``, ``-v2``, ...

RAD (Rosenberg et al. 2021): questions of VQA v2 asked again as yes/no questions. Files
``yes-no_from_{colors,how-many,what-kind}_{train,val}_{questions,annotations}.json`` in the format of VQA v2. How a
question refers to the one it was made from is not documented: by the same id, or by an ``original_id``.

VQA P2 (Whitehead et al. 2020): questions of VQA v2 with one word or phrase replaced. Files ``vqap2.questions.json`` and
``vqap2.annotations.json`` in the format of VQA v2, with ``original_id``, ``perturbation`` (``syn``, ``para``, ``ant``)
and ``src``; also as ``askew build --suite p2`` writes them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from askew.data.bad_records import Sieve, distinct, gathered, identity, mapping, short, text, wrong
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, missing_files
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.benchmarks.vqa import question_id
from askew.data.benchmarks.vqa_records import (
    Fields,
    answered_pair,
    linked_groups,
    original_questions,
    variant_of,
)
from askew.errors import BadRecord
from askew.files.paths import stem_of
from askew.types import Expect, Group, Id, Kind, Question, Variant

TEST_OF_SUFFIX = {
    "t": "REPHRASE-INV",
    "s": "ORDER-INV",
    "h": "ONTOLOGICAL-INV",
    "v": "VISUAL-INV",
    "n": "NEGATION-DIR",
    "a": "ANTONYM-DIR",
}
CARETS_PAIRS = {
    "REPHRASE-INV": 19412,
    "ORDER-INV": 14412,
    "ONTOLOGICAL-INV": 13952,
    "VISUAL-INV": 26272,
    "NEGATION-DIR": 10000,
    "ANTONYM-DIR": 5000,
}
"""Table 6 of the paper."""
CARETS_FILES = 27
_CARETS_FILE = re.compile(r".+_test\.json")
_CHANGED = re.compile(r"(.+)-([tshna]|v\d*)")
_LOGIC = {"Q2": "conjunction", "Q3": "disjunction"}
_CARETS_WANTED = "the JSON lists of the release (..._test.json), or rephrase_inv.json, ... as askew build writes them"


@dataclass(frozen=True, repr=False)
class CaretsRelease(GroupBenchmark):
    """The released questions of CARETS, or a benchmark that askew built in that format (Jimenez et al. 2022)."""

    title: ClassVar[str] = "CARETS"
    suites: ClassVar[Sequence[str]] = ("carets",)

    def files(self) -> Sequence[str]:
        """All files of the folder that have the release's keys."""
        return self.marked_files(_CARETS_WANTED)

    def in_the_paper(self) -> Mapping[str, str]:
        """The pairs of each test, for files of the release."""
        if not self._released():
            return {}
        return {f"pairs of {test}": f"{size:,}, Table 6" for test, size in CARETS_PAIRS.items()}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The pairs of every file, in its order."""
        unchanged: Counter[str] = Counter()
        for path in self.files():
            for group in self._groups_of(path, unchanged):
                counts[f"pairs of {group.variants[0].test}"] += len(group.variants)
                yield group
        released = self._released()
        if released and os.path.isdir(self.path):
            self.remarks.append(f"{self.title}: {len(released)} of {CARETS_FILES} expected files.")
        for name, count in unchanged.items():
            self.remarks.append(
                f"{self.title}: left out because nothing was made from them: {count:,} questions of {name}."
            )

    def _released(self) -> list[str]:
        return [path for path in self.files() if _CARETS_FILE.fullmatch(os.path.basename(path))]

    def _groups_of(self, path: str, unchanged: Counter[str]) -> Iterator[Group]:
        sieve, name, stem = self.sieve(path), os.path.basename(path), stem_of(path)
        rows = distinct(sieve, self.records(sieve), _carets_id)
        for members in gathered((number, _id_and_suffix(str(key))[0], record) for number, key, record in rows):
            first = [row for row in members if not _id_and_suffix(_carets_id(row[1]))[1]]
            changed = [row for row in members if _id_and_suffix(_carets_id(row[1]))[1]]
            if not first:
                fault = BadRecord("the question it was made from is not in the file. Use the complete file.")
                sieve.refuse(changed[0][0], fault, _carets_id(changed[0][1]))
                continue
            if not changed:
                unchanged[name] += 1
            yield from self._pairs(sieve, stem, first[0], changed)

    def _pairs(
        self, sieve: Sieve, stem: str, first: tuple[int, Any], changed: Sequence[tuple[int, Any]]
    ) -> Iterator[Group]:
        """One group for each test that changes the question."""
        original = sieve.sift(first[0], _carets_id(first[1]), self._question, stem, first[1])
        variants: dict[str, list[Variant]] = {}
        for number, record in changed:
            question = sieve.sift(number, _carets_id(record), self._question, stem, record)
            if original is not None and question is not None:
                variant = _carets_variant(original, question, record)
                variants.setdefault(variant.test, []).append(variant)
        if original is not None:
            for test, made in variants.items():
                yield Group(f"{original.id}/{test}", "carets", original, tuple(made))

    def _question(self, stem: str, record: Mapping[str, Any]) -> Question:
        image = identity(record, "img_id")
        answers = _carets_answers(record)
        kind = Kind("yes/no" if set(answers) <= {"yes", "no"} else "other", text(record, "question_type", ""))
        found = self.image_of(image, f"{image}.jpg", f"{image}.png", str(image))
        return Question(f"{stem}/{_carets_id(record)}", found, text(record, "sent"), answers, kind)


def _carets_variant(original: Question, question: Question, record: Mapping[str, Any]) -> Variant:
    suffix = _id_and_suffix(_carets_id(record))[1]
    test = TEST_OF_SUFFIX[suffix[0]]
    expect = Expect.DIFFERENT if test.endswith("-DIR") else Expect.SAME
    change = text(record, "image_change", "")
    made_by = f"visual/{change}" if change else f"carets/{question.kind.question_type or suffix[0]}"
    return Variant(question, expect, test, made_by, _carets_note(original, record, test))


def _carets_note(original: Question, record: Mapping[str, Any], test: str) -> dict[str, Any]:
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


def _carets_answers(record: Mapping[str, Any]) -> tuple[str, ...]:
    label = record.get("label")
    if not isinstance(label, dict) or not label:
        raise wrong("label", "an object {answer: 1.0}", label)
    return tuple(label)


def _id_and_suffix(key: str) -> tuple[str, str]:
    """The id of the original, and the suffix of a changed question.

    >>> _id_and_suffix("2354786-3-12"), _id_and_suffix("2354786-3-12-t")
    (('2354786-3-12', ''), ('2354786-3-12', 't'))
    """
    match = _CHANGED.fullmatch(key)
    return (match[1], match[2]) if match else (key, "")


def _carets_id(record: object) -> str:
    key: Id = identity(mapping(record), "question_id")
    return str(key)


RAD_TESTS = {"colors": "Y/N←C", "how-many": "Y/N←HM", "what-kind": "Y/N←WK"}
RAD_SIZES = {"Y/N←C": 12_835, "Y/N←HM": 10_233, "Y/N←WK": 1_654}
"""Questions made from VQA v2's validation questions: Table 5 of the paper."""
_RAD_FILE = names_of("paper_releases:RadRelease")


@dataclass(frozen=True, repr=False)
class RadRelease(GroupBenchmark):
    """The released questions of RAD with the questions of VQA v2 they come from (Rosenberg et al. 2021)."""

    title: ClassVar[str] = "RAD"
    suites: ClassVar[Sequence[str]] = ("rad",)

    vqa: str | None = None
    """The questions file of VQA v2, or its folder; by default in the folder of the files."""
    split: Literal["val", "train"] = "val"

    def files(self) -> Sequence[str]:
        """The questions and annotations made from colours, numbers and kinds, and those of VQA v2."""
        files = [file for pair in self._pairs() for file in pair]
        return [*files, *original_questions(self, self.vqa, self.split).files()]

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The questions of VQA v2 from which yes/no questions were made, with these."""
        yield from linked_groups(
            self, original_questions(self, self.vqa, self.split), self._pairs(), _rad_variant, counts
        )

    def in_the_paper(self) -> Mapping[str, str]:
        """The questions made from each kind of question of VQA v2 val2014."""
        sizes = RAD_SIZES if self.split == "val" else {}
        return {f"questions of {test}": f"{size:,}, Table 5" for test, size in sizes.items()}

    def _pairs(self) -> list[tuple[str, str]]:
        found = PathContents(self.path).named(_RAD_FILE)
        if os.path.isdir(self.path):
            found = [file for file in found if _rad_split(file) == self.split]
        if not found:
            names = f"yes-no_from_colors_{self.split}_questions.json, ..._annotations.json"
            raise missing_files(self.path, self.title, f"{names} and the same from_how-many and from_what-kind")
        return [answered_pair(file, self.title) for file in found]


def _rad_variant(path: str, original: Question, record: Fields, annotation: Fields) -> Variant:
    named = match_name(_RAD_FILE, path)
    source = named["source"] if named else ""
    key = f"{stem_of(path)}/{question_id(record)}"
    return variant_of(original, key, record, annotation, Expect.GIVEN, RAD_TESTS[source], f"rad/{source}")


def _rad_split(path: str) -> str:
    named = match_name(_RAD_FILE, path)
    return named["split"] if named else ""


P2_TESTS = {"syn": Expect.SAME, "para": Expect.SAME, "ant": Expect.DIFFERENT}
_P2_FILE = names_of("paper_releases:P2Release")


@dataclass(frozen=True, repr=False)
class P2Release(GroupBenchmark):
    """The released questions of VQA P2 with the questions of VQA v2 they come from (Whitehead et al. 2020)."""

    title: ClassVar[str] = "VQA P2"
    suites: ClassVar[Sequence[str]] = ("p2",)

    vqa: str | None = None
    """The questions file of VQA v2, or its folder; by default in the folder of the files."""
    split: Literal["val", "train"] = "val"
    """The split of VQA v2."""

    def files(self) -> Sequence[str]:
        """The questions and annotations of the release, and those of VQA v2."""
        return [*self._pair(), *original_questions(self, self.vqa, self.split).files()]

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The questions of VQA v2 that have changed questions, with these."""
        pair = self._pair()
        yield from linked_groups(self, original_questions(self, self.vqa, self.split), [pair], _p2_variant, counts)
        if os.path.basename(pair[0]).startswith("vqap2"):
            self.remarks.append(f"{self.title}: {counts.total():,} questions (the paper has 36.2 thousand).")

    def _pair(self) -> tuple[str, str]:
        found = PathContents(self.path).named(_P2_FILE)
        if not found:
            raise missing_files(self.path, self.title, "vqap2.questions.json and vqap2.annotations.json")
        return answered_pair(found[0], self.title)


def _p2_variant(path: str, original: Question, record: Fields, annotation: Fields) -> Variant:
    test, source = text(record, "perturbation"), text(record, "src", "")
    if test not in P2_TESTS:
        raise BadRecord(f"'perturbation' is {short(test)}; it must be syn, para or ant. Fix the record.")
    made_by = f"{test}/{source}" if source else test
    key = f"p2/{question_id(record)}"
    variant = variant_of(original, key, record, annotation, P2_TESTS[test], test, made_by)
    return replace(variant, note={"origin": source}) if source else variant
