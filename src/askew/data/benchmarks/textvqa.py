"""TextVQA (Singh et al. 2019): questions about text in images.

``TextVQA_0.5.1_{train,val,test}.json``: ``{"data": [{"question_id", "question", "image_id", "answers": [10], ...}]}``;
the image is ``IMAGE_ID.jpg``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.data.bad_records import identity, text, texts
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.data.benchmarks.sniff import names_of
from askew.data.benchmarks.vqa import question_id
from askew.data.json_stream import items
from askew.types import Id, Kind, Question

_FILE = names_of("textvqa:TextVqa")
_SIZES = {"TextVQA_0.5.1_val.json": 5000}


@dataclass(frozen=True, repr=False)
class TextVqa(QuestionBenchmark):
    """TextVQA: questions about text in images, with ten answers each (Singh et al. 2019)."""

    title: ClassVar[str] = "TextVQA"

    split: str | None = None
    """Which file of a folder: ``train``, ``val`` or ``test``."""

    def files(self) -> Sequence[str]:
        """The one file."""
        return [self.one_split("textvqa", _FILE, "TextVQA_0.5.1_val.json", self.split)]

    def expected(self) -> Mapping[str, int]:
        """5,000 questions in the validation split."""
        name = os.path.basename(self.files()[0])
        return {"questions": _SIZES[name]} if name in _SIZES else {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        sieve = self.sieve(self.files()[0])
        return self.sifted(sieve, items(sieve.path, "data"), question_id, self._question, counts)

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        image = identity(record, "image_id")
        found = self.image_of(image, f"{image}.jpg", f"{image}.png")
        return Question(key, found, text(record, "question"), texts(record, "answers"), Kind("other"))
