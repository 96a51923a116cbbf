"""Common corruptions of a whole image, each in five severities (after ImageNet-C: Hendrycks & Dietterich 2019).

These go beyond CARETS. All use integer arithmetic or a table, so pixels are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from askew.errors import BadOption
from askew.files.images import Encoding, check_encoding, encode
from askew.files.read_write import resource
from askew.perturb.visual.hide_background import gaussian
from askew.perturb.visual.shifts import recompressed
from askew.perturb.visual.weather_and_motion import fog, impulse, motion, pixelate, shot, snow, zoom
from askew.perturb.visual.which_images import (
    check_which,
    chosen_places,
    open_images,
    place_seed,
    reason_without,
    with_changed,
)
from askew.types import Expect, Question, Refusal, Variant

KINDS = ("noise", "blur", "bright", "contrast", "jpeg")
"""The usual ones."""
ALL_KINDS = (*KINDS, "shot", "impulse", "motion", "zoom", "fog", "snow", "pixelate")
SEVERITIES = (1, 2, 3, 4, 5)

_LEVELS = 1 << 16


@dataclass(frozen=True)
class Corruption:
    """Common corruptions of the whole image in five severities (after Hendrycks & Dietterich 2019).

    The note of each variant has its ``level``, so that accuracy can be plotted against severity.
    """

    kinds: tuple[str, ...] = KINDS
    severities: tuple[int, ...] = SEVERITIES
    encoding: Encoding = "jpeg"
    """The file format of the corrupted images."""
    images: str = field(default="all", repr=False)
    """Which of several images: ``all``, ``each`` alone, or a number from 1. The noise of an image does not depend on
    it, so it is not in the repr."""

    def __post_init__(self) -> None:
        if not self.kinds or not self.severities:
            raise BadOption(f"No corruption is given. Give some of {', '.join(ALL_KINDS)} and severities from 1 to 5.")
        check_encoding(self.encoding)
        check_which(self.images)
        for kind in self.kinds:
            for severity in self.severities:
                check_corruption(kind, severity)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question with its images corrupted in each way."""
        images = open_images(question)
        places = [] if isinstance(images, str) else chosen_places(self.images, len(images))
        if isinstance(images, str) or not places:
            reason = images if isinstance(images, str) else reason_without(self.images, images)
            yield from (Refusal(question.id, kind, reason) for kind in self.kinds)
            return
        seed = rng.random()
        for kind in self.kinds:
            for severity in self.severities:
                for chosen in places:
                    results = {}
                    for place in chosen:
                        chance = Random(place_seed(f"{seed}:{kind}:{severity}", place))
                        results[place] = encode(corrupted(images[place], kind, severity, chance), self.encoding)
                    changed, note = with_changed(question, f"corruption-{kind}-{severity}", results)
                    yield Variant(changed, Expect.SAME, kind, f"corruption/{kind}", {"level": severity, **note})


def check_corruption(kind: str, severity: int) -> None:
    """Raise BadOption for an unknown corruption or severity, before any image is changed."""
    if kind not in ALL_KINDS:
        raise BadOption(f"No corruption is called {kind!r}. Known: {', '.join(ALL_KINDS)}.")
    if severity not in SEVERITIES:
        raise BadOption(f"{kind}: the severity is {severity}. Give 1 to 5.")


def corrupted(image: Image.Image, kind: str, severity: int, rng: Random) -> Image.Image:
    """The corrupted image; only noise, motion, fog and snow use the random generator.

    >>> corrupted(Image.new("RGB", (1, 1), (100, 50, 0)), "bright", 5, Random(0)).getpixel((0, 0))
    (228, 114, 0)
    """
    check_corruption(kind, severity)
    return _CORRUPT[kind](image, resource("perturb/visual/corruptions.yaml")[kind][severity - 1], rng)


def _noise(image: Image.Image, strength: float, rng: Random) -> Image.Image:
    """Independent Gaussian noise on every value, clipped at black and white."""
    values = np.asarray(image, dtype=np.int16)
    drawn = np.frombuffer(rng.randbytes(2 * values.size), dtype="<u2")
    noisy = values + _normal(strength)[drawn].reshape(values.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


@cache
def _normal(strength: float) -> npt.NDArray[np.int16]:
    """The quantiles of the normal distribution in levels of 255, one for each 16-bit number."""
    normal = NormalDist(0, 255 * strength)
    half = [round(normal.inv_cdf((place + 0.5) / _LEVELS)) for place in range(_LEVELS // 2)]
    return np.array([*half, *(-level for level in reversed(half))], dtype=np.int16)


def _bright(image: Image.Image, strength: float, rng: Random) -> Image.Image:
    """Raise the brightest channel, to 255 at most, and scale the others in proportion; black becomes grey."""
    values = np.asarray(image, dtype=np.int32)
    most = values.max(axis=2, keepdims=True)
    wanted = np.minimum(255, most + _rounded(255 * strength))
    scaled = (2 * values * wanted + most) // np.maximum(1, 2 * most)
    return Image.fromarray(np.where(most == 0, wanted, scaled).astype(np.uint8))


def _contrast(image: Image.Image, strength: float, rng: Random) -> Image.Image:
    """Move every value towards the mean of its channel."""
    values = np.asarray(image, dtype=np.int64)
    pixels = values.shape[0] * values.shape[1]
    mean = (2 * values.sum(axis=(0, 1)) + pixels) // (2 * pixels)
    part = _rounded(1000 * strength)
    return Image.fromarray(((1000 * mean + part * (values - mean) + 500) // 1000).astype(np.uint8))


def _rounded(value: float) -> int:
    return int(value + 0.5)


_CORRUPT: Mapping[str, Callable[[Image.Image, Any, Random], Image.Image]] = {
    "noise": _noise,
    "blur": lambda image, strength, rng: gaussian(image, strength),
    "bright": _bright,
    "contrast": _contrast,
    "jpeg": lambda image, strength, rng: recompressed(image, strength),
    "shot": shot,
    "impulse": impulse,
    "motion": motion,
    "zoom": zoom,
    "fog": fog,
    "snow": snow,
    "pixelate": pixelate,
}
