"""Questions and pairs with their labels, per suite and test, in bounded memory.

When there are more than fit, those whose id has the lowest hash are kept: the same ones in any order of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappush, heappushpop
from typing import TypeAlias

from askew.answers.normalise import modal_answer, normalise
from askew.types import Group, Id, Question

MOST_TEXTS = 50_000
"""Questions and pairs of each test that are kept."""
YES_NO, CHOICE = "yes/no", "choice"


@dataclass(frozen=True, slots=True)
class LabelledText:
    """The text of a question with its label: the answer that most people gave."""

    id: Id
    text: str
    label: str
    image: int
    """A hash of the image's id: texts of one image are never on both sides of a split."""
    before: str | None = None
    """The text of the original question, of a variant."""
    choices: tuple[str, ...] = ()
    """The options of a multiple-choice question."""

    @property
    def answer_type(self) -> str:
        """``yes/no``, ``number`` or ``other``, by the label; ``choice`` of other options than yes and no.

        >>> [LabelledText(1, "?", label, 0).answer_type for label in ("no", "2", "red")]
        ['yes/no', 'number', 'other']
        """
        if self.label in ("yes", "no"):
            return YES_NO
        if self.choices:
            return CHOICE
        return "number" if self.label.isdigit() else "other"


@dataclass
class TextSample:
    """At most ``most`` texts, those with the lowest hash of their id; an id counts once."""

    seed: int = 0
    most: int = MOST_TEXTS
    seen: int = 0
    """Texts that were offered and are not known to be repeated."""
    _kept: dict[int, LabelledText] = field(default_factory=dict)
    _hashes: list[int] = field(default_factory=list)

    def add(self, key: Id, made: Callable[..., LabelledText], *of: Question) -> bool:
        """Keep the text with this id if the id's hash is low enough, and return whether; only then ``made(*of)``."""
        low = -content_hash(self.seed, key)  # negated: the heap's first is the highest hash
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
    """Variants with their originals' texts, where the two differ."""


Tests: TypeAlias = dict[tuple[str, str], TestTexts]
"""By suite and test; both are empty for plain questions."""


def texts_of_groups(groups: Iterable[Group], seed: int = 0, most: int = MOST_TEXTS) -> Tests:
    """The texts of each test: its variants, and the originals they belong to. Questions without answers do not count.

    Originals without variants are those of the test "".
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
    """The text of a question that somebody answered, with its label and its image.

    A question without an image counts as its own image; a variant without one has the image of its original.
    """
    image = question.image or (original.image if original else None)
    source = original or question
    return LabelledText(
        question.id,
        question.text,
        modal_answer(question.answers, normalise),
        content_hash(0, image.id if image else f"question {source.id!r}"),
        original.text if original else None,
        question.choices,
    )


def content_hash(seed: int, key: Id) -> int:
    """A hash that is the same on every machine, 48 bits."""
    digest = blake2b(f"{seed}:{key!r}".encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def _texts(found: Tests, suite: str, test: str, seed: int, most: int) -> TestTexts:
    if (texts := found.get((suite, test))) is None:
        texts = found[suite, test] = TestTexts(TextSample(seed, most), TextSample(seed, most))
    return texts
