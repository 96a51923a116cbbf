"""The quiz: examples with a known verdict, which an annotator judges before the first task.

An attempt has ``quiz_items`` examples. After a failure the person reads a hint for each mistake and tries again, with
other examples if the study has enough. Owners need no quiz.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import sqlalchemy as sa

from askew.collect.accounts import AMONG_SIMULATED, among_simulated, person, require_worker
from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.schema import VERDICTS, annotator, qualification, quiz_item, study


@dataclass(frozen=True)
class Quiz:
    """The state of the quiz for one person."""

    needed: bool
    """The study requires it, and this person has not passed."""
    attempt: int | None
    """The number of the next attempt; None if none is left or needed."""
    items: tuple[AnyRow, ...]
    """Its examples."""
    last: AnyRow | None
    """The stored result of the previous attempt."""
    mistakes: Sequence[tuple[AnyRow, str]]
    """Its examples that were judged incorrectly, each with what the person chose."""
    attempts_left: int
    to_pass: int
    """How many examples must be judged correctly."""


def needs_quiz(tx: Tx, annotator_id: int) -> bool:
    """Whether this person must pass the quiz before any work."""
    return _must_pass(tx, person(tx, annotator_id))


def _must_pass(tx: Tx, row: AnyRow) -> bool:
    return bool(tx.settings.quiz_required and row.role != "owner" and row.qualified_at is None)


def require_qualified(tx: Tx, annotator_id: int) -> None:
    """Refuse work to a person who is excluded, is real among simulated people, or must pass the quiz first."""
    row = require_worker(tx, annotator_id)
    if not row.simulated and among_simulated(tx):
        raise NotAllowed(AMONG_SIMULATED)
    if _must_pass(tx, row):
        raise NotAllowed("Pass the quiz first: it is on the start page.")


def quiz_blockers(tx: Tx) -> list[str]:
    """Why a round cannot open: the study requires a quiz and has too few examples."""
    settings = tx.settings
    count = tx.count(quiz_item, quiz_item.c.active)
    if not settings.quiz_required or count >= settings.quiz_items:
        return []
    return [
        f"the quiz has {count} examples and needs {settings.quiz_items}; add them: askew collect quiz STUDY --world 16"
    ]


def add_quiz_item(tx: Tx, image: tuple[str, str], text: str, robot_answer: str, verdict: str, hint: str) -> int:
    """Add a judged example; ``image`` is the hash and the suffix of a file in the study's folder."""
    if verdict not in VERDICTS:
        raise Refused(f"A verdict is one of {', '.join(VERDICTS)}; not {verdict!r}.")
    values = {"sha256": image[0], "suffix": image[1], "question": text, "robot_answer": robot_answer}
    new = tx.insert(quiz_item, verdict=verdict, hint=hint, active=True, **values)
    record_event(tx, "quiz.added", f"quiz item {new}")
    return new


def remove_quiz_item(tx: Tx, item_id: int) -> None:
    """Stop using an example; attempts that used it keep their result."""
    if tx.change(quiz_item, (quiz_item.c.id == item_id) & quiz_item.c.active, active=False) != 1:
        raise Refused(f"The quiz has no example {item_id}.")
    record_event(tx, "quiz.removed", f"quiz item {item_id}")


def quiz_for(tx: Tx, annotator_id: int) -> Quiz:
    """The current state of a person's quiz."""
    require_worker(tx, annotator_id)
    settings = tx.settings
    finished = _attempts(tx, annotator_id)
    left = max(0, settings.quiz_attempts - len(finished))
    needed = needs_quiz(tx, annotator_id)
    number = len(finished) + 1 if needed and left else None
    items = _drawn(tx, annotator_id, finished) if number is not None else ()
    last = finished[-1] if finished else None
    mistakes = _mistakes(tx, last) if last is not None else []
    return Quiz(needed, number, items, last, mistakes, left, _to_pass(settings.quiz_items, settings.quiz_pass_percent))


def last_attempt(tx: Tx, annotator_id: int) -> AnyRow | None:
    """The stored result of a person's last attempt."""
    finished = _attempts(tx, annotator_id)
    return finished[-1] if finished else None


def take_quiz(tx: Tx, annotator_id: int, attempt: int, verdicts: Mapping[int, str]) -> bool:
    """Record the judgements of an attempt; enough correct ones qualify the person: True if so."""
    now = quiz_for(tx, annotator_id)
    if now.attempt is None or attempt != now.attempt:
        raise Gone("This attempt at the quiz is over, or was never open. Open the quiz again.")
    missing = [item for item in now.items if verdicts.get(item.id) not in VERDICTS]
    if missing:
        raise Refused(f"{len(missing)} of {len(now.items)} examples have no judgement yet. Judge all of them.")
    correct = sum(verdicts[item.id] == item.verdict for item in now.items)
    passed = bool(correct >= _to_pass(len(now.items), tx.settings.quiz_pass_percent))
    answers = json.dumps({str(item.id): verdicts[item.id] for item in now.items}, sort_keys=True)
    about = {"attempt": attempt, "correct": correct, "asked": len(now.items), "passed": passed}
    tx.insert(qualification, annotator_id=annotator_id, answers=answers, at=tx.now, **about)
    record_event(tx, "quiz.taken", f"annotator {annotator_id}", annotator_id, about)
    if passed:
        tx.change(annotator, annotator.c.id == annotator_id, qualified_at=tx.now)
    return passed


def qualify(tx: Tx, annotator_id: int, actor: int | None = None) -> None:
    """Let a person work without the quiz, or after all attempts failed: an owner's decision."""
    if person(tx, annotator_id).qualified_at is not None:
        raise Refused("This person is qualified already.")
    tx.change(annotator, annotator.c.id == annotator_id, qualified_at=tx.now)
    record_event(tx, "person.qualified", f"annotator {annotator_id}", actor)


def _to_pass(asked: int, percent: int) -> int:
    """The smallest number that is at least this percentage.

    >>> _to_pass(8, 75), _to_pass(9, 75)
    (6, 7)
    """
    return -(-asked * percent // 100)


def _attempts(tx: Tx, annotator_id: int) -> Sequence[AnyRow]:
    mine = qualification.c.annotator_id == annotator_id
    return tx.rows(sa.select(qualification).where(mine).order_by(qualification.c.attempt))


def _drawn(tx: Tx, annotator_id: int, finished: Sequence[AnyRow]) -> tuple[AnyRow, ...]:
    """The examples of the next attempt, unseen ones first; the same person and attempt get the same examples."""
    items = list(tx.rows(sa.select(quiz_item).where(quiz_item.c.active).order_by(quiz_item.c.id)))
    if len(items) < tx.settings.quiz_items:
        raise Refused("The quiz is not ready yet. Tell the people who run this study.")
    rng = Random(f"{tx.value(sa.select(study.c.seed))}:quiz:{annotator_id}:{len(finished) + 1}")
    seen = {int(key) for row in finished for key in json.loads(row.answers)}
    rng.shuffle(items)
    chosen = sorted(items, key=lambda item: item.id in seen)[: tx.settings.quiz_items]
    rng.shuffle(chosen)
    return tuple(chosen)


def _mistakes(tx: Tx, attempt: AnyRow) -> list[tuple[AnyRow, str]]:
    verdicts = {int(key): verdict for key, verdict in json.loads(attempt.answers).items()}
    items = tx.rows(sa.select(quiz_item).where(quiz_item.c.id.in_(verdicts)).order_by(quiz_item.c.id))
    return [(item, verdicts[item.id]) for item in items if verdicts[item.id] != item.verdict]
