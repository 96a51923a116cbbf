"""VisDial 1.0 (Das et al. 2017): ten rounds of questions about an image, with 100 possible answers each.

``visdial_1.0_{train,val,test}.json``: ``{"data": {"questions": [...], "answers": [...], "dialogs": [{"image_id",
"caption", "dialog": [{"question", "answer", "answer_options", "gt_index"}]}]}}``; the questions and answers of a dialog
are indices into the two lists. A question is asked with the caption and the rounds before it as context. R@1, the
accuracy that RAD reports, is the share of questions whose answer is the true one of the 100 options.

``visdial_1.0_{train,val}_dense_annotations.json``: a list of ``{"image_id", "round_id" (from 1), "gt_relevance":
[100]}`` (``relevance`` in train). For one round of each dialogue, people said which options are correct; the relevance
of an option is the share of people who said that it is.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from askew.data.bad_records import identity, mapping, short, text, wrong
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, folder_of, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, names_of
from askew.data.json_stream import items, nested_items
from askew.data.records_by_id import distinct
from askew.errors import BadRecord, DataError
from askew.types import Id, ImageRef, Kind, Question

_FILE = names_of("visdial:VisDial")
_SIZES = {"visdial_1.0_val.json": 20_640}
_MOST_PEOPLE = 21
"""A share is read as a fraction of fewer people than this, if there is such a fraction."""


@dataclass(frozen=True, repr=False)
class VisDial(QuestionBenchmark):
    """VisDial 1.0: questions about an image with the dialogue before them as context (Das et al. 2017)."""

    title: ClassVar[str] = "VisDial"
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=robust",)

    options: bool = True
    """List the 100 possible answers in the context, so that accuracy is R@1; without them the question is open."""
    split: str | None = None
    """Which file of a folder: ``train``, ``val`` or ``test``."""
    dense: bool = False
    """Only the rounds whose options people rated; an option is an answer once for each person who found it correct."""

    def files(self) -> Sequence[str]:
        """The dialogues, and their ratings with ``dense``."""
        file = self.one_split("visdial", _FILE, "visdial_1.0_val.json", self.split)
        return [file, self._ratings_of(file)] if self.dense else [file]

    def expected(self) -> Mapping[str, int]:
        """20,640 questions in the validation split, of which 2,064 are rated."""
        name = os.path.basename(self.files()[0])
        return {"questions": _SIZES[name] // (10 if self.dense else 1)} if name in _SIZES else {}

    def _ratings_of(self, dialogues: str) -> str:
        wanted = os.path.basename(dialogues).removesuffix(".gz").replace(".json", "_dense_annotations.json")
        found = PathContents(folder_of(self.path)).named(re.escape(wanted))
        if not found:
            raise missing_files(folder_of(self.path), f"{self.title} with ratings", wanted)
        return found[0]

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions of each dialogue in order; rounds without options (in test) are only context."""
        path, *dense = self.files()
        if self.options:
            self.remarks.append(
                f"{self.title}: options are whole answers such as 'it is sunny'. With --extract none they count as "
                "they are; otherwise only the short answer in them counts."
            )
        sieve = self.sieve(path, "dialogue")
        ratings = {
            key: (number, rated.sift(number, key, _rating, record))
            for rated in map(self.sieve, dense)
            for number, key, record in distinct(rated, items(rated.path, "annotations"), _key)
        }
        texts = [Texts(path, key) for key in ("questions", "answers")]
        if not all(map(len, texts)):
            raise wrong_file(path, self.title, "a file with data.questions, data.answers and data.dialogs")
        for number, key, record in distinct(sieve, nested_items(path, "data", "dialogs"), _key):
            found: Iterable[Question] = sieve.sift(number, key, self._dialogue, key, record, *texts) or ()
            if dense:
                _, rating = ratings.pop(key, (0, None))
                found = sieve.sift(number, key, self._rated, rating, record, found, texts[1]) or ()
            for question in found:
                counts["questions"] += 1
                yield question
        for key, (number, _) in ratings.items():
            fault = BadRecord(f"there is no dialogue about this image in {path}. Use the ratings of the same split.")
            self.sieve(dense[0]).refuse(number, fault, key)

    def _rated(
        self,
        rating: tuple[int, list[float]] | None,
        record: Mapping[str, Any],
        asked: Iterable[Question],
        texts: Texts,
    ) -> list[Question]:
        """The question of the rated round; none if there is no rating, or a bad one."""
        if rating is None:
            return []
        place, shares = rating
        options = record["dialog"][place - 1].get("answer_options", []) if place <= len(record["dialog"]) else []
        if len(options) != len(shares):
            raise BadRecord(
                f"round {place} has {len(options)} options and {len(shares)} ratings. Copy both files again."
            )
        people = next((n for n in range(1, _MOST_PEOPLE) if all(abs(s * n - round(s * n)) < 0.01 for s in shares)), 100)
        answers = tuple(
            texts.at(option)
            for option, share in zip(options, shares, strict=True)
            for _ in range(round(share * people))
        )
        return [replace(one, answers=answers) for one in asked if one.id == f"{record['image_id']}/{place}"]

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


def _rating(record: Mapping[str, Any]) -> tuple[int, list[float]]:
    """The number of the rated round, and the share of people who found each option correct."""
    place, shares = record.get("round_id"), record.get("gt_relevance", record.get("relevance"))
    if not isinstance(place, int) or place < 1:
        raise wrong("round_id", "a number from 1", place)
    if not isinstance(shares, list) or not all(isinstance(s, int | float) and 0 <= s <= 1 for s in shares):
        raise wrong("gt_relevance", "a list of numbers from 0 to 1", shares)
    return place, shares


def _key(record: object) -> Id:
    return identity(mapping(record), "image_id")
