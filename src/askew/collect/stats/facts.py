"""What is counted, as columns of numbers: one pass over the questions, some hundred bytes for each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from math import nan

import numpy as np

from askew.answers.normalise import answer_type, normalise, tokens
from askew.collect.examples import Example
from askew.collect.protocol import StudySettings
from askew.collect.schema import SPLITS
from askew.collect.stats.sheets import Floats, Ints, Mask
from askew.collect.stats.vocabulary import Vocabulary
from askew.metrics.accuracy import accuracy, leave_one_out
from askew.world.phrasing import question_type

TYPES = "ABCDE"
CLASSES = ("Y/N", "Num", "OOV", "Other")
CONFIDENCE = {"no": 0, "maybe": 1, "yes": 2}
"""Halves of a point; "maybe" is between the paper's 1 and 0."""
NONE = -1
WORDS = 4
"""Depth of the tree of first words (Fig. 4)."""
_FIRST = tuple(f"word{depth}" for depth in range(1, WORDS + 1))
_COLUMNS = ("type", "split", "round", "image", "session", "tries", "domain", "model", "length", "kind", "removed")
_AT_ONCE = 5000
"""How many questions are read at a time."""


def numbers_for_names() -> defaultdict[str, int]:
    """Numbers for names, in order of appearance: a new name gets the next number."""
    numbers: defaultdict[str, int] = defaultdict(int)
    numbers.default_factory = numbers.__len__
    return numbers


class Facts:
    """Columns over the questions of types A to E; questions that were left out are only counted."""

    def __init__(
        self, examples: Iterable[Example], settings: StudySettings, vocabulary: Vocabulary | None = None
    ) -> None:
        self.settings, self.vocabulary = settings, vocabulary
        self.domains, self.models, self.kinds, self.words, self.answers = (numbers_for_names() for _ in range(5))
        self.left_out: Counter[int] = Counter()
        """Round to questions of type U."""
        self.waiting: Counter[int] = Counter()
        """Of these, attacks that verifiers have not finished."""
        self.deleted: Counter[int] = Counter()
        """Of those left out, questions that had a type and were deleted on request after the freeze."""
        counted, people = filter(self._counts, examples), settings.verifiers_per_question + 1
        widths = (len(_COLUMNS) + WORDS, 4, people, people)
        whole, numbers, codes, sure = ([np.zeros((0, width), dtype=np.int32)] for width in widths)
        while page := list(islice(counted, _AT_ONCE)):
            verified = np.array([one.type in ("C", "D", "E") for one in page])
            answers = [given for one in page if one.type in ("C", "D", "E") for given in (one.author, *one.verifiers)]
            whole.append(np.array(list(map(self._whole, page)), dtype=np.int32))
            numbers.append(np.array(list(map(self._numbers, page)), dtype=float))
            for column, values in (
                (codes, [self.answers[one.normalised] for one in answers if one]),
                (sure, [CONFIDENCE.get(one.confidence or "", NONE) for one in answers if one]),
            ):
                column.append(np.full((len(page), people), NONE, dtype=np.int32))
                column[-1][verified] = np.array(values, dtype=np.int32).reshape(-1, people)
        self.columns: dict[str, Ints] = dict(zip((*_COLUMNS, *_FIRST), np.concatenate(whole).T, strict=True))
        """Whole numbers, one per question."""
        names = ("seconds", "latency", "open", "closed")
        self.floats: dict[str, Floats] = dict(zip(names, np.concatenate(numbers).T, strict=True))
        """Other numbers, one per question; nan if there is none."""
        self.type, self.image_of, self.round = (self.columns[name] for name in ("type", "image", "round"))
        self.codes: Ints = np.concatenate(codes)
        """The numbers of the author's and the verifiers' answers, or NONE; a row for each question."""
        self.confidences: Ints = np.concatenate(sure)
        """How sure each of them was, or NONE; the author's counts as the settings say."""
        if settings.author_confidence != "ask":
            own = CONFIDENCE["yes"] if settings.author_confidence == "implicit_yes" else NONE
            self.confidences[self.is_type("CDE"), 0] = own

    def _counts(self, one: Example) -> bool:
        """Whether a question has a type and a text."""
        if one.type != "U" and one.text:
            return True
        self.left_out[one.round] += 1
        if one.type != "U":
            self.deleted[one.round] += 1
        elif one.state == "VERIFYING":
            self.waiting[one.round] += 1
        return False

    def _whole(self, one: Example) -> tuple[int | None, ...]:
        words = tokens(one.text)
        return (
            TYPES.index(one.type),
            NONE if one.split is None else SPLITS.index(one.split),
            one.round,
            one.image,
            one.session,
            one.try_no,
            self.domains[one.domain],
            self.models[one.model],
            len(words),
            self.kinds[question_type(one.text)] if one.verdict == "wrong" else NONE,
            one.text_rule_removed or 0,
            *[self.words[word] for word in words[:WORDS]],
            *[NONE] * (WORDS - len(words)),
        )

    def _numbers(self, one: Example) -> tuple[float | None, ...]:
        """Seconds, latency, and for questions in dev and test the best accuracy that any answer, or any of the
        vocabulary, can have."""
        if one.split not in ("dev", "test") or one.author is None:
            return one.seconds, one.latency, nan, nan
        texts = (one.author.text, *(given.text for given in one.verifiers))
        closed = nan if self.vocabulary is None else best_accuracy(texts, self.vocabulary)
        return one.seconds, one.latency, best_accuracy(texts), closed

    def is_type(self, kinds: str) -> Mask:
        """Which questions are of these types."""
        return np.asarray(np.isin(self.type, [TYPES.index(kind) for kind in kinds]))

    @cached_property
    def _equal(self) -> Ints:
        return equal_answers(self.codes)

    @property
    def largest(self) -> Ints:
        """The size of the largest group of equal answers to each verified question, the author's among them."""
        return np.asarray(self._equal.max(axis=1))

    @property
    def most(self) -> Ints:
        """The most frequent answer; among equally frequent ones the author's, then that of the first slot."""
        return np.asarray(self.codes[np.arange(len(self.codes)), self._equal.argmax(axis=1)])

    @property
    def asked(self) -> Ints:
        """How many were asked how sure they are."""
        return np.asarray((self.confidences != NONE).sum(axis=1))

    @property
    def sure(self) -> Ints:
        """Total confidence of all who were asked, in halves of a point."""
        return np.asarray(np.maximum(self.confidences, 0).sum(axis=1))

    @property
    def confident(self) -> Ints:
        """How many of them said yes."""
        return np.asarray((self.confidences == CONFIDENCE["yes"]).sum(axis=1))

    def classes(self) -> Ints:
        """Table 9's class of each verified question."""
        names = list(self.answers)
        kinds = np.array([CLASSES.index(answer_class(name)) for name in names] + [NONE])
        found: Ints = kinds[self.most]
        if self.vocabulary is not None:
            known = np.array([self.vocabulary.has_any([name]) for name in names] + [False])
            found[~known[self.codes].any(axis=1)] = CLASSES.index("OOV")
        return found


def equal_answers(codes: Ints) -> Ints:
    """For each answer, how many in its row are the same; one row per question.

    >>> equal_answers(np.array([[5, 7, 5], [1, 2, 3]])).tolist()
    [[2, 1, 2], [1, 1, 1]]
    """
    return np.stack([(codes == codes[:, at : at + 1]).sum(axis=1) for at in range(codes.shape[1])], axis=1)


_ANSWER_CLASSES = {"yes/no": "Y/N", "number": "Num"}


def answer_class(answer: str) -> str:
    """Table 9's class of a question by its most frequent answer, normalised; OOV is decided before.

    >>> answer_class("no"), answer_class("2"), answer_class("red")
    ('Y/N', 'Num', 'Other')
    """
    return _ANSWER_CLASSES.get(answer_type(answer), "Other")


def best_accuracy(answers: tuple[str, ...], vocabulary: Vocabulary | None = None) -> float:
    """The highest VQA accuracy (official evaluator) that any answer, or any of a vocabulary, can have.

    >>> best_accuracy(("red", "red", "blue", "2", "3", "4", "5", "6", "7", "8"))
    0.6
    >>> best_accuracy(("red", "red", "blue", "2", "3", "4", "5", "6", "7", "8"), Vocabulary(["Blue"]))
    0.3
    """
    given = list(map(normalise, answers))
    counts = list(map(given.count, given))
    if vocabulary is None:
        return leave_one_out(max(counts), len(answers))
    for same, _ in sorted(zip(given, counts, strict=True), key=lambda pair: -pair[1]):
        if candidates := vocabulary.written(same):  # the largest group with any; all others match fewer people
            return max(accuracy(candidate, answers) for candidate in candidates)
    return 0.0
