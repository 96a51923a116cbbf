"""Which questions of a pool can be answered by yes or no: the YNBQD of Huang et al. (2019) is ranked from these."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from askew.rank.pool import Pool
from askew.shipped import shipped
from askew.text import tokens
from askew.types import Question

YES_NO = "yes/no"
"""The answer type as VQA names it."""


def asks_yes_no(question: Question) -> bool:
    """True when people answered by yes or no, or, where the data does not say, when the question has that form.

    The form: it begins with a word such as *is*, *does* or *can*, and offers no choice (*or*).

    >>> [asks_yes_no(Question(1, None, text)) for text in ("Is it red?", "Is it red or blue?", "What is red?")]
    [True, False, False]
    """
    if question.kind.answer_type:
        return question.kind.answer_type == YES_NO
    words = tokens(question.text)
    return bool(words) and words[0].replace("’", "'").partition("'")[0] in _openings() and "or" not in words


def pool_of(questions: Iterable[Question], yes_no: bool = False) -> Pool:
    """The distinct questions of the data as a pool: all of them (GBQD), or the yes/no ones (YNBQD)."""
    return Pool.of(question.text for question in questions if not yes_no or asks_yes_no(question))


@lru_cache(maxsize=1)
def _openings() -> frozenset[str]:
    words: list[str] = shipped("language/backtranslation.yaml")["opens"]
    return frozenset(words) | {f"{word}n" for word in words}  # isn't, aren't: what stands before the apostrophe
