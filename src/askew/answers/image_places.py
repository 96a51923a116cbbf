"""Where the images of a question are in its text: ``<image 2>`` is the place of the second of several images."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

_PLACE = re.compile(r"<image ?(\d+)>")
MARK = "<image>"
"""The place of the next image."""


def parts_of(text: str, images: int) -> list[str | int]:
    """The text in parts, with the number of an image, from 0, where it is mentioned first.

    Images that are not mentioned come first, and so does the image of a question about one.

    >>> parts_of("Is <image 2> like <image 1>? In <image 2> ...", 2)
    ['Is ', 1, ' like ', 0, '? In <image 2> ...']
    >>> parts_of("Which of <image 2> and <image 3> is older?", 3)
    [0, 'Which of ', 1, ' and ', 2, ' is older?']
    >>> parts_of("What is in <image 1>?", 1), parts_of("Why?", 0)
    ([0, 'What is in <image 1>?'], ['Why?'])
    """
    if images < 2:
        return [*range(images), text]
    found: list[str | int] = []
    left, end = set(range(images)), 0
    for match in _PLACE.finditer(text):
        place = int(match[1]) - 1
        if place in left:
            left.remove(place)
            found += [text[end : match.start()], place]
            end = match.end()
    return [*sorted(left), *(part for part in (*found, text[end:]) if not isinstance(part, str) or part.strip())]


def text_end(text: str, images: int) -> str:
    """The text after the last image; before it, if the image comes last.

    >>> text_end("Is <image 2> like <image 1>?", 2), text_end("It is like <image 2>", 2)
    ('?', 'It is like ')
    """
    return next((part for part in reversed(parts_of(text, images)) if isinstance(part, str)), text)


def with_places(text: str, images: int) -> str:
    """A text in which ``<image>`` stands for an image: numbered if there are several, otherwise without it.

    >>> with_places("<image>\\nWhy?", 1), with_places("Is <image> like <image>?", 2)
    ('Why?', 'Is <image 1> like <image 2>?')
    """
    return (number_marks([text])[0] if images > 1 else text.replace(MARK, "")).strip()


def number_marks(texts: Sequence[str]) -> list[str]:
    """Texts in which each ``<image>`` is numbered, in the order in which they are read.

    >>> number_marks(["<image> or <image>?", "<image>"])
    ['<image 1> or <image 2>?', '<image 3>']
    """
    numbers = count(1)
    return [re.sub(MARK, lambda _: f"<image {next(numbers)}>", text) for text in texts]
