"""Pictures made on the fly: kept in ``images/`` beside the file that names them, and taken away when none names them.

A picture is called by its content. ``images/.askew-made`` lists what was put there, each name before its file is
written, so that a killed build leaves nothing that is not known; only what is listed is ever taken away.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from askew.errors import DataError
from askew.files import clear_parts, has_parts, opened, replaced, write_joined
from askew.images import content_hash, suffix_of
from askew.types import ImageRef

FOLDER, LIST = "images", ".askew-made"
_NAMED = re.compile(rb"images/([0-9a-f]{16}\.[a-z]+)")


def kept(folder: str, image: ImageRef) -> ImageRef:
    """The picture in a file below this folder, known by its path there."""
    content = image.data or b""
    digest = content_hash(image)
    name = digest[:16] + suffix_of(content)
    target = os.path.join(folder, FOLDER, name)
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(os.path.join(folder, FOLDER, LIST), "ab") as listed:
            listed.write(name.encode() + b"\n")
        with replaced(target) as file:
            file.write(content)
    return replace(image, path=f"{FOLDER}/{name}", data=None, sha256=digest)


def clear_unnamed(folder: Path) -> None:
    """Take away the pictures that askew put here and that no JSONL file of the folder names any more.

    What somebody else put there, or has changed, stays; so does everything while another process writes to the
    folder, and where ``images`` is a link to what others may share.
    """
    place = folder / FOLDER
    listed = place / LIST
    if place.is_symlink() or not listed.is_file():
        return
    for written_to in (folder, place):
        clear_parts(written_to)
    if has_parts(folder):
        return
    made = {name for name in listed.read_bytes().split() if _NAMED.fullmatch(b"images/" + name)}
    try:
        unnamed = made - _named_in(folder)
    except DataError:  # what cannot be read may name any of them
        return
    for path in (place / os.fsdecode(name) for name in unnamed):
        if _is_as_made(path):
            path.unlink()
    there = sorted(name for name in made if (place / os.fsdecode(name)).exists())
    write_joined(listed, (name + b"\n" for name in there))


def _named_in(folder: Path) -> set[bytes]:
    """The names of made pictures in the JSONL files of a folder."""
    named: set[bytes] = set()
    for path in (*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")):
        with opened(str(path)) as lines:
            for line in lines:
                named.update(_NAMED.findall(line))
    return named


def _is_as_made(path: Path) -> bool:
    """True when the file still has the content that it is called by."""
    return path.is_file() and not path.is_symlink() and sha256(path.read_bytes()).hexdigest()[:16] == path.stem
