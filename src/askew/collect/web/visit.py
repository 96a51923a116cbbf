"""One request as the pages see it: who sent it, what was sent, and how to respond. A page is a function of a Visit."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import sqlalchemy as sa
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from sqlalchemy.engine import Row
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from askew.collect.database import Database, Tx, once
from askew.collect.protocol import NotAllowed
from askew.collect.schema import form as form_table
from askew.collect.study import Study
from askew.collect.web.failures import Failure
from askew.collect.web.login import Passwords
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.security import Buckets, InFlight, Limits, SecretKeys, SignIns, network_of
from askew.collect.web.study_files import Consent, read_consent
from askew.errors import plural

STATES = {
    "ASKED": "Waiting for the robot",
    "ANSWERED": "Not judged yet",
    "MODEL_FAILED": "The robot failed",
    "CORRECT": "Robot was correct",
    "UNSURE": "Not sure",
    "VERIFYING": "Robot was wrong, being verified",
    "VERIFIED": "Robot was wrong, verified",
    "ABANDONED": "Not finished",
    "WITHDRAWN": "Withdrawn",
}


def moment(milliseconds: int | None) -> str:
    """A time for people, in UTC.

    >>> moment(0)
    Markup('<time datetime="1970-01-01T00:00:00Z">1970-01-01 00:00 UTC</time>')
    >>> moment(None)
    '—'
    """
    if milliseconds is None:
        return "—"
    at = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    tag = Markup('<time datetime="{:%Y-%m-%dT%H:%M:%SZ}">{:%Y-%m-%d %H:%M} UTC</time>')
    return tag.format(at, at)


def plain(value: object) -> str:
    """A value for people.

    >>> plain(True), plain(9), plain(""), plain({"A": 1, "E": 3})
    ('yes', '9', '—', 'A 1 E 3')
    """
    if isinstance(value, dict):
        return " ".join(f"{key} {plain(one)}" for key, one in value.items())
    if isinstance(value, list):
        return " ".join(map(plain, value))
    return ("no", "yes")[value] if isinstance(value, bool) else str(value) or "—"


def event_facts(data: str) -> str:
    """The data of an event as text.

    >>> event_facts('{"from": "READY", "attempt": 1, "passed": true}')
    'from: READY, attempt: 1, passed: yes'
    """
    return ", ".join(f"{key}: {plain(value)}" for key, value in json.loads(data).items())


def duration(milliseconds: int) -> str:
    """A duration, in whole minutes or seconds.

    >>> duration(20 * 60_000), duration(61_000), duration(59_000), duration(-5)
    ('20 minutes', '1 minute', '59 seconds', '0 seconds')
    """
    seconds = max(0, milliseconds // 1000)
    return plural(seconds // 60, "minute") if seconds >= 60 else plural(seconds, "second")


def megabytes(size: int) -> str:
    """A size for people.

    >>> megabytes(1_234_567), megabytes(400)
    ('1.2 MB', '0.1 MB')
    """
    return f"{max(0.1, size / 10**6):,.1f} MB"


def state_words(state: str) -> str:
    """A question's state in plain words."""
    return STATES.get(state, state.capitalize())


FILTERS: Mapping[str, Callable[..., Any]] = {
    "moment": moment,
    "plain": plain,
    "event_facts": event_facts,
    "duration": duration,
    "counted": plural,
    "megabytes": megabytes,
    "state_words": state_words,
}


LARGEST = 2**31 - 1
"""The largest id in a database."""
Who = Literal["anyone", "person", "worker", "owner", "api"]
"""Who may see a page: anyone, people who are signed in, people who also gave consent, owners, or scripts with a token
of an owner, which get JSON."""


def id_in(text: str) -> int | None:
    """The id in a text that people sent; None if it is not an id.

    >>> id_in("12"), id_in("-1"), id_in("99999999999"), id_in("")
    (12, None, None, None)
    """
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST)) else None
    return number if number is not None and number <= LARGEST else None


def is_web_address(text: str) -> bool:
    """Whether a text is the address of a page on a secure server, without anything that a browser could misread.

    >>> [is_web_address(text) for text in ("https://a.org/b?c=1", "http://a.org", "javascript:1", "https://a.org/ b")]
    [True, False, False, False]
    """
    return len(text) <= 500 and re.fullmatch(r"https://[A-Za-z0-9.-]+(:\d{1,5})?(/[!-~]*)?", text) is not None


def require_row(tx: Tx, table: sa.Table, number: int) -> None:
    """Respond that there is no such page if the table has no row with this id."""
    if tx.first(sa.select(table.c.id).where(table.c.id == number)) is None:
        raise Failure(404)


@cache
def templates() -> Environment:
    """The templates: every value is escaped, and an undefined name is an error."""
    environment = Environment(
        loader=PackageLoader("askew.collect.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


@cache
def read_assets() -> dict[str, tuple[bytes, str, str]]:
    """The static files: content, media type and a short hash of each."""
    kinds = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
    files = [path for path in (Path(__file__).parent / "static").iterdir() if path.suffix in kinds]
    return {
        path.name: (data := path.read_bytes(), kinds[path.suffix], hashlib.sha256(data).hexdigest()[:12])
        for path in files
    }


@dataclass(frozen=True)
class Page:
    """A row of the table of routes."""

    method: Literal["GET", "POST"]
    path: str
    show: Callable[[Visit], Response]
    who: Who
    files: bool = False
    """Whether its form has files."""
    again: Callable[[Visit, int, str], Response] | None = None
    """The page that shows the work again, with a status and what is wrong, if the form is refused."""


@dataclass
class Service:
    """What all requests of one server process share."""

    study: Study
    robots: RobotQueue
    keys: SecretKeys
    name: str
    """The study's name, in the header of every page."""
    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "[::1]"})
    root_path: str = ""
    plain_http: bool = False
    """Served without TLS to other computers: cookies cannot be marked as secure."""
    platforms: tuple[str, ...] = ()
    """Origins, such as https://www.mturk.com, that may show the pages in a frame."""
    limits: Limits = field(default_factory=Limits)
    passwords: Passwords = field(default_factory=Passwords)
    buckets: Buckets = field(default_factory=Buckets)
    in_flight: InFlight = field(default_factory=InFlight)
    sign_ins: SignIns = field(init=False)
    load_robots: Callable[[], object] = lambda: None
    """Loads the models of the open round, which takes a while."""
    assets: Mapping[str, tuple[bytes, str, str]] = field(default_factory=read_assets)
    """Static files by name: content, media type, hash."""

    def __post_init__(self) -> None:
        self.sign_ins = SignIns(self.buckets, self.limits)

    @property
    def database(self) -> Database:
        """The study's database."""
        return self.study.database

    @property
    def consent(self) -> Consent:
        """The consent text as it is now."""
        return read_consent(self.study.folder)

    @property
    def cookie(self) -> str:
        """The name of the session's cookie; browsers accept ``__Host-`` only from this host and over TLS."""
        return "askew" if self.plain_http else "__Host-askew"

    @property
    def visitor_cookie(self) -> str:
        """The name of the cookie that binds forms to a browser in which nobody is signed in."""
        return "askew-visitor" if self.plain_http else "__Host-askew-visitor"

    def asset(self, name: str) -> str:
        """The address of a static file, with its hash."""
        return f"{self.root_path}/static/{name}?v={self.assets[name][2]}"


@dataclass
class Visit:
    """One request."""

    service: Service
    request: Request
    who: Row[Any] | None = None
    """The person who is signed in."""
    token: str | None = None
    """The token of the person's session."""
    visitor: str = ""
    """Binds forms to this browser while nobody is signed in."""
    form: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[UploadFile] = ()
    """The files of the form."""
    form_key: str = ""
    """The nonce of the form that was sent; a replay has the same one."""

    @property
    def person(self) -> Row[Any]:
        """The person who is signed in; not for pages that anyone may see."""
        if self.who is None:
            raise NotAllowed("Sign in first.")
        return self.who

    @property
    def me(self) -> int:
        """The id of the person who is signed in."""
        return int(self.person.id)

    @property
    def path(self) -> str:
        """The path that was requested, without the root path."""
        return str(self.request.scope["path"])

    @property
    def here(self) -> str:
        """The address that was requested, for a link to it."""
        query = self.request.scope["query_string"].decode("latin-1")
        return self.service.root_path + quote(self.path) + (f"?{query}" if query else "")

    @property
    def address(self) -> str:
        """Where the request comes from, as limits count it."""
        return network_of(self.request.client.host) if self.request.client else "unknown"

    @property
    def origin(self) -> str:
        """The address of the service as this request reached it. The Host header can be trusted: requests with other
        hosts are refused."""
        scheme = "http" if self.request.scope["scheme"] == "http" else "https"
        return f"{scheme}://{self.request.headers['host']}{self.service.root_path}"

    @property
    def binding(self) -> str:
        """What form values of this browser are bound to."""
        return f"session {self.token}" if self.who is not None else f"visitor {self.visitor}"

    @property
    def return_code(self) -> str:
        """What a platform's worker gives to get back from another browser; empty for everybody else."""
        identity = self.person.identity
        return "" if identity is None else self.service.keys.return_code(identity)

    def number(self, name: str) -> int:
        """An id from the path."""
        number = int(self.request.path_params[name])
        if number > LARGEST:
            raise Failure(404)
        return number

    def field_number(self, name: str) -> int:
        """An id from the form; 0, which is no id, if it is not a number."""
        return id_in(self.text(name)) or 0

    def text(self, name: str) -> str:
        """A field of the form; empty if it was not sent."""
        return self.form.get(name, "")

    def once(self, kind: str, act: Callable[[Tx], Mapping[str, Any] | None]) -> Mapping[str, Any]:
        """Do what the form asks for, in one transaction; if the form is sent again, return the first result."""
        with self.service.database.write() as tx:
            return once(tx, self.form_key, self.me, kind, lambda: dict(act(tx) or {}))

    def first_result(self, kind: str) -> Mapping[str, Any] | None:
        """The result of this form if it was sent before; None if it was not. For work that takes many transactions."""
        known = (form_table.c.form_key == self.form_key) & (form_table.c.kind == kind)
        with self.service.database.read() as tx:
            stored = tx.value(sa.select(form_table.c.result).where(known, form_table.c.annotator_id == self.me))
        return None if stored is None else dict(json.loads(stored))

    def change(self, kind: str, table: sa.Table, number: int, act: Callable[[Tx], object]) -> None:
        """Do what the form asks for with the row that the address names; there is no such page without the row."""

        def checked(tx: Tx) -> None:
            require_row(tx, table, number)
            act(tx)

        self.once(f"{kind} {number}", checked)

    def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page."""
        body = (
            templates()
            .get_template(template)
            .render(
                visit=self,
                study_name=self.service.name,
                person=self.who,
                url=lambda path: self.service.root_path + path,
                asset=self.service.asset,
                form_value=self._form_value,
                **values,
            )
        )
        return Response(body, status, media_type="text/html; charset=utf-8")

    def redirect(self, path: str) -> Response:
        """Redirect to another page of the service."""
        return Response(status_code=303, headers={"Location": self.service.root_path + path})

    def set_session(self, response: Response, token: str | None) -> Response:
        """Set the session's cookie, or delete it."""
        return self.set_cookie(response, self.service.cookie, token)

    def set_cookie(self, response: Response, name: str, value: str | None) -> Response:
        """Set a cookie, or delete it."""
        framed = bool(self.service.platforms) and not self.service.plain_http
        response.set_cookie(
            name,
            value or "",
            max_age=14 * 24 * 3600 if value else 0,
            path="/",
            secure=not self.service.plain_http,
            httponly=True,
            samesite="none" if framed else "lax",
        )
        if framed:  # otherwise browsers that block cookies of other sites in frames would not send it
            header, text = response.raw_headers[-1]
            response.raw_headers[-1] = header, text + b"; Partitioned"
        return response

    def _form_value(self) -> str:
        if not self.visitor:
            self.visitor = secrets.token_urlsafe(18)
        return self.service.keys.form_value(self.binding)
