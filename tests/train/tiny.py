"""A world of coloured images that a network learns in a second."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np

from askew.errors import BadImage
from askew.nets.net_config import NetConfig
from askew.train.features import ImageFeatures
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

COLORS = ("red", "blue", "green", "white")
NET = NetConfig("xnm", hidden=16, embedding=8, steps=2, dropout=0.1, gumbel=True)


@dataclass(frozen=True)
class Colored:
    """Two regions; the first has the image's colour, which is its id modulo four."""

    regions: int | None = 2

    def get_many(self, images):
        return [self._seen(int(image.id)) for image in images]

    def _seen(self, number):
        if number < 0:
            raise BadImage(f"no features of image {number}")
        features = np.zeros((2, 6), np.float32)
        features[0, number % 4] = 1.0
        features[1, 4] = 1.0
        return ImageFeatures(features, np.array([[0, 0, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]], np.float32))


def questions(count=96, start=0):
    """One question for each image, of two kinds in turn."""
    made = []
    for number in range(start, start + count):
        color, asked = COLORS[number % 4], Random(f"asked:{number}").choice(COLORS)
        image = ImageRef(number)
        if number % 3:
            made.append(
                Question(number, image, f"Is it {asked}?", ("yes" if asked == color else "no",) * 10, Kind("yes/no"))
            )
        else:
            made.append(Question(number, image, "What color is it?", (color,) * 9 + ("dark",), Kind("other")))
    return made


def groups(asked):
    """Each question with a synonym ("thing") and, for yes and no, an opposite ("un-")."""
    made = []
    for question in asked:
        same = question.text.replace(" it", " the thing")
        variants = [Variant(_changed(question, "s", same, question.answers), Expect.SAME, "syn", "syn/it")]
        if question.kind.answer_type == "yes/no":
            flipped = tuple({"yes": "no", "no": "yes"}[answer] for answer in question.answers)
            text = question.text.replace("Is it", "Is it not")
            variants.append(Variant(_changed(question, "a", text, flipped), Expect.DIFFERENT, "ant", "ant/not"))
        made.append(Group(question.id, "p2", question, tuple(variants)))
    return made


def _changed(question, mark, text, answers):
    return Question(f"{question.id}{mark}", question.image, text, answers, question.kind)


@dataclass(frozen=True)
class Stops:
    """A loss that adds nothing, and interrupts the training after a number of steps."""

    after: list[int] = field(repr=False)

    def term(self, step):
        self.after[0] -= 1
        if not self.after[0]:
            raise KeyboardInterrupt
