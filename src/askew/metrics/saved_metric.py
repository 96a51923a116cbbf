"""Metrics as runs save them: what a comparison of two runs needs, so that no measuring code has to be there.

Almost every metric is a ratio of two linear functions of its column sums. Of such a metric the coefficients are saved,
so runs are compared by it wherever its class is, and whether or not it can be imported. Any other (R_score) is saved as
its spec, and is found again by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from askew.errors import AskewError
from askew.registry import factory, make, names
from askew.significance import ratio
from askew.types import Outcome, Row
from askew.verbs import MapsFraction, Metric, TellsFraction

FACTS = ("better", "least", "share", "pairwise", "zero_is_best")
"""Attributes of a metric that comparisons and the gate read."""


@dataclass(frozen=True)
class SumRatio(Metric):
    """A ratio of two linear functions of column sums; it can be computed from rows, but not measured.

    >>> float(SumRatio("Half()", (1.0, 0.0), (0.0, 2.0)).combine(np.array([3.0, 4.0])))
    0.375
    """

    written: str
    """The ``repr`` of the metric that measured the rows."""
    top: tuple[float, ...]
    bottom: tuple[float, ...]

    def __repr__(self) -> str:
        return self.written

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """Nothing: the rows were measured in the run."""
        raise NotImplementedError(f"{self.written}: rows of a finished run are not measured again.")

    def combine(self, sums: Any) -> Any:
        """The ratio."""
        return ratio(*self.fraction(np.asarray(sums)))

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """Numerator and denominator."""
        return np.dot(self.top, sums), np.dot(self.bottom, sums)


@dataclass(frozen=True)
class UnknownMetric(Metric):
    """A metric that is not a ratio of sums, and whose class is not known here: its runs cannot be compared by it."""

    written: str

    def __repr__(self) -> str:
        return self.written

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """Nothing."""
        raise NotImplementedError(self.written)

    def combine(self, sums: Any) -> Any:
        """Nothing."""
        raise NotImplementedError(self.written)


def metric_record(metric: Metric, total: Any) -> dict[str, Any]:
    """A metric as a record; ``total`` are the sums of its columns over the whole run.

    >>> from askew.metrics.accuracy import Mu
    >>> record = metric_record(Mu(), np.array([3.0, 4.0, 1.0, 4.0]))
    >>> record["top"], record["bottom"], record["repr"]
    ([1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 0.0], "Mu(mode='official')")
    """
    record: dict[str, Any] = {"repr": repr(metric)} | {name: getattr(metric, name) for name in FACTS}
    fraction = metric.fraction if isinstance(metric, TellsFraction) else tuple if len(total) == 2 else None
    if fraction is not None and len(total) and not isinstance(metric, MapsFraction):
        top, bottom = (np.asarray(part, dtype=np.float64) for part in fraction(np.eye(len(total))))
        value, found = ratio(top @ total, bottom @ total), metric.combine(total)
        if not abs(value - found) > 1e-9:
            return record | {"top": top.tolist(), "bottom": bottom.tolist()}
    return record | {"spec": _spec(metric)}


def saved_metric(record: Mapping[str, Any]) -> Metric:
    """The metric of a record; without its coefficients or a spec that gives the same metric, an ``UnknownMetric``."""
    facts = {name: record[name] for name in FACTS}
    if "top" in record:
        kind = type("SumRatio", (SumRatio,), facts)
        made: Metric = kind(record["repr"], tuple(record["top"]), tuple(record["bottom"]))
        return made
    try:
        found: Metric | None = make("metric", record["spec"]) if record["spec"] else None
    except AskewError:
        found = None
    if found is not None and repr(found) == record["repr"]:
        return found
    unknown: Metric = type("UnknownMetric", (UnknownMetric,), facts)(record["repr"])
    return unknown


def _spec(metric: Metric) -> str:
    """The spec of a metric with a registered class; empty for any other.

    >>> from askew.metrics.noise import RScore
    >>> _spec(RScore(3)), _spec(SumRatio("x", (), ()))
    ('rscore:level=3', '')
    """
    found = [name for name in names("metric") if _is_class_of(metric, name)]
    if not found or not is_dataclass(metric):
        return ""
    options = {one.name: getattr(metric, one.name) for one in fields(metric) if one.init}
    defaults = {one.name: one.default for one in fields(metric) if one.default is not MISSING}
    given = [f"{name}={value}" for name, value in options.items() if defaults.get(name, MISSING) != value]
    return found[0] + (f":{','.join(given)}" if given else "")


def _is_class_of(metric: Metric, name: str) -> bool:
    """Whether this is the registered name of the metric's class; plugins that cannot be loaded are not."""
    try:
        return factory("metric", name) is type(metric)
    except AskewError:
        return False
