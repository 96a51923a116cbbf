"""An attack as its parts: proposals, constraints, a search, and the goal that it must reach."""

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
"""``wrong``: a question answered correctly is answered incorrectly. ``changed``: the answer changes, whatever people
answered (Table 8 of Li et al. 2021). ``score``: the probability of the answer falls as far as the budget allows; the
search does not stop at the first wrong answer.
"""


@dataclass(frozen=True)
class Goal:
    """What an attack wants.

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
        """Whether a question is attacked whose original is answered correctly, or not."""
        return correct or self.kind == "changed"

    def reached(self, before: str, after: str, correct: bool) -> bool:
        """Whether the answer ``after`` to a rewording, correct or not, is what the attack wants."""
        return normalise(after) != normalise(before) if self.kind == "changed" else not correct


@dataclass(frozen=True)
class Attack:
    """A way to look for rewordings that fool a model. Its ``repr`` is its signature."""

    name: str
    """What people type, and the ``test`` of the variants it makes."""
    proposals: Proposals
    search: Search
    constraints: tuple[Constraint, ...] = ()
    goal: Goal = field(default_factory=Goal)
    least_words: int = 0
    """Questions of fewer words are refused."""
    spelling: bool = True
    """False where typing errors are the attack: misspelled words are then no fault of a rewording."""
    paper: str = field(default="", repr=False)
    """Where it was published."""

    def __post_init__(self) -> None:
        if self.least_words < 0:
            raise BadOption(f"{self.name}: least_words is {self.least_words}; it must be at least 0.")


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
