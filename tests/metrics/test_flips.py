from __future__ import annotations

from dataclasses import replace

import pytest
from outcomes_by_hand import outcome, total, variant

import askew
from askew.errors import BadOption
from askew.metrics.flips import Flips
from askew.types import Expect


def edited(*args, **options):
    """An outcome whose variants ask the same question of another image."""
    made = outcome(*args, **options)
    variants = [replace(v, question=replace(v.question, text=made.group.original.text)) for v in made.group.variants]
    return replace(made, group=replace(made.group, variants=tuple(variants)))


# IV-VQA: something irrelevant was removed, the answer stays.
IV = [
    outcome("red", "red", variant("red", "red"), id=1),  # no flip
    outcome("blue", "red", variant("blue", "red"), id=2),  # wrong, but no flip
    outcome("blue", "red", variant("red", "red"), id=3),  # positive
    outcome("red", "red", variant("blue", "red"), id=4),  # negative
    outcome("red", "red", variant("green", "red"), id=5),  # negative
    outcome("blue", "red", variant("green", "red"), id=6),  # wrong
]

# CV-VQA: one of the counted things was removed, the count drops by one.
CV = [
    edited("4", "4", variant("3", "3", Expect.GIVEN), id=1),  # no flip
    edited("five", "4", variant("4", "3", Expect.GIVEN), id=2),  # wrong both times, but it drops by one
    edited("3", "4", variant("3", "3", Expect.GIVEN), id=3),  # positive
    edited("4", "4", variant("4", "3", Expect.GIVEN), id=4),  # negative
    edited("lots", "4", variant("some", "3", Expect.GIVEN), id=5),  # wrong: no numbers
]


def test_by_hand():
    assert total(Flips(), IV) == 4 / 6
    assert [total(Flips(kind), IV) for kind in ("positive", "negative", "wrong", "right")] == [1 / 6, 2 / 6, 1 / 6, 0.0]
    assert total(Flips(), CV) == 3 / 5
    assert [total(Flips(kind), CV) for kind in ("positive", "negative", "wrong", "right")] == [0.2, 0.2, 0.2, 0.0]


def test_both_accepted_though_different():
    either = ("red",) * 5 + ("blue",) * 5
    both = [outcome("red", either, variant("blue", either))]
    assert total(Flips("right", correct="any"), both) == total(Flips(correct="any"), both) == 1.0


def test_the_drop_is_an_option():
    two_removed = [edited("4", "4", variant("2", "2", Expect.GIVEN))]
    assert total(Flips(), two_removed) is None
    assert total(Flips(drop=2), two_removed) == 0.0


@pytest.mark.parametrize(
    "group",
    [outcome("red", "red", variant(None, "red")), edited("4", "4", variant(None, "3", Expect.GIVEN))],
    ids=["IV", "CV"],
)
def test_missing_answers(group):
    assert Flips().measure(group) is None
    assert Flips().measure(group, 0.0) == (1.0, 1.0)
    assert Flips("negative").measure(group, 0.0) == (1.0, 1.0)
    assert Flips().measure(group, 1.0) == (0.0, 1.0)


def test_pairs_that_say_nothing_about_flips_are_left_out():
    """A flip has no meaning where the expected answer is another one that is not a falling count."""
    counted = variant("3", "3", Expect.GIVEN)
    without_meaning = [
        edited("red", "red", variant("yes", "yes", Expect.GIVEN)),
        edited("4", "4", variant("5", "5", Expect.GIVEN)),
        edited("4", "4", variant("some", "some", Expect.GIVEN)),
        outcome("4", "4", counted),  # another question, whose answer is one less by chance
        edited("yes", "yes", variant("no", "no", Expect.DIFFERENT)),
    ]
    assert [Flips().measure(one, failed) for one in without_meaning for failed in (None, 0.0, 1.0)] == [None] * 15
    assert Flips().measure(edited("4", "4", counted, variant("yes", "yes", Expect.GIVEN))) == (0.0, 1.0)


def test_flips_of_rad_rest_on_nothing():
    result = askew.evaluate("constant:yes", "world:val,scenes=40", "rad", metrics=["flips"])
    (flips,) = [score for score in result.results["scores"] if score["metric"] == "flips"]
    assert flips["n"] == flips["failed"] == 0
    assert flips["value"] is None or flips["value"] != flips["value"]


def test_refuses_unknown_kinds():
    with pytest.raises(BadOption, match="positive"):
        Flips("postive")
