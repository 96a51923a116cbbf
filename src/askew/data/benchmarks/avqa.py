"""Adversarial VQA (Li et al. 2021), AdVQA (Sheng et al. 2021), and releases written by ``askew collect export``.

Files in the format of VQA v2; records may have ``round``, ``domain`` and ``split``. A release of our collection service
has them in ``vqa/``, and its images in ``images/``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from askew.data.bad_records import identity
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, Sizes, missing_files
from askew.data.benchmarks.sniff import PathContents, names_of
from askew.data.benchmarks.vqa_records import Fields, VqaPair, annotations_of, coco_image, vqa_question, vqa_records
from askew.errors import DataError
from askew.types import Id, Question

ADVQA = "v1_OpenEnded_mscoco_val2017_advqa_questions.json"
_NAMED = names_of("avqa:Avqa")
_EXPORTED = r"(?:train|dev|test)_questions\.json"
_SUBSET = re.compile(r"(?:train|val|test)\d{4}")


@dataclass(frozen=True, repr=False)
class Avqa(QuestionBenchmark):
    """Adversarial VQA, AdVQA, and releases of our collection service, with rounds and domains as tags."""

    title: ClassVar[str] = "AVQA"
    suites: ClassVar[Sequence[str]] = ("avqa",)
    sizes: ClassVar[Sizes] = {ADVQA: {"questions": 10_000}}

    split: str | None = None
    """Which questions file of several, and which records if they have a ``split``: ``test``, ``val``, ..."""

    @property
    def name(self) -> str:
        """``AdVQA`` or ``AVQA``."""
        return "AdVQA" if "advqa" in os.path.basename(self._pair()[0]).lower() else self.title

    def files(self) -> Sequence[str]:
        """The questions, and the annotations if they are there."""
        return [file for file in self._pair() if file]

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file; those of one split if one is named and records have it."""
        pair, rounds = self._pair(), Counter[str]()
        sieve, named = self.sieve(pair[0]), _SUBSET.search(os.path.basename(pair[0]))
        for number, key, record, annotation in vqa_records(self, pair):
            if self.split and self.split != _field(record, annotation, "split", self.split):
                continue
            subset = named[0] if named else ""
            question = sieve.sift(number, key, self._question, key, record, annotation, subset)
            if question is not None:
                counts["questions"] += 1
                rounds[dict(question.tags).get("round", "")] += 1
                yield question
        if set(rounds) - {""}:
            shown = ", ".join(f"{rounds[each]:,} of round {each}" for each in sorted(rounds) if each)
            self.remarks.append(f"{self.title}: {shown}.")

    def _question(self, key: Id, record: Fields, annotation: Fields, subset: str) -> Question:
        tags = ((name, _field(record, annotation, name)) for name in ("domain", "round"))
        question = vqa_question(key, coco_image(self, identity(record, "image_id"), subset), record, annotation)
        return replace(question, tags=tuple(pair for pair in tags if pair[1]))

    def _pair(self) -> VqaPair:
        contents = PathContents(self.path)
        if not os.path.isdir(self.path):
            return self.path, annotations_of(self.path)
        found = contents.named(_NAMED) or contents.named(_EXPORTED)
        fitting = [file for file in found if not self.split or self.split in os.path.basename(file)]
        if not found:
            raise missing_files(self.path, self.title, f"{ADVQA}, or avqa_test_questions.json,")
        if len(fitting or found) > 1:
            names = ", ".join(os.path.basename(file) for file in found)
            raise DataError(
                f"{self.path}: {len(found)} questions files are here: {names}. Pick one, e.g. "
                f"avqa:{self.path},split=test"
            )
        chosen = (fitting or found)[0]
        return chosen, annotations_of(chosen)


def _field(record: Fields, annotation: Fields, name: str, default: str = "") -> str:
    value = record.get(name, annotation.get(name))
    return default if value is None else str(value)
