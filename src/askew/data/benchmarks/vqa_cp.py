"""VQA-CP v1 and v2 (Agrawal et al. 2018): VQA split again so that answers are distributed differently in the test.

``vqacp_v2_{train,test}_{questions,annotations}.json``: bare lists in the format of VQA, with ``coco_split``. If only
the ids of a split are at hand, give them as ``ids`` (a JSON list of question ids or of records with ``question_id``)
and the folder of VQA v2 with both of its splits as ``path``. The ids cannot be rebuilt from VQA v2 alone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

from askew.data.bad_records import distinct
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, Sizes, missing_files
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.benchmarks.vqa import Vqa, question_id
from askew.data.benchmarks.vqa_records import placed_questions
from askew.data.json_stream import items
from askew.errors import BadRecord, DataError
from askew.types import Id, Question

_FILE = names_of("vqa_cp:VqaCp")
_SIZES = {"vqacp_v2_test_questions.json": 219_928, "vqacp_v2_train_questions.json": 658_111 - 219_928}
"""VQA v2 train2014 and val2014 have 658,111 questions; those that are not in the test are in train."""


@dataclass(frozen=True, repr=False)
class VqaCp(QuestionBenchmark):
    """VQA-CP: VQA whose answers are distributed differently in test and training (Agrawal et al. 2018)."""

    title: ClassVar[str] = "VQA-CP"
    suites: ClassVar[Sequence[str]] = ("vqa-cp",)
    sizes: ClassVar[Sizes] = {name: {f"questions in {name}": size} for name, size in _SIZES.items()}

    split: Literal["test", "train"] = "test"
    """Which split of a folder."""
    ids: str | None = None
    """The question ids of the split, if its own files are missing; ``path`` is then the folder of VQA v2."""

    def files(self) -> Sequence[str]:
        """The questions and the annotations, or the ids and the files of VQA v2."""
        ids = [self.ids] if self.ids else []
        return [*ids, *(file for data in self._sources for file in data.files())]

    @cached_property
    def _sources(self) -> Sequence[Vqa]:
        if self.ids is not None:
            if not os.path.isfile(self.ids):
                raise DataError(f"{self.ids}: there is no such file. Give a JSON list of the question ids: ids=FILE.")
            return [Vqa(self.path, split=split, skip_bad=self.skip_bad) for split in ("train2014", "val2014")]
        named = PathContents(self.path).named(_FILE)
        if os.path.isdir(self.path):
            named = [file for file in named if f"_{self.split}_" in os.path.basename(file)]
        if not named:
            wanted = f"vqacp_v2_{self.split}_questions.json and vqacp_v2_{self.split}_annotations.json"
            raise missing_files(self.path, self.title, wanted)
        if len(named) > 1:
            raise DataError(f"{self.path}: {len(named)} files of {self.split} are here. Give one, e.g. {named[-1]}")
        data = Vqa(named[0], skip_bad=self.skip_bad)
        if data.annotations is None:
            wanted = os.path.basename(named[0]).replace("questions", "annotations")
            raise missing_files(os.path.dirname(named[0]) or ".", f"{self.title} with answers", wanted)
        return [data]

    @property
    def _part(self) -> str:
        match = match_name(_FILE, self._sources[0].path)
        return match["split"].lower() if match else self.split

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of their files."""
        tag = ("part", self._part)
        sieve = self.sieve(self.ids or "")
        wanted: dict[Id, int] = {}
        if self.ids is not None:
            wanted = {key: number for number, key, _ in distinct(sieve, items(self.ids, "questions"), _id)}

        def is_wanted(question: Question) -> bool:
            return self.ids is None or wanted.pop(question.id, None) is not None

        for data in self._sources:
            name = os.path.basename(data.path)
            for question in placed_questions(self, data, "", is_wanted):
                counts[f"questions in {name}"] += 1
                yield replace(question, tags=(*question.tags, tag))
        for key, number in wanted.items():
            fault = BadRecord(f"there is no such question in {self.path}. Give the folder of VQA v2 with both splits.")
            sieve.refuse(number, fault, key)


def _id(value: object) -> Id:
    return question_id(value if isinstance(value, dict) else {"question_id": value})
