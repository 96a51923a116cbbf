"""Requirements on a run, checked with numbers worked by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from gate_runs import four_runs

from askew.errors import UsageError
from askew.gate import Check, Status, check_requirement, failures_check, parse_requirement
from askew.gate.requirements import the_score
from askew.report.load import Run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return four_runs(tmp_path_factory.mktemp("runs"))


def require(run: Run, text: str, by="value") -> Check:
    return check_requirement(parse_requirement(text), run, by)


@pytest.mark.parametrize(
    ("text", "name", "op", "value"),
    [
        ("rad.forward>=0.7", "rad.forward", ">=", 0.7),
        (" rad.forward  <  7e-1 ", "rad.forward", "<", 0.7),
        ("rad:rad.forward@test=Y/N←C>=60%", "rad:rad.forward@test=Y/N←C", ">=", 0.6),
        ("CS(2) >= 60 %", "CS(2)", ">=", 0.6),
        ("accuracy.gap>=-0.05", "accuracy.gap", ">=", -0.05),
        ("consensus:k=2@question_type=what is <x> >.5", "consensus:k=2@question_type=what is <x>", ">", 0.5),
    ],
)
def test_requirements_are_parsed(text, name, op, value):
    read = parse_requirement(text)
    assert (read.name, read.op, read.value) == (name, op, value)


@pytest.mark.parametrize(
    "text", ["", "rad.forward", "rad.forward=0.7", ">=0.7", "rad.forward>=x", "rad.forward>=nan", "a>=1;"]
)
def test_invalid_requirements_are_refused(text):
    with pytest.raises(UsageError, match="is not a requirement"):
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


def test_by_low_uses_the_worse_end_of_the_interval(runs):
    figure = runs["worse"].score("rad", "rad.forward")
    assert figure.low < 0.4 < figure.high
    between, above = (figure.low + 0.4) / 2, (0.4 + figure.high) / 2
    assert require(runs["worse"], f"rad.forward>={between}").status is Status.PASSED
    assert require(runs["worse"], f"rad.forward>={between}", "low").status is Status.FAILED
    assert require(runs["worse"], f"rad.forward>={figure.low}", "low").status is Status.PASSED
    assert require(runs["worse"], f"rad.forward<={above}").status is Status.PASSED
    assert require(runs["worse"], f"rad.forward<={above}", "low").status is Status.FAILED


def test_an_undefined_score_decides_nothing(runs):
    """No original is correct, so RAD is nan, whichever end is required."""
    for text in ("rad.forward>=0", "rad.forward<=1"):
        check = require(runs["lost"], text)
        assert check.status is Status.UNDECIDED
        assert "nothing to measure" in check.why


@pytest.mark.parametrize(
    ("typed", "metric"),
    [
        ("rad.forward", "rad.forward"),
        ("rad:rad.forward", "rad.forward"),
        ("RAD", "rad.forward"),
        ("rad: RAD", "rad.forward"),
        ("CS(2)", "cs.2"),
        ("cs (2)", "cs.2"),
        ("Gap", "accuracy.gap"),
        ("Accuracy on variants", "accuracy.variant"),
        ("rad", "rad.forward"),
        ("Asked as yes/no", "rad.forward"),
    ],
)
def test_a_score_is_named_by_its_id_or_as_tables_print_it(runs, typed, metric):
    assert the_score(typed, runs["worse"]) == runs["worse"].score("rad", metric)
    part = the_score(f"{typed}@Y/N←C", runs["worse"])
    assert part == the_score(f"{typed}@test=Y/N←C", runs["worse"]) == runs["worse"].score("rad", metric, "test=Y/N←C")


def test_the_name_of_a_suite_is_its_own_headline_though_others_print_the_same_name(runs):
    run = runs["worse"]
    theirs = [replace(score, suite="backtranslate") for score in run.scores()]

    class Both:
        """A run with another suite whose headline is printed as RAD too."""

        suites = (*run.suites, {**run.suites[0], "name": "backtranslate"})

        def scores(self):
            return [*theirs, *run.scores()]

        def score(self, suite, metric, part=""):
            return next(s for s in self.scores() if (s.suite, s.metric, s.part) == (suite, metric, part))

    assert [the_score(name, Both()).suite for name in ("rad", "backtranslate")] == ["rad", "backtranslate"]
    with pytest.raises(UsageError, match=r"backtranslate:rad\.forward or rad:rad\.forward"):
        the_score("rad.forward", Both())


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("rad.foward>=0", "rad.forward (RAD: "),
        ("consensus>=0", "cs.2 (CS(2): consensus score"),
        ("robustness>=0", "rad.forward (RAD: robustness"),
        ("worst-case accuracy>=0", "worst (Worst case"),
        ("augmented>=0", "rad.forward"),
        ("xyzzy>=0", "It has: accuracy.all, "),
        ("rad.forward@test=Y/N<-C>=0", "no part 'test=Y/N<-C'"),
    ],
)
def test_an_unknown_name_is_refused_with_suggestions_by_spelling_or_meaning(runs, typed, suggested):
    with pytest.raises(UsageError, match=re.escape(suggested)):
        require(runs["good"], typed)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("rad.forward>=80", "8,000 %. Write 80 % or 0.8"),
        ("RAD >= 1.5", "Write 1.5 % or 0.015"),
        ("accuracy.gap>=-30", "Write -30 % or -0.3"),
        ("rad.forward>=150%", "150 % is 150 %."),
    ],
)
def test_a_share_above_one_is_refused(runs, text, remedy):
    """80 was read as 8,000 %, which no run could reach."""
    with pytest.raises(UsageError, match=re.escape(remedy)):
        require(runs["good"], text)


def test_a_number_that_is_no_share_may_be_above_one(runs):
    tries = Run(runs["good"].folder, runs["good"].results)
    unbounded = type("Tries", (type(tries.tables["rad"].metrics["worst"]),), {"share": False})
    metric = tries.tables["rad"].metrics["worst"]
    tries.tables["rad"].metrics["worst"] = unbounded(metric.written, metric.top, metric.bottom)
    assert require(tries, "worst<=12").status is Status.PASSED


def test_values_that_differ_are_printed_differently(runs):
    """RAD is 8/20: by one decimal 0.4003 is 40.0 too."""
    assert require(runs["worse"], "rad.forward>=0.4003").why.startswith("The value 40.00 is not >= 40.03;")
    assert require(runs["worse"], "rad.forward>0.4").why.startswith("The value 40.0 is not > 40.0;")


def test_a_metric_of_two_suites_needs_the_name_of_its_suite(runs):
    scores = [{**score, "suite": suite} for score in runs["good"].results["scores"] for suite in ("rad", "p2")]
    both = Run(runs["good"].folder, {**runs["good"].results, "scores": scores})
    with pytest.raises(UsageError, match=re.escape("Say which: rad:rad.forward or p2:rad.forward")):
        require(both, "rad.forward>=0.7")
    assert require(both, "p2:rad.forward>=0.7").status is Status.PASSED


@pytest.mark.parametrize(("count", "reused", "passes"), [(5, 0, True), (6, 0, False), (6, 90, False), (0, 0, True)])
def test_failed_answers_have_a_limit(runs, count, reused, passes):
    """5 of 100 are 5 %; 6 of 100 are 6 %, also where 90 of the 100 were asked by an earlier command."""
    results = {
        **runs["good"].results,
        "failures": {"count": count, "asked": 100, "by_error": {}, "limit": 0.05},
        "time": {"reused": reused},
    }
    check = failures_check(Run(runs["good"].folder, results))
    assert check.status is (Status.PASSED if passes else Status.FAILED)
