"""Writing: an image, a question, the robot's answer, a judgement (Li et al. 2021, Figures 13 and 14).

After every error the page is shown again with what the person typed. No model is called inside a transaction.
"""

from __future__ import annotations

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect import writing
from askew.collect.database import Tx
from askew.collect.form_fields import fields_of
from askew.collect.moderation import report_image
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.robots import waiting_call
from askew.collect.schema import image, session
from askew.collect.web.visit import Page, Visit

SKIP_REASONS = (
    "I cannot see the image",
    "I cannot think of a question",
    "I do not want to work on this image",
    "Other",
)
REPORT_REASONS = ("It is offensive or disturbing", "It shows private information", "It does not show anything")


def start(visit: Visit) -> Response:
    """Claim an image."""

    def act(tx: Tx) -> dict[str, int | None]:
        task = writing.claim_image(tx, visit.me)
        return {"session": task.session_id if task else None}

    given = visit.once("claim image", act)
    if given["session"] is None:
        return visit.redirect("/home?nothing=write")
    return visit.redirect(f"/write/{given['session']}")


def show(visit: Visit, status: int = 200, error: str = "", notice: str = "") -> Response:
    """The image and the current step; after the end of the session, how it ended."""
    number = visit.number("session")
    with visit.service.database.read() as tx:
        try:
            task = writing.writing_task(tx, visit.me, number)
        except Gone:
            return _over(visit, number, status)
        fields = fields_of("judgement", tx.settings)
        values = {"task": task, "settings": tx.settings, "now": tx.now, "fields": fields}
    failed = next((one for one in reversed(task.tries) if one.state == "MODEL_FAILED"), None)
    if failed is not None and failed is task.tries[-1] and not error and not notice:
        error = "No robot could answer that question just now. No try was used. Ask it again, or ask another one."
    typed = visit.text("question") or (failed.text if failed is not None and failed is task.tries[-1] else "")
    values |= {"skip_reasons": SKIP_REASONS, "report_reasons": REPORT_REASONS, "open": task.open_question}
    judged = task.open_question is not None and visit.field_number("try") == task.open_question.question_id
    names = ("answer", "verdict", *(one.name for one in fields))
    form = {name: visit.text(name) if judged else "" for name in names}
    form["question"] = typed
    # sent by a second tab for another step of the work: this page has no field for it
    lost = "" if judged else visit.text("answer") or (visit.text("question") if task.open_question else "")
    return visit.render("attack.html", status, error=error, notice=notice, typed=form, lost=lost, **values)


def ask(visit: Visit) -> Response:
    """Send the question to the robot, and show the answer."""
    service, number = visit.service, visit.number("session")

    def act(tx: Tx) -> dict[str, int]:
        return {"question": writing.ask(tx, visit.me, number, visit.text("question")).question_id}

    service.buckets.take(f"questions:{visit.me}", service.limits.questions)
    with service.in_flight.counted(visit.me, service.limits.calls_in_flight):
        asked = visit.once(f"ask {number}", act)
        with service.database.read() as tx:
            call = waiting_call(tx, asked["question"])
        if call is not None:  # else the form was sent before, and the question has been answered
            service.robots.ask(call)
    return visit.redirect(f"/write/{number}")


def judge(visit: Visit) -> Response:
    """Store the judgement, with the correct answer if the robot was wrong."""
    number = visit.number("session")
    if not visit.text("verdict"):
        raise Refused("Choose one: is the robot’s answer correct or wrong, or are you not sure?")

    def act(tx: Tx) -> None:
        verdict, confidence = visit.text("verdict"), visit.text("confidence") or None
        asked = visit.field_number("try")
        writing.judge(tx, visit.me, asked, verdict, visit.text("answer"), confidence, visit.form)

    visit.once(f"judge {number}", act)
    return visit.redirect(f"/write/{number}")


def extend(visit: Visit) -> Response:
    """Give the person more time; typed text is shown again."""
    number = visit.number("session")
    visit.once(f"extend {number}", lambda tx: {"until": writing.extend_writing(tx, visit.me, number)})
    return show(visit, notice="You have more time now.")


def skip(visit: Visit) -> Response:
    """Return the image."""
    number = visit.number("session")

    def act(tx: Tx) -> None:
        writing.release_image(tx, visit.me, number, _reason(visit.text("reason"), SKIP_REASONS))

    visit.once(f"skip {number}", act)
    return visit.redirect(f"/write/{number}")


def report(visit: Visit) -> Response:
    """Report the image, and return it."""
    number = visit.number("session")

    def act(tx: Tx) -> None:
        task = writing.writing_task(tx, visit.me, number)
        if not report_image(tx, visit.me, task.image_id, _reason(visit.text("reason"), REPORT_REASONS)):
            writing.release_image(tx, visit.me, number, "reported")

    visit.once(f"report {number}", act)
    return visit.redirect(f"/write/{number}")


def _reason(given: str, known: tuple[str, ...]) -> str:
    if given not in known:
        raise Refused("Choose one of the reasons.")
    return given


def _over(visit: Visit, number: int, status: int) -> Response:
    """How a session ended, its questions, and any text that was sent too late."""
    with visit.service.database.read() as tx:
        row = tx.first(sa.select(session, image.c.sha256, image.c.hidden_at).join(image).where(session.c.id == number))
        if row is None or row.annotator_id != visit.me:
            raise NotAllowed("This is not your image.")
        tries = writing.session_tries(tx, number)
    late = [visit.text(name) for name in ("question", "answer") if visit.text(name).strip()]
    return visit.render("attack_over.html", status, row=row, tries=tries, late=late)


PAGES = (
    Page("POST", "/write", start, "worker"),
    Page("GET", "/write/{session:int}", show, "worker"),
    Page("POST", "/write/{session:int}/ask", ask, "worker", again=show),
    Page("POST", "/write/{session:int}/judge", judge, "worker", again=show),
    Page("POST", "/write/{session:int}/extend", extend, "worker", again=show),
    Page("POST", "/write/{session:int}/skip", skip, "worker"),
    Page("POST", "/write/{session:int}/report", report, "worker"),
)
