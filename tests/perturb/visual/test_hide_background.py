"""Blur, mask and crop, by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from askew.errors import BadOption
from askew.perturb.visual.hide_background import CHANGES, changed, check_change, gaussian

FILL = (10, 20, 30)


def photo(width: int = 200, height: int = 150, seed: int = 0) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def noise(width: int = 200, height: int = 150) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))


def halves() -> Image.Image:
    values = np.zeros((150, 200, 3), dtype=np.uint8)
    values[:, 100:] = 255
    values[:4] = 255  # and a detail at the border
    return Image.fromarray(values)


@pytest.mark.parametrize("sigma", [3, 6, 9])
@pytest.mark.parametrize("make", [photo, noise, halves])
def test_blurs_like_scipy_within_six_levels(make, sigma) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    image = make()
    exact = ndimage.gaussian_filter(np.asarray(image, dtype=float), (sigma, sigma, 0), mode="nearest")
    error = np.abs(np.asarray(gaussian(image, sigma), dtype=float) - exact)
    assert error.max() <= 6
    assert error.mean() <= 1


@pytest.mark.parametrize("sigma", [3, 9])
def test_a_soft_mask_blends_with_the_blurred_mask(sigma) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    image = photo()
    mask = np.zeros((150, 200))
    mask[40:90, 30:110] = 1
    mask[100:140, 150:190] = 1
    soft = ndimage.gaussian_filter(mask, sigma, mode="nearest")[..., None]
    values = np.asarray(image, dtype=float)
    blurred = ndimage.gaussian_filter(values, (sigma, sigma, 0), mode="nearest")
    wanted = soft * values + (1 - soft) * blurred
    made = changed(image, [(30, 40, 110, 90), (150, 100, 190, 140)], f"blur-{sigma}", FILL)
    assert np.abs(np.asarray(made, dtype=float) - wanted).max() <= 8


def test_the_middle_of_a_kept_box_stays_and_the_rest_does_not() -> None:
    image = noise()
    made = changed(image, [(40, 40, 140, 120)], "blur-3", FILL)
    before, after = (np.asarray(image)[55:105, 55:125] for image in (image, made))
    assert (before == after).all()
    assert np.asarray(made)[:30].std() < np.asarray(image)[:30].std() / 3


def test_a_plain_image_stays_plain_up_to_its_border() -> None:
    plain = Image.new("RGB", (50, 40), (200, 100, 7))
    assert gaussian(plain, 9).getcolors() == [(2000, (200, 100, 7))]


def test_mask_and_crop() -> None:
    image = photo()
    parts = [(10, 20, 60, 70), (100, 30, 150, 90)]
    masked, cut = (changed(image, parts, change, FILL) for change in ("mask", "crop"))
    values, kept = np.asarray(masked), np.asarray(image)
    assert (values[20:70, 10:60] == kept[20:70, 10:60]).all()
    assert (values[30:90, 100:150] == kept[30:90, 100:150]).all()
    assert (values[:20] == FILL).all()
    assert (values[70:, :60] == FILL).all()
    assert (values[:, 150:] == FILL).all()
    assert cut.size == (140, 70)
    assert (np.asarray(cut) == kept[20:90, 10:150]).all()


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (33, 500)])
@pytest.mark.parametrize("change", CHANGES)
def test_any_size(size, change) -> None:
    made = changed(Image.new("RGB", size, "red"), [(0, 0, *size)], change, FILL)
    assert made.size == size
    assert made.getpixel((0, 0)) == (255, 0, 0)


@pytest.mark.parametrize("change", ["blur", "blur-0", "blur-51", "blur-3.5", "blur--3", "masks", ""])
def test_unknown_changes_are_refused(change) -> None:
    with pytest.raises(BadOption, match=r"is not an image change\. Known: mask, crop and blur-1"):
        check_change(change)
