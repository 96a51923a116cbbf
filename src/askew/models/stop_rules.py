"""The rule by which asking ends early: it is told what happens, and says why to stop."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class InARow:
    """The same trouble ``limit`` times in a row is a reason to stop; 0 never is.

    >>> rule = InARow(2, "{count} timeouts; the last after {last}")
    >>> [rule.told(trouble, "9 s") for trouble in ("timeout", "", "timeout", "timeout")]
    [None, None, None, '2 timeouts; the last after 9 s']
    """

    limit: int
    because: str
    """The reason, with ``{count}`` and ``{last}`` where these go."""
    count: int = 0
    kind: str = ""

    def told(self, trouble: str, last: str = "") -> str | None:
        """Count what happened, ``""`` if all is well; returns the reason to stop, if there is one now."""
        self.count = self.count + 1 if trouble and trouble == self.kind else int(bool(trouble))
        self.kind = trouble
        if not self.limit or self.count < self.limit:
            return None
        return self.because.format(count=f"{self.count:,}", last=last)
