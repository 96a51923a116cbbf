"""Which files askew wrote into a folder: listed there in ``.askew-made``; only what is listed is ever deleted.

Generated images are stored in ``images/`` beside the file that names them, named after a hash of their content, and
deleted when no file names them. Each is listed before it is written, so a killed build leaves no unlisted file. The
files of a benchmark are listed with their SHA-256, as by ``sha256sum``, and deleted when the next one lacks them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from askew.errors import DataError
from askew.files.images import content_hash, suffix_of
from askew.files.paths import FOLDER
from askew.files.read_write import clear_parts, file_sha256, has_parts, opened, replaced, write_joined
from askew.types import ImageRef

LIST = ".askew-made"
_NAMED = re.compile(rb"images/([0-9a-f]{16}\.[a-z]+)")


def save_image(folder: str, image: ImageRef) -> ImageRef:
    """Write the image to a file below this folder; returns it with its relative path."""
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


def clear_unwritten(folder: Path, written: Iterable[str | Path], sources: str = "") -> None:
    """List the files of a benchmark written here, and delete those of an earlier one that it does not have.

    Files that changed since askew wrote them are kept, as are files that askew did not write and those in ``sources``.
    """
    listed = folder / LIST
    earlier = listed.read_text(encoding="utf-8", errors="replace").splitlines() if listed.is_file() else []
    now = {Path(path).name: file_sha256(str(path)) for path in written}
    for digest, _, name in (line.partition("  ") for line in earlier):
        path = folder / os.path.basename(name)
        if path.name in now or not _is_plain(path) or file_sha256(str(path)) != digest:
            continue
        if path.name in sources:
            now[path.name] = digest
        else:
            path.unlink()
    write_joined(listed, (f"{digest}  {name}\n".encode() for name, digest in now.items()))
    clear_unnamed(folder)


def clear_unnamed(folder: Path) -> None:
    """Delete the images that askew wrote here and that no JSONL file of the folder names any more.

    Changed images and images that askew did not write are kept; so is everything while another process writes to the
    folder, or if ``images`` is a symbolic link.
    """
    place = folder / FOLDER
    listed = place / LIST
    if place.is_symlink() or not listed.is_file():
        return
    for written_to in (folder, place):
        clear_parts(written_to)
    if has_parts(folder):
        return
    written = {name for name in listed.read_bytes().split() if _NAMED.fullmatch(b"images/" + name)}
    try:
        unnamed = written - _named_in(folder)
    except DataError:  # a file that cannot be read may name any of them
        return
    for path in (place / os.fsdecode(name) for name in unnamed):
        if _is_unchanged(path):
            path.unlink()
    remaining = sorted(name for name in written if (place / os.fsdecode(name)).exists())
    write_joined(listed, (name + b"\n" for name in remaining))


def _named_in(folder: Path) -> set[bytes]:
    """The names of generated images in the JSONL files of a folder."""
    named: set[bytes] = set()
    for path in (*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")):
        with opened(str(path)) as lines:
            for line in lines:
                named.update(_NAMED.findall(line))
    return named


def _is_unchanged(path: Path) -> bool:
    """Whether the content of the file still matches the hash in its name."""
    return _is_plain(path) and sha256(path.read_bytes()).hexdigest()[:16] == path.stem


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
