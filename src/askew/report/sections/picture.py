"""The second section: the numbers as pictures, each also a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askew.report.content import Content
from askew.report.figures import Figure, title
from askew.report.markup import Html, details, el, join, scroll, table
from askew.report.plots import curve, lanes, mark, tone

CONSISTENCY = ("carets.cons", "rad.forward", "cs.2", "accuracy.variant")
"""What the heat map shows of a suite: the first that it has for its tests."""


def picture_section(content: Content) -> Html:
    """The dot plot, the noise curve and the heat map, as far as there are numbers for them."""
    drawn = [part for part in (_dots(content), _noise(content), _heat(content)) if part]
    return join(*drawn) if drawn else el("p", "There is nothing to draw: no suite has accuracies for its tests.")


def legend(content: Content) -> Html:
    """Which mark is which model."""
    names = [
        el("span", mark(number), name, class_=f"name {tone(number)}") for number, name in enumerate(content.labels)
    ]
    return el("p", *names, class_="legend")


def _dots(content: Content) -> Html | None:
    blocks, rows = [], []
    for suite in content.suites:
        lines = []
        for label, part in [("all", ""), *((test, f"test={test}") for test in suite.get("tests") or ())]:
            pairs = _before_after(content, suite["name"], part)
            if pairs:
                lines.append(_dot_row(content, label, pairs, whole=not part))
                rows += [[f"{suite['name']}, {label}", content.labels[n], *_cells(b, a)] for n, b, a, _ in pairs]
        if lines:
            blocks.append(join(el("h4", suite.get("title") or suite["name"]), _axis(), *lines))
    if not blocks:
        return None
    return el(
        "figure",
        el("figcaption", el("h3", "Before and after the change")),
        el(
            "p", "Open: accuracy on the originals. Filled: on the variants. Soft bands: 95 % intervals.", class_="quiet"
        ),
        legend(content) if len(content.runs) > 1 else None,
        el("div", *blocks, class_="dots"),
        details(
            "As a table", table(["Test", "Model", "Originals", "Variants", "n"], rows, "Accuracy before and after")
        ),
    )


def _before_after(content: Content, suite: str, part: str) -> list[tuple[int, Figure, Figure, str]]:
    pairs = []
    for number, run in content.with_suite(suite):
        before, after = run.figure(suite, "accuracy.original", part), run.figure(suite, "accuracy.variant", part)
        if before.value is not None or after.value is not None:
            said = f"{content.labels[number]}: {before.short} ({before.interval}) → {after.short} ({after.interval})"
            pairs.append((number, before, after, said))
    return pairs


def _dot_row(content: Content, label: str, pairs: Sequence[tuple[int, Figure, Figure, str]], whole: bool) -> Html:
    several = len(content.runs) > 1
    values = [
        el("span", mark(n) if several else None, f"{before.short} → ", el("b", after.short))
        for n, before, after, _ in pairs
    ]
    return el(
        "div",
        el("span", "All tests" if whole else label, class_="label"),
        lanes(pairs),
        el("span", *values, class_="values"),
        class_="dotrow whole" if whole else "dotrow",
    )


def _axis() -> Html:
    ticks = [el("span", f"{at}" if at else "0 %") for at in (0, 25, 50, 75, 100)]
    return el(
        "div", el("span"), el("span", *ticks, class_="ticks"), el("span"), class_="dotrow axis", aria_hidden="true"
    )


def _cells(before: Figure, after: Figure) -> list[str]:
    return [*(f"{figure.short} ({figure.interval})" for figure in (before, after)), f"{before.n:,}"]


def _noise(content: Content) -> Html | None:
    charts = [chart for suite in content.suites if (chart := _noise_of(content, suite))]
    return join(*charts) if charts else None


def _noise_of(content: Content, suite: Any) -> Html | None:
    levels = [n for n in range(8) if any(r.figure(suite["name"], f"accuracy.noise.{n}").metric for r in content.runs)]
    if len(levels) < 2:
        return None
    lines = {
        n: [run.figure(suite["name"], f"accuracy.noise.{i}") for i in levels]
        for n, run in content.with_suite(suite["name"])
    }
    values = [side for line in lines.values() for f in line for side in (f.value, f.low, f.high) if side is not None]
    steps = axis(min(values, default=0.0), max(values, default=1.0))
    low, high = steps[0], steps[-1]
    grid = [el("line", x1=0, x2="100%", y1=f"{25 * k}%", y2=f"{25 * k}%", class_="grid") for k in range(5)]
    chart = el(
        "svg",
        *grid,
        *(curve(n, line, low, high) for n, line in lines.items()),
        class_="curve",
        height=260,
        role="img",
        aria_label="Accuracy over noise levels",
    )
    rows = [
        [f"{content.labels[n]}", *(f"{f.short} ({f.interval}; n {f.n:,})" for f in line)] for n, line in lines.items()
    ]
    return el(
        "figure",
        el("figcaption", el("h3", "More noise, fewer right answers?")),
        el(
            "p",
            f"{suite.get('title') or suite['name']}: accuracy in per cent at each noise level (0: none); "
            "bands are 95 % intervals.",
            class_="quiet",
        ),
        legend(content) if len(content.runs) > 1 else None,
        el(
            "div",
            el(
                "div",
                *(el("span", f"{100 * step:.0f}") for step in reversed(steps)),
                class_="ylabels",
                aria_hidden="true",
            ),
            chart,
            el("div", *(el("span", str(level)) for level in levels), class_="xlabels", aria_hidden="true"),
            class_="curvebox",
        ),
        details(
            "As a table", table(["Model", *(f"noise {level}" for level in levels)], rows, "Accuracy over noise levels")
        ),
    )


def axis(least: float, most: float) -> list[float]:
    """Five round places that hold everything between these fractions.

    >>> axis(0.23, 0.88), axis(0.71, 0.74)
    ([0.2, 0.4, 0.6, 0.8, 1.0], [0.7, 0.75, 0.8, 0.85, 0.9])
    """
    for step in (5, 10, 15, 20, 25):
        low = min(int(100 * least) // step * step, 100 - 4 * step)
        if low + 4 * step >= 100 * most:
            break
    return [(low + step * k) / 100 for k in range(5)]


def _heat(content: Content) -> Html | None:
    bodies = [body for suite in content.suites if (body := _heat_body(content, suite))]
    if not bodies:
        return None
    head = [
        el("th", "Test", scope="col"),
        *(el("th", mark(n), label, scope="col") for n, label in enumerate(content.labels)),
    ]
    inner = el(
        "table",
        el("caption", "Consistency by test and model", class_="hidden"),
        el("thead", el("tr", *head)),
        *bodies,
        class_="heat",
    )
    return el(
        "figure",
        el("figcaption", el("h3", "Consistency, test by test")),
        el("p", "Per cent with 95 % interval and n; the stronger the colour, the steadier.", class_="quiet"),
        scroll(inner, "Consistency by test and model"),
    )


def _heat_body(content: Content, suite: Any) -> Html | None:
    name, tests = suite["name"], suite.get("tests") or ()
    for metric in CONSISTENCY:
        rows = {test: [run.figure(name, metric, f"test={test}") for run in content.runs] for test in tests}
        if any(figure.value is not None for row in rows.values() for figure in row):
            lines = [el("tr", el("th", test, scope="row"), *map(_heat_cell, row)) for test, row in rows.items()]
            heading = el(
                "th",
                f"{suite.get('title') or name}: {title(metric)}",
                colspan=1 + len(content.runs),
                scope="colgroup",
                class_="group",
            )
            return el("tbody", el("tr", heading), *lines)
    return None


def _heat_cell(figure: Figure) -> Html:
    if figure.value is None:
        return el("td", "—")
    step = min(9, int(10 * figure.value))
    return el("td", figure.short, el("small", f"{figure.interval} · n {figure.n:,}"), class_=f"heat{step}")
