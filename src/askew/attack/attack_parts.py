"""The parts of an attack: proposals, constraints, a search, and the goal that it must reach."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from askew.answers.normalise import normalise
from askew.errors import BadOption
from askew.types import Place, Question, Swap
from askew.verbs import Constraint, Proposals, Search

GoalKind: TypeAlias = Literal["wrong", "changed", "score"]
"""``wrong``: a correct answer becomes wrong. ``changed``: the answer changes, whether or not it was correct (Table 8 of
Li et al. 2021). ``score``: the probability of the answer falls as far as the budget allows; the search does not stop at
the first wrong answer.
"""


@dataclass(frozen=True)
class Goal:
    """When an attack has succeeded.

    >>> Goal().reached("red", "blue", correct=False), Goal().reached("red", "dark red", correct=True)
    (True, False)
    >>> Goal("changed").reached("red", "dark red", correct=True), Goal("changed").reached("2", "two", correct=True)
    (True, False)
    """

    kind: GoalKind = "wrong"

    def __post_init__(self) -> None:
        if self.kind not in get_args(GoalKind):
            raise BadOption(f"No goal is called {self.kind!r}. Known: {', '.join(get_args(GoalKind))}.")

    def attacks(self, correct: bool) -> bool:
        """Whether to attack a question at all, given whether the model answers the original correctly."""
        return correct or self.kind == "changed"

    def reached(self, before: str, after: str, correct: bool) -> bool:
        """Whether the answer ``after`` to a rewording reaches the goal; ``correct`` says whether it is correct."""
        return normalise(after) != normalise(before) if self.kind == "changed" else not correct


@dataclass(frozen=True)
class Attack:
    """A method of finding rewordings that fool a model. Its ``repr`` is its signature."""

    name: str
    """The name that users type, and the ``test`` of the variants it makes."""
    proposals: Proposals
    search: Search
    constraints: tuple[Constraint, ...] = ()
    goal: Goal = field(default_factory=Goal)
    least_words: int = 0
    """Questions with fewer words are refused."""
    spelling: bool = True
    """False if the attack makes typing errors: misspelled words then do not count as a fault."""
    paper: str = field(default="", repr=False)
    """Where it was published."""

    def __post_init__(self) -> None:
        if self.least_words < 0:
            raise BadOption(f"{self.name}: least_words is {self.least_words}; it must be at least 0.")


_WORD = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*")


@dataclass(frozen=True)
class Listed:
    """Swaps from a table that maps each lower-case word to its replacements. For experiments and tests.

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
