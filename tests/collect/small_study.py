"""A study for tests: a few tiny images, scripted robots, and a clock that tests set."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from PIL import Image

from askew.collect.accounts import add_annotator
from askew.collect.database import Database, SetClock, Tx, sqlite_url
from askew.collect.image_import import import_images
from askew.collect.invariants import violations
from askew.collect.protocol import PRESETS, StudySettings
from askew.collect.robots import record_reply
from askew.collect.rounds import add_model, change_round, create_round, round_counts
from askew.collect.schema import slot
from askew.collect.study import Study, create_study, write_about
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import Judged, ask, claim_image, judge
from askew.types import Prediction

SMALL = PRESETS["small"]


@dataclass
class SmallStudy:
    study: Study
    clock: SetClock
    round_id: int
    models: list[int]
    people: list[int]
    owner: int

    @staticmethod
    def make(
        folder: Path,
        url: str | None = None,
        settings: StudySettings = SMALL,
        images: int = 3,
        people: int = 6,
        robots: int = 2,
        *,
        opened: bool = True,
        durable: bool = False,
        rounds: int = 1,
    ) -> SmallStudy:
        clock = SetClock()
        study = create_study(folder, settings, "Small", url, seed=1, clock=clock, durable=durable)
        with study.database.write() as tx:
            models = [add_model(tx, f"robot {n}", "constant:yes") for n in range(robots)]
            round_id = create_round(tx, models) if rounds else 0
            workers = [add_annotator(tx, f"Person {n}", pseudonym=f"person-{n}") for n in range(people)]
            owner = add_annotator(tx, "Owner", "owner", pseudonym="owner-0")
        made = SmallStudy(study, clock, round_id, models, workers, owner)
        if images:
            import_images(study, tiny_images(folder.parent / f"{folder.name}-files", images), round_id, "toy")
        if opened:
            made.open()
        return made

    def copied(self, folder: Path, url: str | None = None) -> SmallStudy:
        """A copy of this study, which is closed; ``url`` is that of a copy of its database, unless that is SQLite."""
        shutil.copytree(self.study.folder, folder)
        write_about(folder, url)
        clock = SetClock(self.clock.milliseconds)
        database = Database(url or sqlite_url(folder / "study.sqlite"), clock, durable=False)
        own = {"models": list(self.models), "people": list(self.people)}
        return replace(self, study=Study(folder, database), clock=clock, **own)

    def open(self) -> None:
        """Open the round."""
        self.do(change_round, self.round_id, "READY")
        self.do(change_round, self.round_id, "OPEN")

    def do(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call a function of the protocol in a transaction of its own; a second passes."""
        self.clock.pass_seconds(1)
        with self.study.database.write() as tx:
            return function(tx, *arguments, **options)

    def look(self, function: Callable[[Tx], Any]) -> Any:
        with self.study.database.read() as tx:
            return function(tx)

    def attack(
        self, person: int, text: str = "Is it red?", robot: str = "yes", verdict: str = "wrong", answer: str = "no"
    ) -> Judged:
        """A whole try: claim, ask, reply, judge."""
        task = self.do(claim_image, person)
        call = self.do(ask, person, task.session_id, text, seed=1)
        assert self.do(record_reply, call, Prediction(call.question_id, robot)) is None
        judged: Judged = self.do(judge, person, call.question_id, verdict, answer if verdict == "wrong" else None)
        return judged

    def verify_all(self, answer: str = "no", confidence: str = "yes") -> int:
        """Let everybody verify until no task is left; returns the number of answers."""
        count = 0
        progress = True
        while progress:
            progress = False
            for person in self.people:
                task = self.do(claim_slot, person)
                if task is not None:
                    self.do(verify, person, task.question_id, answer, confidence)
                    count, progress = count + 1, True
        return count

    def check(self) -> None:
        """The checker finds nothing, and the slots that owners see are those in the table."""
        assert self.look(violations) == []
        states = self.look(lambda tx: tx.rows(sa.select(slot.c.state, sa.func.count()).group_by(slot.c.state)))
        assert self.look(lambda tx: round_counts(tx, self.round_id)).slots == dict(map(tuple, states))

    def close(self) -> None:
        self.study.close()


def tiny_images(folder: Path, count: int) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{n}.png" for n in range(count)]
    for n, path in enumerate(paths):
        Image.new("RGB", (8, 8), (n % 256, n // 256, 7)).save(path)
    return paths
