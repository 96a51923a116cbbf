"""Rounds of Adversarial VQA on the embedded world: simulated people, robots that are retrained, releases.

Every training seed has a study of its own, with the same images and other people. Each round begins with a copy of the
study of the round before, so a killed experiment repeats at most one round.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import orjson
import sqlalchemy as sa

from askew.collect.database import SetClock
from askew.collect.freeze import freeze_now
from askew.collect.protocol import PRESETS
from askew.collect.release import release
from askew.collect.rounds import add_model, create_round, start_round
from askew.collect.schema import event
from askew.collect.simulation.simulate import simulate
from askew.collect.simulation.world_content import WorldStudy, import_world, load_world
from askew.collect.study import Study, create_study, open_study
from askew.data.jsonl import Jsonl
from askew.data.write_questions import write_jsonl
from askew.experiments import ExperimentPlan
from askew.files.limits import read_object
from askew.types import ImageRef, Question
from askew.world.ask import questions_of
from askew.world.scenes import make_scene

ROUNDS = (1, 2, 3)
SETTINGS = replace(PRESETS["paper"], verifiers_per_question=4, train_author_percent=100)
"""The paper's settings but for the number of verifiers, which are nine there."""
PEOPLE = 20
WORLD = 100
"""The seed of the world that rounds show is this much larger than that of the training scenes."""


@dataclass(frozen=True)
class Rounds:
    """The finished rounds of one seed."""

    plan: ExperimentPlan
    seed: int

    def folder(self, number: int) -> Path:
        """Where a round's study and release are."""
        return self.plan.output / "rounds" / f"seed-{self.seed}" / f"round-{number}"

    @property
    def images(self) -> int:
        """How many images a round has."""
        return max(4, self.plan.scenes // 4)

    def hold(self, number: int, robots: Sequence[Path]) -> None:
        """Hold a round against these networks, unless that was done."""
        folder = self.folder(number)
        if folder.is_dir():
            return
        part = folder.with_name(f".{folder.name}")
        shutil.rmtree(part, ignore_errors=True)
        clock = SetClock()
        if number == 1:
            part.mkdir(parents=True)
            study = create_study(part / "study", SETTINGS, "Rounds", seed=self.seed, clock=clock, durable=False)
        else:
            shutil.copytree(self.folder(number - 1) / "study", part / "study")
            study = open_study(part / "study", clock, durable=False)
        with closing(study):
            self._hold(study, clock, number, robots, part)
        part.rename(folder)

    def _hold(self, study: Study, clock: SetClock, number: int, robots: Sequence[Path], part: Path) -> None:
        with study.database.write() as tx:
            clock.milliseconds = 1000 + (tx.value(sa.select(sa.func.max(event.c.at))) or clock.milliseconds)
            names = [f"round {number}, robot {robot}" for robot in range(len(robots))]
            models = [add_model(tx, name, f"trained:{folder}") for name, folder in zip(names, robots, strict=True)]
            round_id = create_round(tx, models)
        import_world(study, round_id, range((number - 1) * self.images, number * self.images), WORLD + self.plan.seed)
        with study.database.write() as tx:
            start_round(tx, round_id)
        done = simulate(study, PEOPLE, self.seed)
        with study.database.write() as tx:
            freeze_now(tx, round_id, self.seed, drop_incomplete=True)
        manifest = release(study, part / "release", f"0.{number}.0")
        about = manifest["rounds"][-1] | {"sessions": done.sessions, "succeeded": done.succeeded}
        (part / "round.json").write_bytes(orjson.dumps(about | {"asked": done.questions}))

    def facts(self, number: int) -> dict[str, float]:
        """The figures of a round's row in Table 1; rates are in per cent."""
        about = read_object(self.folder(number) / "round.json", "Delete the folder of this round.")
        types, splits = about["types"], about["splits"]
        total = sum(types[kind] for kind in "ABCDE")
        claimed = sum(types[kind] for kind in "CDE")
        return {
            "images": about["images"],
            "questions": total,
            "verified": claimed,
            "error": 100 * claimed / total,
            "verified error": 100 * types["E"] / total,
            "success": 100 * about["succeeded"] / about["sessions"],
            "tries": about["asked"] / about["sessions"],
            **splits,
        }

    def questions(self, split: str, until: int, only: bool = False, types: str = "ACE") -> Iterator[Question]:
        """The released questions of a split of the rounds until this one, or only of this one."""
        folder = self.folder(until) / "release"
        with open(folder / "examples.csv", encoding="utf-8", newline="") as lines:
            kinds = {row["id"]: row["type"] for row in csv.DictReader(lines)}
        for question in Jsonl(str(folder / f"{split}.jsonl")).questions():
            wanted = not only or dict(question.tags)["round"] == str(until)
            if wanted and kinds[str(question.id)] in types:
                yield question

    def lesson(self, name: str, questions: Iterable[Question]) -> Path:
        """A file of questions, written once."""
        path = self.plan.output / "rounds" / f"seed-{self.seed}" / f"{name}.jsonl"
        if not path.is_file():
            write_jsonl(questions, str(path))
        return path

    def ordinary(self, number: int) -> list[Question]:
        """As many ordinary questions of the world about the training images of the rounds as people's questions."""
        world = _world_of(self.folder(number) / "study")
        collected = list(self.questions("train", number))
        scenes = _scenes(self.folder(number) / "study")
        shown = {image.id: image for one in collected if (image := one.image) is not None}
        asked = [one for image in shown.values() for one in _asked(world, scenes[image.id], image)]
        return Random(f"{self.seed}:ordinary").sample(asked, min(len(collected), len(asked)))


def _scenes(folder: Path) -> dict[object, str]:
    """The name of each image of a study by its id."""
    from askew.collect.schema import image

    with closing(open_study(folder)) as study, study.database.read() as tx:
        return {row.id: row.name for row in tx.rows(sa.select(image.c.id, image.c.name))}


def _world_of(folder: Path) -> WorldStudy:
    with closing(open_study(folder)) as study:
        return load_world(study)


def _asked(world: WorldStudy, name: str, image: ImageRef) -> list[Question]:
    scene = make_scene(world.seed, world.scenes[name], (world.size, world.size))
    found: dict[str, Question] = {}
    for draft in range(3):
        for one in questions_of(scene, draft):
            found.setdefault(one.text, replace(one, id=f"{name}:{len(found)}", image=image, scene=None))
    return list(found.values())
