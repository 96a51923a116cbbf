"""Encoding in batches where a text's company does not show.

The last bits of a matrix product depend on the shape of the matrices. So a batch always has the same number of texts,
all of the same length: shapes then follow from the text alone, and each row of a product from its own text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any


def in_even_batches(
    texts: Sequence[str], length: Callable[[str], int], encode: Callable[[list[str]], Any], size: int, longest: int
) -> list[Any]:
    """One vector per text, from batches of ``size`` texts of one length; a last one is filled up with its first text.

    Texts longer than ``longest`` go alone.

    >>> asked = []
    >>> in_even_batches(["aa", "b", "cc", "dd", "eeee"], len, lambda some: asked.append(some) or some, 2, 3)
    ['aa', 'b', 'cc', 'dd', 'eeee']
    >>> asked
    [['aa', 'cc'], ['dd', 'dd'], ['b', 'b'], ['eeee']]
    """
    vectors: list[Any] = [None] * len(texts)
    alike: dict[int, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        alike[length(text)].append(number)
    for tokens, numbers in alike.items():
        together = size if tokens <= longest else 1
        for start in range(0, len(numbers), together):
            part = numbers[start : start + together]
            filled = part + part[:1] * (together - len(part))
            for number, vector in zip(part, encode([texts[one] for one in filled]), strict=False):
                vectors[number] = vector
    return vectors
