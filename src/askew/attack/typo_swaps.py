"""Typing errors as swaps, as in DeepWordBug (Gao et al. 2018) and TextBugger (Li et al. 2019), but as people make them.

Two adjacent letters are transposed, a letter is missing, or a neighbouring key is hit instead or in addition. The first
and the last letter stay, since readers rely on them, and the result is never another word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from askew.attack.grammar import GrammarRules
from askew.attack.word_places import word_places
from askew.errors import BadOption
from askew.language.tagger import Tagger
from askew.types import Place, Question, Swap

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {
    letter: row[max(0, place - 1) : place] + row[place + 1 : place + 2]
    for row in _ROWS
    for place, letter in enumerate(row)
}
"""The keys on the left and on the right of each letter."""


@dataclass(frozen=True)
class TypoSwaps:
    """All single typing errors of each word, named by their kind.

    >>> places = TypoSwaps(least=5).places([Question(1, None, "Is it green?")])[0]
    >>> [swap.text for swap in places[2].swaps if swap.rule != "substitute"]
    ['geren', 'geen', 'gren', 'gereen', 'gtreen', 'grween', 'grreen', 'grewen', 'greren']
    """

    least: int = 4
    """The least length of a word."""
    tagger: Tagger = field(default_factory=Tagger, repr=False)

    def __post_init__(self) -> None:
        if self.least < 3:
            raise BadOption(f"least is {self.least}. A typing error needs a word of at least 3 letters.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Every word of each question, with its typing errors."""
        tagged = self.tagger.tags([question.text for question in questions])
        return [
            word_places(tokens, {number: typos(token.text, self.least) for number, token in enumerate(tokens)})
            for tokens in tagged
        ]


@lru_cache(maxsize=1 << 14)
def typos(word: str, least: int = 4) -> tuple[Swap, ...]:
    """The typing errors of one word that do not result in another word; none for short and non-alphabetic words.

    >>> [swap.text for swap in typos("bats")]
    ['btas', 'bts', 'bsats', 'bayts', 'bsts']
    """
    if len(word) < least or not word.isascii() or not word.isalpha():
        return ()
    rules = GrammarRules()
    found: dict[str, Swap] = {}
    for kind, new in _errors(word):
        if new.lower() != word.lower() and not rules.knows(new.lower()):
            found.setdefault(new, Swap(new, kind))
    return tuple(found.values())


def _errors(word: str) -> Iterator[tuple[str, str]]:
    """The kind and the result of each error between the first and the last letter."""
    inner = range(1, len(word) - 1)
    for i in inner[:-1]:
        yield "swap", word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    for i in inner:
        yield "delete", word[:i] + word[i + 1 :]
    for i in inner:
        for key in _BESIDE.get(word[i].lower(), ""):
            yield "insert", word[:i] + key + word[i:]
    for i in inner:
        for key in _BESIDE.get(word[i].lower(), ""):
            yield "substitute", word[:i] + key + word[i + 1 :]
