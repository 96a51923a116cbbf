"""Calibration and accuracy at coverage: by hand, against another computation, and in results.json."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest

import askew
from askew.metrics.calibration import CalibrationError, calibration_record, surest
from askew.metrics.pairs import Judgement
from askew.metrics.run_table import RunTable
from askew.metrics.scorer import score
from askew.types import Expect, Group, ImageRef, Outcome, Prediction, Question, Variant


def pair(number, before, after, image=None):
    """A question and its variant, each (answer, score); people say yes."""
    asked = Question(number, ImageRef(number if image is None else image), "Is it?", ("yes",) * 10)
    varied = Variant(replace(asked, id=f"{number}/v", text="Is it so?"), Expect.SAME, "t", "rule")
    group = Group(number, "s", asked, (varied,))
    return Outcome(group, Prediction(number, *before), (Prediction(f"{number}/v", *after),))


def test_by_hand():
    """Before: scores .95 (correct), .95 (correct), .65 (wrong), .65 (correct). After: .95 (wrong), .95 (correct),
    .65 (wrong), .15 (wrong).
    """
    right, wrong = "yes", "no"
    some = [
        pair(0, (right, 0.95), (wrong, 0.95)),
        pair(1, (right, 0.95), (right, 0.95)),
        pair(2, (wrong, 0.65), (wrong, 0.65)),
        pair(3, (right, 0.65), (wrong, 0.15)),
        pair(4, (right, None), (None, None)),
        pair(5, (right, 7.0), (right, math.nan)),
    ]
    table = RunTable({})
    for outcome in some:
        answers = (outcome.original, *outcome.variants)
        table.add(outcome, [Judgement(float(one.answer == "yes"), one.answer == "yes") for one in answers])
    found = calibration_record(table, "official")
    assert (found["answered"], found["unscored"], found["outside"]) == (11, 1, 2)
    before, after = found["before"], found["after"]
    # bin 9: 2 x |1 - .95| = .1; bin 6: |1 - 1.3| = .3; together .4 of 4
    assert before["error"] == {"value": 0.1, "low": None, "high": None}
    # bin 9: |1 - 1.9| = .9; bin 6: .65; bin 1: .15; together 1.7 of 4
    assert after["error"]["value"] == pytest.approx(0.425)
    assert found["change"]["value"] == pytest.approx(0.325)
    assert (before["n"], before["images"], before["accuracy"], before["confidence"]) == (4, 4, 0.75, 0.8)
    reliable = [(row["n"], row["confidence"], row["accuracy"]) for row in after["reliability"]]
    assert reliable == [(1, 0.15, 0.0), (1, 0.65, 0.0), (2, 0.95, 0.5)]
    curve = {row["share"]: row["accuracy"] for row in after["coverage"]}
    assert curve[0.5] == 0.5  # the two of .95
    assert curve[0.8] == pytest.approx(1 / 3.2)  # those, that of .65, and a fifth of that of .15
    assert curve[1.0] == 0.25
    assert [row["accuracy"] for row in before["coverage"]][:5] == [1.0] * 5
    (value,) = score(some, {"e": CalibrationError("variant")}, parts=())
    assert value.value == pytest.approx(0.425)
    assert (value.n, value.failed) == (4, 1), "a missing answer is counted, one without a score says nothing"
    assert value.lowest <= 0.425 <= value.highest


def some_outcomes(count, seed):
    rng, made = Random(seed), []
    for number in range(count):
        scores = rng.random(), rng.random() ** 0.3
        said = ["yes" if rng.random() < chance else "no" for chance in (scores[0], 0.6)]
        made.append(pair(number, (said[0], scores[0]), (said[1], scores[1]), image=number // 2))
    return made


def plain_error(answers, bins=10):
    """The definition of Guo et al. 2017, eq. 3, word for word."""
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [(s, a) for s, a in answers if low <= s < high or (number == bins - 1 and s == 1.0)]
        if inside:
            accuracy = sum(a for _, a in inside) / len(inside)
            confidence = sum(s for s, _ in inside) / len(inside)
            total += len(inside) / len(answers) * abs(accuracy - confidence)
    return total


def test_the_error_agrees_with_a_second_computation_and_has_an_interval_over_images():
    some = some_outcomes(400, "ece")
    table = RunTable({})
    for outcome in some:
        answers = (outcome.original, *outcome.variants)
        table.add(outcome, [Judgement(float(one.answer == "yes"), one.answer == "yes") for one in answers])
    found = calibration_record(table, "official")
    sides = {
        "before": [(o.original.score, float(o.original.answer == "yes")) for o in some],
        "after": [(o.variants[0].score, float(o.variants[0].answer == "yes")) for o in some],
    }
    for side, answers in sides.items():
        error = found[side]["error"]
        assert error["value"] == pytest.approx(plain_error(answers), abs=1e-9)
        assert error["low"] < error["value"] < error["high"]
        assert found[side]["images"] == 200
        ordered = sorted(answers, reverse=True)
        for row in found[side]["coverage"]:
            kept = ordered[: round(400 * row["share"])]
            assert row["accuracy"] == pytest.approx(sum(a for _, a in kept) / len(kept))
            assert row["low"] <= row["accuracy"] <= row["high"]
    scores = score(some, {"b": CalibrationError("original"), "a": CalibrationError("variant")}, parts=())
    assert [(s.value, s.low, s.high) for s in scores] == [
        tuple(found[side]["error"][name] for name in ("value", "low", "high")) for side in ("before", "after")
    ]
    change = found["change"]
    assert change["value"] == pytest.approx(found["after"]["error"]["value"] - found["before"]["error"]["value"])
    assert change["low"] < change["value"] < change["high"]
    assert change["p"] < 0.01, "calibrated before, not after"


def test_accuracy_of_the_most_confident_share_is_exact_with_ties():
    for scores in ([0.9, 0.9, 0.9], [1.0, 0.2], [0.5]):
        for share in (0.1, 0.3, 1.0):
            assert surest(np.array(scores), share)[1].sum() == pytest.approx(share * len(scores))


@dataclass(frozen=True)
class Sure:
    """Says yes, with this score or without one."""

    score: float | None
    free_text = False
    blind = True

    def answer(self, questions):
        return [Prediction(question.id, "yes", self.score) for question in questions]


def test_a_run_writes_the_calibration_of_each_suite(tmp_path):
    result = askew.evaluate(Sure(0.75), "world:val,scenes=20", ["rad", "accuracy"], output=tmp_path)
    written = json.loads((tmp_path / "results.json").read_text())["calibration"]
    assert list(written) == ["rad", "accuracy"]
    assert "after" not in written["accuracy"]
    for side, metric in (("before", "accuracy.original"), ("after", "accuracy.variant")):
        accuracy = result.score(metric).value
        assert written["rad"][side]["accuracy"] == pytest.approx(accuracy)
        assert written["rad"][side]["error"]["value"] == pytest.approx(abs(accuracy - 0.75))
        assert [row["accuracy"] for row in written["rad"][side]["coverage"]] == [pytest.approx(accuracy)] * 10
    none = askew.evaluate(Sure(None), "world:val,scenes=20", "accuracy").results["calibration"]["accuracy"]
    assert none["unscored"] == none["answered"] > 0
    assert "before" not in none
    named = askew.evaluate(Sure(0.75), "world:val,scenes=20", "rad", metrics=["calibration-error:of=variant"])
    assert named.score("calibration-error:of=variant").value == written["rad"]["after"]["error"]["value"]
