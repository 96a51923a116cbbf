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


@dataclass(frozen=True)
class Words:
    """The text of a failure's page."""

    title: str
    what: str
    saved: str
    next: str


_NOT_SAVED = "Nothing was changed."
WORDS: dict[tuple[int, str], Words] = {
    (400, ""): Words(
        "We did not understand that",
        "The request was incomplete or malformed.",
        _NOT_SAVED,
        "Go back, reload the page and try again.",
    ),
    (401, ""): Words(
        "Please sign in",
        "You are not signed in, or your session ended because you were away for too long.",
        "What you sent before is saved. What you sent just now is not.",
        "Sign in, then continue.",
    ),
    (403, ""): Words("You do not have access", "You may not do this.", _NOT_SAVED, "Go back to the start page."),
    (403, "excluded"): Words(
        "You no longer take part in this study",
        "What you did before is kept.",
        "What you sent just now is not saved.",
        "Your work and your data are on the page “My work”.",
    ),
    (403, "owner"): Words(
        "This page is for owners", "Only owners of the study can use it.", _NOT_SAVED, "Go back to the start page."
    ),
    (403, "foreign"): Words(
        "This form came from another site",
        "Your browser says that another web site sent this form.",
        _NOT_SAVED,
        "If you did not expect this, close that site. Otherwise open our page again and send the form from there.",
    ),
    (403, "form"): Words(
        "This form is too old",
        "You signed in or out after you opened the page, or the form was changed on its way to us.",
        _NOT_SAVED,
        "Open the page again, and send the form from there.",
    ),
    (404, ""): Words(
        "There is no such page",
        "The address is wrong, or the page was removed.",
        _NOT_SAVED,
        "Go back to the start page.",
    ),
    (405, ""): Words(
        "This address receives no forms",
        "It can only be opened.",
        _NOT_SAVED,
        "Go back to the start page. What you sent before is saved.",
    ),
    (405, "opened"): Words(
        "This address cannot be opened",
        "It only receives forms.",
        _NOT_SAVED,
        "Go back to the start page. What you sent before is saved.",
    ),
    (409, ""): Words(
        "This is no longer possible",
        "It has ended, or somebody else has changed it.",
        "What you sent before is saved. What you sent just now is not.",
        "Go back to the start page.",
    ),
    (409, "invite"): Words(
        "This link does not work",
        "The link is unknown, or it has already been used.",
        _NOT_SAVED,
        "If you have an account, sign in. Otherwise ask the person who invited you for a new link.",
    ),
    (409, "consent"): Words(
        "We need your consent first",
        "The consent text has changed, or you have not agreed to it yet.",
        "What you sent just now is not saved.",
        "Read the text. If you agree, come back and send it again.",
    ),
    (413, ""): Words(
        "That is too much text",
        "The form is larger than this service accepts.",
        _NOT_SAVED,
        "Go back: your browser still has what you wrote. Shorten it, then send it again.",
    ),
    (422, ""): Words(
        "That did not work",
        "Something in the form is missing or too long.",
        _NOT_SAVED,
        "Go back, change it and send it again.",
    ),
    (422, "opened"): Words(
        "This link does not work",
        "Something in the address is missing or too long.",
        "",
        "Open the link again from where you got it.",
    ),
    (422, "platform"): Words(
        "Open this link from the platform",
        "The link must contain your id on the platform, and this one does not.",
        _NOT_SAVED,
        "Go to the platform and open the link there. If you run the study and want to try the link, add an id to it, "
        "e.g. ?PROLIFIC_PID=test",
    ),
    (429, ""): Words(
        "That was too fast",
        "You sent more requests than one person normally does.",
        _NOT_SAVED,
        "Wait a moment, then try again.",
    ),
    (500, ""): Words(
        "Something went wrong on our side",
        "It is not your fault.",
        "What you sent before is saved. What you sent just now may not be.",
        "Send the form again: if it was saved, it is not saved twice. If this happens again, tell the study’s owner "
        "the error number.",
    ),
    (500, "opened"): Words(
        "Something went wrong on our side",
        "It is not your fault.",
        "",
        "Try again. If this happens again, tell the study’s owner the error number.",
    ),
    (503, ""): Words(
        "The service is busy",
        "The database could not save this just now.",
        "What you sent before is saved. What you sent just now is not.",
        "Wait a few seconds, then send it again: sending the same form twice saves it once.",
    ),
    (503, "opened"): Words(
        "The service is busy",
        "The database does not answer just now.",
        "",
        "Wait a few seconds, then try again.",
    ),
}


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
    words = WORDS.get((failure.status, why)) or WORDS.get((failure.status, "")) or WORDS[(400, "")]
    typed = [(label, visit.text(name)) for name, label in TYPED.items() if visit.text(name).strip()]
    own_words = excluded or failure.seconds
    values = {
        "words": words,
        "what": words.what if own_words else failure.message or words.what,
        "opened": opened,
        "again": failure.status in AGAIN and (opened or ("form" in visit.form and not PASSWORDS & visit.form.keys())),
        "typed": typed,
    }
    return _retry_after(visit.render("failure.html", failure.status, failure=failure, **values), failure)


def _retry_after(response: Response, failure: Failure) -> Response:
    if failure.seconds:
        response.headers["Retry-After"] = str(failure.seconds)
    return response
