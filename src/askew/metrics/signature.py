"""The footnote under a number: the metric with its options, and what else decides its value and its interval."""

from __future__ import annotations

from askew.metrics.interval import METHOD
from askew.verbs import Metric

_DIVISORS = {"official": "min(3, n - 1)", "robust": "min(3, n - 1)", "simple": "min(3, n)"}
"""How many of n reference answers must match for an accuracy of 1. In ``official`` and ``robust`` one of the n is left
out in turn; the public evaluator divides by 3 always, so with one to three answers it cannot give 1."""


def signature(metric: Metric) -> str:
    """How a score was measured. What follows the metric is ``; NAME=``, and ``report.load`` knows the names.

    >>> from askew.metrics.accuracy import Accuracy
    >>> signature(Accuracy("all", "simple"))
    "Accuracy(of='all', mode='simple'); references=matches/min(3, n); interval=score-t"
    """
    divisor = _DIVISORS.get(getattr(metric, "mode", ""))
    references = f"; references=matches/{divisor}" if divisor else ""
    bounds = "; bounds=outer" if getattr(metric, "outer_bounds", False) else ""
    return f"{metric!r}{references}{bounds}; interval={METHOD}"
