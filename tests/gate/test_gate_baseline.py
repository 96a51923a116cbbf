"""A run that got worse than a baseline on the same groups fails; differences that may be chance pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pytest
from gate_runs import QUESTIONS, four_runs, made, script

import askew
from askew.engine.components import Questions
from askew.errors import UsageError
from askew.gate import BaselineComparison, Rule, Status, compare_to, failures_check, verdict
from askew.gate.baseline import COUNTED, SAME
from askew.models.baselines import Scripted
from askew.report.load import load_run
from shout_suite import Short, Shout


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return four_runs(tmp_path_factory.mktemp("runs"))


def names(checks, *statuses: Status) -> list[str]:
    return [check.name for check in checks if check.status in statuses]


def failed(checks) -> list[str]:
    return names(checks, Status.FAILED)


def passed(checks) -> bool:
    return verdict(checks) is Status.PASSED


def test_a_run_is_no_worse_than_itself(runs):
    checks = compare_to(runs["good"], runs["good"])
    assert passed(checks)
    assert [check.name for check in checks if check.kind != "others"] == [SAME, "rad:accuracy.all", "rad:rad.forward"]
    others = {check.name for check in checks if check.kind == "others"}
    assert {"rad:rad.forward@test=Y/N←C", "rad:cs.2"} <= others
    assert not any("answer_type" in name or "made_by" in name for name in others)


def test_a_run_that_got_worse_fails_by_its_headlines_and_the_rest_is_worth_a_look(runs):
    checks = compare_to(runs["bad"], runs["good"])
    assert failed(checks) == ["rad:rad.forward"]
    assert verdict(checks) is Status.FAILED
    assert {"rad:accuracy.variant", "rad:cs.2"} <= set(names(checks, Status.LOOK))
    assert "rad:accuracy.original" not in names(checks, Status.FAILED, Status.LOOK)


def test_only_headlines_count_unless_all_are_asked_for(runs):
    """Accuracy before the change is the same, so that by it alone the run is no worse, whatever else is."""
    rule = Rule(metrics=("accuracy.all",))
    assert passed(compare_to(runs["worse"], runs["good"], rule))
    assert len(failed(compare_to(runs["bad"], runs["good"]))) == 1
    assert len(failed(compare_to(runs["bad"], runs["good"], Rule(everything=True)))) > 2


def test_comparisons_with_the_same_numbers_are_listed_once(runs):
    """With one test and all originals correct, RAD, CS(2) and the accuracy on variants have one column of numbers."""
    checks = compare_to(runs["worse"], runs["good"])
    assert names(checks, Status.LOOK, Status.FAILED) == ["rad:rad.forward"]
    (check,) = [check for check in checks if check.name == "rad:rad.forward"]
    assert "The same numbers: rad:accuracy.variant, rad:accuracy.gap, rad:" in check.why


def test_the_note_says_how_often_equally_good_runs_fail(runs):
    note = BaselineComparison(runs["worse"], runs["good"]).note()
    assert note.startswith("Of equally good runs, at most 5 % fail: 2 comparisons")
    everything = BaselineComparison(runs["worse"], runs["good"], Rule(everything=True)).note()
    assert re.search(r"Of equally good runs, \d+\.\d % would fail", everything)


def test_a_run_that_got_better_passes(runs):
    assert passed(compare_to(runs["good"], runs["worse"]))


def test_one_wrong_answer_in_twenty_may_be_chance(runs):
    assert passed(compare_to(runs["nearly"], runs["good"]))


def test_a_handful_of_groups_proves_nothing(tmp_path):
    """Four groups that all got worse are too few to decide, and an undecided check does not pass."""
    few = Questions(QUESTIONS.items[:4])
    groups = [g for g in askew.make("suite", "rad").groups(few, 0) if isinstance(g, askew.Group)]
    right = {q.text: q.answers[0] for g in groups for q in (g.original, *(v.question for v in g.variants))}
    wrong = right | {v.question.text: "perhaps" for g in groups for v in g.variants}
    before, after = made(tmp_path / "before", right, few), made(tmp_path / "after", wrong, few)
    checks = compare_to(after, before, Rule(metrics=("accuracy.variant",)))
    (check,) = [check for check in checks if check.kind == "no-worse"]
    assert (check.name, check.found) == ("rad:accuracy.variant", "0.0 (was 100.0)")
    assert check.status is verdict(checks) is Status.UNDECIDED
    assert "fewer than 10 images" in check.why


def accuracy_check(run, baseline, margin):
    (check,) = [
        c for c in compare_to(run, baseline, Rule(margin=margin, metrics=("accuracy.variant",))) if c.kind == "no-worse"
    ]
    return check


def test_a_margin_passes_only_what_is_shown_to_lose_less(runs):
    """60 points are lost, between 36 and 80 by the interval; a margin within it is undecided, whatever the p value."""
    for margin, status in (
        (0.9, Status.PASSED),
        (0.6, Status.UNDECIDED),
        (0.5, Status.UNDECIDED),
        (0.2, Status.FAILED),
    ):
        assert accuracy_check(runs["worse"], runs["good"], margin).status is status, margin
    assert accuracy_check(runs["good"], runs["worse"], 0.02).status is Status.PASSED


def test_a_run_that_may_have_lost_more_than_the_margin_does_not_pass(runs):
    """One wrong answer of twenty is not significant, which used to pass with a margin of two points."""
    check = accuracy_check(runs["nearly"], runs["good"], 0.02)
    assert check.status is Status.UNDECIDED
    assert re.match(r"Undecided, n too small: a loss of \d+\.\d points could not have been seen\. About \d+", check.why)
    assert passed(compare_to(runs["nearly"], runs["good"]))
    near = accuracy_check(runs["worse"], runs["good"], 0.6)
    assert near.why.startswith("Undecided: the loss may be on either side of the margin.")


def test_each_comparison_says_what_it_could_have_found(runs):
    check = next(c for c in compare_to(runs["nearly"], runs["good"]) if c.name == "rad:rad.forward")
    assert "Detectable, with a power of 80 %: " in check.why
    now, before, loss, detectable = check.cells
    assert (now, before) == ("95.0", "100.0")
    assert loss.startswith("5.0 (")
    assert float(detectable) > 5


def test_a_stricter_alpha_needs_stronger_evidence(runs):
    assert not failed(compare_to(runs["worse"], runs["good"], Rule(alpha=1e-9)))


def test_only_the_metrics_asked_for_count_and_their_tests_are_listed(runs):
    checks = compare_to(runs["worse"], runs["good"], Rule(metrics=("accuracy.gap",)))
    assert [check.name for check in checks] == [SAME, "rad:accuracy.gap"]
    assert "The same numbers: " in checks[1].why, "those of its only test, among others"


@pytest.mark.parametrize("name", ["accuracy.gap", "rad:accuracy.gap", "Gap", "gap", "RAD: Gap"])
def test_metrics_are_named_by_id_or_as_tables_print_them(runs, name):
    title = runs["good"].facts("rad", "accuracy.gap").title
    checks = compare_to(runs["worse"], runs["good"], Rule(metrics=(name.replace("Gap", title).replace("gap", title),)))
    assert "rad:accuracy.gap" in failed(checks)


def test_an_unknown_metric_is_refused_even_beside_one_that_is_there(runs):
    with pytest.raises(UsageError, match=r"no score 'rad.foward'\. Did you mean rad.forward \(RAD: "):
        compare_to(runs["good"], runs["good"], Rule(metrics=("rad.foward", "accuracy.all")))


def test_a_metric_without_a_better_direction_is_refused_when_named(tmp_path):
    run = made(tmp_path, script(), metrics=("answer-rate:says=no",))
    with pytest.raises(UsageError, match="neither better nor worse"):
        compare_to(run, run, Rule(metrics=("answer-rate:says=no", "accuracy.all")))


def test_a_metric_that_only_the_run_has_is_undecided_when_named(runs, tmp_path):
    more = made(tmp_path, script(), metrics=("mu",))
    checks = compare_to(more, runs["good"], Rule(metrics=("mu", "accuracy.all")))
    assert names(checks, Status.UNDECIDED) == ["rad:mu"]
    assert verdict(checks) is Status.UNDECIDED


def test_metrics_measured_in_different_ways_are_undecided_when_they_count_and_else_listed(runs, tmp_path):
    other = tmp_path / "other"
    askew.evaluate(Scripted(script()), QUESTIONS, "rad:correct=any", output=other, max_failures=1.0)
    checks = compare_to(load_run(other), runs["good"])
    assert "rad:rad.forward" in names(checks, Status.UNDECIDED)
    assert "rad.backward" in names(checks, Status.SKIPPED)


def test_a_single_image_decides_nothing_so_the_gate_fails(tmp_path):
    one = Questions(tuple(replace(question, image=askew.ImageRef(1)) for question in QUESTIONS.items))
    run = made(tmp_path, script(), one)
    checks = compare_to(run, run)
    assert checks[0].status is Status.PASSED
    assert verdict(checks) is Status.UNDECIDED
    assert "fewer than 10 images" in checks[1].why


def test_a_named_metric_without_a_score_in_either_run_is_skipped_and_alone_it_is_undecided(runs):
    """Every original is wrong in both: RAD is not defined, and a gate that rested on it alone would pass."""
    checks = compare_to(runs["lost"], runs["lost"], Rule(metrics=("rad.forward", "accuracy.all")))
    assert names(checks, Status.SKIPPED) == ["rad:rad.forward"]
    assert passed(checks)
    alone = compare_to(runs["lost"], runs["lost"], Rule(metrics=("rad.forward",)))
    assert names(alone, Status.UNDECIDED) == [COUNTED]
    assert "The baseline has no such score." in alone[-1].why


def test_a_tiny_p_value_is_printed_as_below_a_bound(tmp_path):
    good, bad = made(tmp_path / "a", script()), made(tmp_path / "b", script(0, 20))
    check = compare_to(bad, good, Rule(metrics=("accuracy.variant",)))[1]
    assert check.why.startswith("Significantly worse. Loss 100.0 points (")
    assert "over the 20 groups in both, p < 0.001 (Holm over 1: the comparisons that count)" in check.why


def test_scores_that_do_not_count_do_not_make_the_correction_stricter(tmp_path):
    """The family are the two headlines, however many metrics are added."""

    def told(folder, **settings):
        before, after = made(folder / "a", script(), **settings), made(folder / "b", script(0, 6), **settings)
        return {check.name: check.why for check in compare_to(after, before)[1:] if check.kind == "no-worse"}

    plain = told(tmp_path / "plain")
    assert "Holm over 2" in plain["rad:rad.forward"]
    assert told(tmp_path / "more", metrics=("answer-rate:says=no", "self-consistency", "mu")) == plain


def test_a_score_that_can_no_longer_be_measured_fails(runs):
    """With no original right RAD is nan; a gate that compared only numbers would pass it."""
    checks = {check.name: check for check in compare_to(runs["lost"], runs["good"])}
    assert checks["rad:rad.forward"].status is Status.FAILED
    assert "nothing left" in checks["rad:rad.forward"].why
    back = {check.name: check for check in compare_to(runs["good"], runs["lost"])}
    assert back["rad:rad.forward"].status is Status.SKIPPED


def test_a_run_without_any_answer_fails(runs, tmp_path):
    silent = made(tmp_path / "silent", {})
    assert "rad:accuracy.all" in failed(compare_to(silent, runs["good"]))
    assert failures_check(silent, 0.05).status is Status.FAILED


def test_runs_on_other_groups_are_not_compared(runs, tmp_path):
    other = Questions(tuple(replace(question, id=f"q{question.id}") for question in QUESTIONS.items))
    (check,) = compare_to(made(tmp_path / "ids", script(), other), runs["good"])
    assert check.status is Status.UNDECIDED
    assert "share no group" in check.why
    changed = (replace(QUESTIONS.items[0], answers=("green",) * 10), *QUESTIONS.items[1:])
    (check,) = compare_to(made(tmp_path / "changed", script(), Questions(changed)), runs["good"])
    assert check.status is Status.UNDECIDED
    assert "ask different questions" in check.why


def test_a_part_of_the_groups_is_not_enough_but_additional_groups_are_allowed(runs, tmp_path):
    part = made(tmp_path / "part", script(), limit=10)
    (check,) = compare_to(part, runs["good"])
    assert "10 of the baseline's 20 groups are not in the run" in check.why
    checks = compare_to(runs["good"], part)
    assert passed(checks)
    assert "10 groups of the run are new" in checks[0].why


def test_runs_without_a_common_suite_are_not_compared(runs, tmp_path):
    askew.evaluate(Scripted(script()), QUESTIONS, "accuracy", output=tmp_path)
    (check,) = compare_to(runs["good"], load_run(tmp_path))
    assert "no suite in common" in check.why


@dataclass(frozen=True)
class Length(Short):
    """The share of short answers, of which fewer are better."""

    better = -1


@dataclass(frozen=True)
class FewShort(Shout):
    @property
    def metrics(self):
        return {**super().metrics, "short": Short(never=()), "length": Length(never=())}


def test_a_metric_declares_which_direction_is_better(tmp_path):
    for answer in ("yes", "perhaps"):
        askew.evaluate(f"constant:{answer}", QUESTIONS, FewShort(), output=tmp_path / answer)
    short, long = (load_run(tmp_path / answer) for answer in ("yes", "perhaps"))
    rule = Rule(metrics=("short", "length"))
    assert failed(compare_to(short, long, rule)) == ["shout:length"]
    assert failed(compare_to(long, short, rule)) == ["shout:short"]


def test_new_groups_do_not_hide_a_gap_in_the_old_ones(tmp_path):
    """Ten old groups lose their variants; ten new ones have only theirs. The gap over all twenty is 0, as it was."""
    groups = [group for group in askew.make("suite", "rad").groups(QUESTIONS, 0) if isinstance(group, askew.Group)]
    answers = script() | {v.question.text: "perhaps" for group in groups[:10] for v in group.variants}
    answers |= {group.original.text: "purple" for group in groups[10:]}
    before, after = made(tmp_path / "before", script(), limit=10), made(tmp_path / "after", answers)
    checks = {check.name: check for check in compare_to(after, before, Rule(metrics=("accuracy.gap",)))}
    assert after.score("rad", "accuracy.gap").value == before.score("rad", "accuracy.gap").value == 0
    assert checks["rad:accuracy.gap"].status is Status.FAILED
    assert "Loss 100.0 points" in checks["rad:accuracy.gap"].why


def test_a_gap_is_worse_only_where_variants_fall_behind(runs):
    """All originals wrong: the gap is now +1. Against a baseline with a gap of -0.6 it has not got worse."""
    checks = {check.name: check for check in compare_to(runs["lost"], runs["worse"])}
    assert checks["rad:accuracy.gap"].status is Status.PASSED
    checks = {check.name: check for check in compare_to(runs["good"], runs["lost"])}
    assert checks["rad:accuracy.gap"].status is Status.PASSED, "from +1 to 0: nothing is lost on the variants"


def test_noise_counts_by_the_accuracy_lost_and_r_score_is_refused(tmp_path):
    """R_score is 1 for a run that loses nothing and 0 for every run that loses 20 points or more."""
    data = "world:val,scenes=200"
    for name in ("constant:yes", "constant:no"):
        askew.evaluate(name, data, "basic:top=3,ranker=bleu1,pool=world:train,scenes=40", output=tmp_path / name[9:])
    yes, no = (load_run(tmp_path / name) for name in ("yes", "no"))
    counted = [check.name for check in compare_to(yes, no) if check.kind == "no-worse"]
    assert counted == ["basic:accuracy.all", "basic:noise.loss.1"]
    assert not any("rscore" in check.name for check in compare_to(yes, no))
    with pytest.raises(UsageError, match="Compare by that score with --metric"):
        compare_to(yes, no, Rule(metrics=("R_score",)))
    with pytest.raises(UsageError, match=r"Did you mean accuracy\.noise\.1"):
        compare_to(yes, no, Rule(metrics=("noise",)))
    score = yes.score("basic", "rscore.1")
    assert (score.value, score.low, score.high) == (1.0, 1.0, 1.0), "no answer of a constant model changes"
