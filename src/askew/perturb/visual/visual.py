"""VISUAL-INV of CARETS: the answer should stay when all that the question is not about is hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from askew.errors import BadOption
from askew.perturb.visual.encode import Encoding, check_encoding, encode
from askew.perturb.visual.keep import CHANGES, Colour, change_title, changed, check_change
from askew.perturb.visual.mean import PHOTOS
from askew.perturb.visual.regions import (
    Box,
    Region,
    as_boxes,
    asks_for_place,
    asks_for_surroundings,
    hull,
    named_boxes,
    random_boxes,
    regions,
)
from askew.perturb.visual.source import picture_of
from askew.types import Expect, Question, Refusal, Variant

TEST = "VISUAL-INV"


@dataclass(frozen=True)
class Visual:
    """Blurs, masks or crops the picture around the boxes of what the question is about (Jimenez et al. 2022, §4.2).

    The text, the answers and the scene stay. A blur is soft: the picture and the mask are blurred with the same σ and
    laid over each other, so that what is kept fades into the rest without an edge.
    """

    changes: tuple[str, ...] = CHANGES
    """Which: ``blur-σ``, ``mask``, ``crop``."""
    fill: Colour = PHOTOS
    """What ``mask`` puts over the rest; ``channel_mean`` finds a data set's own."""
    encoding: Encoding = "jpeg"
    """How changed pictures are written."""
    unnamed: Literal["refuse", "random"] = "refuse"
    """What is kept when the question names nothing that is there: nothing is made, or one or two boxes are drawn."""

    def __post_init__(self) -> None:
        if not self.changes:
            raise BadOption(f"No change of the picture is named. Give some of {', '.join(CHANGES)}.")
        if len(self.fill) != 3 or not all(0 <= channel <= 255 for channel in self.fill):
            raise BadOption(f"{self.fill!r} is no colour. Give red, green and blue from 0 to 255.")
        if self.unnamed not in ("refuse", "random"):
            raise BadOption(f"unnamed is {self.unnamed!r}. Give refuse or random.")
        check_encoding(self.encoding)
        for change in self.changes:
            check_change(change)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question with its picture changed around the things that it or its answer names."""
        boxes = named_boxes(question)
        if asks_for_surroundings(question):
            yield Refusal(question.id, TEST, "it asks where something is")
        elif not boxes and self.unnamed == "refuse":
            yield Refusal(question.id, TEST, "it names nothing that has a box in the scene")
        elif "crop" in self.changes and asks_for_place(question):
            yield Refusal(question.id, TEST, "it asks for a place in the picture, which a crop changes")
            others = tuple(change for change in self.changes if change != "crop")
            yield from replace(self, changes=others).pictures(question, boxes, rng) if others else ()
        else:
            yield from self.pictures(question, boxes, rng)

    def pictures(
        self, question: Question, boxes: Iterable[Sequence[float]], rng: Random
    ) -> Iterator[Variant | Refusal]:
        """The question with its picture changed around these boxes; with none, around one or two drawn by chance.

        Boxes are x, y, width, height on the scene (or on the picture, where there is no scene with a size).
        """
        picture = picture_of(question)
        if isinstance(picture, str):
            yield Refusal(question.id, TEST, picture)
            return
        drawn_on = question.scene.size if question.scene and question.scene.size else picture.size
        if _is_turned(drawn_on, picture.size):
            yield Refusal(question.id, TEST, "its picture is turned by a quarter against the scene's boxes")
            return
        given: list[Box] = [(x, y, width, height) for x, y, width, height in boxes]
        kept = regions(given or random_boxes(question.scene, drawn_on, rng), drawn_on, picture.size)
        if not kept:
            yield Refusal(question.id, TEST, "its boxes lie outside the picture")
            return
        note = {"boxes": as_boxes(kept), **({} if given else {"drawn": "boxes"})}
        for change in self.changes:
            if _hides_nothing(change, kept, picture.size):
                yield Refusal(question.id, TEST, "its boxes fill the picture")
                continue
            image = encode(changed(picture, kept, change, self.fill), self.encoding)
            yield Variant(
                replace(question, id=f"{question.id}/{change}", image=image),
                Expect.SAME,
                TEST,
                f"visual/{change}",
                {"perturbation": change_title(change), **note},
            )


def _is_turned(drawn_on: tuple[int, int], size: tuple[int, int]) -> bool:
    """Whether boxes were drawn on the picture lying on its side, as some programs show it that leave EXIF unread.

    >>> _is_turned((640, 480), (480, 640)), _is_turned((320, 240), (480, 640)), _is_turned((320, 240), (640, 480))
    (True, True, False)
    """
    return size[0] != size[1] and drawn_on[0] * size[0] == drawn_on[1] * size[1]


def _hides_nothing(change: str, kept: Sequence[Region], size: tuple[int, int]) -> bool:
    """True when what is kept is the whole picture: one box of its size, or for a crop boxes that reach every side."""
    whole = (0, 0, *size)
    return whole in kept or (change == "crop" and hull(kept) == whole)
