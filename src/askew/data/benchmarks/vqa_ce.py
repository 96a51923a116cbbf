"""VQA-CE (Dancette et al. 2021): questions of VQA v2 on which answering by shortcuts fails.

``counterexamples.json`` and ``hard.json`` are JSON lists of question ids of VQA v2 val2014; all others are easy. Each
question has the tag ``part``: counterexamples, hard or easy.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from askew.data.bad_records import distinct, wrong
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, folder_of, missing_files
from askew.data.benchmarks.sniff import PathContents
from askew.data.benchmarks.vqa import Vqa
from askew.data.benchmarks.vqa_records import original_questions, placed_questions
from askew.data.json_stream import items
from askew.errors import BadRecord
from askew.types import Id, Question

LISTS = {"counterexamples": "counterexamples.json", "hard": "hard.json"}
SIZES = {"counterexamples": 63_298, "easy": 147_681, "hard": 3_375}
"""Questions of VQA v2 val2014 in each part, from the authors' page."""


@dataclass(frozen=True, repr=False)
class VqaCe(QuestionBenchmark):
    """VQA-CE: questions of VQA v2 on which shortcuts fail, and the others (Dancette et al. 2021)."""

    title: ClassVar[str] = "VQA-CE"
    suites: ClassVar[Sequence[str]] = ("vqa-ce",)

    vqa: str | None = None
    """VQA v2, a folder or a questions file; None: the questions of val2014 in the folder of the lists."""

    def files(self) -> Sequence[str]:
        """Both lists, the questions and the annotations of VQA v2."""
        return [*self._lists.values(), *self._vqa.files()]

    def expected(self) -> Mapping[str, int]:
        """63,298 counterexamples, 147,681 easy and 3,375 hard questions of VQA v2 val2014."""
        if not os.path.basename(self._vqa.path).startswith("v2_OpenEnded_mscoco_val2014_questions.json"):
            return {}
        return {f"questions that are {part}": size for part, size in SIZES.items()}

    @cached_property
    def _lists(self) -> Mapping[str, str]:
        contents = PathContents(folder_of(self.path))
        found = {part: contents.named(name.replace(".", r"\.")) for part, name in LISTS.items()}
        if absent := [LISTS[part] for part, files in found.items() if not files]:
            raise missing_files(contents.path, f"{self.title} called {' or '.join(absent)}", " and ".join(absent))
        return {part: files[0] for part, files in found.items()}

    @cached_property
    def _vqa(self) -> Vqa:
        return original_questions(self, self.vqa, "val")

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions of VQA v2 in their order."""
        listed: dict[Id, tuple[int, str]] = {}
        for part, path in self._lists.items():
            sieve = self.sieve(path)
            for number, key, _ in distinct(sieve, items(path, ""), _id):
                if key in listed:
                    sieve.refuse(number, BadRecord("the question is also a counterexample. Delete it here."), key)
                else:
                    listed[key] = number, part
        for question in placed_questions(self, self._vqa, "val2014"):
            _, part = listed.pop(question.id, (0, "easy"))
            counts[f"questions that are {part}"] += 1
            yield replace(question, tags=(*question.tags, ("part", part)))
        for key, (number, part) in sorted(listed.items(), key=lambda entry: entry[1][0]):
            fault = BadRecord(f"there is no such question in {self._vqa.path}. Give VQA v2 val2014: vqa=FOLDER.")
            self.sieve(self._lists[part]).refuse(number, fault, key)


def _id(value: object) -> Id:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise wrong("question id", "a whole number", value)
    return value
