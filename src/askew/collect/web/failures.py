"""The pages of failures: what happened, what was saved, what to do, and what the person had typed."""

from __future__ import annotations

import errno
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

import sqlalchemy.exc
from starlette.responses import Response

from askew.collect.protocol import DatabaseBusy, Gone, NotAllowed, Refused
from askew.collect.web.security import TooOften
from askew.files.read_write import resource

if TYPE_CHECKING:
    from askew.collect.web.visit import Visit

log = logging.getLogger("askew.collect")

TYPED = {"question": "Your question", "answer": "Your answer", "note": "Your note", "name": "Name"}
"""Fields that people write into, which are shown again; never passwords or tokens."""
PASSWORDS = {"password", "old_password"}
"""Fields that no page repeats."""
AGAIN = (429, 500, 503)
"""Statuses for which the same request may work a little later: the page has a button for it."""


@dataclass
class Failure(Exception):
    """Why a request failed; ``why`` distinguishes cases of one status, such as a page that was only opened."""

    status: int
    why: str = ""
    message: str = ""
    """What happened, in the words of the protocol; empty if it did not refuse."""
    seconds: int = 0
    """How long to wait before trying again."""
    number: str = ""
    """The number of an unexpected error, which is in the log too."""


def failure_of(error: Exception) -> Failure:
    """How an error is shown to a person; an unexpected one gets a number that is in the log too."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, TooOften):
        return Failure(429, message=str(error), seconds=error.seconds)
    if isinstance(error, DatabaseBusy):
        return Failure(503)
    for kind, status in ((Refused, 422), (Gone, 409), (NotAllowed, 403)):
        if isinstance(error, kind):
            return Failure(status, message=str(error))
    if isinstance(error, sqlalchemy.exc.DBAPIError):
        reason = type(error.orig).__name__ if error.orig else "unknown"
        if isinstance(error, sqlalchemy.exc.OperationalError) or reason == "ReadOnlySqlTransaction":
            log.error("the database refuses: %s", reason)
            return Failure(503)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EROFS, errno.EDQUOT):
        log.error("the disk refuses: %s", errno.errorcode.get(error.errno or 0, "unknown"))
        return Failure(503)
    number = secrets.token_hex(4)
    log.error("error %s: %s", number, type(error).__name__, exc_info=without_message(error))
    return Failure(500, number=number)


def without_message(error: Exception) -> tuple[type[Exception], Exception, TracebackType | None]:
    """The error for the log: where it happened, without its message, which may contain what people typed."""
    return type(error), type("Error", (Exception,), {})(type(error).__name__), error.__traceback__


def page_again(visit: Visit, error: Exception, page: Callable[[Visit, int, str], Response]) -> Response:
    """The page of the work again, with what was typed and what is wrong; the page of the failure if the work cannot be
    shown."""
    failure = failure_of(error)
    if failure.status in (403, 500):
        return failure_page(visit, failure)
    message = failure.message or "The service is busy: your text was not saved. Wait a few seconds and send it again."
    try:
        response = page(visit, failure.status, message)
    except Exception as worse:
        return failure_page(visit, failure_of(worse))
    return _retry_after(response, failure)


def failure_page(visit: Visit, failure: Failure) -> Response:
    """The page of a failure, with what the person had typed."""
    opened = visit.request.method != "POST"
    excluded = failure.status == 403 and visit.who is not None and visit.who.excluded_at is not None
    why = "excluded" if excluded else failure.why or ("opened" if opened else "")
    texts = resource("collect/web/failures.yaml")  # by status and case
    words = texts.get(f"{failure.status} {why}") or texts.get(str(failure.status)) or texts["400"]
    typed = [(label, visit.text(name)) for name, label in TYPED.items() if visit.text(name).strip()]
    own_words = excluded or failure.seconds
    values = {
        "words": words,
        "what": words["what"] if own_words else failure.message or words["what"],
        "opened": opened,
        "again": failure.status in AGAIN and (opened or ("form" in visit.form and not PASSWORDS & visit.form.keys())),
        "typed": typed,
    }
    return _retry_after(visit.render("failure.html", failure.status, failure=failure, **values), failure)


def _retry_after(response: Response, failure: Failure) -> Response:
    if failure.seconds:
        response.headers["Retry-After"] = str(failure.seconds)
    return response
