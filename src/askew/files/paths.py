"""Paths: the cache folder, and names of files in what may be published.

Results, reports and datasheets name no folder of this machine: absolute paths become the names of their files; relative
paths that a person typed stay.

A groups file can be published too, so it names an image outside its folder by the image's file below the folder of
images (``val2014/COCO_val2014_000000000042.jpg``). On this machine askew remembers, in its cache folder and by the
content of the file, which folders were meant; anywhere else ``--images`` says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from askew.errors import DataError
from askew.files.limits import read_object
from askew.files.read_write import fingerprint, write_joined
from askew.types import Group, ImageRef, Question
from askew.verbs import DatasetFacts

_PART = r"""[^/\s'"`,;:()<>|]+"""
_POSIX = re.compile(rf"(?<![\w./~-])/(?![/\s])(?:{_PART}/)+")
"""The folders of an absolute path: where it is not part of a word, a relative path or an address (``http://...``)."""
_WINDOWS = re.compile(r"""(?<!\w)[A-Za-z]:[\\/]+(?:[^\\/\s'"`,;:()<>|]+[\\/]+)*""")


def cache_folder() -> Path:
    """The folder for files that can be recreated: ``$ASKEW_CACHE``, or ``askew`` in the user's cache folder."""
    own = os.environ.get("ASKEW_CACHE")
    if own:
        return Path(own) / "askew"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "askew"


def public_text(text: str) -> str:
    """A text without the folders of absolute paths.

    >>> public_text("/data/coco/x.jpg: cannot be read; see http://host/a/b and runs/yes, yes/no")
    'x.jpg: cannot be read; see http://host/a/b and runs/yes, yes/no'
    >>> public_text("hf:/models/blip,labels=/models/l.txt"), public_text("Jsonl(path='/a/b c/q.jsonl')")
    ('hf:blip,labels=l.txt', "Jsonl(path='b c/q.jsonl')")
    """
    if "/" not in text and "\\" not in text:
        return text
    for folder in _known():
        text = folder.sub("", text)
    return _WINDOWS.sub("", _POSIX.sub("", text))


def public_word(word: str) -> str:
    """A word of a command, or a spec, without the folders of absolute paths, whatever characters are in their names.

    >>> public_word("vqa:/my data/v2,images=/my data/coco"), public_word("--data=../q.jsonl"), public_word("/a/b/")
    ('vqa:v2,images=coco', '--data=../q.jsonl', 'b')
    >>> public_word("openai:m,base_url=http://host:80/v1")
    'openai:m,base_url=http://host:80/v1'
    """
    return re.sub(r"(?<![^:=,])/(?!/)[^:=,]*", lambda path: os.path.basename(path[0].rstrip("/")), word)


def public(value: Any) -> Any:
    """A value of plain JSON, each of its texts without the folders of absolute paths."""
    if isinstance(value, str):
        return public_text(value)
    if isinstance(value, Mapping):
        return {public(key): public(part) for key, part in value.items()}
    return [public(part) for part in value] if isinstance(value, (list, tuple)) else value


def _known() -> Iterable[re.Pattern[str]]:
    """Folders of this machine that texts are likely to name, whatever their characters; long ones first."""
    return _patterns(os.getcwd(), os.path.expanduser("~"), str(cache_folder()))


@lru_cache(maxsize=64)
def _patterns(*folders: str) -> tuple[re.Pattern[str], ...]:
    """Each folder with those below it that a text names."""
    found = {os.path.join(path, "") for folder in folders for path in (folder, os.path.realpath(folder))}
    known = sorted((folder for folder in found if len(folder) > 1), key=len, reverse=True)
    return tuple(re.compile(f"{re.escape(folder)}(?:{_PART}/)*") for folder in known)


FOLDER = "images"
"""The folder for images that were made together with a file that askew writes."""


class ImageFolders:
    """Folders of images outside ``home``, each with the name that files in ``home`` call it by.

    ``root`` is the folder that most of them are below, where it is known; else it is the first one that occurs.

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
        """The name of this file in files of ``home``."""
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
        if known is image.id and image.path is None:
            return image
        return replace(image, id=known, path=image.path and self.name(image.path))

    def public_group(self, group: Group) -> Group:
        """A group whose images are all named."""
        return with_images(group, self.public)

    def _add(self, folder: str) -> None:
        if self._root is None:
            self._root = folder
        plain, number = os.path.basename(folder) or "root", 1
        name = _relative(folder, self._root) if is_below(folder, self._root) else plain
        while name in self.folders or name in self._own:
            number += 1
            name = f"{plain}-{number}"
        self.folders[name], self._names[folder] = folder, name


def with_image(question: Question, change: Callable[[ImageRef], ImageRef]) -> Question:
    """The question with its image changed; the question itself where it has none, or ``change`` returns the same."""
    image = question.image
    changed = image and change(image)
    return question if changed is image else replace(question, image=changed)


def with_images(group: Group, change: Callable[[ImageRef], ImageRef]) -> Group:
    """The group with all its images changed; the group itself where nothing changes."""
    original = with_image(group.original, change)
    if not group.variants:
        return group if original is group.original else replace(group, original=original)
    variants = [with_image(variant.question, change) for variant in group.variants]
    if original is group.original and all(n is v.question for n, v in zip(variants, group.variants, strict=True)):
        return group
    changed = tuple(replace(v, question=n) for n, v in zip(variants, group.variants, strict=True))
    return replace(group, original=original, variants=changed)


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
