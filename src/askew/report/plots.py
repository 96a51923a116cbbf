"""Plots as responsive SVG: positions in per cent, strokes and marks in pixels, so they stay legible on a phone.

The noise curve shows accuracy over noise levels, with one line per model and, with several rankers, a panel for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.report.markup import SHAPES, Html, details, el, join, table
from askew.report.report_data import ReportData
from askew.types import Score

LANE = 20
"""Height in pixels for one model in a row."""


def tone(run: int) -> str:
    """The CSS class with a model's colour."""
    return f"tone{run % len(SHAPES)}"


def shape(run: int) -> str:
    """The address of a model's shape. From the seventh model on, colours repeat with another shape.

    >>> [(tone(run), shape(run)) for run in (0, 5, 6)]
    [('tone0', '#shape0'), ('tone5', '#shape5'), ('tone0', '#shape1')]
    """
    return f"#shape{(run + run // len(SHAPES)) % len(SHAPES)}"


def mark(run: int) -> Html:
    """A model's mark, shown beside its name."""
    use = el("use", href=shape(run), x=8, y=8, class_="full")
    return el("svg", use, class_=f"mark {tone(run)}", width=16, height=16, aria_hidden="true")


def legend(names: Iterable[tuple[int, str]]) -> Html:
    """A legend: the mark of each model or ranker."""
    parts = [el("span", mark(number), name, class_=f"name {tone(number)}") for number, name in names]
    return el("p", *parts, class_="legend")


def lanes(pairs: Sequence[tuple[int, Score, Score, str]], people: Sequence[Score] = ()) -> Html:
    """One row of the dot plot: for each model (number, before, after, label) an open and a filled mark.

    People's scores, if known, are dashed lines across all models, the last of them the thickest.
    """
    height = LANE * len(pairs)
    grid = [el("line", x1=f"{at}%", x2=f"{at}%", y1=0, y2="100%", class_="grid") for at in (0, 25, 50, 75, 100)]
    drawn = [
        _lane(run, before, after, description, LANE * lane + LANE // 2)
        for lane, (run, before, after, description) in enumerate(pairs)
    ]
    reached = [
        el("line", x1=percent(f.value), x2=percent(f.value), y1=-2, y2=height + 2, class_=f"people-line{kind}")
        for f, kind in zip(people, (" faint", ""), strict=False)
        if f.known
    ]
    return el("svg", *grid, *reached, *drawn, class_="lanes", height=height, aria_hidden="true")


def scale() -> Html:
    """The scale above the rows of a dot plot."""
    ticks = [el("span", f"{at}" if at else "0 %") for at in (0, 25, 50, 75, 100)]
    return el(
        "div", el("span"), el("span", *ticks, class_="ticks"), el("span"), class_="dotrow axis", aria_hidden="true"
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

    line = " ".join(f"{x:.2f},{height(f.value)}" for x, f in known)
    band = [f"{x:.2f},{height(f.high)}" for x, f in known if f.has_interval]
    band += [f"{x:.2f},{height(f.low)}" for x, f in reversed(known) if f.has_interval]
    stretched = el(
        "svg",
        None if dashed else el("polygon", points=" ".join(band), class_="band"),
        el("polyline", points=line, class_="line dashed" if dashed else "line"),
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
        overflow="visible",
    )
    marks = [
        el("use", href=shape(run), x=f"{x:.2f}%", y=f"{height(f.value)}%", class_=fill)
        for fill in ["open" if dashed else "full"]
        for x, f in known
    ]
    return el("g", stretched, *marks, class_=tone(run))


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


def percent(value: float) -> str:
    """A fraction as a CSS position, clipped to the plot.

    >>> percent(0.4125), percent(1.2)
    ('41.25%', '100%')
    """
    return f"{round(100 * min(1.0, max(0.0, value)), 2):g}%"


def _lane(run: int, before: Score, after: Score, description: str, y: int) -> Html:
    parts = [el("title", description), _reach(before, y), _reach(after, y)]
    if before.known and after.known:
        parts.append(el("line", x1=percent(before.value), x2=percent(after.value), y1=y, y2=y, class_="gap"))
    for score, fill in ((before, "open"), (after, "full")):
        if score.known:
            parts.append(el("use", href=shape(run), x=percent(score.value), y=y, class_=fill))
    return el("g", *parts, class_=tone(run))


def _reach(score: Score, y: int) -> Html:
    """The interval as a soft band behind a mark."""
    if not score.has_interval:
        return join()
    width = percent(max(0.0, min(1.0, score.high) - max(0.0, score.low)))
    return el("rect", x=percent(score.low), y=y - 4, width=width, height=8, rx=4, class_="reach")


PREFIX = "made_by="
"""The slice by the rule that made the variants: here, by ranker."""

LEAST_LEVELS = 3
"""Fewer levels do not make a curve: before and after are already in the other charts."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: its label, the number that determines its colour and mark, and a score for each level."""

    label: str
    number: int
    scores: tuple[Score, ...]


def noise_curve(content: ReportData, suite: Mapping[str, Any]) -> Html | None:
    """The curves of one suite; None if it has fewer than two noise levels besides the one without noise."""
    levels = _levels(content, suite["name"])
    if len(levels) < LEAST_LEVELS:
        return None
    panels = list(_panels(content, suite["name"], levels))
    steps = steps_for([line for _, lines in panels for line in lines])
    names = dict.fromkeys((line.number, line.label) for _, lines in panels for line in lines)
    drawn = [panel(heading, lines, levels, steps) for heading, lines in panels]
    rows = [
        [*([heading] if len(panels) > 1 else []), line.label, *(score.full for score in line.scores)]
        for heading, lines in panels
        for line in lines
    ]
    several = len(panels) > 1
    head = [*(["Ranker"] if several else []), "Line" if not several else "Model", *(f"noise {n}" for n in levels)]
    return el(
        "figure",
        el("figcaption", el("h3", "More noise, fewer correct answers?")),
        el(
            "p",
            f"{suite.get('title') or suite['name']}: accuracy in per cent at each noise level (0: none); "
            "bands are 95 % intervals.",
            class_="quiet",
        ),
        legend(names) if len(names) > 1 else None,
        el("div", *drawn, class_="panels") if several else drawn[0],
        details("As a table", table(head, rows, "Accuracy over noise levels")),
    )


def _levels(content: ReportData, suite: str) -> list[int]:
    named = {score.metric for run in content.runs for score in run.scores() if score.suite == suite}
    ends = (metric.removeprefix("accuracy.noise.") for metric in named if metric.startswith("accuracy.noise."))
    return sorted(int(end) for end in ends if end.isdecimal())


def _panels(content: ReportData, suite: str, levels: Sequence[int]) -> Iterator[tuple[str, list[Curve]]]:
    """A panel for each ranker with a line for each model; for a single model, one panel with a line for each ranker."""
    runs = list(content.with_suite(suite))
    parts = _rankers(content, suite)

    def scores(run: Any, part: str) -> tuple[Score, ...]:
        return tuple(run.score(suite, f"accuracy.noise.{level}", part) for level in levels)

    if len(parts) < 2:
        yield "", [Curve(content.labels[n], n, scores(run, "")) for n, run in runs]
    elif len(runs) == 1 and len(parts) <= len(SHAPES):
        yield "", [Curve(_short(part), n, scores(runs[0][1], part)) for n, part in enumerate(parts)]
    else:
        for part in parts:
            yield _short(part), [Curve(content.labels[n], n, scores(run, part)) for n, run in runs]


def _rankers(content: ReportData, suite: str) -> list[str]:
    """The parts that have a noise curve of their own, in the order of the suite's tests."""
    found = dict.fromkeys(
        score.part
        for run in content.runs
        for score in run.scores()
        if (score.suite, score.metric) == (suite, "accuracy.noise.1") and score.part.startswith(PREFIX)
    )
    tests = [str(test) for of in content.suites if of["name"] == suite for test in of.get("tests") or ()]
    order = {test.rpartition(" ")[0]: number for number, test in reversed(list(enumerate(tests)))}
    return sorted(found, key=lambda part: order.get(_short(part), len(order)))


def _short(part: str) -> str:
    """The name of a ranker.

    >>> _short("made_by=basic/lasso")
    'lasso'
    """
    return part.removeprefix(PREFIX).partition("/")[2] or part.removeprefix(PREFIX)


def steps_for(lines: Sequence[Curve]) -> Sequence[float]:
    """The marks of an axis that holds all values and intervals of these curves."""
    values = [value for line in lines for value in _values(line)]
    return axis(min(values, default=0.0), max(values, default=1.0))


def panel(
    heading: str,
    lines: Sequence[Curve],
    levels: Sequence[int],
    steps: Sequence[float],
    title: str = "Accuracy over noise levels",
) -> Html:
    """The curves in one box, with a heading if there are several boxes."""
    box = charted(
        [curve(line.number, line.scores, steps[0], steps[-1]) for line in lines],
        [f"{100 * step:.0f}" for step in steps],
        [str(level) for level in levels],
        f"{title}{f', {heading}' if heading else ''}",
    )
    return el("div", el("h4", heading), box) if heading else box


def _values(line: Curve) -> Iterator[float]:
    for score in line.scores:
        yield from (side for side in (score.value, score.low, score.high) if side == side)
