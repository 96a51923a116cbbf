"""Finding a text's n-grams among the pool's, as machine code."""

from __future__ import annotations

from typing import Any

from askew.rank.compiled import compiled


@compiled
def find(keys: Any, low: int, high: int, key: int) -> int:
    """Where a key stands between two places of an ascending array; -1 when it does not."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


@compiled
def find_grams(query: Any, lookup: Any, numbers: Any) -> None:
    """Set ``numbers[n - 1, i]`` to the n-gram that begins at the query's i-th word; -1 where the pool has none."""
    offsets, keys = lookup
    words, size = offsets[1], len(query)
    numbers[:] = -1
    for i in range(size):
        if query[i] < words:
            numbers[0, i] = query[i]
    for less in range(1, len(numbers)):
        shift = words  # keys begin with the pairs, numbers with the words
        for i in range(size - less):
            shorter, last = numbers[less - 1, i], query[i + less]
            if shorter >= 0 and last < words:
                key = shorter * words + last
                at = find(keys, offsets[less] - shift, offsets[less + 1] - shift, key)
                if at >= 0:
                    numbers[less, i] = at + shift


@compiled
def times_in(numbers: Any, at: int) -> int:
    """How often the number at this place stands in the array, when here for the first time; otherwise 0."""
    count = 0
    for i in range(len(numbers)):
        if numbers[i] == numbers[at]:
            if i < at:
                return 0
            count += 1
    return count
