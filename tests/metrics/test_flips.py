from __future__ import annotations

import math
from dataclasses import replace

import pytest
from outcomes_by_hand import outcome, total, variant

import askew
from askew.data.groups import write_groups
from askew.errors import BadOption, UsageError
from askew.metrics.flips import Flips
from askew.types import Expect, Group, ImageRef, Question, Variant


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


def test_as_the_authors_count():
    """Their notebook leaves "many" out of the flips, not out of the pairs, and only as the answer after the edit."""
    after = [*CV, edited("4", "4", variant("many", "3", Expect.GIVEN), id=6)]
    assert total(Flips(), after) == 4 / 6
    assert total(Flips(authors=True), after) == 3 / 6
    before = [*CV, edited("many", "4", variant("3", "3", Expect.GIVEN), id=6)]
    assert total(Flips(), before) == total(Flips(authors=True), before) == 4 / 6


def test_different_answers_that_are_both_accepted_are_not_flips():
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
    """A flip is undefined where the expected answer changes in any way but a falling count."""
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


def ready_made(path):
    """A file with a group of RAD, whose answer changes by design, and one of corrupted images, whose answer stays."""
    original = Question(1, ImageRef("a"), "What color is the cat?", ("white",) * 10)
    yes_no = replace(original, id="1/rad", text="Is the cat white?", answers=("yes",) * 10)
    same = replace(original, id="1/blur")
    groups = [
        Group(1, "rad", original, (Variant(yes_no, Expect.GIVEN, "Y/N←C", "rad/color"),)),
        Group(1, "corruption", original, (Variant(same, Expect.SAME, "blur", "corruption/blur", {"severity": 1}),)),
    ]
    write_groups(groups, str(path))
    return str(path)


def test_flips_of_rad_alone_are_refused_and_beside_others_shown_as_a_dash(tmp_path):
    """No question is asked for an undefined metric; beside a suite that it measures, the dash is explained."""
    data, model, output = ready_made(tmp_path / "groups.jsonl"), "constant:yes", tmp_path / "o"
    with pytest.raises(UsageError, match=r"flips says nothing about rad.* Leave it out .* or add a suite"):
        askew.evaluate(model, data, "rad", metrics=["flips"], output=output)
    assert not (output / "answers.sqlite").exists()
    assert askew.evaluate(model, data, "rad", output=output).score("accuracy.all").n == 1
    of_others = askew.evaluate(model, data, "rad", metrics=["rad"], output=output).score("rad")
    assert of_others.n == 0, "nothing was right here; of another model it would say something, so it is not refused"
    result = askew.evaluate(model, data, ["rad", "corruption"], metrics=["flips", "flips:negative"])
    for metric in ("flips", "flips:negative"):
        of_rad, of_images = (result.score(metric, suite=suite) for suite in ("rad", "corruption"))
        assert (of_rad.n, of_rad.failed, of_images.n) == (0, 0, 1)
        assert math.isnan(of_rad.value)
    assert "nothing here to measure it on" in str(result)


def test_refuses_unknown_kinds():
    with pytest.raises(BadOption, match="positive"):
        Flips("postive")
