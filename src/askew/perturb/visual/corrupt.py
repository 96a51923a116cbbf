"""Common corruptions of a whole picture, each in five severities (after ImageNet-C: Hendrycks & Dietterich 2019).

This goes beyond CARETS. Everything is whole-number arithmetic or a table, so that pixels are the same everywhere.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from PIL import Image

from askew.errors import BadOption
from askew.images import open_encoded
from askew.perturb.visual.keep import gaussian
from askew.shipped import shipped

KINDS = ("noise", "blur", "bright", "contrast", "jpeg")
SEVERITIES = (1, 2, 3, 4, 5)

_LEVELS = 1 << 16


def check_corruption(kind: str, severity: int) -> None:
    """Refuse what is no corruption, where it is asked for rather than where it is first made."""
    if kind not in KINDS:
        raise BadOption(f"No corruption is called {kind!r}. Known: {', '.join(KINDS)}.")
    if severity not in SEVERITIES:
        raise BadOption(f"{kind}: the severity is {severity}; it goes from 1 to 5.")


def corrupted(picture: Image.Image, kind: str, severity: int, rng: Random) -> Image.Image:
    """The picture corrupted; only noise looks at the chance.

    >>> corrupted(Image.new("RGB", (1, 1), (100, 50, 0)), "bright", 5, Random(0)).getpixel((0, 0))
    (228, 114, 0)
    """
    check_corruption(kind, severity)
    return _MADE[kind](picture, _strengths()[kind][severity - 1], rng)


@cache
def _strengths() -> Mapping[str, tuple[float, ...]]:
    return {kind: tuple(values) for kind, values in shipped("perturb/visual/corruptions.yaml").items()}


def _noise(picture: Image.Image, strength: float, rng: Random) -> Image.Image:
    """Independent Gaussian noise on every value, cut off at black and white."""
    values = np.asarray(picture, dtype=np.int16)
    drawn = np.frombuffer(rng.randbytes(2 * values.size), dtype="<u2")
    noisy = values + _normal(strength)[drawn].reshape(values.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


@cache
def _normal(strength: float) -> npt.NDArray[np.int16]:
    """The quantiles of the normal distribution in levels of 255, for each number of 16 bits."""
    normal = NormalDist(0, 255 * strength)
    half = [round(normal.inv_cdf((place + 0.5) / _LEVELS)) for place in range(_LEVELS // 2)]
    return np.array([*half, *(-level for level in reversed(half))], dtype=np.int16)


def _blur(picture: Image.Image, strength: float, rng: Random) -> Image.Image:
    return gaussian(picture, strength)


def _bright(picture: Image.Image, strength: float, rng: Random) -> Image.Image:
    """More of the brightest channel, at most all of it, and of the others in proportion; black becomes grey."""
    values = np.asarray(picture, dtype=np.int32)
    most = values.max(axis=2, keepdims=True)
    wanted = np.minimum(255, most + _rounded(255 * strength))
    scaled = (2 * values * wanted + most) // np.maximum(1, 2 * most)
    return Image.fromarray(np.where(most == 0, wanted, scaled).astype(np.uint8))


def _contrast(picture: Image.Image, strength: float, rng: Random) -> Image.Image:
    """Every value moved towards its channel's mean."""
    values = np.asarray(picture, dtype=np.int64)
    pixels = values.shape[0] * values.shape[1]
    mean = (2 * values.sum(axis=(0, 1)) + pixels) // (2 * pixels)
    part = _rounded(1000 * strength)
    return Image.fromarray(((1000 * mean + part * (values - mean) + 500) // 1000).astype(np.uint8))


def _jpeg(picture: Image.Image, strength: float, rng: Random) -> Image.Image:
    """Compressed and read again."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=int(strength))
    return open_encoded(buffer, ("JPEG",), picture.width * picture.height).convert("RGB")


def _rounded(value: float) -> int:
    return int(value + 0.5)


_MADE: Mapping[str, Callable[[Image.Image, float, Random], Image.Image]] = {
    "noise": _noise,
    "blur": _blur,
    "bright": _bright,
    "contrast": _contrast,
    "jpeg": _jpeg,
}
