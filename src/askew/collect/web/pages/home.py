"""Where people start: the quiz before the first task, available tasks, their progress, and the completion code."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from askew.collect.accounts import AMONG_SIMULATED, among_simulated
from askew.collect.database import Tx
from askew.collect.protocol import Refused
from askew.collect.quiz import needs_quiz, quiz_for, take_quiz
from askew.collect.rounds import open_round
from askew.collect.schema import survey
from askew.collect.web import login, progress
from askew.collect.web.pages import batch
from askew.collect.web.visit import Page, Visit, id_in


def home(visit: Visit) -> Response:
    """Available work, work in progress, and the person's own progress."""
    with visit.service.database.read() as tx:
        if needs_quiz(tx, visit.me):
            return visit.redirect("/quiz")
        values: dict[str, Any] = {
            "work": progress.work_for(tx, visit.me),
            "open": open_round(tx) is not None,
            "done": progress.progress_of(tx, visit.me),
            "batch": batch.held(tx, visit.me),
            "surveyed": tx.count(survey) > 0,
            "now": tx.now,
            "closed": AMONG_SIMULATED if among_simulated(tx) else "",
            "settings": tx.settings,
            "completion": login.platform_link(tx, visit.person) is not None,
            "nothing": visit.request.query_params.get("nothing", ""),
        }
    values["return_code"] = visit.return_code
    held = values["work"].task
    sealed = visit.service.keys.seal(held.reference) if held is not None else ""
    return visit.render("home.html", held_slot=sealed, **values)


def finish(visit: Visit) -> Response:
    """The completion code for the platform, after as many tasks as the link asks for."""
    with visit.service.database.read() as tx:
        link = login.platform_link(tx, visit.person)
        done = progress.progress_of(tx, visit.me, since=visit.person.entered_at or 0)
    left = 0 if link is None else max(0, link.tasks - done.pieces)
    values: dict[str, Any] = {"done": done, "link": link, "left": left, "assignment": ""}
    if link is not None and link.return_url and not left:
        values["assignment"] = json.loads(visit.person.platform).get(ASSIGNMENT, "")
    return visit.render("finish.html", **values)


ASSIGNMENT = "assignmentId"
"""The id with which Mechanical Turk expects a form in return, instead of the opening of a link."""
VERDICTS = (("correct", "✓", "Definitely correct"), ("wrong", "✗", "Definitely wrong"), ("unsure", "?", "Not sure"))


def show_quiz(visit: Visit, status: int = 200, error: str = "") -> Response:
    """The examples, or the result of the last attempt."""
    with visit.service.database.read() as tx:
        quiz = quiz_for(tx, visit.me)
    if not quiz.needed and (quiz.last is None or not quiz.last.passed):
        return visit.redirect("/home")
    return visit.render("quiz.html", status, quiz=quiz, error=error, chosen=_verdicts(visit), verdicts=VERDICTS)


def send_quiz(visit: Visit) -> Response:
    """Store the judgements of an attempt; if they are refused, they are shown again."""
    try:

        def act(tx: Tx) -> dict[str, bool]:
            return {"passed": take_quiz(tx, visit.me, visit.field_number("attempt"), _verdicts(visit))}

        visit.once("quiz", act)
    except Refused as refusal:
        return show_quiz(visit, 422, str(refusal))
    return visit.redirect("/quiz")


def _verdicts(visit: Visit) -> dict[int, str]:
    """Example to verdict, from the form."""
    sent = ((name.removeprefix("item-"), value) for name, value in visit.form.items() if name.startswith("item-"))
    return {number: value for key, value in sent if (number := id_in(key)) is not None}


PAGES = (
    Page("GET", "/home", home, "worker"),
    Page("GET", "/finish", finish, "worker"),
    Page("GET", "/quiz", show_quiz, "worker"),
    Page("POST", "/quiz", send_quiz, "worker"),
)
