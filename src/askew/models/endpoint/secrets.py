"""Keys and other secrets: sent to the endpoint and never shown.

The key is read from the environment or a ``.env`` file; the request's ``extra`` fields may hold other secrets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from askew.errors import ModelError

DOTENV = Path(".env")
LONG = 16
"""Keys of at least this many characters are hidden in replies; shorter ones ("EMPTY") are placeholders."""
NAMED = 8
"""A value under a secret's name is hidden in descriptions of a run if it has at least this many characters."""

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_NAMES = re.compile(
    r"(.*[-_ ])?(api[-_ ]?key|key|token|secret|pass|password|passwd|pwd|auth|authorization|credentials?|cookie)", re.I
)
_NOT_NAMES = re.compile(r"(bos|eos|pad|unk|sep|cls|mask|stop|start|end|image|special|cache|sort)[-_ ](token|key)", re.I)
_SCHEME = re.compile(r"[A-Za-z-]+ +(\S+)")
_ESCAPE = re.compile(r"[\\%&']")
_LOOKS = re.compile(
    r"\b(?:sk|pk|rk)-[\w-]{16,}|\b(?:hf|gsk|xai|nvapi)[_-]\w{16,}|\bgh[pousr]_\w{16,}|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[\w-]{30,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|(?<=Bearer )\S{16,}"
)


def base_url() -> tuple[str | None, bool]:
    """The endpoint's address from the environment or ``.env``, and whether it is from that file."""
    found = _from_environment("OPENAI_BASE_URL")
    if found is not None or "OPENAI_BASE_URL" in os.environ:
        return found, False
    found = _from_file("OPENAI_BASE_URL")
    return found, found is not None


def api_key(address_from_file: bool = False) -> str | None:
    """The key, or None. An address from ``.env`` is used only with a key from there: whoever wrote that file must not
    get the key of the person who runs askew.
    """
    exported, from_file = _from_environment("OPENAI_API_KEY"), _from_file("OPENAI_API_KEY")
    if address_from_file and from_file is None and exported is not None:
        raise ModelError(
            "OPENAI_BASE_URL is from the file .env in this folder, and OPENAI_API_KEY is not: the key would go to "
            "whoever wrote that file. If you trust it, put the key into the same file or give --base-url."
        )
    key = from_file if address_from_file or (exported is None and "OPENAI_API_KEY" not in os.environ) else exported
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError("OPENAI_API_KEY has characters that a key cannot have (not shown here). Copy it again.")
    return key


def keys_at_hand() -> list[str | None]:
    """Every key that could be sent, so that it can be hidden."""
    return [_from_environment("OPENAI_API_KEY"), _from_file("OPENAI_API_KEY")]


def from_environment(name: str, from_file: bool) -> str | None:
    """A variable of the environment or else of ``.env``; with ``from_file`` only of that file."""
    return _from_file(name) if from_file else _from_environment(name) or _from_file(name)


def names_secret(name: str) -> bool:
    """Whether a field of this name has a secret.

    >>> names_secret("api-key"), names_secret("api-version"), names_secret("eos_token")
    (True, False, False)
    """
    return bool(_NAMES.fullmatch(name) and not _NOT_NAMES.fullmatch(name))


def secrets_in(fields: Any) -> Iterator[str]:
    """Secrets in the fields of a request: recognised by the name of the field, or by their form.

    >>> list(secrets_in({"auth": {"key": "open sesame"}, "tags": ["sk-0123456789abcdefgh"], "eos_token": "<|im_end|>"}))
    ['open sesame', 'sk-0123456789abcdefgh']
    >>> list(secrets_in({"Authorization": "Basic dXNlcjpzZXNhbWU="}))  # servers repeat it without the scheme
    ['Basic dXNlcjpzZXNhbWU=', 'dXNlcjpzZXNhbWU=']
    """
    if isinstance(fields, dict):
        for name, value in fields.items():
            if names_secret(name):
                parts = [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, str)]
                parts += [match[1] for part in parts if (match := _SCHEME.fullmatch(part))]
                yield from (part for part in parts if len(part) >= NAMED)
            yield from secrets_in(value)
    elif isinstance(fields, list):
        for value in fields:
            yield from secrets_in(value)
    elif isinstance(fields, str):
        yield from _LOOKS.findall(fields)


def hide(text: str, secrets: Iterable[str | None], least: int = 1) -> str:
    """The text with each secret of at least ``least`` characters replaced, however its characters are escaped.

    >>> hide("Incorrect key: sk-1234", ["sk-1234"])
    'Incorrect key: [key]'
    >>> hide(r"a\\/b%2Fc \\u0061/b/c a&#47;b&#x2F;c", ["a/b/c"])
    '[key] [key] [key]'
    """
    for secret in secrets:
        if secret and len(secret) >= least:
            text = text.replace(secret, "[key]")
            text = _pattern(secret).sub("[key]", text) if _ESCAPE.search(text) else text
    return text


def hide_in(body: bytes, secrets: Iterable[str | None]) -> bytes:
    """A reply with every long secret replaced."""
    text = body.decode("utf-8", "surrogateescape")
    return hide(text, secrets, LONG).encode("utf-8", "surrogateescape")


@lru_cache(maxsize=64)
def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_escapes, secret)))


def _escapes(character: str) -> str:
    """A pattern for a character: plain, or as JSON, URLs, HTML and the shell escape it."""
    code = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(character):x}")
    forms = [rf"\\{{0,8}}{re.escape(character)}", rf"\\{{1,8}}(?:u0{{0,3}}|x){code}", f"%(?:25){{0,3}}{code}"]
    forms += [f"&#0{{0,8}}{ord(character)};", f"&#[xX]0{{0,8}}{code};", *(["'\"'\"'"] if character == "'" else [])]
    return f"(?:{'|'.join(forms)})"


def _from_environment(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _from_file(name: str) -> str | None:
    return _dotenv(DOTENV).get(name, "").strip() or None


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
