"""Everything that happened to each question, as plain records: they are hashed when a round is frozen, and released.

People appear under their pseudonyms. Work that must not be published is in the records, which only the owner's
database can give, but not in ``published``: questions that were withdrawn, deleted, removed or are in quarantine,
whose image is hidden, or whose author was excluded before the freeze; and the answers of people who were excluded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.form_fields import fields_of
from askew.collect.schema import (
    annotator,
    draw,
    image,
    in_rounds,
    judgement,
    model,
    prediction,
    question,
    round_,
    session,
    verification,
)

Record = dict[str, Any]
PAGE = 500
"""Questions read at a time."""


def encoded(record: Record) -> bytes:
    """A record as one line of JSON with sorted keys: equal records give equal bytes."""
    return orjson.dumps(record, option=orjson.OPT_SORT_KEYS) + b"\n"


def digest(record: Record) -> str:
    """The SHA-256 of a record."""
    return hashlib.sha256(encoded(record)).hexdigest()


def withheld_questions(tx: Tx, round_ids: Sequence[int]) -> set[int]:
    """The ids of the questions of these rounds that no release may contain."""
    excluded = annotator.c.excluded_at.is_not(None) & (
        round_.c.frozen_at.is_(None) | (annotator.c.excluded_at <= round_.c.frozen_at)
    )
    gone = (question.c.state == "WITHDRAWN") | (question.c.standing != "OK") | (question.c.text == "")
    found = (
        sa.select(question.c.id)
        .select_from(in_rounds.join(annotator))
        .where(image.c.round_id.in_(round_ids), gone | image.c.hidden_at.is_not(None) | excluded)
    )
    return {row.id for row in tx.rows(found)}


def published(record: Record, withheld: set[int]) -> Record | None:
    """The record as it is released; None if it is not."""
    if record["id"] in withheld:
        return None
    return {
        **record,
        "same_as": None if record["same_as"] in withheld else record["same_as"],
        "verifications": [one for one in record["verifications"] if not one["excluded"]],
    }


def history(tx: Tx, round_ids: Sequence[int]) -> Iterator[Record]:
    """The records of all questions of these rounds, in the order they were asked."""
    people = {row.id: row.pseudonym for row in tx.rows(sa.select(annotator.c.id, annotator.c.pseudonym))}
    models = {row.id: row.name for row in tx.rows(sa.select(model.c.id, model.c.name))}
    after = 0
    while page := _page(tx, round_ids, after):
        keys = [row.id for row in page]
        after = keys[-1]
        draws = _grouped(tx, draw, keys, draw.c.n)
        verifications = _grouped(tx, verification, keys, verification.c.id)
        for row in page:
            yield _record(row, draws.get(row.id, []), verifications.get(row.id, []), people, models)


def _page(tx: Tx, round_ids: Sequence[int], after: int) -> Sequence[AnyRow]:
    asked = in_rounds.join(session, session.c.id == question.c.session_id)
    written = asked.join(annotator, annotator.c.id == question.c.annotator_id)
    joined = written.outerjoin(prediction).outerjoin(judgement)
    columns = (
        *question.c,
        round_.c.number.label("round"),
        *image.c["sha256", "domain"],
        image.c.name.label("image_name"),
        image.c.split.label("image_split"),
        session.c.state.label("session_state"),
        session.c.started_at,
        annotator.c.attack,
        prediction.c.answer.label("robot"),
        *prediction.c["raw", "score", "model_id"],
        judgement.c.verdict,
        judgement.c.answer.label("author_answer"),
        *(judgement.c[one.name].label(f"author_{one.name}") for one in fields_of("judgement")),
        judgement.c.at.label("judged_at"),
    )
    of_rounds = (image.c.round_id + 0).in_(round_ids)  # + 0: no index, so that questions are read in order
    chosen = sa.select(*columns).select_from(joined).where(of_rounds, question.c.id > after)
    return tx.rows(chosen.order_by(question.c.id).limit(PAGE))


def _grouped(tx: Tx, table: sa.Table, keys: list[int], order: sa.Column[int]) -> dict[int, list[AnyRow]]:
    groups: dict[int, list[AnyRow]] = {}
    for row in tx.rows(sa.select(table).where(table.c.question_id.in_(keys)).order_by(order)):
        groups.setdefault(row.question_id, []).append(row)
    return groups


def _record(
    row: AnyRow, draws: list[AnyRow], verifications: list[AnyRow], people: dict[int, str], models: dict[int, str]
) -> Record:
    return {
        "id": row.id,
        "round": row.round,
        "image": row.image_id,
        "image_sha256": row.sha256,
        "image_name": row.image_name,
        "image_split": row.image_split,
        "domain": row.domain,
        "author": people.get(row.annotator_id),
        **({"attack": row.attack} if row.attack else {}),
        "session": row.session_id,
        "session_state": row.session_state,
        "try": row.try_no,
        "question": row.text,
        "state": row.state,
        "standing": row.standing,
        "type": row.type,
        "split": row.split,
        "text_rule_removed": row.text_rule_removed,
        "same_as": row.same_as,
        "asked_at": row.asked_at,
        "draws": [
            {"model": models.get(one.model_id), "seed": one.seed, "attempts": one.attempts, "outcome": one.outcome}
            for one in draws
        ],
        "robot": None
        if row.robot is None
        else {"model": models.get(row.model_id), "answer": row.robot, "raw": row.raw, "score": row.score},
        "judgement": None
        if row.verdict is None
        else {
            "verdict": row.verdict,
            "answer": row.author_answer,
            **{one.name: getattr(row, f"author_{one.name}") for one in fields_of("judgement")},
            "at": row.judged_at,
            "seconds": round((row.judged_at - row.started_at) / 1000, 3),
        },
        "verifications": [
            {
                "annotator": people.get(one.annotator_id),
                "slot": one.slot_n,
                "answer": one.answer,
                **{field.name: getattr(one, field.name) for field in fields_of("verification")},
                "late": one.late,
                "excluded": one.excluded,
                "at": one.at,
                "seconds": round((one.at - one.leased_at) / 1000, 3),
            }
            for one in verifications
        ],
    }
