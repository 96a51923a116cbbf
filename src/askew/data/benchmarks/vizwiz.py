"""VizWiz (Gurari et al. 2018): questions that blind people asked about photos they took.

``{train,val,test}.json``: a list of ``{"image", "question", "answers": [{"answer", "answer_confidence"}],
"answer_type", "answerable"}``. There are no ids: each image has one question, so its name is the id. "unanswerable" is
an answer like any other.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.data.bad_records import mapping, text
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.data.benchmarks.sniff import names_of
from askew.data.benchmarks.vqa import annotated_answers
from askew.types import Id, Kind, Question

_FILE = names_of("vizwiz:VizWiz")
_SIZES = {"val.json": 4319}


@dataclass(frozen=True, repr=False)
class VizWiz(QuestionBenchmark):
    """VizWiz: questions of blind people about their own photos, with ten answers each (Gurari et al. 2018)."""

    title: ClassVar[str] = "VizWiz"

    split: str | None = None
    """Which file of a folder: ``train``, ``val`` or ``test``."""

    def files(self) -> Sequence[str]:
        """The one file."""
        return [self.one_split("vizwiz", _FILE, "val.json", self.split)]

    def expected(self) -> Mapping[str, int]:
        """4,319 questions in the validation split."""
        name = os.path.basename(self.files()[0])
        return {"questions": _SIZES[name]} if name in _SIZES else {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        sieve = self.sieve(self.files()[0])
        return self.sifted(sieve, self.records(sieve), _key, self._question, counts)

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        answers, confidences = annotated_answers(record) if "answers" in record else ((), ())
        kind = Kind(text(record, "answer_type", ""))
        answerable = record.get("answerable")
        tags = () if answerable is None else (("answerable", "yes" if answerable else "no"),)
        image = self.image(str(key))
        return Question(key, image, text(record, "question"), answers, kind, confidences=confidences, tags=tags)


def _key(record: object) -> Id:
    return text(mapping(record), "image")
