"""Verifying: an image, somebody's question, one's own answer and how sure one is (Li et al. 2021, Figure 15).

The address holds a sealed reference, which shows neither the number nor the kind of the task. The page has nothing
of the author, the robot or other answers in it.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from askew.collect import verifying
from askew.collect.flags import report_image
from askew.collect.forms import once
from askew.collect.refusals import Gone, Refused
from askew.collect.web import progress
from askew.collect.web.failures import Failure, failure_of, failure_page
from askew.collect.web.visit import Page, Visit

IMAGE_REASONS = ("the image is offensive or disturbing", "the image shows private information")
"""Reasons that report the image, besides those that skip the question."""


def start(visit: Visit) -> Response:
    """Take a question."""
    with visit.service.database.write() as tx:

        def act() -> dict[str, Any]:
            task = verifying.claim_slot(tx, visit.me)
            return {"question": task.question_id if task else None}

        given = once(tx, visit.form_key, visit.me, "claim slot", act)
    return _next(visit, given["question"])


def show(visit: Visit) -> Response:
    """The image and the question."""
    return _page(visit)


def answer(visit: Visit) -> Response:
    """Take the answer, and the next question with it."""
    number = _question(visit)
    try:
        if not visit.text("answer").strip():
            raise Refused("Write an answer. If the question cannot be answered, skip it below.")
        with visit.service.database.write() as tx:

            def act() -> dict[str, Any]:
                said = verifying.verify(tx, visit.me, number, visit.text("answer"), visit.text("confidence"))
                more = None if visit.text("then") == "stop" else verifying.claim_slot(tx, visit.me)
                return {"late": said.late, "question": more.question_id if more else None}

            done = once(tx, visit.form_key, visit.me, f"verify {number}", act)
    except Exception as error:
        return _again(visit, error)
    if visit.text("then") == "stop":
        return visit.redirect("/home")
    return _next(visit, done["question"], saved="late" if done["late"] else "yes")


def extend(visit: Visit) -> Response:
    """More time; typed text comes back."""
    number = _question(visit)
    try:
        with visit.service.database.write() as tx:

            def act() -> dict[str, Any]:
                return {"until": verifying.extend_verifying(tx, visit.me, number)}

            once(tx, visit.form_key, visit.me, f"extend slot {number}", act)
    except Exception as error:
        return _again(visit, error)
    return _page(visit, notice="You have more time now.")


def skip(visit: Visit) -> Response:
    """Give the question back, flag it, or report the image, by the reason given; then the next question."""
    number, reason = _question(visit), visit.text("reason")
    with visit.service.database.write() as tx:

        def act() -> dict[str, Any]:
            if reason in IMAGE_REASONS:
                task = verifying.verify_task(tx, visit.me, number)
                verifying.skip_slot(tx, visit.me, number, "other")
                report_image(tx, visit.me, task.image_id, reason)
            else:
                verifying.skip_slot(tx, visit.me, number, reason)
            more = verifying.claim_slot(tx, visit.me)
            return {"question": more.question_id if more else None}

        done = once(tx, visit.form_key, visit.me, f"skip slot {number}", act)
    return _next(visit, done["question"], saved="skipped")


def _question(visit: Visit) -> int:
    """The number of the question that the reference in the address stands for."""
    kind, _, number = (visit.service.keys.unseal(visit.request.path_params["task"]) or "").partition(" ")
    if kind != "q":
        raise Failure(404)
    return int(number)


def _next(visit: Visit, question_id: int | None, saved: str = "") -> Response:
    if question_id is None:
        return visit.redirect(f"/home?nothing={'verified' if saved else 'verify'}")
    reference = visit.service.keys.seal(f"q {question_id}")
    return visit.redirect(f"/verify/{reference}" + (f"?saved={saved}" if saved else ""))


def _again(visit: Visit, error: Exception) -> Response:
    failure = failure_of(error)
    if failure.status in (403, 409, 500):
        return failure_page(visit, failure)
    message = failure.message or "The service is busy: your text was not saved. Wait a few seconds and send it again."
    try:
        return _page(visit, status=failure.status, error=message)
    except Exception as worse:
        return failure_page(visit, failure_of(worse))


def _page(visit: Visit, status: int = 200, error: str = "", notice: str = "") -> Response:
    number = _question(visit)
    with visit.service.database.read() as tx:
        try:
            task = verifying.verify_task(tx, visit.me, number)
        except Gone as over:
            return visit.render("verify_over.html", 409 if status == 200 else status, message=str(over))
        done = progress.progress_of(tx, visit.me).verified
        values = {"task": task, "settings": tx.settings, "now": tx.now, "done": done}
    saved = visit.request.query_params.get("saved", "")
    typed = {"answer": visit.text("answer"), "confidence": visit.text("confidence")}
    reasons = (*verifying.SKIP_REASONS, *IMAGE_REASONS)
    reference = visit.request.path_params["task"]
    draft = visit.service.keys.label(f"{visit.me} q {number}")
    values |= {"saved": saved, "reasons": reasons, "reference": reference, "typed": typed, "draft": draft}
    return visit.render("verify.html", status, error=error, notice=notice, **values)


PAGES = (
    Page("POST", "/verify", start, "worker"),
    Page("GET", "/verify/{task}", show, "worker"),
    Page("POST", "/verify/{task}/answer", answer, "worker"),
    Page("POST", "/verify/{task}/extend", extend, "worker"),
    Page("POST", "/verify/{task}/skip", skip, "worker"),
)
