"""Verifiers of whom a fifth leave while they hold a question; some of these come back when the lease is over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import sqlalchemy as sa
from small_study import SmallStudy

from askew.collect.database import Tx
from askew.collect.protocol import PRESETS
from askew.collect.robots import record_reply
from askew.collect.schema import question, slot, verification
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import ask, claim_image, judge
from askew.types import Prediction

VERIFIERS, TRIES, TICK = 9, 5, 30


def verify_with_leavers(folder: Path, url: str | None, questions: int, people: int, seed: int = 1) -> dict[str, int]:
    """Let people verify all questions while every fifth leaves; checks that each has nine answers exactly."""
    changes = {"verifiers_per_question": VERIFIERS, "stop_at_first_success": False, "verifying_minutes": 2}
    settings = replace(PRESETS["small"], **changes)
    made = SmallStudy.make(folder, url, settings, images=-(-questions // TRIES), people=1 + people)
    rng = Random(seed)
    made.do(write_questions, made.people[0], questions)
    stay = questions * VERIFIERS // people
    leaves = {person: rng.randrange(stay // 4, 1 + stay // 2) for person in made.people[1::5]}
    planned = len(leaves)
    done = _work(made, leaves, rng)
    made.look(lambda tx: check_nine(tx, questions))
    made.check()
    made.close()
    return done | {"left": planned - len(leaves)}


def write_questions(tx: Tx, author: int, questions: int) -> None:
    """Questions about each image by one author, all judged wrong."""
    for number in range(questions):
        task = claim_image(tx, author)
        assert task is not None
        call = ask(tx, author, task.session_id, f"Is it number {number}?", seed=1)
        record_reply(tx, call, Prediction(call.question_id, "yes"))
        judge(tx, author, call.question_id, "wrong", "no")


def _work(made: SmallStudy, leaves: dict[int, int], rng: Random) -> dict[str, int]:
    """Everybody takes a question in one tick and answers it in the next, until nothing is left or leased."""
    patience = made.study.settings.verifying_minutes * 60 // TICK + 2
    away: dict[int, int] = {}
    """Person to the ticks until he or she is back, if at all."""
    held: dict[int, int] = {}
    answers = dict.fromkeys(made.people[1:], 0)
    done = {"verifications": 0, "late": 0, "late and not counted": 0}
    idle = 0
    while idle <= patience:
        made.clock.pass_seconds(TICK)
        acted = False
        with made.study.database.write() as tx:
            for person in answers:
                away[person] = away.get(person, 0) - 1
                if away[person] > 0:
                    continue
                acted |= _step(tx, person, held, answers, done)
                if person in held and answers[person] >= leaves.get(person, 1 << 30):
                    away[person] = rng.choice((2 * patience, 1 << 30))
                    leaves.pop(person)
        idle = 0 if acted else idle + 1
    return done


def _step(tx: Tx, person: int, held: dict[int, int], answers: dict[int, int], done: dict[str, int]) -> bool:
    if person not in held:
        task = claim_slot(tx, person)
        if task is not None:
            held[person] = task.question_id
        return task is not None
    key = held.pop(person)
    own = (slot.c.question_id == key) & (slot.c.annotator_id == person) & (slot.c.lease_until >= tx.now)
    in_time = tx.first(sa.select(slot).where(own)) is not None
    result = verify(tx, person, key, "no", "yes")
    answers[person] += 1
    done["verifications"] += 1
    done["late"] += not in_time
    done["late and not counted"] += result.late
    return True


def check_nine(tx: Tx, questions: int) -> None:
    """Every question is verified, by nine different people and no more."""
    counted = sa.func.count(sa.distinct(verification.c.annotator_id))
    rows = tx.rows(
        sa.select(question.c.state, counted.label("people"), sa.func.count(verification.c.id).label("answers"))
        .join(verification, verification.c.question_id == question.c.id)
        .where(verification.c.slot_n.is_not(None))
        .group_by(question.c.id, question.c.state)
    )
    assert len(rows) == questions
    assert {(row.state, row.people, row.answers) for row in rows} == {("VERIFIED", VERIFIERS, VERIFIERS)}
