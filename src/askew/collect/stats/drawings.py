"""Figures 4 to 10 as SVG: readable in light and dark, with a title and a description, narrow enough for a phone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

from askew.collect.stats.figures import BANDS
from askew.collect.stats.sheets import Line, Rate, Sheet
from askew.collect.stats.tables import ALL
from askew.report.markup import Html, el, join, part

WIDTH = 400
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 26, 34
PLOT = 190
"""Height of the area between the axes."""
TONES = 6
_LETTER = 5.9
"""Mean width of a letter, in pixels."""
_MOST_TYPES = 14
"""Question types in Fig. 10."""
_MOST_TICKS = 12
_BAND_STRENGTH = (0.95, 0.6, 0.3)


def draw(sheet: Sheet) -> list[Html]:
    """The drawings of a figure: one, or one for each round."""
    return DRAWINGS[sheet.name](sheet)


def standalone(drawings: Sequence[Html], sheet: Sheet) -> str:
    """The drawings of a figure as one SVG file with its own colours."""
    heights = [int(str(drawing).split('viewBox="0 0 400 ', 1)[1].split('"', 1)[0]) for drawing in drawings]
    colours, rest = part("colors.css"), chart_style()
    parts, top = [], 0
    for drawing, height in zip(drawings, heights, strict=True):
        parts.append(el("g", drawing, transform=f"translate(0 {top})"))
        top += height + 12
    inner = join(
        el("title", sheet.title),
        el("desc", sheet.about),
        Html(f"<style>{colours}{rest}</style>"),
        el("rect", x=0, y=0, width=WIDTH, height=top, fill="var(--page)"),
        *parts,
    )
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{2 * WIDTH}" height="{2 * top}"'
    )
    return f'{start} role="img">{inner}</svg>\n'


def chart_style() -> str:
    """The style of charts, for the page and for files."""
    return files("askew.collect.stats").joinpath("chart.css").read_text(encoding="utf-8")


def lines(sheet: Sheet) -> list[Html]:
    """A line for each round through the shares of all bars."""
    groups = _groups(sheet)
    labels = [str(line.cells[0]) for line in next(iter(groups.values()))]
    top = _top([_rate(line).value for found in groups.values() for line in found])
    step = (WIDTH - LEFT - RIGHT) / len(labels)
    parts = [*_scale(top), *_ticks(labels, step), *_legend(list(groups))]
    for number, (name, found) in enumerate(groups.items()):
        points = [
            (round(LEFT + step * (at + 0.5), 1), _y(rate.value, top), rate, labels[at])
            for at, rate in enumerate(map(_rate, found))
            if rate.value == rate.value
        ]
        path = " ".join(f"{x},{y}" for x, y, _, _ in points)
        dots = [
            el("circle", _hint(f"{name}, {label}", rate), cx=x, cy=y, r=3, class_="dot") for x, y, rate, label in points
        ]
        parts.append(el("g", el("polyline", points=path, class_="path"), *dots, class_=_tone(number)))
    return [_chart(sheet.title, _described(sheet, groups), _axis_title(sheet), *parts)]


def bars(sheet: Sheet) -> list[Html]:
    """Bars side by side for each round, with their intervals."""
    groups = _groups(sheet)
    labels = [str(line.cells[0]) for line in next(iter(groups.values()))]
    top = _top([max(_rate(line).value, _rate(line).high) for found in groups.values() for line in found])
    step = (WIDTH - LEFT - RIGHT) / len(labels)
    wide = 0.8 * step / len(groups)
    parts = [*_scale(top), *_ticks(labels, step), *_legend(list(groups))]
    for number, (name, found) in enumerate(groups.items()):
        drawn = []
        for at, rate in enumerate(map(_rate, found)):
            if rate.value != rate.value:
                continue
            x = LEFT + step * at + 0.1 * step + wide * number
            y = _y(rate.value, top)
            drawn.append(
                el(
                    "rect",
                    _hint(f"{name}, {labels[at]}", rate),
                    x=round(x, 1),
                    y=y,
                    width=round(wide - 1, 1),
                    height=round(TOP + PLOT - y, 1),
                    class_="shape",
                )
            )
            if rate.has_interval:
                middle = round(x + wide / 2 - 0.5, 1)
                drawn.append(
                    el("line", x1=middle, x2=middle, y1=_y(rate.low, top), y2=_y(rate.high, top), class_="whisker")
                )
        parts.append(el("g", *drawn, class_=_tone(number)))
    return [_chart(sheet.title, _described(sheet, groups), _axis_title(sheet), *parts)]


def shares(sheet: Sheet) -> list[Html]:
    """A bar of all types for each round."""
    groups = _groups(sheet, whole=True)
    parts = []
    for row, (name, found) in enumerate(groups.items()):
        y = TOP + 34 * row
        parts.append(el("text", name, x=0, y=y + 17))
        x = float(LEFT)
        for number, line in enumerate(found):
            rate = _rate(line)
            if rate.value != rate.value:
                continue
            wide = rate.value * (WIDTH - LEFT - RIGHT)
            box = el(
                "rect",
                _hint(f"{name}, {line.cells[0]}", rate),
                x=round(x, 1),
                y=y,
                width=round(wide, 1),
                height=26,
                class_="cell",
            )
            label = f"{line.cells[0]} {100 * rate.value:.0f}" if wide > 34 else str(line.cells[0]) if wide > 12 else ""
            text = el("text", label, x=round(x + wide / 2, 1), y=y + 17, text_anchor="middle", class_="inside")
            parts.append(el("g", box, text if label else None, class_=_tone(number)))
            x += wide
    height = TOP + 34 * len(groups)
    return [
        _svg(
            sheet.title,
            _described(sheet, groups),
            height,
            el("text", "Share of the questions, in per cent", x=0, y=12, class_="small"),
            *parts,
        )
    ]


def confidence(sheet: Sheet) -> list[Html]:
    """For each round, agreement at each confidence as a stack, and the share of the questions as a line."""
    return [_confidence_of(sheet, name, found) for name, found in _groups(sheet, whole=True).items()]


def _confidence_of(sheet: Sheet, name: str, found: Sequence[Line]) -> Html:
    labels = [f"{at / 10:.1f}" for at in range(10)] + ["1"]
    step = (WIDTH - LEFT - RIGHT) / len(labels)
    parts = [*_scale(1.0), *_ticks(labels, step)]
    points = []
    for line in found:
        at = 10 if line.cells[0] == "1.0" else int(str(line.cells[0])[2])
        x, y = LEFT + step * at, float(TOP + PLOT)
        for band, strength in enumerate(_BAND_STRENGTH):
            rate = line.cells[3 + band]
            assert isinstance(rate, Rate)
            tall = rate.value * PLOT
            y -= tall
            hint = _hint(f"{name}, confidence {line.cells[0]}, {BANDS[band]} agree", rate)
            parts.append(
                el(
                    "g",
                    el(
                        "rect",
                        hint,
                        x=round(x + 1, 1),
                        y=round(y, 1),
                        width=round(step - 2, 1),
                        height=round(tall, 1),
                        class_="shape",
                        opacity=strength,
                    ),
                    class_="tone0",
                )
            )
        points.append((round(x + step / 2, 1), _y(_rate(line, 2).value, 1.0)))
    path = " ".join(f"{x},{y}" for x, y in points)
    parts.append(el("polyline", points=path, class_="total"))
    parts += [el("circle", cx=x, cy=y, r=3, class_="total-dot") for x, y in points]
    parts += _band_legend()
    title = f"{sheet.title}, {name}"
    return _chart(title, _described(sheet, {name: found}), f"{name}: mean confidence of the answers", *parts)


def _band_legend() -> list[Html]:
    parts, x = [], LEFT
    for name, strength in zip(BANDS, _BAND_STRENGTH, strict=True):
        box = el("rect", x=x, y=4, width=10, height=10, class_="shape", opacity=strength)
        parts += [el("g", box, class_="tone0"), el("text", name, x=x + 14, y=13)]
        x += 28 + int(_LETTER * len(name))
    return [*parts, el("line", x1=x, x2=x + 14, y1=9, y2=9, class_="total"), el("text", "questions", x=x + 18, y=13)]


def answers(sheet: Sheet) -> list[Html]:
    """For each question type a bar of its answers, the most frequent first."""
    groups = dict(list(_by_label(sheet).items())[:_MOST_TYPES])
    parts: list[Html] = []
    start = 128
    for row, (name, found) in enumerate(groups.items()):
        y = 20 + 28 * row
        parts.append(el("text", _short(name, 20), x=0, y=y + 15))
        x = float(start)
        for number, line in enumerate(found):
            rate = _rate(line)
            wide = rate.value * (WIDTH - start)
            if wide < 0.4:
                break
            label = str(line.cells[0])
            room = int((wide - 6) / _LETTER)
            strong = number % 2 == 0
            box = el(
                "rect",
                _hint(f"{name}: {label}", rate),
                x=round(x, 1),
                y=y,
                width=round(wide, 1),
                height=22,
                class_="cell",
                opacity=1 if strong else 0.45,
            )
            text = el("text", label, x=round(x + 3, 1), y=y + 15, class_="inside" if strong else "word")
            parts.append(el("g", box, text if len(label) <= room else None, class_="tone0"))
            x += wide
    title = el("text", "Share of the questions of a type, most frequent answer first", x=0, y=11, class_="small")
    return [_svg(sheet.title, _described(sheet, groups), 24 + 28 * len(groups), title, *parts)]


def tree(sheet: Sheet) -> list[Html]:
    """The first words from left to right; heights are shares of all questions."""
    found = [line for line in sheet.lines if line.label == sheet.lines[-1].label]
    known = {str(line.cells[1]): _rate(line, 3) for line in found}
    tall, wide = 440, WIDTH / 4
    parts: list[Html] = []

    def branch(parent: str, depth: int, y: float, tone: int) -> None:
        own = [words for words in known if words.rpartition(" ")[0] == parent and len(words.split()) == depth]
        for number, words in enumerate(sorted(own, key=lambda one: (-known[one].value, one))):
            height = known[words].value * tall
            shade = number if depth == 1 else tone
            box = el(
                "rect",
                _hint(words, known[words]),
                x=wide * (depth - 1),
                y=round(y, 1),
                width=wide,
                height=round(height, 1),
                class_="cell",
                opacity=0.32,
            )
            word = _short(words.split()[-1], int(wide / _LETTER) - 6)
            label = f"{word} {100 * known[words].value:.0f} %" if height >= 12 else ""
            text = el("text", label, x=wide * (depth - 1) + 4, y=round(y + min(height / 2 + 4, 16), 1), class_="word")
            parts.append(el("g", box, text if label else None, class_=_tone(shade)))
            if depth < 4:
                branch(words, depth + 1, y, shade)
            y += height

    branch("", 1, 18.0, 0)
    heads = [el("text", f"word {n}", x=wide * (n - 1) + 4, y=11, class_="small") for n in (1, 2, 3, 4)]
    first_words = "; ".join(f"{words} {100 * rate.value:.1f} %" for words, rate in known.items() if " " not in words)
    return [_svg(sheet.title, f"{sheet.about} First words: {first_words}.", tall + 20, *heads, *parts)]


DRAWINGS: Mapping[str, Callable[[Sheet], list[Html]]] = {
    "figure4": tree,
    "figure5": lines,
    "figure6": bars,
    "figure7": lines,
    "figure8": shares,
    "figure9": confidence,
    "figure10": answers,
}


def _by_label(sheet: Sheet) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in sheet.lines:
        found.setdefault(line.label, []).append(line)
    return found


def _groups(sheet: Sheet, *, whole: bool = False) -> dict[str, list[Line]]:
    """The rows of each round; those of all rounds together only with ``whole``."""
    found = _by_label(sheet)
    return found if whole or len(found) == 1 else {name: own for name, own in found.items() if name != ALL}


def _rate(line: Line, at: int = 2) -> Rate:
    cell = line.cells[at]
    assert isinstance(cell, Rate)
    return cell


def _tone(number: int) -> str:
    return f"tone{number % TONES}"


def _top(values: Sequence[float]) -> float:
    """The upper end of a scale from 0 that fits these shares."""
    most = max((value for value in values if value == value), default=0.0)
    return next((end for end in (0.1, 0.2, 0.4, 0.6, 0.8) if end >= most), 1.0)


def _y(value: float, top: float) -> float:
    return round(TOP + PLOT * (1 - min(value, top) / top), 1)


def _scale(top: float) -> list[Html]:
    parts = []
    for k in range(5):
        y = _y(top * k / 4, top)
        parts.append(el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="base" if k == 0 else "scale"))
        parts.append(el("text", f"{100 * top * k / 4:g}", x=LEFT - 5, y=y + 4, text_anchor="end", class_="small"))
    return parts


def _ticks(labels: Sequence[str], step: float) -> list[Html]:
    every = -(-len(labels) // _MOST_TICKS) if max(map(len, labels)) < 4 else -(-len(labels) // 6)
    return [
        el("text", label, x=round(LEFT + step * (at + 0.5), 1), y=TOP + PLOT + 14, text_anchor="middle", class_="small")
        for at, label in enumerate(labels)
        if at % every == 0
    ]


def _legend(names: Sequence[str]) -> list[Html]:
    parts = []
    for number, name in enumerate(names):
        x = LEFT + 52 * number
        parts.append(el("g", el("rect", x=x, y=4, width=10, height=10, class_="shape"), class_=_tone(number)))
        parts.append(el("text", name, x=x + 14, y=13))
    return parts


def _axis_title(sheet: Sheet) -> str:
    return f"{sheet.columns[0].label}; per cent of the questions of each round"


def _chart(title: str, description: str, below: str, *parts: Html) -> Html:
    under = el("text", below, x=LEFT, y=TOP + PLOT + 30, class_="small")
    return _svg(title, description, TOP + PLOT + BOTTOM, *parts, under)


def _svg(title: str, description: str, height: int, *parts: Html) -> Html:
    return el(
        "svg",
        el("title", title),
        el("desc", description),
        *parts,
        class_="chart",
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_label=f"{title}. {description}",
    )


def _hint(name: str, rate: Rate) -> Html:
    within = f" ({100 * rate.low:.1f}–{100 * rate.high:.1f})" if rate.has_interval else ""
    return el("title", f"{name}: {100 * rate.value:.1f} %{within}")


def _described(sheet: Sheet, groups: Mapping[str, Sequence[Line]]) -> str:
    """A description for people who cannot see the figure: the largest share of each row."""
    parts = []
    for name, found in list(groups.items())[:8]:
        most = max(found, key=lambda line: -1.0 if _share(line) != _share(line) else _share(line))
        if _share(most) == _share(most):
            parts.append(f"{name}: most are {most.cells[0]} ({100 * _share(most):.1f} %)")
    return f"{sheet.about} {'; '.join(parts)}."


def _share(line: Line) -> float:
    return next((cell.value for cell in line.cells if isinstance(cell, Rate)), float("nan"))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
