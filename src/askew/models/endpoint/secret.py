"""The key: from the environment or a ``.env`` file, sent to the endpoint, and shown to nobody."""

from __future__ import annotations

import os
import re
from pathlib import Path

from askew.errors import ModelError

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_LONG = 16
"""A key of so many characters stands in no honest answer; shorter ones ("EMPTY") are placeholders."""


def setting(name: str) -> str | None:
    """A variable of the environment, or else of the file ``.env`` in the current folder."""
    value = os.environ.get(name)
    if value is None:
        value = _dotenv(Path(".env")).get(name)
    return value.strip() or None if value else None


def api_key() -> str | None:
    """The key, or None when there is none."""
    key = setting("OPENAI_API_KEY")
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError("OPENAI_API_KEY has characters that no key has (not shown here). Copy it again.")
    return key


def without(key: str | None, text: str) -> str:
    """The text with the key blacked out.

    >>> without("sk-1234", "Incorrect key: sk-1234")
    'Incorrect key: [key]'
    """
    return text.replace(key, "[key]") if key else text


def without_long(key: str | None, body: bytes) -> bytes:
    """A reply with the key blacked out, where it is a real one."""
    return body.replace(key.encode(), b"[key]") if key and len(key) >= _LONG else body


def _dotenv(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    return {match[1]: _unquoted(match[2]) for match in map(_LINE.fullmatch, lines) if match}


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] in "'\"" and value.find(value[0], 1) > 0:
        return value[1 : value.find(value[0], 1)]
    return re.split(r"(?:^|\s)#", value)[0].strip()
