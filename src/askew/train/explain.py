"""How a module network arrives at its answers: modules and attention, step by step (Whitehead et al. 2020, Fig. 5)."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path

from askew.answers.normalise import modal_answer
from askew.errors import UsageError
from askew.files.images import open_image
from askew.files.read_write import replaced
from askew.metrics.accuracy import accuracy
from askew.report.markup import Html, el, join, own
from askew.report.svg import attention, read_words, weight_bars
from askew.train.checkpoint import Trained
from askew.types import Group, ImageRef, Question

SIDE = 224
"""Width of an image in pixels."""
STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1d2430 }
section { border-top: 1px solid #d5dae3; padding: 1rem 0 } h2 { font-size: 1rem; margin: .6rem 0 .2rem }
.steps { display: flex; gap: 1rem; flex-wrap: wrap } figure { margin: 0; width: 224px } svg { display: block }
figcaption { font-size: .85rem; color: #48526a; margin-top: .4rem }
figure > strong { display: block; font-size: .9rem; margin: .3rem 0 }
.region { fill: none; stroke: #fff; stroke-width: 3 } .best { stroke: #d62828; }
.bar { fill: #3b6ea8 } .modules text { font-size: 11px; fill: #48526a }
.right { color: #1b7a3d } .wrong { color: #b3261e }
figcaption span { padding: 0 .15em; border-radius: 3px } .read1 { background: #fdf0c4 } .read2 { background: #fbdf85 }
.read3 { background: #f6c445 } .read4 { background: #eda100 }
@media (prefers-color-scheme: dark) {
:root { color-scheme: dark } body { background: #14171a; color: #e6e7e4 } section { border-color: #30363c }
figcaption { color: #a0a6ad } .modules text { fill: #a0a6ad } .bar { fill: #56b4e9 }
.right { color: #4fd0a5 } .wrong { color: #ff9a5c } [class^="read"]:not(.read0) { color: #1d2430 }
}
"""
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
    policy = f"default-src 'none'; img-src data:; {own('style', STYLE)}; base-uri 'none'"
    title = f"askew: how {trained.config['net']['name']} answers"
    head = join(
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("title", title),
        el("style", Html(STYLE)),
    )
    explanation = (
        "Each step shows the attention on the regions after it (the region with the most is red), the weight of every "
        "module, and the weights of the words it reads."
    )
    body = el("body", el("h1", title), el("p", explanation), *parts)
    with replaced(path) as file:
        file.write(("<!doctype html>" + el("html", el("head", head), body, lang="en")).encode())


def _question(trained: Trained, question: Question, test: str) -> Html:
    steps = trained.steps(question)
    if not steps:
        raise UsageError(f"{trained.config['net']['name']} has no modules to show. Use stacknmn, xnm or hybridnet.")
    if question.image is None:
        raise UsageError(f"Question {question.id!r} has no image, so there is nothing to show.")
    image = _image(question.image)
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
