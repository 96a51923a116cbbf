"""Normalisation of answers as in the public VQA evaluator, and the words of a text.

The evaluator's quirks are kept, because published accuracies depend on them. Each is marked *sic* here or in
``normalisation.yaml`` and pinned by a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from askew.files.read_write import resource

YesNoOther: TypeAlias = Literal["yes", "no", "other"]

_PERIOD = re.compile(r"(?!<=\d)(\.)(?!\d)")
"""*sic*: meant as a lookbehind, it is a lookahead for ``<=`` that always succeeds; so ``"5."`` loses its period too."""

_MOST_PERIODS = int(re.UNICODE)
"""*sic*: a flag is passed as the count, so at most 32 periods of an answer are removed."""

_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|\w+(?:['’-]\w+)*")


def clean(text: str) -> str:
    r"""Replace line breaks and tabs by spaces and strip the text; unanimous answers get no other normalisation.

    >>> clean(" Yes.\n")
    'Yes.'
    """
    return text.replace("\n", " ").replace("\t", " ").strip()


@lru_cache(maxsize=1 << 18)
def normalise(text: str) -> str:
    """Normalise an answer as the public VQA evaluator does (Antol et al. 2015); results are cached.

    Punctuation is removed (or becomes a space), letters become lower case, number words up to ten become digits,
    articles are removed, and contractions get their apostrophe back.

    >>> normalise("The two dogs.")
    '2 dogs'
    >>> normalise("t-shirt"), normalise("red, white"), normalise("1,000 - 2,000")
    ('t shirt', 'red white', '1000 2000')
    """
    text = clean(text)
    rules = _rules()
    if rules.marked.search(text):
        text = without_punctuation(text)
    words = (rules.numbers.get(word, word) for word in text.lower().split())
    return " ".join(rules.contractions.get(word, word) for word in words if word not in rules.articles)


@lru_cache(maxsize=1 << 10)
def normalised(answers: tuple[str, ...]) -> tuple[str, ...]:
    """Each answer in its normalised form."""
    return tuple(map(normalise, answers))


def modal_answer(answers: Iterable[str], normaliser: Callable[[str], str]) -> str:
    """The majority vote: the most frequent answer in its normalised form; of equally frequent ones, the first.

    ``normaliser`` decides which answers are equal: ``normalise`` for scores, ``str`` to count them as they are.

    >>> modal_answer(["Two", "3", "2."], normalise), modal_answer(["a", "b", "b", "a"], str)
    ('2', 'a')
    >>> modal_answer([], str)
    ''
    """
    return _modal(tuple(answers), normaliser)


def yes_no_other(answer: str) -> YesNoOther:
    """Whether an answer is ``yes`` or ``no`` after normalisation, or ``other``.

    >>> yes_no_other("Yes."), yes_no_other("no"), yes_no_other("not sure")
    ('yes', 'no', 'other')
    """
    word = normalise(answer)
    return "yes" if word == "yes" else "no" if word == "no" else "other"


def answer_type(answer: str) -> str:
    """VQA's type of an answer (of a normalised one, if it is written freely): yes/no, number, other; empty if none.

    >>> [answer_type(answer) for answer in ("yes", "3", "red", "")]
    ['yes/no', 'number', 'other', '']
    """
    if answer in ("yes", "no"):
        return "yes/no"
    return "number" if answer.isascii() and answer.isdigit() else "other" if answer else ""


@lru_cache(maxsize=1 << 12)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a text in lower case; apostrophes, hyphens and decimal points inside a word stay.

    >>> tokens("What's on the man's T-shirt: 3.5?")
    ("what's", 'on', 'the', "man's", 't-shirt', '3.5')
    """
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=1 << 14)
def _modal(answers: tuple[str, ...], normaliser: Callable[[str], str]) -> str:
    same = normalised(answers) if normaliser is normalise else tuple(map(normaliser, answers))
    return max(dict.fromkeys(same), key=same.count, default="")


def without_punctuation(text: str) -> str:
    """Remove punctuation as the public VQA evaluator does, which sometimes replaces it by a space.

    >>> without_punctuation("yes, it is."), without_punctuation("yes,it is")
    ('yes it is', 'yes it is')
    """
    # sic: a mark is removed everywhere if it is next to a space anywhere, and every mark is removed if the text has a
    # number such as 1,000; otherwise it becomes a space. The original text decides, not what is left of it.
    has_thousands = _DIGIT_COMMA_DIGIT.search(text) is not None
    left = text
    for mark in _rules().punctuation:
        if mark in text:
            goes = has_thousands or mark + " " in text or " " + mark in text
            left = left.replace(mark, "" if goes else " ")
    return _PERIOD.sub("", left, count=_MOST_PERIODS)


@dataclass(frozen=True)
class _Rules:
    punctuation: str
    marked: re.Pattern[str]
    articles: frozenset[str]
    numbers: Mapping[str, str]
    contractions: Mapping[str, str]


@lru_cache(maxsize=1)
def _rules() -> _Rules:
    data = resource("answers/normalisation.yaml")
    marks = data["punctuation"]
    return _Rules(
        punctuation=marks,
        marked=re.compile(f"[{re.escape(marks)}.]"),
        articles=frozenset(data["articles"]),
        numbers=data["numbers"],
        contractions=data["contractions"],
    )
