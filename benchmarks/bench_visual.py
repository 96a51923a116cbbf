"""How many images of 500 × 375 pixels a core blurs around two boxes per second, against a plain SciPy version.

    python benchmarks/bench_visual.py [number of images]

``blur`` is only the soft-mask blur (image and mask are blurred and blended); ``whole`` is a question from its JPEG file
to all five changed JPEG files. The peer blurs with scipy.ndimage.gaussian_filter in float32, channel by channel, in the
most direct way.
"""

from __future__ import annotations

import sys
import time
from random import Random

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from askew.files.images import encode
from askew.perturb.visual import Visual
from askew.perturb.visual.hide_background import changed
from askew.types import Question, Scene, Thing

WIDTH, HEIGHT = 500, 375
BOXES = [(60, 80, 160, 240), (300, 200, 420, 330)]


def photo(number: int) -> Image.Image:
    draw = np.random.default_rng(number)
    coarse = Image.fromarray(draw.integers(0, 256, (24, 32, 3), dtype=np.uint8)).resize((WIDTH, HEIGHT))
    return Image.fromarray(np.clip(np.asarray(coarse) + draw.normal(0, 8, (HEIGHT, WIDTH, 3)), 0, 255).astype(np.uint8))


def plainly(image: Image.Image, sigma: int) -> Image.Image:
    values = np.asarray(image, dtype=np.float32)
    mask = np.zeros((HEIGHT, WIDTH), dtype=np.float32)
    for left, top, right, bottom in BOXES:
        mask[top:bottom, left:right] = 1
    soft = gaussian_filter(mask, sigma, mode="nearest")[..., None]
    blurred = np.stack([gaussian_filter(values[..., c], sigma, mode="nearest") for c in range(3)], axis=-1)
    return Image.fromarray((soft * values + (1 - soft) * blurred + 0.5).astype(np.uint8))


def rate(work, items) -> float:
    start = time.perf_counter()
    for item in items:
        work(item)
    return len(items) / (time.perf_counter() - start)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    images = [photo(number) for number in range(count)]
    for sigma in (3, 6, 9):
        ours = rate(lambda image, sigma=sigma: changed(image, BOXES, f"blur-{sigma}", (0, 0, 0)), images)
        peer = rate(lambda image, sigma=sigma: plainly(image, sigma), images[: max(4, count // 4)])
        far = np.abs(
            np.asarray(changed(images[0], BOXES, f"blur-{sigma}", (0, 0, 0)), dtype=int)
            - np.asarray(plainly(images[0], sigma), dtype=int)
        )
        print(
            f"blur σ={sigma}: {ours:6.1f}/s, SciPy {peer:6.1f}/s, ratio {ours / peer:4.1f}; "
            f"differences: mean {far.mean():.2f}, largest {far.max()} of 255"
        )
    things = tuple(
        Thing(str(n), "cat", (), (left, top, right - left, bottom - top))
        for n, (left, top, right, bottom) in enumerate(BOXES)
    )
    scene = Scene("1", things, size=(WIDTH, HEIGHT))
    questions = [Question(n, encode(p, "jpeg"), "Is the cat black?", scene=scene) for n, p in enumerate(images)]
    whole = rate(lambda question: list(Visual().vary(question, Random(question.id))), questions)
    print(f"whole: {whole:.1f} questions/s with five changed images each ({5 * whole:.1f} images/s)")


if __name__ == "__main__":
    main()
