"""The release of VQA P2 (Whitehead et al. 2020): questions of VQA v2 with one word or phrase replaced.

Files ``vqap2.questions.json`` and ``vqap2.annotations.json`` in the format of VQA v2, with ``original_id``,
``perturbation`` (``syn``, ``para``, ``ant``) and ``src``; also as ``askew build --suite p2`` writes them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from askew.data.bad_records import short, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, missing_files
from askew.data.benchmarks.sniff import PathContents, names_of
from askew.data.benchmarks.vqa import question_id
from askew.data.benchmarks.vqa_records import (
    Fields,
    VqaPair,
    answered_pair,
    linked_groups,
    original_questions,
    variant_of,
)
from askew.errors import BadRecord
from askew.types import Expect, Group, Question, Variant

P2_TESTS = {"syn": Expect.SAME, "para": Expect.SAME, "ant": Expect.DIFFERENT}
_FILE = names_of("p2_release:P2Release")


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
        asked, answered = self._pair()
        originals = original_questions(self, self.vqa, self.split)
        return [asked, answered or "", originals.path, *([originals.annotations] if originals.annotations else [])]

    def expected(self) -> Mapping[str, int]:
        """Not known."""
        return {}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The questions of VQA v2 that have changed questions, with these."""
        pair = self._pair()
        yield from linked_groups(self, original_questions(self, self.vqa, self.split), [pair], _variant, counts)
        if os.path.basename(pair[0]).startswith("vqap2"):
            self.remarks.append(f"{self.title}: {counts.total():,} questions (the paper has 36.2 thousand).")

    def _pair(self) -> VqaPair:
        found = PathContents(self.path).named(_FILE)
        if not found:
            raise missing_files(self.path, self.title, "vqap2.questions.json and vqap2.annotations.json")
        return answered_pair(found[0], self.title)


def _variant(path: str, original: Question, record: Fields, annotation: Fields) -> Variant:
    test, source = text(record, "perturbation"), text(record, "src", "")
    if test not in P2_TESTS:
        raise BadRecord(f"'perturbation' is {short(test)}; it must be syn, para or ant. Fix the record.")
    made_by = f"{test}/{source}" if source else test
    key = f"p2/{question_id(record)}"
    variant = variant_of(original, key, record, annotation, P2_TESTS[test], test, made_by)
    return replace(variant, note={"origin": source}) if source else variant
