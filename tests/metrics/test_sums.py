from __future__ import annotations

import math

import numpy as np

from askew.metrics.sums import by_image, settled


def test_rows_of_an_image_are_added_up_whatever_their_order():
    rng = np.random.default_rng(1)
    images, rows = rng.integers(0, 20, 200), np.column_stack([rng.integers(0, 2, 200), np.ones(200)]).astype(float)
    found = by_image(images, rows)
    expected = [rows[images == image].sum(axis=0) for image in sorted(set(images.tolist()))]
    assert found.tolist() == [one.tolist() for one in expected]
    shuffled = rng.permutation(200)
    assert by_image(images[shuffled], rows[shuffled]).tolist() == found.tolist()


def test_images_that_add_nothing_are_left_out():
    assert by_image(np.array([1, 2]), np.array([[0.0, 0.0], [1.0, 1.0]])).tolist() == [[1.0, 1.0]]
    assert by_image(np.zeros(0, dtype=np.int64), np.zeros((0, 2))).shape == (0, 2)


def test_settled_rounds_to_ten_digits():
    assert settled(2 / 3) == 0.6666666667
    assert settled(12345678.987654) == 12345678.99
    assert settled(0.3 - 0.1 - 0.2) == 0.0  # -2.8e-17 here, perhaps another tiny number elsewhere
    assert math.isnan(settled(math.nan))
    assert math.copysign(1, settled(-0.0)) == 1
