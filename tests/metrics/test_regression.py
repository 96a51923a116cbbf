from __future__ import annotations

import numpy as np
import pytest
from outcomes_by_hand import outcome, variant

from askew.errors import UsageError
from askew.metrics.regression import FEATURES, Sides, fit, predicts_generalisation, sides
from askew.types import Expect


def test_fit_by_hand():
    x, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 4.0])
    # Without a constant b = Σxy / Σx² = 17/14; residuals -3/14, -6/14, 5/14, squares 70/196; Σ(y - 7/3)² = 14/3.
    assert fit(x, y, intercept=False) == pytest.approx(1 - (70 / 196) / (14 / 3))
    # With one b = 3/2, a = -2/3; residuals 1/6, -2/6, 1/6, squares 6/36.
    assert fit(x, y, intercept=True) == pytest.approx(1 - (6 / 36) / (14 / 3))
    assert np.isnan(fit(x, np.ones(3), intercept=True))
    assert fit(x, np.array([5.0, 5.0, 6.0]), intercept=False) < 0


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
            expected[left_out] = 1 - ((y - design @ solution) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        assert one.r_squared == pytest.approx(expected)
        assert one.mean == pytest.approx(np.mean(list(expected.values())))
        assert one.sd == pytest.approx(np.std(list(expected.values())))


def test_more_features_never_predict_worse():
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
def test_a_model_without_a_right_answer_on_a_side_has_no_rad(side):
    rng = np.random.default_rng(6)
    with pytest.raises(UsageError, match="Leave that model out"):
        predicts_generalisation([*(model(rng, "ab") for _ in range(5)), {"a": side, "b": side}])


def test_an_augmentation_that_a_model_lacks_is_left_out():
    rng = np.random.default_rng(7)
    found = predicts_generalisation([model(rng, "abc"), *(model(rng, "ab") for _ in range(5))])
    assert [sorted(one.r_squared) for one in found] == [["a", "b"]] * 4
