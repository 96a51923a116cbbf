"""CIDEr's ranking as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.rank.compiled import compiled
from askew.rank.overlap.board import UNIT, least_key, offer
from askew.rank.overlap.counting import seek
from askew.rank.overlap.gram_kernel import find_grams, times_in

SCALE = 10.0
"""CIDEr is ten times a mean of cosines."""
HALF_BIT = 2.0**-24
"""What one operation in single precision can be off by, relatively."""


@compiled
def norms_of(numbers: Any, starts: Any, idf: Any, two: float) -> Any:
    """The length of each document's vector of n-gram weights, for each n.

    Weights are squared by a power and added in the order in which n-grams first occur, as pycocoevalcap does. The
    exponent is an argument, because the compiler would turn a constant one into a product, which can differ in the
    last bit.
    """
    norms = np.zeros((len(starts) - 1, len(numbers)))
    for doc in range(len(norms)):
        for less in range(len(numbers)):
            own = numbers[less, starts[doc] : max(starts[doc], starts[doc + 1] - less)]
            total = 0.0
            for i in range(len(own)):
                times = times_in(own, i)
                if times:
                    total += (times * idf[own[i]]) ** two
            norms[doc, less] = np.sqrt(total)
    return norms


@compiled
def same(query: Any, size: int, i: int, j: int) -> bool:
    """True when the n-grams that begin at two places of the query are the same."""
    agree = 0
    for k in range(size):
        agree += query[i + k] == query[j + k]
    return agree == size


@compiled
def weigh(query: Any, numbers: Any, idf: Any, unseen: float, two: float, times: Any, norms: Any) -> None:
    """Set how often each n-gram stands in the query (at its first place, else 0), and the lengths of its vectors."""
    times[:] = 0
    for less in range(len(numbers)):
        total, count = 0.0, len(query) - less
        for i in range(count):
            before = False
            for j in range(i):
                before = before or same(query, less + 1, i, j)
            if not before:
                for j in range(i, count):
                    times[less, i] += same(query, less + 1, i, j)
                number = numbers[less, i]
                total += (times[less, i] * (idf[number] if number >= 0 else unseen)) ** two
        norms[less] = np.sqrt(total)


@compiled
def add_up(sums: Any, numbers: Any, times: Any, norms: Any, postings: Any, weights: Any) -> int:
    """Add to each document's sum the cosines with the query, in single precision; how many n-grams took part."""
    starts, docs, held = postings
    taken = 0
    for less in range(len(numbers)):
        if norms[less] == 0:
            continue
        factor = np.float32(1.0 / norms[less])
        for i in range(numbers.shape[1]):
            number, wanted = numbers[less, i], times[less, i]
            if number < 0 or wanted == 0:
                continue
            taken += 1
            for at in range(starts[number], starts[number + 1]):
                sums[docs[at]] += weights[at] * factor * np.float32(min(wanted, held[at]))
    return taken


@compiled
def exact(query: Any, document: Any, idf: Any, query_norms: Any, norms: Any, penalty: float) -> float:
    """The score, each step as pycocoevalcap does it."""
    numbers, times = query
    total = 0.0
    for less in range(len(numbers)):
        value = 0.0
        own = document[less, : max(0, document.shape[1] - less)]
        for i in range(numbers.shape[1]):
            number, wanted = numbers[less, i], times[less, i]
            if number >= 0 and wanted > 0:
                held = 0
                for other in own:
                    held += other == number
                weight = held * idf[number]
                value += min(wanted * idf[number], weight) * weight
        if query_norms[less] != 0 and norms[less] != 0:
            value /= query_norms[less] * norms[less]
        total += value * penalty
    return total / len(numbers) * SCALE


@compiled
def rank(
    members: Any,
    queries: Any,
    index: Any,
    lookup: Any,
    postings: Any,
    vectors: Any,
    unseen: float,
    two: float,
    order: Any,
    penalty: Any,
    sums: Any,
    bits: Any,
    boards: Any,
) -> None:
    """Fill the boards of texts of one length.

    ``bits`` are the sums seen as whole numbers: of numbers that are not negative, the greater has the greater bits.
    """
    words, begins, excluded = queries
    _, starts, firsts, edges = index
    numbers_of, idf, norms, weights = vectors
    keys, board_firsts, board_scores, board_docs, tally = boards
    least = np.zeros(1, dtype=np.float32)
    own_norms = np.zeros(len(numbers_of))
    for q in members:
        query = words[begins[q] : begins[q + 1]]
        board = keys[q], board_firsts[q], board_scores[q], board_docs[q], tally[q]
        numbers = np.empty((len(numbers_of), len(query)), dtype=np.int64)
        times = np.empty_like(numbers)
        find_grams(query, lookup, numbers)
        weigh(query, numbers, idf, unseen, two, times, own_norms)
        sums[:] = 0
        taken = add_up(sums, numbers, times, own_norms, postings, weights)
        share = (1 - (taken + 8) * 2 * HALF_BIT) * len(numbers) / SCALE / UNIT
        for stretch in order:
            doc, end = edges[stretch], edges[stretch + 1]
            while doc < end:
                least[0] = max(0.0, (least_key(board) - 1) * share / penalty[stretch])
                doc = seek(bits, doc, end, least.view(np.int32)[0])
                if doc < end and doc != excluded[q]:
                    score = 0.0
                    if sums[doc] > 0:
                        document = numbers_of[:, starts[doc] : starts[doc + 1]]
                        score = exact((numbers, times), document, idf, own_norms, norms[doc], penalty[stretch])
                    offer(board, score, firsts[doc], doc)
                doc += 1
