"""Intervals over images: by hand, against textbook formulas, and by how often they cover the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.attacks import AttackTries
from askew.metrics.interval import Estimate, difference, estimate, interval, jackknifed
from askew.metrics.noise import NoiseFalls, NoiseLoss, RScore, r_score
from askew.metrics.rad_metrics import Rad
from askew.significance import t_quantile
from askew.verbs import Metric


def drawn(rng, images=60, right=0.7):
    asked = rng.integers(1, 5, images)
    return np.column_stack([rng.binomial(asked, rng.beta(4 * right, 4 * (1 - right), images)), asked]).astype(float)


def test_independent_yes_no_answers_give_wilsons_interval():
    """One question for each of 200 images, 180 right: there every degree of freedom is known from the share alone."""
    rows = np.column_stack([np.arange(200) < 180, np.ones(200)]).astype(float)
    z, n, share = 1.959963984540054, 200, 0.9
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert interval(Accuracy(), rows) == pytest.approx((middle - half, middle + half))


def test_questions_that_always_go_together_count_once():
    once = np.column_stack([np.arange(50) < 40, np.ones(50)]).astype(float)
    assert interval(Accuracy(), 4 * once) == pytest.approx(interval(Accuracy(), once))


def test_an_unbounded_mean_gets_students_interval():
    """Normal scores: the degrees of freedom are near n - 1, the variance is the usual one."""
    values = np.random.default_rng(3).normal(5, 2, 400)
    low, high = interval(AttackTries(), np.column_stack([values, np.ones(400)]))
    error = values.std(ddof=1) / math.sqrt(400)
    assert (low + high) / 2 == pytest.approx(values.mean())
    assert (high - low) / 2 == pytest.approx(t_quantile(0.05, 399) * error, rel=2e-3)


def test_fewer_than_ten_images_give_no_interval():
    rows = drawn(np.random.default_rng(0), 9)
    assert all(map(math.isnan, interval(Accuracy(), rows)))
    assert math.isnan(difference(Accuracy(), rows, rows).p())
    ten = drawn(np.random.default_rng(0), 10)
    assert interval(Accuracy(), ten)[0] < ten[:, 0].sum() / ten[:, 1].sum() < interval(Accuracy(), ten)[1]


def test_nearly_equal_accuracies_do_not_rule_out_a_few_zeros():
    """Ten images with accuracies of 0.9 and 1: an interval from 0.93 up would say that none of 100 is quite wrong."""
    rows = np.column_stack([[0.9, 1.0] * 5, np.ones(10)])
    low, high = interval(Accuracy(), rows)
    assert low < 0.87
    assert 0.95 < high <= 1.0


def test_a_rare_change_has_a_wide_interval():
    """Of 40 images one changed: what rests on a single image has about one degree of freedom."""
    rows = np.column_stack([np.ones(40), np.ones(40), np.r_[0.0, np.ones(39)], np.ones(40)])
    low, high = interval(Gap(), rows)
    assert low < -0.025 < 0 < high
    assert low < -0.025 - 3 * 0.025


def test_linearisation_and_leave_one_out_agree_for_many_images():
    rows = drawn(np.random.default_rng(2), 2000)
    moves, by_leaving_out = estimate(Accuracy(), rows).moves, jackknifed(Accuracy(), rows).moves
    assert by_leaving_out == pytest.approx(moves, abs=2e-6)


def test_a_metric_that_is_not_a_ratio_is_linearised_by_leaving_out():
    @dataclass(frozen=True)
    class Root(Metric):
        def measure(self, outcome, failed=None):
            return None

        def combine(self, sums):
            return np.sqrt(np.divide(sums[0], sums[1]))

    rows = drawn(np.random.default_rng(4), 500)
    low, high = interval(Root(), rows)
    plain = interval(Accuracy(), rows)
    assert (low**2, high**2) == pytest.approx(plain, abs=2e-3)


def test_an_r_score_has_the_interval_of_the_loss():
    rng = np.random.default_rng(5)
    clean, noisy = (rng.random(80) < 0.8).astype(float), (rng.random(80) < 0.7).astype(float)
    rows = np.column_stack([clean, noisy, np.ones(80), clean != noisy])
    low, high = interval(NoiseLoss(), rows[:, :3])
    assert low < 0 < high
    assert interval(RScore(), rows) == pytest.approx((float(r_score(max(-low, high))), 1.0))


def test_a_detectable_difference_is_found_in_four_of_five_cases():
    """200 images, differences of unit variance: (1.97 + 0.84) / √200. With that true difference, 80 % have p < 0.05."""
    rng = np.random.default_rng(8)
    moves = rng.standard_normal(200) / 200
    expected = Estimate(0.0, moves - moves.mean()).detectable()
    assert expected == pytest.approx(2.81 / math.sqrt(200), rel=0.1)
    true = 2.815 / math.sqrt(200)
    found = 0
    for _ in range(1000):
        values = true + rng.standard_normal(200)
        found += Estimate(values.mean(), (values - values.mean()) / 200).p() < 0.05
    assert 0.77 < found / 1000 < 0.83


def test_a_detectable_difference_needs_ten_images_and_is_known_where_all_agree():
    assert math.isnan(Estimate(0.0, np.zeros(9), -1.0, 1.0).detectable())
    assert math.isnan(Estimate(0.0, np.zeros(50)).detectable()), "an unbounded score whose images all agree"
    agreed = Estimate(0.0, np.zeros(50), -1.0, 1.0)
    assert agreed.detectable() > agreed.interval()[1]


def test_the_p_value_for_another_true_value_belongs_to_the_interval():
    rng = np.random.default_rng(9)
    found = difference(Accuracy(), drawn(rng, 80, 0.8), drawn(rng, 80, 0.7))
    low, high = found.interval()
    assert found.p(low) == pytest.approx(0.05)
    assert found.p(high) == pytest.approx(0.05)
    assert found.p(found.value) == pytest.approx(1.0)


def test_the_low_end_of_noise_falls_counts_only_steps_that_surely_fall():
    steep = np.column_stack([np.ones(50), np.zeros(50), np.arange(50) % 2, np.ones(50)]).astype(float)
    assert interval(NoiseFalls(2), steep) == (0.5, 0.5)  # falls by one, then rises by a half
    flat = np.column_stack([np.arange(50) % 2, np.arange(50) % 2, (np.arange(50) + 1) % 2, np.ones(50)]).astype(float)
    assert interval(NoiseFalls(2), flat) == (0.0, 1.0)


def test_zero_is_outside_the_interval_just_when_p_is_below_five_per_cent():
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(200):
        found = difference(Rad(), drawn(rng, 40, 0.75), drawn(rng, 40, 0.6))
        low, high = found.interval()
        assert (found.p() < 0.05) == (not low <= 0 <= high)
        seen.add(found.p() < 0.05)
    assert seen == {True, False}


def test_equal_models_do_not_differ_and_opposite_ones_do():
    rows = drawn(np.random.default_rng(7), 30)
    same = difference(Accuracy(), rows, rows)
    assert same.p() == 1.0
    low, high = same.interval()
    assert low == -high < 0  # thirty images do not prove that there is no difference at all
    ones, zeros = np.ones((30, 2)), np.column_stack([np.zeros(30), np.ones(30)])
    assert difference(Accuracy(), ones, zeros).p() == 0.0


def test_unbounded_scores_without_variance_give_no_interval():
    one = Estimate(3.0, np.zeros(20))
    assert all(map(math.isnan, one.interval()))
    assert math.isnan(one.p())


def test_intervals_cover_the_truth_where_bootstrap_percentiles_do_not():
    """Thirty images, accuracy .9, questions about an image go together; ``bench_intervals`` has the whole table."""
    rng = np.random.default_rng(8)
    trials, held, alarms = 1500, 0, 0
    for _ in range(trials):
        first = drawn(rng, 30, 0.9)
        low, high = interval(Accuracy(), first)
        held += low <= 0.9 <= high
        alarms += difference(Accuracy(), first, drawn(rng, 30, 0.9)).p() < 0.05
    assert 0.925 <= held / trials <= 0.975
    assert alarms / trials <= 0.07
