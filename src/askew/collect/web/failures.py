"""What people see when something does not work: what happened, what was saved, what to do; and what they had typed."""

from __future__ import annotations

import errno
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy.exc
from starlette.responses import Response

from askew.collect.refusals import DatabaseBusy, Gone, NotAllowed, Refused
from askew.collect.web.security import TooOften

if TYPE_CHECKING:
    from askew.collect.web.visit import Visit

log = logging.getLogger("askew.collect")

TYPED = {"question": "Your question", "answer": "Your answer", "note": "Your note", "name": "Name"}
"""Fields that people write into, which are shown again; never passwords or tokens."""


@dataclass
class Failure(Exception):
    """A status with the words that go with it; ``why`` tells cases of one status apart, such as a page that was only
    opened."""

    status: int
    why: str = ""
    message: str = ""
    """What happened, if the protocol said it."""
    seconds: int = 0
    number: str = ""


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
        "The request was incomplete or had a form that this page does not use.",
        _NOT_SAVED,
        "Go back, reload the page and try again.",
    ),
    (401, ""): Words(
        "Please sign in",
        "You are not signed in, or you were away for so long that your session ended.",
        "What you sent before is saved. What you sent just now is not.",
        "Sign in; then you are back at work.",
    ),
    (403, ""): Words("This is not open to you", "You may not do this.", _NOT_SAVED, "Go back to the start page."),
    (403, "owner"): Words(
        "This page is for owners", "Only owners of the study see it.", _NOT_SAVED, "Go back to the start page."
    ),
    (403, "foreign"): Words(
        "This form came from another site",
        "Your browser says that another web site sent this form.",
        _NOT_SAVED,
        "If you did not expect this, close that site. Otherwise open our page again and send the form from there.",
    ),
    (403, "form"): Words(
        "This form is too old",
        "You signed in or out after the page was opened, or the page was changed on its way.",
        _NOT_SAVED,
        "Open the page again, and send the form from there.",
    ),
    (404, ""): Words(
        "There is no such page",
        "The address is wrong, or what was here is gone.",
        _NOT_SAVED,
        "Go back to the start page.",
    ),
    (405, ""): Words(
        "There is nothing to see at this address",
        "A form is sent to it; it cannot be opened by itself.",
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
        "The link is not known, or it was used already.",
        _NOT_SAVED,
        "If you have an account, sign in. Otherwise ask the person who invited you for a new link.",
    ),
    (409, "consent"): Words(
        "We need your consent first",
        "The consent text is new, or you have not agreed to it yet.",
        "What you sent just now is not saved.",
        "Read the text, agree if you want to continue, and send it again.",
    ),
    (413, ""): Words(
        "That is too much text",
        "The form is larger than this service takes.",
        _NOT_SAVED,
        "Go back: your browser still has what you wrote. Shorten it, then send it again.",
    ),
    (422, ""): Words(
        "That did not work",
        "Something in the form is missing or too long.",
        _NOT_SAVED,
        "Go back, change it and send it again.",
    ),
    (429, ""): Words(
        "That was too fast",
        "More requests came from you than one person makes.",
        _NOT_SAVED,
        "Wait a moment, then go back and try again.",
    ),
    (500, ""): Words(
        "Something went wrong on our side",
        "It is not your fault.",
        "What you sent before is saved. What you sent just now may not be.",
        "Go back and try again: sending the same form twice saves it once. If it happens again, tell the study's "
        "owner the number below.",
    ),
    (500, "opened"): Words(
        "Something went wrong on our side",
        "It is not your fault.",
        "",
        "Reload the page. If it happens again, tell the study's owner the number below.",
    ),
    (503, ""): Words(
        "The service is busy",
        "The database could not take your text just now.",
        "What you sent before is saved. What you sent just now is not.",
        "Wait a few seconds, then go back and send it again: sending the same form twice saves it once.",
    ),
    (503, "opened"): Words(
        "The service is busy",
        "The database does not answer just now.",
        "",
        "Wait a few seconds, then reload the page.",
    ),
}


def failure_of(error: Exception) -> Failure:
    """The failure that an error is to a person; unknown ones get a number that the log has too."""
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
    kind_name = type(error).__name__
    hidden = type("Error", (Exception,), {})(kind_name)  # messages can hold what people typed
    log.error("error %s: %s", number, kind_name, exc_info=(type(error), hidden, error.__traceback__))
    return Failure(500, number=number)


def page_again(
    visit: Visit, error: Exception, page: Callable[[Visit, int, str], Response], elsewhere: tuple[int, ...] = ()
) -> Response:
    """The page of the work again, with what was typed and what is wrong; a page of the failure where the work cannot be
    shown. ``elsewhere``: more statuses for which it is not."""
    failure = failure_of(error)
    if failure.status in (403, 500, *elsewhere):
        return failure_page(visit, failure)
    message = failure.message or "The service is busy: your text was not saved. Wait a few seconds and send it again."
    try:
        response = page(visit, failure.status, message)
    except Exception as worse:
        return failure_page(visit, failure_of(worse))
    return _retry_after(response, failure)


def failure_page(visit: Visit, failure: Failure) -> Response:
    """The page of a failure, with what the person had typed."""
    why = failure.why or ("opened" if visit.request.method == "GET" else "")
    words = WORDS.get((failure.status, why)) or WORDS.get((failure.status, "")) or WORDS[(400, "")]
    typed = [(label, visit.text(name)) for name, label in TYPED.items() if visit.text(name).strip()]
    response = visit.render("failure.html", failure.status, failure=failure, words=words, typed=typed)
    return _retry_after(response, failure)


def _retry_after(response: Response, failure: Failure) -> Response:
    if failure.seconds:
        response.headers["Retry-After"] = str(failure.seconds)
    return response
