"""The quiz before the first work: judged examples that the person judges too, with hints after a failure."""

from __future__ import annotations

from starlette.responses import Response

from askew.collect.database import Tx
from askew.collect.quiz import quiz_for, take_quiz
from askew.collect.refusals import Refused
from askew.collect.web.visit import Page, Visit

VERDICTS = (("correct", "✓", "Definitely correct"), ("wrong", "✗", "Definitely wrong"), ("unsure", "?", "Not sure"))


def show(visit: Visit) -> Response:
    """The examples, or what became of the last attempt."""
    return _page(visit)


def send(visit: Visit) -> Response:
    """Take the judgements of an attempt; after a refusal they are shown again."""
    try:

        def act(tx: Tx) -> dict[str, bool]:
            return {"passed": take_quiz(tx, visit.me, visit.field_number("attempt"), _said(visit)).passed}

        visit.once("quiz", act)
    except Refused as refusal:
        return _page(visit, 422, str(refusal))
    return visit.redirect("/quiz")


def _said(visit: Visit) -> dict[int, str]:
    """Example to verdict, as it was sent."""
    sent = ((name.removeprefix("item-"), value) for name, value in visit.form.items() if name.startswith("item-"))
    return {int(key): value for key, value in sent if key.isascii() and key.isdigit() and len(key) < 10}


def _page(visit: Visit, status: int = 200, error: str = "") -> Response:
    with visit.service.database.read() as tx:
        quiz = quiz_for(tx, visit.me)
    if not quiz.needed and (quiz.last is None or not quiz.last.passed):
        return visit.redirect("/home")
    return visit.render("quiz.html", status, quiz=quiz, error=error, said=_said(visit), verdicts=VERDICTS)


PAGES = (
    Page("GET", "/quiz", show, "worker"),
    Page("POST", "/quiz", send, "worker"),
)
