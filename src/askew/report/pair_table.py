"""Every pair of every run as columns, from the runs' tables.

A pair is an original question with one of its variants. All that the page counts or samples is a numpy expression over
these columns; the samples are opened only for the pairs that are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from askew.metrics.pairs import AnswerFlips
from askew.metrics.run_table import RunTable
from askew.report.load import Run

ABSENT = 255
"""The code of a pair that is not in a run."""


class Trait(NamedTuple):
    """A property that pairs of one suite can share, e.g. the question type *how many*."""

    suite: str
    dimension: str
    value: str


@dataclass(frozen=True)
class PairTable:
    """The pairs of all runs, each once."""

    runs: Sequence[Run]
    codes: Sequence[NDArray[np.uint8]]
    """``codes[m][p]`` is three times the code of the original's answer plus that of the variant's."""
    offsets: Sequence[NDArray[np.int64]]
    """``offsets[m][g]``: where the line of group g begins in run m's file; -1 where there is none."""
    group_of: NDArray[np.int64]
    variant_of: NDArray[np.int64]
    """For each pair its group, and the index of its variant in the group."""
    priority: NDArray[np.uint64]
    """A hash of the group's id: the sample takes the smallest, regardless of the order of the file."""
    trait_ids: NDArray[np.int32]
    trait_counts: NDArray[np.int32]
    """How many of ``trait_ids`` belong to each pair; the first three are its suite, test and rule."""
    number_of: Mapping[Trait, int]
    """The index of each trait."""

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.group_of)

    @cached_property
    def traits(self) -> list[Trait]:
        """The traits by index."""
        return list(self.number_of)

    @cached_property
    def heads(self) -> NDArray[np.int32]:
        """Suite, test and rule of each pair, as trait numbers, of shape (pairs, 3)."""
        starts = np.cumsum(self.trait_counts, dtype=np.int64) - self.trait_counts
        return np.asarray(self.trait_ids[starts[:, None] + np.arange(3)])

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The pair that each of ``trait_ids`` belongs to."""
        return np.repeat(np.arange(self.pairs), self.trait_counts)

    def flips(self, run: int, suite: str) -> AnswerFlips | None:
        """How often each answer of a run became each other."""
        table = self.runs[run].tables.get(suite)
        return None if table is None else table.flips


@dataclass(frozen=True)
class _Piece:
    """The groups with variants of one suite of a run."""

    run: int
    suite: str
    table: RunTable
    first: int
    """How many groups are in the pieces before it."""
    varied: NDArray[np.int64]
    """The indices of its groups."""

    def keys(self, data: str) -> NDArray[np.uint64]:
        """What identifies the groups in all runs: data, suite, id and content."""
        mark = np.uint64(crc32(repr((data, self.suite)).encode()))
        keys: NDArray[np.uint64] = self.table.column("key")[self.varied].astype(np.uint64)
        return _mix(keys + mark) ^ self.table.column("digest")[self.varied].astype(np.uint64)


def read_pairs(runs: Sequence[Run]) -> PairTable:
    """The pairs of these runs; a group of several runs is one group if its questions are the same."""
    pieces = list(_pieces(runs))
    keys = [piece.keys(runs[piece.run].data) for piece in pieces]
    sizes = np.concatenate([np.zeros(0, np.int64), *(_sizes(piece) for piece in pieces)])
    _, first_of, place = np.unique(
        np.concatenate([np.zeros(0, np.uint64), *keys]), return_index=True, return_inverse=True
    )
    first_at, firsts = np.sort(first_of), first_of[place]
    numbers, group_sizes = np.searchsorted(first_at, firsts), sizes[first_at]
    starts = np.cumsum(group_sizes) - group_sizes
    codes = [np.full(int(group_sizes.sum()), ABSENT, np.uint8) for _ in runs]
    offsets = [np.full(len(group_sizes), -1, np.int64) for _ in runs]
    trait_numbers: dict[Trait, int] = {}
    ids, counts = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    priority = [np.zeros(0, np.uint64)]
    for piece in pieces:
        here = slice(piece.first, piece.first + len(piece.varied))
        own, own_sizes, table = numbers[here], sizes[here], piece.table
        variant = _within(own_sizes)
        codes[piece.run][np.repeat(starts[own], own_sizes) + variant] = table.column("pair")
        offsets[piece.run][own] = table.column("offset")[piece.varied]
        fresh = np.repeat(firsts[here] == np.arange(here.start, here.stop), own_sizes)
        mapping = [
            trait_numbers.setdefault(Trait(piece.suite, dimension, value), len(trait_numbers))
            for dimension, value in table.traits.number_of
        ]
        trait_counts = table.column("trait_counts").astype(np.int32)
        counts.append(trait_counts[fresh])
        ids.append(np.array(mapping, np.int32)[table.column("trait_ids")[np.repeat(fresh, trait_counts)]])
        marks = np.repeat(table.column("key")[piece.varied].astype(np.uint64), own_sizes)
        priority.append(_mix(marks + variant.astype(np.uint64))[fresh])
    return PairTable(
        runs=runs,
        codes=codes,
        offsets=offsets,
        group_of=np.repeat(np.arange(len(group_sizes)), group_sizes),
        variant_of=_within(group_sizes),
        priority=np.concatenate(priority),
        trait_ids=np.concatenate(ids),
        trait_counts=np.concatenate(counts),
        number_of=trait_numbers,
    )


def _pieces(runs: Sequence[Run]) -> Iterator[_Piece]:
    first = 0
    for number, run in enumerate(runs):
        for suite, table in run.tables.items():
            piece = _Piece(number, suite, table, first, np.flatnonzero(table.column("variants")))
            first += len(piece.varied)
            yield piece


def _sizes(piece: _Piece) -> NDArray[np.int64]:
    """How many variants each group has."""
    return piece.table.column("variants")[piece.varied].astype(np.int64)


def _within(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions within consecutive blocks of these sizes.

    >>> _within(np.array([2, 1, 3])).tolist()
    [0, 1, 0, 0, 1, 2]
    """
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The mixing step of SplitMix64: similar numbers give unrelated ones."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
