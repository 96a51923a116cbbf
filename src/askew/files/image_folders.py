"""Image files named in files that askew writes: by a name that can be published there, by a path on this machine.

A groups file can be published, so it names an image outside its folder by the image's file below the folder of images
(``val2014/COCO_val2014_000000000042.jpg``). On this machine askew remembers, in its cache folder and by the content of
the file, which folders were meant; anywhere else ``--images`` says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import orjson

from askew.errors import DataError
from askew.files.fingerprint import fingerprint
from askew.files.limits import read_object
from askew.files.paths import cache_folder
from askew.files.read_write import write_joined
from askew.types import Group, ImageRef, Question
from askew.verbs import DatasetFacts

FOLDER = "images"
"""The folder for images that were made together with a file that askew writes."""


class ImageFolders:
    """Folders of images outside ``home``, each with the name that files in ``home`` call it by.

    ``root`` is the folder that most of them are below, where it is known; else it is the first one that is met.

    >>> folders = ImageFolders("/bench", "/data/coco")
    >>> paths = ("/bench/images/a.png", "/data/coco/val/1.jpg", "/data/coco/2.jpg", "/x/val/3.jpg")
    >>> [folders.name(path) for path in paths]
    ['images/a.png', 'val/1.jpg', '2.jpg', 'val-2/3.jpg']
    >>> folders.find("val-2/3.jpg"), folders.find("images/a.png")
    ('/x/val/3.jpg', None)
    """

    def __init__(self, home: str, root: str | None = None, folders: Mapping[str, str] | None = None) -> None:
        self._home, self._root = os.path.abspath(home), root and os.path.abspath(root)
        self.folders: dict[str, str] = dict(folders or {})
        """By name; ``""`` is the root."""
        self._names = {folder: name for name, folder in self.folders.items()}
        self._own = {FOLDER}

    def name(self, path: str) -> str:
        """What a file in ``home`` calls this one."""
        folder, file = os.path.split(os.path.abspath(path))
        if folder not in self._names and is_below(folder, self._home):
            own = _relative(folder, self._home)
            if own not in self.folders:
                self._own.add(own)
                return f"{own}/{file}" if own else file
        if folder not in self._names:
            self._add(folder)
        name = self._names[folder]
        return f"{name}/{file}" if name else file

    def find(self, name: str) -> str | None:
        """The file of this name outside ``home``; None where the name is of a file in ``home``."""
        folder, _, file = name.rpartition("/")
        return os.path.join(self.folders[folder], file) if folder in self.folders else None

    def public(self, image: ImageRef) -> ImageRef:
        """The image by name; so is an id that is a path of this machine."""
        known = image.id
        if isinstance(known, str) and os.path.isabs(known):
            known = self.name(known)
        return replace(image, id=known, path=image.path and self.name(image.path))

    def public_group(self, group: Group) -> Group:
        """A group whose images are all named."""
        variants = tuple(replace(v, question=self._public(v.question)) for v in group.variants)
        return replace(group, original=self._public(group.original), variants=variants)

    def _public(self, question: Question) -> Question:
        return question if question.image is None else replace(question, image=self.public(question.image))

    def _add(self, folder: str) -> None:
        if self._root is None:
            self._root = folder
        plain, number = os.path.basename(folder) or "root", 1
        name = _relative(folder, self._root) if is_below(folder, self._root) else plain
        while name in self.folders or name in self._own:
            number += 1
            name = f"{plain}-{number}"
        self.folders[name], self._names[folder] = folder, name


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or anything in it; both are absolute."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def root_of(data: object) -> str | None:
    """The folder that the images of a data set are below, where it is known: that of images, or its file's own."""
    facts = DatasetFacts(data)
    if facts.images is not None:
        return facts.images
    return os.path.dirname(os.path.abspath(facts.path)) if facts.path is not None else None


def remember(path: str, folders: ImageFolders) -> None:
    """Remember the folders that a file means on this machine; where that cannot be stored, ``--images`` must say."""
    if folders.folders:
        with suppress(OSError):
            write_joined(_memory(fingerprint(path)), [orjson.dumps(folders.folders)])


def remembered(digest: str) -> dict[str, str]:
    """The folders that a file with this content means on this machine, by name; empty where that is not known."""
    with suppress(OSError, DataError):
        found = read_object(_memory(digest), "")
        return {name: folder for name, folder in found.items() if isinstance(folder, str)}
    return {}


def folders_of(path: str) -> dict[str, str]:
    """The same for a file."""
    return remembered(fingerprint(path)) if _memory("").parent.is_dir() else {}


def _memory(digest: str) -> Path:
    return cache_folder() / "image-folders" / f"{digest}.json"


def _relative(folder: str, above: str) -> str:
    """A folder from one above it, with slashes; nothing for that one itself."""
    return "" if folder == above else os.path.relpath(folder, above).replace(os.sep, "/")
