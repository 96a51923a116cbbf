"""The common corruptions besides noise, blur, brightness, contrast and JPEG (after Hendrycks & Dietterich 2019).

Shot and impulse noise, motion and zoom blur, fog, snow and coarse pixels; written from the paper's description with the
strengths of ImageNet-C. Chance comes from the generator as whole numbers, and arithmetic is in integers.
"""

from __future__ import annotations

from functools import cache
from math import cos, exp, radians, sin
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

Pixels = npt.NDArray[np.int64]
_LEVELS = 1 << 16
_SHARES = 1000
"""Shares are in thousandths."""


def shot(image: Image.Image, photons: float, rng: Random) -> Image.Image:
    """Each value is a count of photons, Poisson distributed; white is ``photons`` on average."""
    values = _pixels(image)
    drawn = _drawn(rng, values.size).reshape(values.shape)
    found = np.empty_like(values)
    for value in np.unique(values):
        here = values == value
        counts = np.searchsorted(_poisson(int(value), photons), drawn[here], side="right")
        found[here] = np.minimum(255, (2 * 255 * counts + round(photons)) // (2 * round(photons)))
    return _image(found)


@cache
def _poisson(value: int, photons: float) -> npt.NDArray[np.int64]:
    """The cumulative distribution of the counts of one value, in levels of 16 bits."""
    mean = value * photons / 255
    term = total = exp(-mean)
    limits = [round(_LEVELS * total)]
    while limits[-1] < _LEVELS - 1 and len(limits) < 4 * photons + 40:
        term *= mean / len(limits)
        total += term
        limits.append(round(_LEVELS * total))
    return np.array(limits[:-1], np.int64)


def impulse(image: Image.Image, share: float, rng: Random) -> Image.Image:
    """A share of the values becomes black or white (salt and pepper)."""
    values = _pixels(image)
    drawn = _drawn(rng, values.size).reshape(values.shape)
    limit = round(_LEVELS * share / 2)
    return _image(np.where(drawn < limit, 0, np.where(drawn >= _LEVELS - limit, 255, values)))


def motion(image: Image.Image, strength: Any, rng: Random) -> Image.Image:
    """Smeared along a line of up to 45 degrees; ``strength`` is its length and the σ of its weights, in pixels."""
    return _image(_smeared(_pixels(image), strength[0], strength[1], rng.randint(-45, 45)))


def zoom(image: Image.Image, strength: Any, rng: Random) -> Image.Image:
    """The mean of the image and its middle at several sizes; ``strength`` is the largest and the step."""
    most, step = strength
    width, height = image.size
    factors = [1 + step * place for place in range(round((most - 1) / step) + 1)]
    total = np.zeros((height, width, 3), np.int64)
    for factor in factors:
        left, top = (width - width / factor) / 2, (height - height / factor) / 2
        box = (left, top, width - left, height - top)
        total += _pixels(image.resize(image.size, Image.Resampling.BILINEAR, box=box))
    return _image((2 * total + len(factors)) // (2 * len(factors)))


def fog(image: Image.Image, strength: Any, rng: Random) -> Image.Image:
    """White clouds of all sizes over the image; ``strength`` is their density, and how fast small clouds fade."""
    density, decay = strength
    values, clouds = _pixels(image), _clouds(image.size, decay, rng)
    part, brightest = round(_SHARES * density), int(values.max())
    foggy = values * _SHARES + part * clouds[:, :, None]
    whole = brightest * _SHARES + 255 * part
    return _image(np.clip(foggy * brightest // max(1, whole), 0, 255))


def snow(image: Image.Image, strength: Any, rng: Random) -> Image.Image:
    """Falling flakes on a paler image; ``strength``: share of flakes, size, length, what stays of the image."""
    share, size, length, kept = strength
    width, height = image.size
    small = max(1, round(width / size)), max(1, round(height / size))
    drawn = _drawn(rng, small[0] * small[1]).reshape(small[1], small[0])
    flakes = np.where(drawn < round(_LEVELS * share), 128 + drawn % 128, 0).astype(np.uint8)
    large = np.asarray(Image.fromarray(flakes).resize(image.size, Image.Resampling.BILINEAR), dtype=np.int64)
    layer = 2 * _smeared(large, length, length / 2, rng.randint(45, 135))
    values = _pixels(image)
    grey = values.sum(axis=2, keepdims=True) // 3
    part = round(_SHARES * kept)
    pale = (part * values + (_SHARES - part) * np.maximum(values, 3 * grey // 2 + 64)) // _SHARES
    return _image(np.clip(pale + layer[:, :, None], 0, 255))


def pixelate(image: Image.Image, share: float, rng: Random) -> Image.Image:
    """Scaled down to this share of its sides and up again, in squares."""
    small = max(1, int(image.width * share)), max(1, int(image.height * share))
    return image.convert("RGB").resize(small, Image.Resampling.BOX).resize(image.size, Image.Resampling.NEAREST)


def _pixels(image: Image.Image) -> Pixels:
    return np.asarray(image.convert("RGB"), dtype=np.int64)


def _image(values: Pixels) -> Image.Image:
    return Image.fromarray(values.astype(np.uint8))


def _drawn(rng: Random, count: int) -> Pixels:
    """So many numbers of 16 bits."""
    return np.frombuffer(rng.randbytes(2 * count), dtype="<u2").astype(np.int64)


def _smeared(values: Pixels, length: float, sigma: float, angle: int) -> Pixels:
    """The weighted mean of copies shifted along a line; the border is repeated."""
    room = int(length)
    around = ((room, room), (room, room), (0, 0))[: values.ndim]
    wide = np.pad(values, around, mode="edge")
    height, width = values.shape[:2]
    total, weights = np.zeros_like(values), 0
    for place in range(room + 1):
        weight = round(_SHARES * exp(-place * place / (2 * sigma * sigma)))
        down, right = round(place * sin(radians(angle))), round(place * cos(radians(angle)))
        total += weight * wide[room + down : room + down + height, room + right : room + right + width]
        weights += weight
    return (2 * total + weights) // (2 * weights)


def _clouds(size: tuple[int, int], decay: float, rng: Random) -> Pixels:
    """Random grids of finer and finer cells, each added with less weight: from 0 to 255."""
    total, cells, weight = np.zeros((size[1], size[0]), np.int64), 2, float(_SHARES)
    while cells <= 2 * max(size) and weight >= 1:
        drawn = np.frombuffer(rng.randbytes(cells * cells), np.uint8).reshape(cells, cells)
        grid = Image.fromarray(drawn).resize(size, Image.Resampling.BICUBIC)
        total += round(weight) * np.asarray(grid, dtype=np.int64)
        cells, weight = 2 * cells, weight / decay
    low, high = int(total.min()), int(total.max())
    return (total - low) * 255 // max(1, high - low)
