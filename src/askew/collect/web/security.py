"""The rules for every request and response of the service: headers, hosts, origins, form values, sizes and rates.

Nothing here depends on ``request.url``, since a Host header can change it. Redirects are paths, never full addresses.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from base64 import b32encode, urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from unicodedata import normalize
from urllib.parse import parse_qsl, urlsplit

from itsdangerous import BadSignature, Signer

from askew.collect.protocol import NotAllowed, check_fields

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


def page_headers(platforms: Sequence[str] = ()) -> dict[str, str]:
    """The headers of pages: nothing from elsewhere, and only ``platforms`` may frame them and receive the last form.

    >>> page_headers()["X-Frame-Options"], page_headers(["https://www.mturk.com"])["Content-Security-Policy"][-37:]
    ('DENY', 'frame-ancestors https://www.mturk.com')
    """
    others = " ".join(platforms)
    policy = (
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; base-uri 'none'; "
        "form-action " + f"'self' {others}".strip() + "; frame-ancestors " + (others or "'none'")
    )
    kept = {name: value for name, value in HEADERS.items() if not (platforms and name == "X-Frame-Options")}
    return {**kept, "Content-Security-Policy": policy}


HSTS = "max-age=31536000"


@dataclass(frozen=True)
class Limits:
    """Rate and size limits, by person or by address."""

    sign_ins: int = 5
    """Failed sign-ins a minute, by address (IPv6: by /64)."""
    sign_ins_of_name: int = 50
    """Failed sign-ins a minute for one name, from all addresses in which nobody has signed in with it."""
    questions: int = 20
    """Questions to the robot a minute, by person."""
    posts: int = 120
    """Forms a minute, by person, or by address for people who are not signed in."""
    requests: int = 1200
    """Requests of any kind a minute, by address."""
    calls_in_flight: int = 2
    """Questions of one person that wait for a robot at the same time."""
    connections: int = 800
    """Open connections, in all."""
    connections_of_address: int = 200
    """Open connections from one address."""
    header_seconds: int = 10
    """How long the headers of a request, and then its form, may take."""
    body: int = 64 * 1024
    """Bytes of a form."""
    fields: int = 200
    """Fields of a form."""
    upload: int = 256 * 1024 * 1024
    """Bytes of the images that an owner sends at once."""
    files: int = 500
    """Images that an owner sends at once."""
    upload_seconds: int = 600
    """How long that may take."""
    api: int = 60
    """Requests of scripts a minute, by owner."""

    def __post_init__(self) -> None:
        check_fields(self)


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

    def give_back(self, key: str) -> None:
        """Return a token that was taken."""
        with self._lock:
            if key in self._levels:
                level, at = self._levels[key]
                self._levels[key] = (level + 1, at)


@dataclass
class SignIns:
    """The limits of sign-ins. Only failed ones count, so colleagues behind one address do not lock each other out; and
    whoever tries a name elsewhere does not lock out a person who signs in from the usual address."""

    buckets: Buckets
    limits: Limits
    _usual: set[tuple[str, str]] = field(default_factory=set)
    """Subjects with the networks from which they have signed in."""

    @contextmanager
    def counted(self, address: str, subject: str) -> Iterator[None]:
        """Count an attempt for a subject, e.g. a name; TooOften if there were too many; free if the block succeeds."""
        network = network_of(address)
        taken = {f"sign-in {network}": self.limits.sign_ins}
        if (subject, network) not in self._usual:
            taken[f"sign-in of {subject}"] = self.limits.sign_ins_of_name
        for key, limit in taken.items():
            self.buckets.take(key, limit)
        yield
        self._usual.add((subject, network))
        for key in taken:
            self.buckets.give_back(key)


@dataclass
class InFlight:
    """How many calls of each person are in progress."""

    _people: list[int] = field(default_factory=list)
    """The person of each call."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def counted(self, person: int, limit: int) -> Iterator[None]:
        """Count a call while the block runs; TooOften if ``limit`` calls are in progress."""
        with self._lock:
            if self._people.count(person) >= limit:
                raise TooOften(10)
            self._people.append(person)
        try:
            yield
        finally:
            with self._lock:
                self._people.remove(person)


class SecretKeys:
    """Everything derived from the study's secret key: form values, tokens, and references that reveal nothing."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._form = Signer(secret, b"askew form", digest_method=hashlib.sha256)
        self._mark = Signer(secret, b"askew mark", digest_method=hashlib.sha256)

    def form_value(self, session: str) -> str:
        """A fresh value for one form of one session: a nonce, which makes the POST idempotent, and its signature."""
        nonce = secrets.token_urlsafe(18)
        return f"{nonce}.{self._form.get_signature(_signed(session, nonce)).decode()}"

    def form_key(self, session: str, value: str) -> str | None:
        """The nonce of a form value that this session was given; None for any other value."""
        nonce, _, proof = value.partition(".")
        right = self._form.get_signature(_signed(session, nonce))  # compared as text: decoded, two texts can be equal
        return nonce if hmac.compare_digest(right, proof.encode("utf-8", "replace")) and nonce else None

    def token(self, form_key: str) -> str:
        """A token derived from one form: the same however often the form is sent, and nobody else can guess it."""
        return urlsafe_b64encode(self._derived("token", form_key)).decode().rstrip("=")

    def label(self, text: str) -> str:
        """A label that is always the same for this text and does not reveal it."""
        return self._derived("label", text).hex()[:16]

    def identity(self, platform_id: str) -> str:
        """The keyed hash of a platform's id of a person, which is kept after the id itself was deleted.

        Ids that differ only in case, width or signs are one: nobody gets a second account by retyping the address.

        >>> keys = SecretKeys(b"k" * 32)
        >>> keys.identity("5F3c") == keys.identity(" 5f-3c"), keys.identity("5f3c") == keys.identity("5f3d")
        (True, False)
        """
        return self._derived("identity", plain_id(platform_id)).hex()

    @property
    def check(self) -> str:
        """A value that shows whether this is the key that the identities were hashed with."""
        return self._derived("check", "").hex()[:16]

    def return_code(self, identity: str) -> str:
        """What a platform's worker gives to get back to the account from another browser: 50 bits, in two groups."""
        code = b32encode(self._derived("return", identity)).decode()[:10]
        return f"{code[:5]}-{code[5:]}"

    def is_return_code(self, identity: str, text: str) -> bool:
        """Whether a person typed the return code, in capitals or not, with or without the hyphen."""
        typed = "".join(char for char in text.upper() if char.isalnum())
        return hmac.compare_digest(self.return_code(identity).replace("-", "").encode(), typed.encode())

    def seal(self, text: str) -> str:
        """A short text as a reference that reveals neither its content nor its kind, and cannot be forged."""
        plain = text.encode().ljust(_SEALED, b"\0")
        if len(plain) > _SEALED:
            raise ValueError(f"{text!r} is longer than {_SEALED} bytes")
        nonce = secrets.token_bytes(_NONCE)
        hidden = urlsafe_b64encode(nonce + self._covered(nonce, plain))
        return self._mark.sign(hidden).decode()

    def unseal(self, reference: str) -> str | None:
        """The text of a reference; None if it is not one of ours.

        >>> keys = SecretKeys(b"k" * 32)
        >>> keys.unseal(keys.seal("question 12"))
        'question 12'
        >>> keys.unseal("x" * 60) is None
        True
        """
        try:
            data = urlsafe_b64decode(self._mark.unsign(reference))
        except (BadSignature, UnicodeError):
            return None
        return self._covered(data[:_NONCE], data[_NONCE:]).rstrip(b"\0").decode()

    def _covered(self, nonce: bytes, text: bytes) -> bytes:
        """The text hidden by, or freed from, a stream of bytes that only the key and the nonce give."""
        cover = self._derived("seal", nonce.hex())
        return bytes(a ^ b for a, b in zip(text, cover, strict=False))

    def _derived(self, purpose: str, text: str) -> bytes:
        return hmac.digest(self._secret, f"askew {purpose}\n{text}".encode("utf-8", "replace"), "sha256")


def plain_id(text: str) -> str:
    """The letters and digits of a platform's id, in lower case."""
    return "".join(char for char in normalize("NFKC", text).casefold() if char.isalnum())


_SEALED, _NONCE = 24, 9
"""Bytes of a sealed text, and of the nonce before it."""


def _signed(session: str, nonce: str) -> bytes:
    return f"{session}\n{nonce}".encode("utf-8", "replace")


def network_of(address: str) -> str:
    """What limits count as one place: an IPv4 address, or the /64 that a provider gives to one customer of IPv6.

    >>> network_of("192.0.2.7"), network_of("2001:db8::ffff:2"), network_of("::ffff:10.0.0.7")
    ('192.0.2.7', '2001:db8::/64', '10.0.0.7')
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)


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
