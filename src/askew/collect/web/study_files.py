"""Files in a study's folder that the service reads: the secret key and the consent text.

The key is generated at the first start, in a file that only its owner can read, or comes from the environment. The
consent text is askew's default, or the study's own in ``consent.txt``; after a change everybody is asked again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from askew.errors import DataError, UsageError

KEY_FILE = "secret.key"
VARIABLE = "ASKEW_COLLECT_SECRET"
LEAST = 32


def read_secret(folder: Path) -> bytes:
    """The key; a short or repetitive key is refused, and so is a file that others can read."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _strong(given, f"The environment variable {VARIABLE}")
    path = folder / KEY_FILE
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        refuse_readable(path, 0o077)
        return _strong(path.read_text(encoding="utf-8").strip(), str(path))
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32) + "\n")
    return read_secret(folder)


def refuse_readable(path: Path, by: int) -> None:
    """Refuse a file that others may read or write; ``by`` are the permission bits that must be off."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & by:
        raise DataError(f"{path}: other users of this computer can read it (mode {mode:o}). Run: chmod 600 {path}")


def _strong(text: str, where: str) -> bytes:
    if len(text) < LEAST or len(set(text)) < 10:
        raise UsageError(
            f"{where} is too weak: it needs at least {LEAST} random characters. Create one: "
            'python -c "import secrets; print(secrets.token_hex(32))"'
        )
    return text.encode()


CONSENT_FILE = "consent.txt"
LONGEST = 40_000
LONGEST_TITLE = 30
"""The largest number of characters of a first sentence that is shown as a title."""
DEFAULT = Path(__file__).with_name("templates") / CONSENT_FILE
"""The text of a study that has none of its own."""


@dataclass(frozen=True)
class Consent:
    """A consent text, and its version, which is stored with each person who agreed to it."""

    text: str
    version: str

    @property
    def paragraphs(self) -> list[tuple[str, str]]:
        """The paragraphs, separated by empty lines; a short first sentence is the title of its paragraph.

        >>> Consent("Your rights. You can stop.\\n\\nThank you for taking part in this study of ours.", "1").paragraphs
        [('Your rights.', 'You can stop.'), ('', 'Thank you for taking part in this study of ours.')]
        """
        parts = [part.strip() for part in self.text.replace("\r\n", "\n").split("\n\n") if part.strip()]
        split = [part.partition(". ") for part in parts]
        return [
            (first + ".", rest) if rest and len(first) <= LONGEST_TITLE else ("", part)
            for part, (first, _, rest) in zip(parts, split, strict=True)
        ]


def consent_of(text: str) -> Consent:
    """A text with its version."""
    return Consent(text, hashlib.sha256(text.encode()).hexdigest()[:12])


def read_consent(folder: Path) -> Consent:
    """The consent text of a study."""
    path = folder / CONSENT_FILE
    try:
        text = (path if path.exists() else DEFAULT).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as trouble:
        raise DataError(f"{path}: cannot be read as text ({trouble}). Save it as UTF-8.") from None
    if not text.strip() or len(text) > LONGEST:
        raise DataError(f"{path}: has {len(text)} characters; it needs 1 to {LONGEST}.")
    return consent_of(text)
