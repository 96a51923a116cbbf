"""Find the image files of a data set: by image id, by file name, or by the paths in our own files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, wraps
from itertools import takewhile
from typing import Any, TypeVar

from askew.errors import BadImage, DataError
from askew.files.paths import ImageFolders, with_image
from askew.types import Id, ImageRef, Question

T = TypeVar("T")

_IMAGE = re.compile(r"\.(jpe?g|png|webp|gif|bmp|tiff?)$", re.IGNORECASE)


def counting_missing(read: Callable[[Any], Iterator[T]]) -> Callable[[Any], Iterator[T]]:
    """Let the error about an image say how many records of the data are bad in all, and what is left without them."""

    @wraps(read)
    def counted(data: Any) -> Iterator[T]:
        try:
            yield from read(data)
        except BadImage as fault:
            lenient = replace(data, skip_bad=True)
            images = {image.id for question in lenient.questions() for image in question.images}
            raise BadImage(
                f"{fault} In all, {len(lenient.skipped):,} records are bad; questions about {len(images):,} images are "
                "left without them."
            ) from None

    return counted


class ImagesById:
    """A folder of images and templates for their file names; the template that matched last is tried first.

    Templates are paths below the folder with ``{id}``; ``{id12}`` is a number with twelve digits, as in COCO.
    Without a folder, images are only known by their ids. ``missing`` is the error about the first file that
    ``find_later`` did not find.

    >>> ImagesById(None, ["{id}.jpg"]).find(42)
    ImageRef(id=42, path=None, sha256=None, size=None)
    """

    def __init__(self, folder: str | None, templates: Sequence[str]) -> None:
        self._folder = _checked(folder)
        self._templates = list(templates)
        self._last: ImageRef | None = None
        self.found = 0
        self.missing: BadImage | None = None

    def find_later(self, key: Id) -> ImageRef:
        """The image with this id; its file is only needed when it is opened."""
        try:
            image = self.find(key)
        except BadImage as fault:
            self.missing = self.missing or fault
            return ImageRef(key, os.path.join(self._folder or "", _names(key, self._templates)[0]))
        self.found += 1
        return image

    def find(self, key: Id, first: Sequence[str] = ()) -> ImageRef:
        """The image with this id; the templates in ``first``, from its record, are tried first."""
        if self._folder is None:
            last = self._last  # questions about one image are usually adjacent
            if last is None or type(last.id) is not type(key) or last.id != key:
                last = self._last = ImageRef(key)
            return last
        tried = [os.path.join(self._folder, name) for name in _names(key, [*first, *self._templates])]
        for place, path in enumerate(tried):
            if os.path.isfile(path):
                self._remember(key, place - len(first))
                return ImageRef(key, path)
        others = f" (nor {len(tried) - 1} other names there, e.g. {os.path.basename(tried[-1])})" if tried[1:] else ""
        raise BadImage(
            f"the file of image {key!r} is not at {tried[0]}{others}. "
            "Put it there, or give the folder that contains it (--images DIR; images=...)."
        )

    def _remember(self, key: Id, place: int) -> None:
        if place > 0 and len(_names(key, self._templates)) == len(self._templates):
            self._templates.insert(0, self._templates.pop(place))


def _names(key: Id, templates: Sequence[str]) -> list[str]:
    """The possible file names for this id; ``{id12}`` only applies to numbers.

    >>> _names(42, ["COCO_val2014_{id12}.jpg", "{id}.png"]), _names("n42", ["COCO_val2014_{id12}.jpg", "{id}.png"])
    (['COCO_val2014_000000000042.jpg', '42.png'], ['n42.png'])
    """
    if isinstance(key, int):
        return [name.replace("{id12}", f"{key:012d}").replace("{id}", str(key)) for name in templates]
    return [name.replace("{id}", key) for name in templates if "{id12}" not in name]


class ImagesByPath:
    """The images of our own files: at the path in the file, relative to its folder, or in a given folder.

    A given folder must contain every image except those beside the file. Without one, an image is searched for when it
    is opened, and an ``image`` that does not name a file beside ours is an id.
    """

    def __init__(self, home: str, folder: str | None, folders: Mapping[str, str] | None = None) -> None:
        self._home, self._folder = home, _checked(folder)
        self._last: tuple[ImageRef, ImageRef] | None = None
        self._folders = ImageFolders(home, None, folders)

    def placed(self, question: Question) -> Question:
        """The question with the path of its image file."""
        return with_image(question, self.place)

    def place(self, image: ImageRef) -> ImageRef:
        """The image with the path of its file."""
        if self._last is None or self._last[0] != image:  # questions about one image are usually adjacent
            self._last = image, self._beside(image) if self._folder is None else self._inside(image)
        before, after = self._last
        return image if after is before else after

    def _beside(self, image: ImageRef) -> ImageRef:
        if image.path and (known := self._folders.find(image.path)):
            return replace(image, path=known)
        path = os.path.normpath(os.path.join(self._home, image.path or str(image.id)))
        return replace(image, path=path) if image.path or os.path.isfile(path) else image

    def _inside(self, image: ImageRef) -> ImageRef:
        given = image.path or str(image.id)
        names = dict.fromkeys((given, os.path.basename(given), f"{image.id}.jpg", f"{image.id}.png"))
        tried = [os.path.normpath(os.path.join(self._folder or "", name)) for name in names]
        own = [os.path.normpath(os.path.join(self._home, image.path))] if image.path else []  # written with the file
        for path in (*tried, *own):
            if os.path.isfile(path):
                return replace(image, path=path)
        wanted = tried[1] if os.path.isabs(given) else tried[0]
        raise BadImage(
            f"the file of image {image.id!r} is not at {wanted}. "
            "Put it there, or give the folder that contains it (--images DIR; images=...)."
        )


class ImagesByName:
    """The image files in a folder and its sub-folders, found by name; the folder is listed once.

    If several sub-folders have a file of that name, the one whose path shares the longest end with the name in the data
    is used. Without a folder given by the user, and without image files beside the data, images are only known by name.
    """

    def __init__(self, given: str | None, beside: str) -> None:
        self._folder, self._given = _checked(given) or beside, given is not None

    @cached_property
    def _places(self) -> dict[str, str | list[str]]:
        """The path of each image file below the folder, by its name; a list if the name occurs more than once."""
        found: dict[str, str | list[str]] = {}
        for place, folders, names in os.walk(self._folder):
            folders.sort()
            for name in filter(_IMAGE.search, names):
                path = os.path.join(place, name)
                before = found.setdefault(name, path)
                if before is not path:
                    found[name] = [*([before] if isinstance(before, str) else before), path]
        return found

    @property
    def has_files(self) -> bool:
        """Whether a folder is given, or image files are beside the data."""
        return self._given or bool(self._places)

    def first(self, names: Sequence[str]) -> str:
        """The first of these names for which there is a file; ``names[0]`` if there is none."""
        return next((name for name in names if name in self._places), names[0])

    def find(self, name: str) -> ImageRef:
        """The image of this name (a file name, or a path in the data's own folders)."""
        places = self._places
        if not self.has_files:
            return ImageRef(name)
        base = name.replace("\\", "/").rpartition("/")[2]
        found = places.get(base)
        if isinstance(found, list):
            shared = [_shared_tail(path, name) for path in found]
            fitting = [path for path, tail in zip(found, shared, strict=True) if tail == max(shared)]
            if len(fitting) != 1:
                raise BadImage(
                    f"{len(found)} files are called {base} in {self._folder}, e.g. {found[0]} and {found[1]}. "
                    "Give a folder with only the correct one (--images DIR; images=...)."
                )
            found = fitting[0]
        if found is None:
            raise BadImage(
                f"the image file {base} is neither in {self._folder} nor in its sub-folders. "
                "Put it there, or give the folder that contains it (--images DIR; images=...)."
            )
        return ImageRef(name, found)


def _shared_tail(path: str, name: str) -> int:
    """How many trailing parts two paths have in common.

    >>> _shared_tail("/data/VD/chart/0_1.png", "./hallusion_bench/VD/chart/0_1.png")
    3
    """
    parts = (reversed(one.replace("\\", "/").split("/")) for one in (path, name))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*parts, strict=False)))


def _checked(folder: str | None) -> str | None:
    """The folder of images that the user gave, which must exist."""
    if folder is not None and not os.path.isdir(folder):
        raise DataError(f"{folder}: there is no such folder. Give the folder of the images (--images DIR; images=...).")
    return folder
