"""A picture that is begun: bands, hills and flecks in the light of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from math import sin
from random import Random

from PIL import Image, ImageDraw

from askew.types import Scene
from askew.world.draw.palette import Rgb, mix
from askew.world.draw.weather import tinted


def gradient(size: tuple[int, int], upper: Rgb, lower: Rgb) -> Image.Image:
    """A smooth change from the upper colour to the lower."""
    strip = Image.new("RGB", (1, 4))
    strip.putdata([upper, mix(upper, lower, 1 / 3), mix(upper, lower, 2 / 3), lower])
    return strip.resize((1, size[1]), Image.Resampling.BILINEAR).resize(size, Image.Resampling.NEAREST)


@dataclass(frozen=True)
class Canvas:
    """A picture that is begun: its size, where the ground begins (pixels) and what one must know of the scene."""

    image: Image.Image
    draw: ImageDraw.ImageDraw
    ground: int
    unit: float
    rng: Random
    scene: Scene

    @property
    def width(self) -> int:
        """Pixels across."""
        return self.image.width

    @property
    def height(self) -> int:
        """Pixels down."""
        return self.image.height

    def tone(self, colour: Rgb) -> Rgb:
        """The colour in this light."""
        return tinted(colour, self.scene.facts)

    def area(self, top: float, bottom: float, upper: Rgb, lower: Rgb) -> None:
        """A band across the picture, shaded from the upper colour to the lower."""
        start, stop = round(top), round(bottom)
        if stop > start:
            self.image.paste(gradient((self.width, stop - start), self.tone(upper), self.tone(lower)), (0, start))

    def hills(self, foot: float, high: float, colour: Rgb, waves: int = 3) -> None:
        """A line of hills that ends at ``foot``."""
        shift = self.rng.uniform(0, 6)
        points = []
        for k in range(25):
            x = k / 24
            y = foot - high * (0.55 + 0.3 * sin(shift + x * waves * 2.2) + 0.15 * sin(2 * shift + x * waves * 5.1))
            points.append((x * self.width, y))
        self.draw.polygon([(0, foot + 1), *points, (self.width, foot + 1)], fill=self.tone(colour))

    def flecks(self, count: int, top: float, colour: Rgb, long: float, high: float) -> None:
        """Small flat marks on the ground, larger towards the front."""
        ink = self.tone(colour)
        for _ in range(count):
            depth = self.rng.random()
            y = top + (self.height - top) * depth
            x = self.rng.uniform(0, self.width)
            a, b = long * self.unit * (0.4 + 0.6 * depth), high * self.unit * (0.4 + 0.6 * depth)
            self.draw.ellipse((x - a, y - b, x + a, y + b), fill=ink)

    def tufts(self, count: int, top: float, colour: Rgb) -> None:
        """Small tufts of grass."""
        ink = self.tone(colour)
        for _ in range(count):
            depth = self.rng.random()
            x, y = self.rng.uniform(0, self.width), top + (self.height - top) * depth
            s = self.unit * (1.6 + 2.4 * depth)
            for dx in (-0.7, 0.0, 0.7):
                self.draw.line(
                    [(x, y), (x + dx * s, y - s * (1.6 - abs(dx)))], fill=ink, width=max(1, round(0.7 * self.unit))
                )
