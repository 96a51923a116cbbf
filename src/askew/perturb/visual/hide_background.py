"""VISUAL-INV of CARETS: hide what the question is not about by blur, mask or crop; the answer stays (§4.2 d).

The regions that a question is about are the boxes of the things it names, or random boxes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor
from random import Random
from typing import Literal, TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from askew.answers.normalise import modal_answer, normalise, tokens
from askew.errors import BadImage, BadOption
from askew.files.images import Encoding, check_encoding, encode, image_bytes, open_encoded
from askew.language.inflect import singular
from askew.perturb.visual.which_images import (
    asks_about,
    check_which,
    chosen_places,
    open_images,
    place_words,
    reason_without,
    with_changed,
)
from askew.types import Expect, ImageRef, Question, Refusal, Scene, Thing, Variant

Box: TypeAlias = tuple[float, float, float, float]
"""x, y (top left), width, height, in pixels."""

Region: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in whole pixels; right and bottom are exclusive."""

Colour: TypeAlias = tuple[int, int, int]

TEST = "VISUAL-INV"

CHANGES = ("blur-3", "blur-6", "blur-9", "mask", "crop")
"""The five changes of the paper, in its order: Gaussian blur with σ = 3, 6, 9 pixels, masking, cropping."""

LARGEST_BLUR = 50

PHOTOS: Colour = (124, 116, 104)
"""The mean colour of ImageNet's photographs, used when there is no image to compute a mean from."""

SCALE = 8
"""JPEG files are decoded at an eighth of their size, which does not change the mean."""

SMALLEST = 32
"""The smallest side of a box in CARETS: people recognise a scene from 32 × 32 pixels (Torralba et al. 2008)."""

_BLUR = re.compile(r"blur-(\d+)")


@dataclass(frozen=True)
class Visual:
    """Blurs, masks or crops the image around the boxes of what the question is about (Jimenez et al. 2022, §4.2).

    The text, the answers and the scene stay the same. Blurs have no hard edge: the image and the mask are blurred with
    the same σ and blended, so the kept regions fade into the background.
    """

    changes: tuple[str, ...] = CHANGES
    """The changes to make: ``blur-σ``, ``mask``, ``crop``."""
    fill: Colour = PHOTOS
    """The colour that ``mask`` covers the background with; ``channel_mean`` computes that of a data set."""
    encoding: Encoding = "jpeg"
    """The file format of the changed images."""
    unnamed: Literal["refuse", "random"] = "refuse"
    """What to do when the question names nothing in the scene: refuse it, or keep one or two random boxes."""
    images: str = field(default="all", repr=False)
    """Which of several images: ``all``, ``each`` alone, or a number from 1. Boxes that a question names are in the
    first image; the others keep random boxes, so they are only changed with ``unnamed="random"``."""

    def __post_init__(self) -> None:
        if not self.changes:
            raise BadOption(f"No image change is given. Give some of {', '.join(CHANGES)}.")
        if len(self.fill) != 3 or not all(0 <= channel <= 255 for channel in self.fill):
            raise BadOption(f"{self.fill!r} is not a colour. Give red, green and blue from 0 to 255.")
        if self.unnamed not in ("refuse", "random"):
            raise BadOption(f"unnamed is {self.unnamed!r}. Give refuse or random.")
        check_encoding(self.encoding)
        check_which(self.images)
        for change in self.changes:
            check_change(change)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question with its image changed around the things that it or its answer names."""
        boxes = named_boxes(question)
        if asks_for_surroundings(question):
            yield Refusal(question.id, TEST, "it asks where something is")
        elif not boxes and self.unnamed == "refuse":
            yield Refusal(question.id, TEST, "it names nothing that has a box in the scene")
        elif "crop" in self.changes and asks_for_place(question):
            yield Refusal(question.id, TEST, "it asks for a place in the image, which a crop changes")
            uncropped = tuple(change for change in self.changes if change != "crop")
            yield from replace(self, changes=uncropped).image_variants(question, boxes, rng) if uncropped else ()
        else:
            yield from self.image_variants(question, boxes, rng)

    def image_variants(
        self, question: Question, boxes: Iterable[Sequence[float]], rng: Random
    ) -> Iterator[Variant | Refusal]:
        """The question with its image changed around these boxes, or around one or two random boxes if there are none.

        Boxes are x, y, width, height in the pixels of the scene (of the image if there is no scene with a size).
        """
        images = open_images(question)
        if isinstance(images, str):
            yield Refusal(question.id, TEST, images)
            return
        own: list[Box] = [(x, y, width, height) for x, y, width, height in boxes]
        places = chosen_places(self.images, len(images))
        if not places:
            yield Refusal(question.id, TEST, reason_without(self.images, images))
        elif self.unnamed == "refuse" and own and any(place for chosen in places for place in chosen):
            yield Refusal(question.id, TEST, "boxes are only known in the first of its images")
        else:
            for chosen in places:
                yield from self._hidden(question, {place: images[place] for place in chosen}, own, rng)

    def _hidden(
        self, question: Question, images: Mapping[int, Image.Image], own: Sequence[Box], rng: Random
    ) -> Iterator[Variant | Refusal]:
        """The question with these of its images changed; the boxes are in the first."""
        kept = {}
        for place, image in images.items():
            scene = None if place else question.scene
            drawn_on = scene.size if scene and scene.size else image.size
            if _is_turned(drawn_on, image.size):
                yield Refusal(question.id, TEST, "its image is rotated by 90 degrees relative to the scene's boxes")
                return
            named = () if place else own
            kept[place] = regions(named or random_boxes(scene, drawn_on, rng), drawn_on, image.size)
            if not kept[place]:
                yield Refusal(question.id, TEST, "its boxes lie outside the image")
                return
        boxes = [[left, top, right - left, bottom - top] for left, top, right, bottom in kept.get(0, ())]
        note = {"boxes": boxes} if boxes else {}
        drawn = {} if own and not any(images) else {"drawn": "boxes"}
        for change in self.changes:
            if any(_fills(kept[place], image, change) for place, image in images.items()):
                yield Refusal(question.id, TEST, "its boxes fill the image")
                continue
            hidden = {
                place: encode(changed(image, kept[place], change, self.fill), self.encoding)
                for place, image in images.items()
            }
            asked, which = with_changed(question, change, hidden)
            about = {"perturbation": change_title(change), **note, **drawn, **which}
            yield Variant(asked, Expect.SAME, TEST, f"visual/{change}", about)


def _fills(kept: Sequence[Region], image: Image.Image, change: str) -> bool:
    """Whether the regions leave nothing to hide."""
    whole = (0, 0, *image.size)
    return whole in kept or (change == "crop" and hull(kept) == whole)


def _is_turned(drawn_on: tuple[int, int], size: tuple[int, int]) -> bool:
    """Whether the boxes were drawn on the image rotated by 90 degrees, as programs that ignore EXIF show it.

    >>> _is_turned((640, 480), (480, 640)), _is_turned((320, 240), (480, 640)), _is_turned((320, 240), (640, 480))
    (True, True, False)
    """
    return size[0] != size[1] and drawn_on[0] * size[0] == drawn_on[1] * size[1]


def check_change(change: str) -> None:
    """Raise BadOption for an unknown change, before any image is changed."""
    if change not in ("mask", "crop") and not 1 <= sigma_of(change) <= LARGEST_BLUR:
        raise BadOption(
            f"{change!r} is not an image change. Known: mask, crop and blur-1 to blur-{LARGEST_BLUR}, "
            f"e.g. {', '.join(CHANGES)}."
        )


def sigma_of(change: str) -> int:
    """The σ of a blur in pixels; 0 for other changes.

    >>> sigma_of("blur-6"), sigma_of("crop")
    (6, 0)
    """
    match = _BLUR.fullmatch(change)
    return int(match[1]) if match else 0


def change_title(change: str) -> str:
    """The name of a change in tables.

    >>> [change_title(change) for change in ("blur-3", "mask", "crop")]
    ['blur σ=3', 'mask', 'crop']
    """
    return f"blur σ={sigma_of(change)}" if sigma_of(change) else change


def changed(image: Image.Image, parts: Sequence[Region], change: str, fill: Colour) -> Image.Image:
    """The image with everything but these regions hidden.

    >>> hidden = changed(Image.new("RGB", (4, 4), "white"), [(0, 0, 2, 2)], "mask", (9, 9, 9))
    >>> hidden.getpixel((1, 1)), hidden.getpixel((2, 1))
    ((255, 255, 255), (9, 9, 9))
    """
    if change == "crop":
        return image.crop(hull(parts))
    if change == "mask":
        return Image.composite(image, Image.new("RGB", image.size, fill), _mask(image.size, parts))
    sigma = sigma_of(change)
    return Image.composite(image, gaussian(image, sigma), gaussian(_mask(image.size, parts), sigma))


def gaussian(image: Image.Image, sigma: float) -> Image.Image:
    """Gaussian blur in integer arithmetic, the same on every machine; the border is padded with its nearest pixels.

    Three extended box filters (Gwosdek et al. 2011) approximate the Gaussian within 6 of 255 levels, and within 1 on
    average. Pillow pads the border again before each filter; a margin of 3σ corrects for that.
    """
    margin = int(3 * sigma) + 1
    width, height = image.size
    wide = Image.new(image.mode, (width + 2 * margin, height + 2 * margin))
    wide.paste(image, (margin, margin))
    _pad(wide, margin, width, height)
    blurred = wide.filter(ImageFilter.GaussianBlur(sigma))
    return blurred.crop((margin, margin, margin + width, margin + height))


def _pad(wide: Image.Image, margin: int, width: int, height: int) -> None:
    """Fill the margin with the nearest pixels of the image inside."""
    right, bottom = margin + width, margin + height
    for edge, place in ((margin, 0), (right - 1, right)):
        wide.paste(wide.crop((edge, margin, edge + 1, bottom)).resize((margin, height)), (place, margin))
    for edge, place in ((margin, 0), (bottom - 1, bottom)):
        wide.paste(wide.crop((0, edge, wide.width, edge + 1)).resize((wide.width, margin)), (0, place))


def _mask(size: tuple[int, int], parts: Sequence[Region]) -> Image.Image:
    """A mask that is white in the kept regions."""
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    for left, top, right, bottom in parts:
        draw.rectangle((left, top, right - 1, bottom - 1), fill=255)
    return mask


def channel_mean(images: Iterable[ImageRef]) -> Colour:
    """The rounded mean of each channel over all pixels of these images; each image id counts once.

    Missing and damaged images are skipped; without any image the result is ImageNet's mean.

    >>> from askew.files.images import encode
    >>> white, grey = (encode(Image.new("RGB", (2, 2), colour), "png") for colour in ("white", (55, 55, 57)))
    >>> channel_mean([white, grey, grey]), channel_mean([])
    ((155, 155, 156), (124, 116, 104))
    """
    total, pixels = np.zeros(3, dtype=np.int64), 0
    seen = set()
    for image in images:
        if image.id in seen:
            continue
        seen.add(image.id)
        small = _small(image)
        if small is not None:
            values = np.asarray(small, dtype=np.uint8).reshape(-1, 3)
            total += values.sum(axis=0, dtype=np.int64)
            pixels += len(values)
    if not pixels:
        return PHOTOS
    red, green, blue = ((int(channel) * 2 + pixels) // (2 * pixels) for channel in total)
    return red, green, blue


def _small(ref: ImageRef) -> Image.Image | None:
    try:
        image = open_encoded(io.BytesIO(image_bytes(ref)))
        image.draft("RGB", (image.width // SCALE, image.height // SCALE))
        return image.convert("RGB")
    except (BadImage, OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None


def named_boxes(question: Question) -> list[Box]:
    """The boxes of all things in the scene that the question or its most frequent answer names, in scene order.

    Names match in the singular and the plural, the longest name first: a *traffic light* is not a *light*. Things that
    a named thing rides, holds, wears or stands on (or that ride it, ...) are kept as well.

    >>> things = (Thing("1", "dog", box=(0, 0, 40, 40)), Thing("2", "hot dog", box=(50, 0, 40, 40)))
    >>> named_boxes(Question(1, None, "Are there any dogs?", scene=Scene("1", things)))
    [(0, 0, 40, 40)]
    >>> named_boxes(Question(1, None, "What is this?", ("hot dog",), scene=Scene("1", things)))
    [(50, 0, 40, 40)]
    """
    if question.scene is None:
        return []
    texts = (tokens(question.text), tokens(modal_answer(question.answers, normalise)))
    names = {name for words in texts for name in _names_in(words, question.scene.things)}
    named = {thing.id for thing in question.scene.things if thing.name in names}
    kept = set(named)
    for relation in question.scene.relations:
        ends = {relation.subject, relation.object}
        if ends & named and place_words("position").isdisjoint(tokens(relation.name)):
            kept |= ends
    return [thing.box for thing in question.scene.things if thing.box and thing.id in kept]


def asks_for_place(question: Question) -> bool:
    """Whether the question mentions a position in the image, e.g. *the man on the left*."""
    return asks_about(question, "place")


def asks_for_surroundings(question: Question) -> bool:
    """Whether the question asks about the surroundings, e.g. *Where is the cat?*"""
    return not place_words("surroundings").isdisjoint(tokens(question.text)[:1])


def random_boxes(scene: Scene | None, size: tuple[int, int], rng: Random) -> list[Box]:
    """One or two boxes of things with sides of at least 32 pixels; a box anywhere if the scene has none."""
    large = [thing.box for thing in scene.things if thing.box and min(thing.box[2:]) >= SMALLEST] if scene else []
    boxes = list(dict.fromkeys(large))
    if boxes:
        return rng.sample(boxes, min(len(boxes), rng.choice((1, 2))))
    sides = [rng.randint(min(SMALLEST, side), max(SMALLEST, side // 2)) for side in size]
    width, height = (min(side, whole) for side, whole in zip(sides, size, strict=True))
    return [(rng.randint(0, size[0] - width), rng.randint(0, size[1] - height), width, height)]


def regions(boxes: Iterable[Box], drawn_on: tuple[int, int], size: tuple[int, int]) -> list[Region]:
    """The boxes in the pixels of an image of this size, enlarged to sides of at least 32 if the image has room.

    ``drawn_on`` is the image size that the boxes refer to. Parts outside the image are cut off.

    >>> regions([(100, 100, 50, 40), (0, 0, 10, 10)], (200, 200), (400, 400))
    [(200, 200, 300, 280), (0, 0, 32, 32)]
    >>> regions([(500, 0, 40, 40)], (400, 400), (400, 400))
    []
    """
    across, down = (new / old for new, old in zip(size, drawn_on, strict=True))
    found = []
    for x, y, width, height in boxes:
        left, right = _side(x * across, (x + width) * across, size[0])
        top, bottom = _side(y * down, (y + height) * down, size[1])
        if left < right and top < bottom:
            found.append((left, top, right, bottom))
    return found


def hull(parts: Sequence[Region]) -> Region:
    """The smallest rectangle that contains all regions.

    >>> hull([(10, 20, 42, 52), (30, 0, 90, 40)])
    (10, 0, 90, 52)
    """
    lefts, tops, rights, bottoms = zip(*parts, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _side(start: float, stop: float, whole: int) -> tuple[int, int]:
    """An interval in whole pixels inside the image, enlarged around its middle if shorter than 32."""
    first, last = max(0, floor(start)), min(whole, ceil(stop))
    missing = min(SMALLEST, whole) - (last - first)
    if first < last and missing > 0:
        first = min(max(0, first - missing // 2), whole - min(SMALLEST, whole))
        last = first + min(SMALLEST, whole)
    return first, last


def _names_in(words: Sequence[str], things: Iterable[Thing]) -> Iterator[str]:
    """Names of things that occur in these words; the words of a longer name do not count for shorter ones."""
    names = sorted({thing.name for thing in things}, key=lambda name: (-len(name.split()), name))
    free = list(words)
    for name in names:
        *first, last = tokens(name) or [""]
        count = len(first)
        places = [
            place
            for place in range(len(free) - count)
            if last and free[place : place + count] == first and _same(free[place + count], last)
        ]
        if places:
            yield name
        for place in places:
            free[place : place + count + 1] = [""] * (count + 1)


def _same(word: str, other: str) -> bool:
    """Whether two words are the same noun, in the singular or plural.

    >>> _same("people", "person"), _same("bus", "buses"), _same("cat", "dog")
    (True, True, False)
    """
    return word == other or _is_plural_of(word, other) or _is_plural_of(other, word)


def _is_plural_of(word: str, noun: str) -> bool:
    if word.endswith("s"):
        return noun != "" and word in (noun + "s", noun + "es", noun[:-1] + "ies" if noun.endswith("y") else "")
    return word != "" and singular(word) == noun
