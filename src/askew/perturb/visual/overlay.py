"""A wrong answer written on the image: the answer should stay the same.

Models of images and text can take what is written for what is there: a note that says *iPod* on an apple fooled CLIP
(Goh et al., Multimodal Neurons in Artificial Neural Networks, 2021: typographic attacks). A word that has nothing to do
with the question is the control: the label itself hides a part of the image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageDraw, ImageFont

from askew.files.images import Encoding, check_encoding, encode
from askew.perturb.visual.which_images import asks_about, open_images, with_changed
from askew.perturb.wrong_answers import NoWrongAnswer, WrongAnswers
from askew.types import Expect, Question, Refusal, Variant

FORMS = {"small": (0.06, 0.02), "large": (0.12, 0.02), "low": (0.12, 0.98)}
"""Height of the letters, and where the label begins, as shares of the image's height; it never leaves the image."""
UNRELATED = ("tuesday", "music", "sample", "menu", "letter", "welcome", "holiday", "thursday")
"""Words for the control."""
_SMALLEST = 64
_LONGEST = 24
"""A longer word would hide too much."""


@dataclass(frozen=True)
class Overlay:
    """Two variants for each form: with the wrong answer, and with an unrelated word on a label of the same size."""

    answers: WrongAnswers
    encoding: Encoding = "jpeg"

    def __post_init__(self) -> None:
        check_encoding(self.encoding)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question about the labelled image. The note has the ``claim``, and ``level`` 1 if it is wrong."""
        found = self._words(question, rng)
        if isinstance(found, str):
            yield from (Refusal(question.id, form, found) for form in FORMS)
            return
        image, wrong, unrelated = found
        for form in FORMS:
            for rule, claim, level in (("wrong", wrong, 1), ("unrelated", unrelated, 0)):
                ref = encode(labelled(image, claim, form, (wrong, unrelated)), self.encoding)
                changed, _ = with_changed(question, f"{rule}-{form}", {0: ref})
                yield Variant(changed, Expect.SAME, form, f"overlay/{rule}", {"claim": claim, "level": level})

    def _words(self, question: Question, rng: Random) -> tuple[Image.Image, str, str] | str:
        """The image, the wrong answer and an unrelated word, or why not."""
        if question.more_images:
            return "it is not about one image"
        if asks_about(question, "text"):
            return "it asks about text"
        try:
            _, wrong = self.answers.draw(question, rng)
        except NoWrongAnswer as reason:
            return str(reason)
        if len(wrong) > _LONGEST:
            return f"the wrong answer has more than {_LONGEST} letters"
        images = open_images(question)
        if isinstance(images, str):
            return images
        if min(images[0].size) < _SMALLEST:
            return f"its image has a side of less than {_SMALLEST} pixels"
        return images[0], wrong, rng.choice(UNRELATED)


def labelled(image: Image.Image, word: str, form: str, widest: tuple[str, ...] = ()) -> Image.Image:
    """The image with a word in black on a white label, which is as wide as the widest of these words needs.

    >>> labelled(Image.new("RGB", (100, 100)), "no", "large").getpixel((50, 3))
    (255, 255, 255)
    """
    share, begins = FORMS[form]
    room, size = image.width * 9 // 10, max(9, round(image.height * share))
    shown = Image.new("RGB", image.size)
    shown.paste(image.convert("RGB"))
    draw = ImageDraw.Draw(shown)
    while True:
        font = ImageFont.load_default(size)
        boxes = {one: draw.textbbox((0, 0), one, font=font) for one in (word, *widest)}
        width = max(round(right - left) for left, _, right, _ in boxes.values())
        if width <= room or size <= 6:
            break
        size -= 1
    edge = max(2, size // 5)
    height = round(font.getbbox("Ag")[3]) + 2 * edge
    left = (image.width - width) // 2 - edge
    top = min(round(image.height * begins), image.height - height)
    draw.rectangle((left, top, left + width + 2 * edge, top + height - 1), fill="white")
    own = round(boxes[word][2] - boxes[word][0])
    draw.text((left + edge + (width - own) // 2 - boxes[word][0], top + edge), word, fill="black", font=font)
    return shown
