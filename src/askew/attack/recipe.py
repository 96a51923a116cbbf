"""An attack as its parts: proposals, constraints, a search and a goal."""

from __future__ import annotations

from dataclasses import dataclass, field

from askew.attack.goal import Goal
from askew.errors import BadOption
from askew.verbs import Constraint, Proposals, Search


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
