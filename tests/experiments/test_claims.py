"""Whether a claim about networks holds: over seeds and test images, corrected for the claims of a page."""

from __future__ import annotations

from math import inf, isnan, sqrt
from random import Random

import pytest

from askew.experiments.claims import FAR, MARGIN, Claim, Measured, SeedDifference, decided

FIVE = (1.0, 2.0, 3.0, 2.0, 2.0)
"""Mean 2, variance 1/2."""


def claim(*cases: SeedDifference, threshold: float = 0.0) -> Claim:
    return Claim("A is better.", {f"case {number}": one for number, one in enumerate(cases)}, threshold)


def test_seeds_and_images_both_count():
    # of seeds 0.5 / 5 = 0.1 with 4 degrees of freedom; of images 0.3 with 9: (0.4)² / (0.1²/4 + 0.3²/9) = 12.8
    found = SeedDifference(FIVE, images=10, image_variance=0.3)
    assert found.error == pytest.approx(sqrt(0.4))
    assert found.df == pytest.approx(12.8)
    # Student's t at 0.975 with 12.8 degrees of freedom is 2.164
    assert found.interval() == pytest.approx((2 - 2.164 * sqrt(0.4), 2 + 2.164 * sqrt(0.4)), abs=1e-3)


def test_the_influence_of_an_image_is_that_on_the_mean_over_the_seeds():
    first = [Measured(10.0, {"a": 1.0, "b": -1.0}), Measured(14.0, {"a": 3.0, "b": -3.0})]
    second = [Measured(9.0, {"a": 0.5, "b": -0.5}), Measured(11.0, {"b": 0.5, "c": -0.5})]
    found = SeedDifference.of(first, second)
    assert found.values == (1.0, 3.0)
    # a: (0.5 + 3) / 2, b: (-0.5 - 3.5) / 2, c: 0.5 / 2; squares 3.0625 + 4 + 0.0625, times 3 / 2
    assert (found.images, found.image_variance) == (3, pytest.approx(1.5 * 7.125))


def test_equal_networks_on_an_unlucky_test_set_are_not_told_apart():
    """Seeds agree with one another, because all are tested on the same images: the old rule saw a clear difference."""
    rng = Random(1)
    images = {number: 2.0 + 10 * rng.gauss(0, 1) for number in range(100)}  # standard error 1.0
    mean = sum(images.values()) / 100
    moves = {number: (value - mean) / 100 for number, value in images.items()}
    found = SeedDifference.of([Measured(mean + shift, moves) for shift in (-0.3, 0.1, 0.2, 0.0, 0.1)])
    assert mean > 1
    assert decided([claim(found)])[0].holds is None
    assert decided([claim(SeedDifference(found.values))])[0].holds is True


@pytest.mark.parametrize(("shift", "threshold", "holds"), [
    (0.0, 0.0, True), (-4.0, 0.0, False), (-2.0, 0.0, None),  # better, worse, undecided
    (-3.0, -MARGIN, None), (-2.3, -MARGIN, None), (-2.0, -MARGIN, True), (-6.0, -MARGIN, False),  # "not lowered"
    (8.0, FAR, None), (10.0, FAR, True), (2.0, FAR, False),  # "far"
])  # fmt: skip
def test_a_claim_is_about_a_threshold(shift, threshold, holds):
    assert (
        decided([claim(SeedDifference(tuple(value + shift for value in FIVE)), threshold=threshold)])[0].holds is holds
    )


def test_fewer_than_five_seeds_decide_nothing_and_the_number_needed_is_said():
    (few,) = decided([claim(SeedDifference(FIVE[:3]))])
    assert few.holds is None
    assert isnan(few.p)
    assert "3 seeds: at least 5 are needed. If the differences stay as they are, about" in few.markdown()
    (one,) = decided([claim(SeedDifference((2.0,)))])
    assert one.markdown().endswith(" 1 seed: at least 5 are needed.")


def test_a_small_test_set_is_not_made_up_for_by_seeds():
    small = SeedDifference(FIVE, images=50, image_variance=4.0)
    assert small.seeds_needed(0.0, 0.05) == inf
    assert "more test scenes" in decided([claim(small)])[0].markdown()
    assert SeedDifference((3.0, -1.0, 4.0, 0.0, -0.5)).seeds_needed(0.0, 0.05) == 35


def test_a_claim_about_several_networks_holds_for_each_and_fails_with_one():
    better, worse, unclear = (SeedDifference(tuple(value - gap for value in FIVE)) for gap in (0, 4, 2))
    assert decided([claim(better, better)])[0].holds is True
    assert decided([claim(better, unclear)])[0].holds is None
    assert decided([claim(better, worse, unclear)])[0].holds is False


def test_claims_of_a_page_are_corrected_together():
    alone = claim(SeedDifference((0.1, 1.2, 2.6, 0.9, 1.4)))  # p = 0.041
    (one,) = decided([alone])
    assert one.holds is True
    several = decided([alone, *[claim(SeedDifference((1.0, -1.0, 0.5, -0.5, 0.0)))] * 4])
    assert [each.holds for each in several] == [None] * 5
    assert several[0].p == pytest.approx(5 * one.p)


def test_a_line_has_the_verdict_each_difference_and_its_interval():
    said = Claim("Q3R raises CS.", {"XNM 60.0 → 62.0": SeedDifference(FIVE)})
    assert decided([said])[0].markdown() == "- Q3R raises CS. **Holds**: XNM 60.0 → 62.0 (+2.0, +1.1 to +2.9)."


def test_networks_that_never_differ_are_undecided_or_within_the_margin():
    same = SeedDifference((0.0,) * 5)
    assert decided([claim(same)])[0].holds is None
    assert decided([claim(same, threshold=-MARGIN)])[0].holds is True
