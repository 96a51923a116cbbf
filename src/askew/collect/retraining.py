"""The next round: robots learn from the finished rounds, and meet new images (Li et al. 2021, section 3.1).

Robots learn from the base data and the train splits of all finished rounds, and choose the epoch on the union of their
dev splits. The checkpoints are written into the study, and what made them into its log, from where datasheets take it.
After a kill the same call goes on: with the training, the round, or the images that are missing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from askew.collect.database import Tx, record_event
from askew.collect.history import history, published, withheld_questions
from askew.collect.image_import import Added, import_images
from askew.collect.protocol import changed
from askew.collect.release import released_question
from askew.collect.robots import TRAINED_ROBOTS, stored_spec, without_secrets
from askew.collect.rounds import CLOSED, TRAINED, add_model, create_round, free_name
from askew.collect.schema import ensemble_member, image, model, round_
from askew.collect.simulation.world_content import FILE, import_world, load_world
from askew.collect.study import Study
from askew.engine.components import as_data
from askew.engine.settings import Named
from askew.errors import BadOption, UsageError, need, plural
from askew.files.images import content_hash
from askew.files.paths import public_word
from askew.files.read_write import file_sha256
from askew.files.records import line, question_record
from askew.models.huggingface.hf_model import HuggingFace
from askew.registry import make, names
from askew.train.training_data import split_of_release
from askew.types import ImageRef, Question
from askew.verbs import Dataset, Trainable

FEW = 50
"""With fewer dev questions than this the choice of the epoch is mostly chance: accuracy has an error of 7 points."""


@dataclass(frozen=True)
class NextRound:
    """What the next round is made of."""

    base: tuple[str, ...] = ()
    """Training data besides the finished rounds, as for ``askew train --data``; several add up."""
    train: tuple[str, ...] = ()
    """Networks (``xnm:hidden=128``), or other models that can be trained."""
    models: tuple[str, ...] = ()
    """Models that take part as they are."""
    folders: tuple[str, ...] = ()
    """Folders of new images, each perhaps with its domain: ``street=photos/street``."""
    world: int = 0
    """How many new scenes of the embedded world."""
    features: str = "world"
    """Where the networks take image features from, as for ``askew train --features``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the training, by name."""

    def __post_init__(self) -> None:
        if not (self.train or self.models):
            raise UsageError("Give robots for the next round: --train NET (with --base DATA) or --model MODEL.")
        if bool(self.train) != bool(self.base):
            raise UsageError("--train and --base belong together: robots learn from the base data and the rounds.")
        if not (self.folders or self.world):
            raise UsageError("Give new images for the next round: --folder DIR or --world N.")
        for given, what in (((*self.train, *self.models), "robot"), (self.base, "data set")):
            if repeated := [spec for spec in given if given.count(spec) > 1]:
                raise BadOption(f"{repeated[0]} is given twice. Give each {what} once.")

    def sources(self) -> list[tuple[str, Path]]:
        """The folders of images, each after its domain, by default its name.

        >>> NextRound(models=("constant:no",), folders=("street=photos/new", "home")).sources()
        [('street', PosixPath('photos/new')), ('home', PosixPath('home'))]
        """
        pairs = [given.rpartition("=") for given in self.folders]
        return [(domain or Path(folder).name, Path(folder)) for domain, _, folder in pairs]


@dataclass(frozen=True)
class TrainableNetwork:
    """One of askew's networks (``askew ls net``) as something that can be trained."""

    net: str
    features: str

    def train(
        self,
        data: Sequence[Dataset],
        val: Sequence[Question],
        output: Path,
        settings: Mapping[str, str],
        progress: bool,
    ) -> str:
        """Train it, and return the spec of the trained model."""
        from askew.train.loop import train
        from askew.train.prepare import TrainConfig

        config = changed(TrainConfig(), settings)
        features = None if self.net.partition(":")[0] == "language" else self.features
        train(
            self.net,
            list(data),
            val or None,
            features,
            output=output,
            progress=progress,
            **asdict(config),
        )
        return f"trained:{output.absolute()}"


@dataclass(frozen=True)
class TrainableAdapter:
    """A Hugging Face model that learns by an adapter, as ``askew train --model`` trains it."""

    model: str

    def train(
        self,
        data: Sequence[Dataset],
        val: Sequence[Question],
        output: Path,
        settings: Mapping[str, str],
        progress: bool,
    ) -> str:
        """Train the adapter, and return the spec of the model with it."""
        from askew.train.adapters.train_adapter import train_adapter
        from askew.train.adapters.trainer import AdapterConfig

        config = changed(AdapterConfig(), {name: value for name, value in settings.items() if name != "lora"})
        lora = settings.get("lora", "")
        return train_adapter(
            self.model, list(data), val or None, output=output, lora=lora, progress=progress, **asdict(config)
        ).spec


def trainable(spec: str, features: str) -> Trainable:
    """The network or model that a spec names, if it can be trained.

    >>> trainable("butd", "world")
    TrainableNetwork(net='butd', features='world')
    """
    if spec.partition(":")[0] in names("net"):
        make("net", spec)
        return TrainableNetwork(spec, features)
    found = make("model", spec) if spec.partition(":")[0] in names("model") else None
    if isinstance(found, Trainable):
        return found
    if isinstance(found, HuggingFace):
        for package in ("torch", "peft"):
            need(package, "peft")
        return TrainableAdapter(spec)
    known = ", ".join(names("net"))
    raise UsageError(
        f"--train {spec}: it cannot be trained here; these networks can: {known}; and hf:FOLDER by an adapter. To let "
        f"people play against it as it is, give --model {spec}"
    )


def make_next_round(
    study: Study, plan: NextRound, *, progress: bool = False, say: Callable[[str], object] = lambda _: None
) -> int:
    """Train the robots, create the round as a draft with them and new images; returns its number."""
    with study.database.read() as tx:
        finished = finished_rounds(tx)
        questions = {split: collected(tx, study, [row.id for row in finished], split) for split in ("train", "dev")}
    number = finished[-1].number + 1
    robots = {spec: trainable(spec, plan.features) for spec in plan.train}
    if plan.features != "world" and not any(isinstance(robot, TrainableNetwork) for robot in robots.values()):
        raise BadOption("--features is for networks, and none is trained. Leave it out.")
    for spec in plan.models:
        make("model", spec)
    for _, folder in plan.sources():
        if not folder.is_dir():
            raise UsageError(f"--folder {folder} is not a folder. Give DIR, or DOMAIN=DIR.")
    base = [as_data(split_of_release(data, "train")) for data in plan.base]
    for data in base:
        refuse_shared_images(study, data)
    if robots and not questions["train"]:
        raise UsageError("No question of the finished rounds is in train, so robots cannot learn from them.")
    if robots:
        few, dev = len(questions["dev"]) < FEW, plural(len(questions["dev"]), "dev question")
        chosen = "mostly by chance" if questions["dev"] else "on a tenth of the images instead"
        say(f"Warning: {dev}: the epoch is chosen {chosen}." if few else f"The epoch is chosen on {dev}.")
    trained = []
    for spec, robot in robots.items():
        folder = study.folder / TRAINED_ROBOTS / f"round-{number}" / slug(spec)
        learned = f"{plural(len(questions['train']), 'question')} of {plural(len(finished), 'round')}"
        say(f"Training {spec} on {', '.join(plan.base)} and {learned}.")
        model_spec = robot.train(
            [*(data.what for data in base), as_data(questions["train"]).what],
            questions["dev"],
            folder,
            plan.settings,
            progress,
        )
        about = _facts(folder, plan, spec, [row.number for row in finished], questions, base)
        trained.append((model_spec, about))
    round_id = _create(study, number, trained, plan.models)
    _import(study, round_id, number, plan, say)
    return int(number)


def finished_rounds(tx: Tx) -> list[Any]:
    """The frozen rounds; refused if one is still at work, or there is none."""
    rows = tx.rows(sa.select(round_).order_by(round_.c.number))
    finished = [row for row in rows if row.state in CLOSED]
    left = [row for row in rows if row.state not in CLOSED]
    if not finished or any(row.state != "DRAFT" for row in left):
        which = next((row.number for row in left if row.state != "DRAFT"), left[0].number if left else 1)
        raise UsageError(
            f"Robots learn from finished rounds, and round {which} is not frozen. When people are done: "
            f"askew collect freeze STUDY --round {which}"
        )
    return finished


def collected(tx: Tx, study: Study, round_ids: Sequence[int], split: str) -> list[Question]:
    """The released questions of these rounds in a split. What was withdrawn or deleted is not among them."""
    withheld, settings, found = withheld_questions(tx, round_ids), tx.settings, []
    rows = {row.id: row for row in tx.rows(sa.select(image).where(image.c.round_id.in_(round_ids)))}
    for record in history(tx, round_ids):
        shown = published(record, withheld)
        if shown is None or shown["split"] != split:
            continue
        row = rows[shown["image"]]
        question = released_question(shown, row, settings)
        path = str(study.image_path(row.sha256, row.suffix))
        if shown["type"] == "A":  # the robot's answer, which nobody verified, counts once
            question = replace(question, answers=question.answers[:1], confidences=question.confidences[:1])
        found.append(replace(question, image=ImageRef(row.id, path, None, row.sha256, (row.width, row.height))))
    return found


def refuse_shared_images(study: Study, base: Named) -> None:
    """Refuse base data with images of the study: what a robot learnt from an image is no longer hard about it."""
    with study.database.read() as tx:
        rows = tx.rows(sa.select(image.c.sha256, image.c.source_sha256, image.c.name))
    known = {key: row.name for row in rows for key in (row.sha256, row.source_sha256)}
    shared: dict[str, str] = {}
    seen = {one.image.id: one.image for one in base.what.questions() if one.image is not None}
    for shown in seen.values():
        if name := known.get(content_hash(shown)):
            shared[name] = base.spec
    if shared:
        raise UsageError(
            f"{base.spec}: {plural(len(shared), 'image')} of the study, e.g. {min(shared)!r}, are among its images. "
            "Give base data with other images; for the embedded world another seed: world:train,seed=7"
        )


def _facts(
    folder: Path,
    plan: NextRound,
    spec: str,
    rounds: Sequence[int],
    questions: Mapping[str, Sequence[Question]],
    base: Sequence[Named],
) -> dict[str, Any]:
    """What made a robot, for the log and the datasheet."""
    history = folder / "history.json"
    curve = json.loads(history.read_bytes()) if history.is_file() else []
    weights = [file for name in ("weights.pt", "adapter_model.safetensors") if (file := folder / name).is_file()]
    accuracies = [round(100 * one["accuracy"], 2) for one in curve]
    return {
        "net": public_word(spec),
        "base": ", ".join(map(public_word, plan.base)),
        "base_sha256": _digest(question for data in base for question in data.what.questions()),
        "rounds": list(rounds),
        **{f"{split}_questions": len(of) for split, of in questions.items()},
        **{f"{split}_sha256": _digest(of) for split, of in questions.items()},
        "features": public_word(plan.features) if isinstance(trainable(spec, plan.features), TrainableNetwork) else "",
        "settings": dict(plan.settings),
        "validation": accuracies,
        "unit": "epoch" if isinstance(trainable(spec, plan.features), TrainableNetwork) else "evaluation",
        "epoch": 1 + accuracies.index(max(accuracies)) if accuracies else None,
        "weights_sha256": file_sha256(str(weights[0])) if weights else None,
    }


def _digest(questions: Any) -> str:
    """A hash of questions with their answers and images, regardless of where the images are stored."""
    found = hashlib.sha256()
    for one in questions:
        shown = None if one.image is None else content_hash(one.image)
        found.update(line(question_record(replace(one, image=None, scene=None)) | {"image": shown}))
    return found.hexdigest()


def _create(study: Study, number: int, trained: Sequence[tuple[str, dict[str, Any]]], models: Sequence[str]) -> int:
    """The id of the new round, with its robots; one that an earlier call created is taken up."""
    with study.database.write() as tx:
        wanted = {stored_spec(spec, study.folder): spec for spec in [*(spec for spec, _ in trained), *models]}
        draft = tx.first(sa.select(round_).where(round_.c.number == number))
        if draft is not None:
            members = sa.select(model).join(ensemble_member).where(ensemble_member.c.round_id == draft.id)
            have = {row.spec: row.name for row in tx.rows(members)}
            if have.keys() != wanted.keys():
                named = "; ".join(sorted(have.values()))
                raise UsageError(f"Round {number} exists already, against {named}. Open it, or give these robots.")
            return int(draft.id)
        ids = {row.spec: row.id for row in tx.rows(sa.select(model.c.id, model.c.spec))}
        facts = {stored_spec(spec, study.folder): about for spec, about in trained}
        for stored, spec in wanted.items():
            about = facts.get(stored)
            if stored not in ids:
                name = (
                    free_name(tx, about["net"], f", round {number}") if about else free_name(tx, without_secrets(spec))
                )
                ids[stored] = add_model(tx, name, stored, repr(make("model", spec)))
                if about:
                    record_event(tx, TRAINED, f"round {number}", None, {"model": name, **about})
        return create_round(tx, [ids[stored] for stored in wanted])


def _import(study: Study, round_id: int, number: int, plan: NextRound, say: Callable[[str], object]) -> None:
    done: list[Added] = []
    for domain, folder in plan.sources():
        files = sorted(path for path in folder.iterdir() if path.is_file())
        done.append(import_images(study, files, round_id, domain))
    if plan.world:
        done.append(import_world(study, round_id, new_scenes(study, round_id, plan.world)))
    with study.database.read() as tx:
        present = tx.count(image, image.c.round_id == round_id)
    say(f"Round {number} has {plural(present, 'new image')}.")
    again = f"in round {number} already"
    for reason in [reason for one in done for reason in one.left_out if again not in reason][:20]:
        say(f"  left out: {reason}")
    if not present:
        raise UsageError("None of the images is new: each is in an earlier round. Give others, and run this again.")


def new_scenes(study: Study, round_id: int, many: int) -> list[int]:
    """The numbers of the scenes that a round still needs to have this many; no earlier round had them."""
    known = load_world(study).scenes if (study.folder / FILE).is_file() else {}
    with study.database.read() as tx:
        rows = tx.rows(sa.select(image.c.name, image.c.round_id))
    used = {known[row.name] for row in rows if row.name in known}
    mine = sum(row.round_id == round_id and row.name in known for row in rows)
    return list(islice((index for index in count() if index not in used), max(0, many - mine)))


def slug(spec: str) -> str:
    """The folder of a robot that was trained for a round.

    >>> slug("butd:hidden=64")
    'butd-hidden-64'
    """
    return re.sub(r"[^a-z0-9]+", "-", spec.lower()).strip("-")
