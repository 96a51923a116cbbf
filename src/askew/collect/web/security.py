"""The rules for every request and response of the service: headers, hosts, origins, form values, sizes and rates.

Nothing here depends on ``request.url``, since a Host header can change it. Redirects are paths, never full addresses.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from askew.collect.protocol import NotAllowed

PAGE_POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
IMAGE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""On every response, together with a Content-Security-Policy and a Cache-Control. The referrer policy is
``same-origin``: with ``no-referrer`` browsers would send ``Origin: null`` with our own forms."""
HSTS = "max-age=31536000"


@dataclass(frozen=True)
class Limits:
    """Rate and size limits, by person or by address."""

    sign_ins: int = 5
    """Sign-ins a minute, by address and by name."""
    questions: int = 20
    """Questions to the robot a minute, by person."""
    posts: int = 120
    """Forms a minute, by person, or by address for people who are not signed in."""
    requests: int = 1200
    """Requests of any kind a minute, by address."""
    calls_in_flight: int = 2
    """Questions of one person that wait for a robot at the same time."""
    body: int = 64 * 1024
    """Bytes of a form."""
    fields: int = 60
    """Fields of a form."""


class TooOften(NotAllowed):
    """More requests than the limit allows; ``seconds``: how long to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"That was too fast. Wait {seconds} seconds, then try again.")
        self.seconds = seconds


@dataclass
class Buckets:
    """Token buckets by key: ``limit`` tokens, refilled evenly within a minute. Only the latest keys are kept."""

    clock: Callable[[], float] = time.monotonic
    keep: int = 20_000
    _levels: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, key: str, limit: int) -> None:
        """Take one token; TooOften if there is none.

        >>> buckets = Buckets(clock=lambda: 0.0)
        >>> buckets.take("sign-in:ada", 2), buckets.take("sign-in:ada", 2)
        (None, None)
        >>> buckets.take("sign-in:ada", 2)
        Traceback (most recent call last):
        askew.collect.web.security.TooOften: That was too fast. Wait 30 seconds, then try again.
        """
        with self._lock:
            now = self.clock()
            level, at = self._levels.pop(key, (float(limit), now))
            level = min(float(limit), level + (now - at) * limit / 60)
            enough = level >= 1
            self._levels[key] = (level - 1 if enough else level, now)
            if len(self._levels) > self.keep:
                self._levels.popitem(last=False)
        if not enough:
            raise TooOften(max(1, round((1 - level) * 60 / limit)))


@dataclass
class InFlight:
    """How many calls of each person are in progress."""

    _counts: dict[int, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def enter(self, person: int, limit: int) -> None:
        """Count one more; TooOften if ``limit`` calls are in progress."""
        with self._lock:
            if self._counts.get(person, 0) >= limit:
                raise TooOften(10)
            self._counts[person] = self._counts.get(person, 0) + 1

    def leave(self, person: int) -> None:
        """Count one less."""
        with self._lock:
            self._counts[person] -= 1
            if not self._counts[person]:
                del self._counts[person]


class SecretKeys:
    """Everything derived from the study's secret key: form values, tokens, and references that reveal nothing."""

    def __init__(self, secret: bytes) -> None:
        self._form = hmac.digest(secret, b"askew form", "sha256")
        self._seal = hmac.digest(secret, b"askew seal", "sha256")
        self._token = hmac.digest(secret, b"askew token", "sha256")
        self._label = hmac.digest(secret, b"askew label", "sha256")
        self._mark = hmac.digest(secret, b"askew mark", "sha256")

    def form_value(self, session: str) -> str:
        """A fresh value for one form of one session: a nonce, which makes the POST idempotent, and a MAC of it."""
        nonce = secrets.token_urlsafe(18)
        return f"{nonce}.{self._proof(session, nonce)}"

    def form_key(self, session: str, value: str) -> str | None:
        """The nonce of a form value that this session was given; None for any other value."""
        nonce, _, proof = value.partition(".")
        valid = hmac.compare_digest(self._proof(session, nonce).encode(), proof.encode("utf-8", "replace"))
        return nonce if valid and nonce else None

    def token(self, form_key: str) -> str:
        """A token derived from one form: the same however often the form is sent, and nobody else can guess it."""
        return urlsafe_b64encode(hmac.digest(self._token, form_key.encode(), "sha256")).decode().rstrip("=")

    def label(self, text: str) -> str:
        """A label that is always the same for this text and does not reveal it."""
        return hmac.new(self._label, text.encode(), hashlib.sha256).hexdigest()[:16]

    def seal(self, text: str) -> str:
        """A short text as a reference that reveals neither its content nor its kind, and cannot be forged."""
        plain = text.encode().ljust(24, b"\0")
        if len(plain) > 24:
            raise ValueError(f"{text!r} is longer than 24 bytes")
        nonce = secrets.token_bytes(9)
        cover = hmac.digest(self._seal, nonce, "sha256")
        hidden = bytes(a ^ b for a, b in zip(plain, cover, strict=False))
        return urlsafe_b64encode(nonce + hidden + hmac.digest(self._mark, nonce + hidden, "sha256")[:12]).decode()

    def unseal(self, reference: str) -> str | None:
        """The text of a reference; None if it is not one of ours.

        >>> keys = SecretKeys(b"k" * 32)
        >>> keys.unseal(keys.seal("question 12"))
        'question 12'
        >>> keys.unseal("x" * 60) is None
        True
        """
        try:
            data = urlsafe_b64decode(reference.encode("ascii"))
        except ValueError:
            return None
        nonce, hidden, mark = data[:9], data[9:33], data[33:]
        if not hmac.compare_digest(hmac.digest(self._mark, nonce + hidden, "sha256")[:12], mark):
            return None
        cover = hmac.digest(self._seal, nonce, "sha256")
        return bytes(a ^ b for a, b in zip(hidden, cover, strict=False)).rstrip(b"\0").decode()

    def _proof(self, session: str, nonce: str) -> str:
        return hmac.new(self._form, f"{session}\n{nonce}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def host_allowed(host: str, allowed: frozenset[str]) -> bool:
    """Whether a Host header names one of our hosts; ports are not compared.

    >>> ours = frozenset({"localhost", "[::1]"})
    >>> [host_allowed(host, ours) for host in ("localhost:8000", "[::1]:8000", "evil@localhost", "localhost.evil.org")]
    [True, True, False, False]
    """
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        name, port = host, ""
    return name.lower() in allowed and (port == "" or (port.isascii() and port.isdigit() and len(port) <= 5))


def foreign(headers: Mapping[str, str]) -> bool:
    """Whether the browser reports that another site sent the form. If it reports nothing, the form value must do.

    >>> foreign({"sec-fetch-site": "cross-site"}), foreign({"sec-fetch-site": "same-origin"}), foreign({})
    (True, False, False)
    >>> foreign({"origin": "https://evil.org", "host": "ours.org"})
    True
    """
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return True
    return parts.scheme not in ("http", "https") or parts.netloc.lower() != headers.get("host", "").lower()


def form_fields(body: bytes, limit: int) -> dict[str, str] | None:
    """The fields of a urlencoded form, the first of each name; None if the body is not such a form.

    >>> form_fields(b"question=How+many%3F&question=2", 10)
    {'question': 'How many?'}
    >>> form_fields(b"a=%ff", 10) is None
    True
    """
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=limit, encoding="utf-8", errors="strict"
        )
    except ValueError:
        return None
    fields: dict[str, str] = {}
    for name, value in pairs:
        fields.setdefault(name, value)
    return fields
