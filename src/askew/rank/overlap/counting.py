"""How many words of a text each document shares, and the search for documents that share enough."""

from __future__ import annotations

from typing import Any

from askew.rank.compiled import compiled
from askew.rank.overlap.gram_kernel import times_in
from askew.rank.overlap.index import TABLED

BLOCK = 64
"""Documents that are looked at in one go; so many fit into a line of the processor's cache."""

NEAR = 6
"""Documents that are looked at one by one first, since those that share enough often stand together."""


@compiled
def count_shared(counts: Any, query: Any, occurrences: Any) -> None:
    """Add to each document's count its words in common with the query, each at most as often as the query has it."""
    for i in range(len(query)):
        wanted = times_in(query, i)
        if wanted and query[i] < len(occurrences[0]) - 1:
            count_word(counts, query[i], wanted, occurrences)


@compiled
def count_word(counts: Any, word: int, most: int, occurrences: Any) -> None:
    """Add to each document's count how often it has this word, at most so many."""
    starts, docs, times, columns, table = occurrences
    if columns[word] >= 0 and most < TABLED:
        limit = table.dtype.type(most)
        for doc, own in enumerate(table[columns[word]]):
            counts[doc] += min(own, limit)
    else:
        count_term(counts, word, most, starts, docs, times)


@compiled
def count_term(counts: Any, term: int, most: int, starts: Any, docs: Any, times: Any) -> None:
    """Add to each document's count how often it has this term, at most so many."""
    if most == 1:
        for doc in docs[starts[term] : starts[term + 1]]:
            counts[doc] += 1
    else:
        for at in range(starts[term], starts[term + 1]):
            counts[docs[at]] += min(most, times[at])


@compiled
def seek(counts: Any, start: int, end: int, least: int) -> int:
    """The first document from ``start`` on with at least this count; ``end`` when there is none."""
    near = min(start + NEAR, end)
    for i in range(start, near):
        if counts[i] >= least:
            return i
    at = near
    while at < end:
        stop = min(at + BLOCK, end)
        highest = counts[at]
        for count in counts[at:stop]:
            highest = max(highest, count)
        if highest >= least:
            for i in range(at, stop):
                if counts[i] >= least:
                    return i
        at = stop
    return end
