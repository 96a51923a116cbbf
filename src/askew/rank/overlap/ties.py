"""Which of two equally good texts comes first.

Most rankings by BLEU, ROUGE and METEOR are decided here: in a pool of 50,000 questions about forty have the score of
the 21st or a better one. So the rule is said, and each ranking tells how many were tied.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption

DECIMALS = 12
"""Scores that agree in so many decimals are equal."""

SEEDED = "seeded:"


def check_rule(rule: str) -> None:
    """Refuse what is no tie rule.

    >>> check_rule("seeded:one")
    Traceback (most recent call last):
    askew.errors.BadOption: ties: 'seeded:one' is no tie rule. Give 'index' or 'seeded:N' with a whole number N.
    """
    if rule != "index" and not (rule.startswith(SEEDED) and rule[len(SEEDED) :].lstrip("-").isdecimal()):
        raise BadOption(f"ties: {rule!r} is no tie rule. Give 'index' or 'seeded:N' with a whole number N.")


def precedence(texts: Sequence[str], rule: str) -> NDArray[np.int32]:
    """For each text how many others come before it in a tie: its place in the pool, or one that the seed shuffles.

    A shuffled place comes from the seed and the text alone, so two texts stand in the same order in every pool.

    >>> precedence(["a", "b", "c"], "index").tolist(), precedence(["a", "b", "c"], "seeded:1").tolist()
    ([0, 1, 2], [1, 2, 0])
    """
    check_rule(rule)
    places = np.arange(len(texts), dtype=np.int32)
    if rule == "index":
        return places
    seed = int(rule[len(SEEDED) :])
    shuffled = sorted(range(len(texts)), key=lambda i: (blake2b(f"{seed}:{texts[i]}".encode()).digest(), i))
    before = np.empty_like(places)
    before[shuffled] = places
    return before


def keys_of(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scores as whole numbers of the last decimal that counts.

    >>> keys_of(np.array([0.25, 1e-13])).tolist()
    [250000000000, 0]
    """
    return np.round(scores * 10.0**DECIMALS).astype(np.int64)
