"""Paths: the cache folder, and text that may be published.

Results, reports and datasheets name no folder of this machine: absolute paths become the names of their files; relative
paths that a person typed stay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

_PART = r"""[^/\s'"`,;:()<>|]+"""
_POSIX = re.compile(rf"(?<![\w./~-])/(?![/\s])(?:{_PART}/)+")
"""The folders of an absolute path: where it is not part of a word, a relative path or an address (``http://...``)."""
_WINDOWS = re.compile(r"""(?<!\w)[A-Za-z]:[\\/]+(?:[^\\/\s'"`,;:()<>|]+[\\/]+)*""")


def cache_folder() -> Path:
    """Where askew keeps what it can make again: ``$ASKEW_CACHE``, or ``askew`` in the user's cache folder."""
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
    """A word of a command, or a spec, without the folders of absolute paths, whatever signs are in their names.

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
    """Folders of this machine that texts are likely to name, whatever signs are in their names; long ones first."""
    return _patterns(os.getcwd(), os.path.expanduser("~"), str(cache_folder()))


@lru_cache(maxsize=64)
def _patterns(*folders: str) -> tuple[re.Pattern[str], ...]:
    """Each folder with those below it that a text names."""
    found = {os.path.join(path, "") for folder in folders for path in (folder, os.path.realpath(folder))}
    known = sorted((folder for folder in found if len(folder) > 1), key=len, reverse=True)
    return tuple(re.compile(f"{re.escape(folder)}(?:{_PART}/)*") for folder in known)
