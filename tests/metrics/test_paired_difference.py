from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from outcomes_by_hand import outcome, table_of, total, variant

from askew.errors import BadRecord
from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import ComprehensiveAccuracy
from askew.metrics.interval import Estimate
from askew.metrics.noise import NoiseFalls, NoiseLoss, RScore
from askew.metrics.paired_difference import Difference, compare, false_alarm_rate, uncompared_metrics
from askew.metrics.rad_metrics import Rad
from askew.metrics.run_table import load_tables, save_tables
from askew.significance import mcnemar
from askew.verbs import Metric

SLICES = ("test", "made_by", "answer_type", "question_type")
METRICS = {"accuracy": Accuracy("variant"), "rad": Rad(), "cacc": ComprehensiveAccuracy()}


def compared(runs, metrics=METRICS, suite="", parts=SLICES):
    return compare({name: table_of(outcomes, metrics) for name, outcomes in runs.items()}, suite, parts=parts)


def run(rng, right, count=150, skip=()):
    return [
        outcome(
            "red",
            "red",
            variant("red" if rng.random() < right else "blue", "red", test="CH"[n % 2]),
            id=n,
            image=n // 2,
        )
        for n in range(count)
        if n not in skip
    ]


@pytest.fixture(scope="module")
def runs():
    return {"good": run(Random(1), 0.9), "same": run(Random(1), 0.9), "bad": run(Random(2), 0.5, skip=(0, 5))}


@pytest.fixture(scope="module")
def differences(runs):
    found = compared(runs, METRICS, "s")
    return {(one.part, one.metric, one.a, one.b): one for one in found}


def test_every_pair_of_runs_is_compared_in_every_part_and_metric(differences):
    assert {part for part, *_ in differences} == {
        "",
        "test=C",
        "test=H",
        "made_by=rule",
        "answer_type=other",
        "question_type=what",
    }
    assert {(a, b) for *_, a, b in differences} == {("good", "same"), ("good", "bad"), ("same", "bad")}
    assert len(differences) == 6 * 3 * 3


def test_a_difference_uses_the_groups_of_both_runs(runs, differences):
    one = differences["", "accuracy", "good", "bad"]
    shared = {o.group.id for o in runs["bad"]}
    good = [Accuracy("variant").measure(o)[0] for o in runs["good"] if o.group.id in shared]
    bad = [Accuracy("variant").measure(o)[0] for o in runs["bad"]]
    assert one.n == 148
    assert (one.of_a, one.of_b) == pytest.approx((np.mean(good), np.mean(bad)))
    assert one.difference == pytest.approx(np.mean(good) - np.mean(bad))
    assert one.low < one.difference < one.high


def test_the_interval_is_of_the_differences_per_image(runs, differences):
    """As many groups on each side: the difference of the means is the mean of the differences, image by image."""
    shared = sorted(o.group.id for o in runs["bad"])
    rows = {name: {o.group.id: Accuracy("variant").measure(o)[0] for o in runs[name]} for name in runs}
    gain = np.array([rows["good"][n] - rows["bad"][n] for n in shared])
    images = np.array([n // 2 for n in shared])
    sums = [gain[images == image].sum() - gain.mean() * (images == image).sum() for image in sorted(set(images))]
    error = math.sqrt(sum(one * one for one in sums) * 75 / 74) / len(shared)
    one = differences["", "accuracy", "good", "bad"]
    assert one.images == 75
    assert (one.high - one.low) / 2 == pytest.approx(1.99 * error, rel=0.03)


def test_a_few_images_decide_nothing():
    rng = Random(3)
    few = compared({"a": run(rng, 0.9, 18), "b": run(rng, 0.1, 18)}, METRICS, parts=())
    assert {one.images for one in few} == {9}
    assert all(math.isnan(value) for one in few for value in (one.low, one.high, one.p, one.p_holm))
    assert all(one.difference > 0 for one in few)


def test_p_is_never_below_that_of_the_sign_test():
    """All twelve images turn from right to wrong, so that nothing varies: a coin does that twice in 2¹² times."""
    a = [outcome("red", "red", variant("red", "red"), id=n, image=n) for n in range(12)]
    b = [outcome("red", "red", variant("x", "red"), id=n, image=n) for n in range(12)]
    (one,) = compared({"a": a, "b": b}, {"x": Accuracy("variant")}, parts=())
    assert one.p == 2 / 2**12


def test_equal_runs_do_not_differ(differences):
    one = differences["", "cacc", "good", "same"]
    assert (one.difference, one.p, one.p_holm, one.p_mcnemar) == (0.0, 1.0, 1.0, 1.0)
    assert one.low == -one.high < 0  # 75 images do not prove that there is no difference at all


def test_clearly_different_runs_differ_also_after_correction(differences):
    one = differences["", "cacc", "good", "bad"]
    assert one.p < one.p_holm < 0.01
    assert one.p_mcnemar < 1e-6
    assert math.isnan(differences["", "rad", "good", "bad"].p_mcnemar)


def test_mcnemar_counts_the_groups_on_which_the_two_disagree(runs, differences):
    both = {name: {o.group.id: METRICS["cacc"].measure(o)[0] == 1 for o in runs[name]} for name in ("good", "bad")}
    only_good = sum(both["good"][n] and not right for n, right in both["bad"].items())
    only_bad = sum(right and not both["good"][n] for n, right in both["bad"].items())
    assert differences["", "cacc", "good", "bad"].p_mcnemar == mcnemar(only_good, only_bad)


def test_order_does_not_matter(runs, differences):
    shuffled = {name: reversed(outcomes) for name, outcomes in runs.items()}
    again = compared(shuffled, METRICS, "s")
    assert list(map(repr, again)) == list(map(repr, differences.values()))


def test_a_run_of_different_groups_cannot_be_compared():
    assert compared({"a": run(Random(0), 0.5, 4), "b": []}) == []


def test_a_repeated_group_is_refused():
    with pytest.raises(BadRecord, match=r"a: 1 of its 2 groups occur twice.*Keep one of each"):
        compared({"a": run(Random(0), 0.5, 1) * 2})


def test_p_is_uniform_when_there_is_no_difference():
    rng = Random("null")
    p = [
        compared({"a": run(rng, 0.7, 80), "b": run(rng, 0.7, 80)}, {"x": Accuracy("variant")}, parts=())[0].p
        for _ in range(120)
    ]
    assert sum(one < 0.05 for one in p) / len(p) < 0.12
    assert 0.35 < sum(p) / len(p) < 0.65


def test_saved_rows_give_the_same_differences(runs, differences, tmp_path):
    """What is read again measures nothing: the metrics are coefficients of column sums, whatever their class."""

    class Half(Metric):
        """A metric that no import finds."""

        def measure(self, outcome, failed=None):
            return 0.5, 1.0, float(outcome.variants[0].answer == "red")

        def combine(self, sums):
            return sums[2] / sums[1] / 2

        def fraction(self, sums):
            return sums[2], 2 * sums[1]

        def __repr__(self):
            return "Half()"

    tables = {}
    for name, outcomes in runs.items():
        save_tables(tmp_path / name, {"s": table_of(outcomes, {**METRICS, "half": Half()})})
        tables[name] = load_tables(tmp_path / name)["s"]
    again = {(one.part, one.metric, one.a, one.b): one for one in compare(tables, "s", parts=SLICES)}
    for key, one in differences.items():
        assert repr(replace(again[key], p_holm=0.0, family_size=0)) == repr(replace(one, p_holm=0.0, family_size=0))
    half, accuracy = (again["", name, "good", "bad"] for name in ("half", "accuracy"))
    assert half.difference == pytest.approx(accuracy.difference / 2)
    assert half.p == pytest.approx(accuracy.p)
    assert uncompared_metrics(tables) == {}


def test_metrics_measured_in_different_ways_are_not_compared(runs):
    tables = {
        "a": table_of(runs["good"], {"rad": Rad(), "accuracy": Accuracy("variant"), "more": Rad(backward=True)}),
        "b": table_of(runs["bad"], {"rad": Rad(correct="any"), "accuracy": Accuracy("variant")}),
    }
    assert {one.metric for one in compare(tables)} == {"accuracy"}
    found = uncompared_metrics(tables)
    assert found["rad"].startswith("it was measured in different ways, Rad(backward=False, correct='modal'")
    assert found["more"].startswith("b has no rows of it. Run it again with --metric more")
    assert list(found) == ["rad", "more"]


def test_a_metric_that_is_no_ratio_is_found_by_its_registered_name_or_named(tmp_path):
    class Product(Metric):
        def measure(self, outcome, failed=None):
            return 1.0, 1.0, 1.0

        def combine(self, sums):
            return sums[0] * sums[1] / sums[2] ** 2

    noisy = [outcome("red", "red", variant("x" if n % 3 else "red", "red", level=1), id=n, image=n) for n in range(30)]
    steady = [outcome("red", "red", variant("red", "red", level=1), id=n, image=n) for n in range(30)]
    metrics = {"falls": NoiseFalls(1), "product": Product()}
    expected = compared({"a": noisy, "b": steady}, {"falls": NoiseFalls(1)}, parts=())
    assert expected
    tables = {}
    for name, outcomes in (("a", noisy), ("b", steady)):
        save_tables(tmp_path / name, {"": table_of(outcomes, metrics)})
        tables[name] = load_tables(tmp_path / name)[""]
    assert list(map(repr, compare(tables, parts=()))) == list(map(repr, expected))
    assert "is not a ratio of sums" in uncompared_metrics(tables)["product"]


def noisy_run(rng, loses, count=200):
    """Three of four originals are answered correctly; with noise the answer to some of these becomes wrong."""
    outcomes = []
    for n in range(count):
        before = "red" if rng.random() < 0.75 else "blue"
        after = "green" if rng.random() < loses else before
        outcomes.append(outcome(before, "red", variant(after, "red", level=1), id=n, image=n))
    return outcomes


def test_noise_is_compared_by_the_accuracy_lost():
    """R_score is 0 from a loss of 20 points on, so by it a loss of 23 points was no worse than one of 46."""
    metrics = {"rscore": RScore(), "loss": NoiseLoss()}
    runs = {"a": noisy_run(Random(1), 0.32), "b": noisy_run(Random(1), 0.60)}
    assert [total(RScore(), outcomes) for outcomes in runs.values()] == [0.0, 0.0]
    (one,) = compared(runs, metrics, parts=())
    assert (one.metric, round(one.of_a, 2), round(one.of_b, 2)) == ("loss", 0.23, 0.46)
    assert one.p < 0.001
    assert uncompared_metrics({name: table_of(outcomes, metrics) for name, outcomes in runs.items()}) == {}


def test_comparisons_with_the_same_numbers_count_once():
    """With a variant each, CS(2) is C-ACC, and its one test is everything: three names for one comparison."""
    rng = Random(4)
    runs = {
        name: [outcome("red", "red", variant("red" if rng.random() < right else "x", "red"), id=n, image=n)
               for n in range(60)]
        for name, right in (("a", 0.9), ("b", 0.7))
    }  # fmt: skip
    metrics = {"cacc": ComprehensiveAccuracy(), "accuracy": Accuracy("variant"), "lost": NoiseLoss(), "all": Accuracy()}
    found = {one.name: one for one in compared(runs, metrics, "s", parts=("test",))}
    assert found["s:cacc"].same_as == ""
    assert found["s:accuracy"].same_as == "s:cacc"
    assert found["s:accuracy@test=t"].same_as == "s:cacc@test=t", "parts are a family of their own"
    assert found["s:all"].same_as == ""
    assert {one.family_size for one in found.values()} == {2}
    assert found["s:cacc"].p_holm == found["s:accuracy"].p_holm == pytest.approx(2 * found["s:cacc"].p)


def test_a_comparison_says_what_it_could_have_detected():
    runs = {"a": run(Random(1), 0.9), "b": run(Random(7), 0.85)}
    (one,) = compared(runs, {"x": Accuracy("variant")}, parts=())
    assert one.detectable == pytest.approx((one.high - one.low) / 2 * 2.83 / 1.99, rel=0.03)
    assert set(one.record()) >= {"detectable", "same_as"}
    assert not {"estimate", "numbers"} & set(one.record())


def independent(number, family, rng, images=200):
    moves = rng.standard_normal(images)
    estimate = Estimate(0.0, (moves - moves.mean()) / images)
    return Difference("s", "", f"m{number}", "a", "b", p=0.5, family=family, family_size=1, images=images,
                      image_ids=np.arange(images), estimate=estimate)  # fmt: skip


def test_ten_independent_families_give_false_alarms_in_one_of_four_cases():
    """Each is worse by chance with 2.5 %: 1 - 0.975¹⁰ = 22 %. Ten times the same comparison: 2.5 %; of none: 0."""
    rng = np.random.default_rng(3)
    ten = [independent(n, f"family {n}", rng) for n in range(10)]
    assert false_alarm_rate(ten, [1] * 10) == pytest.approx(1 - 0.975**10, abs=0.03)
    assert false_alarm_rate([ten[0]] * 10, [1] * 10) == pytest.approx(0.025, abs=0.01)
    one_family = [replace(one, family_size=10) for one in ten]
    assert false_alarm_rate(one_family, [1] * 10) == pytest.approx(0.025, abs=0.01)
    assert false_alarm_rate(ten, [1] * 10, alpha=0.5) > 0.8
    assert false_alarm_rate([], []) == 0
