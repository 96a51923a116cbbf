"""Runs of the gate's tests: twenty colour questions, answered by a script."""

from __future__ import annotations

from pathlib import Path

import askew
from askew.engine.components import Questions
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
    """Correct answers to everything except the first few originals and the last few variants."""
    groups = [group for group in askew.make("suite", "rad").groups(QUESTIONS, 0) if isinstance(group, askew.Group)]
    answers = {group.original.text: group.original.answers[0] for group in groups}
    answers.update((v.question.text, v.question.answers[0]) for group in groups for v in group.variants)
    for group in groups[:wrong_originals]:
        answers[group.original.text] = "purple"
    for group in groups[len(groups) - wrong_variants :]:
        answers.update((v.question.text, "perhaps") for v in group.variants)
    return answers


def made(folder: Path, answers: dict[str, str], data: Questions = QUESTIONS, **settings) -> Run:
    settings = {"max_failures": 1.0, **settings}
    askew.evaluate(Scripted(answers), data, "rad", output=folder, **settings)
    return load_run(folder)


def four_runs(folder: Path) -> dict[str, Run]:
    """Of 20 originals and variants: all correct; 12 variants wrong; also 3 originals; one variant; all originals."""
    return {
        "good": made(folder / "good", script()),
        "worse": made(folder / "worse", script(wrong_variants=12)),
        "bad": made(folder / "bad", script(wrong_originals=3, wrong_variants=12)),
        "nearly": made(folder / "nearly", script(wrong_variants=1)),
        "lost": made(folder / "lost", script(wrong_originals=20)),
    }
