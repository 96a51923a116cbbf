"""A metric of another package, of which less is better, from the run to the report, the comparison and the gate."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace

import pytest

import askew
from askew.engine.components import Questions
from askew.gate.baseline import Rule, compare_to
from askew.gate.requirements import Status
from askew.metrics.accuracy import Accuracy
from askew.models.baselines import Scripted
from askew.report.html import page
from askew.report.load import load_run
from askew.report.terminal import terminal_headlines, terminal_summary
from askew.types import Expect, Group, Question, Variant
from askew.verbs import Metric

QUESTIONS = Questions(tuple(Question(n, askew.ImageRef(n), f"Is {n} even?", ("yes",) * 10) for n in range(40)))


@dataclass(frozen=True)
class ShareBroken(Metric):
    """Share of the correctly answered originals whose variant is answered incorrectly."""

    better = -1
    title = "Share broken"
    sentence = "correct answers that a shout changes"

    def measure(self, outcome, failed=None):
        return float(outcome.variants[0].answer != "yes"), 1.0


@dataclass(frozen=True)
class BrokenSuite:
    """The question in capitals."""

    accuracy: str = "official"
    correct: str = "modal"
    name = "broken"
    title = "Shouted questions"
    paper = "an example"
    tests = ("capitals",)
    tables = ()
    headline = ("broken", "{value} of its answers break when it is shouted at")

    @property
    def metrics(self):
        return {"accuracy.all": Accuracy("all"), "broken": ShareBroken()}

    def groups(self, data, seed):
        for question in data.questions():
            loud = replace(question, id=f"{question.id}/loud", text=question.text.upper())
            yield Group(question.id, self.name, question, (Variant(loud, Expect.SAME, "capitals", "loud/upper"),))


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Two models that answer all originals correctly; shouted at, one breaks on 90 % of them, the other on none."""
    folder = tmp_path_factory.mktemp("broken")
    calm = {question.text: "yes" for question in QUESTIONS.questions()}
    loud = {text.upper(): "yes" for text in calm}
    worse = {text: "no" if number < 36 else "yes" for number, text in enumerate(loud)}
    models = [Scripted(calm | worse), Scripted(calm | loud)]
    return askew.evaluate(models, QUESTIONS, BrokenSuite(), name=["bad", "good"], output=folder)


def test_the_report_chooses_the_model_with_the_lower_score(compared):
    """It said "Choose bad: it is significantly better than good", as its list of lower-is-better names had no such
    name."""
    runs = [result.run for result in compared]
    assert [run.score("broken", "broken").short for run in runs] == ["90.0", "0.0"]
    text = " ".join(terminal_headlines(runs, compared.differences).split())
    assert "Choose good: it is significantly better than bad in 1 of 2 columns (worse in none)." in text
    html = page(runs, compared.differences)
    assert "Share broken" in html
    assert "correct answers that a shout changes" in html
    assert "↓ lower is better" in html


def test_arrows_show_the_direction_and_their_color_the_better_side(compared):
    runs = [result.run for result in compared]
    line = next(
        line
        for line in terminal_summary(runs, compared.differences, color=True).splitlines()
        if "good" in line and " 0.0  " in line
    )
    assert line.endswith("\x1b[32m▼\x1b[0m"), "lower, and that is better"


def test_the_comparison_and_the_gate_agree_with_the_report(compared):
    bad, good = (result.run for result in compared)
    (difference,) = [one for one in compared.differences if (one["metric"], one["part"]) == ("broken", "")]
    assert difference["difference"] == 0.9
    assert difference["family"] == "headline"
    status = {check.name: check.status for check in compare_to(bad, good, Rule(metrics=("broken",)))}
    assert status["broken:broken"] is Status.FAILED
    status = {check.name: check.status for check in compare_to(good, bad, Rule(metrics=("broken",)))}
    assert status["broken:broken"] is Status.PASSED


def test_a_report_needs_only_the_record_of_a_metric(compared, tmp_path):
    """Where the package is not installed, its metric is shown with its title and direction all the same."""
    folders = [str(result.folder) for result in compared]
    command = [sys.executable, "-m", "askew", "report", *folders, "--output", str(tmp_path / "report.html")]
    subprocess.run(command, check=True, capture_output=True)
    (html,) = tmp_path.glob("*.html")
    assert "↓ lower is better" in html.read_text()
    assert "Share broken" in html.read_text()
    assert load_run(compared[0].folder).facts("broken", "broken").better == -1


def test_two_metrics_of_a_suite_never_have_the_same_title():
    facts = askew.verbs.SuiteFacts(BrokenSuite()).metric_facts(
        {"accuracy.all": Accuracy("all"), "accuracy": Accuracy("all", "exact"), "broken": ShareBroken()}
    )
    assert [fact.title for fact in facts.values()] == ["Accuracy", "accuracy", "Share broken"]
