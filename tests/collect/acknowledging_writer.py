"""A process that works on a study in SQLite and writes a line for each transaction after its commit.

Run as a program with a folder, it works until it is killed. With ``--again`` it reads lines: for each it forks a child
that works, and writes ``over`` when the child is dead.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from askew.collect.database import Tx, record_event
from askew.collect.invariants import violations
from askew.collect.robots import pending_calls, record_reply
from askew.collect.schema import event, judgement, lease, prediction, question, session, verification
from askew.collect.study import Study, open_study
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import ask, claim_image, judge
from askew.types import Prediction

Acknowledged = tuple[str, int, int]
"""What was committed: a table, a row's key, and a person or 0."""


def check_acknowledged(folder: Path, lines: Iterable[str]) -> None:
    """The study opens, every invariant holds, and every write that was acknowledged is there."""
    study = open_study(folder)
    with study.database.read() as tx:
        assert tx.value(sa.text("PRAGMA integrity_check")) == "ok"
        assert violations(tx) == []
        kept = _kept(tx)
    study.close()
    said = {tuple(json.loads(line)) for line in lines}
    assert said - kept == set()


def _kept(tx: Tx) -> set[Acknowledged]:
    keys: dict[str, tuple[sa.Column[Any], Any]] = {
        "session": (session.c.id, session.c.annotator_id),
        "question": (question.c.id, question.c.annotator_id),
        "prediction": (prediction.c.question_id, sa.literal(0)),
        "judgement": (judgement.c.question_id, judgement.c.annotator_id),
        "lease": (lease.c.question_id, lease.c.annotator_id),
        "verification": (verification.c.question_id, verification.c.annotator_id),
        "event": (event.c.id, sa.literal(0)),
    }
    return {(name, *row) for name, columns in keys.items() for row in tx.rows(sa.select(*columns))}


def work(study: Study, people: list[int]) -> Iterator[Acknowledged]:
    """Write and verify forever, and yield what each transaction wrote once it is committed.

    When all questions are done, events are recorded.
    """
    with study.database.read() as tx:
        waiting = pending_calls(tx)
    for call in waiting:
        with study.database.write() as tx:
            record_reply(tx, call, Prediction(call.question_id, "yes"))
        yield "prediction", call.question_id, 0
    while True:
        for person in people:
            yield from _write(study, person)
            yield from _verify(study, person)
        with study.database.write() as tx:
            record_event(tx, "test.event", "nothing")
            made = tx.value(sa.select(sa.func.max(event.c.id)))
        yield "event", made, 0


def _write(study: Study, person: int) -> Iterator[Acknowledged]:
    with study.database.write() as tx:
        task = claim_image(tx, person)
    if task is None:
        return
    yield "session", task.session_id, person
    waiting = task.open_question
    if waiting is None:
        with study.database.write() as tx:
            call = ask(tx, person, task.session_id, "Is it red?")
        yield "question", call.question_id, person
        with study.database.write() as tx:
            record_reply(tx, call, Prediction(call.question_id, "yes"))
        yield "prediction", call.question_id, 0
    asked = call.question_id if waiting is None else waiting.question_id
    with study.database.write() as tx:
        judge(tx, person, asked, "wrong", "no")
    yield "judgement", asked, person


def _verify(study: Study, person: int) -> Iterator[Acknowledged]:
    with study.database.write() as tx:
        task = claim_slot(tx, person)
    if task is None:
        return
    yield "lease", task.question_id, person
    with study.database.write() as tx:
        verify(tx, person, task.question_id, "no", "yes")
    yield "verification", task.question_id, person


def run(folder: Path, people: list[int]) -> None:
    """Work until the process is killed; each acknowledgement is one write to the pipe."""
    for done in work(open_study(folder), people):
        os.write(1, f"{json.dumps(done)}\n".encode())


def main() -> None:
    folder, people = Path(sys.argv[1]), json.loads(sys.argv[2])
    if "--again" not in sys.argv:
        run(folder, people)
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            run(folder, people)
        os.write(1, f"{child}\n".encode())
        os.waitpid(child, 0)
        os.write(1, b"over\n")


if __name__ == "__main__":
    main()
