"""Rounds: their images and models, and their states from draft to release. A round only moves forward."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.protocol import Gone, Refused
from askew.collect.quiz import quiz_blockers
from askew.collect.robots import with_absolute_paths
from askew.collect.schema import (
    ROUND_STATES,
    ensemble_member,
    event,
    image,
    model,
    place,
    question,
    round_,
    session,
    slot,
)
from askew.errors import UsageError
from askew.files.paths import public_word

WORKING = ("OPEN", "DRAINING")
"""States of a round in which questions are verified; new sessions begin only in an open one."""
CLOSED = ("FROZEN", "RELEASED")
"""States of a round that no longer changes."""
TRAINED = "robot.trained"
"""The kind of event that says what a robot of a round learned from."""


def add_model(tx: Tx, name: str, spec: str, signature: str = "") -> int:
    """Register a version of a model; the spec is what ``askew run --model`` takes.

    Local files and folders are stored with their absolute paths: the service may be started in another folder. Those
    of the study's own robots come as ``stored_spec`` writes them.
    """
    if tx.first(sa.select(model.c.id).where(model.c.name == name)):
        raise Refused(f"A model is called {name!r} already. A new version needs a new name.")
    return tx.insert(model, name=name, spec=with_absolute_paths(spec), signature=signature)


def free_name(tx: Tx, spec: str, ending: str = "") -> str:
    """What a model is called if nobody names it: its spec without folders, since releases have its name.

    If that is taken, a number follows.
    """
    taken = {row.name for row in tx.rows(sa.select(model.c.name))}
    name = public_word(spec) + ending
    return next(one for n in count(1) if (one := name if n == 1 else f"{name} ({n})") not in taken)


def create_round(tx: Tx, models: Collection[int]) -> int:
    """Create the next round as a draft, with the models to play against."""
    if not models:
        raise Refused("A round needs at least one model. Add one: askew collect models STUDY --add bundled:xnm")
    number = 1 + (tx.value(sa.select(sa.func.max(round_.c.number))) or 0)
    new = tx.insert(round_, number=number, state="DRAFT", created_at=tx.now)
    for model_id in models:
        tx.insert(ensemble_member, round_id=new, model_id=model_id, active=True)
    record_event(tx, "round.created", f"round {number}", None, {"models": list(models)})
    return new


def choose_models(tx: Tx, round_id: int, models: Collection[int], actor: int | None = None) -> None:
    """Set the models of a round that is still a draft."""
    if _round(tx, round_id).state != "DRAFT":
        raise Refused("The models are chosen while the round is a draft; later they can be switched off and on.")
    if not models:
        raise Refused("A round needs at least one model. Choose one.")
    tx.execute(sa.delete(ensemble_member).where(ensemble_member.c.round_id == round_id))
    for model_id in models:
        tx.insert(ensemble_member, round_id=round_id, model_id=model_id, active=True)
    record_event(tx, "round.models", f"round {round_id}", actor, {"models": list(models)})


def round_numbered(tx: Tx, number: int) -> AnyRow:
    """The row of a round by its number."""
    found = tx.first(sa.select(round_).where(round_.c.number == number))
    if found is None:
        known = [str(row.number) for row in tx.rows(sa.select(round_.c.number).order_by(round_.c.number))]
        rounds = f"Rounds: {', '.join(known)}" if known else "Create the first: askew collect round STUDY --new"
        raise UsageError(f"There is no round {number}. {rounds}.")
    return found


def open_round(tx: Tx) -> AnyRow | None:
    """The round in which people write now, if there is one."""
    return tx.first(sa.select(round_).where(round_.c.state == "OPEN"))


def set_model_active(tx: Tx, round_id: int, model_id: int, active: bool, actor: int | None = None) -> None:
    """Stop drawing a model in a round, or draw it again; the last active one of an open round stays."""
    member = (ensemble_member.c.round_id == round_id) & (ensemble_member.c.model_id == model_id)
    if not active:
        others = (ensemble_member.c.round_id == round_id) & (ensemble_member.c.model_id != model_id)
        if not tx.count(ensemble_member, others, ensemble_member.c.active):
            raise Refused("This is the last active model of the round. Drain the round instead.")
    if not tx.change(ensemble_member, member, active=active):
        raise Refused("This model is not in the round.")
    record_event(tx, "round.model", f"round {round_id}", actor, {"model": model_id, "active": active})


def trainings(tx: Tx, numbers: Collection[int]) -> list[dict[str, Any]]:
    """What the robots of these rounds learned from, as recorded when they were trained."""
    rows = tx.rows(sa.select(event).where(event.c.kind == TRAINED).order_by(event.c.id))
    found = [{"round": int(row.subject.split()[1]), **json.loads(row.data)} for row in rows]
    return [one for one in found if one["round"] in numbers]


def blockers(tx: Tx, round_id: int, to: str) -> list[str]:
    """Why a round cannot move to this state yet; empty if it can."""
    row = _round(tx, round_id)
    found = []
    if ROUND_STATES.index(to) != ROUND_STATES.index(row.state) + 1:
        after = ROUND_STATES[ROUND_STATES.index(row.state) + 1] if row.state != ROUND_STATES[-1] else "none"
        found.append(f"it is {row.state}, and the next state is {after}")
    if to == "READY":
        if not tx.count(image, image.c.round_id == round_id):
            found.append("it has no images")
        if not tx.count(ensemble_member, ensemble_member.c.round_id == round_id, ensemble_member.c.active):
            found.append("it has no active model")
    if to == "OPEN":
        found += quiz_blockers(tx)
        if other := open_round(tx):
            found.append(f"round {other.number} is open; drain it first")
    if to == "FROZEN":
        found += _unfinished(tx, round_id)
    return found


def change_round(tx: Tx, round_id: int, to: str, actor: int | None = None) -> None:
    """Move a round to its next state: READY, OPEN or DRAINING. Freezing and releasing have functions of their own."""
    if to not in ("READY", "OPEN", "DRAINING"):
        raise Refused(f"A round becomes {to} only by freeze or release.")
    if reasons := blockers(tx, round_id, to):
        raise Refused(f"The round cannot become {to}: {'; '.join(reasons)}.")
    move_round(tx, round_id, ROUND_STATES[ROUND_STATES.index(to) - 1], to, actor)


def start_round(tx: Tx, round_id: int, actor: int | None = None) -> None:
    """Open a round that is a draft or ready."""
    if _round(tx, round_id).state == "DRAFT":
        change_round(tx, round_id, "READY", actor)
    change_round(tx, round_id, "OPEN", actor)


def move_round(tx: Tx, round_id: int, before: str, to: str, actor: int | None, **values: Any) -> None:
    """Compare and set the state of a round, and log it."""
    if to == "OPEN":
        values["opened_at"] = tx.now
    if tx.change(round_, (round_.c.id == round_id) & (round_.c.state == before), state=to, **values) != 1:
        raise Gone("The round has changed meanwhile. Look at it again.")
    record_event(tx, "round.state", f"round {round_id}", actor, {"from": before, "to": to})


@dataclass(frozen=True)
class RoundCounts:
    """What has happened in a round so far; every number is a count of rows."""

    images: int
    hidden_images: int
    places: int
    places_taken: int
    sessions: dict[str, int]
    questions: dict[str, int]
    quarantined: int
    slots: dict[str, int]


def round_counts(tx: Tx, round_id: int) -> RoundCounts:
    """Count the rows of a round."""
    mine = image.c.round_id == round_id
    images = tx.first(sa.select(sa.func.count(), sa.func.count(image.c.hidden_at)).where(mine))
    places = tx.first(
        sa.select(sa.func.count(), sa.func.count(place.c.session_id)).select_from(place.join(image)).where(mine)
    )
    assert images is not None
    assert places is not None
    questions = _questions(tx, round_id)
    states = sorted({row.state for row in questions})
    to_do = (slot.c.question_id == question.c.id) & slot.c.state.in_(("OPEN", "LEASED"))  # few of perhaps a million
    joined = question.join(slot, to_do).join(image)
    slots = _by_state(tx, slot, joined, round_id)
    if done := sum(row.answers for row in questions):  # equals the number of finished slots (invariant 15)
        slots = {"DONE": int(done)} | slots
    return RoundCounts(
        images=images[0],
        hidden_images=images[1],
        places=places[0],
        places_taken=places[1],
        sessions=_by_state(tx, session, session.join(image), round_id),
        questions={state: sum(row.questions for row in questions if row.state == state) for state in states},
        quarantined=_quarantined(questions),
        slots=slots,
    )


def _questions(tx: Tx, round_id: int) -> Sequence[AnyRow]:
    """The numbers of a round's questions by state and standing, and of the answers that count for them."""
    key = (question.c.state, question.c.standing)
    counted = sa.select(*key, sa.func.count().label("questions"), sa.func.sum(question.c.done).label("answers"))
    joined = question.join(image)
    return tx.rows(counted.select_from(joined).where(image.c.round_id == round_id).group_by(*key))


def _quarantined(questions: Sequence[AnyRow]) -> int:
    return sum(row.questions for row in questions if row.standing == "QUARANTINED")


def _by_state(tx: Tx, table: sa.Table, joined: sa.FromClause, round_id: int) -> dict[str, int]:
    counted = sa.select(table.c.state, sa.func.count()).select_from(joined).where(image.c.round_id == round_id)
    return {row[0]: row[1] for row in tx.rows(counted.group_by(table.c.state).order_by(table.c.state))}


def _unfinished(tx: Tx, round_id: int) -> list[str]:
    questions = _questions(tx, round_id)
    leased = sa.select(sa.func.count()).select_from(session.join(image))
    found = []
    if writing := tx.value(leased.where(image.c.round_id == round_id, session.c.state == "LEASED")):
        found.append(f"{writing} people are writing" if writing > 1 else "1 person is writing")
    if waiting := sum(row.questions for row in questions if row.state == "VERIFYING"):
        found.append(f"{waiting} questions are not verified yet" if waiting > 1 else "1 question is not verified yet")
    if held := _quarantined(questions):
        kept = f"{held} questions are in quarantine; keep or remove them"
        found.append(kept if held > 1 else "1 question is in quarantine; keep or remove it")
    return found


def _round(tx: Tx, round_id: int) -> AnyRow:
    found = tx.row(round_, round_id)
    if found is None:
        raise UsageError(f"There is no round with the id {round_id}.")
    return found
