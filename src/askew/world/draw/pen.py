"""A pen that draws in the box of one thing: shapes in relative coordinates, filled with a surface, outlined and shaded.

The shapes of one body are filled together, so it has a single outline and a single soft shade along its lower right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

from PIL import Image, ImageChops, ImageDraw

from askew.types import Thing
from askew.world.draw.shapes import Path, Point, ShapeFrame
from askew.world.draw.surface import WOOD, Rgb, Surface, brightness, cover, darker, lighter, palette, shade_of
from askew.world.layout import Box
from askew.world.world_data import dimensions

Placed: TypeAlias = tuple[list[Point], float]
"""A path in pixels: its points, and the width of a stroke or 0."""


@dataclass
class Pen:
    """Draws into the box of one thing. ``side`` -1 mirrors it. ``unit`` is 1/224 of the image, in pixels."""

    image: Image.Image
    box: Box
    side: int
    unit: float
    rng: Random
    dry: bool = False
    """Only measure: nothing is painted; ``reach`` grows to what would be painted."""
    reach: tuple[float, float, float, float] | None = None
    """What the sketch spans in its own coordinates (left, top, right, bottom); it is stretched to fill the box."""
    bodies: list[list[Point]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.opaque = ImageDraw.Draw(self.image)
        self.line = max(1, round(1.1 * self.unit))
        x, y, width, height = self.box
        inset = self.line / 2
        left, top, right, bottom = self.reach or (0.0, 0.0, 1.0, 1.0)
        self.width, self.height = (width - 2 * inset) / (right - left), (height - 2 * inset) / (bottom - top)
        self.left, self.top = x + inset - left * self.width, y + inset - top * self.height
        if self.side < 0:
            self.left = x + width - inset + left * self.width
        self.short = min(self.width, self.height)

    def at(self, point: Point) -> Point:
        """A point of the sketch in pixels."""
        return self.left + self.side * point[0] * self.width, self.top + point[1] * self.height

    def pixels(self, path: Path) -> list[Point]:
        """The path in pixels."""
        left, top, width, height = self.left, self.top, self.side * self.width, self.height
        return [(left + x * width, top + y * height) for x, y in path.points]

    def measure(self, paths: Sequence[Path]) -> None:
        """Widen ``reach`` to these paths."""
        left, top, right, bottom = self.reach or (1e9, 1e9, -1e9, -1e9)
        for path in paths:
            dx, dy = (path.width * self.short / length / 2 for length in (self.width, self.height))
            xs, ys = zip(*path.points, strict=True)
            left, right = min(left, min(xs) - dx), max(right, max(xs) + dx)
            top, bottom = min(top, min(ys) - dy), max(bottom, max(ys) + dy)
        self.reach = (left, top, right, bottom)

    def fill(self, surface: Surface | Rgb, *paths: Path, shade: bool = True, outline: bool = True) -> None:
        """Fill the shapes as one body."""
        if isinstance(surface, tuple):
            surface = Surface(surface)
        if self.dry:
            self.measure(paths)
            return
        placed = [(self.pixels(path), path.width * self.short) for path in paths]
        self.bodies += [points for points, width in placed if not width]
        dark = darker(surface.colour, 0.34) if brightness(surface.colour) > 0.3 else lighter(surface.colour, 0.12)
        if surface.material == "glass":
            self._pane(surface, dark, placed)
            return
        if outline:
            _trace(self.opaque, placed, dark, self.line)
        if surface.plain:
            _trace(self.opaque, placed, surface.colour, 0)
        if surface.plain and not shade:
            return
        frame = self._frame(placed)
        mask = _mask(placed, frame, 0)
        if not surface.plain:
            cover(self.image, frame, mask, surface, self.unit, self.rng)
        if shade:
            depth = max(2, round(min(frame[2] - frame[0], frame[3] - frame[1]) * 0.10))
            crescent = ImageChops.subtract(mask, _shifted(mask, -depth, -depth))
            self.image.paste(darker(surface.colour, 0.45), frame, crescent.point(_FAINT))

    def _pane(self, surface: Surface, dark: Rgb, placed: Sequence[Placed]) -> None:
        """Draw a transparent body: its edge, and the surface over what is behind it."""
        frame = self._frame(placed)
        mask = _mask(placed, frame, 0)
        self.image.paste(dark, frame, ImageChops.subtract(_mask(placed, frame, self.line), mask))
        cover(self.image, frame, mask, surface, self.unit, self.rng)

    def flat(self, colour: Rgb, *paths: Path, alpha: int = 255) -> None:
        """Fill or stroke shapes in a flat colour: details."""
        if self.dry:
            self.measure(paths)
            return
        pencil, ink = (self.opaque, colour) if alpha == 255 else (self.draw, (*colour, alpha))
        for path in paths:
            points = self.pixels(path)
            width = max(1, round(path.width * self.short))
            if len(points) == 1:
                [(x, y)], r = points, path.width / 2 * self.short
                self.draw.ellipse((x - r, y - r, x + r, y + r), fill=(*colour, alpha))
            elif not path.width:
                pencil.polygon(points, fill=ink)
            elif alpha == 255:
                _stroke(pencil, points, width, colour)
            else:
                pencil.line(points, fill=ink, width=width, joint="curve")

    def inside(self, count: int) -> list[Point]:
        """Random points (pixels) on the largest bodies drawn so far, at some distance from each other."""
        shapes = sorted(self.bodies, key=_spread, reverse=True)[:2]
        found: list[Point] = []
        for attempt in range(count * 12):
            points = shapes[attempt % len(shapes)] if shapes else []
            xs, ys = [p[0] for p in points], [p[1] for p in points]
            spot = (self.rng.uniform(min(xs), max(xs)), self.rng.uniform(min(ys), max(ys)))
            near = any(abs(spot[0] - x) + abs(spot[1] - y) < 7 * self.unit for x, y in found)
            if not near and _within(spot, points):
                found.append(spot)
            if len(found) == count:
                break
        return found

    def _frame(self, placed: Sequence[Placed]) -> tuple[int, int, int, int]:
        margin = self.line + max(width for _, width in placed) / 2 + 1
        xs = [x for points, _ in placed for x, _ in points]
        ys = [y for points, _ in placed for _, y in points]
        return int(min(xs) - margin), int(min(ys) - margin), int(max(xs) + margin) + 1, int(max(ys) + margin) + 1


_FAINT = [round(level * 0.34) for level in range(256)]


def _mask(placed: Sequence[Placed], frame: tuple[int, int, int, int], grow: int) -> Image.Image:
    """A mask of the frame that is white inside the shapes, each side enlarged by half of ``grow``."""
    mask = Image.new("L", (frame[2] - frame[0], frame[3] - frame[1]))
    local = [([(x - frame[0], y - frame[1]) for x, y in points], width) for points, width in placed]
    _trace(ImageDraw.Draw(mask), local, 255, grow)
    return mask


def _trace(pencil: ImageDraw.ImageDraw, placed: Sequence[Placed], ink: Rgb | int, grow: int) -> None:
    """Fill the shapes with one ink, each side enlarged by half of ``grow``."""
    for points, width in placed:
        if width:
            _stroke(pencil, points, max(1, round(width) + grow), ink)
            continue
        pencil.polygon(points, fill=ink)
        if grow:
            pencil.line([*points, points[0], points[1]], fill=ink, width=grow, joint="curve")


def _stroke(pencil: ImageDraw.ImageDraw, points: list[Point], width: int, ink: Rgb | int) -> None:
    pencil.line(points, fill=ink, width=width)
    r = width / 2
    for x, y in points if width > 3 else ():
        pencil.ellipse((x - r, y - r, x + r, y + r), fill=ink)


def _shifted(mask: Image.Image, dx: int, dy: int) -> Image.Image:
    moved = Image.new("L", mask.size)
    moved.paste(mask, (dx, dy))
    return moved


def _spread(points: list[Point]) -> float:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return (max(xs) - min(xs)) * (max(ys) - min(ys))


def _within(spot: Point, points: list[Point]) -> bool:
    """Whether the point is in the polygon (crossings of a ray to the right)."""
    x, y = spot
    odd = False
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd


@dataclass(frozen=True)
class Look:
    """A thing's name and attributes, its colour and surface, and its own random numbers."""

    name: str
    words: frozenset[str]
    colour: Rgb
    surface: Surface
    rng: Random
    time: str = "day"

    def __contains__(self, word: str) -> bool:
        return word in self.words


Ink: TypeAlias = Surface | Rgb


@dataclass(frozen=True)
class Brush:
    """What the strokes of a drawing use: pen and look, the words that apply, and the inks and shapes named so far."""

    pen: Pen
    look: Look
    words: frozenset[str]
    inks: dict[str, Ink]
    shapes: dict[str, list[Path]] = field(default_factory=dict)
    frame: ShapeFrame | None = None

    @property
    def colour(self) -> Rgb:
        """The main colour."""
        return flat_ink(self.inks["colour"])


def brush(pen: Pen, look: Look, *words: str, frame: ShapeFrame | None = None, **inks: Ink) -> Brush:
    """A brush for a thing, with further words and inks."""
    shape = ["wide"] if pen.width > pen.height else []
    applies = look.words.union(words, (look.name, look.time), shape)
    own: dict[str, Ink] = {"colour": look.colour, "surface": look.surface, "coat": _coat(look)}
    return Brush(pen, look, applies, own | inks, frame=frame)


def flat_ink(ink: Ink) -> Rgb:
    """The colour of an ink."""
    return ink.colour if isinstance(ink, Surface) else ink


def _coat(look: Look) -> Surface:
    """The surface of an animal: spots of large animals are patches."""
    if look.surface.pattern != "spotted":
        return look.surface
    other = darker(look.colour, 0.55) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.6)
    return replace(look.surface, pattern="patched", other=other)


def look_of(thing: Thing, seed: str, time: str = "day") -> Look:
    """The look of a thing; ``seed`` makes it differ from others of its class."""
    rng = Random(f"{seed}:{thing.id}:look")
    words = frozenset(thing.attributes)
    named = next((word for word in thing.attributes if word in dimensions()["colour"]), None)
    pattern = next((word for word in thing.attributes if word in dimensions()["pattern"]), "plain")
    material = next((word for word in thing.attributes if word in dimensions()["material"]), "")
    unsaid = {"wooden": WOOD, "glass": (206, 228, 236)}.get(material, palette()["white"])
    colour = shade_of(named, rng) if named else unsaid
    return Look(thing.name, words, colour, Surface(colour, pattern, material), rng, time)
