"""The demo: a small study served to one person, with simulated colleagues, frozen and released at the end.

Colleagues verify what a person wrote, and write a few questions for the person to verify. They know the answers to
questions of the embedded world. To a person's own question they mostly give the author's answer, and otherwise the
robot's: they demonstrate the protocol, and measure nothing.
"""

from __future__ import annotations

import json
import logging
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import sqlalchemy as sa

from askew.collect import writing
from askew.collect.accounts import add_annotator
from askew.collect.database import Database, Tx
from askew.collect.freeze import freeze
from askew.collect.protocol import same_answer
from askew.collect.quiz import needs_quiz, qualify
from askew.collect.release import questions_to_ask, release
from askew.collect.rounds import WORKING, change_round
from askew.collect.schema import annotator, image, judgement, prediction, question, round_
from askew.collect.schema_quality import gold_item
from askew.collect.simulation.world_content import load_world
from askew.collect.study import Study
from askew.collect.verify_queue import answer_task, claim_task
from askew.collect.web.app import make_app
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.serve import Address, announce, check_files, listening, log_to_console, make_server, make_service
from askew.errors import AskewError, DataError, UsageError

log = logging.getLogger("askew.collect")
PREFIX = "simulated "
TRUST = 0.85
"""How often a colleague gives the author's answer to a person's question."""
WAITING = 2
"""The largest number of colleagues' questions that wait for a person."""


@dataclass
class Colleagues:
    """Simulated people; ``step`` does the next thing that one of them would do."""

    study: Study
    robots: RobotQueue
    names: tuple[str, ...] = ("Ada", "Bo", "Cleo")
    pace: float = 2.0
    """Mean seconds between two steps."""
    rng: Random = field(default_factory=lambda: Random("colleagues"))
    _ids: list[int] = field(default_factory=list)
    _known: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def database(self) -> Database:
        """The study's database."""
        return self.study.database

    def join(self) -> None:
        """Add the colleagues to the study."""
        with self.database.write() as tx:
            for name in self.names:
                known = tx.value(sa.select(annotator.c.id).where(annotator.c.name == PREFIX + name))
                self._ids.append(known or add_annotator(tx, PREFIX + name, simulated=True))
                if needs_quiz(tx, self._ids[-1]):
                    qualify(tx, self._ids[-1])
        world = load_world(self.study)
        for name in world.scenes:
            self._known[name] = [(one.text, one.answer) for one in world.questions(name)]

    def work(self) -> None:
        """Work until ``stop``; failures are only logged."""
        while not self._stop.wait(self.pace * self.rng.uniform(0.5, 1.5)):
            try:
                self.step()
            except Exception as error:
                log.warning("a simulated colleague failed: %s", type(error).__name__)

    def start(self) -> None:
        """Work in the background."""
        threading.Thread(target=self.work, name="colleagues", daemon=True).start()

    def stop(self) -> None:
        """Stop working."""
        self._stop.set()

    def step(self) -> bool:
        """Verify a question, or write one; False if there is nothing to do."""
        for person in self.rng.sample(self._ids, len(self._ids)):
            if self._verify(person):
                return True
        with self.database.read() as tx:
            waiting = tx.value(
                sa.select(sa.func.count())
                .select_from(question)
                .where(question.c.state == "VERIFYING", question.c.annotator_id.in_(self._ids))
            )
        return waiting < WAITING and self._write(self.rng.choice(self._ids))

    def _verify(self, person: int) -> bool:
        with self.database.write() as tx:
            if self._leaves_it_to_people(tx):
                return False
            task = claim_task(tx, person)
            if task is None:
                return False
            answer_task(tx, person, task.reference, *self._answer(tx, task.reference))
        return True

    def _leaves_it_to_people(self, tx: Tx) -> bool:
        """Whether only colleagues' own questions wait, which are left to people."""
        own = question.c.annotator_id.in_(self._ids)
        return not tx.value(
            sa.select(sa.func.count()).select_from(question).where(question.c.state == "VERIFYING", ~own)
        )

    def _answer(self, tx: Tx, reference: str) -> tuple[str, str]:
        """A colleague's answer to a real or a gold question, and the confidence."""
        kind, _, number = reference.partition(" ")
        if kind == "g":
            known = tx.value(sa.select(gold_item.c.answers).where(gold_item.c.id == int(number)))
            return json.loads(known)[0], "yes"
        row = tx.first(
            sa.select(question.c.text, judgement.c.answer, prediction.c.answer.label("robot"), image.c.name)
            .join(judgement, judgement.c.question_id == question.c.id)
            .join(prediction, prediction.c.question_id == question.c.id)
            .join(image, image.c.id == question.c.image_id)
            .where(question.c.id == int(number))
        )
        assert row is not None
        truth = dict(self._known.get(row.name, ())).get(row.text)
        if truth is not None:
            return truth, "yes"
        return (row.answer, "yes") if self.rng.random() < TRUST else (row.robot[:60], "maybe")

    def _write(self, person: int) -> bool:
        """Ask a question of the world about an image, and judge the robot by the true answer."""
        with self.database.write() as tx:
            task = writing.claim_image(tx, person)
            if task is None:
                return False
            name = tx.value(sa.select(image.c.name).where(image.c.id == task.image_id))
            asked = {one.text for one in task.tries}
            left = [pair for pair in self._known.get(name, ()) if pair[0] not in asked and len(pair[1]) <= 60]
            if not left:
                writing.release_image(tx, person, task.session_id, "nothing to ask")
                return True
            text, truth = self.rng.choice(left)
            try:
                call = writing.ask(tx, person, task.session_id, text)
            except AskewError:
                writing.release_image(tx, person, task.session_id, "could not ask")
                return True
        self.robots.ask(call)
        with self.database.write() as tx:
            answer = tx.value(sa.select(prediction.c.answer).where(prediction.c.question_id == call.question_id))
            if answer is not None:
                correct = same_answer(answer) == same_answer(truth)
                verdict = ("correct", None) if correct else ("wrong", truth)
                writing.judge(tx, person, call.question_id, *verdict)
        return True


SCENES, GOLD = 24, 12
TYPES = {
    "A": "the robot was correct",
    "B": "the author was not sure",
    "C": "verifiers agreed with the robot",
    "D": "verifiers did not agree",
    "E": "the robot was wrong, verified",
    "U": "not finished",
}
"""What the types mean, in a few words."""
STEPS = """
What to do, in about five minutes:
  1. Open the link, choose a name and a password, read and agree.
  2. Fool the robot: get an image, ask about it, judge the answer. These robots only know the embedded world.
  3. Watch Monitor: three simulated colleagues answer your question within seconds.
  4. Answer questions: your colleagues wrote some too.
  5. Invite yourself on People, and open the link in a private window: others take a quiz before their first task,
     and gold questions, whose answers are known, are mixed into those they answer.
  6. Press Ctrl-C here: the round is frozen and released.
"""


def demo(folder: Path, port: int, seconds: float | None = None) -> int:
    """Serve until Ctrl-C or for some seconds, then freeze and release."""
    if seconds is not None and seconds <= 0:
        raise UsageError(f"--seconds {seconds:g} must be more than 0.")
    if (folder / "release").exists():
        raise DataError(f"{folder}: a demo has already ended here. Give another --output, or delete this folder.")
    log_to_console()
    study = open_or_create(_small(folder))
    check_files(study)
    address = Address(port=port)
    service = make_service(study, address)
    colleagues = Colleagues(study, service.robots)
    colleagues.join()
    colleagues.start()
    with listening(address) as bound:
        announce(service, address, bound.getsockname()[1], owner_link=False)
        print(STEPS, flush=True)
        server = make_server(make_app(service), address)
        if seconds is not None:
            timer = threading.Timer(seconds, lambda: setattr(server, "should_exit", True))
            timer.daemon = True
            timer.start()
        with suppress(KeyboardInterrupt):
            server.run(sockets=[bound])
    colleagues.stop()
    service.robots.stop()
    finish(study, folder / "release")
    study.close()
    return 0


def finish(study: Study, output: Path) -> None:
    """Drain, freeze and release the last round, and print what to do next."""
    with study.database.write() as tx:
        last = tx.first(sa.select(round_).order_by(round_.c.number.desc()).limit(1))
        assert last is not None
        if last.state == "OPEN":
            change_round(tx, last.id, "DRAINING")
        if last.state in WORKING:
            frozen = freeze(tx, last.id, seed=0, drop_incomplete=True)
            kinds = sorted(frozen.types.values())
            counts = [f"{kinds.count(kind)} {kind} ({TYPES[kind]})" for kind in dict.fromkeys(kinds)]
            print(f"\nFrozen: {', '.join(counts) or 'no questions'}.")
    release(study, output)
    print(f"Released to {output}.")
    if data := questions_to_ask(output):
        print(f"Ask a model: askew run --data {data} --suite accuracy --model bundled:xnm --output {output.parent}/run")


def _small(folder: Path) -> NewStudy:
    new = NewStudy(
        folder, preset="small", scenes=SCENES, changes={"quiz_required": "true", "demonstration": "true"}, gold=GOLD
    )
    return NewStudy(folder) if new.exists else new
