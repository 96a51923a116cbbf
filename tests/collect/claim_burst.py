"""A burst of claims: 300 people, in the threads of two processes, ask for a question at the same moment.

Run as a program it is one of the processes: it reads a time from each line of its input, lets its people claim at once,
and writes what each got as a line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import sqlalchemy as sa
from small_study import SmallStudy

from askew.collect.database import SetClock
from askew.collect.schema import slot
from askew.collect.study import Study, open_study
from askew.collect.verifying import claim_slot, verify

CLAIMS, PROCESSES, OTHERS = 300, 2, 5
"""Claims at once, processes they come from, and questions that have two free slots; the first question has one."""
Got = dict[int, tuple[int, int] | None]
"""Person to the question and slot, or None."""


def make_burst_study(folder: Path, url: str | None) -> SmallStudy:
    """One question with one free slot of two, and some with two; their author and one verifier do not claim."""
    made = SmallStudy.make(folder, url, images=1 + OTHERS, people=CLAIMS + 2)
    author, verifier = made.people[:2]
    made.attack(author)
    task = made.do(claim_slot, verifier)
    made.do(verify, verifier, task.question_id, "no", "yes")
    for _ in range(OTHERS):
        made.attack(author)
    return made


def run_bursts(made: SmallStudy, repetitions: int) -> None:
    """Let a burst claim, check the result, let every lease expire, and repeat."""
    people = made.people[2:]
    share = len(people) // PROCESSES
    workers = [_start(made.study.folder, people[n * share : (n + 1) * share]) for n in range(PROCESSES)]
    try:
        for _ in range(repetitions):
            made.clock.pass_seconds(made.study.settings.verifying_minutes * 60 + 1)
            check_burst(made, _burst(workers, made.clock.now()))
    finally:
        for worker in workers:
            worker.communicate(timeout=60)


def check_burst(made: SmallStudy, got: Got) -> None:
    """Everybody got a reply, each free slot has one winner, and the database agrees."""
    assert sorted(got) == made.people[2:]
    won = {person: pair for person, pair in got.items() if pair is not None}
    first = min(pair[0] for pair in won.values())
    assert [pair[0] for pair in won.values()].count(first) == 1
    assert len(set(won.values())) == len(won) == 1 + 2 * OTHERS
    leased = sa.select(slot).where(slot.c.state == "LEASED")
    held = {row.annotator_id: (row.question_id, row.n) for row in made.look(lambda tx: tx.rows(leased))}
    assert held == won
    made.check()


def _start(folder: Path, people: list[int]) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, str(folder), json.dumps(people)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _burst(workers: list[subprocess.Popen[str]], now: int) -> Got:
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(f"{now}\n")
        worker.stdin.flush()
    got: Got = {}
    for worker in workers:
        assert worker.stdout is not None
        got |= {person: pair and (pair[0], pair[1]) for person, pair in json.loads(worker.stdout.readline())}
    return got


def _claim_at_once(study: Study, people: list[int]) -> list[tuple[int, tuple[int, int] | None]]:
    got: list[tuple[int, tuple[int, int] | None]] = []
    ready = threading.Barrier(len(people))

    def claim(person: int) -> None:
        ready.wait()
        with study.database.write() as tx:
            task = claim_slot(tx, person)
        got.append((person, task and (task.question_id, task.slot_n)))

    threads = [threading.Thread(target=claim, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


def main() -> None:
    clock = SetClock()
    study = open_study(Path(sys.argv[1]), clock)
    for line in sys.stdin:
        clock.milliseconds = int(line)
        print(json.dumps(_claim_at_once(study, json.loads(sys.argv[2]))), flush=True)
    study.close()


if __name__ == "__main__":
    main()
