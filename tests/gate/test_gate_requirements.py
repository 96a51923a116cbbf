"""Requirements on a run, checked with numbers worked by hand."""

from __future__ import annotations

import re

import pytest
from gate_runs import four_runs

from askew.errors import UsageError
from askew.gate import Check, Status, check_requirement, failures_check, parse_requirement
from askew.report.load import Run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return four_runs(tmp_path_factory.mktemp("runs"))


def require(run: Run, text: str, by="value") -> Check:
    return check_requirement(parse_requirement(text), run, by)


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
def test_requirements_are_parsed(text, name, part, op, value):
    read = parse_requirement(text)
    assert (read.name, read.part, read.op, read.value) == (name, part, op, value)


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


def test_an_undefined_score_does_not_pass(runs):
    """No original is correct, so RAD is nan, whichever end is required."""
    for text in ("rad.forward>=0", "rad.forward<=1"):
        check = require(runs["lost"], text)
        assert check.status is Status.FAILED
        assert "nothing to measure" in check.why


def test_an_unknown_metric_or_part_fails_with_a_suggestion(runs):
    check = require(runs["good"], "rad.foward>=0")
    assert check.status is Status.FAILED
    assert "Did you mean 'rad.forward'?" in check.why
    check = require(runs["good"], "rad.forward@test=Y/N<-C>=0")
    assert check.status is Status.FAILED
    assert "no part 'test=Y/N<-C'" in check.why


def test_a_percentage_without_its_sign_is_noticed(runs):
    assert "fractions" in require(runs["good"], "rad.forward>=70").why


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
