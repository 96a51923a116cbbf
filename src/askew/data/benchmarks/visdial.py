"""VisDial 1.0 (Das et al. 2017): ten rounds of questions about an image, with 100 possible answers each.

``visdial_1.0_{train,val,test}.json``: ``{"data": {"questions": [...], "answers": [...], "dialogs": [{"image_id",
"caption", "dialog": [{"question", "answer", "answer_options", "gt_index"}]}]}}``, where questions and answers are
numbers of texts. A question is asked with the caption and the rounds before it as context. R@1, the accuracy that RAD
reports, is the share of questions whose answer is the true one of the 100 options.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any, ClassVar

from askew.data.bad_records import identity, mapping, short, text, wrong
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, one_split, wrong_file
from askew.data.benchmarks.sniff import names_of
from askew.data.disk_index import distinct
from askew.data.json_stream import nested_items
from askew.errors import BadRecord, DataError
from askew.types import Id, ImageRef, Kind, Question

_FILE = names_of("visdial:VisDial")
_SIZES = {"visdial_1.0_val.json": 20_640}


@dataclass(frozen=True, repr=False)
class VisDial(QuestionBenchmark):
    """VisDial 1.0: questions about an image with the dialogue before them as context (Das et al. 2017)."""

    title: ClassVar[str] = "VisDial"
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=robust",)

    options: bool = True
    """List the 100 possible answers in the context, so that accuracy is R@1; without them the question is open."""
    split: str | None = None
    """Which file of a folder: ``train``, ``val`` or ``test``."""

    def files(self) -> Sequence[str]:
        """The one file."""
        return [one_split(self.path, "visdial", self.title, _FILE, "visdial_1.0_val.json", self.split)]

    def expected(self) -> Mapping[str, int]:
        """20,640 questions in the validation split."""
        name = os.path.basename(self.files()[0])
        return {"questions": _SIZES[name]} if name in _SIZES else {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions of each dialogue in order; rounds without options (in test) are only context."""
        path = self.files()[0]
        sieve = self.sieve(path, "dialogue")
        with ExitStack() as stack:
            texts = [
                TextsOnDisk(stack.enter_context(TemporaryFile()), f"{path}: {key}", nested_items(path, "data", key))
                for key in ("questions", "answers")
            ]
            if not all(texts):
                raise wrong_file(path, self.title, "a file with data.questions, data.answers and data.dialogs")
            for number, key, record in distinct(sieve, nested_items(path, "data", "dialogs"), _key):
                for question in sieve.sift(number, key, self._dialogue, key, record, *texts) or ():
                    counts["questions"] += 1
                    yield question

    def _dialogue(
        self, key: Id, record: Mapping[str, Any], asked: TextsOnDisk, answered: TextsOnDisk
    ) -> list[Question]:
        said, found = [f"Caption: {text(record, 'caption')}"], []
        rounds = record.get("dialog")
        if not isinstance(rounds, list):
            raise wrong("dialog", "a list of rounds", rounds)
        image = self._image(key)
        for number, each in enumerate(map(mapping, rounds), 1):
            words = asked.at(each.get("question")).rstrip("? ") + "?"
            options = each.get("answer_options")
            if options:
                texts = [answered.at(place) for place in options]
                answers = _true_answer(texts, each.get("gt_index"))
                context = [*said, f"The answer is one of: {'; '.join(texts)}"] if self.options else said
                kind = Kind("yes/no" if answers and answers[0] in ("yes", "no") else "other")
                found.append(Question(f"{key}/{number}", image, words, answers, kind, context="\n".join(context)))
            if each.get("answer") is not None:
                said.append(f"Q: {words}\nA: {answered.at(each['answer'])}")
        return found

    def _image(self, key: Id) -> ImageRef:
        long = f"{key:012d}.jpg" if isinstance(key, int) else f"{key}.jpg"
        folders = ("VisualDialog_val2018_", "VisualDialog_test2018_", "COCO_train2014_", "COCO_val2014_", "")
        return self.image_of(key, *(prefix + long for prefix in folders), f"{key}.jpg")


class TextsOnDisk:
    """A list of texts kept in a file; memory has eight bytes for each.

    >>> with TemporaryFile() as file:
    ...     texts = TextsOnDisk(file, "answers", enumerate(["yes", "no, it is red"]))
    ...     texts.at(1), texts.at(0)
    ('no, it is red', 'yes')
    """

    def __init__(self, file: IO[bytes], name: str, texts: Iterable[tuple[int, Any]]) -> None:
        self._file, self._what, self._ends = file, name.rpartition(": ")[2], array("Q", [0])
        for number, one in texts:
            if not isinstance(one, str):
                raise DataError(f"{name} {number} is not text but {short(one)}. Copy the file again.")
            self._ends.append(self._ends[-1] + self._file.write(one.encode()))

    def __len__(self) -> int:
        """How many there are."""
        return len(self._ends) - 1

    def at(self, place: object) -> str:
        """The text with this number."""
        if not isinstance(place, int) or not 0 <= place < len(self):
            raise BadRecord(f"there is no text {place!r} among the {len(self):,} {self._what}. Copy the file again.")
        self._file.seek(self._ends[place])
        return self._file.read(self._ends[place + 1] - self._ends[place]).decode()


def _true_answer(texts: Sequence[str], place: object) -> tuple[str, ...]:
    """The option that people gave; none if the file does not tell (test)."""
    if place is None:
        return ()
    if not isinstance(place, int) or not 0 <= place < len(texts):
        raise wrong("gt_index", f"a number from 0 to {len(texts) - 1}", place)
    return (texts[place],)


def _key(record: object) -> Id:
    return identity(mapping(record), "image_id")
