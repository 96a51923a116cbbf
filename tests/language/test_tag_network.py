"""Layers are computed once for each window; values worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.language.tag_network import MaxoutLayer, TagNetwork, WindowCache

SEQUENCE = st.lists(st.integers(0, 5), min_size=3, max_size=20)


def total(seen):
    """Computes 100 · left + 10 · middle + right of each window, and records the windows in ``seen``."""

    def make(windows, out):
        seen.append(windows.tolist())
        out[:] = windows @ np.array([100, 10, 1])

    return make


def made(windows, sequence, make):
    rows = windows.rows(np.array(sequence), np.arange(1, len(sequence) - 1), make)
    return windows.outputs[rows].tolist()


def test_each_window_is_made_once():
    seen = []
    windows = WindowCache(np.empty(1, np.int64))
    assert made(windows, [0, 1, 2, 0, 1, 2], total(seen)) == [12, 120, 201, 12]
    assert sorted(seen[0]) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    assert made(windows, [1, 2, 0, 1, 3], total(seen)) == [120, 201, 13]
    assert seen[1:] == [[[0, 1, 3]]]
    assert len(windows) == 4


def test_known_windows_are_not_computed_again():
    windows = WindowCache(np.empty(1, np.int64))
    made(windows, [0, 1, 2], total([]))
    assert made(windows, [0, 1, 2], None) == [12]


def test_rows_of_21_bits_are_distinguished():
    large = (1 << 21) - 1
    seen = []
    made(WindowCache(np.empty(1, np.int64)), [large, 0, large, large], total(seen))
    assert sorted(seen[0]) == [[0, large, large], [large, 0, large]]


@given(st.lists(SEQUENCE, min_size=1, max_size=6), st.sampled_from([1, 4, 100]))
def test_earlier_rows_stay_valid_as_the_table_grows(sequences, room):
    windows = WindowCache(np.empty(room, np.int64))
    for sequence in sequences:
        expected = [100 * a + 10 * b + c for a, b, c in zip(sequence, sequence[1:], sequence[2:], strict=False)]
        assert made(windows, sequence, total([])) == expected
    for sequence in sequences:
        expected = [100 * a + 10 * b + c for a, b, c in zip(sequence, sequence[1:], sequence[2:], strict=False)]
        assert made(windows, sequence, None) == expected


def test_each_distinct_window_goes_through_a_layer_once():
    seen = []

    def layer(vectors, windows, out):
        seen.append(windows.tolist())
        out[:] = 1

    network = TagNetwork((layer,), np.array([[1, 0]], np.float32), np.zeros(2, np.float32), ("X", "Y"))
    assert network.tags(np.zeros((3, 1), np.float32), [0, 1, 2, 0, 1, 2, 0, 2, 0], alone=None) == ["X"] * 5
    assert sorted(seen[0]) == [[0, 1, 2], [0, 2, 0], [1, 2, 0]]


def test_a_layer_worked_by_hand():
    """Two pieces of width two: the first copies the middle, the second the left; then (2, 4) is normalised."""
    weights = np.zeros((6, 4), np.float32)
    weights[2, 0] = weights[3, 1] = weights[0, 2] = weights[1, 3] = 1
    layer = MaxoutLayer(weights, np.zeros(4, np.float32), np.array([1, 2], "f"), np.array([10, 20], "f"))
    vectors = np.array([[0, 4], [2, 1], [9, 9]], np.float32)
    # left (0, 4), middle (2, 1): the larger of each is (2, 4), normalised (-1, 1), scaled (-1, 2), shifted (9, 22).
    out = np.empty((1, 2), np.float32)
    layer(vectors, np.array([[0, 1, 2]]), out)
    assert out == pytest.approx(np.array([[11, 23]]))
