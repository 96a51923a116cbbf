"""A run that got worse than a baseline on the same groups fails; differences that may be chance pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from gate_runs import QUESTIONS, four_runs, made, script

import askew
from askew.engine.components import Questions
from askew.gate import Status, compare_to, failures_check, is_open
from askew.gate.baseline import SAME, Rule
from askew.models.baselines import Scripted
from askew.report.load import load_run
from shout_suite import Short, Shout


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return four_runs(tmp_path_factory.mktemp("runs"))


def failed(checks) -> list[str]:
    return [check.name for check in checks if check.status is Status.FAILED]


def test_a_run_is_no_worse_than_itself(runs):
    checks = compare_to(runs["good"], runs["good"])
    assert is_open(checks)
    assert checks[0].name == SAME
    assert {"rad:rad.forward", "rad:rad.forward@test=Y/N←C", "rad:cs.2"} <= {check.name for check in checks}
    assert not any("answer_type" in check.name or "made_by" in check.name for check in checks)


def test_a_run_that_got_worse_fails_in_the_metrics_that_fell(runs):
    names = failed(compare_to(runs["worse"], runs["good"]))
    assert {"rad:rad.forward", "rad:accuracy.variant", "rad:accuracy.gap", "rad:worst"} <= set(names)
    assert "rad:accuracy.original" not in names


def test_a_run_that_got_better_passes(runs):
    assert is_open(compare_to(runs["good"], runs["worse"]))


def test_one_wrong_answer_in_twenty_may_be_chance(runs):
    assert is_open(compare_to(runs["nearly"], runs["good"]))


def test_a_handful_of_groups_proves_nothing(tmp_path):
    """Four groups that all got worse are too few to decide, and an undecided check does not pass."""
    few = Questions(QUESTIONS.items[:4])
    groups = [g for g in askew.make("suite", "rad").groups(few, 0) if isinstance(g, askew.Group)]
    right = {q.text: q.answers[0] for g in groups for q in (g.original, *(v.question for v in g.variants))}
    wrong = right | {v.question.text: "perhaps" for g in groups for v in g.variants}
    before, after = made(tmp_path / "before", right, few), made(tmp_path / "after", wrong, few)
    checks = compare_to(after, before, Rule(metrics=("accuracy.variant",)))
    named = {check.name: check for check in checks}
    assert named["rad:accuracy.variant"].found == "0.0 (was 100.0)"
    assert named["rad:accuracy.variant"].status is Status.SKIPPED
    assert "fewer than 10 images" in named["rad:accuracy.variant"].why
    assert failed(checks) == ["accuracy.variant"]


def test_a_loss_within_the_margin_passes(runs):
    assert failed(compare_to(runs["worse"], runs["good"], Rule(margin=0.59)))
    checks = compare_to(runs["worse"], runs["good"], Rule(margin=0.6))
    assert not failed(checks)
    assert any(check.why.startswith("Within the margin") for check in checks)


def test_a_stricter_alpha_needs_stronger_evidence(runs):
    assert not failed(compare_to(runs["worse"], runs["good"], Rule(alpha=1e-9)))


def test_only_the_metrics_asked_for_are_compared(runs):
    names = [check.name for check in compare_to(runs["worse"], runs["good"], Rule(metrics=("accuracy.original",)))]
    assert names == [SAME, "rad:accuracy.original", "rad:accuracy.original@test=Y/N←C"]
    (_, check) = compare_to(runs["worse"], runs["good"], Rule(metrics=("accuracy.orginal",)))
    assert check.status is Status.FAILED
    assert "accuracy.original" in check.why


def test_a_missing_metric_fails_even_beside_one_that_is_there(runs):
    checks = {c.name: c for c in compare_to(runs["good"], runs["good"], Rule(metrics=("rad.foward", "accuracy.all")))}
    assert checks["rad:accuracy.all"].status is Status.PASSED
    assert checks["rad.foward"].status is Status.FAILED
    assert "Did you mean 'rad.forward'?" in checks["rad.foward"].why
    assert not is_open(checks.values())


def test_a_metric_without_a_better_direction_fails_when_named(tmp_path):
    run = made(tmp_path, script(), metrics=("answer-rate:says=no",))
    checks = compare_to(run, run, Rule(metrics=("answer-rate:says=no", "accuracy.all")))
    assert failed(checks) == ["answer-rate:says=no"]
    assert "neither better nor worse" in checks[1].why


def test_a_metric_that_only_the_run_has_fails_when_named(runs, tmp_path):
    more = made(tmp_path, script(), metrics=("mu",))
    assert failed(compare_to(more, runs["good"], Rule(metrics=("mu", "accuracy.all")))) == ["mu"]


def test_a_single_image_decides_nothing_so_the_gate_fails(tmp_path):
    one = Questions(tuple(replace(question, image=askew.ImageRef(1)) for question in QUESTIONS.items))
    run = made(tmp_path, script(), one)
    checks = compare_to(run, run)
    assert checks[0].status is Status.PASSED
    assert not is_open(checks)
    assert "No comparison could be decided" in checks[-1].why


def test_a_named_metric_without_a_score_in_either_run_fails(runs):
    """Every original is wrong in both: RAD is not defined, and a gate that skipped it would pass."""
    checks = compare_to(runs["lost"], runs["lost"], Rule(metrics=("rad.forward", "accuracy.all")))
    assert failed(checks) == ["rad.forward"]
    assert "The baseline has no such score." in checks[-1].why


def test_a_tiny_p_value_is_printed_as_below_a_bound(tmp_path):
    good, bad = made(tmp_path / "a", script()), made(tmp_path / "b", script(0, 20))
    (_, check, _) = compare_to(bad, good, Rule(metrics=("accuracy.variant",)))
    change = "Significantly worse. Change −100.0 (from 100.0 to 0.0 over the 20 in both)"
    assert check.why == f"{change}, p < 0.001 (Holm over 1: other metrics of rad)."


def test_metrics_that_are_not_judged_do_not_make_the_correction_stricter(tmp_path):
    """An answer rate has no better direction, so p is not corrected for it."""

    def told(folder, **settings):
        before, after = made(folder / "a", script(), **settings), made(folder / "b", script(0, 6), **settings)
        return {check.name: check.why for check in compare_to(after, before)[1:]}

    plain = told(tmp_path / "plain")
    assert "p = 0.0" in plain["rad:accuracy.variant"]
    assert told(tmp_path / "more", metrics=("answer-rate:says=no", "answer-rate:says=yes")) == plain


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
    assert check.status is Status.FAILED
    assert "share no group" in check.why
    changed = (replace(QUESTIONS.items[0], answers=("green",) * 10), *QUESTIONS.items[1:])
    (check,) = compare_to(made(tmp_path / "changed", script(), Questions(changed)), runs["good"])
    assert check.status is Status.FAILED
    assert "ask different questions" in check.why


def test_a_part_of_the_groups_is_not_enough_but_additional_groups_are_allowed(runs, tmp_path):
    part = made(tmp_path / "part", script(), limit=10)
    (check,) = compare_to(part, runs["good"])
    assert "10 of the baseline's 20 groups are not in the run" in check.why
    checks = compare_to(runs["good"], part)
    assert is_open(checks)
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
    assert failed(compare_to(short, long, rule)) == ["shout:length", "shout:length@test=capitals"]
    assert failed(compare_to(long, short, rule)) == ["shout:short", "shout:short@test=capitals"]


def test_new_groups_do_not_hide_a_gap_in_the_old_ones(tmp_path):
    """Ten old groups lose their variants; ten new ones have only theirs. The gap over all twenty is 0, as it was."""
    groups = [group for group in askew.make("suite", "rad").groups(QUESTIONS, 0) if isinstance(group, askew.Group)]
    answers = script() | {v.question.text: "perhaps" for group in groups[:10] for v in group.variants}
    answers |= {group.original.text: "purple" for group in groups[10:]}
    before, after = made(tmp_path / "before", script(), limit=10), made(tmp_path / "after", answers)
    checks = {check.name: check for check in compare_to(after, before, Rule(metrics=("accuracy.gap",)))}
    assert checks["rad:accuracy.gap"].found == "0.0 (was 0.0)"
    assert checks["rad:accuracy.gap"].status is Status.FAILED
    assert "Change −100.0" in checks["rad:accuracy.gap"].why


def test_a_gap_is_worse_only_where_variants_fall_behind(runs):
    """All originals wrong: the gap is now +1. Against a baseline with a gap of -0.6 it has not got worse."""
    checks = {check.name: check for check in compare_to(runs["lost"], runs["worse"])}
    assert checks["rad:accuracy.gap"].status is Status.PASSED
    checks = {check.name: check for check in compare_to(runs["good"], runs["lost"])}
    assert checks["rad:accuracy.gap"].status is Status.PASSED, "from +1 to 0: nothing is lost on the variants"
