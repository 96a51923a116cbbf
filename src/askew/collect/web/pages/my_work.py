"""A person's own work: history, withdrawing a question, downloading all data, deleting the account."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect import writing
from askew.collect.accounts import has_other_owner, person
from askew.collect.database import Tx, record_event
from askew.collect.moderation import exclude
from askew.collect.protocol import Refused
from askew.collect.rounds import WORKING
from askew.collect.schema import (
    annotator,
    flag,
    image,
    judgement,
    prediction,
    question,
    round_,
    session,
    slot,
    verification,
)
from askew.collect.schema_quality import gold_item, gold_result
from askew.collect.web import login, progress
from askew.collect.web.visit import Page, Visit, id_in

ROWS = 50
DONE = {"password": "Your password was changed.", "withdrawn": "The question was withdrawn."}


def history(visit: Visit) -> Response:
    """Own questions and answers, the latest first."""
    before = id_in(visit.request.query_params.get("before", ""))
    with visit.service.database.read() as tx:
        asked = _questions(tx, visit.me, before)
        answered = tx.rows(_answers(visit.me).order_by(sa.desc("at")).limit(ROWS))
        done = progress.progress_of(tx, visit.me)
    notice = DONE.get(visit.request.query_params.get("done", ""), "")
    more = asked[-1].id if len(asked) == ROWS else None
    return visit.render("my_work.html", asked=asked, answered=answered, done=done, notice=notice, more=more)


def withdraw(visit: Visit) -> Response:
    """Withdraw a question."""
    number = visit.number("question")
    visit.once(f"withdraw {number}", lambda tx: writing.withdraw(tx, visit.me, number))
    return visit.redirect("/my-work?done=withdrawn")


def export(visit: Visit) -> Response:
    """Everything that is stored about this person, as JSON."""
    with visit.service.database.read() as tx:
        stored = _stored(tx, visit.me)
    body = json.dumps(stored, ensure_ascii=False, indent=2) + "\n"
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"'}
    return Response(body, media_type="application/json", headers=headers)


def delete_page(visit: Visit) -> Response:
    """What deleting the account does."""
    return visit.render("delete_account.html", error="")


def delete_account(visit: Visit) -> Response:
    """Delete the person's name, password and ids; on request, exclude the work from the study too."""
    if visit.text("sure") != "yes":
        error = "Tick the box if you want to delete your account. Nothing was changed."
        return visit.render("delete_account.html", 422, error=error)
    with visit.service.database.write() as tx:
        _forget(tx, visit.me, visit.text("work") == "remove")
    visit.who = None
    return visit.set_session(visit.render("deleted.html"), None)


def _forget(tx: Tx, me: int, remove_work: bool) -> None:
    who = person(tx, me)
    if who.role == "owner" and not has_other_owner(tx, me):
        raise Refused("You are the only owner of the study. Make somebody else an owner first.")
    if remove_work and who.excluded_at is None:
        exclude(tx, me, "deleted on the person's own request", me)
    blank = {"name": f"deleted {who.pseudonym}", "password_hash": None, "platform": "{}", "role": "annotator"}
    tx.change(annotator, annotator.c.id == me, **blank)
    login.end_sessions(tx, me)
    record_event(tx, "person.deleted", f"annotator {me}", me, {"work_removed": remove_work})


def _questions(tx: Tx, me: int, before: int | None) -> list[Any]:
    busy = sa.exists().where(slot.c.question_id == question.c.id, slot.c.state != "OPEN")
    judged = question.c.state.in_(("CORRECT", "UNSURE", "VERIFYING"))
    working = round_.c.state.in_(WORKING)
    statement = (
        sa.select(
            question.c.id,
            question.c.text,
            question.c.state,
            question.c.standing,
            question.c.asked_at,
            question.c.type,
            prediction.c.answer.label("robot"),
            judgement.c.answer.label("correct"),
            image.c.sha256,
            image.c.hidden_at,
            (judged & working & ~busy).label("can_withdraw"),
        )
        .join(image, image.c.id == question.c.image_id)
        .join(round_, round_.c.id == image.c.round_id)
        .outerjoin(prediction, prediction.c.question_id == question.c.id)
        .outerjoin(judgement, judgement.c.question_id == question.c.id)
        .where(question.c.annotator_id == me)
        .order_by(question.c.id.desc())
        .limit(ROWS)
    )
    return list(tx.rows(statement if before is None else statement.where(question.c.id < before)))


def _answers(me: int) -> sa.Select[Any]:
    """The person's answers to questions of others and to gold questions."""
    given = sa.select(question.c.text, verification.c.answer, verification.c.confidence, verification.c.at)
    given = given.join(question, question.c.id == verification.c.question_id).where(verification.c.annotator_id == me)
    other = sa.select(gold_item.c.question, gold_result.c.answer, gold_result.c.confidence, gold_result.c.at)
    other = other.join(gold_item, gold_item.c.id == gold_result.c.gold_id).where(
        gold_result.c.annotator_id == me, gold_result.c.answer.is_not(None)
    )
    both = sa.union_all(given, other).subquery()
    return sa.select(both)


def _stored(tx: Tx, me: int) -> dict[str, Any]:
    """The rows of a person, without secrets, and without what others wrote except the questions that were answered."""

    def rows(statement: sa.Select[Any]) -> list[dict[str, Any]]:
        return [dict(row._mapping) for row in tx.rows(statement)]

    about = ("name", "pseudonym", "role", "platform", "consent_version", "consented_at", "created_at", "excluded_at")
    asked = (question.c.id, question.c.text, question.c.state, question.c.asked_at, question.c.try_no)
    return {
        "times": "milliseconds since 1970, UTC",
        "account": rows(sa.select(*(annotator.c[name] for name in about)).where(annotator.c.id == me)),
        "sessions": rows(sa.select(session).where(session.c.annotator_id == me).order_by(session.c.id)),
        "questions": rows(
            sa.select(*asked, prediction.c.answer.label("robot_answer"), prediction.c.raw.label("robot_reply"))
            .outerjoin(prediction, prediction.c.question_id == question.c.id)
            .where(question.c.annotator_id == me)
            .order_by(question.c.id)
        ),
        "judgements": rows(
            sa.select(
                judgement.c.question_id, judgement.c.verdict, judgement.c.answer, judgement.c.confidence, judgement.c.at
            )
            .where(judgement.c.annotator_id == me)
            .order_by(judgement.c.question_id)
        ),
        "answers": rows(_answers(me).order_by("at")),
        "flags": rows(sa.select(flag).where(flag.c.annotator_id == me).order_by(flag.c.id)),
    }


PAGES = (
    Page("GET", "/my-work", history, "person"),
    Page("POST", "/my-work/{question:int}/withdraw", withdraw, "worker"),
    Page("GET", "/my-work/data.json", export, "person"),
    Page("GET", "/my-work/delete", delete_page, "person"),
    Page("POST", "/my-work/delete", delete_account, "person"),
)
