"""Gold questions: verification tasks with a known answer, mixed into a person's queue to measure attention.

They have tables of their own, so they never enter types, splits or counts of a study (invariant 18). A person gets
each at most once, and the first answer counts. Too many wrong answers (strikes) exclude an annotator, by Wald's
sequential probability ratio test: each answer multiplies the odds that the person is careless (correct in
``gold_bad_percent`` of the cases) rather than good (``gold_good_percent``). When the odds reach
100 / ``gold_mistake_percent`` to 1, the person is excluded. By Ville's inequality at most ``gold_mistake_percent`` of
the good ones ever get there, however many gold questions they answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from random import Random

import sqlalchemy as sa

from askew.collect.accounts import require_worker
from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.leases import lease_end
from askew.collect.moderation import IMAGE_REASONS, exclude
from askew.collect.protocol import Gone, NotAllowed, Refused, StudySettings, same_answer
from askew.collect.rounds import WORKING
from askew.collect.schema import (
    GOLD_STATES,
    annotator,
    event,
    gold_item,
    gold_result,
    image,
    lease,
    question,
    round_,
    session,
    study,
)
from askew.collect.verifying import FLAGGING, TaskDone, checked_answer

PATIENCE = 4
"""After this many correct answers, with none wrong, the rate has fallen by half."""


def gold_rate(right: int, wrong: int, settings: StudySettings) -> float:
    """The share of gold among a person's next questions, between 0 and 1.

    A wrong answer cancels two correct ones.

    >>> [gold_rate(right, 0, StudySettings()) for right in (0, 4, 12)], gold_rate(4, 2, StudySettings())
    ([0.5, 0.25, 0.125], 0.5)
    """
    proven = max(0, right - 2 * wrong)
    return max(settings.gold_least_percent, settings.gold_first_percent * PATIENCE / (PATIENCE + proven)) / 100


def is_careless(right: int, wrong: int, settings: StudySettings) -> bool:
    """Whether this many correct and wrong answers to gold questions show that a person is careless.

    >>> [is_careless(0, wrong, StudySettings()) for wrong in (3, 4)]
    [False, True]
    >>> [is_careless(4, wrong, StudySettings()) for wrong in (5, 6)]
    [False, True]
    """
    return wrong >= strikes_allowed(right, settings) + 1


def strikes_allowed(right: int, settings: StudySettings) -> int:
    """How many wrong answers (strikes) a person who gave this many correct ones may have.

    >>> [strikes_allowed(right, StudySettings()) for right in (0, 4, 10, 20)]
    [3, 5, 7, 12]
    """
    good, bad = settings.gold_good_percent / 100, settings.gold_bad_percent / 100
    limit = log(100 / settings.gold_mistake_percent)
    per_wrong, per_right = log((1 - bad) / (1 - good)), log(good / bad)
    # The small term keeps the count from depending on the last bits of the logarithms.
    return int((limit + right * per_right) / per_wrong - 1e-9)


WITHDRAWN = "withdrawn"
"""The reason stored when a held gold question can no longer be shown."""


@dataclass(frozen=True)
class GoldCount:
    """A person's answers to gold questions; answers to void questions do not count."""

    right: int
    wrong: int

    @property
    def answered(self) -> int:
        """All of them."""
        return self.right + self.wrong


def gold_table(tx: Tx) -> Sequence[AnyRow]:
    """All gold questions, each with the numbers of answers and of ``right`` ones."""
    results = gold_result.c
    passed = sa.func.coalesce(sa.func.sum(sa.cast(results.passed, sa.Integer)), 0)
    counted = sa.select(gold_item, passed.label("right"), sa.func.count(results.answer).label("answered"))
    counted = counted.select_from(gold_item.outerjoin(gold_result)).group_by(gold_item.c.id)
    return tx.rows(counted.order_by(gold_item.c.id))


def gold_results(tx: Tx) -> list[tuple[str, AnyRow]]:
    """The gold questions that were added with an id of their own, such as the sample of ``askew audit``, by that id."""
    added = tx.rows(sa.select(event.c.subject, event.c.data).where(event.c.kind == "gold.added"))
    ids = {row.subject: named for row in added if (named := json.loads(row.data).get("id"))}
    return [(ids[f"gold {row.id}"], row) for row in gold_table(tx) if f"gold {row.id}" in ids]


def gold_counts(tx: Tx, annotator_ids: Sequence[int] | None = None) -> dict[int, GoldCount]:
    """Correct and wrong answers of these people, or of all who answered any."""
    passed = sa.func.sum(sa.cast(gold_result.c.passed, sa.Integer))
    found = (
        sa.select(gold_result.c.annotator_id, passed, sa.func.count())
        .join(gold_item)
        .where(gold_result.c.answer.is_not(None), gold_item.c.state != "VOID")
        .group_by(gold_result.c.annotator_id)
    )
    if annotator_ids is not None:
        found = found.where(gold_result.c.annotator_id.in_(annotator_ids))
    return {row[0]: GoldCount(int(row[1]), int(row[2] - row[1])) for row in tx.rows(found)}


def gold_count(tx: Tx, annotator_id: int) -> GoldCount:
    """Correct and wrong answers of one person."""
    return gold_counts(tx, [annotator_id]).get(annotator_id, GoldCount(0, 0))


def held_gold(tx: Tx, annotator_id: int) -> AnyRow | None:
    """The gold question that a person was given and has neither answered nor skipped, if it can still be shown."""
    return tx.first(_held(annotator_id).join(gold_item).where(_can_show()))


def draw_gold(tx: Tx, annotator_id: int) -> int | None:
    """The gold question this person gets next, if one is due; the same study gives the same draw."""
    if not tx.count(gold_item, gold_item.c.state == "ACTIVE"):
        return None
    answers = gold_count(tx, annotator_id)
    rate = gold_rate(answers.right, answers.wrong, tx.settings)
    given = sum(tx.count(table, table.c.annotator_id == annotator_id) for table in (lease, gold_result))
    rng = Random(f"{tx.value(sa.select(study.c.seed))}:gold:{annotator_id}:{given}")
    if rng.random() >= rate:
        return None
    known = tx.rows(sa.select(gold_item.c.id).where(_can_show(), _not_seen(annotator_id)).order_by(gold_item.c.id))
    return int(rng.choice(known).id) if known else None


def give_gold(tx: Tx, annotator_id: int, gold_id: int) -> None:
    """Lease a gold question to a person, for as long as any other question."""
    until = lease_end(tx, tx.settings.verifying_minutes)
    tx.insert(gold_result, gold_id=gold_id, annotator_id=annotator_id, shown_at=tx.now, lease_until=until)


def drop_stale_gold(tx: Tx, annotator_id: int) -> None:
    """Release a held gold question that can no longer be shown."""
    held = tx.first(_held(annotator_id))
    if held is not None and held_gold(tx, annotator_id) is None:
        tx.change(gold_result, gold_result.c.id == held.id, skipped=WITHDRAWN)


def own_gold(tx: Tx, annotator_id: int, gold_id: int) -> AnyRow:
    """The row of a gold question that this person holds; refusals are worded as for any other question."""
    mine = (gold_result.c.gold_id == gold_id) & (gold_result.c.annotator_id == annotator_id)
    row = tx.first(sa.select(gold_result, gold_item).join(gold_item).where(mine))
    if row is None:
        raise NotAllowed("This question was not given to you.")
    if row.answer is not None:
        raise Gone("You have answered this question already. Take the next one.")
    if row.skipped not in (None, WITHDRAWN):
        raise Gone("You skipped this question. Take the next one.")
    if row.skipped == WITHDRAWN or held_gold(tx, annotator_id) is None:
        raise Gone("You can no longer answer this question. Take the next one.")
    return row


def answer_gold(
    tx: Tx, annotator_id: int, gold_id: int, answer: str, confidence: str, more: Mapping[str, str] | None = None
) -> TaskDone:
    """Record the answer; it passes if it equals one of the known answers. Too many strikes exclude an annotator."""
    require_worker(tx, annotator_id)
    held = own_gold(tx, annotator_id, gold_id)
    text, chosen = checked_answer(tx, answer, {**(more or {}), "confidence": confidence})
    if not tx.count(round_, round_.c.state.in_(WORKING)):
        raise Gone("The round is over. What you did before is kept.")
    passed = same_answer(text) in json.loads(held.answers)
    values = {"answer": text, **chosen, "passed": passed, "at": tx.now}
    tx.change(gold_result, gold_result.c.id == held.id, **values)
    return TaskDone(excluded=not passed and _strike(tx, annotator_id))


def skip_gold(tx: Tx, annotator_id: int, gold_id: int, reason: str) -> None:
    """Return a gold question. As many flags or reports as would stop any other question retire it."""
    require_worker(tx, annotator_id)
    held = own_gold(tx, annotator_id, gold_id)
    tx.change(gold_result, gold_result.c.id == held.id, skipped=reason, at=tx.now)

    def people(reasons: tuple[str, ...]) -> int:
        return tx.count(gold_result, gold_result.c.gold_id == gold_id, gold_result.c.skipped.in_(reasons))

    limits = tx.settings
    if people(FLAGGING) >= limits.flags_to_quarantine or people(IMAGE_REASONS) >= limits.reports_to_hide:
        set_gold_state(tx, gold_id, "RETIRED", annotator_id)


def extend_gold(tx: Tx, annotator_id: int, gold_id: int, *, free: bool = False) -> int:
    """Renew the lease; returns its end. ``free`` does not count as an extension: the page was opened again."""
    require_worker(tx, annotator_id)
    held = own_gold(tx, annotator_id, gold_id)
    if not free and held.extensions >= tx.settings.max_extensions:
        raise Refused("The time cannot be extended again. Answer the question, or skip it.")
    until = lease_end(tx, tx.settings.verifying_minutes)
    mine = gold_result.c.id == held.id
    tx.change(gold_result, mine, lease_until=until, extensions=held.extensions + (not free))
    return until


def set_gold_state(tx: Tx, gold_id: int, state: str, actor: int | None = None) -> None:
    """Activate, retire or void a gold question; if it is retired or void, people who hold it lose it."""
    if state not in GOLD_STATES:
        raise Refused(f"There is no state {state!r}. States: {', '.join(GOLD_STATES)}.")
    if tx.change(gold_item, gold_item.c.id == gold_id, state=state) != 1:
        raise Refused(f"There is no gold question {gold_id}.")
    if state != "ACTIVE":
        held = (gold_result.c.gold_id == gold_id) & gold_result.c.answer.is_(None) & gold_result.c.skipped.is_(None)
        tx.change(gold_result, held, skipped=WITHDRAWN)
    record_event(tx, "gold.state", f"gold {gold_id}", actor, {"state": state})


def _strike(tx: Tx, annotator_id: int) -> bool:
    """After a wrong answer, exclude the person if it was one too many; True if so. Owners are never excluded."""
    count = gold_count(tx, annotator_id)
    role = tx.value(sa.select(annotator.c.role).where(annotator.c.id == annotator_id))
    if role == "owner" or not tx.settings.gold_excludes or not is_careless(count.right, count.wrong, tx.settings):
        return False
    exclude(tx, annotator_id, f"gold questions: {count.wrong} of {count.answered} answers wrong")
    return True


def _held(annotator_id: int) -> sa.Select[tuple[int]]:
    mine = gold_result.c.annotator_id == annotator_id
    return sa.select(gold_result).where(mine, gold_result.c.answer.is_(None), gold_result.c.skipped.is_(None))


def _can_show() -> sa.ColumnElement[bool]:
    """Active, its image not hidden, and the question it was made from still verified."""
    hidden = sa.exists().where(image.c.sha256 == gold_item.c.sha256, image.c.hidden_at.is_not(None))
    doubtful = sa.exists().where(
        question.c.id == gold_item.c.question_id, (question.c.state != "VERIFIED") | (question.c.standing != "OK")
    )
    return (gold_item.c.state == "ACTIVE") & ~hidden & ~doubtful


def _not_seen(annotator_id: int) -> sa.ColumnElement[bool]:
    """New to this person: not shown before, also not for verifying, and not about an image the person wrote for."""
    shown = sa.exists().where(gold_result.c.gold_id == gold_item.c.id, gold_result.c.annotator_id == annotator_id)
    verified = sa.exists().where(lease.c.question_id == gold_item.c.question_id, lease.c.annotator_id == annotator_id)
    wrote = sa.exists().where(
        session.c.image_id == image.c.id, image.c.sha256 == gold_item.c.sha256, session.c.annotator_id == annotator_id
    )
    return ~shown & ~verified & ~wrote
