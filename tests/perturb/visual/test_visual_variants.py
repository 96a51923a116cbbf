"""Visual and Corruption: variants, refusals, and the same bytes again."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image

from askew.data.groups import read_groups, write_groups
from askew.errors import BadOption
from askew.files.images import check_image, encode, open_image
from askew.perturb.visual import CHANGES, KINDS, Corruption, Visual, channel_mean, corrupted
from askew.types import Expect, Group, ImageRef, Question, Refusal, Scene, Thing, Variant
from askew.verbs import Perturbation


def photo(seed: int = 0, size: tuple[int, int] = (160, 120)) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)


SCENE = Scene("7", (Thing("1", "cat", (), (10, 10, 60, 50)), Thing("2", "cup", (), (100, 60, 40, 40))), size=(160, 120))
CAT = Question("q", encode(photo(), "png"), "Is the cat black?", ("yes",), scene=SCENE)


def made(perturbation: Perturbation, question: Question = CAT, seed: int = 0) -> list[Variant]:
    return [item for item in perturbation.vary(question, Random(seed)) if isinstance(item, Variant)]


def refused(perturbation: Perturbation, question: Question) -> list[str]:
    return [item.reason for item in perturbation.vary(question, Random(0)) if isinstance(item, Refusal)]


def test_five_variants_with_the_same_question() -> None:
    variants = made(Visual())
    assert [v.made_by for v in variants] == [f"visual/{change}" for change in CHANGES]
    assert [v.note["perturbation"] for v in variants] == ["blur σ=3", "blur σ=6", "blur σ=9", "mask", "crop"]
    for variant, change in zip(variants, CHANGES, strict=True):
        assert variant.test == "VISUAL-INV"
        assert variant.expect is Expect.SAME
        assert replace(variant.question, id="q", image=CAT.image) == CAT
        assert variant.question.id == f"q/{change}"
        assert variant.note["boxes"] == [[10, 10, 60, 50]]
    assert [v.question.image.size for v in variants] == [(160, 120)] * 4 + [(60, 50)]
    assert len({v.question.image.id for v in variants}) == 5


def test_images_are_identified_by_content() -> None:
    for variant in made(Visual()):
        image = variant.question.image
        assert hashlib.sha256(image.data).hexdigest() == image.sha256
        assert image.id == image.sha256[:16]
        assert check_image(image) == image.size


@pytest.mark.parametrize("perturbation", [Visual(), Visual(unnamed="random"), Corruption(severities=(1, 5))])
def test_the_same_seed_gives_the_same_bytes(perturbation) -> None:
    assert made(perturbation) == made(perturbation)
    assert repr(perturbation) == repr(replace(perturbation))


def test_negatives_keep_one_or_two_random_boxes() -> None:
    dog = replace(CAT, text="Is there a dog?", answers=("no",))
    assert refused(Visual(), dog) == ["it names nothing that has a box in the scene"]
    boxes = set()
    for seed in range(30):
        variants = [v for v in Visual(("mask",)).image_variants(dog, [], Random(seed)) if isinstance(v, Variant)]
        assert variants[0].note["drawn"] == "boxes"
        boxes.add(str(variants[0].note["boxes"]))
    assert {"[[10, 10, 60, 50]]", "[[100, 60, 40, 40]]"} < boxes
    assert all(made(Visual(("mask",), unnamed="random"), dog, seed) for seed in range(5))


def test_boxes_that_are_given() -> None:
    (variant,) = Visual(("crop",)).image_variants(CAT, [[0, 0, 40, 40], [100, 60, 40, 40]], Random(0))
    assert variant.question.image.size == (140, 100)
    assert "drawn" not in variant.note


def test_an_image_of_another_size_than_the_scene() -> None:
    large = replace(CAT, image=encode(photo(size=(320, 240)), "png"))
    assert made(Visual(("crop",)), large)[0].note["boxes"] == [[20, 20, 120, 100]]


def test_an_image_that_exif_rotates(tmp_path: Path) -> None:
    """Boxes of the rotated image would be stretched to another part of the upright one."""
    path = str(tmp_path / "turned.jpg")
    exif = Image.Exif()
    exif[0x0112] = 6
    photo().save(path, exif=exif)
    turned = replace(CAT, image=ImageRef(7, path))
    assert open_image(turned.image).size == (120, 160)
    assert made(Visual(), turned) == []
    assert refused(Visual(), turned) == ["its image is rotated by 90 degrees relative to the scene's boxes"]
    upright = replace(SCENE, size=(120, 160))
    assert made(Visual(("crop",)), replace(turned, scene=upright))[0].note["boxes"] == [[10, 10, 60, 50]]
    assert len(made(Corruption(("noise",)), turned)) == 5


def test_questions_that_an_edit_would_change_are_refused() -> None:
    left = replace(CAT, text="Is the cat on the left black?")
    assert [v.made_by for v in made(Visual(), left)] == [f"visual/{change}" for change in CHANGES if change != "crop"]
    assert refused(Visual(), left) == ["it asks for a place in the image, which a crop changes"]
    assert made(Visual(("crop",)), left) == []
    assert refused(Visual(), replace(CAT, text="Where is the cat?")) == ["it asks where something is"]


def test_refusals(tmp_path: Path) -> None:
    assert refused(Visual(), replace(CAT, image=None)) == ["there is no image"]
    assert refused(Visual(), replace(CAT, image=ImageRef(7))) == ["there is no image"]
    cut, large = encode(photo(), "jpeg").data[:-900], b"P5 9000 9000 255\n"
    reasons = {b"no": "the file is not an image", cut: "the image is damaged", large: "the image is too large"}
    for content, reason in reasons.items():
        assert refused(Visual(), replace(CAT, image=ImageRef(7, data=content))) == [reason]
    assert refused(Visual(), replace(CAT, image=ImageRef(7, str(tmp_path / "none.jpg")))) == [
        "the image cannot be read"
    ]
    assert refused(Corruption(("noise", "jpeg")), replace(CAT, image=None)) == ["there is no image"] * 2
    whole = replace(SCENE, things=(Thing("1", "cat", (), (0, 0, 160, 120)),))
    assert refused(Visual(), replace(CAT, scene=whole)) == ["its boxes fill the image"] * 5
    outside = replace(SCENE, things=(Thing("1", "cat", (), (200, 0, 40, 40)),))
    assert refused(Visual(), replace(CAT, scene=outside)) == ["its boxes lie outside the image"]
    corners = replace(SCENE, things=(Thing("1", "cat", (), (0, 0, 40, 40)), Thing("2", "cat", (), (120, 80, 40, 40))))
    assert len(made(Visual(), replace(CAT, scene=corners))) == 4  # a crop would be the image itself


@pytest.mark.parametrize(
    "options",
    [{"changes": ()}, {"changes": ("blurr",)}, {"fill": (1, 2, 300)}, {"encoding": "gif"}, {"unnamed": "all"}],
)
def test_bad_options(options) -> None:
    with pytest.raises(BadOption):
        Visual(**options)


@pytest.mark.parametrize("options", [{"kinds": ()}, {"kinds": ("rain",)}, {"severities": (0,)}, {"severities": ()}])
def test_bad_corruptions(options) -> None:
    with pytest.raises(BadOption):
        Corruption(**options)


def test_images_are_written_once_by_their_content(tmp_path: Path) -> None:
    variants = tuple(made(Visual(("mask", "crop"))))
    groups = [Group(n, "visual", CAT, variants) for n in range(3)]
    path = tmp_path / "groups.jsonl"
    write_groups(groups, str(path))
    files = sorted(file.name for file in (tmp_path / "images").glob("[!.]*"))
    assert files == sorted([f"{CAT.image.id}.png", *(f"{v.question.image.id}.jpg" for v in variants)])
    first = next(read_groups(str(path)))
    for back, variant in zip(first.variants, variants, strict=True):
        assert back.question.image.sha256 == variant.question.image.sha256
        assert np.array_equal(open_image(back.question.image), open_image(variant.question.image))


def test_png_is_without_loss() -> None:
    (variant,) = made(Visual(("crop",), encoding="png"))
    assert np.array_equal(open_image(variant.question.image), np.asarray(photo())[10:60, 10:70])


def test_jpeg_is_nearly_so() -> None:
    (variant,) = made(Visual(("crop",)))
    error = np.abs(np.asarray(open_image(variant.question.image), dtype=int) - np.asarray(photo())[10:60, 10:70])
    assert error.mean() < 1.5


def test_channel_mean_of_jpegs_is_that_of_the_images() -> None:
    images = [photo(seed) for seed in range(3)]
    exact = np.mean([np.asarray(picture).reshape(-1, 3).mean(axis=0) for picture in images], axis=0)
    found = channel_mean([*(encode(picture, "jpeg") for picture in images), ImageRef(9), ImageRef(8, data=b"no")])
    assert np.abs(np.array(found) - exact).max() <= 1.5


def test_corruptions_by_severity() -> None:
    variants = made(Corruption())
    assert [v.made_by for v in variants] == [f"corruption/{kind}" for kind in KINDS for _ in range(5)]
    assert [v.note["level"] for v in variants][:6] == [1, 2, 3, 4, 5, 1]
    assert {v.test for v in variants} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_more_severe_is_further_from_the_original(kind) -> None:
    picture = photo()
    values = np.asarray(picture, dtype=int)
    far = [np.abs(np.asarray(corrupted(picture, kind, n, Random(0)), dtype=int) - values).mean() for n in range(1, 6)]
    assert far == sorted(far)
    assert far[0] > 0


def test_noise_is_gaussian_and_pinned() -> None:
    grey = Image.new("RGB", (200, 200), (128, 128, 128))
    noisy = np.asarray(corrupted(grey, "noise", 1, Random(5)), dtype=int) - 128
    assert abs(noisy.mean()) < 0.3
    assert noisy.std() == pytest.approx(0.08 * 255, rel=0.02)
    assert abs((np.abs(noisy) <= 20.4).mean() - 0.683) < 0.01
    assert noisy[0, :2].tolist() == [[-1, 6, 21], [-13, 14, 13]]


def test_contrast_and_brightness_by_hand() -> None:
    two = Image.new("RGB", (2, 1))
    two.putpixel((0, 0), (200, 100, 0))  # the mean is (100, 50, 0)
    faint = corrupted(two, "contrast", 1, Random(0))
    assert [faint.getpixel((x, 0)) for x in (0, 1)] == [(140, 70, 0), (60, 30, 0)]
    bright = corrupted(two, "bright", 1, Random(0))  # 26 more of the brightest: 226 / 200 of each; black becomes grey
    assert [bright.getpixel((x, 0)) for x in (0, 1)] == [(226, 113, 0), (26, 26, 26)]
