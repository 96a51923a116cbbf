from __future__ import annotations

from itertools import combinations

import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import BadOption
from askew.metrics.consensus import Consensus


def group(*right, number=1):
    first, *rest = ("red" if one else "blue" for one in right)
    return outcome(first, "red", *(variant(one, "red") for one in rest), id=number)


def test_by_hand_for_a_group_of_four_with_three_right():
    four = group(True, True, False, True)
    assert [Consensus(k).measure(four)[0] for k in (1, 2, 3, 4)] == [0.75, 0.5, 0.25, 0.0]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_counts_subsets(k):
    right = (True, False, True, True, False)
    subsets = list(combinations(right, k))
    assert Consensus(k).measure(group(*right))[0] == sum(map(all, subsets)) / len(subsets)
    anchored = [(right[0], *others) for others in combinations(right[1:], k - 1)]
    assert Consensus(k, anchored=True).measure(group(*right))[0] == sum(map(all, anchored)) / len(anchored)


def test_mean_over_groups_not_over_subsets():
    assert total(Consensus(2), [group(True, True, number=1), group(True, False, False, number=2)]) == 0.5


def test_pairs_as_vqa_p2_counts_them():
    # Footnote 2 there: a pair scores only when both questions are answered rightly.
    pairs = [group(True, True), group(True, False), group(False, True), group(False, False)]
    assert total(Consensus(2), pairs) == 0.25
    assert total(Consensus(2, anchored=True), pairs) == 0.25


def test_any_accuracy_will_do_unless_told_otherwise():
    some = outcome("blue", ("red",) * 9 + ("blue",), variant("red", "red"))
    assert Consensus(2).measure(some) == (1.0, 1.0)
    assert Consensus(2, correct="modal").measure(some) == (0.0, 1.0)


def test_missing_answers_are_left_out_of_the_group():
    one = outcome("red", "red", variant(None, "red"), variant("red", "red"))
    assert Consensus(2).measure(one) == (1.0, 1.0)
    assert Consensus(2).measure(one, 0.0) == (1 / 3, 1.0)
    assert Consensus(3).measure(one) is None
    assert Consensus(3).measure(one, 1.0) == (1.0, 1.0)
    assert Consensus(4).measure(one, 1.0) is None
    assert Consensus(2, anchored=True).measure(outcome(None, "red", variant("red", "red"))) is None


def test_k_is_at_least_one():
    with pytest.raises(BadOption, match="k = 1"):
        Consensus(0)
