"""Outcomes written down by hand, for the tests of metrics."""

from __future__ import annotations

from askew.metrics.run_table import SLICES, RunTable
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Variant


def people(truth):
    return (truth,) * 10 if isinstance(truth, str) else tuple(truth)


def variant(said, truth, expect=Expect.SAME, test="t", made_by="rule", **note):
    """The model's answer to a variant, people's answers, and the variant's test."""
    return said, people(truth), expect, test, made_by, note


WHAT = Kind("other", "what")


def outcome(said, truth, *variants, id=1, image=1, kind=WHAT):  # noqa: A002
    ref = None if image is None else ImageRef(image)
    original = Question(id, ref, "What?", people(truth), kind)
    made = tuple(
        Variant(Question(f"{id}/{place}", ref, "Which?", answers, kind), expect, test, made_by, note)
        for place, (_, answers, expect, test, made_by, note) in enumerate(variants)
    )
    predictions = tuple(Prediction(v.question.id, said) for v, (said, *_) in zip(made, variants, strict=True))
    return Outcome(Group(id, "s", original, made), Prediction(id, said), predictions)


def table_of(outcomes, metrics, slices=SLICES):
    """The table of a run with these outcomes."""
    table = RunTable(metrics, slices)
    for one in outcomes:
        table.add(one)
    return table


def total(metric, outcomes, failed=None):
    """The metric over these outcomes: column sums of its rows, combined."""
    rows = [row for row in (metric.measure(one, failed) for one in outcomes) if row is not None]
    return float(metric.combine([sum(column) for column in zip(*rows, strict=True)])) if rows else None
