"""BLEU's ranking as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.rank.compiled import compiled
from askew.rank.overlap.board import UNIT, least_key, offer
from askew.rank.overlap.counting import count_shared, count_term, seek
from askew.rank.overlap.gram_kernel import find_grams, times_in

LESS = 1 - 1e-9
"""Far more than what the last bits of a power can be off by."""


@compiled
def count_grams(counts: Any, query: Any, occurrences: Any, lookup: Any, postings: Any, numbers: Any) -> None:
    """Set ``counts[n - 1, doc]`` to the n-grams that a document shares with the query; ``numbers`` is scratch."""
    counts[:] = 0
    count_shared(counts[0], query, occurrences)
    if len(counts) > 1:
        starts, docs, times = postings
        find_grams(query, lookup, numbers)
        for less in range(1, len(counts)):
            for i in range(len(query) - less):
                if numbers[less, i] >= 0:
                    wanted = times_in(numbers[less], i)
                    if wanted:
                        count_term(counts[less], numbers[less, i], wanted, starts, docs, times)


@compiled
def rank(
    members: Any,
    queries: Any,
    index: Any,
    occurrences: Any,
    lookup: Any,
    postings: Any,
    visits: Any,
    precisions: Any,
    brevity: Any,
    counts: Any,
    boards: Any,
) -> None:
    """Fill the boards of texts of one shape, the most promising documents first, until none can get a place."""
    words, begins, excluded = queries
    _, _, firsts, edges = index
    keys, board_firsts, board_scores, board_docs, tally = boards
    longest = len(precisions)
    root = 1.0 / longest
    for q in members:
        query = words[begins[q] : begins[q + 1]]
        board = keys[q], board_firsts[q], board_scores[q], board_docs[q], tally[q]
        numbers = np.empty((longest, len(query)), dtype=np.int64)
        count_grams(counts, query, occurrences, lookup, postings, numbers)
        for stretch, count, bound in visits:
            if bound < least_key(board):
                break
            least = 0.0
            if least_key(board) > 0:
                least = ((least_key(board) - 1) / UNIT / brevity[stretch]) ** longest * LESS
            end = edges[stretch + 1]
            doc = seek(counts[0], edges[stretch], end, count)
            while doc < end:
                if counts[0, doc] == count and doc != excluded[q]:
                    product = 1.0
                    for less in range(longest):
                        product *= precisions[less, stretch, counts[less, doc]]
                    if product >= least:
                        offer(board, product**root * brevity[stretch], firsts[doc], doc)
                doc = seek(counts[0], doc + 1, end, count)
