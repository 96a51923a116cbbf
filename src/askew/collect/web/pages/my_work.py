"""A person's own work: history, withdrawing a question, downloading all data, deleting the account."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect import writing
from askew.collect.database import Tx
from askew.collect.form_fields import fields_of
from askew.collect.moderation import IMAGE_REASONS, forget
from askew.collect.rounds import WORKING
from askew.collect.schema import (
    annotator,
    batch,
    batch_answer,
    flag,
    gold_item,
    gold_result,
    image,
    in_rounds,
    judgement,
    prediction,
    question,
    round_,
    session,
    slot,
    survey_item,
    verification,
)
from askew.collect.surveys.items import Item
from askew.collect.verifying import FLAGGING
from askew.collect.web import progress
from askew.collect.web.visit import Page, Visit, id_in

ROWS = 50
DONE = {"password": "Your password was changed.", "withdrawn": "The question was withdrawn."}


def history(visit: Visit) -> Response:
    """Own questions and answers, the latest first."""
    before = id_in(visit.request.query_params.get("before", ""))
    with visit.service.database.read() as tx:
        asked = _questions(tx, visit.me, before)
        answered = tx.rows(_answers(visit.me).order_by(sa.desc("at")).limit(ROWS))
        sent = tx.rows(sa.select(batch).where(batch.c.annotator_id == visit.me).order_by(batch.c.id.desc()).limit(ROWS))
        done = progress.progress_of(tx, visit.me)
    notice = DONE.get(visit.request.query_params.get("done", ""), "")
    more = asked[-1].id if len(asked) == ROWS else None
    values: dict[str, Any] = {"asked": asked, "answered": answered, "done": done, "notice": notice, "more": more}
    values["batches"] = sent
    return visit.render("my_work.html", return_code=visit.return_code, **values)


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


def delete_page(visit: Visit, status: int = 200, error: str = "") -> Response:
    """What deleting the account does."""
    return visit.render("delete_account.html", status, error=error)


def delete_account(visit: Visit) -> Response:
    """Delete the person's name, password and ids; on request, exclude the work from the study too."""
    if visit.text("sure") != "yes":
        return delete_page(visit, 422, "Tick the box if you want to delete your account. Nothing was changed.")
    with visit.service.database.write() as tx:
        forget(tx, visit.me, remove_work=visit.text("work") == "remove")
    visit.who = None
    return visit.set_session(visit.render("deleted.html", removed=visit.text("work") == "remove"), None)


def _questions(tx: Tx, me: int, before: int | None) -> list[Any]:
    busy = sa.exists().where(slot.c.question_id == question.c.id, slot.c.state != "OPEN")
    judged = question.c.state.in_(("CORRECT", "UNSURE", "VERIFYING"))
    working = round_.c.state.in_(WORKING)
    statement = (
        sa.select(
            *question.c["id", "text", "state", "standing", "asked_at", "type"],
            prediction.c.answer.label("robot"),
            judgement.c.answer.label("correct"),
            *image.c["sha256", "hidden_at"],
            (judged & working & ~busy).label("can_withdraw"),
        )
        .select_from(in_rounds.outerjoin(prediction).outerjoin(judgement))
        .where(question.c.annotator_id == me)
        .order_by(question.c.id.desc())
        .limit(ROWS)
    )
    return list(tx.rows(statement if before is None else statement.where(question.c.id < before)))


def _answers(me: int) -> sa.Select[Any]:
    """The person's answers to questions of others and to gold questions."""
    names = ("answer", *(one.name for one in fields_of("verification")), "at")
    given = sa.select(question.c.text, *(verification.c[name] for name in names))
    given = given.join(question).where(verification.c.annotator_id == me)
    other = sa.select(gold_item.c.question, *(gold_result.c[name] for name in names))
    other = other.join(gold_item).where(gold_result.c.annotator_id == me, gold_result.c.answer.is_not(None))
    both = sa.union_all(given, other).subquery()
    return sa.select(both)


def _flags(me: int) -> sa.Select[Any]:
    """What the person flagged or reported. Gold questions have no rows of their own for this, and must look the same:
    so nothing is listed but the question, the reason and the time."""
    mine = flag.c.annotator_id == me
    about = sa.select(question.c.text.label("question"), flag.c.reason, flag.c.at)
    flagged = about.join(question).where(mine)
    reported = sa.select(sa.literal("").label("question"), flag.c.reason, flag.c.at)
    reported = reported.where(mine, flag.c.image_id.is_not(None))
    skipped = (gold_result.c.annotator_id == me) & gold_result.c.at.is_not(None)
    golden = sa.select(gold_item.c.question, gold_result.c.skipped, gold_result.c.at)
    golden = golden.join(gold_item).where(skipped, gold_result.c.skipped.in_(FLAGGING))
    listed = sa.exists().where(flag.c.image_id == image.c.id, image.c.sha256 == gold_item.c.sha256, mine)
    images = sa.select(sa.literal("").label("question"), gold_result.c.skipped, gold_result.c.at)
    images = images.join(gold_item).where(skipped, gold_result.c.skipped.in_(IMAGE_REASONS), ~listed)
    return sa.select(sa.union_all(flagged, reported, golden, images).subquery())


def _batches(me: int) -> sa.Select[Any]:
    """The person's answers in batches of surveys. Gold looks the same: it has no mark here either."""
    about = (batch.c.id.label("batch"), batch.c.state, batch.c.leased_at, batch.c.ended_at, survey_item.c.content)
    given = sa.select(*about, *(batch_answer.c[name] for name in ("n", "first", "last", "reported")))
    joined = batch_answer.join(survey_item).join(batch, batch_answer.c.batch_id == batch.c.id)
    return given.select_from(joined).where(batch_answer.c.annotator_id == me).order_by(batch.c.id, batch_answer.c.n)


def _batch(row: dict[str, Any]) -> dict[str, Any]:
    """A row of ``_batches`` with the question's text, and the answers as objects."""
    read = {name: json.loads(row[name]) if row[name] else None for name in ("first", "last")}
    return {**row, **read, "content": Item.loads(row["content"]).question}


def _stored(tx: Tx, me: int) -> dict[str, Any]:
    """The rows of a person, without secrets, and without what others wrote except the questions that were answered."""

    def rows(statement: sa.Select[Any]) -> list[dict[str, Any]]:
        return [dict(row._mapping) for row in tx.rows(statement)]

    judged = ("question_id", "verdict", "answer", *(one.name for one in fields_of("judgement")), "at")
    about = ("name", "pseudonym", "role", "platform", "consent_version", "consented_at", "created_at", "excluded_at")
    asked = (question.c.id, question.c.text, question.c.state, question.c.asked_at, question.c.try_no)
    return {
        "times": "milliseconds since 1970, UTC",
        "account": rows(sa.select(*(annotator.c[name] for name in about)).where(annotator.c.id == me)),
        "sessions": rows(sa.select(session).where(session.c.annotator_id == me).order_by(session.c.id)),
        "questions": rows(
            sa.select(*asked, prediction.c.answer.label("robot_answer"), prediction.c.raw.label("robot_reply"))
            .outerjoin(prediction)
            .where(question.c.annotator_id == me)
            .order_by(question.c.id)
        ),
        "judgements": rows(
            sa.select(*(judgement.c[name] for name in judged))
            .where(judgement.c.annotator_id == me)
            .order_by(judgement.c.question_id)
        ),
        "answers": rows(_answers(me).order_by("at")),
        "batches": [_batch(row) for row in rows(_batches(me))],
        "flags": rows(_flags(me).order_by("at")),
    }


PAGES = (
    Page("GET", "/my-work", history, "person"),
    Page("POST", "/my-work/{question:int}/withdraw", withdraw, "worker"),
    Page("GET", "/my-work/data.json", export, "person"),
    Page("GET", "/my-work/delete", delete_page, "person"),
    Page("POST", "/my-work/delete", delete_account, "person"),
)
