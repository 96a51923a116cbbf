"""Trains the reference models from scratch: ``python -m askew.train.reference --output DIR``.

Draws the world, trains the encoder, trains each network on its regions, exports all of it, and measures it on scenes
that nothing was trained on. The settings are in ``reference.yaml``. The same command resumes after a kill.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from askew.engine.components import as_data
from askew.files.resources import resource
from askew.metrics.official import official_table
from askew.models.onnx_model import Onnx
from askew.nets.region_encoder import EncoderConfig
from askew.registry import make
from askew.train.encoder_training import EncoderTrainConfig, train_encoder
from askew.train.export import export_encoder, export_trained
from askew.train.features import WorldFeatures
from askew.train.loop import train
from askew.train.trained import Trained
from askew.train.world_labels import images_with_scenes, label_images, labels_of
from askew.types import Group


def make_encoder(plan: Mapping[str, Any], work: Path, output: Path) -> None:
    """Train an encoder on the training images and export it."""
    settings = dict(plan["encoder"])
    size = settings.pop("size")
    found = list(images_with_scenes(as_data(plan["data"]).what).values())
    labels = labels_of(scene for _, scene in found)
    config = EncoderConfig(len(labels.names), len(labels.things), len(labels.facts), size)
    encoder = train_encoder(label_images(found, labels, size), config, EncoderTrainConfig(**settings), work)
    export_encoder(encoder, labels.record(), output)


def make_model(name: str, plan: Mapping[str, Any], work: Path, output: Path) -> dict[str, float]:
    """Train one network, export it, and give its accuracy on the test scenes, by answer type."""
    asked = plan["models"][name]
    groups = _pairs(plan["pairs"], plan["training"]["seed"]) if asked.get("losses") else ()
    trained = train(
        asked["net"],
        plan["data"],
        features=WorldFeatures(str(output)),
        losses=asked.get("losses", ()),
        groups=groups,
        output=work,
        progress=True,
        **(plan["training"] | asked.get("training", {})),
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
    said = {prediction.question_id: prediction.answer or "" for prediction in model.answer(questions)}
    table = official_table(questions, said)
    return {"overall": table.overall, **table.answer_types}


def _pairs(plan: Mapping[str, str], seed: int) -> Sequence[Group]:
    made = make("suite", plan["suite"]).groups(as_data(plan["data"]).what, seed)
    return [item for item in made if isinstance(item, Group)]


def main(argv: Sequence[str] | None = None) -> None:
    """Train all reference models, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m askew.train.reference", description=main.__doc__)
    parser.add_argument("--output", type=Path, required=True, help="the folder for ONNX files and for the work on them")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="encoder, or names of models (default: everything)")
    args = parser.parse_args(argv)
    plan = resource("train/reference.yaml")
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
