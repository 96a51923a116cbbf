"""For owners: the state of rounds and models, and the switches for both."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from math import ceil
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from askew.collect.database import Tx
from askew.collect.invariants import notices
from askew.collect.protocol import differences
from askew.collect.rounds import blockers, change_round, round_counts, set_model_active
from askew.collect.schema import (
    ROUND_STATES,
    annotator,
    draw,
    ensemble_member,
    event,
    image,
    model,
    prediction,
    question,
    round_,
)
from askew.collect.web.failures import Failure
from askew.collect.web.visit import Page, Visit

LATEST = 1000
"""How many calls of each model the latencies are computed from."""
BY_WEB = ("READY", "OPEN", "DRAINING")
"""States that have a button; freezing and exporting have pages of their own."""


def monitor(visit: Visit) -> Response:
    """The counts of every round, the latest first."""
    with visit.service.database.read() as tx:
        rounds = [round_row(visit, tx, row) for row in tx.rows(sa.select(round_).order_by(round_.c.number.desc()))]
        events = tx.rows(sa.select(event).order_by(event.c.id.desc()).limit(15))
        people = tx.count(annotator, annotator.c.excluded_at.is_(None))
        settings, now, to_do = tx.settings, tx.now, notices(tx)
    values: dict[str, Any] = {"settings": settings, "changes": differences(settings), "now": now, "people": people}
    values["to_do"] = to_do
    missing = max(0, settings.verifiers_per_question + 1 - people)
    return visit.render("monitor.html", rounds=rounds, events=events, missing_people=missing, **values)


def change_state(visit: Visit) -> Response:
    """Move a round to its next state."""
    number, to = visit.number("round"), visit.text("to")
    if to not in BY_WEB:
        raise Failure(422, message="A round is frozen and released on pages of their own: Freeze and Releases.")
    visit.change(f"round {to}", round_, number, lambda tx: change_round(tx, number, to, visit.me))
    return visit.redirect("/owner")


def switch_model(visit: Visit) -> Response:
    """Stop drawing a model, or draw it again."""
    number, chosen, active = visit.number("round"), visit.number("model"), visit.text("active") == "yes"
    visit.change(f"model {chosen}", round_, number, lambda tx: set_model_active(tx, number, chosen, active, visit.me))
    if active:
        visit.service.robots.lane(chosen).rests_until = 0.0
    return visit.redirect("/owner")


def round_row(visit: Visit, tx: Tx, row: Any) -> dict[str, Any]:
    """A round with its counts and models, and what blocks its next state."""
    after = dict(pairwise(ROUND_STATES)).get(row.state)
    shown = after if after in (*BY_WEB, "FROZEN") else None
    return {
        "id": row.id,
        "number": row.number,
        "state": row.state,
        "counts": asdict(round_counts(tx, row.id)),
        "models": _models(visit, tx, row.id),
        "next": shown,
        "blockers": blockers(tx, row.id, shown) if shown else [],
    }


def _models(visit: Visit, tx: Tx, round_id: int) -> list[dict[str, Any]]:
    """The models of a round, with the latencies of their latest calls."""
    drawn = draw.join(question).join(image)
    failed = sa.func.sum(sa.case((draw.c.outcome == "FAILED", 1), else_=0))
    counted = sa.select(draw.c.model_id, sa.func.count(), failed).select_from(drawn).group_by(draw.c.model_id)
    calls = {row[0]: (row[1], int(row[2])) for row in tx.rows(counted.where(image.c.round_id == round_id))}
    members = sa.select(model.c.id, model.c.name, ensemble_member.c.active)
    members = members.join(ensemble_member).where(ensemble_member.c.round_id == round_id).order_by(model.c.id)
    found = []
    for row in tx.rows(members):
        count, failures = calls.get(row.id, (0, 0))
        latest = sa.select(prediction.c.seconds).where(prediction.c.model_id == row.id)
        latest = latest.order_by(prediction.c.question_id.desc()).limit(LATEST if count else 0)
        seconds = sorted(one.seconds for one in tx.rows(latest))
        p50, p95 = (seconds[ceil(share * len(seconds)) - 1] if seconds else None for share in (0.5, 0.95))
        about = {"calls": count, "failed": failures, "p50": p50, "p95": p95}
        found.append({**row._mapping, **about, "resting": visit.service.robots.resting(row.id)})
    return found


PAGES = (
    Page("GET", "/owner", monitor, "owner"),
    Page("POST", "/owner/round/{round:int}/state", change_state, "owner"),
    Page("POST", "/owner/round/{round:int}/model/{model:int}", switch_model, "owner"),
)
