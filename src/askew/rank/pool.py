"""The pool of basic questions: each distinct question once, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


def sameness(text: str) -> str:
    """What two spellings of one question have in common: its words in lower case, without the mark at the end.

    >>> sameness("  Is it  Sunny ?") == sameness("is it sunny?")
    True
    """
    return " ".join(text.casefold().split()).rstrip(" ?.!")


@dataclass(frozen=True, repr=False)
class Pool:
    """Distinct questions, each in the spelling first seen; a question's number in it is its index.

    >>> pool = Pool.of(["Is it sunny?", "What is this?", "is it sunny"])
    >>> pool.texts
    ('Is it sunny?', 'What is this?')
    >>> pool.find("IS IT SUNNY"), pool.find("Why?")
    (0, None)
    """

    texts: tuple[str, ...]
    _index: dict[str, int] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Pool:
        """The pool of these texts; duplicates and empty ones are left out."""
        kept: dict[str, str] = {}
        for text in texts:
            key = sameness(text)
            if key:
                kept.setdefault(key, text.strip())
        return cls(tuple(kept.values()), {key: number for number, key in enumerate(kept)})

    def __len__(self) -> int:
        return len(self.texts)

    def find(self, text: str) -> int | None:
        """Where this question stands in the pool, in whatever spelling; None when it does not."""
        return self._index.get(sameness(text))
