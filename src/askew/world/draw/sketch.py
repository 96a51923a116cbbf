"""Drawings as data: reads ``data/drawings.yaml``, which says how a drawing is written, and draws what it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from operator import gt, lt
from typing import Any, NamedTuple, TypeAlias

from askew.world.draw.computed_parts import PARTS
from askew.world.draw.pen import Brush, Ink, flat_ink
from askew.world.draw.shapes import Path, Point, ShapeFrame, blob, curve, dot, limb, octagon, oval, poly, ring, slab
from askew.world.draw.surface import (
    GLASS,
    INK,
    LEAF,
    PAPER,
    STEEL,
    WHITE,
    WOOD,
    Rgb,
    Surface,
    brightness,
    darker,
    lighter,
    mix,
)
from askew.world.world_data import read

Step: TypeAlias = Callable[[Brush], None]
InkOf: TypeAlias = Callable[[Brush], Ink]
Condition: TypeAlias = Callable[[Brush], bool]
PathsOf: TypeAlias = Callable[[Brush], Sequence[Path]]

_SHAPES: dict[str, Callable[[list[Point], list[float]], Path]] = {
    "blob": lambda points, numbers: blob(*points),
    "poly": lambda points, numbers: poly(*points),
    "oval": lambda points, numbers: oval(*points[0], *points[1]),
    "ring": lambda points, numbers: ring(*points[0], *points[1], *numbers),
    "slab": lambda points, numbers: slab(*points[0], *points[1], *numbers),
    "octagon": lambda points, numbers: octagon(points[0], *numbers),
    "limb": lambda points, numbers: limb(numbers[0], *points),
    "curve": lambda points, numbers: curve(numbers[0], *points),
    "dot": lambda points, numbers: dot(points[0], *numbers),
}
_INKS: dict[str, Ink] = {
    "ink": INK,
    "white": WHITE,
    "steel": STEEL,
    "glass": GLASS,
    "wood": WOOD,
    "paper": PAPER,
    "leaf": LEAF,
    "beak": (240, 160, 50),
    "muzzle": (240, 176, 168),
    "headlight": (255, 236, 150),
    "drink": (128, 70, 40),
}
_MATERIALS = ("wooden", "metal", "glass")


def sketch(name: str, brush: Brush) -> None:
    """Draw one entry of the data file."""
    for step in _steps(name):
        step(brush)


def strokes(entry: str, content: Sequence[Any]) -> list[Step]:
    """The steps of an entry with this content."""
    return _compiled(entry, content, _Place())


def drawings() -> Any:
    """The strokes of each entry."""
    return read("drawings")


@cache
def _steps(name: str) -> tuple[Step, ...]:
    return tuple(strokes(name, drawings()[name]))


class _Place(NamedTuple):
    """Where a stroke is: coordinates are multiplied by ``scale``, then moved by ``x`` and ``y``."""

    x: float = 0.0
    y: float = 0.0
    scale: Point = (1.0, 1.0)

    def at(self, point: Point) -> Point:
        return self.x + point[0] * self.scale[0], self.y + point[1] * self.scale[1]


def _compiled(entry: str, strokes: Sequence[Any], place: _Place) -> list[Step]:
    steps = []
    for stroke in strokes:
        cases = {stroke: ""} if isinstance(stroke, str) else stroke
        try:
            steps += _stroke(entry, cases, place)
        except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"drawings.yaml, {entry}: {stroke!r} cannot be read ({error}).") from error
    return steps


def _stroke(entry: str, cases: dict[str, Any], place: _Place) -> list[Step]:
    """The steps of one stroke: all but ``if`` have a single case."""
    head, value = next(iter(cases.items()))
    verb, _, rest = head.partition(" ")
    if verb in ("if", "unless"):
        return [_choice(entry, cases, place)]
    if verb == "at":
        spots, _ = _numbers(rest, place)
        return [step for x, y in spots for step in _compiled(entry, value, place._replace(x=x, y=y))]
    if verb == "scale":
        [(x, y)], _ = _numbers(rest)
        return _compiled(entry, value, place._replace(scale=(x, y)))
    if verb == "square":
        return [_square(rest, _compiled(entry, value, place))]
    if verb == "draw":
        return _compiled(rest, drawings()[rest], place) if rest in drawings() else [_part(rest, value, place)]
    if verb == "ink":
        ink = _ink(value)
        return [lambda brush: brush.inks.update({rest: ink(brush)})]
    if verb == "shape":
        paths = _paths(value, place)
        return [lambda brush: brush.shapes.update({rest: paths(brush)})]
    return [_fill(verb, rest, _paths(value, place))]


def _fill(verb: str, ink_text: str, paths: PathsOf) -> Step:
    text, _, alpha = ink_text.partition(" alpha ")
    ink = _ink(text)
    if verb == "flat":
        return lambda brush: brush.pen.flat(flat_ink(ink(brush)), *paths(brush), alpha=int(alpha or 255))
    shade = {"solid": True, "outlined": False}[verb]
    return lambda brush: brush.pen.fill(ink(brush), *paths(brush), shade=shade)


def _choice(entry: str, cases: dict[str, Any], place: _Place) -> Step:
    """``if``, ``unless``, ``elif`` and ``else``: the first case that holds is drawn."""
    branches = []
    for head, strokes in cases.items():
        verb, _, condition = head.partition(" ")
        branches.append((_condition(condition), verb == "unless", _compiled(entry, strokes, place)))

    def step(brush: Brush) -> None:
        for holds, negated, steps in branches:
            if holds(brush) != negated:
                for inner in steps:
                    inner(brush)
                return

    return step


def _condition(text: str) -> Condition:
    """Whether all parts joined by ``and`` hold; nothing (``else``) always does."""
    parts = [_test(part) for part in text.split(" and ")] if text else []
    return lambda brush: all(part(brush) for part in parts)


def _test(text: str) -> Condition:
    """Whether one of the words joined by ``or`` applies; or a limit of the brightness; or a chance."""
    word, *rest = text.split()
    if word == "chance":
        part = _hundredths(rest[0])
        return lambda brush: brush.look.rng.random() < part
    if word == "brightness":
        compare, limit = {"<": lt, ">": gt}[rest[0]], _hundredths(rest[1])
        return lambda brush: compare(brightness(brush.colour), limit)
    words = frozenset(text.split(" or "))
    return lambda brush: not words.isdisjoint(brush.words)


def _square(text: str, steps: Sequence[Step]) -> Step:
    """Steps in a frame with a side and, if it is not a square, a height in hundredths of the side."""
    [corner], sizes = _numbers(text)
    side, tall = sizes[0], sizes[1] if len(sizes) > 1 else 1.0

    def step(brush: Brush) -> None:
        pen = brush.pen
        height = side * pen.width / pen.height * tall
        frame = ShapeFrame(*corner, side, height, side * pen.width / pen.short)
        for inner in steps:
            inner(replace(brush, frame=frame))

    return step


def _part(name: str, text: str, place: _Place) -> Step:
    """A part that is computed, with the spot where it is and its size."""
    part = PARTS[name]
    points, numbers = _numbers(text, place) if text else ([], [])
    return lambda brush: part(brush, *points, *numbers)


def _paths(text: str, place: _Place) -> PathsOf:
    """The paths separated by semicolons, each a shape, a shape at several spots, or the name of paths."""
    found: list[str | list[Path]] = []
    for part in text.split(";"):
        word, _, rest = part.strip().partition(" ")
        if word not in _SHAPES:
            if "," in rest:
                raise ValueError(f"no shape is called {word!r}")
            found.append(part.strip())
            continue
        outline, _, spots = rest.partition(" at ")
        for x, y in _numbers(spots, place)[0] if spots else [(place.x, place.y)]:
            found.append([_SHAPES[word](*_numbers(outline, place._replace(x=x, y=y)))])

    def paths(brush: Brush) -> list[Path]:
        every: list[Path] = []
        for part in found:
            if isinstance(part, str):
                every += brush.shapes[part]
            else:
                every += [brush.frame.place(path) for path in part] if brush.frame else part
        return every

    return paths


def _numbers(text: str, place: _Place | None = None) -> tuple[list[Point], list[float]]:
    """The pairs of numbers, placed, and the single ones. They are written in hundredths and separated by commas."""
    points, numbers = [], []
    for part in text.split(","):
        values = [_hundredths(word) for word in part.split()]
        if len(values) == 1:
            numbers += values
        else:
            points.append(place.at((values[0], values[1])) if place else (values[0], values[1]))
    return points, numbers


def _hundredths(word: str) -> float:
    return float(f"{word}e-2")


def _ink(text: str) -> InkOf:
    """A colour or surface, in prefix notation: ``darker 30 colour if brightness > 40 else 92 78 74``."""
    if " if " in text:
        first, _, rest = text.partition(" if ")
        condition, _, second = rest.partition(" else ")
        yes, no, holds = _ink(first), _ink(second), _condition(condition)
        return lambda brush: yes(brush) if holds(brush) else no(brush)
    words = text.split()
    ink = _prefixed(words)
    if words:
        raise ValueError(f"{' '.join(words)!r} is left over")
    return ink


def _prefixed(words: list[str]) -> InkOf:
    """Take one ink from the front of the words."""
    word = words.pop(0)
    if word.isdigit():
        rgb = int(word), int(words.pop(0)), int(words.pop(0))
        return lambda brush: rgb
    if word in ("darker", "lighter"):
        part, inner = _hundredths(words.pop(0)), _prefixed(words)
        change = darker if word == "darker" else lighter
        return lambda brush: _changed(inner(brush), change, part)
    if word == "mix":
        part, inner, other = _hundredths(words.pop(0)), _prefixed(words), _prefixed(words)
        return lambda brush: mix(flat_ink(inner(brush)), flat_ink(other(brush)), part)
    if word == "pattern":
        pattern, inner, other = words.pop(0), _prefixed(words), _prefixed(words)
        return lambda brush: Surface(flat_ink(inner(brush)), pattern, other=flat_ink(other(brush)))
    if word == "plain":
        inner = _prefixed(words)
        return lambda brush: replace(_surface(inner(brush)), pattern="plain")
    if word == "bare" or (word in _MATERIALS and words):
        inner, material = _prefixed(words), "" if word == "bare" else word
        return lambda brush: replace(_surface(inner(brush)), material=material)
    return lambda brush: brush.inks[word] if word in brush.inks else _INKS[word]


def _surface(ink: Ink) -> Surface:
    return ink if isinstance(ink, Surface) else Surface(ink)


def _changed(ink: Ink, change: Callable[[Rgb, float], Rgb], part: float) -> Ink:
    """A darker or lighter ink: of a surface only the colour changes."""
    if isinstance(ink, Surface):
        return replace(ink, colour=change(ink.colour, part))
    return change(ink, part)
