"""The reference models: their accuracy, that answers are reproducible, and the errors for what is missing."""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest

from askew.errors import BadOption, DataError, MissingExtra, UnknownName
from askew.metrics.accuracy import official_table
from askew.models.baselines import prior
from askew.models.onnx_model import REFERENCE, Bundled, Onnx, OnnxEncoder, bundled_names, load_onnx
from askew.registry import make
from askew.types import ImageRef, Question
from askew.world.dataset import World


@pytest.fixture(scope="module")
def questions():
    return list(World("val", 100).questions())


def accuracy(model, questions):
    return official_table(
        questions, {prediction.question_id: prediction.answer for prediction in model.answer(questions)}
    ).overall


def test_four_models_come_with_askew_in_at_most_15_megabytes():
    assert {"language", "cnn-lstm", "xnm", "xnm-q3r"} <= set(bundled_names())
    assert sum(file.stat().st_size for file in REFERENCE.iterdir()) < 15e6


def test_nothing_is_reported_to_the_makers_of_the_runtime(monkeypatch):
    runtime, switched = pytest.importorskip("onnxruntime"), []
    monkeypatch.setattr(runtime, "disable_telemetry_events", lambda: switched.append("off"))
    load_onnx(REFERENCE / "language.onnx", 1)
    assert switched == ["off"]


def test_models_that_read_images_are_far_above_the_prior_and_the_blind_one_is_near_it(questions):
    blind = accuracy(prior(World("train", 200)), questions)
    language = accuracy(Bundled("language"), questions)
    assert blind - 5 < language < blind + 20
    for name in ("xnm", "xnm-q3r"):
        assert accuracy(Bundled(name), questions) > max(blind, language) + 10, name


def test_the_stated_accuracy_is_of_scenes_that_were_not_trained_on():
    for name in bundled_names():
        about = json.loads((REFERENCE / f"{name}.json").read_text())
        assert "'train'" in about["training"]["data"]
        assert about["accuracy"]["data"].startswith("world:val")
        assert 30 < about["accuracy"]["overall"] < 100


def test_the_same_questions_get_the_same_answers_and_scores(questions):
    assert Bundled("xnm").answer(questions[:20]) == Bundled("xnm").answer(questions[:20])


@pytest.mark.parametrize("size", [1, 7])
def test_the_batch_size_changes_nothing(questions, size):
    together, apart = Bundled("xnm").answer(questions[:24]), Bundled("xnm", batch_size=size).answer(questions[:24])
    assert [prediction.answer for prediction in together] == [prediction.answer for prediction in apart]
    assert [prediction.score for prediction in together] == pytest.approx(
        [prediction.score for prediction in apart], abs=1e-4
    )


def test_last_bits_do_not_decide_an_answer(monkeypatch, questions):
    """Two answers whose scores differ only by rounding in the batch: the question alone decides."""
    model = Bundled("xnm")

    def look(self, some):
        logits = np.zeros((len(some), 5), np.float32)
        logits[:, 2:4] = 7, 7 + 1e-5
        return {"logits": logits if len(some) == 1 else logits[:, [0, 1, 3, 2, 4]]}

    monkeypatch.setattr(Onnx, "look", look)
    together = model.answer(questions[:3])
    assert [prediction.answer for prediction in together] == [model.about["answers"][3]] * 3
    assert together == [prediction for question in questions[:3] for prediction in model.answer([question])]


def test_the_features_of_an_image_do_not_depend_on_the_others(questions):
    images = list({question.image.sha256: question.image for question in questions[:40]}.values())[:4]
    together = OnnxEncoder(str(REFERENCE)).encode(images)
    for number, image in enumerate(images):
        alone = OnnxEncoder(str(REFERENCE)).encode([image])
        assert all((one[0] == many[number]).all() for one, many in zip(alone, together, strict=True))


def test_each_image_is_encoded_once(questions):
    encoder = OnnxEncoder(str(REFERENCE))
    images = [question.image for question in questions[:12]]
    seen = encoder.encode(images)
    assert len(encoder.cache) == len({image.sha256 for image in images}) < len(images)

    assert (seen.features[0] == seen.features[1]).all()
    assert seen.mask[:, 0].all()
    assert seen.boxes.min() >= 0
    assert (seen.boxes[..., :2] + seen.boxes[..., 2:]).max() <= 1.0001


def test_models_that_use_the_same_encoder_encode_each_image_once_for_all():
    encoder = Bundled("xnm").encoder
    assert Bundled("xnm-q3r").encoder is encoder
    assert Bundled("xnm", threads=2).encoder is not encoder
    again = pickle.loads(pickle.dumps(encoder))
    assert (again.folder, again.cache, again.lock.locked()) == (encoder.folder, {}, False)


def test_an_image_of_any_size_is_accepted(questions, tmp_path):
    from PIL import Image

    with Image.open(questions[0].image.path) as opened:
        opened.resize((640, 480)).save(tmp_path / "large.png")
    resized = replace(questions[0], image=ImageRef("large", str(tmp_path / "large.png")))
    assert Bundled("xnm").answer([resized])[0].answer is not None


def test_a_missing_or_broken_image_fails_alone(questions, tmp_path):
    (tmp_path / "broken.jpg").write_bytes(b"not an image")
    gone = replace(questions[1], image=ImageRef("gone", str(tmp_path / "gone.jpg")))
    broken = replace(questions[2], image=ImageRef("broken", str(tmp_path / "broken.jpg")))
    none = replace(questions[3], image=None)
    predictions = Bundled("xnm").answer([questions[0], gone, broken, none])
    assert [one.failed for one in predictions] == [False, True, True, True]
    assert "gone.jpg" in predictions[1].error
    assert "not an image" in predictions[2].error
    assert "no image" in predictions[3].error


def test_the_language_model_needs_no_image():
    assert Bundled("language").answer([Question(1, None, "Is there a dog?")])[0].answer in ("yes", "no")


def test_unknown_words_are_accepted(questions):
    assert Bundled("xnm").answer([replace(questions[0], text="Qwzx brrp?"), replace(questions[0], text="")])[1].answer


def test_module_weights_come_with_the_answer(questions):
    looked = Bundled("xnm").look(questions[:3])
    assert looked["weights"].sum(axis=2) == pytest.approx(1.0, abs=1e-5)


def test_a_spec_makes_a_model_whose_signature_is_its_content():
    model = make("model", "bundled:xnm")
    assert repr(model) == f"Bundled(name='xnm', signature='{model.signature}')"
    assert model.signature != Bundled("cnn-lstm").signature
    assert repr(pickle.loads(pickle.dumps(model))) == repr(model)


def test_an_exported_folder_answers_as_the_reference_does(questions):
    model = make("model", f"onnx:{REFERENCE},name=xnm")
    assert model.answer(questions[:5]) == Bundled("xnm").answer(questions[:5])


def test_bad_options_and_folders_are_reported(tmp_path, monkeypatch):
    with pytest.raises(UnknownName, match=r"No reference model is called 'xmn'\. Known: .*xnm"):
        Bundled("xmn")
    with pytest.raises(BadOption, match="batch_size is 0"):
        Bundled("xnm", batch_size=0)
    with pytest.raises(DataError, match=r"model.onnx: there is no such file"):
        Onnx(str(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"broken")
    (tmp_path / "model.json").write_text('{"words": [], "answers": [], "eyes": "none"}')
    with pytest.raises(DataError, match="cannot be read as ONNX"):
        Onnx(str(tmp_path)).answer([Question(1, None, "Why?")])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"askew\[bundled\]"):
        Bundled("xnm")
