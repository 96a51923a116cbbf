from __future__ import annotations

import math

import numpy as np
import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import UsageError
from askew.metrics.rad_metrics import (
    FEATURES,
    Introspect,
    Rad,
    Sides,
    fit,
    prediction_errors,
    predicts_generalisation,
    sides,
)
from askew.types import Expect


def pair(original_right, variant_right, number):
    return outcome(
        "red" if original_right else "blue",
        "red",
        variant("yes" if variant_right else "no", "yes", Expect.GIVEN),
        id=number,
    )


# Of ten questions four originals are right, three of them with a right variant; two more variants are right.
TEN = [pair(n < 4, n < 3 or n in (5, 6), n) for n in range(10)]


def test_by_hand():
    assert total(Rad(), TEN) == 0.75
    assert total(Rad(backward=True), TEN) == 0.6


def test_does_not_depend_on_accuracy():
    assert total(Rad(), [pair(True, True, 1), *(pair(False, False, n) for n in range(2, 50))]) == 1.0


def test_not_defined_when_no_original_is_correct():
    assert math.isnan(total(Rad(), [pair(False, True, 1)]))
    assert total(Rad(backward=True), [pair(False, True, 1)]) == 0.0


def test_each_variant_counts_with_its_original():
    three = outcome("red", "red", variant("red", "red"), variant("x", "red"), variant("red", "red"))
    assert Rad().measure(three) == (2.0, 3.0)
    assert Rad(backward=True).measure(three) == (2.0, 2.0)


def test_missing_answers():
    no_original = outcome(None, "red", variant("red", "red"))
    assert Rad().measure(no_original) is None
    assert Rad().measure(no_original, 0.0) == (0.0, 0.0)
    assert Rad().measure(no_original, 1.0) == (1.0, 1.0)
    no_variant = outcome("red", "red", variant(None, "red"))
    assert Rad().measure(no_variant) is None
    assert Rad().measure(no_variant, 0.0) == (0.0, 1.0)
    assert Rad().measure(outcome("red", "red")) is None


def test_the_rule_for_correct_answers_is_an_option():
    some = outcome("blue", ("red",) * 7 + ("blue",) * 3, variant("red", "red"))
    assert Rad().measure(some) == (0.0, 0.0)
    assert Rad(correct="any").measure(some) == (1.0, 1.0)
    assert Rad(correct=">=0.95").measure(some) == (0.0, 0.0)


def test_vectorised_over_many_sums():
    assert Rad().combine([[3.0, 1.0], [4.0, 2.0]]).tolist() == pytest.approx([0.75, 0.5])


GROUPS = [
    outcome("yes", "yes", variant("red", "red"), variant("x", "red"), variant("red", "red"), id=1),
    outcome("no", "yes", variant("red", "red"), id=2),
]


def test_four_cells_by_hand():
    cells = {(main, sub): total(Introspect(main, sub), GROUPS) for main in (True, False) for sub in (True, False)}
    assert cells == {(True, True): 0.5, (True, False): 0.25, (False, True): 0.25, (False, False): 0.0}


def test_consistency_is_rad():
    assert total(Rad(), GROUPS) == total(Introspect(True, True), GROUPS) / 0.75


def test_introspect_with_missing_answers():
    group = outcome("yes", "yes", variant(None, "red"))
    assert Introspect().measure(group) is None
    assert Introspect(True, False).measure(group, 0.0) == (1.0, 1.0)


def test_fit_by_hand():
    x, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 4.0])
    # Without a constant b = Σxy / Σx² = 17/14; residuals -3/14, -6/14, 5/14, squares 70/196; Σy² = 21.
    assert fit(x, y, intercept=False) == pytest.approx(1 - (70 / 196) / 21)
    # With one b = 3/2, a = -2/3; residuals 1/6, -2/6, 1/6, squares 6/36; Σ(y - 7/3)² = 14/3.
    assert fit(x, y, intercept=True) == pytest.approx(1 - (6 / 36) / (14 / 3))
    assert np.isnan(fit(x, np.ones(3), intercept=True))
    assert 0 < fit(x, np.array([5.0, 5.0, 6.0]), intercept=False) < 1  # against 0, not against a mean it cannot have


def test_sides_by_hand():
    outcomes = [
        outcome("red", "red", variant("yes", "yes", Expect.GIVEN, test="C"), id=1),
        outcome("blue", ("red",) * 9 + ("blue",), variant("yes", "yes", Expect.GIVEN, test="C"), id=2),
        outcome("red", "red", variant("no", "yes", Expect.GIVEN, test="C"), variant(None, "red", test="R"), id=3),
        outcome("red", "red", variant("red", "red", test="R"), id=4),
    ]
    assert sides(outcomes) == {"C": Sides(3, 2.3, 2.0, 2.0, 2.0, 1.0), "R": Sides(1, 1.0, 1.0, 1.0, 1.0, 1.0)}


def model(rng, tests):
    skill = rng.uniform(0.3, 0.9)
    made = {}
    for test in tests:
        original, second = (int(v) for v in rng.binomial(200, [skill, min(0.95, skill + 0.1)]))
        both = int(rng.binomial(min(original, second), 0.8))
        made[test] = Sides(200, float(original), float(second), float(original), float(second), float(both))
    return made


@pytest.mark.parametrize("intercept", [False, True])
def test_is_least_squares_on_the_pooled_others(intercept):
    rng = np.random.default_rng(3)
    tests = ["C", "HM", "Reph", "WK"]
    models = [model(rng, tests) for _ in range(45)]
    found = predicts_generalisation(models, intercept)
    assert [one.features for one in found] == [FEATURES, *((name,) for name in FEATURES)]
    for columns, one in zip([[0, 1, 2], [0], [1], [2]], found, strict=True):
        expected = {}
        for left_out in tests:
            x = []
            for m in models:
                others = [m[test] for test in tests if test != left_out]
                original, second, both = (
                    sum(getattr(side, name) for side in others)
                    for name in ("original_right", "variant_right", "both_right")
                )
                x.append([sum(side.accuracy for side in others) / 600, both / original, both / second])
            x = np.array(x)[:, columns]
            y = np.array([m[left_out].variant_accuracy / 200 for m in models])
            design = np.column_stack([x, np.ones(45)]) if intercept else x
            solution = np.linalg.solve(design.T @ design, design.T @ y)
            total = (y - y.mean() if intercept else y) ** 2
            expected[left_out] = 1 - ((y - design @ solution) ** 2).sum() / total.sum()
        assert one.r_squared == pytest.approx(expected)
        assert one.mean == pytest.approx(np.mean(list(expected.values())))
        assert one.sd == pytest.approx(np.std(list(expected.values())))


def test_a_model_is_predicted_by_a_regression_over_the_others():
    rng = np.random.default_rng(8)
    models = [model(rng, "ab") for _ in range(9)]
    found = prediction_errors(models)
    expected = np.zeros((4, 9))
    for target, other in ("ab", "ba"):
        x = np.array([[m[other].accuracy / 200, m[other].both_right / m[other].original_right] for m in models])
        x = np.column_stack([x, [m[other].both_right / m[other].variant_right for m in models], np.ones(9)])
        y = np.array([m[target].variant_accuracy / 200 for m in models])
        for line, columns in enumerate(([0, 1, 2, 3], [0, 3], [1, 3], [2, 3])):
            for left_out in range(9):
                kept = np.arange(9) != left_out
                weights = np.linalg.lstsq(x[kept][:, columns], y[kept], rcond=None)[0]
                expected[line, left_out] += (y[left_out] - x[left_out, columns] @ weights) ** 2 / y.var() / 2
    assert found == pytest.approx(expected)


def test_more_features_never_fit_worse():
    rng = np.random.default_rng(4)
    everything, *alone = predicts_generalisation([model(rng, "abcd") for _ in range(20)])
    assert all(everything.r_squared[test] >= one.r_squared[test] - 1e-9 for one in alone for test in "abcd")


def test_too_few_models_or_augmentations():
    rng = np.random.default_rng(5)
    with pytest.raises(UsageError, match="Score more models"):
        predicts_generalisation([model(rng, "abcd") for _ in range(3)])
    with pytest.raises(UsageError, match="2 augmentations"):
        predicts_generalisation([model(rng, "a") for _ in range(9)])


@pytest.mark.parametrize("side", [Sides(9), Sides(9, original_right=4.0), Sides(9, variant_right=4.0)])
def test_a_model_without_a_correct_answer_on_a_side_has_no_rad(side):
    rng = np.random.default_rng(6)
    with pytest.raises(UsageError, match="Leave that model out"):
        predicts_generalisation([*(model(rng, "ab") for _ in range(5)), {"a": side, "b": side}])


def test_an_augmentation_that_some_model_lacks_is_left_out():
    rng = np.random.default_rng(7)
    found = predicts_generalisation([model(rng, "abc"), *(model(rng, "ab") for _ in range(5))])
    assert [sorted(one.r_squared) for one in found] == [["a", "b"]] * 4
