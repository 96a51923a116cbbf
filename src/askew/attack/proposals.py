"""Proposals from a table in memory; those from WordNet, files and rules have files of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from askew.types import Place, Question, Swap

_WORD = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*")


@dataclass(frozen=True)
class Listed:
    """Swaps from a table: each word in lower case with what may replace it. For experiments and tests.

    >>> [place.text for place in Listed({"dog": ("hound",)}).places([Question(1, None, "Is the dog big?")])[0]]
    ['Is', 'the', 'dog', 'big']
    """

    table: Mapping[str, Sequence[str]] = field(repr=False)
    name: str = "table"

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Every word of each question, with its swaps."""
        return [
            tuple(
                Place(found.start(), found.end(), found[0], "", self._swaps(found[0]))
                for found in _WORD.finditer(question.text)
            )
            for question in questions
        ]

    def _swaps(self, word: str) -> tuple[Swap, ...]:
        return tuple(Swap(new, "listed") for new in self.table.get(word.lower(), ()))
