"""Batches of a survey: leased to one person, answered, and sent when the gold in them is right.

As in CARETS (Jimenez et al. 2022, section 5.1), a batch mixes questions with gold ones, which must be right before it
can be sent; nothing tells them apart, and the first answers are kept. Each question has as many places as the survey
wants people; a place is held by one person, and no person holds two. The questions of one pair are never in one batch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import sqlalchemy as sa

from askew.collect.accounts import person, require_worker
from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.leases import lease_end
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.quiz import require_qualified
from askew.collect.schema import batch, batch_answer, survey, survey_item
from askew.collect.surveys.items import Answer, BatchItem, Item, missing, passes
from askew.collect.surveys.places import batch_rows, end_batch, free_places, take_place
from askew.collect.verifying import may_verify

Sent = Mapping[int, Mapping[str, str]]
"""Number of an item in its batch to the fields that were sent."""
_GONE = {
    "DONE": "You have sent these questions already. Take the next ones.",
    "RETURNED": "You gave these questions back. Take the next ones.",
}


@dataclass(frozen=True)
class SurveyBatch:
    """A person's batch, to be shown."""

    id: int
    kind: str
    items: Sequence[BatchItem]
    has_gold: bool
    lease_until: int
    extensions_left: int


@dataclass(frozen=True)
class SentBatch:
    """The result of sending a batch."""

    gold_wrong: int
    """Gold questions that are not right yet; 0: the batch is finished."""
    late: int = 0
    """Answers that do not count, because the lease had expired and others gave theirs."""


def claim_batch(tx: Tx, annotator_id: int) -> int | None:
    """The batch the person holds, or a new one; None if there is none for this person."""
    require_qualified(tx, annotator_id)
    held = held_batch(tx, annotator_id)
    if held is not None:
        _renew(tx, held)
        return int(held.id)
    if not may_verify(tx, person(tx, annotator_id)):
        return None
    for row in open_surveys(tx):
        gold = _gold_for(tx, row, annotator_id)
        if gold is None:
            continue
        chosen = _questions_for(tx, row, annotator_id)
        if not chosen and _expire(tx, row.id):
            chosen = _questions_for(tx, row, annotator_id)
        if chosen:
            return _lease(tx, row, annotator_id, [*chosen, *gold])
    return None


def open_surveys(tx: Tx) -> Sequence[AnyRow]:
    """The surveys whose batches are given to people, the oldest first."""
    return tx.rows(sa.select(survey).where(survey.c.state == "OPEN").order_by(survey.c.id))


def held_batch(tx: Tx, annotator_id: int) -> AnyRow | None:
    """The row of the batch that a person holds."""
    return tx.first(sa.select(batch).where(batch.c.annotator_id == annotator_id, batch.c.state == "LEASED"))


def has_batch(tx: Tx, annotator_id: int) -> bool:
    """Whether there is a batch for this person."""
    if held_batch(tx, annotator_id) is not None:
        return True
    if not may_verify(tx, person(tx, annotator_id)):
        return False
    late = sa.exists().where(
        batch_answer.c.item_id == survey_item.c.id,
        batch_answer.c.place.is_not(None),
        batch_answer.c.batch_id == batch.c.id,
        batch.c.state == "LEASED",
        batch.c.lease_until < tx.now,
    )
    return any(
        _gold_for(tx, row, annotator_id) is not None
        and tx.first(_unseen(row, annotator_id).where((survey_item.c.taken < row.people) | late).limit(1)) is not None
        for row in open_surveys(tx)
    )


def open_batch(tx: Tx, annotator_id: int, batch_id: int, sent: Sent | None = None) -> SurveyBatch:
    """A batch that the person holds, or held until its time ended, for showing it; ``sent``: what was typed."""
    row = _own(tx, annotator_id, batch_id)
    about = tx.row(survey, row.survey_id)
    assert about is not None
    shown = [BatchItem.of(one, None if sent is None else sent.get(one.n, {})) for one in batch_rows(tx, batch_id)]
    left = tx.settings.max_extensions - row.extensions
    return SurveyBatch(batch_id, about.kind, shown, about.gold_size > 0, row.lease_until, left)


def save_batch(tx: Tx, annotator_id: int, batch_id: int, sent: Sent) -> int:
    """Keep the answers so far; returns how many items have one."""
    row = _own(tx, annotator_id, batch_id)
    answers = _parsed(tx, batch_rows(tx, batch_id), sent)
    _store(tx, batch_id, answers)
    _renew(tx, row)
    return len(answers)


def send_batch(tx: Tx, annotator_id: int, batch_id: int, sent: Sent) -> SentBatch:
    """Send a batch: it is finished if all its gold is right; if not, the person may correct any answer."""
    row = _own(tx, annotator_id, batch_id)
    items = batch_rows(tx, batch_id)
    answers = _parsed(tx, items, sent)
    if unanswered := [one.n for one in items if one.n not in answers]:
        raise missing(unanswered)
    _store(tx, batch_id, answers, first=row.sent == 0)
    tx.change(batch, batch.c.id == batch_id, sent=row.sent + 1)
    wrong = sum(one.gold is not None and not passes(one.gold, answers[one.n]) for one in items)
    if wrong:
        _renew(tx, row)
        return SentBatch(wrong)
    late = _take_free_places(tx, row, items) if row.state == "EXPIRED" else 0
    tx.change(batch, batch.c.id == batch_id, state="DONE", ended_at=tx.now)
    return SentBatch(0, late)


def return_batch(tx: Tx, annotator_id: int, batch_id: int, reason: str = "") -> None:
    """Give a batch back: its questions go to somebody else."""
    row = _own(tx, annotator_id, batch_id)
    end_batch(tx, row, "RETURNED", reason)


def report_item(tx: Tx, annotator_id: int, batch_id: int, n: int, reason: str) -> None:
    """Report an item, which this person then need not answer; reports from several people hide it from everybody."""
    _own(tx, annotator_id, batch_id)
    held = [one for one in batch_rows(tx, batch_id) if one.n == n]
    if not held:
        raise Refused("Say which question you report.")
    if held[0].place is not None:
        free_places(tx, batch_id, [held[0]])
    mine = (batch_answer.c.batch_id == batch_id) & (batch_answer.c.n == n)
    tx.change(batch_answer, mine, reported=True)
    about = batch_answer.c.item_id == held[0].item_id
    people = sa.select(sa.func.count(batch_answer.c.annotator_id.distinct())).where(about, batch_answer.c.reported)
    if tx.value(people) >= tx.settings.reports_to_hide:
        tx.change(survey_item, survey_item.c.id == held[0].item_id, hidden_at=tx.now)
    record_event(tx, "survey.reported", f"survey item {held[0].item_id}", annotator_id, {"reason": reason[:200]})


def extend_batch(tx: Tx, annotator_id: int, batch_id: int) -> int:
    """Renew the lease; returns its end."""
    row = _own(tx, annotator_id, batch_id)
    if row.extensions >= tx.settings.max_extensions:
        raise Refused("The time cannot be extended again. Send the answers, or save them and continue later.")
    return _renew(tx, row, extensions=row.extensions + 1)


def close_survey(tx: Tx, survey_id: int, actor: int | None = None) -> None:
    """Give no more batches; those that people hold end."""
    row = tx.row(survey, survey_id)
    if row is None or row.state == "CLOSED":
        raise Refused(f"There is no open survey {survey_id}.")
    for held in tx.rows(sa.select(batch).where(batch.c.survey_id == survey_id, batch.c.state == "LEASED")):
        end_batch(tx, held, "RETURNED", "closed")
    tx.change(survey, survey.c.id == survey_id, state="CLOSED", closed_at=tx.now)
    record_event(tx, "survey.closed", f"survey {survey_id}", actor)


def _unseen(row: AnyRow, annotator_id: int) -> sa.Select[Any]:
    """The questions of a survey that this person neither holds nor answered nor reported."""
    seen = sa.exists().where(
        batch_answer.c.item_id == survey_item.c.id,
        batch_answer.c.annotator_id == annotator_id,
        batch_answer.c.batch_id == batch.c.id,
        batch.c.state.in_(("LEASED", "DONE")) | batch_answer.c.reported,
    )
    shown = (survey_item.c.survey_id == row.id) & survey_item.c.hidden_at.is_(None)
    return sa.select(survey_item.c.id, survey_item.c.pair).where(shown, survey_item.c.gold.is_(None), ~seen)


def _questions_for(tx: Tx, row: AnyRow, annotator_id: int) -> list[int]:
    """The questions of a person's next batch: those begun by others first, never two of one pair."""
    free = _unseen(row, annotator_id).where(survey_item.c.taken < row.people)
    by_pair: dict[int, int] = {}
    for one in tx.rows(free.order_by(survey_item.c.taken.desc(), survey_item.c.position)):
        by_pair.setdefault(one.pair, one.id)
        if len(by_pair) == row.batch_size - row.gold_size:
            break
    return list(by_pair.values())


def _gold_for(tx: Tx, row: AnyRow, annotator_id: int) -> list[int] | None:
    """The gold of a person's next batch; None if the person has seen too much of it."""
    seen = sa.exists().where(
        batch_answer.c.item_id == survey_item.c.id,
        batch_answer.c.annotator_id == annotator_id,
        batch_answer.c.batch_id == batch.c.id,
        (batch.c.state == "DONE") | (batch.c.sent > 0) | batch_answer.c.reported,
    )
    shown = (survey_item.c.survey_id == row.id) & survey_item.c.hidden_at.is_(None)
    known = tx.rows(
        sa.select(survey_item.c.id).where(shown, survey_item.c.gold.is_not(None), ~seen).order_by(survey_item.c.id)
    )
    if len(known) < row.gold_size:
        return None
    return [one.id for one in _rng(tx, row, annotator_id).sample(known, row.gold_size)]


def _rng(tx: Tx, row: AnyRow, annotator_id: int) -> Random:
    """The draws of a person's next batch."""
    given = tx.count(batch, batch.c.annotator_id == annotator_id)
    return Random(f"{row.seed}:batch:{annotator_id}:{given}")


def _lease(tx: Tx, row: AnyRow, annotator_id: int, items: list[int]) -> int:
    _rng(tx, row, annotator_id).shuffle(items)
    mine = (batch.c.annotator_id == annotator_id) & (batch.c.state == "EXPIRED")
    tx.change(batch, mine, state="RETURNED")  # its questions may be among the new ones
    until = lease_end(tx, tx.settings.batch_minutes)
    values = {"survey_id": row.id, "annotator_id": annotator_id, "state": "LEASED"}
    new = tx.insert(batch, **values, leased_at=tx.now, lease_until=until)
    for n, item_id in enumerate(items, 1):
        tx.insert(batch_answer, batch_id=new, n=n, item_id=item_id, annotator_id=annotator_id)
    for one in batch_rows(tx, new):
        if one.gold is None:
            take_place(tx, one, row.people)
    return new


def _take_free_places(tx: Tx, row: AnyRow, items: Sequence[AnyRow]) -> int:
    """Take the places that are still free for a batch whose lease had expired; returns how many answers are late."""
    about = tx.row(survey, row.survey_id)
    assert about is not None
    return sum(one.gold is None and not take_place(tx, one, about.people) for one in items)


def _expire(tx: Tx, survey_id: int) -> int:
    """End the batches whose lease has expired; returns how many."""
    expired = (batch.c.survey_id == survey_id) & (batch.c.state == "LEASED") & (batch.c.lease_until < tx.now)
    rows = tx.rows(sa.select(batch).where(expired))
    for row in rows:
        end_batch(tx, row, "EXPIRED")
    return len(rows)


def _renew(tx: Tx, row: AnyRow, **values: Any) -> int:
    until = lease_end(tx, tx.settings.batch_minutes)
    tx.change(batch, (batch.c.id == row.id) & (batch.c.state == "LEASED"), lease_until=until, **values)
    return until


def _own(tx: Tx, annotator_id: int, batch_id: int) -> AnyRow:
    """The row of a batch that the person can still answer."""
    require_worker(tx, annotator_id)
    row = tx.row(batch, batch_id)
    if row is None or row.annotator_id != annotator_id:
        raise NotAllowed("These questions were not given to you.")
    if tx.value(sa.select(survey.c.state).where(survey.c.id == row.survey_id)) == "CLOSED":
        raise Gone("The survey is over. What you sent before is kept.")
    if row.state in _GONE:
        raise Gone(_GONE[row.state])
    return row


def _parsed(tx: Tx, items: Sequence[AnyRow], sent: Sent) -> dict[int, Answer]:
    """The answers that were sent, without those that are missing or incomplete."""
    longest = tx.settings.answer_length
    read = {one.n: Item.loads(one.content).parse(sent.get(one.n, {}), longest) for one in items}
    return {n: answer for n, answer in read.items() if answer is not None}


def _store(tx: Tx, batch_id: int, answers: Mapping[int, Answer], *, first: bool = False) -> None:
    for n, answer in answers.items():
        text = json.dumps(answer, ensure_ascii=False, sort_keys=True)
        mine = (batch_answer.c.batch_id == batch_id) & (batch_answer.c.n == n)
        tx.change(batch_answer, mine, last=text, **({"first": text} if first else {}))
