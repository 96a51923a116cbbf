"""A file of groups to which failures that were found by hand are added; ``askew run --data FILE`` asks them again."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

from askew.data.groups import read_groups, write_groups
from askew.errors import UsageError
from askew.play.playground import Trial, TriedVariant
from askew.types import Group


@dataclass
class FailuresFile:
    """The file; it is read before each change, and written whole. Images that have no file are written beside it."""

    path: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, trial: Trial, spec: str, tried: TriedVariant) -> int:
        """Add a variant to the group of its question; returns how many groups the file has.

        A failure whose correct answer is the model's own word is refused: nobody has said that it is correct.
        """
        if trial.source == "model":
            raise UsageError("Type the answer that you expect and ask again: what is saved must say what is correct.")
        suite = spec.partition(":")[0]
        with self._lock:
            groups = list(read_groups(str(self.path))) if self.path.is_file() else []
            made = Group(tried.original.id, suite, tried.original, (tried.variant,))
            for at, group in enumerate(groups):
                if (group.id, group.suite) == (made.id, made.suite):
                    kept = [one for one in group.variants if one.question.id != tried.variant.question.id]
                    groups[at] = replace(group, variants=(*kept, tried.variant))
                    break
            else:
                groups.append(made)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_groups(groups, str(self.path))
        return len(groups)
