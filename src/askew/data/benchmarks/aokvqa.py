"""A-OKVQA (Schwenk et al. 2022): questions that need knowledge, as direct questions or as multiple choice.

``aokvqa_v1p0_{train,val,test}.json``: a list of ``{"image_id", "question_id", "question", "choices": [4],
"correct_choice_idx", "direct_answers": [10], "difficult_direct_answer", ...}``; images of COCO 2017.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.data.bad_records import identity, text, texts, wrong
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.data.benchmarks.sniff import names_of
from askew.data.benchmarks.vqa import question_id
from askew.data.benchmarks.vqa_records import coco_image
from askew.data.jsonl import check_choices
from askew.data.records_by_id import distinct
from askew.types import Id, Kind, Question

_FILE = names_of("aokvqa:Aokvqa")
_VAL = "aokvqa_v1p0_val.json"


@dataclass(frozen=True, repr=False)
class Aokvqa(QuestionBenchmark):
    """A-OKVQA: questions that need knowledge, direct or as multiple choice (Schwenk et al. 2022)."""

    title: ClassVar[str] = "A-OKVQA"
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=simple",)

    task: Literal["direct", "choice"] = "direct"
    """``direct``: ten answers, without the questions marked as difficult; ``choice``: four options, all questions."""
    split: str | None = None
    """Which file of a folder: ``train``, ``val`` or ``test``."""

    def files(self) -> Sequence[str]:
        """The one file."""
        return [self.one_split("aokvqa", _FILE, _VAL, self.split)]

    def expected(self) -> Mapping[str, int]:
        """1,145 questions in the validation split, with the difficult ones."""
        return {"questions": 1145} if os.path.basename(self.files()[0]) == _VAL else {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        sieve, difficult = self.sieve(self.files()[0]), 0
        for number, key, record in distinct(sieve, self.records(sieve), question_id):
            if self.task == "direct" and record.get("difficult_direct_answer") is True:
                difficult += 1
                counts["questions"] += 1
                continue
            question = sieve.sift(number, key, self._question, key, record)
            if question is not None:
                counts["questions"] += 1
                yield question
        if difficult:
            self.remarks.append(
                f"{self.title}: left out because they are difficult to answer directly: {difficult:,} questions "
                "(task=choice asks them)."
            )

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        image = coco_image(self, identity(record, "image_id"), "2017")
        asked = text(record, "question")
        if self.task == "direct":
            return Question(key, image, asked, texts(record, "direct_answers"), Kind("other"))
        options, place = check_choices(texts(record, "choices")), record.get("correct_choice_idx")
        if place is None:
            return Question(key, image, asked, (), Kind("choice"), choices=options)
        if not isinstance(place, int) or not 0 <= place < len(options):
            raise wrong("correct_choice_idx", f"a number from 0 to {len(options) - 1}", place)
        return Question(key, image, asked, (options[place],), Kind("choice"), choices=options)
