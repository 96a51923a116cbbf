"""The pool of basic questions: each distinct question once, in the order of the file.

The YNBQD of Huang et al. (2019) is ranked from a pool of questions that can be answered by yes or no.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from askew.answers.extract import asks_yes_no
from askew.types import Question


def sameness(text: str) -> str:
    """A key that is equal for spellings of one question: lower case, single spaces, no punctuation at the end.

    >>> sameness("  Is it  Sunny ?") == sameness("is it sunny?")
    True
    """
    return " ".join(text.casefold().split()).rstrip(" ?.!")


@dataclass(frozen=True, repr=False)
class QuestionPool:
    """Distinct questions, each in the spelling first seen; a question's number in it is its index.

    >>> pool = QuestionPool.of(["Is it sunny?", "What is this?", "is it sunny"])
    >>> pool.texts
    ('Is it sunny?', 'What is this?')
    >>> pool.find("IS IT SUNNY"), pool.find("Why?")
    (0, None)
    """

    texts: tuple[str, ...]
    _index: dict[str, int] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> QuestionPool:
        """The pool of these texts; duplicates and empty ones are left out."""
        kept: dict[str, str] = {}
        for text in texts:
            key = sameness(text)
            if key:
                kept.setdefault(key, text.strip())
        return cls(tuple(kept.values()), {key: number for number, key in enumerate(kept)})

    def __len__(self) -> int:
        return len(self.texts)

    def find(self, text: str) -> int | None:
        """The index of this question, in any spelling; None when it is not in the pool."""
        return self._index.get(sameness(text))


YES_NO = "yes/no"
"""The answer type as VQA names it."""


def is_yes_no(question: Question) -> bool:
    """True when the answer type is yes/no or, if the data has none, when the question has that form.

    >>> [is_yes_no(Question(1, None, text)) for text in ("Is it red?", "Is it red or blue?", "What is red?")]
    [True, False, False]
    """
    if question.kind.answer_type:
        return question.kind.answer_type == YES_NO
    return asks_yes_no(question.text)


def pool_of(questions: Iterable[Question], yes_no: bool = False) -> QuestionPool:
    """The distinct questions of the data as a pool: all of them (GBQD), or the yes/no ones (YNBQD)."""
    return QuestionPool.of(question.text for question in questions if not yes_no or is_yes_no(question))
