"""One resampling of the images, shared by all scores: intervals that know that questions about one image go together.

Clusters (images) are drawn with replacement, as many as there are; a score's column sums over a drawing are the
clusters' own sums weighted by how often each was drawn. Every score of a run sees the same drawings, so scores can be
compared resample by resample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.metrics.rows import Floats, Ints
from askew.settings import check_whole

_WEIGHTS_AT_ONCE = 1 << 24
"""Weights of the drawings held at a time: 128 MB."""


@dataclass(frozen=True)
class Block:
    """Column sums of some of the clusters."""

    clusters: Ints
    """Places of these clusters in the canonical order, ascending, each once."""
    rows: Floats
    """Shape (clusters, columns)."""


def by_cluster(clusters: Ints, rows: Floats) -> Block:
    """Rows of groups as sums over clusters.

    >>> block = by_cluster(np.array([4, 0, 4]), np.array([[1.0, 1.0], [0.0, 1.0], [0.5, 1.0]]))
    >>> block.clusters.tolist(), block.rows.tolist()
    ([0, 4], [[0.0, 1.0], [1.5, 2.0]])
    """
    present, place = np.unique(clusters, return_inverse=True)
    sums = [np.bincount(place, weights=column, minlength=len(present)) for column in rows.T]
    return Block(present, np.column_stack(sums) if sums else np.zeros((len(present), 0)))


def side_by_side(blocks: Sequence[Block]) -> Block:
    """The columns of several blocks in one, over all their clusters; a cluster that a block lacks adds nothing."""
    present = np.unique(np.concatenate([block.clusters for block in blocks]))
    rows = np.zeros((len(present), sum(block.rows.shape[1] for block in blocks)))
    start = 0
    for block in blocks:
        stop = start + block.rows.shape[1]
        rows[np.searchsorted(present, block.clusters), start:stop] = block.rows
        start = stop
    return Block(present, rows)


@dataclass(frozen=True)
class Bootstrap:
    """Drawings of ``clusters`` clusters with replacement; the same ones whenever these three numbers are the same."""

    clusters: int
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("resamples", self.resamples)
        check_whole("seed", self.seed)

    def sums(self, blocks: Iterable[Block]) -> list[Floats]:
        """The column sums of each block in every drawing, shape (columns, resamples). Blocks are taken one by one."""
        plan = _Plan()
        places = [plan.add(block) for block in blocks]
        distinct = plan.distinct()
        found = [np.zeros((len(columns), self.resamples)) for _, columns in distinct]
        wanted = np.concatenate([clusters for clusters, _ in distinct]) if distinct else np.zeros(0, dtype=np.int64)
        for first, weights in self._weights(wanted):
            drawings = slice(first, first + len(weights))
            start = 0
            for (clusters, columns), sums in zip(distinct, found, strict=True):
                stop = start + len(clusters)
                sums[:, drawings] = columns @ weights[:, start:stop].T
                start = stop
        return [found[where][columns] for where, columns in places]

    def _weights(self, wanted: Ints) -> Iterator[tuple[int, Floats]]:
        """How often each wanted cluster is drawn, some drawings at a time, with the number of the first of them."""
        if not len(wanted):
            return
        rng = np.random.Generator(np.random.PCG64(self.seed))
        at_once = max(1, min(self.resamples, _WEIGHTS_AT_ONCE // len(wanted)))
        memory = np.empty((at_once, len(wanted)))  # used again and again: fresh memory costs more than the sums
        for first in range(0, self.resamples, at_once):
            weights = memory[: self.resamples - first]
            for drawing in weights:
                drawn = np.bincount(rng.integers(self.clusters, size=self.clusters), minlength=self.clusters)
                np.take(drawn.astype(float), wanted, out=drawing, mode="clip")
            yield first, weights


def interval(samples: npt.ArrayLike, coverage: float = 0.95) -> tuple[float, float]:
    """The middle part of the resampled scores, undefined ones left out (percentile interval); nan of nothing.

    >>> interval([0.0, 1.0, 2.0, 3.0, float("nan")], coverage=1.0)
    (0.0, 3.0)
    """
    values = np.asarray(samples, dtype=float)
    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    tail = (1 - coverage) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def settled(value: Any) -> float:
    """A score without what depends on a machine's way of adding up: twelve decimals, ten significant digits.

    >>> settled(0.1 + 0.2), settled(0.3 - 0.1 - 0.2), settled(200 / 3)
    (0.3, 0.0, 66.66666667)
    """
    return ten_digits(round(float(value), 12))


def ten_digits(value: float) -> float:
    """The number with ten significant digits, however small it is.

    >>> ten_digits(1e-30 / 3)
    3.333333333e-31
    """
    return float(f"{value:.10g}") + 0.0


class _Plan:
    """Blocks with everything equal said once: one gathering per set of clusters, one column per distinct column."""

    def __init__(self) -> None:
        self._clusters: dict[bytes, Ints] = {}
        self._columns: list[dict[bytes, Floats]] = []

    def add(self, block: Block) -> tuple[int, list[int]]:
        """Where this block's columns will be: in which of the distinct blocks, and which of its columns."""
        key = _digest(block.clusters)
        if key not in self._clusters:
            self._clusters[key] = block.clusters
            self._columns.append({})
        where = list(self._clusters).index(key)
        known = self._columns[where]
        names = [_digest(column) for column in block.rows.T]
        for name, column in zip(names, block.rows.T, strict=True):
            if name not in known:
                known[name] = column.copy()
        order = {name: place for place, name in enumerate(known)}
        return where, [order[name] for name in names]

    def distinct(self) -> list[tuple[Ints, Floats]]:
        """Each set of clusters with its distinct columns, shape (columns, clusters); the plan is empty afterwards."""
        found = []
        for clusters in self._clusters.values():
            columns = list(self._columns.pop(0).values())
            found.append((clusters, np.stack(columns) if columns else np.zeros((0, len(clusters)))))
        return found


def _digest(values: npt.NDArray[Any]) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()
