"""Many pictures on one: to look at a world before using it."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from askew.types import Scene
from askew.world.draw import draw


def contact_sheet(scenes: Sequence[Scene], columns: int = 8, size: int = 224, gap: int = 6) -> Image.Image:
    """The pictures of the scenes in rows, ``size`` pixels on the shorter side each; nothing gives an empty sheet.

    >>> from askew.world.scenes import make_scene
    >>> contact_sheet([make_scene(0, index) for index in range(3)], columns=2, size=56, gap=4).size
    (124, 124)
    """
    pictures = [draw(scene, size) for scene in scenes]
    width = max((picture.width for picture in pictures), default=size)
    height = max((picture.height for picture in pictures), default=size)
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (gap + columns * (width + gap), gap + rows * (height + gap)), (255, 255, 255))
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        sheet.paste(picture, (gap + column * (width + gap), gap + row * (height + gap)))
    return sheet
