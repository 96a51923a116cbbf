"""ROUGE-L's ranking as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.rank.compiled import compiled
from askew.rank.overlap.board import least_key, offer
from askew.rank.overlap.counting import count_shared, seek


@compiled
def common(document: Any, query: Any, row: Any) -> int:
    """The length of the longest common subsequence of two texts; ``row`` is scratch, one longer than the query."""
    row[:] = 0
    for word in document:
        diagonal = 0
        for j in range(len(query)):
            above = row[j + 1]
            row[j + 1] = diagonal + 1 if word == query[j] else max(above, row[j])
            diagonal = above
    return int(row[len(query)])


@compiled
def rank(
    members: Any, queries: Any, index: Any, postings: Any, visits: Any, scores: Any, counts: Any, boards: Any
) -> None:
    """Fill the boards of texts of one length, the most promising documents first, until none can get a place."""
    words, begins, excluded = queries
    tokens, starts, firsts, edges = index
    keys, board_firsts, board_scores, board_docs, tally = boards
    for q in members:
        query = words[begins[q] : begins[q + 1]]
        board = keys[q], board_firsts[q], board_scores[q], board_docs[q], tally[q]
        row = np.zeros(len(query) + 1, dtype=np.int64)
        counts[:] = 0
        count_shared(counts, query, postings)
        for stretch, count, bound in visits:
            if bound < least_key(board):
                break
            end = edges[stretch + 1]
            doc = seek(counts, edges[stretch], end, count)
            while doc < end:
                if counts[doc] == count and doc != excluded[q]:
                    shared = common(tokens[starts[doc] : starts[doc + 1]], query, row) if count else 0
                    offer(board, scores[stretch, shared], firsts[doc], doc)
                doc = seek(counts, doc + 1, end, count)
