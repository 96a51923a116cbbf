"""Paths in relative coordinates: polygons, smooth shapes, ellipses, rectangles, strokes and spots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Path:
    """A closed shape (width 0), a stroke with round ends, or a spot (a single point).

    The width of a stroke, or of a spot, is a fraction of the box's shorter side.
    """

    points: tuple[Point, ...]
    width: float = 0.0


def poly(*points: Point) -> Path:
    """A polygon."""
    return Path(points)


def blob(*points: Point) -> Path:
    """A smooth closed shape through the points (Catmull-Rom)."""
    return Path(_smooth(points, closed=True))


def oval(left: float, top: float, right: float, bottom: float) -> Path:
    """An ellipse in a box."""
    cx, cy, rx, ry = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
    return Path(tuple((cx + rx * cos(a * pi / 16), cy + ry * sin(a * pi / 16)) for a in range(32)))


def ring(left: float, top: float, right: float, bottom: float, width: float) -> Path:
    """A stroke around an ellipse in a box."""
    points = oval(left, top, right, bottom).points
    return Path((*points, *points[:2]), width)


def octagon(center: Point, radius: float) -> Path:
    """A regular octagon, standing on a side."""
    corners = [pi / 8 + k * pi / 4 for k in range(8)]
    return Path(tuple((center[0] + radius * cos(a), center[1] + radius * sin(a)) for a in corners))


def slab(left: float, top: float, right: float, bottom: float, corner: float = 0.15) -> Path:
    """A rectangle with round corners; ``corner`` is a fraction of its shorter side."""
    r = corner * min(right - left, bottom - top)
    points = []
    for cx, cy, start in (
        (right - r, top + r, 3),
        (right - r, bottom - r, 0),
        (left + r, bottom - r, 1),
        (left + r, top + r, 2),
    ):
        points += [(cx + r * cos((start + k / 3) * pi / 2), cy + r * sin((start + k / 3) * pi / 2)) for k in range(4)]
    return Path(tuple(points))


def limb(width: float, *points: Point) -> Path:
    """A stroke along straight pieces."""
    return Path(points, width)


def curve(width: float, *points: Point) -> Path:
    """A smooth stroke through the points."""
    return Path(_smooth(points, closed=False), width)


def dot(center: Point, radius: float) -> Path:
    """A round spot."""
    return Path((center,), 2 * radius)


@dataclass(frozen=True, slots=True)
class ShapeFrame:
    """A part of a box with coordinates of its own: where they begin, and how large their unit is."""

    left: float
    top: float
    width: float
    height: float
    thick: float
    """The unit of the widths of strokes."""

    def place(self, path: Path) -> Path:
        """The path in the coordinates of the box."""
        points = ((self.left + x * self.width, self.top + y * self.height) for x, y in path.points)
        return Path(tuple(points), path.width * self.thick)


def _smooth(points: Sequence[Point], closed: bool, steps: int = 5) -> tuple[Point, ...]:
    n = len(points)
    out = []
    for i in range(n if closed else n - 1):
        a, b = points[i - 1 if closed or i else 0], points[i]
        c, d = points[(i + 1) % n], points[(i + 2) % n if closed else min(i + 2, n - 1)]
        for step in range(steps):
            t = step / steps
            out.append((_cubic(a[0], b[0], c[0], d[0], t), _cubic(a[1], b[1], c[1], d[1], t)))
    return tuple(out) if closed else (*out, points[-1])


def _cubic(a: float, b: float, c: float, d: float, t: float) -> float:
    """Catmull-Rom between b and c."""
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
