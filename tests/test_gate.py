"""The gate: what is required is checked by hand-worked numbers, and a run that grew worse does not pass."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import askew
from askew.api import Questions
from askew.cli import COMMANDS
from askew.cli import main as askew_main
from askew.errors import UsageError
from askew.gate import (
    Check,
    Status,
    check_requirement,
    compare_to,
    failures_check,
    is_open,
    junit,
    markdown,
    parse_requirement,
    terminal,
)
from askew.gate.baseline import SAME, Rule, direction
from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.attacks import AttackErrorRate
from askew.metrics.flips import Flips
from askew.models.baselines import Scripted
from askew.report.load import Run, load_run
from askew.types import Kind, Question

COLORS = ("white", "brown", "red", "blue")
THINGS = [f"{size} {thing}" for size in ("big", "small", "old", "new", "wet") for thing in ("cat", "dog", "car", "bus")]
QUESTIONS = Questions(
    tuple(
        Question(
            number,
            askew.ImageRef(number),
            f"What color is the {thing}?",
            (COLORS[number % 4],) * 10,
            Kind("other", "what color is the"),
        )
        for number, thing in enumerate(THINGS)
    )
)


def script(wrong_originals: int = 0, wrong_variants: int = 0) -> dict[str, str]:
    """Right answers to everything but the first so many originals and the last so many variants."""
    groups = [group for group in askew.make("suite", "rad").groups(QUESTIONS, 0) if isinstance(group, askew.Group)]
    said = {group.original.text: group.original.answers[0] for group in groups}
    said.update((v.question.text, v.question.answers[0]) for group in groups for v in group.variants)
    for group in groups[:wrong_originals]:
        said[group.original.text] = "purple"
    for group in groups[len(groups) - wrong_variants :]:
        said.update((v.question.text, "perhaps") for v in group.variants)
    return said


def made(folder: Path, said: dict[str, str], data: Questions = QUESTIONS, **settings) -> Run:
    settings = {"resamples": 500, "max_failures": 1.0, **settings}
    askew.evaluate(Scripted(said), data, "rad", output=folder, **settings)
    return load_run(folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Of 20 originals and variants: all right; 12 variants wrong; one variant wrong; all originals wrong."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        "good": made(folder / "good", script()),
        "worse": made(folder / "worse", script(wrong_variants=12)),
        "nearly": made(folder / "nearly", script(wrong_variants=1)),
        "lost": made(folder / "lost", script(wrong_originals=20)),
    }


def require(run: Run, text: str, by="value") -> Check:
    return check_requirement(parse_requirement(text), run, by)


@pytest.fixture
def command(monkeypatch, capsys):
    monkeypatch.setitem(COMMANDS, "gate", "pass or fail")

    def call(*words) -> tuple[int, str, str]:
        code = askew_main(["gate", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.mark.parametrize(
    ("text", "name", "part", "op", "value"),
    [
        ("rad.forward>=0.7", "rad.forward", "", ">=", 0.7),
        (" rad.forward  <  7e-1 ", "rad.forward", "", "<", 0.7),
        ("rad:rad.forward@test=Y/N←C>=60%", "rad:rad.forward", "test=Y/N←C", ">=", 0.6),
        ("accuracy.gap>=-0.05", "accuracy.gap", "", ">=", -0.05),
        ("consensus:k=2@question_type=what is <x> >.5", "consensus:k=2", "question_type=what is <x>", ">", 0.5),
    ],
)
def test_requirements_are_read(text, name, part, op, value):
    read = parse_requirement(text)
    assert (read.name, read.part, read.op, read.value) == (name, part, op, value)


@pytest.mark.parametrize(
    "text", ["", "rad.forward", "rad.forward=0.7", ">=0.7", "rad.forward>=x", "rad.forward>=nan", "a>=1;"]
)
def test_what_is_no_requirement_is_refused(text):
    with pytest.raises(UsageError, match="is no requirement"):
        parse_requirement(text)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("rad.forward>=0.4", True),
        ("rad.forward>0.4", False),
        ("rad.forward<=0.4", True),
        ("rad.forward<0.4", False),
        ("rad.forward@test=Y/N←C>=40%", True),
        ("rad:rad.forward>=0.41", False),
        ("accuracy.gap>=-0.6", True),
        ("accuracy.gap>=-0.59", False),
    ],
)
def test_the_value_decides(runs, text, passes):
    """Twelve of twenty variants wrong, all originals right: RAD = 8/20, gap = 8/20 - 1."""
    assert require(runs["worse"], text).status is (Status.PASSED if passes else Status.FAILED)


def test_by_low_takes_the_worse_end_of_the_interval(runs):
    figure = runs["worse"].figure("rad", "rad.forward")
    assert figure.low < 0.4 < figure.high
    between, above = (figure.low + 0.4) / 2, (0.4 + figure.high) / 2
    assert require(runs["worse"], f"rad.forward>={between}").status is Status.PASSED
    assert require(runs["worse"], f"rad.forward>={between}", "low").status is Status.FAILED
    assert require(runs["worse"], f"rad.forward>={figure.low}", "low").status is Status.PASSED
    assert require(runs["worse"], f"rad.forward<={above}").status is Status.PASSED
    assert require(runs["worse"], f"rad.forward<={above}", "low").status is Status.FAILED


def test_a_score_that_rests_on_nothing_does_not_pass(runs):
    """No original is right, so RAD is nan, whichever way it is asked for."""
    for text in ("rad.forward>=0", "rad.forward<=1"):
        check = require(runs["lost"], text)
        assert check.status is Status.FAILED
        assert "nothing to measure" in check.why


def test_an_unknown_metric_or_part_does_not_pass_and_is_helped(runs):
    check = require(runs["good"], "rad.foward>=0")
    assert check.status is Status.FAILED
    assert "Did you mean 'rad.forward'?" in check.why
    check = require(runs["good"], "rad.forward@test=Y/N<-C>=0")
    assert check.status is Status.FAILED
    assert "no part 'test=Y/N<-C'" in check.why


def test_a_percentage_without_its_sign_is_noticed(runs):
    assert "fractions" in require(runs["good"], "rad.forward>=70").why


def test_a_metric_of_two_suites_needs_its_suite(runs):
    scores = [{**score, "suite": suite} for score in runs["good"].results["scores"] for suite in ("rad", "p2")]
    both = Run(runs["good"].folder, {**runs["good"].results, "scores": scores})
    with pytest.raises(UsageError, match=re.escape("Say which: rad:rad.forward or p2:rad.forward")):
        require(both, "rad.forward>=0.7")
    assert require(both, "p2:rad.forward>=0.7").status is Status.PASSED


def failed(checks) -> list[str]:
    return [check.name for check in checks if check.status is Status.FAILED]


def test_a_run_is_no_worse_than_itself(runs):
    checks = compare_to(runs["good"], runs["good"])
    assert is_open(checks)
    assert checks[0].name == SAME
    assert {"rad:rad.forward", "rad:rad.forward@test=Y/N←C", "rad:cs.2"} <= {check.name for check in checks}
    assert not any("answer_type" in check.name or "made_by" in check.name for check in checks)


def test_a_run_that_grew_worse_fails_where_it_did(runs):
    names = failed(compare_to(runs["worse"], runs["good"]))
    assert {"rad:rad.forward", "rad:accuracy.variant", "rad:accuracy.gap", "rad:worst"} <= set(names)
    assert "rad:accuracy.original" not in names


def test_a_run_that_grew_better_passes(runs):
    assert is_open(compare_to(runs["good"], runs["worse"]))


def test_one_wrong_answer_in_twenty_may_be_chance(runs):
    assert is_open(compare_to(runs["nearly"], runs["good"]))


def test_a_handful_of_groups_proves_nothing(tmp_path):
    """Four groups that all got worse: the drawings do not vary, and p would be 2 / (drawings + 1)."""
    few = Questions(QUESTIONS.items[:4])
    groups = [g for g in askew.make("suite", "rad").groups(few, 0) if isinstance(g, askew.Group)]
    right = {q.text: q.answers[0] for g in groups for q in (g.original, *(v.question for v in g.variants))}
    wrong = right | {v.question.text: "perhaps" for g in groups for v in g.variants}
    before, after = made(tmp_path / "before", right, few), made(tmp_path / "after", wrong, few)
    checks = {check.name: check for check in compare_to(after, before, Rule(metrics=("accuracy.variant",)))}
    assert checks["rad:accuracy.variant"].found == "0.0 (was 100.0)"
    assert checks["rad:accuracy.variant"].status is Status.PASSED


def test_what_is_lost_within_the_margin_passes(runs):
    assert failed(compare_to(runs["worse"], runs["good"], Rule(margin=0.59)))
    checks = compare_to(runs["worse"], runs["good"], Rule(margin=0.6))
    assert not failed(checks)
    assert any(check.why.startswith("Within the margin") for check in checks)


def test_a_stricter_alpha_needs_stronger_evidence(runs):
    assert not failed(compare_to(runs["worse"], runs["good"], Rule(alpha=0.0)))


def test_only_the_metrics_asked_for_are_compared(runs):
    names = [check.name for check in compare_to(runs["worse"], runs["good"], Rule(metrics=("accuracy.original",)))]
    assert names == [SAME, "rad:accuracy.original", "rad:accuracy.original@test=Y/N←C"]
    (_, check) = compare_to(runs["worse"], runs["good"], Rule(metrics=("accuracy.orginal",)))
    assert check.status is Status.FAILED
    assert "accuracy.original" in check.why


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
    assert "ask something else" in check.why


def test_a_part_of_the_groups_is_not_enough_but_more_are(runs, tmp_path):
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


def test_which_way_is_better():
    assert direction(Accuracy()) == 1
    assert direction(AttackErrorRate()) == -1
    assert [direction(Flips(kind)) for kind in ("any", "negative", "wrong", "positive")] == [-1, -1, -1, 0]
    assert (direction(Gap()), direction(Gap(change=True))) == (-1, 1)


def test_a_gap_is_worse_only_where_variants_fall_behind(runs):
    """All originals wrong: the gap is now +1. Against a baseline with a gap of -0.6 it has not grown worse."""
    checks = {check.name: check for check in compare_to(runs["lost"], runs["worse"])}
    assert checks["rad:accuracy.gap"].status is Status.PASSED
    checks = {check.name: check for check in compare_to(runs["good"], runs["lost"])}
    assert checks["rad:accuracy.gap"].status is Status.PASSED, "from +1 to 0: nothing is lost on the variants"


@pytest.mark.parametrize(("count", "reused", "passes"), [(5, 0, True), (6, 0, False), (6, 20, True), (0, 0, True)])
def test_failed_answers_have_a_limit(runs, count, reused, passes):
    """5 of 100 are 5 %; 6 of the 100 asked now are few among the 120 that were ever asked."""
    results = {
        **runs["good"].results,
        "failures": {"count": count, "asked": 100, "by_error": {}, "limit": 0.05},
        "time": {"reused": reused},
    }
    check = failures_check(Run(runs["good"].folder, results))
    assert check.status is (Status.PASSED if passes else Status.FAILED)


NASTY = [
    Check("require", 'a<b>&"|`*_\x1b[31m\x00', Status.FAILED, "<script>", "why |\n& not ]]>"),
    Check("require", "fine>=0", Status.PASSED, "1.0", "n = 3."),
    Check("no-worse", "x", Status.SKIPPED, "—", "Too few."),
    Check("no-worse", "y", Status.PASSED, "50.0 (was 40.0)", "Change +10.0."),
]


def test_junit_is_sound_xml_whatever_is_in_it():
    root = ElementTree.fromstring(junit(NASTY, "model <x>\x07 on data"))
    (suite,) = root
    assert root.attrib == {"name": "askew gate", "tests": "4", "failures": "1", "errors": "0", "skipped": "1"}
    assert suite.attrib["name"] == "model <x>� on data"
    first, second, third, _ = suite
    assert first.attrib["name"] == 'a<b>&"|`*_�[31m�'
    assert first[0].tag == "failure"
    assert first[0].text == "<script>. why |\n& not ]]>"
    assert second[0].tag == "system-out"
    assert third[0].tag == "skipped"


def test_markdown_shows_text_as_it_is():
    text = markdown(NASTY, "m | n")
    assert text.startswith("## ✗ FAILED, 1 of 4 checks: m \\| n\n")
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ✗")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5
    assert "<summary>✓ 1 comparisons no worse than before, 1 could not be told</summary>" in text


def test_the_terminal_obeys_no_model():
    text = terminal(NASTY, "m\x1b]0;owned\x07")
    assert "\x1b" not in text
    assert text.endswith("FAILED, 1 of 4 checks: m�]0;owned�")
    assert "\x1b[31m✗" in terminal(NASTY, "m", color=True)


def test_the_command_passes_and_writes(runs, command, tmp_path):
    code, out, _ = command(
        *(runs["good"].folder, "--require", "rad.forward>=0.9", "--no-worse-than", runs["worse"].folder),
        *("--junit", tmp_path / "deep" / "gate.xml", "--summary", tmp_path / "gate.md", "--resamples", 200),
    )
    assert code == 0
    assert "✓ rad.forward>=0.9   100.0" in out
    assert "PASSED: " in out
    cases = ElementTree.parse(tmp_path / "deep" / "gate.xml").getroot().findall(".//testcase")
    assert {"rad.forward>=0.9", SAME, "rad:rad.forward", "failed answers <= 100.0%"} <= {
        c.attrib["name"] for c in cases
    }
    assert (tmp_path / "gate.md").read_text().startswith("## ✓ PASSED")


def test_the_command_fails_with_one(runs, command, tmp_path):
    code, out, _ = command(runs["worse"].folder, "--no-worse-than", runs["good"].folder, "--junit", tmp_path / "g.xml")
    assert code == 1
    assert "✗ rad:rad.forward   40.0 (was 100.0)" in out
    assert "Significantly worse" in out
    assert int(ElementTree.parse(tmp_path / "g.xml").getroot().attrib["failures"]) > 0
    assert command(runs["worse"].folder, "--require", "rad.forward>=0.5")[0] == 1
    assert command(runs["worse"].folder, "--require", "rad.forward>=0.1", "--max-failures", "0")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Nothing is required"),
        (("--require", "rad.forward"), "is no requirement"),
        (("--no-worse-than", "nowhere"), "no such file"),
    ],
)
def test_a_wrong_command_exits_with_two(runs, command, words, said):
    code, _, err = command(runs["good"].folder, *words)
    assert code == 2
    assert said in err


def test_requirements_may_stand_in_a_file(runs, command, tmp_path):
    (tmp_path / "gate.yaml").write_text("require: [rad.forward>=0.8, accuracy.all>=80%]\nby: low\n")
    assert command(runs["good"].folder, "--config", tmp_path / "gate.yaml")[0] == 0
    assert command(runs["worse"].folder, "--config", tmp_path / "gate.yaml")[0] == 1


def test_github_s_step_summary_is_added_to_and_other_files_are_replaced(runs, command, tmp_path, monkeypatch):
    step, other = tmp_path / "step.md", tmp_path / "other.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    for path in (step, other):
        path.write_text("before\n")
        assert command(runs["good"].folder, "--require", "rad.forward>=0.9", "--summary", path)[0] == 0
    assert step.read_text().startswith("before\n## ✓ PASSED")
    assert other.read_text().startswith("## ✓ PASSED")


def test_a_gate_gives_the_same_twice(runs, command, tmp_path):
    for name in ("a.xml", "b.xml"):
        command(runs["worse"].folder, "--no-worse-than", runs["good"].folder, "--junit", tmp_path / name)
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_results_are_as_a_run_writes_them(runs):
    """The gate reads what ``run`` writes: these names are the contract."""
    results = json.loads((runs["good"].folder / "results.json").read_text())
    assert {"count", "asked", "limit"} <= set(results["failures"])
    assert "reused" in results["time"]
    assert "metrics" in results["config"]
