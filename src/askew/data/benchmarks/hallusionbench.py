"""HallusionBench (Guan et al. 2024): the same question about a figure, about a changed figure, and without any.

``HallusionBench.json``: a list of ``{category, subcategory, visual_input, set_id, figure_id, question_id, question,
gt_answer "1" | "0", filename}``. Its questions are grouped in three ways, under the tag ``grouping``: ``single`` (each
alone: aAcc, easy, hard), ``question`` (one question about all figures of a set: qAcc) and ``figure`` (all questions
about a figure: fAcc). Each question is still asked once.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from askew.data.bad_records import Sieve, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, bad_label, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, first_keys
from askew.data.disk_index import distinct, gathered
from askew.errors import BadRecord
from askew.types import Expect, Group, Id, Kind, Question, Variant

NAME = "HallusionBench.json"
_KEYS = {"visual_input", "set_id", "figure_id", "question_id", "gt_answer"}
_ID = ("category", "subcategory", "set_id", "figure_id", "question_id")
_SAME = {"question": ("category", "subcategory", "set_id", "question_id"), "figure": _ID[:4]}
"""What the records of a group have in common, for each grouping."""


@dataclass(frozen=True, repr=False)
class HallusionBench(GroupBenchmark):
    """HallusionBench: questions about figures, changed figures and none (Guan et al. 2024)."""

    title: ClassVar[str] = "HallusionBench"
    suites: ClassVar[Sequence[str]] = ("hallusionbench",)

    @classmethod
    def sniff(cls, contents: PathContents) -> bool:
        """Whether the path is a file with HallusionBench's keys, or a folder with the file of that name."""
        return contents.keys >= _KEYS or bool(contents.named(r"HallusionBench\.json"))

    def files(self) -> Sequence[str]:
        """The one file."""
        if not os.path.isdir(self.path):
            if not first_keys(self.path) >= _KEYS:
                raise wrong_file(self.path, self.title, NAME)
            return [self.path]
        found = PathContents(self.path).named(r"HallusionBench\.json")
        if not found:
            raise missing_files(self.path, self.title, f"{NAME} and its folder hallusion_bench")
        return found[:1]

    def expected(self) -> Mapping[str, int]:
        """1,129 questions, 178 of them without an image."""
        if os.path.basename(self.files()[0]) != NAME:
            return {}
        return {"questions": 1129, "questions without an image": 178, "question groups": 455, "figure groups": 346}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """Every question alone, then the groups by question, then those by figure."""
        path = self.files()[0]
        for _, record, question in self._read(self.sieve(path)):
            counts["questions"] += 1
            counts["questions without an image"] += question.image is None
            hard = "hard" if record["visual_input"] == "2" else "easy"
            yield _group("single", [(record, question)], (("difficulty", hard),))
        for grouping in _SAME:
            silent = Sieve(path, True)  # bad records were reported above
            rows = ((n, _key(grouping, record), record) for n, record, _ in self._read(silent) if _in(grouping, record))
            for group in gathered(rows):
                counts[f"{grouping} groups"] += 1
                members = [(record, self._question(_id(record), record)) for _, record in group]
                yield _group(grouping, sorted(members, key=_order))

    def _read(self, sieve: Sieve) -> Iterator[tuple[int, Mapping[str, Any], Question]]:
        for number, key, record in distinct(sieve, self.records(sieve), _id):
            question = sieve.sift(number, key, self._question, key, record)
            if question is not None:
                yield number, record, question

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        answer = {"1": "yes", "0": "no"}.get(text(record, "gt_answer"))
        if answer is None:
            raise BadRecord(bad_label(record["gt_answer"], '"1" (yes) or "0" (no)'))
        if text(record, "visual_input") not in ("0", "1", "2"):
            raise BadRecord(bad_label(record["visual_input"], '"0", "1" or "2" (visual_input)'))
        name = text(record, "filename", "")
        tags = (("category", text(record, "category")), ("subcategory", text(record, "subcategory")))
        image = self.image(name) if name else None
        return Question(key, image, text(record, "question"), (answer,), Kind("yes/no"), tags=tags)


def _group(
    grouping: str, members: Sequence[tuple[Mapping[str, Any], Question]], more: tuple[tuple[str, str], ...] = ()
) -> Group:
    tags = (("grouping", grouping), *more)
    first, *rest = (replace(question, tags=tuple(sorted((*question.tags, *tags)))) for _, question in members)
    variants = tuple(Variant(question, Expect.GIVEN, grouping, f"hallusionbench/{grouping}") for question in rest)
    return Group(f"{grouping}/{first.id}", "hallusionbench", first, variants)


def _in(grouping: str, record: Mapping[str, Any]) -> bool:
    """Whether a question is in a grouping: fAcc leaves out those without a figure."""
    return grouping != "figure" or (record["category"], record["figure_id"]) != ("VS", "0")


def _order(member: tuple[Mapping[str, Any], Question]) -> tuple[str, str]:
    """The unchanged figure (or none) first."""
    return str(member[0]["figure_id"]), str(member[0]["question_id"])


def _key(grouping: str, record: Mapping[str, Any]) -> str:
    return "/".join(str(record[name]) for name in _SAME[grouping])


def _id(record: object) -> Id:
    fields = mapping(record)
    return "/".join(text(fields, name) for name in _ID)
