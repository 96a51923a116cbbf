"""The model that both programs attack in ``bench_attack.py``: a softmax over sums of word weights, with a price.

Only the standard library is used, since TextAttack runs in an environment of its own.
"""

from __future__ import annotations

import hashlib
import math
import re
import time
from functools import cache

CLASSES = 12
SHARPNESS = 1.5


@cache
def weights(word: str) -> tuple[float, ...]:
    """A number from -1 to 1 for each class, from a hash of the word."""
    digest = hashlib.sha512(word.encode()).digest()
    return tuple(int.from_bytes(digest[4 * n : 4 * n + 4], "big") / 2**31 - 1 for n in range(CLASSES))


def chances(text: str) -> list[float]:
    """The probability of each class; the order of words does not matter."""
    found = [weights(word) for word in sorted(re.findall(r"[a-z0-9'-]+", text.lower()))]
    sums = [SHARPNESS * math.fsum(column) for column in zip(*found, strict=True)] if found else [0.0] * CLASSES
    top = max(sums)
    powers = [math.exp(value - top) for value in sums]
    total = math.fsum(powers)
    return [power / total for power in powers]


class Stub:
    """Answers many texts at once; a call takes ``call`` seconds and ``text`` more for each text."""

    def __init__(self, call: float = 0.0, text: float = 0.0) -> None:
        self.call, self.text, self.calls, self.texts, self.slept = call, text, 0, 0, 0.0

    def chances(self, texts: list[str]) -> list[list[float]]:
        """The probabilities for each text."""
        self.calls += 1
        self.texts += len(texts)
        price = self.call + self.text * len(texts)
        self.slept += price
        time.sleep(price)
        return [chances(text) for text in texts]
