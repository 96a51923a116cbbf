"""The service as an ASGI application: the table of routes, and what happens around every page.

A request goes through ``Guard`` (hosts, headers, log), then to its row of the table, then through ``answer``, which
checks who sent it, whether they may, whether the form is ours, and the rate limits; then the page's function runs in a
thread.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

import anyio
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, compile_path

from askew.collect.web import login
from askew.collect.web.failures import Failure, failure_of, failure_page, page_again, without_message
from askew.collect.web.pages import (
    attack,
    batch,
    entry,
    examples,
    home,
    monitor,
    my_work,
    payments,
    people,
    releases,
    scripts,
    set_up,
    stored_files,
    verify,
)
from askew.collect.web.security import HSTS, foreign, form_fields, network_of, page_headers
from askew.collect.web.visit import Page, Service, Visit

log = logging.getLogger("askew.collect")
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PAGES: tuple[Page, ...] = (
    *entry.PAGES,
    *home.PAGES,
    *attack.PAGES,
    *verify.PAGES,
    *batch.PAGES,
    *my_work.PAGES,
    *monitor.PAGES,
    *examples.PAGES,
    *people.PAGES,
    *set_up.PAGES,
    *payments.PAGES,
    *releases.PAGES,
    *scripts.PAGES,
    *stored_files.PAGES,
)
"""Every address of the service. A new group of pages is a new file with its own ``PAGES``."""
OPENED = [compile_path(page.path)[0] for page in PAGES if page.method == "GET" and page.path != "/"]
"""The addresses of pages that can be opened."""


def make_app(service: Service) -> Guard:
    """The application."""
    routes = [Route(page.path, _endpoint(service, page), methods=[page.method]) for page in PAGES]
    handlers: Any = {HTTPException: _unrouted(service), Exception: _unexpected}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), service)


def answer(visit: Visit, page: Page) -> Response:
    """The page for this person, or a page that says why there is none."""
    try:
        _identify(visit)
        _check_access(visit, page)
        if page.method == "POST":
            _check_form(visit, page)
        if page.who == "worker" and visit.person.consent_version != visit.service.consent.version:
            return visit.redirect("/consent") if page.method == "GET" else failure_page(visit, Failure(409, "consent"))
        response = _shown(visit, page)
    except Exception as error:
        response = failure_page(visit, failure_of(error))
    if visit.visitor and visit.visitor != visit.request.cookies.get(visit.service.visitor_cookie):
        visit.set_cookie(response, visit.service.visitor_cookie, visit.visitor)
    return response


def _shown(visit: Visit, page: Page) -> Response:
    try:
        return page.show(visit)
    except Exception as error:
        if page.again is None:
            raise
        return page_again(visit, error, page.again)


def _identify(visit: Visit) -> None:
    """Find out who sent the request, and keep a session that is in use alive."""
    service = visit.service
    visit.visitor = visit.request.cookies.get(service.visitor_cookie, "")[:64]
    token = visit.request.cookies.get(service.cookie)
    if not token:
        return
    with service.database.read() as tx:
        visit.who = login.signed_in(tx, token)
        stale = visit.who is not None and visit.who.last_seen_at < tx.now - login.SEEN_EVERY
    if visit.who is not None:
        visit.token = token
    if stale:
        with service.database.write() as tx:
            login.seen(tx, token)


def _before_page(visit: Visit, failure: Failure) -> Response:
    """The page of a failure that happened before any page ran, with the links of the person who is signed in."""
    try:
        _identify(visit)
    except Exception as error:
        failure_of(error)  # only logged: the page shows what is wrong with the request
    return failure_page(visit, failure)


def _check_access(visit: Visit, page: Page) -> None:
    if page.who == "anyone":
        return
    if visit.who is None:
        raise Failure(401)
    if page.who == "owner" and (visit.who.role != "owner" or visit.who.excluded_at is not None):
        raise Failure(403, "owner")


def _check_origin(visit: Visit) -> None:
    limits, buckets = visit.service.limits, visit.service.buckets
    buckets.take(f"posts:{visit.me if visit.who is not None else visit.address}", limits.posts)
    if foreign(visit.request.headers):
        raise Failure(403, "foreign")


def _check_form(visit: Visit, page: Page) -> None:
    if not page.files:
        _check_origin(visit)
    bindings = [visit.binding]
    if page.who == "anyone":  # the form was opened before signing in, perhaps by sending this very form
        bindings.append(f"visitor {visit.visitor}")
    keys = [visit.service.keys.form_key(binding, visit.text("form")) for binding in bindings]
    key = next(filter(None, keys), None)
    if key is None:
        raise Failure(403, "form")
    visit.form_key = key


def _endpoint(service: Service, page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        visit = Visit(service, request)
        request.scope["askew.route"] = page.path
        if page.who == "api":
            return await _answer_script(visit, page)
        try:
            if page.method == "POST" and page.files:
                if refused := await run_in_threadpool(_refuse_files, visit, page):
                    return refused
                visit.form, visit.files = await _form_with_files(request, service)
            elif page.method == "POST":
                visit.form = await _form(request, service)
        except Failure as failure:
            return await run_in_threadpool(_before_page, visit, failure)
        try:
            return await run_in_threadpool(answer, visit, page)
        finally:
            for file in visit.files:
                await file.close()

    return endpoint


async def _answer_script(visit: Visit, page: Page) -> Response:
    """The response for a script: JSON, also if it is refused. Cookies have no meaning here, and neither have forms."""
    try:
        if page.method == "POST":
            visit.form = await _form(visit.request, visit.service)
        return await run_in_threadpool(scripts.answer, visit, page)
    except Failure as failure:
        return scripts.refusal(failure)


def _refuse_files(visit: Visit, page: Page) -> Response | None:
    """Why files are not even read: only of people who may send them, and from our own page."""
    try:
        _identify(visit)
        _check_access(visit, page)
        _check_origin(visit)
    except Exception as error:
        return failure_page(visit, failure_of(error))
    return None


async def _form_with_files(request: Request, service: Service) -> tuple[dict[str, str], list[UploadFile]]:
    """The fields and the files of a form, which lie in temporary files."""
    limits, size = service.limits, 0
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise Failure(400)

    async def bounded() -> AsyncGenerator[bytes, None]:
        nonlocal size
        async for part in request.stream():
            size += len(part)
            if size > limits.upload:
                raise MultiPartException("too large")
            yield part

    most = {"max_files": limits.files, "max_fields": limits.fields, "max_part_size": limits.body}
    try:
        with anyio.fail_after(limits.upload_seconds):
            sent = await MultiPartParser(request.headers, bounded(), **most).parse()
    except MultiPartException:
        most_mb, count = limits.upload // 2**20, limits.files
        raise Failure(413, "files", f"At once you can send at most {count} files, {most_mb} MB in all.") from None
    except (ClientDisconnect, TimeoutError):
        raise Failure(400) from None
    fields: dict[str, str] = {}
    for name, value in sent.multi_items():
        if isinstance(value, str):
            fields.setdefault(name, value)
    return fields, [value for _, value in sent.multi_items() if isinstance(value, UploadFile) and value.filename]


async def _form(request: Request, service: Service) -> dict[str, str]:
    """The fields of the form that was sent; a body that is too large is refused before all of it is read."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = bytearray()
    try:
        with anyio.fail_after(service.limits.header_seconds):
            async for part in request.stream():
                body += part
                if len(body) > service.limits.body:
                    raise Failure(413)
    except (ClientDisconnect, TimeoutError):
        raise Failure(400) from None
    if kind not in ("application/x-www-form-urlencoded", ""):
        raise Failure(400)
    fields = form_fields(bytes(body), service.limits.fields)
    if fields is None:
        raise Failure(400)
    return fields


def _unrouted(service: Service) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handler(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        visit = Visit(service, request)
        if status == 405 and request.method == "GET" and (opened := _page_above(visit.path)):
            return visit.redirect(quote(opened))
        failure = Failure(status if status in (404, 405) else 400)
        response = await run_in_threadpool(_before_page, visit, failure)
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return response

    return handler


def _page_above(path: str) -> str:
    """The nearest page above the address of a form, for people who open that address again; empty if there is none.

    >>> _page_above("/write/7/ask"), _page_above("/owner/round/1/state"), _page_above("/write")
    ('/write/7', '/owner', '')
    """
    while path and not any(known.match(path) for known in OPENED):
        path = path.rpartition("/")[0]
    return path


async def _unexpected(request: Request, error: Exception) -> Response:
    """The answer when even the page of a failure failed; ``Guard`` logs the error with the same number."""
    request.scope["askew.error"] = secrets.token_hex(4)
    return _last_words(request.scope["askew.error"])


def _last_words(number: str) -> Response:
    return PlainTextResponse(f"Something went wrong on our side (error {number}). Go back and try again.\n", 500)


class Guard:
    """Handles every request and response: hosts, rate limits, headers, the log, and errors that no page handled."""

    def __init__(self, app: Starlette, service: Service) -> None:
        self.app, self.service = app, service
        self.headers = page_headers(service.platforms)
        self.trusted = TrustedHostMiddleware(self._limited, sorted(service.hosts), www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        started, status = time.monotonic(), 0
        root = self.service.root_path
        if root and scope["path"].startswith(root + "/"):
            scope["path"] = scope["path"][len(root) :]

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add_headers(MutableHeaders(scope=message), scope["scheme"] == "https")
            await send(message)

        try:
            await self.trusted(scope, receive, send_guarded)
        except Exception as error:
            await self._last_resort(scope, receive, send_guarded, error, begun=status != 0)
        took = (time.monotonic() - started) * 1000
        log.info("%s %s %d %.0f ms", scope["method"], scope.get("askew.route", "(no page)"), status, took)

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = network_of(scope["client"][0]) if scope.get("client") else "unknown"
        try:
            self.service.buckets.take(f"requests:{address}", self.service.limits.requests)
        except Exception as error:
            visit = Visit(self.service, Request(scope, receive))
            response = await run_in_threadpool(failure_page, visit, failure_of(error))
            await response(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _last_resort(self, scope: Scope, receive: Receive, send: Send, error: Exception, begun: bool) -> None:
        number = scope.get("askew.error") or secrets.token_hex(4)
        log.error("error %s", number, exc_info=without_message(error))
        if not begun:
            await _last_words(number)(scope, receive, send)

    def _add_headers(self, headers: MutableHeaders, secure: bool) -> None:
        for name, value in self.headers.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", "private, no-cache")
        if secure:
            headers["Strict-Transport-Security"] = HSTS
