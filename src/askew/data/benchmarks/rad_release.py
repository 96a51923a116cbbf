"""The release of RAD (Rosenberg et al. 2021): questions of VQA v2 asked again as yes/no questions.

Files ``yes-no_from_{colors,how-many,what-kind}_{train,val}_{questions,annotations}.json`` in the format of VQA v2. How
a question refers to the one it was made from is not documented: by the same id, or by an ``original_id``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from askew.data.benchmarks.benchmark_reader import GroupBenchmark, missing_files
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.benchmarks.vqa import question_id
from askew.data.benchmarks.vqa_records import (
    Fields,
    VqaPair,
    answered_pair,
    linked_groups,
    original_questions,
    variant_of,
)
from askew.types import Expect, Group, Question, Variant

RAD_TESTS = {"colors": "Y/N←C", "how-many": "Y/N←HM", "what-kind": "Y/N←WK"}
PAPER_SIZES = {"Y/N←C": 12_835, "Y/N←HM": 10_233, "Y/N←WK": 1_654}
"""Questions made from VQA v2's validation questions: Table 5 of the paper."""
_FILE = names_of("rad_release:RadRelease")


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
        files = [file for pair in self._pairs() for file in pair if file]
        originals = original_questions(self, self.vqa, self.split)
        return [*files, originals.path, *([originals.annotations] if originals.annotations else [])]

    def expected(self) -> Mapping[str, int]:
        """Empty: the paper's sizes are only remarks."""
        return {}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The questions of VQA v2 from which yes/no questions were made, with these."""
        yield from linked_groups(self, original_questions(self, self.vqa, self.split), self._pairs(), _variant, counts)

    def in_the_paper(self) -> Mapping[str, str]:
        """The questions made from each kind of question of VQA v2 val2014."""
        sizes = PAPER_SIZES if self.split == "val" else {}
        return {f"questions of {test}": f"{size:,}, Table 5" for test, size in sizes.items()}

    def _pairs(self) -> list[VqaPair]:
        found = PathContents(self.path).named(_FILE)
        if os.path.isdir(self.path):
            found = [file for file in found if _split(file) == self.split]
        if not found:
            names = f"yes-no_from_colors_{self.split}_questions.json, ..._annotations.json"
            raise missing_files(self.path, self.title, f"{names} and the same from_how-many and from_what-kind")
        return [answered_pair(file, self.title) for file in found]


def _variant(path: str, original: Question, record: Fields, annotation: Fields) -> Variant:
    named = match_name(_FILE, path)
    source = named["source"] if named else ""
    key = f"{os.path.basename(path).split('.')[0]}/{question_id(record)}"
    return variant_of(original, key, record, annotation, Expect.GIVEN, RAD_TESTS[source], f"rad/{source}")


def _split(path: str) -> str:
    named = match_name(_FILE, path)
    return named["split"] if named else ""
