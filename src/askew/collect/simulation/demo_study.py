"""The demo: a small study served to one person, with simulated colleagues, frozen and released at the end.

Colleagues verify what a person wrote, and write a few questions for the person to verify. They know the answers to
questions of the embedded world. To a person's own question they mostly give the author's answer, and otherwise the
robot's: they demonstrate the protocol, and measure nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import sqlalchemy as sa

from askew.collect.accounts import add_annotator
from askew.collect.database import Tx
from askew.collect.freeze import freeze
from askew.collect.quiz import needs_quiz, qualify
from askew.collect.release import questions_to_ask, release
from askew.collect.robots import Call
from askew.collect.rounds import WORKING, change_round
from askew.collect.schema import annotator, image, question, round_
from askew.collect.simulation.simulate import known_gold, remembered
from askew.collect.simulation.simulated_person import Knowledge, Simulated, Skill, Steps, Worker
from askew.collect.simulation.world_content import load_world
from askew.collect.study import Study
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.serve import Address, check_files, log_to_console, make_service, run_service
from askew.errors import DataError, UsageError
from askew.files.read_write import resource

log = logging.getLogger("askew.collect")
PREFIX = "simulated "
DILIGENT = Skill(false_claims=0.0, unsure=0.0, gives_up=0.0, leaves=0.0, careless=0.0, unclear=0.0)
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
    _workers: list[Worker] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def join(self) -> None:
        """Add the colleagues to the study."""
        world, memory = load_world(self.study), remembered(self.study)
        with self.study.database.write() as tx:
            images = tx.rows(sa.select(image.c.id, image.c.name))
            questions = {row.id: world.questions(row.name) for row in images}
            knowledge = Knowledge(questions, gold=known_gold(tx))
            for name in self.names:
                known = tx.value(sa.select(annotator.c.id).where(annotator.c.name == PREFIX + name))
                person = known or add_annotator(tx, PREFIX + name, simulated=True)
                if needs_quiz(tx, person):
                    qualify(tx, person)
                done = Simulated(len(self.names))
                self._workers.append(Worker(person, DILIGENT, self.rng, knowledge, done, memory=memory))

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

    def do_all(self) -> None:
        """Write for the images that are left and verify everything, without pauses."""
        while any(self._do(one.verify) or self._do(one.write) for one in self._workers):
            pass

    def step(self) -> bool:
        """Verify a question, or write one; False if there is nothing to do. Their own questions wait for people."""
        own = question.c.annotator_id.in_([worker.id for worker in self._workers])
        waits = question.c.state == "VERIFYING"
        with self.study.database.read() as tx:
            of_people, of_colleagues = tx.count(question, waits, ~own), tx.count(question, waits, own)
        if of_people and any(self._do(one.verify) for one in self.rng.sample(self._workers, len(self._workers))):
            return True
        return of_colleagues < WAITING and self._do(self.rng.choice(self._workers).write)

    def _do(self, task: Callable[[Tx], Steps[Tx | None]]) -> bool:
        """Do a task to its end; False if there is none."""
        with self.study.database.write() as tx:
            steps = task(tx)
            acted = next(steps, None)
        if acted is None:
            return False
        with suppress(StopIteration):
            while True:
                if isinstance(acted, Call):
                    self.robots.ask(acted)
                with self.study.database.write() as tx:
                    acted = steps.send(tx)
        return True


SCENES, GOLD = 24, 12


def demo(folder: Path, port: int, seconds: float | None = None) -> int:
    """Serve until Ctrl-C or for some seconds, then freeze and release."""
    check_demo(folder, seconds)
    study = open_demo(folder, SCENES)
    play(study, port, seconds, resource("collect/simulation/texts.yaml")["steps"])
    end_round(study)
    publish(study, folder / "release")
    study.close()
    return 0


def check_demo(folder: Path, seconds: float | None) -> None:
    """Refuse what cannot be a demo's folder or time, and log to the console."""
    if seconds is not None and seconds <= 0:
        raise UsageError(f"--seconds {seconds:g} must be more than 0.")
    if (folder / "release").exists():
        raise DataError(f"{folder}: a demo has already ended here. Give another --output, or delete this folder.")
    log_to_console()


def open_demo(folder: Path, scenes: int, models: Sequence[str] | None = None) -> Study:
    """The study of a demo; a new one if there is none."""
    changes = {"quiz_required": "true", "demonstration": "true"}
    new = NewStudy(folder, models=models, preset="small", scenes=scenes, changes=changes, gold=GOLD)
    study = open_or_create(NewStudy(folder) if new.exists else new)
    check_files(study)
    return study


def play(study: Study, port: int, seconds: float | None, hint: str, *, all_work: bool = False) -> None:
    """Serve with colleagues until Ctrl-C or for some seconds; with ``all_work`` colleagues do what is left then."""
    address = Address(port=port)
    service = make_service(study, address)
    colleagues = Colleagues(study, service.robots)
    colleagues.join()
    colleagues.start()
    with suppress(KeyboardInterrupt):
        run_service(service, address, hint=hint, seconds=seconds)
    colleagues.stop()
    if all_work:
        print("Your colleagues do what is left ...", flush=True)
        colleagues.do_all()
    service.robots.stop()


def end_round(study: Study) -> None:
    """Drain and freeze the last round."""
    with study.database.write() as tx:
        last = tx.first(sa.select(round_).order_by(round_.c.number.desc()).limit(1))
        assert last is not None
        if last.state == "OPEN":
            change_round(tx, last.id, "DRAINING")
        if last.state in WORKING:
            frozen = freeze(tx, last.id, seed=0, drop_incomplete=True)
            kinds = sorted(frozen.types.values())
            types = resource("collect/simulation/texts.yaml")["types"]
            counts = [f"{kinds.count(kind)} {kind} ({types[kind]})" for kind in dict.fromkeys(kinds)]
            print(f"\nFrozen: {', '.join(counts) or 'no questions'}.")


def publish(study: Study, output: Path) -> None:
    """Release the frozen rounds, and print what to do next."""
    release(study, output)
    print(f"Released to {output}.")
    if data := questions_to_ask(output):
        print(f"Ask a model: askew run --data {data} --suite accuracy --model bundled:xnm --output {output.parent}/run")
