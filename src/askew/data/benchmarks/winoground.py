"""Winoground (Thrush et al. 2022): two images and two captions with the same words in another order.

``examples.jsonl`` with ``id``, ``image_0``, ``image_1``, ``caption_0``, ``caption_1``, ``collapsed_tag``; an example is
one group of four questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.data.bad_records import distinct, id_in, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, Sizes
from askew.data.benchmarks.sugarcrepe import CAPTION_QUESTION
from askew.data.jsonl import check_choices
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

_NAME = "examples.jsonl"


@dataclass(frozen=True, repr=False)
class Winoground(GroupBenchmark):
    """Winoground: which of two captions with the same words fits each of two images (Thrush et al. 2022)."""

    title: ClassVar[str] = "Winoground"
    suites: ClassVar[Sequence[str]] = ("winoground",)
    rule: ClassVar[str] = "short"
    wanted: ClassVar[str] = _NAME
    sizes: ClassVar[Sizes] = {_NAME: {"examples": 400}}

    form: Literal["choice", "yes-no"] = "choice"
    """``choice``: which caption fits an image, in both orders; ``yes-no``: whether each caption fits each image."""

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """One group for each example."""
        sieve = self.sieve(self.files()[0], "line")
        for number, key, record in distinct(sieve, self.records(sieve), id_in("id")):
            group = sieve.sift(number, key, self._group, key, record)
            if group is not None:
                counts["examples"] += 1
                yield group

    def _group(self, key: Id, record: Mapping[str, Any]) -> Group:
        captions = check_choices((text(record, "caption_0"), text(record, "caption_1")))
        images = [self._image(text(record, f"image_{place}")) for place in (0, 1)]
        kind = text(record, "collapsed_tag", "")
        make = self._choices if self.form == "choice" else self._yes_no
        first, *rest = make(str(key), images, captions, (("category", kind),) if kind else ())
        variants = (Variant(question, Expect.GIVEN, self.form, f"winoground/{self.form}") for question in rest)
        return Group(key, "winoground", first, tuple(variants))

    def _image(self, name: str) -> ImageRef:
        return self.image_of(name, f"{name}.png", f"{name}.jpg", name)

    def _choices(
        self, key: str, images: Sequence[ImageRef], captions: tuple[str, ...], tags: tuple[tuple[str, str], ...]
    ) -> Iterator[Question]:
        """Each image with the captions in both orders."""
        for place, image in enumerate(images):
            for order, options in (("", captions), ("/swapped", captions[::-1])):
                name, marks = f"{key}/image-{place}{order}", (*tags, ("image", str(place)))
                answer = (captions[place],)
                yield Question(name, image, CAPTION_QUESTION, answer, Kind("choice"), tags=marks, choices=options)

    def _yes_no(
        self, key: str, images: Sequence[ImageRef], captions: tuple[str, ...], tags: tuple[tuple[str, str], ...]
    ) -> Iterator[Question]:
        """Each image with each caption."""
        for place, image in enumerate(images):
            for number, caption in enumerate(captions):
                name, marks = f"{key}/image-{place}/caption-{number}", (*tags, ("image", str(place)))
                asked = f'Does this caption fit the image: "{caption}"?'
                answer = ("yes" if place == number else "no",)
                yield Question(name, image, asked, answer, Kind("yes/no"), tags=marks)
