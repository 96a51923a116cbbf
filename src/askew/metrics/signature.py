"""The footnote under a number: the metric with its options, and what else decides its value and its interval."""

from __future__ import annotations

import re

from askew.verbs import Metric

_DIVISORS = {"official": "min(3, n - 1)", "robust": "min(3, n - 1)", "simple": "min(3, n)"}
"""How many of n reference answers must match for an accuracy of 1. In ``official`` and ``robust`` one of the n is left
out in turn; the public evaluator divides by 3 always, so with one to three answers it cannot give 1."""

_ADDED = re.compile(r"; references=.*")


def signature(metric: Metric) -> str:
    """How a score was measured.

    >>> from askew.metrics.accuracy import Accuracy
    >>> signature(Accuracy("all", "simple"))
    "Accuracy(of='all', mode='simple'); references=matches/min(3, n)"
    """
    divisor = _DIVISORS.get(getattr(metric, "mode", ""))
    return f"{metric!r}; references=matches/{divisor}" if divisor else repr(metric)


def measured_as(text: str) -> str:
    """The part of a signature that two scores must share to be comparable; that of an older file is all of it.

    >>> measured_as("Accuracy(of='all', mode='simple'); references=matches/min(3, n)")
    "Accuracy(of='all', mode='simple')"
    """
    return _ADDED.sub("", text)
