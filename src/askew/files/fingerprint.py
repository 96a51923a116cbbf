"""What data is known by: fingerprints of file contents, and signatures of readers without folder names."""

from __future__ import annotations

import hashlib
import os
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

from askew.errors import DataError
from askew.files.read_write import opened_raw


def fingerprint(*paths: str) -> str:
    """What these files contain, as 16 hexadecimal digits: the same for the same bytes, wherever they lie.

    Files are hashed when first asked for and remembered until they change.
    """
    whole = hashlib.sha256()
    for path in paths:
        whole.update(file_sha256(path).encode())
    return whole.hexdigest()[:16]


def file_sha256(path: str) -> str:
    """The SHA-256 of a file as it lies on disk, remembered until its size or time changes."""
    try:
        state = os.stat(path)
    except OSError as trouble:
        raise DataError(f"{path}: cannot be read ({trouble.strerror}). Put the file there.") from None
    return _sha256(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _sha256(path: str, size: int, changed: int) -> str:
    digest = hashlib.sha256()
    with opened_raw(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def signature(reader: Any) -> str:
    """A reader as its class and the options that differ from their defaults, with file names but no folders.

    The same data gives the same signature on every machine; ``fingerprint`` tells contents apart.
    """
    said = []
    for part in fields(reader):
        value = getattr(reader, part.name)
        if not part.repr or (part.default is not MISSING and value == part.default):
            continue
        shown = os.path.basename(os.path.normpath(value)) if isinstance(value, str) and value else value
        said.append(f"{part.name}={shown!r}")
    return f"{type(reader).__name__}({', '.join(said)})"
