from __future__ import annotations

import math

import numpy as np
import pytest

from askew.metrics import bootstrap
from askew.metrics.bootstrap import Block, Bootstrap, by_cluster, interval, settled, side_by_side


def plain_loop(clusters, rows, count, resamples, seed):
    """Draw clusters, take all rows of each as often as it was drawn, add up: as one would explain it."""
    rng = np.random.Generator(np.random.PCG64(seed))
    found = []
    for _ in range(resamples):
        total = np.zeros(rows.shape[1])
        for drawn in rng.integers(count, size=count):
            total += rows[clusters == drawn].sum(axis=0)
        found.append(total)
    return np.array(found).T


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    clusters = rng.integers(0, 12, 40)
    return clusters, rng.random((40, 3))


def test_is_the_plain_loop(data):
    clusters, rows = data
    (found,) = Bootstrap(12, resamples=50, seed=3).sums([by_cluster(clusters, rows)])
    np.testing.assert_allclose(found, plain_loop(clusters, rows, 12, 50, 3))


def test_one_drawing_for_all_blocks_whatever_part_of_the_clusters_they_have(data):
    clusters, rows = data
    some = clusters % 3 == 1
    blocks = [by_cluster(clusters, rows), by_cluster(clusters[some], rows[some]), by_cluster(clusters, rows[:, :1])]
    whole, part, again = Bootstrap(12, resamples=50, seed=3).sums(blocks)
    np.testing.assert_allclose(part, plain_loop(clusters[some], rows[some], 12, 50, 3))
    np.testing.assert_array_equal(again[0], whole[0])


def test_chunks_do_not_change_the_drawings(data, monkeypatch):
    block = by_cluster(*data)
    (whole,) = Bootstrap(12, resamples=50).sums([block])
    monkeypatch.setattr(bootstrap, "_WEIGHTS_AT_ONCE", 12 * 7)
    (pieces,) = Bootstrap(12, resamples=50).sums([block])
    np.testing.assert_allclose(pieces, whole)


def test_the_seed_matters(data):
    block = by_cluster(*data)
    (first,) = Bootstrap(12, resamples=5, seed=0).sums([block])
    (second,) = Bootstrap(12, resamples=5, seed=1).sums([block])
    assert not np.allclose(first, second)


def test_drawings_are_pinned():
    """PCG64 and bounded integers give the same drawings on every machine."""
    (found,) = Bootstrap(4, resamples=4, seed=0).sums(
        [Block(np.arange(4), np.array([[1.0], [10.0], [100.0], [1000.0]]))]
    )
    assert found.tolist() == [[1210.0, 13.0, 2101.0, 1300.0]]


def test_spread_is_the_closed_form_for_a_mean():
    """The standard deviation of a bootstrapped mean is that of the sample over the root of n."""
    values = np.random.default_rng(5).random(300)
    block = Block(np.arange(300), np.column_stack([values, np.ones(300)]))
    (sums,) = Bootstrap(300, resamples=8000).sums([block])
    means = sums[0] / sums[1]
    assert means.std() == pytest.approx(values.std() / math.sqrt(300), rel=0.03)
    low, high = interval(means)
    assert low == pytest.approx(values.mean() - 1.96 * values.std() / math.sqrt(300), abs=2e-3)
    assert high == pytest.approx(values.mean() + 1.96 * values.std() / math.sqrt(300), abs=2e-3)


def test_covers_the_truth_about_95_times_in_100_when_questions_of_an_image_go_together():
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(120), 5)
    clustered = independent = 0
    for trial in range(300):
        chance = rng.beta(1.4, 0.6, 120)  # images differ; the truth is 1.4 / 2 = .7
        right = (rng.random(600) < chance[clusters]).astype(float)
        rows = np.column_stack([right, np.ones(600)])
        (images,) = Bootstrap(120, 400, trial).sums([by_cluster(clusters, rows)])
        low, high = interval(images[0] / images[1])
        clustered += low <= 0.7 <= high
        spread = 1.96 * math.sqrt(right.mean() * (1 - right.mean()) / 600)
        independent += abs(right.mean() - 0.7) <= spread
    assert 0.91 <= clustered / 300 <= 0.98
    assert independent / 300 < 0.85  # why images are resampled, not questions


def test_side_by_side_fills_with_nothing():
    first = by_cluster(np.array([0, 2]), np.array([[1.0], [2.0]]))
    second = by_cluster(np.array([2, 3]), np.array([[5.0, 1.0], [7.0, 1.0]]))
    block = side_by_side([first, second])
    assert block.clusters.tolist() == [0, 2, 3]
    assert block.rows.tolist() == [[1.0, 0.0, 0.0], [2.0, 5.0, 1.0], [0.0, 7.0, 1.0]]


def test_interval_of_nothing_and_of_undefined_scores():
    assert all(map(math.isnan, interval([])))
    assert all(map(math.isnan, interval([math.nan, math.nan])))
    assert interval([math.nan, 2.0]) == (2.0, 2.0)
    assert interval(np.arange(1001.0)) == pytest.approx((25.0, 975.0))


def test_settled_keeps_ten_digits():
    assert settled(2 / 3) == 0.6666666667
    assert settled(12345678.987654) == 12345678.99
    assert settled(0.3 - 0.1 - 0.2) == 0.0  # -2.8e-17 here, perhaps another nothing elsewhere
    assert math.isnan(settled(math.nan))
    assert math.copysign(1, settled(-0.0)) == 1


def test_no_blocks():
    assert Bootstrap(0).sums([]) == []
    (empty,) = Bootstrap(3, resamples=0).sums([by_cluster(np.arange(3), np.ones((3, 2)))])
    assert empty.shape == (2, 0)
