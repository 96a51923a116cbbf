"""The canvas of a scene: sky and weather, bands, hills and flecks in the light of the scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sin
from random import Random
from typing import Literal

from PIL import Image, ImageDraw

from askew.types import Scene
from askew.world.draw.shapes import Point
from askew.world.draw.surface import Rgb, mix


def gradient(size: tuple[int, int], upper: Rgb, lower: Rgb) -> Image.Image:
    """A vertical gradient from the upper colour to the lower."""
    strip = Image.new("RGB", (1, 4))
    strip.putdata([upper, mix(upper, lower, 1 / 3), mix(upper, lower, 2 / 3), lower])
    return strip.resize((1, size[1]), Image.Resampling.BILINEAR).resize(size, Image.Resampling.NEAREST)


@dataclass(frozen=True)
class Canvas:
    """An image being drawn, with the row where the ground begins (pixels), the scene and its random numbers.

    Colours are given as in full daylight and drawn in the light of the scene; places are pixels.
    """

    image: Image.Image
    draw: ImageDraw.ImageDraw
    ground: int
    unit: float
    rng: Random
    scene: Scene

    @property
    def width(self) -> int:
        """Width in pixels."""
        return self.image.width

    @property
    def height(self) -> int:
        """Height in pixels."""
        return self.image.height

    def tone(self, colour: Rgb) -> Rgb:
        """The colour in this light."""
        return tinted(colour, self.scene.facts)

    def thick(self, units: float) -> int:
        """The width of a line in pixels."""
        return max(1, round(units * self.unit))

    def line(
        self, colour: Rgb, units: float, *points: Point, alpha: int = 255, joint: Literal["curve"] | None = None
    ) -> None:
        """A line through the points, this many units wide."""
        self.draw.line(points, (*self.tone(colour), alpha), self.thick(units), joint)

    def shape(self, colour: Rgb, *points: Point) -> None:
        """A polygon."""
        self.draw.polygon(points, fill=self.tone(colour))

    def box(self, colour: Rgb | None, *corners: float, edge: Rgb | None = None, units: float = 1.0) -> None:
        """A rectangle (left, top, right, bottom), filled or with an edge or both."""
        self.draw.rectangle(corners, colour and self.tone(colour), edge and self.tone(edge), self.thick(units))

    def oval(self, colour: Rgb | None, *corners: float, edge: Rgb | None = None, units: float = 1.0) -> None:
        """An ellipse in a box, filled or with an edge or both."""
        self.draw.ellipse(corners, colour and self.tone(colour), edge and self.tone(edge), self.thick(units))

    def area(self, top: float, bottom: float, upper: Rgb, lower: Rgb) -> None:
        """A band across the image, with a gradient from the upper colour to the lower."""
        start, stop = round(top), round(bottom)
        if stop > start:
            self.image.paste(gradient((self.width, stop - start), self.tone(upper), self.tone(lower)), (0, start))

    def hills(self, foot: float, high: float, colour: Rgb, waves: int = 3) -> None:
        """A line of hills whose lower edge is at ``foot``."""
        shift = self.rng.uniform(0, 6)
        points = []
        for k in range(25):
            x = k / 24
            y = foot - high * (0.55 + 0.3 * sin(shift + x * waves * 2.2) + 0.15 * sin(2 * shift + x * waves * 5.1))
            points.append((x * self.width, y))
        self.shape(colour, (0, foot + 1), *points, (self.width, foot + 1))

    def flecks(self, count: int, top: float, colour: Rgb, long: float, high: float) -> None:
        """Small flat marks on the ground, larger towards the front."""
        for _ in range(count):
            depth = self.rng.random()
            y = top + (self.height - top) * depth
            x = self.rng.uniform(0, self.width)
            a, b = long * self.unit * (0.4 + 0.6 * depth), high * self.unit * (0.4 + 0.6 * depth)
            self.oval(colour, x - a, y - b, x + a, y + b)

    def tufts(self, count: int, top: float, colour: Rgb) -> None:
        """Small tufts of grass."""
        for _ in range(count):
            depth = self.rng.random()
            x, y = self.rng.uniform(0, self.width), top + (self.height - top) * depth
            s = self.unit * (1.6 + 2.4 * depth)
            for dx in (-0.7, 0.0, 0.7):
                self.line(colour, 0.7, (x, y), (x + dx * s, y - s * (1.6 - abs(dx))))


_SKIES: dict[str, tuple[Rgb, Rgb]] = {
    "sunny": ((124, 192, 236), (214, 236, 242)),
    "cloudy": ((164, 180, 196), (214, 220, 224)),
    "rainy": ((112, 126, 146), (170, 180, 190)),
    "snowy": ((190, 204, 220), (232, 238, 242)),
}
_EVENING: tuple[Rgb, Rgb] = ((112, 106, 164), (252, 184, 126))
_NIGHT: tuple[Rgb, Rgb] = ((24, 30, 70), (66, 76, 126))


def tinted(colour: Rgb, facts: Mapping[str, str]) -> Rgb:
    """The colour of the ground and of distant things in this light and weather; rooms are always lit."""
    if facts.get("setting") == "indoors":
        return colour
    weather, time = facts.get("weather"), facts.get("time")
    if weather == "snowy":
        colour = mix(colour, (240, 244, 250), 0.72)
    elif weather == "rainy":
        colour = mix(colour, (104, 116, 134), 0.24)
    elif weather == "cloudy":
        colour = mix(colour, (170, 176, 184), 0.12)
    if time == "night":
        return mix(colour, (30, 36, 84), 0.52)
    return mix(colour, (250, 160, 110), 0.16) if time == "evening" else colour


def sky(image: Image.Image, horizon: int, facts: Mapping[str, str], rng: Random) -> None:
    """The sky down to the horizon, with sun or moon, stars and clouds."""
    weather, time = facts.get("weather", "sunny"), facts.get("time", "day")
    upper, lower = _SKIES[weather]
    if time != "day":
        dusk = _EVENING if time == "evening" else _NIGHT
        part = 0.85 if weather == "sunny" else 0.62
        upper, lower = mix(upper, dusk[0], part), mix(lower, dusk[1], part)
    image.paste(gradient((image.width, horizon + 2), upper, lower), (0, 0))
    draw, unit = ImageDraw.Draw(image, "RGBA"), min(image.size) / 224
    _lights(draw, image.width, horizon, weather, time, unit, rng)
    many = {"sunny": rng.choice((1, 2)), "cloudy": 6, "rainy": 6, "snowy": 4}[weather]
    white: Rgb = {"day": (255, 255, 255), "evening": (255, 214, 190), "night": (110, 120, 164)}[time]
    tone = mix(white, (118, 128, 144), {"sunny": 0.0, "cloudy": 0.22, "rainy": 0.55, "snowy": 0.12}[weather])
    for k in range(many):
        x = image.width * ((k + rng.uniform(0.1, 0.9)) / many)
        _cloud(draw, x, horizon * rng.uniform(0.10, 0.5), unit * rng.uniform(8, 15), tone, rng)


def _lights(
    draw: ImageDraw.ImageDraw, width: int, horizon: int, weather: str, time: str, unit: float, rng: Random
) -> None:
    x = width * rng.uniform(0.12, 0.88)
    if time == "night":
        if weather == "sunny":
            for _ in range(34):
                a, b, r = rng.uniform(0, width), rng.uniform(0, horizon * 0.9), unit * rng.uniform(0.4, 0.9)
                draw.ellipse((a - r, b - r, a + r, b + r), fill=(246, 244, 220, 220))
        _disc(draw, x, horizon * 0.22, 9 * unit, (248, 244, 214), unit)
    elif weather == "sunny" and time == "evening":
        _disc(draw, x, horizon * 0.80, 15 * unit, (255, 214, 120), unit)
    elif weather == "sunny":
        _disc(draw, x, horizon * 0.20, 12 * unit, (255, 228, 120), unit)


def _disc(draw: ImageDraw.ImageDraw, x: float, y: float, r: float, colour: Rgb, unit: float) -> None:
    for grow, alpha in ((2.1, 40), (1.5, 60)):
        draw.ellipse((x - r * grow, y - r * grow, x + r * grow, y + r * grow), fill=(*colour, alpha))
    draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def _cloud(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: Rgb, rng: Random) -> None:
    puffs = ((-1.5, 0.1, 0.7), (-0.7, -0.35, 0.85), (0.25, -0.5, 1.0), (1.1, -0.1, 0.75), (1.8, 0.2, 0.5))
    draw.rounded_rectangle((x - 2.0 * size, y - 0.05 * size, x + 2.2 * size, y + 0.7 * size), 0.35 * size, fill=colour)
    for dx, dy, r in puffs:
        r *= rng.uniform(0.85, 1.1)
        draw.ellipse(
            (x + (dx - r) * size, y + (dy - r * 0.8) * size, x + (dx + r) * size, y + (dy + r * 0.8) * size),
            fill=colour,
        )
