"""The playground's web server, for this machine only, built on the standard library.

Failures found by hand are added to a file of groups, which ``askew run --data FILE`` evaluates.
"""

from __future__ import annotations

import hmac
import io
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from askew.errors import AskewError, UsageError
from askew.files.images import open_image
from askew.play.play_page import PlayPage
from askew.play.playground import Playground, Trial, TriedVariant, offered_suites
from askew.play.trial_groups import FailuresFile, zipped
from askew.types import ImageRef

HOST = "127.0.0.1"
MOST_BYTES = 12_000_000
"""The largest request body, for example with an uploaded image."""
MOST_DISCARDED = 100_000_000
"""How many bytes of a request that is too long are read and discarded before it is refused."""
SIDES = {"thumb": 192, "image": 900}
"""The sizes in which images are sent: their longer side, in pixels."""
POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


class PlayServer(ThreadingHTTPServer):
    """The HTTP server of a playground; port 0 takes any free port."""

    daemon_threads = True

    def __init__(self, ground: Playground, output: FailuresFile, port: int = 0) -> None:
        self.ground, self.output = ground, output
        self.token = secrets.token_urlsafe(24)
        self.page = PlayPage(ground, self.token, str(output.path))
        super().__init__((HOST, port), _Handler)

    @property
    def address(self) -> str:
        """The URL of the playground."""
        return f"http://{HOST}:{self.server_port}/"


class _Problem(Exception):
    """A request that is refused, with its HTTP status."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class _Form:
    """The fields of a submitted form: texts by name, and the uploaded file if there is one."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    file: bytes = b""

    def one(self, name: str) -> str:
        return self.texts.get(name, [""])[0]


class _Handler(BaseHTTPRequestHandler):
    server: PlayServer
    server_version = "askew"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing, since questions are private."""

    def _answer(self, act: Callable[[], None]) -> None:
        with suppress(BrokenPipeError, ConnectionResetError, TimeoutError):
            port = self.server.server_port
            if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
                # No page here: a website that reaches this server under its own host name must not learn the token.
                self.close_connection = True
                self._send(HTTPStatus.FORBIDDEN, b"This page is for this machine alone.", "text/plain; charset=utf-8")
                return
            try:
                act()
            except (_Problem, AskewError) as problem:
                status = problem.status if isinstance(problem, _Problem) else HTTPStatus.BAD_REQUEST
                self._send(status, self.server.page.start(problem=str(problem)).encode())

    def _get(self) -> None:
        place = urlsplit(self.path)
        query, parts = parse_qs(place.query), [part for part in place.path.split("/") if part]
        page, ground = self.server.page, self.server.ground
        match parts:
            case []:
                self._send(HTTPStatus.OK, page.start(query.get("image", [""])[0]).encode())
            case ["play.css" | "play.js" as name]:
                content = files("askew.play").joinpath("page", name).read_bytes()
                self._send(HTTPStatus.OK, content, TYPES[name[name.index(".") :]])
            case ["favicon.ico"]:
                self._send(HTTPStatus.NO_CONTENT, b"")
            case [("thumb" | "image") as kind, key, *number] if shown := ground.image(key):
                self._send_image(_image_at(shown.refs, number), SIDES[kind])
            case ["trial", number]:
                saved = query.get("saved", [""])[0]
                message = f"Saved: {self.server.output.path} has {int(saved)} groups." if saved.isdecimal() else ""
                self._send(HTTPStatus.OK, page.trial(self._trial(number), message).encode())
            case ["trial", number, "groups.zip"]:
                named = {"Content-Disposition": f'attachment; filename="askew-play-{number}.zip"'}
                self._send(HTTPStatus.OK, zipped(self._trial(number)), "application/zip", named)
            case ["trial", trial, place_, at, *number]:
                tried = self._tried(trial, place_, at)
                self._send_image(_image_at(tried.variant.question.images, number), SIDES["image"])
            case _:
                raise _Problem(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _post(self) -> None:
        form = self._form()
        if not hmac.compare_digest(form.one("token").encode(), self.server.token.encode()):
            raise _Problem(HTTPStatus.FORBIDDEN, "The page is from an earlier session of askew play. Try again here.")
        match urlsplit(self.path).path:
            case "/ask":
                suites = [spec for spec in form.texts.get("suite", []) if spec in offered_suites()]
                trial = self.server.ground.ask(form.one("image"), form.one("question"), form.one("expected"), suites)
                self._redirect(f"/trial/{trial.number}#answer")
            case "/attack":
                trial = self._trial(form.one("trial"))
                trial = self.server.ground.attack(trial.number, form.one("model"), form.one("attack"))
                self._redirect(f"/trial/{trial.number}#suite-{len(trial.suites) - 1}")
            case "/look":
                trial = self.server.ground.look(self._trial(form.one("trial")).number, form.one("model"))
                self._redirect(f"/trial/{trial.number}#look-{len(trial.looks) - 1}")
            case "/upload":
                self._redirect(f"/?image={self.server.ground.upload(form.file)}")
            case "/save":
                number, place, at = form.one("trial"), form.one("suite"), form.one("variant")
                trial, tried = self._trial(number), self._tried(number, place, at)
                spec = trial.suites[int(place)].spec
                groups = self.server.output.add(trial, spec, tried)
                self._redirect(f"/trial/{number}?saved={groups}")
            case _:
                raise _Problem(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _trial(self, number: str) -> Trial:
        trial = self.server.ground.trials.get(int(number)) if number.isdecimal() and len(number) < 10 else None
        if trial is None:
            raise _Problem(HTTPStatus.NOT_FOUND, "That question is no longer here. Ask it again.")
        return trial

    def _tried(self, number: str, place: str, at: str) -> TriedVariant:
        try:
            if not (place.isdecimal() and at.isdecimal()):
                raise IndexError(place)
            return self._trial(number).suites[int(place)].variants[int(at)]
        except (IndexError, ValueError):
            raise _Problem(HTTPStatus.NOT_FOUND, "There is no such variant.") from None

    def _form(self) -> _Form:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 12:
            self.close_connection = True
            raise _Problem(HTTPStatus.LENGTH_REQUIRED, "The request does not say how long it is.")
        if int(length) > MOST_BYTES:
            self._discard(int(length))
            raise _Problem(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The file is larger than {MOST_BYTES // 1_000_000} MB. Use a smaller copy of the image.",
            )
        return read_form(self.headers.get("Content-Type", ""), self.rfile.read(int(length)))

    def _discard(self, length: int) -> None:
        """Read and discard a body that is too long, so that the browser reads the reply; limited in time and size."""
        self.close_connection = True
        self.connection.settimeout(2)
        left = min(length, MOST_DISCARDED)
        with suppress(TimeoutError):
            while left > 0 and (part := self.rfile.read(min(left, 65_536))):
                left -= len(part)

    def _send_image(self, ref: ImageRef, side: int) -> None:
        """Send the image as a JPEG encoded from its pixels, so that no metadata of the file is passed on."""
        try:
            image = open_image(ref)
        except AskewError as error:
            raise _Problem(HTTPStatus.NOT_FOUND, str(error)) from error
        image.thumbnail((side, side))
        content = io.BytesIO()
        image.save(content, "JPEG", quality=85)
        self._send(HTTPStatus.OK, content.getvalue(), "image/jpeg")

    def _redirect(self, path: str) -> None:
        self._send(HTTPStatus.SEE_OTHER, b"", more={"Location": path})

    def _send(
        self,
        status: HTTPStatus,
        content: bytes,
        kind: str = "text/html; charset=utf-8",
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in {
            **HEADERS,
            **(more or {}),
            "Content-Type": kind,
            "Content-Length": str(len(content)),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


_PLACES = frozenset(map(str, range(1, 100)))


def _image_at(images: Sequence[ImageRef], place: Sequence[str]) -> ImageRef:
    """The image that the rest of an address names: the first, or the one with this number, from 1."""
    number = int(place[0]) if len(place) == 1 and place[0] in _PLACES else 1 - len(place)
    if not 1 <= number <= len(images):
        raise _Problem(HTTPStatus.NOT_FOUND, "There is no such image.")
    return images[number - 1]


def read_form(kind: str, body: bytes) -> _Form:
    """Parse a submitted form, URL-encoded or multipart.

    >>> read_form("application/x-www-form-urlencoded", b"suite=rad&suite=p2&question=Why%3F").texts
    {'suite': ['rad', 'p2'], 'question': ['Why?']}
    """
    boundary = re.match(r'multipart/form-data;\s*boundary="?([^";]{1,70})"?\s*$', kind)
    if boundary is None:
        return _Form(parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=50))
    form = _Form()
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary[1].encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        named = re.search(rb'\bname="([^"]*)"', head)
        if b"filename=" in head:
            form.file = content
        elif named:
            form.texts.setdefault(named[1].decode("utf-8", "replace"), []).append(content.decode("utf-8", "replace"))
    if not form.file:
        raise _Problem(HTTPStatus.BAD_REQUEST, "No file was sent. Choose an image first.")
    return form


def serve(ground: Playground, output: FailuresFile, port: int) -> PlayServer:
    """A server that is bound to its port but not yet running; raises UsageError if the port is taken."""
    try:
        return PlayServer(ground, output, port)
    except (OSError, OverflowError) as trouble:
        raise UsageError(
            f"Port {port} cannot be used ({trouble}). Give another: --port 0 takes any free one."
        ) from None
