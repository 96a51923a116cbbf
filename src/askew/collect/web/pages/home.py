"""Where people start: what there is to do, how far they are, and the completion code at the end."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from askew.collect.quiz import needs_quiz
from askew.collect.web import login, progress
from askew.collect.web.visit import Page, Visit


def home(visit: Visit) -> Response:
    """Work that is available, work that was begun, own progress."""
    with visit.service.database.read() as tx:
        if needs_quiz(tx, visit.me):
            return visit.redirect("/quiz")
        values: dict[str, Any] = {
            "work": progress.work_for(tx, visit.me),
            "done": progress.progress_of(tx, visit.me),
            "now": tx.now,
            "settings": tx.settings,
            "completion": login.completion_code(tx, visit.person),
            "nothing": visit.request.query_params.get("nothing", ""),
        }
    held = values["work"].task
    sealed = visit.service.keys.seal(held) if held is not None else ""
    return visit.render("home.html", held_slot=sealed, **values)


def finish(visit: Visit) -> Response:
    """The completion code for the platform, once something was done."""
    with visit.service.database.read() as tx:
        done = progress.progress_of(tx, visit.me)
        code = login.completion_code(tx, visit.person)
    return visit.render("finish.html", done=done, completion=code if done.pieces else None, waits=bool(code))


PAGES = (
    Page("GET", "/home", home, "worker"),
    Page("GET", "/finish", finish, "worker"),
)
