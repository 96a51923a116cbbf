from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import BadOption
from askew.metrics.consistency import AnswerRate, ComprehensiveAccuracy, Consensus, PairAccuracy, SelfConsistency
from askew.types import Expect

SAME, DIFFERENT, GIVEN, NOISE = Expect

# An invariance test and a directional one, by hand:   right   consistent   both right
PAIRS = [
    outcome("yes", "yes", variant("yes", "yes", SAME), id=1),  # 2       yes          yes
    outcome("no", "yes", variant("no", "yes", SAME), id=2),  # 0       yes          no
    outcome("yes", "yes", variant("no", "yes", SAME), id=3),  # 1       no           no
    outcome("yes", "yes", variant("no", "no", DIFFERENT), id=4),  # 2       yes          yes
    outcome("yes", "yes", variant("yes", "no", DIFFERENT), id=5),  # 1       no           no
    outcome("no", "yes", variant("yes", "no", DIFFERENT), id=6),  # 0       yes          no
]


def test_by_hand():
    assert total(PairAccuracy(), PAIRS) == 6 / 12
    assert total(SelfConsistency(), PAIRS) == 4 / 6
    assert total(ComprehensiveAccuracy(), PAIRS) == 2 / 6


def test_every_pair_of_a_group_counts_and_the_second_label_is_checked():
    # The released scorer counts the pairs of each test's last file only and never looks at the second label.
    group = outcome("yes", "yes", variant("yes", "yes"), variant("yes", "no"), variant("no", "no", DIFFERENT))
    assert PairAccuracy().measure(group) == (5.0, 6.0)
    assert SelfConsistency().measure(group) == (3.0, 3.0)
    assert ComprehensiveAccuracy().measure(group) == (2.0, 3.0)


def test_consistency_ignores_labels_where_the_expected_change_is_known():
    assert SelfConsistency().measure(outcome("x", (), variant("x", ()))) == (1.0, 1.0)
    assert SelfConsistency().measure(outcome("x", (), variant("y", (), DIFFERENT))) == (1.0, 1.0)


def test_noise_should_not_change_the_answer():
    assert SelfConsistency().measure(outcome("x", "x", variant("y", "x", NOISE))) == (0.0, 1.0)


def test_reference_answers_decide_whether_the_answer_should_change():
    assert SelfConsistency().measure(outcome("red", "red", variant("no", "yes", GIVEN))) == (1.0, 1.0)
    assert SelfConsistency().measure(outcome("yes", "yes", variant("yes", "no", GIVEN))) == (0.0, 1.0)
    assert SelfConsistency().measure(outcome("no", "yes", variant("No.", "Yes", GIVEN))) == (1.0, 1.0)
    assert SelfConsistency().measure(outcome("no", "yes", variant("no", (), GIVEN)), 1.0) is None


def test_answers_are_compared_normalised():
    assert SelfConsistency().measure(outcome("Two dogs.", "x", variant("2 dogs", "x"))) == (1.0, 1.0)


@pytest.mark.parametrize("metric", [PairAccuracy(), SelfConsistency(), ComprehensiveAccuracy()])
def test_missing_answers(metric):
    group = outcome("yes", "yes", variant(None, "yes"))
    assert metric.measure(group) is None
    assert metric.combine(metric.measure(group, 1.0)) == 1.0
    assert metric.combine(metric.measure(group, 0.0)) == (0.5 if metric == PairAccuracy() else 0.0)


def test_perfect_on_directional_tests_while_always_wrong():
    wrong = [outcome("no", "yes", variant("yes", "no", DIFFERENT), id=n) for n in range(3)]
    assert total(SelfConsistency(), wrong) == 1.0
    assert total(ComprehensiveAccuracy(), wrong) == 0.0


def test_bounds_that_the_published_figures_keep_too():
    # Table 4 (ACC, CONS, C-ACC): 74.5 89.3 69.8, 59.0 69.7 47.3, 62.4 70.8 49.9, 55.4 68.4 44.5.
    rng = Random("consistency")
    for _ in range(50):
        group = [outcome(rng.choice("ab"), "a", variant(rng.choice("ab"), "a"), id=n) for n in range(6)]
        acc, cons, both = (total(m, group) for m in (PairAccuracy(), SelfConsistency(), ComprehensiveAccuracy()))
        assert 2 * acc - 1 <= both + 1e-12
        assert both <= min(acc, cons)
        assert both == pytest.approx(acc - (1 - cons) / 2)  # with two answers an inconsistent pair has one right


GROUPS = [
    outcome("Yes.", (), variant("no", ()), variant("red", ()), id=1),
    outcome("no", (), variant(None, ()), id=2),
]


def test_answer_rates_by_hand():
    assert [total(AnswerRate(says), GROUPS) for says in ("yes", "no", "other")] == [0.25, 0.5, 0.25]
    assert total(AnswerRate("yes", "original"), GROUPS) == 0.5
    assert total(AnswerRate("other", "variant"), GROUPS) == 0.5
    assert total(AnswerRate("yes"), GROUPS, failed=1.0) == 0.4


def test_refuses_other_rates():
    with pytest.raises(BadOption, match="yes, no, other"):
        AnswerRate("maybe")


def group(*right, number=1):
    first, *rest = ("red" if one else "blue" for one in right)
    return outcome(first, "red", *(variant(one, "red") for one in rest), id=number)


def test_by_hand_for_a_group_of_four_with_three_correct():
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
    # Footnote 2 there: a pair scores only when both questions are answered correctly.
    pairs = [group(True, True), group(True, False), group(False, True), group(False, False)]
    assert total(Consensus(2), pairs) == 0.25
    assert total(Consensus(2, anchored=True), pairs) == 0.25


def test_any_positive_accuracy_counts_unless_told_otherwise():
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
