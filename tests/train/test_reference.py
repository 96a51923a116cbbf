"""Training an encoder, and networks as ONNX files: small, and worked by hand where possible."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch
from region_encoder import EncoderConfig
from train_reference import (
    EncoderTrainConfig,
    cells_of,
    export_encoder,
    focal,
    images_with_scenes,
    label_images,
    labels_of,
    train_encoder,
)

from askew.errors import BadOption
from askew.models.onnx_model import Onnx, OnnxEncoder
from askew.train import onnx_export
from askew.train.features import WorldFeatures
from askew.train.loop import train
from askew.train.onnx_export import export_trained, input_of
from askew.world.dataset import World


def test_a_cell_belongs_to_the_nearest_thing():
    boxes = torch.tensor([[[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]]])
    owner, near, centre, heat = cells_of(boxes, torch.tensor([[True, True, False]]), 4)
    assert owner[0, 0].tolist()[:2] == [0, 0]
    assert owner[0, 3].tolist()[2:] == [1, 1]
    # Middles lie at (1, 1) and (3, 3), between cells: four cells touch each.
    assert centre[0].int().tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert near[0, 0, 0]
    assert heat.max() < 1
    assert heat[0, 0, 0] == heat[0, 3, 3]


def test_the_focal_loss_of_one_cell():
    # sigmoid(0) = 0.5: -log(0.5) * 0.5² for the middle; the cell far from it adds -log(0.5) * 0.5².
    logits, heat = torch.zeros(1, 1, 2), torch.tensor([[[1.0, 0.0]]])
    loss = focal(logits, heat, torch.tensor([[[True, False]]]))
    assert loss.item() == pytest.approx(2 * np.log(2) / 4)


@pytest.fixture(scope="module")
def small():
    found = list(images_with_scenes(World("train", 20)).values())
    labels = labels_of((scene for _, scene in found), least=3)
    config = EncoderConfig(len(labels.names), len(labels.things), len(labels.facts), size=48, width=12, regions=6)
    return label_images(found, labels, 48), labels, config


def test_labels_have_everything_in_the_scenes(small):
    labelled, labels, _ = small
    _, scene = next(iter(images_with_scenes(World("train", 20)).values()))
    first = next(thing for thing in scene.things if thing.name in labels.names)
    assert labelled.images.shape == (14, 3, 48, 48)
    assert labels.names[labelled.names[0, 0]] == first.name
    assert labelled.boxes[0, 0].tolist() == pytest.approx([side / 224 for side in first.box], abs=1e-5)
    said = [label for label, there in zip(labels.rest, labelled.rest[0, 0], strict=True) if there]
    assert set(said) >= {word for word in first.attributes if word in labels.rest}


def test_losses_fall_and_an_interrupted_training_resumes_to_the_same_weights(small, tmp_path):
    labelled, _, config = small
    lesson = EncoderTrainConfig(epochs=2, coarse=1, batch_size=7)
    whole = train_encoder(labelled, config, lesson, tmp_path / "whole").state_dict()
    history = [json.loads(line) for line in (tmp_path / "whole" / "history.jsonl").read_text().splitlines()]
    assert sum(history[-1][part] for part in ("heat", "name", "rest")) < sum(
        history[0][part] for part in ("heat", "name", "rest")
    )
    broken = torch.nn.Module.train

    def stop(module, mode=True):
        if (tmp_path / "parts" / "history.jsonl").exists():
            raise KeyboardInterrupt
        return broken(module, mode)

    torch.nn.Module.train = stop
    try:
        with pytest.raises(KeyboardInterrupt):
            train_encoder(labelled, config, lesson, tmp_path / "parts")
    finally:
        torch.nn.Module.train = broken
    parts = train_encoder(labelled, config, lesson, tmp_path / "parts").state_dict()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


@pytest.fixture(scope="module")
def shipped(small, tmp_path_factory):
    """An encoder after little training, exported."""
    labelled, labels, config = small
    folder = tmp_path_factory.mktemp("shipped")
    encoder = train_encoder(labelled, config, EncoderTrainConfig(epochs=1, coarse=0), folder / "lesson")
    export_encoder(encoder, asdict(labels), folder)
    return encoder, folder


def test_an_exported_network_agrees_with_torch(small, shipped):
    encoder, folder = shipped
    images = small[0].images[:3]
    looked = OnnxEncoder(str(folder)).encode_pixels(images)
    with torch.inference_mode():
        wanted = encoder(torch.from_numpy(images))
    assert looked.mask.tolist() == wanted.mask.tolist()
    assert looked.features == pytest.approx(wanted.features.numpy(), abs=0.02)


def test_a_trained_network_answers_the_same_without_torch(shipped, tmp_path):
    folder = shipped[1]
    questions = list(World("train", 20).questions())
    net = "xnm:hidden=16,embedding=8,gumbel=false"
    store = WorldFeatures(str(folder))
    trained = train(net, questions, None, store, output=tmp_path / "net", epochs=1, threads=1)
    export_trained(trained, folder)
    mine, torchs = Onnx(str(folder)).answer(questions[:12]), trained.answer(questions[:12])
    assert [said.score for said in mine] == pytest.approx([said.score for said in torchs], abs=2e-3)


def test_computed_features_are_cached(shipped, monkeypatch):
    folder = str(shipped[1])
    images = [image for image, _ in images_with_scenes(World("val", 20)).values()]
    first = WorldFeatures(folder).get_many(images)
    monkeypatch.setattr("askew.models.onnx_model.OnnxEncoder.encode", None)
    again = WorldFeatures(folder).get_many([*images, images[0]])
    assert len(again) == len(images) + 1
    assert all(
        (a.features == b.features).all() and (a.boxes == b.boxes).all() for a, b in zip(first, again[:-1], strict=True)
    )


def test_a_network_of_external_features_is_not_exported():
    config = {"net": {"name": "xnm", "encoder": "none"}, "features": "TsvFeatures(signature='x')"}
    with pytest.raises(BadOption, match="cannot be computed from images alone"):
        input_of(config)


def test_networks_that_cannot_be_exported_are_reported_without_a_traceback(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        onnx_export.main([str(tmp_path / "nowhere"), str(tmp_path / "out")])
    assert ended.value.code == 2
    assert "Give the folder of a training" in capsys.readouterr().err
