"""For owners: every question with its full history, flags and quarantine, and reported images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.database import Tx
from askew.collect.moderation import quarantine, resolve, resolve_reports
from askew.collect.schema import (
    QUESTION_STATES,
    STANDINGS,
    annotator,
    draw,
    flag,
    image,
    in_rounds,
    judgement,
    lease,
    model,
    prediction,
    question,
    round_,
    verification,
)
from askew.collect.web.failures import Failure
from askew.collect.web.visit import Page, Visit, id_in

ROWS = 50


def listed(visit: Visit) -> Response:
    """The questions that match the filters and the search, the latest first."""
    query = visit.request.query_params
    wanted = {name: query.get(name, "")[:120].replace("\0", "") for name in ("state", "standing", "q", "before")}
    with visit.service.database.read() as tx:
        rows = tx.rows(_matching(wanted))
        reported = _reported(tx)
    more = rows[-1].id if len(rows) == ROWS else None
    choices: dict[str, Any] = {"states": QUESTION_STATES, "standings": STANDINGS}
    return visit.render("examples.html", rows=rows, reported=reported, wanted=wanted, more=more, **choices)


def history(visit: Visit) -> Response:
    """Everything that happened to one question."""
    number = visit.number("question")
    with visit.service.database.read() as tx:
        row = tx.first(
            sa.select(
                question,
                *image.c["sha256", "hidden_at"],
                image.c.name.label("image_name"),
                round_.c.number.label("round"),
                round_.c.state.label("round_state"),
                annotator.c.pseudonym,
            )
            .select_from(in_rounds.join(annotator))
            .where(question.c.id == number)
        )
        if row is None:
            raise Failure(404)
        values: dict[str, Any] = {
            "draws": tx.rows(
                sa.select(draw, model.c.name).join(model).where(draw.c.question_id == number).order_by(draw.c.n)
            ),
            "prediction": tx.first(sa.select(prediction).where(prediction.c.question_id == number)),
            "judgement": tx.first(sa.select(judgement).where(judgement.c.question_id == number)),
            "answers": _people(tx, verification, number),
            "leases": _people(tx, lease, number),
            "flags": _people(tx, flag, number),
        }
    return visit.render("example.html", row=row, **values)


def take_out(visit: Visit) -> Response:
    """Put a question into quarantine."""
    number, note = visit.number("question"), visit.text("note").strip()[:200] or "by the owner"
    visit.change("quarantine", question, number, lambda tx: quarantine(tx, visit.me, number, note))
    return visit.redirect(f"/owner/examples/{number}")


def decide(visit: Visit) -> Response:
    """Release a question from quarantine, or remove it."""
    number, keep = visit.number("question"), _keep(visit, "remove")
    visit.change("resolve", question, number, lambda tx: resolve(tx, visit.me, number, keep))
    return visit.redirect(f"/owner/examples/{number}")


def decide_about_image(visit: Visit) -> Response:
    """Keep a reported image, show a hidden one again, or hide it."""
    number, keep = visit.number("image"), _keep(visit, "hide")
    visit.change("image", image, number, lambda tx: resolve_reports(tx, visit.me, number, keep))
    return visit.redirect("/owner/examples")


def _keep(visit: Visit, other: str) -> bool:
    """Whether the decision is to keep it; ``other`` is the only other decision."""
    if visit.text("decision") not in ("keep", other):
        raise Failure(422, message=f"Choose whether to keep or to {other} it.")
    return visit.text("decision") == "keep"


def _matching(wanted: dict[str, str]) -> sa.Select[Any]:
    flags = sa.select(sa.func.count()).where(flag.c.question_id == question.c.id).scalar_subquery()
    statement = (
        sa.select(
            *question.c["id", "text", "state", "standing", "done", "type", "asked_at"],
            annotator.c.pseudonym,
            image.c.sha256,
            prediction.c.answer.label("robot"),
            judgement.c.answer.label("correct"),
            flags.label("flags"),
        )
        .select_from(question.join(annotator).join(image).outerjoin(prediction).outerjoin(judgement))
        .order_by(question.c.id.desc())
        .limit(ROWS)
    )
    if wanted["state"] in QUESTION_STATES:
        statement = statement.where(question.c.state == wanted["state"])
    if wanted["standing"] in STANDINGS:
        statement = statement.where(question.c.standing == wanted["standing"])
    if wanted["standing"] == "flagged":
        statement = statement.where(flags > 0)
    if wanted["q"]:
        parts = (question.c.text, prediction.c.answer, judgement.c.answer, annotator.c.pseudonym)
        statement = statement.where(sa.or_(*(part.icontains(wanted["q"], autoescape=True) for part in parts)))
    if (before := id_in(wanted["before"])) is not None:
        statement = statement.where(question.c.id < before)
    return statement


def _reported(tx: Tx) -> list[Any]:
    reports = sa.func.count(flag.c.id)
    return list(
        tx.rows(
            sa.select(
                *image.c["id", "sha256", "hidden_at"],
                reports.label("reports"),
                sa.func.min(flag.c.reason).label("reason"),
            )
            .outerjoin(flag, (flag.c.image_id == image.c.id) & flag.c.resolved_at.is_(None))
            .where(flag.c.id.is_not(None) | image.c.hidden_at.is_not(None))
            .group_by(image.c.id, image.c.sha256, image.c.hidden_at)
            .order_by(image.c.id)
            .limit(ROWS)
        )
    )


def _people(tx: Tx, table: sa.Table, number: int) -> Sequence[Any]:
    """The rows of a table about one question, each with the pseudonym of its person."""
    rows = sa.select(table, annotator.c.pseudonym).join(annotator)
    return tx.rows(rows.where(table.c.question_id == number).order_by(table.c.id))


PAGES = (
    Page("GET", "/owner/examples", listed, "owner"),
    Page("GET", "/owner/examples/{question:int}", history, "owner"),
    Page("POST", "/owner/examples/{question:int}/quarantine", take_out, "owner"),
    Page("POST", "/owner/examples/{question:int}/resolve", decide, "owner"),
    Page("POST", "/owner/images/{image:int}/resolve", decide_about_image, "owner"),
)
