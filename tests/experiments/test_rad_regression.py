"""Whether RAD predicts generalisation, decided over networks and test images."""

from random import Random

import pytest

from askew.errors import UsageError
from askew.experiments.claims import decided
from askew.experiments.rad_regression import IMAGE_PARTS, _all_parts, _by_image_part, _claims, _left_out, _with_rad
from askew.metrics.rad_metrics import Sides, sides
from askew.types import Expect, Group, Outcome, Prediction, Question, Variant


def network(rng, by_rad):
    """Three augmentations; the accuracy on each equals that on the others, or follows RAD."""
    accuracy, rad = rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.9)
    parts = []
    for _ in range(IMAGE_PARTS):
        after = 100 * (rad if by_rad else accuracy)
        parts.append(
            {test: Sides(100, 100 * accuracy, after + rng.uniform(-1, 1), 100, 100, 100 * rad) for test in "abc"}
        )
    return parts


def networks(by_rad):
    rng = Random(7)
    return [network(rng, by_rad) for _ in range(20)]


def test_networks_without_a_correct_answer_are_left_out_and_counted():
    found = networks(by_rad=True)
    nothing = [{test: Sides(100, 3.0, 0.0, 5.0, 0.0, 0.0) for test in "abc"}] * IMAGE_PARTS
    assert _with_rad([nothing, *found]) == found
    assert _left_out(1, 46)[0].startswith("1 of 46 networks answered nothing correctly")
    with pytest.raises(UsageError, match=r"Only 2 of 3 networks .* more --scenes or --epochs"):
        _with_rad([nothing, *found[:2]])


def test_parts_of_the_images_add_up():
    outcomes = []
    for number in range(50):
        original, changed = Question(number, None, "What?", ("red",)), Question(f"{number}/c", None, "Is?", ("yes",))
        group = Group(number, "rad", original, (Variant(changed, Expect.GIVEN, "C", "rule"),))
        said = Prediction(number, "red" if number % 3 else "blue"), (Prediction(f"{number}/c", "yes"),)
        outcomes.append(Outcome(group, *said))
    parts = _by_image_part([outcomes])
    assert len([part for part in parts if part]) > IMAGE_PARTS // 2
    assert _all_parts(parts) == sides(outcomes)


@pytest.mark.parametrize("by_rad", [True, False])
def test_findings_hold_when_rad_decides_and_not_when_accuracy_does(by_rad):
    beside, instead = decided(_claims(networks(by_rad)))
    assert instead.holds is by_rad
    assert (beside.holds is True) is by_rad
