"""Where the pictures of a data set lie: from an image id to its file in a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence

from askew.errors import BadImage, DataError
from askew.types import Id, ImageRef


class Pictures:
    """A folder of pictures and the ways their files may be named; the way that worked last is tried first.

    Templates are paths below the folder with ``{id}``; ``{id12}`` is a number in twelve digits, as COCO has it.
    Without a folder, pictures are known by their id alone.

    >>> Pictures(None, ["{id}.jpg"]).find(42)
    ImageRef(id=42, path=None, sha256=None, size=None)
    """

    def __init__(self, folder: str | None, templates: Sequence[str]) -> None:
        if folder is not None and not os.path.isdir(folder):
            raise DataError(
                f"{folder}: there is no such folder of images. Give the folder they lie in (--images DIR; images=...)."
            )
        self._folder = folder
        self._templates = list(templates)

    def find(self, key: Id, first: Sequence[str] = ()) -> ImageRef:
        """The picture of this id; templates that only this record knows of are tried ``first``."""
        if self._folder is None:
            return ImageRef(key)
        tried = [os.path.join(self._folder, name) for name in _names(key, [*first, *self._templates])]
        for place, path in enumerate(tried):
            if os.path.isfile(path):
                self._remember(key, place - len(first))
                return ImageRef(key, path)
        others = f" (nor {len(tried) - 1} other names there, e.g. {os.path.basename(tried[-1])})" if tried[1:] else ""
        raise BadImage(
            f"the picture of image {key!r} is not at {tried[0]}{others}. "
            "Put it there, or give the folder it lies in (--images DIR; images=...)."
        )

    def _remember(self, key: Id, place: int) -> None:
        if place > 0 and len(_names(key, self._templates)) == len(self._templates):
            self._templates.insert(0, self._templates.pop(place))


def _names(key: Id, templates: Sequence[str]) -> list[str]:
    """The file names of this id; ``{id12}`` is for numbers only.

    >>> _names(42, ["COCO_val2014_{id12}.jpg", "{id}.png"]), _names("n42", ["COCO_val2014_{id12}.jpg", "{id}.png"])
    (['COCO_val2014_000000000042.jpg', '42.png'], ['n42.png'])
    """
    if isinstance(key, int):
        return [name.replace("{id12}", f"{key:012d}").replace("{id}", str(key)) for name in templates]
    return [name.replace("{id}", key) for name in templates if "{id12}" not in name]
