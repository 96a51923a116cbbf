"""How a module network arrives at its answers: modules and attention, step by step (Whitehead et al. 2020, Fig. 5)."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from askew.answers.normalise import modal_answer
from askew.errors import UsageError
from askew.files.images import only_image, open_image
from askew.files.read_write import replaced
from askew.metrics.accuracy import accuracy
from askew.report.markup import Html, el, join, own
from askew.report.svg import attention, read_words, weight_bars
from askew.train.checkpoint import Trained
from askew.types import Group, ImageRef, Question

SIDE = 224
"""Width of an image in pixels."""
ROW = 14
"""The height of a module's bar in pixels."""


def write_explained(trained: Trained, groups: Iterable[Group], path: Path) -> None:
    """Write a page with each group's original and variants: the answer, and how the network arrived at it."""
    parts = [
        el(
            "section",
            _question(trained, group.original, "original"),
            *(_question(trained, variant.question, variant.test) for variant in group.variants),
        )
        for group in groups
    ]
    style = files("askew.train").joinpath("explain.css").read_text(encoding="utf-8")
    policy = f"default-src 'none'; img-src data:; {own('style', style)}; base-uri 'none'"
    title = f"askew: how {trained.config['net']['name']} answers"
    head = join(
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("title", title),
        el("style", Html(style)),
    )
    explanation = (
        "Each step shows the attention on the regions after it (the region with the most is red), the weight of every "
        "module, and the weights of the words it reads."
    )
    body = el("body", el("h1", title), el("p", explanation), *parts)
    with replaced(path) as file:
        file.write(("<!doctype html>" + el("html", el("head", head), body, lang="en")).encode())


def _question(trained: Trained, question: Question, test: str) -> Html:
    shown = only_image(question)
    steps = trained.steps(question)
    if not steps:
        raise UsageError(f"{trained.config['net']['name']} has no modules to show. Use stacknmn, xnm or hybridnet.")
    if shown is None:
        raise UsageError(f"Question {question.id!r} has no image, so there is nothing to show.")
    image = _image(shown)
    figures = []
    for number, step in enumerate(steps, 1):
        title = f"{number}. {max(step.modules, key=step.modules.__getitem__)}"
        drawn = attention(image, SIDE, SIDE, step.regions, title)
        reading = el("figcaption", *read_words(step.words))
        modules = weight_bars(step.modules.items(), SIDE, ROW)
        figures.append(el("figure", drawn, el("strong", title), modules, reading))
    return join(_heading(trained, question, test), el("div", *figures, class_="steps"))


def _heading(trained: Trained, question: Question, test: str) -> Html:
    """The question, its answer, and the correct answer if that one is wrong."""
    answer = trained.answer([question])[0].answer or ""
    majority = modal_answer(question.answers, str)
    if not majority:
        verdict = el("span", answer)
    elif accuracy(answer, question.answers) > 0:
        verdict = el("span", answer, class_="right")
    else:
        verdict = el("span", f"{answer} (correct: {majority})", class_="wrong")
    return el("h2", f"{question.text} ({test}) — ", verdict)


def _image(image: ImageRef) -> str:
    file = io.BytesIO()
    open_image(image).resize((SIDE, SIDE)).save(file, "JPEG", quality=85)
    return f"data:image/jpeg;base64,{b64encode(file.getvalue()).decode()}"
