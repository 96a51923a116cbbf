"""Paths: the cache folder, and file names for output that may be published.

Results, reports and datasheets do not reveal folders of this machine: absolute paths are reduced to file names;
relative paths that the user typed are kept.

A groups file can be published too, so it names an image outside its folder by its path relative to the image folder
(``val2014/COCO_val2014_000000000042.jpg``). On this machine, askew stores the image folders of each groups file in its
cache folder, under the hash of the file; on other machines, give ``--images``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
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
"""The folders of an absolute path that is not part of a word, a relative path or a URL (``http://...``)."""
_WINDOWS = re.compile(r"""(?<!\w)[A-Za-z]:[\\/]+(?:[^\\/\s'"`,;:()<>|]+[\\/]+)*""")


def cache_folder() -> Path:
    """The folder for files that can be recreated: ``$ASKEW_CACHE``, or ``askew`` in the user's cache folder."""
    own = os.environ.get("ASKEW_CACHE")
    if own:
        return Path(own) / "askew"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "askew"


def public_text(text: str) -> str:
    """Remove the folders of absolute paths from a text.

    >>> public_text("/data/coco/x.jpg: cannot be read; see http://host/a/b and runs/yes, yes/no")
    'x.jpg: cannot be read; see http://host/a/b and runs/yes, yes/no'
    >>> public_text("hf:/models/blip,labels=/models/l.txt"), public_text("Jsonl(path='/a/b c/q.jsonl')")
    ('hf:blip,labels=l.txt', "Jsonl(path='b c/q.jsonl')")
    """
    if "/" not in text and "\\" not in text:
        return text
    # folders that texts are likely to mention; their names may have any characters
    for folder in _patterns(os.getcwd(), os.path.expanduser("~"), str(cache_folder())):
        text = folder.sub("", text)
    return _WINDOWS.sub("", _POSIX.sub("", text))


def public_word(word: str) -> str:
    """Remove the folders of absolute paths from a command-line word or spec; their names may have any characters.

    >>> public_word("vqa:/my data/v2,images=/my data/coco"), public_word("--data=../q.jsonl"), public_word("/a/b/")
    ('vqa:v2,images=coco', '--data=../q.jsonl', 'b')
    >>> public_word("openai:m,base_url=http://host:80/v1")
    'openai:m,base_url=http://host:80/v1'
    """
    return re.sub(r"(?<![^:=,])/(?!/)[^:=,]*", lambda path: os.path.basename(path[0].rstrip("/")), word)


def public(value: Any) -> Any:
    """A plain JSON value, with the folders of absolute paths removed from all strings."""
    if isinstance(value, str):
        return public_text(value)
    if isinstance(value, Mapping):
        return {public(key): public(part) for key, part in value.items()}
    return [public(part) for part in value] if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=64)
def _patterns(*folders: str) -> tuple[re.Pattern[str], ...]:
    """A pattern for each folder, longest first, which also matches the subfolders that follow it in a text."""
    found = {os.path.join(path, "") for folder in folders for path in (folder, os.path.realpath(folder))}
    known = sorted((folder for folder in found if len(folder) > 1), key=len, reverse=True)
    return tuple(re.compile(f"{re.escape(folder)}(?:{_PART}/)*") for folder in known)


FOLDER = "images"
"""The folder for images that are generated along with a file."""


class ImageFolders:
    """Image folders outside ``home``, each with the name it has in files in ``home``.

    ``root`` is the folder that contains most of them, if known; otherwise it is the first one that occurs.

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
        """The folders by name; ``""`` is the root."""
        self._names = {folder: name for name, folder in self.folders.items()}
        self._own = {FOLDER}

    def name(self, path: str) -> str:
        """The name by which files in ``home`` refer to this file."""
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
        """The path of the file with this name outside ``home``; None if the name refers to a file in ``home``."""
        folder, _, file = name.rpartition("/")
        return os.path.join(self.folders[folder], file) if folder in self.folders else None

    def public(self, image: ImageRef) -> ImageRef:
        """The image with its path replaced by a name, as is an id that is a path on this machine."""
        known = image.id
        if isinstance(known, str) and os.path.isabs(known):
            known = self.name(known)
        if known is image.id and image.path is None:
            return image
        return replace(image, id=known, path=image.path and self.name(image.path))

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
    """The question with its images changed; the same object if it has none or ``change`` returns the same images."""
    image = question.image
    changed = image and change(image)
    others = tuple(map(change, question.more_images)) if question.more_images else ()
    if changed is image and others == question.more_images:
        return question
    return replace(question, image=changed, more_images=others)


def with_images(group: Group, change: Callable[[ImageRef], ImageRef]) -> Group:
    """The group with all its images changed; the same object if nothing changes."""
    original = with_image(group.original, change)
    if not group.variants:
        return group if original is group.original else replace(group, original=original)
    variants = [with_image(variant.question, change) for variant in group.variants]
    if original is group.original and all(n is v.question for n, v in zip(variants, group.variants, strict=True)):
        return group
    changed = tuple(replace(v, question=n) for n, v in zip(variants, group.variants, strict=True))
    return replace(group, original=original, variants=changed)


def stem_of(path: str) -> str:
    """The name of a file without its folder and extensions.

    >>> stem_of("pools/basic.txt.gz")
    'basic'
    """
    return os.path.basename(path).split(".")[0]


def is_below(path: str, folder: str) -> bool:
    """Whether a path is the folder or anything below it; both are absolute."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def root_of(data: object) -> str | None:
    """The folder that contains the images of a data set, if known: its image folder, or the folder of its file."""
    facts = DatasetFacts(data)
    if facts.images is not None:
        return facts.images
    return os.path.dirname(os.path.abspath(facts.path)) if facts.path is not None else None


def remember(path: str, folders: ImageFolders) -> None:
    """Store the image folders of a file on this machine; if they cannot be stored, ``--images`` is needed later."""
    if folders.folders:
        with suppress(OSError):
            write_joined(_memory(fingerprint(path)), [orjson.dumps(folders.folders)])


def remembered(digest: str) -> dict[str, str]:
    """The stored image folders, by name, of a file with this hash; empty if none are stored."""
    with suppress(DataError):
        found = read_object(_memory(digest), "")
        return {name: folder for name, folder in found.items() if isinstance(folder, str)}
    return {}


def folders_of(path: str) -> dict[str, str]:
    """The stored image folders of a file; see :func:`remembered`."""
    return remembered(fingerprint(path)) if _memory("").parent.is_dir() else {}


def _memory(digest: str) -> Path:
    return cache_folder() / "image-folders" / f"{digest}.json"


def _relative(folder: str, above: str) -> str:
    """The path of a folder relative to one above it, with slashes; empty for that folder itself."""
    return "" if folder == above else os.path.relpath(folder, above).replace(os.sep, "/")


_TABLE = re.compile(r"\.(csv|tsv)(\.gz)?$", re.IGNORECASE)


def is_table(path: str) -> bool:
    """True for the name of a CSV or TSV file, gzip or not."""
    return bool(_TABLE.search(path))
