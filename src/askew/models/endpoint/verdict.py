"""What a reply means for its question and for the run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from reprlib import repr as repr_of  # short, and not deep
from typing import Any, TypeAlias

import orjson

from askew.models.endpoint.backoff import retry_after
from askew.models.endpoint.http import Reply


@dataclass(frozen=True, slots=True)
class Answered:
    """There is a completion to read."""

    reply: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Again:
    """It may work the next time."""

    reason: str
    jam: bool = True
    """True when the server has too much to do, False when only this reply is broken."""
    after: float | None = None
    """Seconds that the server asks one to wait."""
    silent: bool = False
    """True when nothing came at all within the time for a request."""


@dataclass(frozen=True, slots=True)
class Failed:
    """This question will not be answered; others may be."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """No question will be answered until a person does something."""

    reason: str
    remedy: str


Verdict: TypeAlias = Answered | Again | Failed | Stop

_AGAIN = {408, 409, 425, 429}
_OURS = {"temperature", "seed", "max_tokens", "max_completion_tokens", "model", "reasoning_effort", "detail"}
"""Parameters that are the same in every request: what is wrong with one is wrong with all."""
_REMEDIES = {
    401: "Set OPENAI_API_KEY (or put it into .env) to a key that this endpoint takes.",
    402: "The account must be paid; the same command goes on then.",
    403: "The key may not use this model or endpoint: use another key, or ask who runs the endpoint.",
    404: "Check the model's name and base_url (most end in /v1).",
    405: "Check base_url (most end in /v1).",
}
_PARAMETER_REMEDIES = {
    "temperature": "Leave it out with temperature=none.",
    "seed": "Leave it out with seed=none.",
    "max_tokens": "Use cap_field=max_completion_tokens.",
    "max_completion_tokens": "Use cap_field=max_tokens.",
    "model": "Check the model's name.",
}


def judge(reply: Reply) -> Verdict:
    """What a reply means.

    >>> judge(Reply(429, {"retry-after": "2"}, b""))
    Again(reason='http 429', jam=True, after=2.0, silent=False)
    >>> judge(Reply(400, {}, b'{"error": {"message": "image too small"}}'))
    Failed(reason='http 400: image too small')
    >>> judge(Reply(200, {}, b"<html>Welcome!</html>")).reason
    "broken reply: not a JSON object, but '<html>Welcome!</html>' (is base_url right?)"
    """
    if reply.status == 200:
        return _completion(reply)
    said = _json(reply.body)
    error = _error(said) if said is not None else _Error(_plain(reply.body))
    reason = ": ".join(part for part in (f"http {reply.status}", error.message) if part)
    return _trouble(reply.status, reason, error, retry_after(reply.headers))


@dataclass(frozen=True, slots=True)
class _Error:
    message: str = ""
    code: str = ""
    parameter: str = ""


def _completion(reply: Reply) -> Verdict:
    said = _json(reply.body)
    if not isinstance(said, dict):
        return Again(f"broken reply: not a JSON object{_instead(reply.body)}", jam=False)
    if said.get("error"):
        error = _error(said)
        status = int(error.code) if re.fullmatch("[45][0-9][0-9]", error.code) else 400
        return _trouble(status, f"error {error.code}: {error.message}", error, retry_after(reply.headers))
    choices = said.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        return Again("broken reply: no choices in it", jam=False)
    if not isinstance(choices[0].get("message"), dict):
        return Again("broken reply: no message in it", jam=False)
    return Answered(said)


def _trouble(status: int, reason: str, error: _Error, after: float | None) -> Verdict:
    if error.code == "insufficient_quota":
        return Stop(reason, _REMEDIES[402])
    if status in _AGAIN or status >= 500:
        return Again(reason, after=after)
    if error.parameter in _OURS:
        return Stop(reason, _PARAMETER_REMEDIES.get(error.parameter, "Leave that option out."))
    if status in _REMEDIES:
        return Stop(reason, _REMEDIES[status])
    if 300 <= status < 400 or status < 200:
        return Stop(reason, "Check base_url: the endpoint points elsewhere.")
    return Failed(reason)


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _error(said: Any) -> _Error:
    """The error in the shapes that servers give it: OpenAI's object, a plain string, or FastAPI's ``detail``."""
    if not isinstance(said, dict):
        return _Error()
    found = said.get("error") or said
    if not isinstance(found, dict):
        return _Error(_line(found))
    message = found.get("message") or found.get("detail") or ""
    return _Error(_line(message), _line(found.get("code") or ""), _line(found.get("param") or ""))


def _plain(body: bytes) -> str:
    """The words of a reply that is neither JSON nor a page."""
    text = _line(body[:800].decode("utf-8", "replace"))
    return "" if text.startswith(("<", "{", "[")) else text


def _instead(body: bytes) -> str:
    """How a reply begins that is no JSON at all: a page, a stream of events, plain words."""
    text = _line(body[:200].decode("utf-8", "replace"))
    return "" if not text or text.startswith(("{", "[")) else f", but {text[:40]!r} (is base_url right?)"


def _line(text: Any) -> str:
    """On one line, without anything that a terminal would obey; lists and objects in short."""
    words = text if isinstance(text, str) else str(text) if isinstance(text, (bool, int, float)) else repr_of(text)
    return "".join(sign if sign.isprintable() else "�" for sign in " ".join(words[:10_000].split())[:200])
