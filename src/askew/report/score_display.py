"""A score as text: its value, interval, number of groups, and the title of its metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from askew.files.resources import resource
from askew.significance import LEAST_IMAGES

DASH = "—"


@dataclass(frozen=True, slots=True)
class Figure:
    """One score of a run with its 95 % interval and its number of groups; None for what was not measured.

    >>> Figure("rad.forward", 0.64, 0.61, 0.674, 812).short
    '64.0'
    >>> Figure("rad.forward", 0.64, 0.61, 0.674, 812).interval
    '61.0–67.4'
    >>> Figure("rad.forward", None, None, None, 0).short
    '—'
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    failed: int = 0
    lowest: float | None = None
    highest: float | None = None
    images: int = 0
    signature: str = ""

    @classmethod
    def of(cls, score: Mapping[str, Any]) -> Figure:
        """The figure of a score in results.json, where null means not measured."""
        return cls(
            metric=score.get("metric", ""),
            value=score.get("value"),
            low=score.get("low"),
            high=score.get("high"),
            n=score.get("n") or 0,
            failed=score.get("failed") or 0,
            lowest=score.get("lowest"),
            highest=score.get("highest"),
            images=score.get("images") or 0,
            signature=score.get("signature", ""),
        )

    @property
    def short(self) -> str:
        """The value alone: ``64.0`` per cent, ``0.48`` for R_score, a sign for a gap."""
        return show(self.metric, self.value)

    @property
    def interval(self) -> str:
        """The interval alone, or an empty string."""
        if self.low is None or self.high is None:
            return ""
        joint = " to " if is_signed(self.metric) else "–"
        return f"{show(self.metric, self.low)}{joint}{show(self.metric, self.high)}"

    @property
    def no_interval(self) -> str:
        """Why a value has no interval; empty if it has one, or if there is no value."""
        if self.value is None or self.low is not None:
            return ""
        if not self.images:
            return "number of images unknown"
        return "all images are alike" if self.images >= LEAST_IMAGES else f"fewer than {LEAST_IMAGES} images"

    @property
    def full(self) -> str:
        """Value, interval and n on one line: ``64.0 (61.0–67.4; n 812)``."""
        missing = f"no interval: {self.no_interval}" if self.no_interval else ""
        return f"{self.short} ({'; '.join(filter(None, (self.interval or missing, f'n {count(self.n)}')))})"

    @property
    def half(self) -> float | None:
        """Half the width of the interval, as a fraction."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def plus_minus(self) -> str:
        """``64.0 ± 3.2``, as the terminal shows it."""
        if self.value is None or self.half is None:
            return self.short
        return f"{self.short} ± {self.half:.2f}" if is_ratio(self.metric) else f"{self.short} ± {100 * self.half:.1f}"


NOTHING = Figure("", None, None, None, 0)
"""A score that was not measured."""


def show(metric: str, value: float | None) -> str:
    """A value of this metric as text: per cent with one decimal, R_score with two.

    >>> show("accuracy.gap", -0.1234), show("rscore.1", 0.48), show("cs.2", None)
    ('−12.3', '0.48', '—')
    """
    if value is None or value != value:
        return DASH
    if is_ratio(metric):
        return f"{value:.2f}".replace("-", "−")
    text = f"{100 * value:.1f}"
    if text == "-0.0":
        text = "0.0"
    if is_signed(metric) and value > 0 and text != "0.0":
        text = "+" + text
    return text.replace("-", "−")


def printed(metric: str, value: float) -> float:
    """The value on the scale in which it is printed, comparable with published figures."""
    return value if is_ratio(metric) else 100 * value


def unit(metric: str) -> str:
    """``%`` or an empty string, to be written after a value."""
    return "" if is_ratio(metric) else "%"


def is_ratio(metric: str) -> bool:
    """Whether values are printed as they are (R_score from 0 to 1, tries as a number), not in per cent."""
    return metric.startswith("rscore") or bool(_about(metric).get("plain", False))


def is_signed(metric: str) -> bool:
    """Whether values may be negative, like gaps and losses."""
    return metric.endswith(".gap") or bool(_about(metric.partition(":")[0]).get("signed", False))


def count(number: float) -> str:
    """An integer with thousands separators.

    >>> count(200000)
    '200,000'
    """
    return f"{int(number):,}"


def probability(p: float | None) -> str:
    """A p value as text.

    >>> probability(0.00002), probability(0.0312)
    ('< 0.001', '0.031')
    """
    if p is None or p != p:
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


@cache
def _named() -> dict[str, dict[str, Any]]:
    named: dict[str, dict[str, Any]] = resource("report/metrics.yaml")
    return named


def _about(metric: str) -> Mapping[str, Any]:
    named = _named()
    return named.get(metric) or named.get(metric.rpartition(".")[0] + ".*") or {}


def title(metric: str) -> str:
    """The title of a metric; its name if it is not in ``metrics.yaml``.

    >>> title("rad.forward"), title("rscore.3"), title("my.metric")
    ('RAD', 'R_score, noise 3', 'my.metric')
    """
    return _text(metric, "title") or metric


def explanation(metric: str, name: str = "") -> str:
    """What the abbreviation in a metric's title stands for, or else ``name``, and what the metric counts.

    >>> explanation("cs.3").partition(":")[0]
    'consensus score of 3'
    >>> explanation("my.metric"), explanation("my.metric", "Mine")
    ('', 'Mine')
    """
    return ": ".join(filter(None, (_text(metric, "name") or name, _text(metric, "says"))))


def _text(metric: str, field: str) -> str:
    return str(_about(metric).get(field, "")).replace("{last}", metric.rpartition(".")[2])


def is_lower_better(metric: str) -> bool:
    """Whether lower values are better, as for the success of an attack."""
    return bool(_about(metric).get("lower", False))


def is_conditional(metric: str) -> bool:
    """Whether a perfectly consistent model scores 1 regardless of its accuracy (RAD, CONS, R_score)."""
    return bool(_about(metric).get("conditional", False))
