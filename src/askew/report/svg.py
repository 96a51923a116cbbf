"""Every chart that askew draws, as SVG.

Charts of the report and of a training are responsive: positions in per cent, strokes and marks in pixels, so they
stay legible on a phone. Charts of a study are also files: 400 units wide, with texts, a title and a description.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from askew.report.markup import Html, el, join
from askew.types import Score

MARKS = 6
"""How many marks there are in ``page/shapes.svg``, so that models differ by more than colour."""

LANE = 20
"""Height in pixels for one model in a row."""

WIDTH = 400
"""Of a chart of a study, as the sizes below."""
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 26, 34
PLOT = 190
"""Height of the area between the axes."""
LETTER = 5.9
"""Mean width of a letter."""
MOST_TICKS = 12

Labelled: TypeAlias = Sequence[tuple[str, Score]]
"""Scores with what each is about."""


def tone(number: int) -> str:
    """The CSS class with a model's colour."""
    return f"tone{number % MARKS}"


def shape(run: int) -> str:
    """The address of a model's shape. From the seventh model on, colours repeat with another shape.

    >>> [(tone(run), shape(run)) for run in (0, 5, 6)]
    [('tone0', '#shape0'), ('tone5', '#shape5'), ('tone0', '#shape1')]
    """
    return f"#shape{(run + run // MARKS) % MARKS}"


def mark(run: int) -> Html:
    """A model's mark, shown beside its name."""
    use = el("use", href=shape(run), x=8, y=8, class_="full")
    return el("svg", use, class_=f"mark {tone(run)}", width=16, height=16, aria_hidden="true")


def legend(names: Iterable[tuple[int, str]]) -> Html:
    """A legend: the mark of each model or ranker."""
    parts = [el("span", mark(number), name, class_=f"name {tone(number)}") for number, name in names]
    return el("p", *parts, class_="legend")


def percent(value: float) -> str:
    """A fraction as a CSS position, clipped to the plot.

    >>> percent(0.4125), percent(1.2)
    ('41.25%', '100%')
    """
    return f"{round(100 * min(1.0, max(0.0, value)), 2):g}%"


def scale(top: float = 1.0) -> Html:
    """The scale above the rows of a dot plot."""
    ticks = el("span", *(el("span", f"{at * top:g}" if at else "0 %") for at in (0, 25, 50, 75, 100)), class_="ticks")
    return el("div", el("span"), ticks, el("span"), class_="dotrow axis", aria_hidden="true")


def lanes(
    pairs: Sequence[tuple[int, Score, Score, str]],
    people: Sequence[Score] = (),
    ceiling: float | None = None,
    top: float = 1.0,
) -> Html:
    """One row of the dot plot: for each model (number, before, after, label) an open and a filled mark.

    People's scores, if known, are dashed lines across all models, the last of them the thickest; ``ceiling``, what
    true answers would reach, is a dotted one. ``top`` is the right end of the scale.
    """
    height = LANE * len(pairs)
    grid = [el("line", x1=f"{at}%", x2=f"{at}%", y1=0, y2="100%", class_="grid") for at in (0, 25, 50, 75, 100)]
    reached = [
        el("line", x1=percent(f.value), x2=percent(f.value), y1=-2, y2=height + 2, class_=f"people-line{kind}")
        for f, kind in zip(people, (" faint", ""), strict=False)
        if f.known
    ]
    if ceiling is not None:
        reached.append(_ceiling(ceiling, -2, height + 2))
    drawn = [_lane(*pair, LANE * lane + LANE // 2, top) for lane, pair in enumerate(pairs)]
    return el("svg", *grid, *reached, *drawn, class_="lanes", height=height, aria_hidden="true")


def _ceiling(value: float, top: int, bottom: int) -> Html:
    title = el("title", f"true answers would reach {100 * value:.1f} %")
    return el("line", title, x1=percent(value), x2=percent(value), y1=top, y2=bottom, class_="ceiling")


def _lane(run: int, before: Score, after: Score, description: str, y: int, top: float) -> Html:
    parts = [el("title", description)]
    for score in (before, after):
        if score.has_interval:
            width = percent((min(top, score.high) - max(0.0, score.low)) / top)
            parts.append(el("rect", x=percent(score.low / top), y=y - 4, width=width, height=8, rx=4, class_="reach"))
    if before.known and after.known:
        parts.append(
            el("line", x1=percent(before.value / top), x2=percent(after.value / top), y1=y, y2=y, class_="gap")
        )
    for score, fill in ((before, "open"), (after, "full")):
        if score.known:
            parts.append(el("use", href=shape(run), x=percent(score.value / top), y=y, class_=fill))
    return el("g", *parts, class_=tone(run))


def cell_bar(score: Score, ceiling: float | None = None) -> Html:
    """The value as a bar from 0 to 1, the interval as a line across its end; what true answers reach is dotted."""
    ends = {"x1": percent(score.low), "x2": percent(score.high)} if score.has_interval else {}
    return el(
        "svg",
        el("rect", x=0, y=1, width="100%", height=6, class_="ground"),
        el("rect", x=0, y=1, width=percent(score.value), height=6, class_="fill"),
        el("line", **ends, y1=4, y2=4, class_="whisker") if ends else None,
        None if ceiling is None else _ceiling(ceiling, 0, 8),
        class_="cellbar",
        height=8,
        aria_hidden="true",
    )


def shares(parts: Iterable[tuple[str, float]]) -> Html:
    """A bar of shares that add up to one, each in the colour of the outcome it is named after."""
    drawn, x = [], 0.0
    for name, share in parts:
        drawn.append(el("rect", x=percent(x), y=0, width=percent(share), height=14, class_=f"outcome-{name}"))
        x += share
    return el("svg", *drawn, class_="shares", height=14, aria_hidden="true")


def meter(run: int, rate: float, low: float, high: float, rest: float) -> Html:
    """A rate as a bar with its interval, and the rate of the rest as a line."""
    return el(
        "svg",
        el("line", x1=0, x2="100%", y1=7, y2=7, class_="track"),
        el("rect", x=0, y=4, width=percent(rate), height=6, class_="bar"),
        el("line", x1=percent(low), x2=percent(high), y1=7, y2=7, class_="interval"),
        el("line", x1=percent(rest), x2=percent(rest), y1=0, y2=14, class_="rest"),
        class_=f"meter {tone(run)}",
        height=14,
        aria_hidden="true",
    )


def curve(run: int, scores: Sequence[Score], low: float, high: float) -> Html:
    """A line through equally spaced scores with the band of their intervals; the y axis is ``low`` to ``high``."""
    return line_through(run, [(i / max(1, len(scores) - 1), f) for i, f in enumerate(scores)], low, high)


def line_through(
    run: int, points: Iterable[tuple[float, Score]], low: float, high: float, dashed: bool = False
) -> Html:
    """A line through scores, each at a fraction of the width; a dashed one has open marks and no band."""
    known = [(100 * place, score) for place, score in points if score.known]

    def height(value: float) -> float:
        return round(100 - 100 * (value - low) / (high - low), 2)

    band = [f"{x:.2f},{height(f.high)}" for x, f in known if f.has_interval]
    band += [f"{x:.2f},{height(f.low)}" for x, f in reversed(known) if f.has_interval]
    stretched = el(
        "svg",
        None if dashed else el("polygon", points=" ".join(band), class_="band"),
        el(
            "polyline",
            points=" ".join(f"{x:.2f},{height(f.value)}" for x, f in known),
            class_="line dashed" if dashed else "line",
        ),
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
        overflow="visible",
    )
    fill = "open" if dashed else "full"
    marks = [el("use", href=shape(run), x=f"{x:.2f}%", y=f"{height(f.value)}%", class_=fill) for x, f in known]
    return el("g", stretched, *marks, class_=tone(run))


def diagonal() -> Html:
    """The line on which both axes have the same value."""
    return el("line", x1=0, y1="100%", x2="100%", y2=0, class_="rest")


def charted(curves: Iterable[Html], heights: Sequence[str], places: Sequence[str], description: str) -> Html:
    """Curves in a frame: five labels on the y axis, the lowest first, and one for each point of the x axis."""
    grid = [el("line", x1=0, x2="100%", y1=f"{25 * k}%", y2=f"{25 * k}%", class_="grid") for k in range(5)]
    return el(
        "div",
        el("div", *(el("span", label) for label in reversed(heights)), class_="ylabels", aria_hidden="true"),
        el("svg", *grid, *curves, class_="curve", height=260, role="img", aria_label=description),
        el("div", *(el("span", label) for label in places), class_="xlabels", aria_hidden="true"),
        class_="curvebox",
    )


def axis(least: float, most: float) -> list[float]:
    """Five round tick values that span these fractions.

    >>> axis(0.23, 0.88), axis(0.71, 0.74)
    ([0.2, 0.4, 0.6, 0.8, 1.0], [0.7, 0.75, 0.8, 0.85, 0.9])
    """
    for step in (5, 10, 15, 20, 25):
        low = min(int(100 * least) // step * step, 100 - 4 * step)
        if low + 4 * step >= 100 * most:
            break
    return [(low + step * k) / 100 for k in range(5)]


def axis_for(scores: Iterable[Score]) -> list[float]:
    """The tick values of an axis that holds these scores and their intervals."""
    ends = [end for score in scores for end in (score.value, score.low, score.high) if end == end]
    return axis(min(ends, default=0.0), max(ends, default=1.0))


Region: TypeAlias = tuple[Sequence[float], float]
"""A region of an image (x, y, width and height as fractions of its size), and the attention to it."""


def attention(image: str, width: int, height: int, regions: Iterable[Region], description: str) -> Html:
    """An image with its regions by attention, the one with the most last, so that it is drawn on top."""
    ranked = sorted(regions, key=lambda region: region[1])
    top = max((share for _, share in ranked), default=0.0) or 1.0
    boxes = [
        el(
            "rect",
            x=f"{width * x:.1f}",
            y=f"{height * y:.1f}",
            width=f"{width * wide:.1f}",
            height=f"{height * high:.1f}",
            stroke_opacity=f"{share / top:.2f}",
            class_="region best" if at == len(ranked) - 1 else "region",
        )
        for at, ((x, y, wide, high), share) in enumerate(ranked)
        if share / top > LEAST_ATTENTION and wide > 0 and high > 0
    ]
    shown = el("image", href=image, width=width, height=height, preserveAspectRatio="none")
    view = f"0 0 {width} {height}"
    return el("svg", shown, *boxes, viewBox=view, role="img", aria_label=description)


LEAST_ATTENTION = 0.05
"""Regions with less than this share of the highest attention are not drawn."""


def read_words(words: Iterable[tuple[str, float]]) -> Iterator[Html]:
    """Words, each marked by how much attention it gets."""
    for word, share in words:
        yield join(el("span", word, class_=f"read{min(4, math.ceil(5 * share - 0.5))}"), " ")


def weight_bars(weights: Iterable[tuple[str, float]], width: int, row: int) -> Html:
    """A bar for each named weight, in rows of this height."""
    rows = [
        join(
            el("text", name, x=0, y=row * place + 11),
            el("rect", x=64, y=row * place + 3, width=f"{120 * weight:.1f}", height=9, class_="bar"),
            el("text", f"{weight:.0%}", x=f"{68 + 120 * weight:.1f}", y=row * place + 11),
        )
        for place, (name, weight) in enumerate(weights)
    ]
    return el("svg", *rows, width=width, height=row * len(rows), class_="modules")


def framed_chart(title: str, description: str, height: int, *parts: Html | None) -> Html:
    """A chart of a study, with a title and a description."""
    label = f"{title}. {description}"
    view = f"0 0 {WIDTH} {height}"
    described = el("title", title), el("desc", description)
    return el("svg", *described, *parts, class_="chart", viewBox=view, role="img", aria_label=label)


def series(title: str, description: str, named: Mapping[str, Labelled], below: str, bars: bool = False) -> Html:
    """A line through the scores of each name; or ``bars`` side by side, with their intervals."""
    labels = [label for label, _ in next(iter(named.values()))]
    scores = [score for found in named.values() for _, score in found]
    top = _top([score.high if bars and score.has_interval else score.value for score in scores])
    step = (WIDTH - LEFT - RIGHT) / len(labels)
    wide = 0.8 * step / len(named)
    parts = [*_scale(top), *_ticks(labels, step), *_legend(list(named))]
    for number, (name, found) in enumerate(named.items()):
        drawn, points = [], []
        for at, (label, score) in enumerate(found):
            if not score.known:
                continue
            hint, y = _hint(f"{name}, {label}", score), _y(score.value, top)
            if bars:
                x = LEFT + step * (at + 0.1) + wide * number
                size = {"width": round(wide - 1, 1), "height": round(TOP + PLOT - y, 1)}
                drawn.append(el("rect", hint, x=round(x, 1), y=y, **size, class_="shape"))
                if score.has_interval:
                    middle = round(x + wide / 2 - 0.5, 1)
                    ends = {"y1": _y(score.low, top), "y2": _y(score.high, top)}
                    drawn.append(el("line", x1=middle, x2=middle, **ends, class_="whisker"))
            else:
                middle = round(LEFT + step * (at + 0.5), 1)
                points.append((middle, y))
                drawn.append(el("circle", hint, cx=middle, cy=y, r=3, class_="dot"))
        parts.append(el("g", None if bars else _path(points, "path"), *drawn, class_=tone(number)))
    return framed_chart(title, description, TOP + PLOT + BOTTOM, *parts, _below(below))


def stacks(
    title: str, description: str, named: Mapping[str, Labelled], caption: str, start: int, by_tone: bool
) -> Html:
    """For each name a bar of its shares, side by side from ``start`` on.

    ``by_tone``: each place in the bar has a colour of its own; otherwise shades of one colour alternate.
    """
    parts = [el("text", caption, x=0, y=11, class_="small")]
    for row, (name, found) in enumerate(named.items()):
        x, y = float(start), 20 + 30 * row
        parts.append(el("text", shortened(name, int(start / LETTER) - 1), x=0, y=y + 16))
        for number, (label, score) in enumerate(found):
            wide = score.value * (WIDTH - start)
            if not wide >= 0.4:
                continue
            text = f"{label} {100 * score.value:.0f}" if by_tone else label
            text = next((fitting for fitting in (text, label) if LETTER * len(fitting) + 6 < wide), "")
            strong = by_tone or number % 2 == 0
            size = {"width": round(wide, 1), "height": 24, "opacity": 1 if strong else 0.45}
            parts.append(
                el(
                    "g",
                    el("rect", _hint(f"{name}: {label}", score), x=round(x, 1), y=y, **size, class_="cell"),
                    el("text", text, x=round(x + 3, 1), y=y + 16, class_="inside" if strong else "word"),
                    class_=tone(number if by_tone else 0),
                )
            )
            x += wide
    return framed_chart(title, description, 24 + 30 * len(named), *parts)


def layers(
    title: str, description: str, columns: Mapping[str, tuple[Sequence[Score], Score]],
    names: Sequence[str], total: str, below: str,
) -> Html:  # fmt: skip
    """For each column a stack of shares, the lowest the strongest, and the total as a line."""
    step, strengths = (WIDTH - LEFT - RIGHT) / len(columns), (0.95, 0.6, 0.3)
    parts, points = [*_scale(1.0), *_ticks([label.partition("–")[0] for label in columns], step)], []
    for at, (label, (found, whole)) in enumerate(columns.items()):
        x, y = LEFT + step * at, float(TOP + PLOT)
        for name, strength, score in zip(names, strengths, found, strict=True):
            if score.known:
                y -= score.value * PLOT
                size = {"width": round(step - 2, 1), "height": round(score.value * PLOT, 1), "opacity": strength}
                hint = _hint(f"{label}, {name}", score)
                box = el("rect", hint, x=round(x + 1, 1), y=round(y, 1), **size, class_="shape")
                parts.append(el("g", box, class_="tone0"))
        if whole.known:
            points.append((round(x + step / 2, 1), _y(whole.value, 1.0)))
    parts += [_path(points, "total"), *(el("circle", cx=x, cy=y, r=3, class_="total-dot") for x, y in points)]
    x = LEFT
    for name, strength in zip(names, strengths, strict=True):
        box = el("rect", x=x, y=4, width=10, height=10, class_="shape", opacity=strength)
        parts += [el("g", box, class_="tone0"), el("text", name, x=x + 14, y=13)]
        x += 28 + int(LETTER * len(name))
    parts += [el("line", x1=x, x2=x + 14, y1=9, y2=9, class_="total"), el("text", total, x=x + 18, y=13)]
    return framed_chart(title, description, TOP + PLOT + BOTTOM, *parts, _below(below))


def word_tree(title: str, description: str, paths: Mapping[str, Score], depth: int = 4, tall: int = 440) -> Html:
    """Sequences of words from left to right; the height of each is its share."""
    wide = WIDTH / depth
    parts = [el("text", f"word {n}", x=wide * (n - 1) + 4, y=11, class_="small") for n in range(1, depth + 1)]

    def branch(parent: str, level: int, y: float, number: int) -> None:
        own = [words for words in paths if words.rpartition(" ")[0] == parent and len(words.split()) == level]
        for place, words in enumerate(sorted(own, key=lambda one: (-paths[one].value, one))):
            shade = place if level == 1 else number
            score, height, x = paths[words], paths[words].value * tall, wide * (level - 1)
            word = shortened(words.split()[-1], int(wide / LETTER) - 6)
            size = {"width": wide, "height": round(height, 1), "opacity": 0.32}
            box = el("rect", _hint(words, score), x=x, y=round(y, 1), **size, class_="cell")
            text = f"{word} {100 * score.value:.0f} %"
            below = round(y + min(height / 2 + 4, 16), 1)
            label = el("text", text, x=x + 4, y=below, class_="word") if height >= 12 else None
            parts.append(el("g", box, label, class_=tone(shade)))
            if level < depth:
                branch(words, level + 1, y, shade)
            y += height

    branch("", 1, 18.0, 0)
    return framed_chart(title, description, tall + 20, *parts)


def svg_file(charts: Sequence[Html], title: str, description: str, style: str) -> str:
    """Charts of a study below each other, as an SVG file with its own style."""
    heights = [int(str(chart).split(f'viewBox="0 0 {WIDTH} ', 1)[1].split('"', 1)[0]) + 12 for chart in charts]
    parts = [el("g", chart, transform=f"translate(0 {sum(heights[:place])})") for place, chart in enumerate(charts)]
    height = sum(heights)
    inner = join(
        el("title", title),
        el("desc", description),
        Html(f"<style>{style}</style>"),
        el("rect", x=0, y=0, width=WIDTH, height=height, fill="var(--page)"),
        *parts,
    )
    size = f'viewBox="0 0 {WIDTH} {height}" width="{2 * WIDTH}" height="{2 * height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{inner}</svg>\n'


def shortened(text: str, most: int) -> str:
    """The text with at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _path(points: Sequence[tuple[float, float]], kind: str) -> Html:
    return el("polyline", points=" ".join(f"{x},{y}" for x, y in points), class_=kind)


def _top(values: Iterable[float]) -> float:
    """The upper end of a scale from 0 that fits these shares."""
    most = max((value for value in values if value == value), default=0.0)
    return next((end for end in (0.1, 0.2, 0.4, 0.6, 0.8) if end >= most), 1.0)


def _y(value: float, top: float) -> float:
    return round(TOP + PLOT * (1 - min(value, top) / top), 1)


def _scale(top: float) -> Iterator[Html]:
    for k in range(5):
        y = _y(top * k / 4, top)
        yield el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="base" if k == 0 else "scale")
        yield el("text", f"{100 * top * k / 4:g}", x=LEFT - 5, y=y + 4, text_anchor="end", class_="small")


def _ticks(labels: Sequence[str], step: float) -> Iterator[Html]:
    every = -(-len(labels) // (MOST_TICKS if max(map(len, labels)) < 4 else 6))
    for at, label in list(enumerate(labels))[::every]:
        x = round(LEFT + step * (at + 0.5), 1)
        yield el("text", label, x=x, y=TOP + PLOT + 14, text_anchor="middle", class_="small")


def _legend(names: Sequence[str]) -> Iterator[Html]:
    for number, name in enumerate(names):
        x = LEFT + 52 * number
        yield el("g", el("rect", x=x, y=4, width=10, height=10, class_="shape"), class_=tone(number))
        yield el("text", name, x=x + 14, y=13)


def _below(text: str) -> Html:
    return el("text", text, x=LEFT, y=TOP + PLOT + 30, class_="small")


def _hint(name: str, score: Score) -> Html:
    within = f" ({100 * score.low:.1f}–{100 * score.high:.1f})" if score.has_interval else ""
    return el("title", f"{name}: {100 * score.value:.1f} %{within}")
