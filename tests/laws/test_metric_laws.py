"""Laws for every metric."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from askew.metrics.accuracy import Accuracy, Gap, Mu, Worst
from askew.metrics.attacks import (
    AttackAccuracy,
    AttackErrorRate,
    AttackNote,
    AttackTries,
    ValidAttackRate,
)
from askew.metrics.benchmark_metrics import (
    ClaimRate,
    Description,
    MmeScore,
    OptionAccuracy,
    PartMean,
    TaggedAnswer,
    WrongOption,
)
from askew.metrics.calibration import CalibrationError
from askew.metrics.consistency import (
    AbstainRate,
    AnswerRate,
    ComprehensiveAccuracy,
    Consensus,
    Flips,
    PairAccuracy,
    SelfConsistency,
)
from askew.metrics.correct import AllCorrect, AverageCorrect, CorrectGivenParts
from askew.metrics.noise import CorruptionError, NoiseAccuracy, NoiseFalls, NoiseLoss, RScore
from askew.metrics.part_gap import HeadTailGap, PartGap
from askew.metrics.prompt_spread import AnyChange, PromptSpread, WorstForm
from askew.metrics.rad_metrics import Introspect, Rad
from askew.metrics.yes_no import FailureKind, YesNo
from askew.registry import factory, names
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Variant
from askew.verbs import Metric

PERFECT = {
    Accuracy("all"): 1.0,
    Accuracy("original", "robust"): 1.0,
    Accuracy("variant", "simple"): 1.0,
    Gap(): 0.0,
    Mu(): 1.0,
    Rad(): 1.0,
    Rad(backward=True, correct="any"): 1.0,
    Consensus(2): 1.0,
    Consensus(3, anchored=True): 1.0,
    PairAccuracy(): 1.0,
    SelfConsistency(): 1.0,
    ComprehensiveAccuracy(correct=">=0.5"): 1.0,
    RScore(): 1.0,
    NoiseAccuracy(1): 1.0,
    NoiseAccuracy(0): 1.0,
    NoiseLoss(): 0.0,
    NoiseLoss(2, since=1): 0.0,
    NoiseFalls(2): 0.0,
    Flips(): 0.0,
    AnyChange(): 0.0,
    CorruptionError(): 0.0,
    CorruptionError(True): 0.0,
    ClaimRate(): 0.0,
    ClaimRate("original"): 0.0,
    PromptSpread(): 0.0,
    PromptSpread("t", "robust"): 0.0,
    WorstForm(): 1.0,
    Flips("negative"): 0.0,
    Worst(): 1.0,
    Worst(original=True): 1.0,
    AllCorrect(): 1.0,
    AverageCorrect(): 1.0,
    CorrectGivenParts(): 1.0,
    AllCorrect("image", "any"): 1.0,
    OptionAccuracy("B"): 1.0,
    Accuracy("members", "robust"): 1.0,
    YesNo(): 1.0,
    HeadTailGap(): 0.0,
    PartGap("part", "head", "tail"): 0.0,
    Flips(authors=True): 0.0,
    YesNo("precision", "no"): 1.0,
    YesNo("recall"): 1.0,
    Introspect(): 1.0,
    Introspect(False, False): 0.0,
    AttackErrorRate(): 0.0,
    CalibrationError(): 0.0,
    CalibrationError("variant", 3, "robust"): 0.0,
    AttackAccuracy(10): 1.0,
    ValidAttackRate(): 0.0,
    MmeScore("OCR"): 200.0,
    MmeScore(): 200.0,
    PartMean("part", "head+tail|neither"): 1.0,
    TaggedAnswer(): 0.0,
    Description("chair"): 0.0,
    Description("cover"): 1.0,
    Description("hal"): 0.0,
    Description("cog"): 0.0,
}
"""What each metric gives a model that answers as everybody does."""

METRICS = [
    *PERFECT,
    AbstainRate(),
    AbstainRate("original"),
    AnswerRate("yes"),
    AnswerRate("other", "variant"),
    AnswerRate("no", "both"),
    AttackTries(),
    AttackNote(),
    WrongOption("A"),
    FailureKind("mixed"),
]

ANSWERS = ("yes", "no", "2", "dog")
PARTS = ("head", "tail", "neither")
NOTE = {"claim": "green", "status": "found", "fooled_at": 3, "similarity": 0.9, "valid": True}
"""What attacks write."""


def make(rng, number, answer):
    truth = rng.choice(ANSWERS)
    tags = (("category", "VD"), ("figure", "0"), ("grouping", "question"), ("part", PARTS[number % 3]))
    tags = (("expected_bias", "green"), *tags)
    if truth == "dog":
        tags = (*tags, ("hallu", "cat"), ("objects", "dog=t0|cat=h0,x|fish=x"), ("truth", "dog"))
    kind = Kind("other", "OCR")
    original = Question(number, ImageRef(number // 2), "What?", (truth,) * 10, kind, choices=ANSWERS, tags=tags)
    variants = []
    for place in range(rng.choice((0, 1, 2, 3, 3))):
        expect = rng.choice((Expect.SAME, Expect.NOISE, Expect.DIFFERENT))
        new = rng.choice([a for a in ANSWERS if a != truth]) if expect is Expect.DIFFERENT else truth
        question = Question(f"{number}/{place}", original.image, "Which?", (new,) * 10, choices=ANSWERS)
        variants.append(Variant(question, expect, "t", "rule", {"level": place + 1, "tries": place + 1, **NOTE}))
    score = 1.0 if answer is perfect else number % 11 / 10
    return Outcome(
        Group(number, "s", original, tuple(variants)),
        Prediction(number, answer(rng, truth), score),
        tuple(Prediction(v.question.id, answer(rng, v.question.answers[0]), score) for v in variants),
    )


def perfect(rng, truth):
    return truth


def last_wrong(outcome):
    *others, last = outcome.variants or (None,)
    return replace(outcome, variants=(*others, replace(last, answer="green"))) if last else outcome


def human(rng, truth):
    return rng.choice((truth, truth, rng.choice((*ANSWERS, "a dog and two cats")), None))


def outcomes(answer, count=80, seed="laws"):
    rng = Random(seed)
    return [make(rng, number, answer) for number in range(count)]


def rows(metric, some, failed=None):
    return [row for row in (metric.measure(one, failed) for one in some) if row is not None]


def sums(metric, some, failed=None):
    return np.sum(rows(metric, some, failed), axis=0)


def test_every_metric_is_covered():
    assert set(map(type, METRICS)) == {factory("metric", name) for name in names("metric")}


@pytest.mark.parametrize("metric", METRICS, ids=repr)
class TestEveryMetric:
    def test_evaluating_the_repr_of_a_metric_gives_the_metric(self, metric):
        assert isinstance(metric, Metric)
        assert eval(repr(metric), globals()) == metric
        assert pickle.loads(pickle.dumps(metric)) == metric

    def test_nothing_is_better_than_a_perfect_model(self, metric):
        if metric.better:
            fragile = [last_wrong(one) for one in outcomes(perfect)]
            found, best = metric.combine(sums(metric, fragile)), PERFECT[metric]
            assert metric.better * found <= metric.better * best
            if metric.limited_by_labels:  # whether the answer to a variant is wrong, or its label
                wrong, variants = sum(bool(one.variants) for one in fragile), sum(len(one.variants) for one in fragile)
                assert found <= 1 - wrong / variants
            of_variants = metric.zero_is_best and not isinstance(metric, PartGap)
            assert not of_variants or metric.better * found < metric.better * best == 0

    def test_two_halves_add_up_to_the_whole(self, metric):
        everything = outcomes(human)
        halves = sums(metric, everything[::2]) + sums(metric, everything[1::2])
        np.testing.assert_allclose(halves, sums(metric, everything))

    def test_order_does_not_matter(self, metric):
        everything = outcomes(human)
        shuffled = Random(1).sample(everything, len(everything))
        assert metric.combine(sums(metric, shuffled)) == pytest.approx(metric.combine(sums(metric, everything)))

    def test_all_rows_have_the_same_columns(self, metric):
        found = rows(metric, outcomes(human)) + rows(metric, outcomes(human), 0.0) + rows(metric, outcomes(human), 1.0)
        assert len({len(row) for row in found}) == 1
        assert all(isinstance(value, float) and math.isfinite(value) for row in found for value in row)

    def test_no_groups_give_nan_without_a_warning(self, metric):
        columns = len(rows(metric, outcomes(perfect))[0])
        assert math.isnan(metric.combine(np.zeros(columns)))
        assert np.isnan(metric.combine(np.zeros((columns, 3)))).all()
        assert math.isnan(metric.combine((0.0,) * columns))

    def test_combine_works_on_many_sums_at_once(self, metric):
        some = np.stack([sums(metric, outcomes(human, seed=seed)) for seed in range(4)], axis=1)
        together = metric.combine(some)
        assert together.shape == (4,)
        assert together == pytest.approx([float(metric.combine(column)) for column in some.T])

    def test_counting_missing_answers_never_makes_a_score_undefined(self, metric):
        """What can be measured with missing answers left out can be measured when they count as correct or wrong."""
        for one in outcomes(human):
            if metric.measure(one) is not None:
                assert metric.measure(one, 0.0) is not None
                assert metric.measure(one, 1.0) is not None

    def test_failed_has_no_effect_where_no_answer_is_missing(self, metric):
        for one in outcomes(perfect):
            assert metric.measure(one) == metric.measure(one, 0.0) == metric.measure(one, 1.0)

    def test_measuring_twice_gives_the_same(self, metric):
        everything = outcomes(human)
        assert rows(metric, everything) == rows(metric, everything)


@pytest.mark.parametrize("metric", PERFECT, ids=repr)
def test_a_perfect_model_scores_one(metric):
    assert metric.combine(sums(metric, outcomes(perfect))) == pytest.approx(PERFECT[metric])
