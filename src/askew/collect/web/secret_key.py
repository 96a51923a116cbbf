"""The study's secret key: made at the first start, in a file that only its owner reads, or given by the environment."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from askew.errors import DataError, UsageError

FILE = "secret.key"
VARIABLE = "ASKEW_COLLECT_SECRET"
LEAST = 32


def read_secret(folder: Path) -> bytes:
    """The key; a short or repetitive one is refused, and a file that others can read."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _strong(given, f"The environment variable {VARIABLE}")
    path = folder / FILE
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        refuse_readable(path, 0o077)
        return _strong(path.read_text(encoding="utf-8").strip(), str(path))
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32) + "\n")
    return read_secret(folder)


def refuse_readable(path: Path, by: int) -> None:
    """Refuse a file whose permissions let others read or write it; ``by`` are the bits that must be off."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & by:
        raise DataError(f"{path}: other users of this computer can read it (mode {mode:o}). Say: chmod 600 {path}")


def _strong(text: str, where: str) -> bytes:
    if len(text) < LEAST or len(set(text)) < 10:
        raise UsageError(
            f"{where} is no secret: it needs at least {LEAST} characters, drawn at random. Make one: "
            'python -c "import secrets; print(secrets.token_hex(32))"'
        )
    return text.encode()
