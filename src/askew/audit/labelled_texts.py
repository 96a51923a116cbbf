"""Labelled questions and pairs per suite and test, in bounded memory.

When there are more than the limit, those whose ids have the lowest hashes are kept, so the sample is the same in any
order of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappush, heappushpop
from typing import TypeAlias

from askew.answers.normalise import answer_type, modal_answer, normalise
from askew.types import Group, Id, Question

MOST_TEXTS = 50_000
"""The most questions, and the most pairs, that are kept per test."""
YES_NO, CHOICE = "yes/no", "choice"


@dataclass(frozen=True, slots=True)
class LabelledText:
    """The text of a question with its label: the answer that most people gave."""

    id: Id
    text: str
    label: str
    image: int
    """A hash of the id of the original's image; texts about one image always fall into the same fold."""
    before: str | None = None
    """For a variant, the text of its original question."""
    choices: tuple[str, ...] = ()
    """The options of a multiple-choice question."""

    @property
    def answer_type(self) -> str:
        """``yes/no``, ``number`` or ``other``, according to the label; ``choice`` if there are options other than yes
        and no.

        >>> [LabelledText(1, "?", label, 0).answer_type for label in ("no", "2", "red")]
        ['yes/no', 'number', 'other']
        """
        kind = answer_type(self.label) or "other"
        return CHOICE if self.choices and kind != YES_NO else kind


@dataclass
class TextSample:
    """The at most ``most`` texts whose ids have the lowest hashes; each id is kept once."""

    seed: int = 0
    most: int = MOST_TEXTS
    seen: int = 0
    """How many texts were offered, not counting known duplicates."""
    _kept: dict[int, LabelledText] = field(default_factory=dict)
    _hashes: list[int] = field(default_factory=list)

    def add(self, key: Id, made: Callable[..., LabelledText], *of: Question) -> bool:
        """Make and keep the text ``made(*of)`` if the hash of its id is low enough; returns whether."""
        low = -content_hash(self.seed, key)  # negated, so that the highest hash comes first in the heap
        if low in self._kept:
            return False
        self.seen += 1
        if len(self._hashes) < self.most:
            heappush(self._hashes, low)
        elif low > self._hashes[0]:
            del self._kept[heappushpop(self._hashes, low)]
        else:
            return False
        self._kept[low] = made(*of)
        return True

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[LabelledText]:
        """The kept texts, in the order of their hashes."""
        return (self._kept[low] for low in sorted(self._kept, reverse=True))


@dataclass
class TestTexts:
    """The texts of one test of a suite."""

    __test__ = False
    questions: TextSample
    """Originals and variants."""
    pairs: TextSample
    """Variants together with the texts of their originals, where the two differ."""


Tests: TypeAlias = dict[tuple[str, str], TestTexts]
"""Texts by (suite, test); both are empty strings for plain questions."""


def texts_of_groups(groups: Iterable[Group], seed: int = 0, most: int = MOST_TEXTS) -> Tests:
    """The texts of each test: its variants and their originals. Questions without answers are skipped.

    Originals without variants are listed under the test "".
    """
    found: Tests = {}
    for group in groups:
        add_group(found, group, seed, most)
    return found


def add_group(found: Tests, group: Group, seed: int = 0, most: int = MOST_TEXTS) -> None:
    """Add the texts of one group."""
    original = group.original
    if original.answers:
        tests = dict.fromkeys(variant.test for variant in group.variants) if group.variants else ("",)
        for test in tests:
            _texts(found, group.suite, test, seed, most).questions.add(original.id, labelled, original)
    for variant in group.variants:
        question = variant.question
        if question.answers:
            texts = _texts(found, group.suite, variant.test, seed, most)
            texts.questions.add(question.id, labelled, question, original)
            if question.text != original.text:
                texts.pairs.add(question.id, labelled, question, original)


def texts_of_questions(questions: Iterable[Question], seed: int = 0, most: int = MOST_TEXTS) -> Tests:
    """The texts of plain questions."""
    found: Tests = {}
    for question in questions:
        if question.answers:
            _texts(found, "", "", seed, most).questions.add(question.id, labelled, question)
    return found


def labelled(question: Question, original: Question | None = None) -> LabelledText:
    """The labelled text of a question that has answers.

    A variant counts to the image of its original, also if its own image was changed: it is not independent of it. A
    question without an image counts as an image of its own.
    """
    source = original or question
    image = source.image
    return LabelledText(
        question.id,
        question.text,
        modal_answer(question.answers, normalise),
        content_hash(0, image.id if image else f"question {source.id!r}"),
        original.text if original else None,
        question.choices,
    )


def content_hash(seed: int, key: Id) -> int:
    """A 48-bit hash that is the same on every machine."""
    digest = blake2b(f"{seed}:{key!r}".encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def _texts(found: Tests, suite: str, test: str, seed: int, most: int) -> TestTexts:
    if (texts := found.get((suite, test))) is None:
        texts = found[suite, test] = TestTexts(TextSample(seed, most), TextSample(seed, most))
    return texts
