"""When an attack has reached its goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from askew.answers.normalise import normalise
from askew.errors import BadOption

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
