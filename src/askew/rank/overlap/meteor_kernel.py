"""METEOR's ranking as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.rank.compiled import compiled
from askew.rank.overlap.board import least_key, offer
from askew.rank.overlap.counting import count_word, seek

LEVELS = 3
"""Same word, same stem, synonym."""
WORD, PLACE, LEVEL = 0, 1, 2


@compiled
def align(document: Any, slots: Any, levels: Any, places: Any, free: Any) -> int:
    """Match words from the right, level by level, each with the last free place of the query; how many matched.

    ``places`` gets the place of each of the document's words, or -1; ``free`` is scratch, one for each place.
    """
    places[: len(document)] = -1
    free[:] = True
    matched = 0
    for level in range(1, LEVELS + 1):
        for i in range(len(document) - 1, -1, -1):
            slot = slots[document[i]]
            if slot == 0 or places[i] >= 0:
                continue
            for place in range(len(free) - 1, -1, -1):
                if free[place] and 0 < levels[slot, place] <= level:
                    places[i], free[place] = place, False
                    matched += 1
                    break
    return matched


@compiled
def chunks_of(places: Any) -> int:
    """How many stretches of matched words there are that are the same in both texts."""
    chunks, last = 0, -2
    for place in places:
        if place < 0:
            last = -2
        else:
            chunks += place != last + 1
            last = place
    return chunks


@compiled
def relate(rows: Any, slots: Any, levels: Any, counts: Any, occurrences: Any) -> None:
    """Give each related word a slot with its levels, and count for each document the words that could be matched."""
    levels[:] = 0
    used = 0
    for row in rows:
        if slots[row[WORD]] == 0:
            used += 1
            slots[row[WORD]] = used
        levels[slots[row[WORD]], row[PLACE]] = row[LEVEL]
    counts[:] = 0
    done = 0
    for row in rows:
        slot = slots[row[WORD]]
        if slot > done:
            done = slot
            count_word(counts, row[WORD], (levels[slot] > 0).sum(), occurrences)


@compiled
def cap(counts: Any, most: int) -> None:
    """Lower each count that is above the most there can be."""
    limit = counts.dtype.type(most)
    for i in range(len(counts)):
        counts[i] = min(counts[i], limit)


@compiled
def rank(
    members: Any,
    queries: Any,
    related: Any,
    index: Any,
    occurrences: Any,
    visits: Any,
    means: Any,
    kept: Any,
    slots: Any,
    counts: Any,
    boards: Any,
) -> None:
    """Fill the boards of texts of one length, the most promising documents first, until none can get a place."""
    _, begins, excluded = queries
    rows, row_starts = related
    tokens, starts, firsts, edges = index
    keys, board_firsts, board_scores, board_docs, tally = boards
    places = np.empty(np.diff(starts).max(), dtype=np.int64)
    for q in members:
        own = rows[row_starts[q] : row_starts[q + 1]]
        board = keys[q], board_firsts[q], board_scores[q], board_docs[q], tally[q]
        size = begins[q + 1] - begins[q]
        levels, free = np.empty((len(own) + 1, size), dtype=np.int8), np.empty(size, dtype=np.bool_)
        relate(own, slots, levels, counts, occurrences)
        if size < len(places):
            cap(counts, size)
        for stretch, count, bound in visits:
            if bound < least_key(board):
                break
            end = edges[stretch + 1]
            doc = seek(counts, edges[stretch], end, count)
            while doc < end:
                if counts[doc] == count and doc != excluded[q]:
                    score = 0.0
                    if count:
                        document = tokens[starts[doc] : starts[doc + 1]]
                        matched = align(document, slots, levels, places, free)
                        if matched:
                            chunks = chunks_of(places[: len(document)])
                            score = kept[matched, chunks] * means[stretch, matched]
                    offer(board, score, firsts[doc], doc)
                doc = seek(counts, doc + 1, end, count)
        for row in own:
            slots[row[WORD]] = 0
