"""Trains the reference models from scratch: ``python tools/reference/train_reference.py --output DIR``.

Draws the world, trains the region encoder on its images and scene graphs (with labels for everything visible in
them), trains each network on the encoder's regions, exports all of it, and measures it on scenes that nothing was
trained on. The encoder is to the embedded world what a detector trained on Visual Genome is to bottom-up features
(Anderson et al. 2018). The settings are in ``train_reference.yaml``. The same command resumes after a kill.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from region_encoder import EncoderConfig, RegionEncoder
from torch import Tensor
from torch.nn import functional as fn

from askew.engine.components import as_data
from askew.metrics.accuracy import official_table
from askew.models.onnx_model import Onnx, pixels
from askew.registry import make
from askew.train.checkpoint import Learner, Trained, TrainProgress, load_state, save_state
from askew.train.features import WorldFeatures
from askew.train.loop import train
from askew.train.onnx_export import export_module, export_trained, write_json
from askew.types import Group, ImageRef, Scene, Thing
from askew.verbs import Dataset
from askew.world.draw import draw
from askew.world.scenes import main_things, make_scene

MOST = 12
"""The largest number of objects of an image that are learned from."""
VISIBLE_RELATIONS = ("wearing", "holding", "riding", "sitting on", "on", "in", "under")
"""Relations that are visible on one of the two objects; the others follow from the boxes."""


@dataclass(frozen=True)
class Labels:
    """The labels of objects (names first) and of whole images."""

    names: tuple[str, ...]
    rest: tuple[str, ...]
    facts: tuple[str, ...]

    @property
    def things(self) -> tuple[str, ...]:
        """All labels of objects."""
        return (*self.names, *self.rest)


def labels_of(scenes: Iterable[Scene], least: int = 20) -> Labels:
    """The labels of at least ``least`` objects (or images) of these scenes, sorted; rarer ones cannot be learned.

    >>> dog = Scene("s", (Thing("1", "dog", ("wet",)),), facts={"place": "park"})
    >>> labels_of([dog], least=1)
    Labels(names=('dog',), rest=('wet',), facts=('place: park',))
    """
    names, rest, facts = Counter[str](), Counter[str](), Counter[str]()
    for scene in scenes:
        facts.update(facts_of(scene))
        for thing, labels in labelled_things(scene):
            names[thing.name] += 1
            rest.update(labels)
    return Labels(*(tuple(sorted(k for k, n in counts.items() if n >= least)) for counts in (names, rest, facts)))


def labelled_things(scene: Scene) -> Iterator[tuple[Thing, list[str]]]:
    """Each main object with its labels besides the name.

    >>> from askew.types import Relation
    >>> man, hat = Thing("1", "man", ("old",)), Thing("2", "hat", ("red",))
    >>> [labels for _, labels in labelled_things(Scene("s", (man, hat), (Relation("1", "wearing", "2"),)))]
    [['old', 'wearing hat', 'red hat']]
    """
    by_id = {thing.id: thing for thing in scene.things}
    ties: dict[str, list[str]] = {}
    for relation in scene.relations:
        if relation.name in VISIBLE_RELATIONS:
            other = by_id[relation.object]
            labels = ties.setdefault(relation.subject, [])
            labels.append(f"{relation.name} {other.name}")
            if relation.name == "wearing":
                labels.extend(f"{word} {other.name}" for word in other.attributes)
    for thing in main_things(scene):
        yield thing, [*thing.attributes, *ties.get(thing.id, ())]


def facts_of(scene: Scene) -> list[str]:
    """The labels of the whole image.

    >>> facts_of(Scene("s", facts={"place": "park", "time": "day"}))
    ['place: park', 'time: day']
    """
    return [f"{name}: {value}" for name, value in scene.facts.items()]


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Images and their labels, as arrays. N images, M objects at most."""

    images: Any
    """(N, 3, S, S) uint8."""
    boxes: Any
    """(N, M, 4) float32: x, y, width, height as shares of the image."""
    names: Any
    """(N, M) int64: the number of the name, -1 if there is no object."""
    rest: Any
    """(N, M, V - names) bool."""
    facts: Any
    """(N, F) bool."""

    def __len__(self) -> int:
        return len(self.images)


def images_with_scenes(data: Dataset) -> dict[str, tuple[ImageRef, Scene]]:
    """Each image of the data once, with its scene, by the image's id."""
    found: dict[str, tuple[ImageRef, Scene]] = {}
    for question in data.questions():
        if question.image is not None and question.scene is not None:
            found.setdefault(str(question.image.id), (question.image, question.scene))
    return found


def label_images(found: Sequence[tuple[ImageRef, Scene]], labels: Labels, size: int) -> LabelledImages:
    """The images at this size, with their labels."""
    count = len(found)
    labelled = LabelledImages(
        np.zeros((count, 3, size, size), np.uint8),
        np.zeros((count, MOST, 4), np.float32),
        np.full((count, MOST), -1, np.int64),
        np.zeros((count, MOST, len(labels.rest)), np.bool_),
        np.zeros((count, len(labels.facts)), np.bool_),
    )
    places = {
        part: {label: at for at, label in enumerate(getattr(labels, part))} for part in ("names", "rest", "facts")
    }
    for row, (image, scene) in enumerate(found):
        labelled.images[row] = pixels(image, size)
        _write_labels(labelled, row, scene, places)
    return labelled


def _write_labels(labelled: LabelledImages, row: int, scene: Scene, places: Mapping[str, Mapping[str, int]]) -> None:
    assert scene.size is not None
    labelled.facts[row, [places["facts"][fact] for fact in facts_of(scene) if fact in places["facts"]]] = True
    known = [(thing, rest) for thing, rest in labelled_things(scene) if thing.name in places["names"] and thing.box]
    for at, (thing, rest) in enumerate(known[:MOST]):
        labelled.boxes[row, at] = np.array(thing.box) / np.array([*scene.size, *scene.size])
        labelled.names[row, at] = places["names"][thing.name]
        labelled.rest[row, at, [places["rest"][label] for label in rest if label in places["rest"]]] = True


LOSSES = ("heat", "name", "rest", "shape_and_facts")
"""The losses that each step adds up."""


@dataclass(frozen=True)
class EncoderTrainConfig:
    """How the encoder is trained."""

    epochs: int = 10
    coarse: int = 4
    """The number of epochs at the start with images of two thirds the size, which is twice as fast."""
    batch_size: int = 32
    rate: float = 2e-3
    """Highest learning rate of AdamW."""
    decay: float = 1e-3
    seed: int = 0


def train_encoder(
    data: LabelledImages, config: EncoderConfig, training: EncoderTrainConfig, output: Path
) -> RegionEncoder:
    """The encoder trained on this data.

    The state of every epoch is saved in ``output`` and one line of losses added to ``history.jsonl``; an interrupted
    training resumes after its last whole epoch and ends with the same weights.
    """
    torch.manual_seed(training.seed)
    encoder = RegionEncoder(config).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(encoder.parameters(), training.rate, weight_decay=training.decay)
    output.mkdir(parents=True, exist_ok=True)
    state = output / "state.pt"
    learner = Learner(encoder, optimiser)
    done = load_state(state, learner) if state.is_file() else TrainProgress()
    for epoch in range(done.epoch, training.epochs):
        began = time.perf_counter()
        losses = _epoch(data, encoder, optimiser, training, epoch)
        save_state(state, learner, TrainProgress(epoch + 1))
        with open(output / "history.jsonl", "a", encoding="utf-8") as log:
            seconds = round(time.perf_counter() - began, 1)
            log.write(json.dumps({"epoch": epoch + 1, **losses, "seconds": seconds}) + "\n")
    trained: RegionEncoder = encoder.eval()
    return trained


def _epoch(
    data: LabelledImages,
    encoder: RegionEncoder,
    optimiser: torch.optim.Optimizer,
    training: EncoderTrainConfig,
    epoch: int,
) -> dict[str, float]:
    """One epoch; returns the mean losses."""
    config = encoder.config
    size = config.size if epoch >= training.coarse else config.size * 2 // 3 // 16 * 16
    steps = (len(data) + training.batch_size - 1) // training.batch_size
    total = np.zeros(len(LOSSES))
    encoder.train()
    for step, rows in enumerate(_order(len(data), training, epoch)):
        for group in optimiser.param_groups:
            group["lr"] = training.rate * _warmth((epoch * steps + step) / (training.epochs * steps))
        losses = encoder_losses(encoder, *_batch(data, rows, size, training, epoch))
        optimiser.zero_grad(set_to_none=True)
        torch.stack(losses).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 5.0)
        optimiser.step()
        total += np.array([loss.item() for loss in losses]) * len(rows)
    return dict(zip(LOSSES, (total / len(data)).round(4).tolist(), strict=True))


def encoder_losses(
    encoder: RegionEncoder, images: Tensor, boxes: Tensor, names: Tensor, rest: Tensor, facts: Tensor
) -> list[Tensor]:
    """Four losses to add up: heat map, name, other labels, and shape with facts.

    ``images`` (B, 3, S, S), ``boxes`` (B, M, 4), ``names`` (B, M), ``rest`` (B, M, V - names), ``facts`` (B, F).
    """
    grid = encoder.look(images)
    side = grid.heat.shape[-1]
    owner, near, centre, heat = cells_of(boxes, names >= 0, side)
    b, y, x = near.nonzero(as_tuple=True)  # (P,) each: the cells that learn labels
    thing = owner[b, y, x]
    weight = torch.where(centre[b, y, x], 1.0, 0.4)
    weight = weight / weight.sum()
    logits = grid.labels[b, :, y, x]  # (P, V)
    split = encoder.config.names
    name = (fn.cross_entropy(logits[:, :split], names[b, thing], reduction="none") * weight).sum()
    other = fn.binary_cross_entropy_with_logits(logits[:, split:], rest[b, thing].float(), reduction="none")
    wanted = boxes[b, thing]  # (P, 4)
    cell = torch.stack([x, y], -1)
    middle = (wanted[:, :2] + wanted[:, 2:] / 2) * side - cell  # (P, 2): 0 to 1 in the centre cell
    target = torch.cat([middle.clamp(0, 1), wanted[:, 2:]], -1)
    shape = ((grid.shape[b, :, y, x] - target).abs() * torch.tensor([0.5, 0.5, 4.0, 4.0])).sum(-1)
    whole = fn.binary_cross_entropy_with_logits(grid.facts, facts.float(), reduction="none").sum(1).mean()
    placed = (shape * weight).sum() + 0.3 * whole
    return [focal(grid.heat, heat, centre), name, 0.5 * (other.sum(1) * weight).sum(), placed]


def cells_of(boxes: Tensor, there: Tensor, side: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """For each cell its object, whether it learns that object's labels, whether it is its centre; and the heat map.

    ``boxes`` (B, M, 4), ``there`` (B, M); each result is (B, side, side).
    """
    middle = (boxes[..., :2] + boxes[..., 2:] / 2) * side  # (B, M, 2), in cells
    cell = torch.arange(side) + 0.5  # (side,)
    far_x = (cell - middle[..., :1]).abs()  # (B, M, side)
    far_y = (cell - middle[..., 1:]).abs()  # (B, M, side)
    away = (far_x.unsqueeze(2) ** 2 + far_y.unsqueeze(3) ** 2).masked_fill(~there[..., None, None], 1e9)
    nearest, owner = away.min(1)  # (B, side, side)
    spread = (boxes[..., 2:] * side / 8).clamp(0.5, 1.5)  # (B, M, 2)
    fall = (far_x / spread[..., :1]).unsqueeze(2) ** 2 + (far_y / spread[..., 1:]).unsqueeze(3) ** 2
    heat = torch.exp(-fall / 2).masked_fill(~there[..., None, None], 0.0).amax(1)
    inside = (far_x <= 0.5).unsqueeze(2) & (far_y <= 0.5).unsqueeze(3) & there[..., None, None]
    return owner, nearest <= 1.5**2, inside.any(1), heat


def focal(logits: Tensor, heat: Tensor, centre: Tensor) -> Tensor:
    """The focal loss of "Objects as Points" (Zhou et al. 2019, eq. 1), per object."""
    sure = torch.sigmoid(logits)
    hit = -fn.logsigmoid(logits) * (1 - sure) ** 2 * centre
    miss = -fn.logsigmoid(-logits) * sure**2 * (1 - heat) ** 4 * ~centre
    return (hit + miss).sum() / centre.sum().clamp(min=1)


def _batch(data: LabelledImages, rows: Any, size: int, training: EncoderTrainConfig, epoch: int) -> tuple[Tensor, ...]:
    images = torch.from_numpy(data.images[rows]).float().contiguous(memory_format=torch.channels_last)
    boxes = torch.from_numpy(data.boxes[rows])
    if size != images.shape[-1]:
        images = fn.interpolate(images, size=(size, size), mode="area")
    flipped = torch.from_numpy(np.random.default_rng([training.seed, epoch, int(rows[0])]).random(len(rows)) < 0.5)
    images = torch.where(flipped[:, None, None, None], images.flip(3), images)
    mirrored = torch.cat([1 - boxes[..., :1] - boxes[..., 2:3], boxes[..., 1:]], -1)
    boxes = torch.where(flipped[:, None, None], mirrored, boxes)
    return images, boxes, *(torch.from_numpy(part[rows]) for part in (data.names, data.rest, data.facts))


def _order(count: int, training: EncoderTrainConfig, epoch: int) -> Iterator[Any]:
    order = np.random.default_rng([training.seed, epoch]).permutation(count)
    return (order[start : start + training.batch_size] for start in range(0, count, training.batch_size))


def _warmth(share: float) -> float:
    """The factor of the learning rate after this share of the steps: up in the first twentieth, then down a cosine."""
    return share / 0.05 if share < 0.05 else 0.5 * (1 + cos(pi * (share - 0.05) / 0.95)) + 1e-3


def make_encoder(plan: Mapping[str, Any], work: Path, output: Path) -> None:
    """Train an encoder on the training images and export it."""
    settings = dict(plan["encoder"])
    size = settings.pop("size")
    found = list(images_with_scenes(as_data(plan["data"]).what).values())
    labels = labels_of(scene for _, scene in found)
    config = EncoderConfig(len(labels.names), len(labels.things), len(labels.facts), size)
    encoder = train_encoder(label_images(found, labels, size), config, EncoderTrainConfig(**settings), work)
    export_encoder(encoder, asdict(labels), output)


def export_encoder(encoder: RegionEncoder, labels: Mapping[str, Any], folder: Path) -> None:
    """Write ``encoder.onnx`` and ``encoder.json``."""
    size = encoder.config.size
    module = copy.deepcopy(encoder).eval().to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    images = torch.stack([_world_image(index, size) for index in range(2)])
    export_module(folder / "encoder.onnx", module, ("pictures",), (images,), ("features", "boxes", "mask"))
    write_json(folder / "encoder.json", {**asdict(encoder.config), "vocabulary": dict(labels)})


def _world_image(index: int, size: int) -> Tensor:
    """An image of the embedded world; on noise, many regions would be near the threshold."""
    drawn = draw(make_scene(0, index), size).convert("RGB")
    return torch.from_numpy(np.array(drawn).transpose(2, 0, 1).copy())


def make_model(name: str, plan: Mapping[str, Any], work: Path, output: Path) -> dict[str, float]:
    """Train one network, export it, and return its accuracy on the test scenes, by answer type."""
    model = plan["models"][name]
    groups = _pairs(plan["pairs"], plan["training"]["seed"]) if model.get("losses") else ()
    trained = train(
        model["net"],
        plan["data"],
        features=WorldFeatures(str(output)),
        losses=model.get("losses", ()),
        groups=groups,
        output=work,
        progress=True,
        **(plan["training"] | model.get("training", {})),
    )
    return publish(trained, name, plan, output)


def publish(trained: Trained, name: str, plan: Mapping[str, Any], output: Path) -> dict[str, float]:
    """Export a trained network with its accuracy on the test scenes, by answer type, and its number of epochs."""
    export_trained(trained, output, name)
    scores = measure_accuracy(Onnx(str(output), name), plan["test"])
    about = {"accuracy": {"data": plan["test"], **scores}, "epochs_done": len(trained.history)}
    export_trained(trained, output, name, about)
    return scores


def measure_accuracy(model: Onnx, data: str) -> dict[str, float]:
    """VQA accuracy in per cent as the official evaluator computes it: overall, and by answer type."""
    questions = list(as_data(data).what.questions())
    answers = {prediction.question_id: prediction.answer or "" for prediction in model.answer(questions)}
    table = official_table(questions, answers)
    return {"overall": table.overall, **table.answer_types}


def _pairs(plan: Mapping[str, str], seed: int) -> Sequence[Group]:
    made = make("suite", plan["suite"]).groups(as_data(plan["data"]).what, seed)
    return [item for item in made if isinstance(item, Group)]


def main(argv: Sequence[str] | None = None) -> None:
    """Train all reference models, or those that are named."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--output", type=Path, required=True, help="the folder for the ONNX files and the training runs"
    )
    parser.add_argument("--only", nargs="*", metavar="NAME", help="encoder, or names of models (default: everything)")
    args = parser.parse_args(argv)
    plan = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    torch.set_num_threads(plan["training"]["threads"])
    work = args.output / "work"
    wanted = args.only or ["encoder", *plan["models"]]
    if "encoder" in wanted:
        make_encoder(plan, work / "encoder", args.output)
    for name in plan["models"]:
        if name in wanted:
            scores = make_model(name, plan, work / name, args.output)
            print(name, ", ".join(f"{kind} {value:.1f} %" for kind, value in scores.items()), flush=True)


if __name__ == "__main__":
    main()
