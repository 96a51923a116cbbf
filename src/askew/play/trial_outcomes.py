"""What a change did to a model's answer, with and without a correct answer to compare with."""

from __future__ import annotations

from askew.answers.normalise import modal_answer, normalise
from askew.metrics.correct import judged
from askew.types import Expect, Prediction, Question, Variant
from askew.verbs import Suite


def outcome_of(suite: Suite, original: Question, variant: Variant, before: Prediction, after: Prediction) -> str:
    """What the change did to a model's answer: ``held``, ``broke``, ``fixed``, ``wrong`` (both times) or ``failed``."""
    if before.failed or after.failed:
        return "failed"
    first = judged(original, before, None, suite.correct, "robust")
    second = judged(variant.question, after, None, suite.correct, "robust")
    if second is None:
        same = normalise(before.answer or "") == normalise(after.answer or "")
        second = float(same != (variant.expect is Expect.DIFFERENT))
    names = {(1.0, 1.0): "held", (1.0, 0.0): "broke", (0.0, 1.0): "fixed", (0.0, 0.0): "wrong"}
    return names[1.0 if first is None else first, second]


def consistency_of(suite: Suite, original: Question, variant: Variant, before: Prediction, after: Prediction) -> str:
    """What the change did to a model's answer if no correct one is known: ``original`` has the first model's answer.

    ``same`` or ``changed``; for a variant whose answer follows from the original's, ``agrees`` or ``contradicts``, or
    ``unknown`` for a model that answered the original otherwise than the first.
    """
    if before.failed or after.failed:
        return "failed"
    same = normalise(before.answer or "") == normalise(after.answer or "")
    if variant.expect is Expect.DIFFERENT:
        return "contradicts" if same else "agrees"
    if variant.expect is not Expect.GIVEN:
        return "same" if same else "changed"
    right = judged(variant.question, after, None, suite.correct, "robust")
    if right is None or normalise(before.answer or "") != normalise(expected_answer(original)):
        return "unknown"
    return "agrees" if right else "contradicts"


def expected_answer(question: Question) -> str:
    """The most frequent of the answers that are taken as correct."""
    return modal_answer(question.answers, str)
