"""A small encoder for tests: a text is the sum of vectors of its words, word pairs and itself, each drawn by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import islice, pairwise, product

import numpy as np

THINGS = [
    "dog",
    "cat",
    "bus",
    "train",
    "boy",
    "girl",
    "plate",
    "cup",
    "tree",
    "car",
    "bird",
    "boat",
    "lamp",
    "chair",
    "woman",
    "man",
    "horse",
    "pizza",
    "sign",
    "door",
]
FORMS = [
    "What color is the {}?",
    "Is the {} near the {}?",
    "How many {}s are there?",
    "What is the {} doing to the {}?",
    "Where is the {} going?",
    "Is there a {} behind the {}?",
    "What kind of {} is this?",
    "Why is the {} on the {}?",
    "Does the {} look older than the {}?",
    "What is between the {} and the {}?",
    "Can you see the {} from the {}?",
    "Who put the {} under the {}?",
    "Is the {} as big as the {}?",
    "Which {} belongs to the {}?",
    "Are the {} and the {} wet?",
    "Did the {} follow the {}?",
    "Will the {} fit in the {}?",
    "Has the {} seen the {} before?",
    "Is that {} or {} yours?",
]


@dataclass(frozen=True)
class Bag:
    """Words, word pairs and the whole, without regard to case and punctuation.

    ``own`` is the weight of the whole; without it vectors depend on one another exactly.
    """

    width: int = 64
    own: float = 1.5

    def encode(self, texts):
        rows = np.zeros((len(texts), self.width))
        for row, text in zip(rows, texts, strict=True):
            words = re.findall(r"\w+", text.lower())
            for part in (*words, *(" ".join(pair) for pair in pairwise(words))):
                row += drawn(part, self.width)
            row += self.own * drawn(" ".join(words), self.width) if len(words) > 2 else 0.0
            row /= np.sqrt(row @ row) or 1.0
        return rows.astype(np.float32)


@cache
def drawn(name, width):
    seed = int.from_bytes(sha256(name.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(width)


def template_pool(count):
    """Distinct questions, as many as asked for."""
    texts = dict.fromkeys(form.format(a, b) for a, b, form in product(THINGS, THINGS, FORMS) if a != b)
    return list(islice(texts, count))
