"""The picture a question is about, or why there is none to change."""

from __future__ import annotations

from PIL.Image import Image

from askew.errors import BadImage
from askew.images import open_image
from askew.types import Question


def picture_of(question: Question) -> Image | str:
    """The picture, or the reason of a refusal.

    >>> picture_of(Question(1, None, "What is this?"))
    'there is no picture'
    """
    if question.image is None or (question.image.path is None and question.image.data is None):
        return "there is no picture"
    try:
        return open_image(question.image)
    except BadImage as fault:
        return fault.kind
