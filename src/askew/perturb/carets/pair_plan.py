"""Which questions are written about which scene: a plan of a few bytes for each, in the order of the scenes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

OWN, TWIN, CLAIM, WORD_CLAIM = range(4)


class Row(NamedTuple):
    """A question to write about a scene."""

    scene: int
    test: str
    kind: int
    """An own draft (``OWN``), the draft of another scene with the other answer (``TWIN``), a claim (``CLAIM``),

    or a claim that is matched by its value alone (``WORD_CLAIM``).
    """
    place: int
    """The place of the draft or claim in its scene."""
    source: int
    """The scene of the draft."""
    words: tuple[str, ...]
    """For claims, the values that the question offers; for antonyms, the values of the first and second question."""
    mark: int
    """The same for all questions with the same text."""


class PairPlan:
    """Rows, ordered by scene, test and mark; 28 bytes each.

    >>> plan = PairPlan()
    >>> plan.add([Row(1, "ORDER-INV", OWN, 0, 1, (), 5), Row(0, "ORDER-INV", TWIN, 0, 1, (), 5)])
    >>> [(row.scene, row.kind) for row in plan.ordered()]
    [(0, 1), (1, 0)]
    """

    def __init__(self) -> None:
        self._scenes, self._sources, self._places, self._kinds = (array("I") for _ in range(4))
        self._marks = array("Q")
        self._names: dict[tuple[str, int, tuple[str, ...]], int] = {}
        """Test, kind and words of rows, each once."""

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows."""
        for row in rows:
            self._scenes.append(row.scene)
            self._sources.append(row.source)
            self._places.append(row.place)
            self._kinds.append(self._names.setdefault((row.test, row.kind, row.words), len(self._names)))
            self._marks.append(row.mark)

    def ordered(self) -> Iterator[Row]:
        """All rows."""
        names = list(self._names)
        tests = {test: rank for rank, test in enumerate(sorted({name[0] for name in names}))}
        test = np.asarray([tests[name[0]] for name in names] or [0])[np.asarray(self._kinds, dtype=np.intp)]
        for place in np.lexsort((np.asarray(self._marks), test, np.asarray(self._scenes))):
            name = names[self._kinds[place]]
            yield Row(
                self._scenes[place],
                name[0],
                name[1],
                self._places[place],
                self._sources[place],
                name[2],
                self._marks[place],
            )

    def drafts(self) -> list[tuple[int, int]]:
        """The scene and place of each draft that another scene needs, in order."""
        twins = {which for (_, kind, _), which in self._names.items() if kind == TWIN}
        rows = zip(self._sources, self._places, self._kinds, strict=True)
        return sorted({(source, place) for source, place, which in rows if which in twins})
