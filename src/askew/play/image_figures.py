"""Figures over an image: the steps of a module network, and the parts that an answer depends on."""

from __future__ import annotations

from askew.errors import plural
from askew.play.occlusion import SIDE, Occlusion
from askew.report.markup import Html, el
from askew.report.svg import attention, read_words, shortened
from askew.types import AttentionStep, Prediction

FIGURE_WIDTH = 200
"""The width of an image, in units of the SVG."""


def step_figure(number: int, step: AttentionStep, image: str, size: tuple[int, int]) -> Html:
    """The figure of a step; ``image`` is the URL of the image, ``size`` its width and height."""
    chosen = max(step.modules, key=lambda name: step.modules[name])
    height = round(FIGURE_WIDTH * size[1] / max(1, size[0]))
    described = f"Step {number}: {plural(len(step.regions), 'region')} of the image, by attention"
    drawn = attention(image, FIGURE_WIDTH, height, step.regions, described)
    weights = ", ".join(f"{name} {share:.0%}" for name, share in step.modules.items() if share >= 0.005)
    total = sum(share for _, share in step.regions) or 1.0
    most = f"red frame: {max((share for _, share in step.regions), default=0.0) / total:.0%} of the attention"
    words = el("br"), "reads: ", *read_words(step.words)
    caption = el("figcaption", el("strong", f"{number}. {chosen}"), el("br"), weights, el("br"), most, *words)
    return el("figure", drawn, caption)


def steps_legend() -> Html:
    """What the frames and colours of the steps mean."""
    words = read_words((word, share / 5) for share, word in enumerate(("none", "some", "more", "much", "most")))
    return el(
        "p",
        el("span", el("span", class_="key best-key"), " the region with the most attention"),
        el("span", el("span", class_="key region-key"), " other regions, the fainter the less"),
        el("span", "attention to words: ", *words),
        class_="quiet legend",
    )


LOOK_WIDTH = 320
"""The width of an image with hidden parts, in units of the SVG."""


def look_section(number: int, look: Occlusion, image: str, size: tuple[int, int]) -> Html:
    """The image with the squares that the answer depends on, each with the answer that hiding it gives."""
    height = round(LOOK_WIDTH * size[1] / max(1, size[0]))
    wide, high = LOOK_WIDTH / SIDE, height / SIDE
    drawn = [el("image", href=image, width=LOOK_WIDTH, height=height, preserveAspectRatio="none")]
    for place, (answer, effect) in enumerate(zip(look.hidden, look.effects, strict=True)):
        x, y, changed = wide * (place % SIDE), high * (place // SIDE), effect == 1
        said = answer.answer or answer.error or ""
        box = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{wide:.1f}", "height": f"{high:.1f}"}
        drawn.append(
            el(
                "g",
                el("title", f"hidden here: {said}"),
                el("rect", **box, fill_opacity=f"{0.45 if changed else 0.45 * effect:.2f}", class_="lost"),
                el("text", shortened(said, 11), x=f"{x + wide / 2:.1f}", y=f"{y + high / 2 + 4:.1f}")
                if changed
                else None,
                class_="square changed" if changed else "square",
            )
        )
    changes = sum(effect == 1 for effect in look.effects)
    text = f"{look.model} says “{look.before.answer or ''}”. " + (
        f"Hiding {plural(changes, 'part')} changes that" if changes else "Hiding no single part changes that"
    )
    failed = sum(answer.failed for answer in look.hidden)
    described = f"{text}: {', '.join(_change(at, one) for at, one in enumerate(look.hidden) if look.effects[at] == 1)}"
    return el(
        "section",
        el("h3", f"What {look.model} needs to see"),
        el(
            "figure",
            el("svg", *drawn, viewBox=f"0 0 {LOOK_WIDTH} {height}", role="img", aria_label=described),
            el(
                "figcaption",
                text,
                f" ({plural(failed, 'question')} failed)" if failed else "",
                ". Red with an answer: what it says when this part is hidden. Red without: it is less sure then, the "
                "stronger the red, the more. What several parts show may not count, as only one is hidden at a time.",
            ),
            class_="look",
        ),
        class_="suite",
        id=f"look-{number}",
    )


def _change(place: int, answer: Prediction) -> str:
    return f"row {place // SIDE + 1}, column {place % SIDE + 1}: “{answer.answer or ''}”"
