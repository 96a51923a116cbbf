"""The section on confidence: a section for models with scores, one line for others."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

import askew
from askew.report.html import page
from askew.report.load import load_run
from askew.report.terminal import terminal_summary
from askew.types import Prediction


@dataclass(frozen=True)
class Sure:
    """Answers yes, with a higher score for questions with an even number of letters."""

    scores: tuple[float | None, float | None]
    free_text = False
    blind = True

    def answer(self, questions):
        return [Prediction(q.id, "yes", self.scores[len(q.text) % 2]) for q in questions]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    base = tmp_path_factory.mktemp("confidence")
    models = {"sure": (0.95, 0.45), "silent": (None, None), "logits": (7.5, -3.0)}
    for name, scores in models.items():
        askew.evaluate(Sure(scores), "world:val,scenes=60", ["rad", "accuracy"], output=base / name)
    return base


def section(text):
    found = re.search(r'<div id="confidence".*?<details class="chapter">', text, re.S)
    return found and found[0]


def test_the_section_has_the_numbers_of_the_results(runs):
    run = load_run(runs / "sure")
    shown = section(page([run]))
    of_rad = run.results["calibration"]["rad"]
    for side in ("before", "after"):
        assert f"{100 * of_rad[side]['error']['value']:.1f} (" in shown
    change = f"{100 * of_rad['change']['value']:+.1f}".replace("-", "−")
    assert f"<td>{change}" in shown
    half = [of_rad[side]["coverage"][4]["accuracy"] for side in ("before", "after")]
    assert " → ".join(f"{100 * value:.1f}" for value in half) in shown
    assert shown.count('class="curve"') == 4, "two plots for each suite"
    assert shown.count('class="line dashed"') == 4, "before the change, also where there is no change"
    assert shown.count('class="line"') == 2, "after the change"
    assert shown.count('class="rest"') == 2, "the diagonal"
    assert re.findall(r'<details([^>]*) class="panel"', shown) == [" open", ""], "the first panel is open"
    assert f"{100 * of_rad['after']['error']['value']:.1f} after" in shown, "the error is on the closed panel"
    assert 'href="#confidence"' in page([run])
    said = terminal_summary([run])
    assert "Calibration error, before → after: rad " in said
    assert "see Confidence in the report" in " ".join(said.split())


def test_a_model_without_scores_has_one_line_that_says_why(runs):
    whole = load_run(runs / "sure")
    reasons = {
        "silent": "it gives answers without scores.",
        "logits": "its scores are not probabilities from 0 to 1.",
    }
    for name, reason in reasons.items():
        run = load_run(runs / name)
        text = page([run])
        assert section(text) is None
        assert 'href="#confidence"' not in text
        assert len(re.findall(rf"No calibration for [^<]*: {reason}", text)) == 1, name
        assert "alibration" not in terminal_summary([run])
    both = section(page([whole, load_run(runs / "silent")]))
    assert both.count('class="curve"') == 4
    assert "it gives answers without scores." in both
