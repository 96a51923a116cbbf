"""Which of a question's images a visual perturbation changes: all of them, each alone, or one by its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PIL import Image

from askew.answers.normalise import tokens
from askew.errors import BadImage, BadOption
from askew.files.images import open_image
from askew.files.read_write import word_sets
from askew.types import ImageRef, Question


def check_which(which: str) -> None:
    """Raise BadOption for anything but ``all``, ``each`` and a number from 1."""
    if which not in ("all", "each") and not (which.isdecimal() and int(which)):
        raise BadOption(f"images is {which!r}. Give all, each (one variant for each image), or a number from 1.")


def chosen_places(which: str, count: int) -> list[tuple[int, ...]]:
    """The images of each variant, from 0; no variant if there is no such image.

    >>> chosen_places("all", 3), chosen_places("each", 2), chosen_places("2", 3), chosen_places("2", 1)
    ([(0, 1, 2)], [(0,), (1,)], [(1,)], [])
    """
    if which == "all":
        return [tuple(range(count))]
    if which == "each":
        return [(place,) for place in range(count)]
    return [(int(which) - 1,)] if int(which) <= count else []


def open_images(question: Question) -> list[Image.Image] | str:
    """The decoded images of a question, or the reason for a refusal.

    >>> open_images(Question(1, None, "What is this?"))
    'there is no image'
    """
    if not question.images or any(image.path is None and image.data is None for image in question.images):
        return "there is no image"
    try:
        return [open_image(image) for image in question.images]
    except BadImage as fault:
        return fault.kind


def with_changed(question: Question, change: str, images: Mapping[int, ImageRef]) -> tuple[Question, dict[str, int]]:
    """The question with these images, and a note with the number of the only one of several that was changed.

    The change becomes the end of its id: ``7/mask``, or ``7/image-2-mask``.

    >>> question = Question(7, ImageRef("a"), "Which is older?", more_images=(ImageRef("b"),))
    >>> changed, note = with_changed(question, "mask", {1: ImageRef("c")})
    >>> changed.id, [image.id for image in changed.images], note
    ('7/image-2-mask', ['a', 'c'], {'image': 2})
    """
    found = [images.get(place, image) for place, image in enumerate(question.images)]
    number = min(images) + 1 if len(images) < len(found) else 0
    mark = f"image-{number}-" if number else ""
    return replace(question.with_images(found), id=f"{question.id}/{mark}{change}"), {"image": number} if number else {}


def place_seed(seed: str, place: int) -> str:
    """The seed for one image; that of the first is the seed itself.

    >>> place_seed("0.5:noise:3", 0), place_seed("0.5:noise:3", 2)
    ('0.5:noise:3', '0.5:noise:3:image 3')
    """
    return f"{seed}:image {place + 1}" if place else seed


def reason_without(which: str, images: Sequence[object]) -> str:
    """Why no image was chosen."""
    return f"it has {len(images)} images, so none with the number {which}" if len(images) > 1 else "it has one image"


def asks_about(question: Question, kind: str) -> bool:
    """Whether a question has a word of this list of ``place_words.yaml``.

    >>> asks_about(Question(1, None, "Who is on the left?"), "place"), asks_about(Question(1, None, "Who?"), "text")
    (True, False)
    """
    return not place_words(kind).isdisjoint(tokens(question.text))


def place_words(kind: str) -> frozenset[str]:
    """A list of ``place_words.yaml``."""
    return word_sets("perturb/visual/place_words.yaml")[kind]
