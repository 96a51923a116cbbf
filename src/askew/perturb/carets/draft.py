"""One pair of a scene's pool, before it is put into words."""

from __future__ import annotations

from typing import NamedTuple

from askew.perturb.carets.balance import Entry
from askew.perturb.carets.twins import Twins


class Draft(NamedTuple):
    """What was drawn, and by which numbers it is chosen and written."""

    test: str
    place: int
    """Which draw of the scene it is."""
    pair: Twins
    chance: float
    """Between 0 and 1; balance goes by it."""
    spin: float
    """Between 0 and 1; it chooses the templates."""

    def entry(self) -> Entry:
        """What balance looks at."""
        first = self.pair.first
        return Entry(self.test, first.binary, self.pair.category, first.answer, self.chance)
