from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from outcomes_by_hand import outcome, total, variant

import askew
from askew.data.groups import write_groups
from askew.errors import BadOption, UsageError
from askew.metrics.consistency import AnswerRate, ComprehensiveAccuracy, Consensus, Flips, PairAccuracy, SelfConsistency
from askew.types import Expect, Group, ImageRef, Question, Variant

SAME, DIFFERENT, GIVEN, NOISE = Expect.SAME, Expect.DIFFERENT, Expect.GIVEN, Expect.NOISE

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


def test_flips_by_hand():
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
def test_pairs_with_a_missing_answer_are_left_out_of_flips(group):
    assert Flips().measure(group) is None
    assert Flips().measure(group, 0.0) == (1.0, 1.0)
    assert Flips("negative").measure(group, 0.0) == (1.0, 1.0)
    assert Flips().measure(group, 1.0) == (0.0, 1.0)


def test_pairs_that_say_nothing_about_flips_are_left_out():
    """A flip is undefined if the expected answer changes in any way other than a falling count."""
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
    """No question is asked for an undefined metric; in a run with a suite that it measures, the dash is explained."""
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
    assert "nothing to measure it on" in str(result)


def test_refuses_unknown_kinds():
    with pytest.raises(BadOption, match="positive"):
        Flips("postive")
