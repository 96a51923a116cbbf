"""What is said of answers that are correct or wrong by their form alone: case, punctuation, words around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askew.report.figures import count

SHOWN = 0.01
"""From this share of the answers on it is said beside the numbers."""

_SAID = {
    "form missed": (
        "are wrong only by case, punctuation, articles or number words",
        "--accuracy robust compares them after normalisation.",
    ),
    "extraction missed": (
        "are wrong only by the words around them",
        "--extract short --accuracy robust takes the answer out.",
    ),
    "lost": (
        "would be correct as they were said and are not as they are scored",
        "--extract none scores the words as they are.",
    ),
    "form counted": (
        "are correct only because case, punctuation, articles and number words are ignored",
        "--extract none --accuracy official scores the words as they are.",
    ),
    "extraction counted": (
        "are correct only because the answer is taken out of the words around it",
        "--extract none scores the words as they are.",
    ),
}
"""For each count what it says, and the option that changes it."""
WRONG = ("form missed", "extraction missed", "lost")
"""What makes a number lower than the model deserves."""


def form_sentences(results: Mapping[str, Any], kinds: tuple[str, ...] = tuple(_SAID)) -> list[str]:
    """A sentence for each way in which the form of many answers decides over them.

    >>> forms = {"scored": 50, "counts": {"form missed": 20}, "examples": {"form missed": ["Yes.", "yes"]}}
    >>> form_sentences({"answer_forms": forms})[0][:88]
    '20 of 50 answers are wrong only by case, punctuation, articles or number words (e.g. "Ye'
    """
    forms = results.get("answer_forms") or {}
    scored, counts = forms.get("scored") or 0, forms.get("counts") or {}
    told = []
    for kind in kinds:
        number = counts.get(kind) or 0
        if number and number >= SHOWN * scored:
            said, answer = (forms.get("examples") or {}).get(kind) or ("", "")
            what, option = _SAID[kind]
            example = f' (e.g. "{said}" for "{answer}")' if said else ""
            told.append(f"{count(number)} of {count(scored)} answers {what}{example}; {option}")
    return told


def modes_sentence(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """What is said of runs, by name, whose answers were compared in different modes; nothing when all are alike.

    >>> modes_sentence({"xnm": {"suites": [{"accuracy": "official"}]}, "gpt": {"suites": [{"accuracy": "robust"}]}})
    'Answers were compared in different modes: xnm official; gpt robust. --accuracy robust scores all runs in one.'
    """
    used = {
        name: ", ".join(dict.fromkeys(str(suite["accuracy"]) for suite in results["suites"] if suite.get("accuracy")))
        for name, results in runs.items()
    }
    modes = {name: said for name, said in used.items() if said}
    if len(set(modes.values())) < 2:
        return ""
    told = "; ".join(f"{name} {said}" for name, said in modes.items())
    return f"Answers were compared in different modes: {told}. --accuracy robust scores all runs in one."
