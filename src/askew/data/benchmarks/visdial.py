"""VisDial 1.0 (Das et al. 2017): ten rounds of questions about an image, with 100 possible answers each.

``visdial_1.0_{train,val,test}.json``: ``{"data": {"questions": [...], "answers": [...], "dialogs": [{"image_id",
"caption", "dialog": [{"question", "answer", "answer_options", "gt_index"}]}]}}``; the questions and answers of a dialog
are indices into the two lists. A question is asked with the caption and the rounds before it as context. R@1, the
accuracy that RAD reports, is the share of questions whose answer is the true one of the 100 options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.data.bad_records import distinct, id_in, mapping, short, text, wrong
from askew.data.benchmarks.benchmark_reader import OneFilePerSplit, Sizes, wrong_file
from askew.data.json_stream import nested_items
from askew.errors import BadRecord, DataError
from askew.types import Id, ImageRef, Kind, Question


@dataclass(frozen=True, repr=False)
class VisDial(OneFilePerSplit):
    """VisDial 1.0: questions about an image with the dialogue before them as context (Das et al. 2017)."""

    title: ClassVar[str] = "VisDial"
    reader: ClassVar[str] = "visdial"
    example: ClassVar[str] = "visdial_1.0_val.json"
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=robust",)
    sizes: ClassVar[Sizes] = {"visdial_1.0_val.json": {"questions": 20_640}}

    options: bool = True
    """List the 100 possible answers in the context, so that accuracy is R@1; without them the question is open."""

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions of each dialogue in order; rounds without options (in test) are only context."""
        path = self.files()[0]
        if self.options:
            self.remarks.append(
                f"{self.title}: options are whole answers such as 'it is sunny'. With --extract none they count as "
                "they are; otherwise only the short answer in them counts."
            )
        sieve = self.sieve(path, "dialogue")
        texts = [Texts(path, key) for key in ("questions", "answers")]
        if not all(map(len, texts)):
            raise wrong_file(path, self.title, "a file with data.questions, data.answers and data.dialogs")
        for number, key, record in distinct(sieve, nested_items(path, "data", "dialogs"), id_in("image_id")):
            for question in sieve.sift(number, key, self._dialogue, key, record, *texts) or ():
                counts["questions"] += 1
                yield question

    def _dialogue(self, key: Id, record: Mapping[str, Any], asked: Texts, answered: Texts) -> list[Question]:
        history, questions = [f"Caption: {text(record, 'caption')}"], []
        rounds = record.get("dialog")
        if not isinstance(rounds, list):
            raise wrong("dialog", "a list of rounds", rounds)
        image = self._image(key)
        for number, turn in enumerate(map(mapping, rounds), 1):
            words = asked.at(turn.get("question")).rstrip("? ") + "?"
            options = turn.get("answer_options")
            if options:
                texts = [answered.at(place) for place in options]
                answers = _true_answer(texts, turn.get("gt_index"))
                context = [*history, f"The answer is one of: {'; '.join(texts)}"] if self.options else history
                kind = Kind("yes/no" if answers and answers[0] in ("yes", "no") else "other")
                questions.append(Question(f"{key}/{number}", image, words, answers, kind, context="\n".join(context)))
            if turn.get("answer") is not None:
                history.append(f"Q: {words}\nA: {answered.at(turn['answer'])}")
        return questions

    def _image(self, key: Id) -> ImageRef:
        long = f"{key:012d}.jpg" if isinstance(key, int) else f"{key}.jpg"
        folders = ("VisualDialog_val2018_", "VisualDialog_test2018_", "COCO_train2014_", "COCO_val2014_", "")
        return self.image_of(key, *(prefix + long for prefix in folders), f"{key}.jpg")


class Texts:
    """The list of questions or of answers, to which dialogues refer by number."""

    def __init__(self, path: str, key: str) -> None:
        self._key = key
        self._texts: list[str] = []
        for number, one in nested_items(path, "data", key):
            if not isinstance(one, str):
                raise DataError(f"{path}: {key} {number} is not text but {short(one)}. Copy the file again.")
            self._texts.append(one)

    def __len__(self) -> int:
        """The number of texts."""
        return len(self._texts)

    def at(self, place: object) -> str:
        """The text with this number."""
        if not isinstance(place, int) or not 0 <= place < len(self):
            raise BadRecord(f"there is no text {place!r} among the {len(self):,} {self._key}. Copy the file again.")
        return self._texts[place]


def _true_answer(texts: Sequence[str], place: object) -> tuple[str, ...]:
    """The option that was the answer; none if the file does not say (test)."""
    if place is None:
        return ()
    if not isinstance(place, int) or not 0 <= place < len(texts):
        raise wrong("gt_index", f"a number from 0 to {len(texts) - 1}", place)
    return (texts[place],)
