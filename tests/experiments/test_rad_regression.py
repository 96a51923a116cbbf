"""Whether RAD predicts generalisation, decided by resampling networks."""

from random import Random

import pytest

from askew.errors import UsageError
from askew.experiments.rad_regression import _adjusted, _claims, _decided, _interval, _left_out, _with_rad
from askew.metrics.rad_metrics import Sides, predicts_generalisation


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr("askew.experiments.rad_regression.RESAMPLES", 100)


def network(rng, by_rad):
    """Three augmentations; the accuracy on each equals that on the others, or follows RAD."""
    accuracy, rad = rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.9)
    after = 100 * (rad if by_rad else accuracy)
    return {test: Sides(100, 100 * accuracy, after + rng.uniform(-1, 1), 100, 100, 100 * rad) for test in "abc"}


def networks(by_rad):
    rng = Random(7)
    return [network(rng, by_rad) for _ in range(45)]


def test_networks_without_a_correct_answer_are_left_out_and_counted():
    found = networks(by_rad=True)
    nothing = {test: Sides(100, 3.0, 0.0, 5.0, 0.0, 0.0) for test in "abc"}
    assert _with_rad([nothing, *found]) == found
    assert _left_out(1, 46)[0].startswith("1 of 46 networks answered nothing correctly")
    with pytest.raises(UsageError, match=r"Only 2 of 3 networks .* more --scenes or --epochs"):
        _with_rad([nothing, *found[:2]])


def test_adjusted_subtracts_what_features_explain_of_noise():
    found = networks(by_rad=False)
    plain = predicts_generalisation(found, intercept=True)
    assert _adjusted(found)[0] == pytest.approx(1 - (1 - plain[0].mean) * 44 / 41)
    assert _adjusted(found)[1] == pytest.approx(1 - (1 - plain[1].mean) * 44 / 43)


@pytest.mark.parametrize("by_rad", [True, False])
def test_findings_hold_when_rad_decides_and_not_when_accuracy_does(by_rad):
    found = networks(by_rad)
    beside, instead = _claims(predicts_generalisation(found), found)
    assert instead.holds is by_rad
    assert beside.holds is (True if by_rad else None)


def test_a_difference_of_zero_is_undecided_and_resampling_is_reproducible():
    found = networks(by_rad=True)
    assert _decided(_interval(found, lambda *r_squared: 0.0)) is None
    twice = [_interval(found, lambda everything, alone, *rad: everything - alone) for _ in range(2)]
    assert twice[0] == twice[1]
    assert twice[0][1] < twice[0][0] < twice[0][2]
