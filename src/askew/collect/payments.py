"""Payments: accepted, rejected and pending work of each annotator, and what it is worth.

A writing session is finished work when it succeeded or used all tries, and none of the questions it stands on was
withdrawn: exactly then it holds a place of its image. It is accepted when its round is frozen (or,
without a success, at once), rejected when the owner removed its question, and pending until then. A verifier's
answer is accepted once its question has all answers, and pending until then; answers to gold questions are accepted at
once, and so are batches of surveys that were sent. All work of excluded people is rejected. Only a success that
verifiers confirmed (type E) and that was not deleted earns the bonus, so calling correct answers wrong to finish an
image early gains nothing (Li et al. 2021, Fig. 8).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.rounds import CLOSED
from askew.collect.schema import annotator, batch, gold_result, image, place, question, round_, session, verification
from askew.errors import BadOption, UsageError
from askew.files.read_write import csv_line

KINDS = ("session", "answer", "batch", "bonus")
STATES = ("accepted", "rejected", "pending")
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Rates:
    """What is paid for each kind of work, in any currency."""

    session: Decimal = Decimal(0)
    """A finished writing session."""
    answer: Decimal = Decimal(0)
    """A verifier's answer."""
    bonus: Decimal = Decimal(0)
    """A question of type E."""
    batch: Decimal = Decimal(0)
    """A finished batch of a survey."""


@dataclass(frozen=True)
class AnnotatorWork:
    """The work of one person."""

    id: int
    name: str
    pseudonym: str
    platform: Mapping[str, str]
    excluded: bool
    sessions: Counter[str]
    """Numbers of accepted, rejected and pending sessions."""
    answers: Counter[str]
    types: Counter[str]
    """Questions in frozen rounds by type."""
    batches: Counter[str]
    """Finished batches of surveys; none is ever pending."""

    def pay(self, rates: Rates, state: str = "accepted") -> Decimal:
        """What the work in this state is worth, without bonus."""
        done = self.sessions[state] * rates.session + self.answers[state] * rates.answer
        return _cents(done + self.batches[state] * rates.batch)

    def bonus(self, rates: Rates) -> Decimal:
        """The bonus for questions of type E; excluded people get none."""
        return _cents(0 * CENT if self.excluded else self.types["E"] * rates.bonus)


def parse_rates(words: Sequence[str]) -> Rates:
    """Rates given as ``session=0.50``, ``answer=0.05``, ``batch=0.50`` and ``bonus=0.25``.

    >>> parse_rates(["answer=0.05", "bonus=0.2"])
    Rates(session=Decimal('0'), answer=Decimal('0.05'), bonus=Decimal('0.2'), batch=Decimal('0'))
    """
    rates: dict[str, Decimal] = {}
    for word in words:
        name, equals, text = word.partition("=")
        try:
            value = Decimal(text)
        except InvalidOperation:
            value = Decimal("NaN")
        if name not in KINDS or not equals or not value.is_finite() or value < 0 or value >= 10**6:
            raise BadOption(f"--rate {word}: write it as NAME=AMOUNT with {', '.join(KINDS)}, e.g. answer=0.05")
        rates[name] = value
    return Rates(**rates)


def work_of_all(tx: Tx) -> list[AnnotatorWork]:
    """The work of every annotator, and of owners who did any, in the order they joined."""
    sessions, answers, types, batches = _sessions(tx), _answers(tx), _types(tx), _batches(tx)
    works = []
    for row in tx.rows(sa.select(annotator).where(annotator.c.attack.is_(None)).order_by(annotator.c.id)):
        if row.role == "owner" and row.id not in sessions.keys() | answers.keys() | batches.keys():
            continue
        ids = {str(key): str(value) for key, value in json.loads(row.platform).items()}
        counts = (part.get(row.id, Counter()) for part in (sessions, answers, types, batches))
        works.append(AnnotatorWork(row.id, row.name, row.pseudonym, ids, row.excluded_at is not None, *counts))
    return works


def payments_csv(works: Iterable[AnnotatorWork], rates: Rates) -> bytes:
    """One row per person; no cell is run as a formula."""
    works = list(works)
    platforms = sorted({key for work in works for key in work.platform})
    head = ["pseudonym", "name", *platforms, "excluded"]
    head += [f"{part}_{state}" for part in ("sessions", "answers") for state in STATES]
    head += [f"batches_{state}" for state in STATES[:2]]
    head += [f"questions_{kind}" for kind in "CDE"] + ["pay", "bonus", "total", "pay_pending"]
    lines = [csv_line(head)]
    for work in works:
        counts = [part[state] for part in (work.sessions, work.answers) for state in STATES]
        counts += [work.batches[state] for state in STATES[:2]]
        counts += [work.types[kind] for kind in "CDE"]
        pay, bonus = work.pay(rates), work.bonus(rates)
        ids = [work.platform.get(key, "") for key in platforms]
        about = [work.pseudonym, work.name, *ids, "yes" if work.excluded else "no"]
        amounts = (pay, bonus, pay + bonus, work.pay(rates, "pending"))
        lines.append(csv_line([*about, *counts, *map(str, amounts)]))
    return b"".join(lines)


def bonus_csv(works: Iterable[AnnotatorWork], rates: Rates, key: str) -> tuple[bytes, int]:
    """Lines of platform id and bonus, as platforms accept them, and how many people with a bonus have no such id."""
    works = list(works)
    due = [work for work in works if work.bonus(rates) > 0]
    known = sorted({name for work in works for name in work.platform})
    if key not in known:
        raise UsageError(f"Nobody has an id called {key!r}. Ids of this study: {', '.join(known) or 'none'}.")
    lines = [csv_line([work.platform[key], str(work.bonus(rates))]) for work in due if key in work.platform]
    return b"".join(lines), len(due) - len(lines)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def _counters(rows: Iterable[AnyRow]) -> dict[int, Counter[str]]:
    """Person to state to number, from rows of these three."""
    counters: dict[int, Counter[str]] = {}
    for person, state, number in rows:
        counters.setdefault(person, Counter())[state] += number
    return counters


def _sessions(tx: Tx) -> dict[int, Counter[str]]:
    """Finished sessions by state."""
    frozen = round_.c.state.in_(CLOSED)
    removed = sa.exists().where(question.c.session_id == session.c.id, question.c.standing == "REMOVED")
    excluded = annotator.c.excluded_at.is_not(None)
    state = sa.case(
        (excluded | removed, "rejected"), (frozen | (session.c.state == "EXHAUSTED"), "accepted"), else_="pending"
    ).label("outcome")
    joined = session.join(image).join(round_).join(annotator).outerjoin(place, place.c.session_id == session.c.id)
    finished = sa.select(session.c.annotator_id, state, sa.func.count()).select_from(joined)
    counts = place.c.session_id.is_not(None) | excluded  # withdrawn work holds no place
    finished = finished.where(session.c.state.in_(("SUCCEEDED", "EXHAUSTED")), counts)
    return _counters(tx.rows(finished.group_by(session.c.annotator_id, state)))


def _answers(tx: Tx) -> dict[int, Counter[str]]:
    """Verifiers' answers by state, gold questions included."""
    excluded = annotator.c.excluded_at.is_not(None)
    open_ = (question.c.state == "VERIFYING") | (question.c.standing == "QUARANTINED")
    frozen = round_.c.state.in_(CLOSED)
    state = sa.case((excluded, "rejected"), (open_ & ~frozen, "pending"), else_="accepted").label("outcome")
    joined = (
        verification.join(question)
        .join(image)
        .join(round_)
        .join(annotator, annotator.c.id == verification.c.annotator_id)
    )
    verified = sa.select(verification.c.annotator_id, state, sa.func.count()).select_from(joined)
    known = sa.case((excluded, "rejected"), else_="accepted").label("outcome")
    gold = sa.select(gold_result.c.annotator_id, known, sa.func.count())
    gold = gold.join(annotator).where(gold_result.c.answer.is_not(None))
    rows = [
        *tx.rows(verified.group_by(verification.c.annotator_id, state)),
        *tx.rows(gold.group_by(gold_result.c.annotator_id, known)),
    ]
    return _counters(rows)


def _batches(tx: Tx) -> dict[int, Counter[str]]:
    """Finished batches of surveys by state."""
    known = sa.case((annotator.c.excluded_at.is_not(None), "rejected"), else_="accepted").label("outcome")
    done = sa.select(batch.c.annotator_id, known, sa.func.count()).join(annotator).where(batch.c.state == "DONE")
    return _counters(tx.rows(done.group_by(batch.c.annotator_id, known)))


def _types(tx: Tx) -> dict[int, Counter[str]]:
    """Questions of frozen rounds by type, without those that were deleted since."""
    typed = sa.select(question.c.annotator_id, question.c.type, sa.func.count())
    typed = typed.where(question.c.type.is_not(None), question.c.standing == "OK")
    return _counters(tx.rows(typed.group_by(question.c.annotator_id, question.c.type)))
