"""Batches of a survey: questions about images on one page, sent together (Jimenez et al. 2022, section 5.1).

The page shows nothing of labels, tests, gold or other people's answers. Everything works without JavaScript: answers
are kept with *Save* and shown again after every refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from askew.collect.database import Tx
from askew.collect.moderation import IMAGE_REASONS
from askew.collect.protocol import Gone, Refused
from askew.collect.surveys import survey_batches as batches
from askew.collect.web.visit import Page, Visit, id_in
from askew.errors import plural

REPORTS = {
    "the image is offensive or disturbing": "The image is offensive or disturbing",
    "the image shows private information": "The image shows private information",
    "cannot see the image": "I cannot see the image",
}
"""The reasons to report a question, as the page words them."""
assert set(IMAGE_REASONS) < set(REPORTS)
SAVED = {"saved": "Saved. You can continue later.", "sent": "Sent, thank you. Here are the next questions."}
_FIELD = re.compile(r"item-(\d{1,4})-([a-z]{1,20})")


def start(visit: Visit) -> Response:
    """Claim a batch."""
    given = visit.once("claim batch", lambda tx: {"batch": batches.claim_batch(tx, visit.me)})
    return _next(visit, given["batch"], "batch")


def show(visit: Visit, status: int = 200, error: str = "", notice: str = "") -> Response:
    """The questions of a batch."""
    number = visit.number("batch")
    sent = _sent(visit) if visit.form else None
    with visit.service.database.read() as tx:
        try:
            shown = batches.open_batch(tx, visit.me, number, sent)
        except Gone as over:
            return visit.render("batch_over.html", 409 if status == 200 else status, message=str(over))
        values: dict[str, Any] = {"settings": tx.settings, "now": tx.now}
    saved = SAVED.get(visit.request.query_params.get("done", ""), "")
    values |= {"batch": shown, "reports": REPORTS, "unanswered": _unanswered(shown) if status == 422 else []}
    return visit.render("batch.html", status, error=error, notice=notice or saved, **values)


def send(visit: Visit) -> Response:
    """Send the answers; if gold among them is wrong, they are kept, and the person may correct them."""
    number = visit.number("batch")
    stops = visit.text("then") == "stop"

    def act(tx: Tx) -> dict[str, Any]:
        done = batches.send_batch(tx, visit.me, number, _sent(visit))
        following = None if done.gold_wrong or stops else batches.claim_batch(tx, visit.me)
        return {"wrong": done.gold_wrong, "late": done.late, "batch": following}

    stored = visit.once(f"send batch {number}", act)
    if stored["wrong"]:
        return show(visit, 422, _not_right(stored["wrong"]))
    return visit.redirect("/home?nothing=sent") if stops else _next(visit, stored["batch"], "sent")


def save(visit: Visit) -> Response:
    """Keep the answers so far."""
    number = visit.number("batch")
    visit.once(f"save batch {number}", lambda tx: {"kept": batches.save_batch(tx, visit.me, number, _sent(visit))})
    return visit.redirect(f"/batch/{number}?done=saved")


def extend(visit: Visit) -> Response:
    """Give the person more time; what was chosen is shown again."""
    number = visit.number("batch")
    visit.once(f"extend batch {number}", lambda tx: {"until": batches.extend_batch(tx, visit.me, number)})
    return show(visit, notice="You have more time now.")


def report(visit: Visit) -> Response:
    """Report a question, which then need not be answered."""
    number, reason = visit.number("batch"), visit.text("reason")

    def act(tx: Tx) -> None:
        if reason not in REPORTS:
            raise Refused("Say why you report it.")
        batches.report_item(tx, visit.me, number, visit.field_number("item"), reason)

    visit.once(f"report in batch {number}", act)
    return visit.redirect(f"/batch/{number}")


def give_back(visit: Visit) -> Response:
    """Give the whole batch back."""
    number = visit.number("batch")
    visit.once(f"return batch {number}", lambda tx: batches.return_batch(tx, visit.me, number))
    return visit.redirect("/home?nothing=returned")


def _sent(visit: Visit) -> dict[int, dict[str, str]]:
    """Number of an item to its fields, from the form."""
    found: dict[int, dict[str, str]] = {}
    for name, value in visit.form.items():
        if (part := _FIELD.fullmatch(name)) and (number := id_in(part[1])) is not None:
            found.setdefault(number, {})[part[2]] = value
    return found


def _unanswered(shown: batches.SurveyBatch) -> list[int]:
    """The numbers of items that lack an answer in what was typed."""
    return [one.n for one in shown.items if one.item.parse(one.typed, 10**6) is None]


def _not_right(wrong: int) -> str:
    """What a person is told whose gold is not right; it does not say which questions are gold."""
    known = f"{plural(wrong, 'question')} with a known answer {'is' if wrong == 1 else 'are'} not right yet"
    return f"{known}. Look at the images again, correct what is wrong, and send the answers again. They are saved."


def _next(visit: Visit, number: int | None, why: str) -> Response:
    if number is None:
        return visit.redirect(f"/home?nothing={why}")
    return visit.redirect(f"/batch/{number}" + ("?done=sent" if why == "sent" else ""))


def held(tx: Tx, me: int) -> Mapping[str, Any]:
    """What the start page says about batches: the one that the person holds, and whether there is one."""
    row = batches.held_batch(tx, me)
    return {"id": row.id if row else None, "until": row.lease_until if row else 0, "any": batches.has_batch(tx, me)}


PAGES = (
    Page("POST", "/batch", start, "worker"),
    Page("GET", "/batch/{batch:int}", show, "worker"),
    Page("POST", "/batch/{batch:int}/send", send, "worker", again=show),
    Page("POST", "/batch/{batch:int}/save", save, "worker", again=show),
    Page("POST", "/batch/{batch:int}/extend", extend, "worker", again=show),
    Page("POST", "/batch/{batch:int}/report", report, "worker", again=show),
    Page("POST", "/batch/{batch:int}/return", give_back, "worker"),
)
