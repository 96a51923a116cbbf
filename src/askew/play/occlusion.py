"""Which parts of an image an answer depends on: each is hidden in turn, and the model is asked again.

It works for every model that sees images, whatever is inside. Zeiler and Fergus (2014), *Visualizing and Understanding
Convolutional Networks*, section 4.2, slide a grey square over the image; here the squares are those of a grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from PIL.ImageStat import Stat

from askew.answers.normalise import normalise
from askew.files.images import encode, open_image
from askew.types import Prediction, Question

SIDE = 4
"""How many squares the grid has in each direction."""


@dataclass(frozen=True)
class Occlusion:
    """What a model answers when a part of the image is hidden."""

    model: str
    before: Prediction
    """Its answer to the whole image."""
    hidden: tuple[Prediction, ...]
    """Its answers with each square of the grid hidden, row by row."""

    @property
    def effects(self) -> list[float]:
        """How much each square matters: 1 if hiding it changes the answer, else the confidence that is lost."""
        return [_effect(self.before, answer) for answer in self.hidden]


def _effect(before: Prediction, after: Prediction) -> float:
    """
    >>> sure, less, other = Prediction(1, "red", 0.9), Prediction(1, "Red", 0.6), Prediction(1, "no")
    >>> _effect(sure, less), _effect(sure, other)
    (0.3, 1.0)
    """
    if before.failed or after.failed:
        return 0.0
    if normalise(before.answer or "") != normalise(after.answer or ""):
        return 1.0
    return 0.0 if before.score is None or after.score is None else round(max(0.0, before.score - after.score), 6)


def hide_squares(question: Question) -> Iterator[Question]:
    """The question about its first image with each square of the grid in the image's mean colour, row by row."""
    first, *others = question.images
    whole = open_image(first)
    mean = tuple(map(round, Stat(whole).mean))
    for place in range(SIDE * SIDE):
        left, top = place % SIDE, place // SIDE
        covered = whole.copy()
        covered.paste(mean, _box(left, top, whole.size))
        image = replace(encode(covered, "png"), id=f"{first.id}-hidden-{place}")
        yield replace(question, id=f"{question.id}/hidden-{place}").with_images((image, *others))


def _box(left: int, top: int, size: Sequence[int]) -> tuple[int, int, int, int]:
    """The pixels of a square: left, top, right, bottom."""
    width, height = size
    return left * width // SIDE, top * height // SIDE, (left + 1) * width // SIDE, (top + 1) * height // SIDE
