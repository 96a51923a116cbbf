"""The steps of a module network as SVG figures: the image with its regions, the words read, the weights of the
modules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from askew.report.markup import Html, el, join
from askew.types import AttentionStep

WIDE = 200
"""The width of an image, in units of the SVG."""
LEAST = 0.05
"""Regions with less than this share of the highest attention are not drawn."""


def attention_figures(steps: Sequence[AttentionStep], image: str, size: tuple[int, int]) -> Html:
    """One figure for each step; ``image`` is the URL of the image, ``size`` its width and height."""
    return el("div", *(_figure(number, step, image, size) for number, step in enumerate(steps, 1)), class_="steps")


def _figure(number: int, step: AttentionStep, image: str, size: tuple[int, int]) -> Html:
    chosen = max(step.modules, key=lambda name: step.modules[name])
    height = round(WIDE * size[1] / max(1, size[0]))
    drawn = el(
        "svg",
        el("image", href=image, width=WIDE, height=height, preserveAspectRatio="none"),
        *_regions(step, height),
        viewBox=f"0 0 {WIDE} {height}",
        role="img",
        aria_label=f"Step {number}: {len(step.regions)} regions of the image, by attention",
    )
    weights = ", ".join(f"{name} {share:.0%}" for name, share in step.modules.items() if share >= 0.005)
    words = (
        join(el("span", word, class_=f"read{min(4, math.ceil(5 * share - 0.5))}"), " ") for word, share in step.words
    )
    return el(
        "figure",
        drawn,
        el("figcaption", el("strong", f"{number}. {chosen}"), el("br"), weights, el("br"), "reads: ", *words),
    )


def _regions(step: AttentionStep, height: int) -> Iterator[Html]:
    """The regions in order of attention; the one with the most is last, so that it is drawn on top."""
    top = max((share for _, share in step.regions), default=0.0) or 1.0
    ranked = sorted(step.regions, key=lambda region: region[1])
    for at, ((x, y, wide, high), share) in enumerate(ranked):
        if share / top > LEAST:
            yield el(
                "rect",
                x=f"{WIDE * x:.1f}",
                y=f"{height * y:.1f}",
                width=f"{WIDE * wide:.1f}",
                height=f"{height * high:.1f}",
                stroke_opacity=f"{share / top:.2f}",
                class_="region best" if at == len(ranked) - 1 else "region",
            )
