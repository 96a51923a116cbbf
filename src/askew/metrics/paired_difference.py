"""Two models on the same groups: the paired difference of their scores, its interval and its p value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.errors import BadRecord
from askew.metrics.interval import Estimate, difference
from askew.metrics.run_table import COMPARED, RunTable
from askew.metrics.saved_metric import UnknownMetric
from askew.metrics.scorer import part_name
from askew.significance import Floats, Ints, holm, images_and_sums, mcnemar, resolvable, settled, t_quantile, ten_digits
from askew.verbs import MapsFraction, Metric

HEADLINE = "headline"
"""The family of the suites' headline metrics."""
_DRAWS, _AT_ONCE = 2000, 100
"""How often answers are exchanged to find out how often equally good runs would seem to differ."""


@dataclass(frozen=True)
class Difference:
    """The score of ``a`` minus the score of ``b`` over the groups that count for both."""

    suite: str
    part: str
    metric: str
    a: str
    b: str
    of_a: float = float("nan")
    """The score of ``a`` over these groups."""
    of_b: float = float("nan")
    difference: float = float("nan")
    low: float = float("nan")
    """95 % interval over the images that both models share; nan if there are fewer than ten."""
    high: float = float("nan")
    p: float = float("nan")
    """Two-sided; nan if there are fewer than ten images. See ``resolvable``."""
    p_holm: float = float("nan")
    """The p value corrected for all comparisons of its family (Holm 1979)."""
    n: int = 0
    """Groups that count for either."""
    family: str = ""
    """``headline``, ``other metrics of SUITE`` or ``parts of SUITE``; see ``corrected``."""
    family_size: int = 0
    """How many comparisons of the family could be tested, those with the same numbers counted once."""
    p_mcnemar: float = float("nan")
    """Exact McNemar test on groups that succeed as a whole, for metrics of pairs; it treats groups as independent."""
    images: int = 0
    """Images that count for either."""
    detectable: float = float("nan")
    """The smallest true difference that would have p < 0.05 with a probability of 80 %, before Holm's correction."""
    same_as: str = ""
    """An earlier comparison of the family with the same numbers, image by image; the two count once."""
    numbers: bytes = field(default=b"", repr=False, compare=False)
    """A hash of what each image contributes, better being positive: equal for comparisons that are one test. Empty for
    one in which nothing differs."""
    image_ids: Ints | None = field(default=None, repr=False, compare=False)
    estimate: Estimate | None = field(default=None, repr=False, compare=False)
    """The difference with the influence of each of these images; None unless it was asked for."""

    @property
    def name(self) -> str:
        """``suite:metric@part``."""
        return f"{self.suite}:{self.metric}" + (f"@{self.part}" if self.part else "")

    def record(self) -> dict[str, Any]:
        """What is written to ``differences.json``."""
        hidden = ("numbers", "image_ids", "estimate")
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in hidden}


def compare(
    tables: Mapping[str, RunTable],
    suite: str = "",
    headlines: Collection[str] = (),
    robust: bool = False,
    parts: Sequence[str] = COMPARED,
    estimates: bool = False,
) -> list[Difference]:
    """All pairs of runs compared by every metric that both have, over everything and in each part.

    ``headlines`` are the headline metrics of the suite: over the whole they are a family of their own. ``robust``: by
    the rows in mode ``robust`` rather than those in each run's own mode. Groups are matched by id, in any order. A part
    or metric for which two runs share no group is left out, and so is a metric that is a function of a fraction, such
    as R_score: the accuracy lost, of which it is a function, is compared instead. ``estimates``: keep the estimates.
    """
    for name, table in tables.items():
        _check_distinct(name, table)
    found = []
    for each in _compared(tables, suite, robust, parts):
        kept = each if estimates else replace(each, image_ids=None, estimate=None)
        found.append(replace(kept, family=_family(each, headlines)))
    return corrected(found)


def uncompared_metrics(tables: Mapping[str, RunTable], robust: bool = False) -> dict[str, str]:
    """The metrics by which some of the runs cannot be compared, each with the reason and what to do."""
    found = {}
    for name in dict.fromkeys(name for table in tables.values() for name in table.metrics):
        without = [run for run, table in tables.items() if name not in table.metrics]
        metrics = [_metrics(table, robust)[name] for table in tables.values() if name in table.metrics]
        written = list(dict.fromkeys(map(repr, metrics)))
        if without:
            found[name] = f"{without[0]} has no rows of it. Run it again with --metric {name}, or with the same suite."
        elif len(written) > 1:
            found[name] = (
                f"it was measured in different ways, {written[0]} and {written[1]}. Run one of them again with the "
                "options of the other; answers that are stored are not asked twice."
            )
        elif isinstance(metrics[0], UnknownMetric):
            found[name] = (
                f"{written[0]} is not a ratio of sums, and no registered metric is it. Register its class as an entry "
                "point of your package (askew.metric), or give it a method fraction."
            )
    return found


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """The comparisons with p values corrected within each family, so that the many parts do not affect the headlines.

    The families are the headlines of all suites together, each suite's other metrics over the whole, and its parts.
    Comparisons of the same two runs with the same numbers count once (CS(2) and C-ACC of pairs).
    """
    families: dict[str, list[Difference]] = {}
    for compared in differences:
        families.setdefault(compared.family, []).append(compared)
    tested = {}
    for family, several in families.items():
        first: dict[object, Difference] = {}
        for compared in several:
            first.setdefault(_test(compared), compared)
        values = dict(zip(first, holm([compared.p for compared in first.values()]), strict=True))
        tested[family] = first, values, sum(not isnan(p) for p in values.values())
    result = []
    for compared in differences:
        first, values, size = tested[compared.family]
        like, p = first[_test(compared)], ten_digits(values[_test(compared)])
        same_as = "" if like is compared else like.name
        result.append(replace(compared, p_holm=p, family_size=size, same_as=same_as))
    return result


def false_alarm_rate(differences: Sequence[Difference], better: Sequence[int], alpha: float = 0.05) -> float:
    """How often some of these comparisons would be significantly worse if the two runs were equally good.

    Two equally good runs could have given each other's answers. So in each draw these are exchanged on a random half of
    the images, the same for all comparisons, which are then tested as they are, corrected within their families.
    ``better``: which sign of each is better. Their estimates must have been kept.
    """
    tested = [
        (one, one.estimate, one.image_ids, sign)
        for one, sign in sorted(zip(differences, better, strict=True), key=lambda pair: pair[0].name)
        if one.p == one.p and one.estimate is not None and one.image_ids is not None and one.estimate.moves.any()
    ]
    if not tested:
        return 0.0
    images = np.unique(np.concatenate([ids for _, _, ids, _ in tested]))
    influence = np.zeros((len(images), len(tested)))
    limits = np.full(len(tested), np.inf)
    for place, (one, estimate, ids, sign) in enumerate(tested):
        influence[np.searchsorted(images, ids), place] = -sign * estimate.moves
        level = alpha / one.family_size
        if resolvable(0.0, one.images) < level:
            limits[place] = t_quantile(level, estimate.df)
    influence = np.round(influence, 12)
    influence = influence[np.lexsort(influence.T)]  # the draws are the same whatever the images are called
    number = np.array([one.images for one, *_ in tested])
    squares, rng, alarms = np.square(influence).sum(axis=0), np.random.default_rng(0), 0
    for _ in range(_DRAWS // _AT_ONCE):
        sums = rng.choice((-1.0, 1.0), (_AT_ONCE, len(images))) @ influence
        variance = np.maximum(squares - sums * sums / number, 1e-300) * number / (number - 1)
        alarms += int((sums > limits * np.sqrt(variance)).any(axis=1).sum())
    return alarms / _DRAWS


def _test(compared: Difference) -> object:
    """What two comparisons have in common that are one test."""
    return compared.a, compared.b, compared.numbers or compared.name, compared.p


def _family(compared: Difference, headlines: Collection[str]) -> str:
    if compared.part:
        return f"parts of {compared.suite}"
    return HEADLINE if compared.metric in headlines else f"other metrics of {compared.suite}"


@dataclass(frozen=True)
class _Aligned:
    """The rows of two runs for the groups they share."""

    images: Ints
    first: Floats
    second: Floats

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """Which groups contribute to either score."""
        return np.asarray(self.first.any(axis=1) | self.second.any(axis=1))


def _compared(tables: Mapping[str, RunTable], suite: str, robust: bool, slices: Sequence[str]) -> Iterator[Difference]:
    """All pairs of runs by every metric in every part."""
    for part in dict.fromkeys(part for table in tables.values() for part in table.parts(slices)):
        records = {name: table.records_of(part) for name, table in tables.items()}
        keys = {name: table.column("key")[table.column("group")[records[name]]] for name, table in tables.items()}
        for (a, first), (b, second) in combinations(tables.items(), 2):
            _, in_first, in_second = np.intersect1d(keys[a], keys[b], assume_unique=True, return_indices=True)
            ours, theirs = records[a][in_first], records[b][in_second]
            images = first.column("image")[first.column("group")[ours]]
            for name, metric in _metrics(first, robust).items():
                if repr(_metrics(second, robust).get(name)) != repr(metric):
                    continue
                if isinstance(metric, UnknownMetric | MapsFraction):
                    continue
                aligned = _align(images, _rows(first, name, ours, robust), _rows(second, name, theirs, robust))
                if len(aligned.images):
                    yield _difference(Difference(suite, part_name(part), name, a, b), metric, aligned)


def _metrics(table: RunTable, robust: bool) -> Mapping[str, Metric]:
    return table.robust if robust else table.metrics


def _rows(table: RunTable, name: str, records: Ints, robust: bool) -> tuple[Ints, Floats]:
    """The number of the row of each record, -1 for none, and all distinct rows."""
    column = (table.robust_rows if robust else table.rows)[name]
    return column.codes[records], column.rows


def _align(images: Ints, first: tuple[Ints, Floats], second: tuple[Ints, Floats]) -> _Aligned:
    """The rows of the groups for which both runs have one."""
    (codes, rows), (their_codes, their_rows) = first, second
    both = (codes >= 0) & (their_codes >= 0)
    return _Aligned(images[both], rows[codes[both]], their_rows[their_codes[both]])


def _check_distinct(name: str, table: RunTable) -> None:
    """Refuse a table in which a group occurs twice."""
    keys = table.column("key")
    if (count := len(keys) - len(np.unique(keys))) > 0:
        raise BadRecord(
            f"{name}: {count:,} of its {len(keys):,} groups occur twice, so they cannot be matched with another run's. "
            "Keep one of each."
        )


def _difference(of: Difference, metric: Metric, aligned: _Aligned) -> Difference:
    """The comparison that ``of`` names, with its numbers."""
    first, second = (float(metric.combine(rows.sum(axis=0))) for rows in (aligned.first, aligned.second))
    ids, image_of = np.unique(aligned.images, return_inverse=True)
    images, sums = images_and_sums(image_of, np.hstack([aligned.first, aligned.second]))
    estimated = difference(metric, *np.hsplit(sums, 2))
    low, high = estimated.interval()
    return replace(
        of,
        of_a=settled(first),
        of_b=settled(second),
        difference=settled(first - second),
        low=settled(low),
        high=settled(high),
        p=ten_digits(resolvable(estimated.p(), len(images))) if estimated.has_interval else float("nan"),
        n=int(aligned.counts.sum()),
        p_mcnemar=_mcnemar(aligned) if metric.pairwise else float("nan"),
        images=len(images),
        detectable=settled(estimated.detectable()),
        numbers=_numbers(ids[images], metric, estimated),
        image_ids=ids[images],
        estimate=estimated,
    )


def _numbers(images: Ints, metric: Metric, estimated: Estimate) -> bytes:
    """A hash of what each image contributes; the loss of a score and that score itself have the same.

    Empty if no image contributes anything, as then all comparisons would have the same.
    """
    if not estimated.moves.any() and not estimated.value:
        return b""
    gain = np.append(estimated.moves, estimated.value) * (metric.better or 1)
    digest = blake2b(images.tobytes(), digest_size=16)
    digest.update((np.round(gain, 12) + 0.0).tobytes())
    return digest.digest()


def _mcnemar(aligned: _Aligned) -> float:
    a, b = (rows[:, 0] == rows[:, 1] for rows in (aligned.first, aligned.second))
    return mcnemar(int((a & ~b).sum()), int((b & ~a).sum()))
