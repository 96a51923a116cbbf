"""Verifying: an image, another person's question, an answer and a confidence (Li et al. 2021, Figure 15).

The address contains a sealed reference, which reveals neither the number nor the kind of the task. The page shows
nothing about the author, the robot or other answers.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from askew.collect import verify_queue
from askew.collect.database import Tx
from askew.collect.form_fields import fields_of
from askew.collect.protocol import Gone, Refused
from askew.collect.web import progress
from askew.collect.web.failures import Failure
from askew.collect.web.visit import Page, Visit

REASONS = {
    "cannot see the image": "I cannot see the image",
    "cannot understand the question": "I do not understand the question",
    "offensive or private": "The question is offensive or private",
    "the image is offensive or disturbing": "The image is offensive or disturbing",
    "the image shows private information": "The image shows private information",
    "other": "Another reason",
}
"""The reasons to skip a question, as the page words them."""


def start(visit: Visit) -> Response:
    """Claim a question."""
    given = visit.once("claim slot", lambda tx: {"task": _claimed(tx, visit)})
    return _next(visit, given["task"])


def show(visit: Visit, status: int = 200, error: str = "", notice: str = "") -> Response:
    """The image and the question."""
    task = _task(visit)
    with visit.service.database.read() as tx:
        try:
            shown = verify_queue.open_task(tx, visit.me, task)
        except Gone as over:
            late = visit.text("answer").strip()
            return visit.render("verify_over.html", 409 if status == 200 else status, message=str(over), late=late)
        done = progress.progress_of(tx, visit.me).verified
        values: dict[str, Any] = {"task": shown, "settings": tx.settings, "now": tx.now, "done": done}
    saved = visit.request.query_params.get("saved", "")
    fields = fields_of("verification", values["settings"])
    typed = {name: visit.text(name) for name in ("answer", *(one.name for one in fields))}
    reference = visit.request.path_params["task"]
    draft = visit.service.keys.label(f"{visit.me} {task}")
    values |= {
        "saved": saved,
        "reasons": REASONS,
        "reference": reference,
        "typed": typed,
        "draft": draft,
        "fields": fields,
    }
    return visit.render("verify.html", status, error=error, notice=notice, **values)


def answer(visit: Visit) -> Response:
    """Store the answer, and claim the next question."""
    task = _task(visit)
    if not visit.text("answer").strip():
        raise Refused("Write an answer. If the question cannot be answered, skip it below.")

    def act(tx: Tx) -> dict[str, Any]:
        done = verify_queue.answer_task(tx, visit.me, task, visit.text("answer"), visit.text("confidence"), visit.form)
        stops = done.excluded or visit.text("then") == "stop"
        return {"late": done.late, "task": None if stops else _claimed(tx, visit), "excluded": done.excluded}

    stored = visit.once(f"verify {task}", act)
    if visit.text("then") == "stop" or stored.get("excluded"):
        return visit.redirect("/home")
    return _next(visit, stored["task"], saved="late" if stored["late"] else "yes")


def extend(visit: Visit) -> Response:
    """Give the person more time; typed text is shown again."""
    task = _task(visit)
    visit.once(f"extend {task}", lambda tx: {"until": verify_queue.extend_task(tx, visit.me, task)})
    return show(visit, notice="You have more time now.")


def skip(visit: Visit) -> Response:
    """Return the question, and depending on the reason flag it or report the image; then show the next question."""
    task = _task(visit)

    def act(tx: Tx) -> dict[str, Any]:
        verify_queue.skip_task(tx, visit.me, task, visit.text("reason"))
        return {"task": _claimed(tx, visit)}

    done = visit.once(f"skip {task}", act)
    return _next(visit, done["task"], saved="skipped")


def _task(visit: Visit) -> str:
    """The task whose sealed reference is in the address."""
    task = visit.service.keys.unseal(visit.request.path_params["task"])
    if task is None:
        raise Failure(404)
    return task


def _claimed(tx: Tx, visit: Visit) -> str | None:
    """The person's next task."""
    given = verify_queue.claim_task(tx, visit.me)
    return given.reference if given else None


def _next(visit: Visit, task: str | None, saved: str = "") -> Response:
    if task is None:
        nothing = {"": "verify", "yes": "verified"}.get(saved, saved)
        return visit.redirect(f"/home?nothing={nothing}")
    reference = visit.service.keys.seal(task)
    return visit.redirect(f"/verify/{reference}" + (f"?saved={saved}" if saved else ""))


PAGES = (
    Page("POST", "/verify", start, "worker"),
    Page("GET", "/verify/{task}", show, "worker"),
    Page("POST", "/verify/{task}/answer", answer, "worker", again=show),
    Page("POST", "/verify/{task}/extend", extend, "worker", again=show),
    Page("POST", "/verify/{task}/skip", skip, "worker"),
)
