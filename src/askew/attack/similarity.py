"""How similar two texts are: by the letters that differ, and by a sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from askew.registry import make
from askew.verbs import Encoder


@lru_cache(maxsize=1 << 14)
def edit_distance(one: str, other: str) -> int:
    """Levenshtein's distance: letters inserted, deleted or replaced.

    >>> edit_distance("green", "geren"), edit_distance("green", "gren"), edit_distance("", "ab")
    (2, 1, 2)
    """
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, row[0] = row[0], place
        for at, found in enumerate(other, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (letter != found))
    return row[-1]


_REMEMBERED = 100_000
"""How many vectors are kept in memory: 0.2 GB of 512 numbers each."""


@dataclass(frozen=True)
class SentenceSimilarity:
    """The angular similarity 1 − arccos(cos) / π of sentence vectors (Cer et al. 2018); each text is encoded once."""

    encoder: str | Encoder = "use"
    """The encoder, or its name."""

    def of(self, original: str, texts: Sequence[str]) -> list[float]:
        """The similarity of each text to the original, rounded to six places."""
        return [angular(cosine) for cosine in self.cosines([(original, text) for text in texts])]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair of texts."""
        self.read([text for pair in pairs for text in pair])
        known = _vectors(self._signature)
        return [_cosine(known[one], known[other]) for one, other in pairs]

    def read(self, texts: Sequence[str]) -> None:
        """Encode these texts, all at once."""
        known = _vectors(self._signature)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            if len(known) + len(new) > _REMEMBERED:
                known.clear()
                new = list(dict.fromkeys(texts))
            known.update(zip(new, np.asarray(self._made.encode(new), np.float64), strict=True))

    @cached_property
    def _made(self) -> Encoder:
        made: Encoder = make("encoder", self.encoder) if isinstance(self.encoder, str) else self.encoder
        return made

    @cached_property
    def _signature(self) -> str:
        return repr(self._made)


def angular(cosine: float) -> float:
    """1 − arccos(cos) / π, rounded to six places.

    >>> angular(1.0), angular(0.0), angular(-1.0), angular(0.5)
    (1.0, 0.5, 0.0, 0.666667)
    """
    return round(1.0 - float(np.arccos(max(-1.0, min(1.0, cosine)))) / float(np.pi), 6)


def _cosine(one: Any, other: Any) -> float:
    lengths = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / lengths if lengths else 0.0


@lru_cache(maxsize=2)
def _vectors(signature: str) -> dict[str, Any]:
    return {}
