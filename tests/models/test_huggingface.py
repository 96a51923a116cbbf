"""Tiny models of each family, saved to a folder and asked through the adapter: real loading, processors, generation."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
from hf_asking import IMAGES, PIXELS, QUESTIONS, REGIONS, answers, folders, region_file, spec  # noqa: E402

import askew  # noqa: E402
from askew import registry  # noqa: E402
from askew.types import ImageRef, Prediction, Question  # noqa: E402
from askew.verbs import Model  # noqa: E402

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folders(tmp_path_factory.mktemp("hf"))


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    return region_file(tmp_path_factory.mktemp("regions") / "regions.npz")


@pytest.mark.parametrize("name", [*PIXELS, *REGIONS])
def test_answers_do_not_depend_on_batch_or_order(name, folder, regions):
    if name == "smolvlm":
        pytest.importorskip("num2words", reason="transformers' SmolVLM processor needs it")
    model = registry.make("model", spec(name, folder, regions, ",max_new_tokens=4"))
    assert isinstance(model, Model)
    alone = answers(model, size=1)
    assert len(set(alone.values())) > 1, "a model that says one thing to all proves nothing"
    assert answers(model, size=3) == alone
    assert answers(model, size=8) == alone
    for seed in (1, 2):
        mixed = random.Random(seed).sample(QUESTIONS, len(QUESTIONS))
        assert answers(model, mixed, size=8) == alone
    again = registry.make("model", spec(name, folder, regions, ",max_new_tokens=4"))
    assert repr(again) == repr(model)
    assert answers(again, size=5) == alone
    assert model.free_text is (name in PIXELS and name != "vilt")


def test_a_classifier_answers_like_transformers_alone(folder, regions):
    path = folder("vilt")
    processor = transformers.ViltProcessor.from_pretrained(path)
    bare = transformers.ViltForQuestionAnswering.from_pretrained(path).eval()
    chance = torch.get_rng_state()
    predictions = registry.make("model", spec("vilt", folder, regions)).answer(QUESTIONS)
    assert torch.equal(torch.get_rng_state(), chance), "nobody else's random numbers are touched"
    for question, prediction in zip(QUESTIONS, predictions, strict=True):
        image = Image.open(io.BytesIO(question.image.data))
        with torch.inference_mode():
            logits = bare(**processor(image, question.text, return_tensors="pt")).logits[0]
        assert prediction.answer == hf_folders.ANSWERS[int(logits.argmax())]
        assert prediction.score == pytest.approx(torch.sigmoid(logits.max()).item(), abs=1e-5)
        assert prediction.seconds > 0


@pytest.mark.parametrize("name", ["blip", "blip2", "llava", "idefics3"])
def test_a_generator_answers_like_transformers_alone(name, folder, regions):
    """One question at a time through transformers alone, with the text written out by hand."""
    path = folder(name)
    processor = transformers.AutoProcessor.from_pretrained(path)
    kind = "AutoModelForVisualQuestionAnswering" if name == "blip" else "AutoModelForImageTextToText"
    bare = getattr(transformers, kind).from_pretrained(path).eval()
    chat = "\nAnswer the question with a single word or phrase.\nASSISTANT:"
    texts = {
        "blip": "{}",
        "blip2": "Question: {} Short answer:",
        "llava": "USER: <image>\n{}" + chat,
        "idefics3": "USER: <image>{}" + chat,
    }
    predictions = registry.make("model", spec(name, folder, regions, ",max_new_tokens=6")).answer(QUESTIONS)
    for question, prediction in zip(QUESTIONS, predictions, strict=True):
        image = Image.open(io.BytesIO(question.image.data))
        images = [[image]] if name == "idefics3" else image
        inputs = processor(images=images, text=[texts[name].format(question.text)], return_tensors="pt")
        output = bare.generate(**inputs, max_new_tokens=6, do_sample=False)
        new = output if name == "blip" else output[:, inputs["input_ids"].shape[1] :]
        assert prediction.answer == processor.tokenizer.decode(new[0], skip_special_tokens=True).strip()
        assert prediction.tokens[0] == inputs["input_ids"].shape[1]


@pytest.mark.parametrize("name", REGIONS)
def test_region_models_answer_like_transformers_alone(name, folder, regions):
    path, table = folder(name), np.load(regions)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    kind = {"lxmert": "LxmertForQuestionAnswering", "visual_bert": "VisualBertForQuestionAnswering"}[name]
    bare = getattr(transformers, kind).from_pretrained(path).eval()
    predictions = registry.make("model", spec(name, folder, regions)).answer(QUESTIONS)
    for question, prediction in zip(QUESTIONS, predictions, strict=True):
        features = torch.tensor(table[f"{question.image.id}/features"])[None]
        boxes = torch.tensor(table[f"{question.image.id}/boxes"])[None]
        seen = {"visual_feats": features, "visual_pos": boxes}
        if name == "visual_bert":
            kinds = torch.ones(features.shape[:2], dtype=torch.long)
            seen = {"visual_embeds": features, "visual_token_type_ids": kinds, "visual_attention_mask": kinds.float()}
        with torch.inference_mode():
            output = bare(**tokenizer(question.text, return_tensors="pt"), **seen)
        logits = output["question_answering_score" if name == "lxmert" else "logits"].reshape(-1)
        score = logits.sigmoid() if name == "lxmert" else logits.softmax(-1)
        assert prediction.answer == hf_folders.ANSWERS[int(logits.argmax())]
        assert prediction.score == pytest.approx(score.max().item(), abs=1e-5)
    table.close()


def test_one_bad_image_fails_alone(folder, regions):
    for name in ("vilt", "llava"):
        model = registry.make("model", spec(name, folder, regions, ",max_new_tokens=4"))
        bad = [
            Question("cut", ImageRef(9, data=IMAGES[0].data[:200]), "Is it red?"),
            Question("none", None, "Is it red?"),
            Question("token", IMAGES[0], "Is [MASK] red?" if name == "vilt" else "Is <image> red?"),
        ]
        predictions = model.answer([QUESTIONS[0], *bad, QUESTIONS[1]])
        assert [p.failed for p in predictions] == [False, True, True, True, False]
        assert [p.answer for p in predictions if not p.failed] == list(answers(model, QUESTIONS[:2]).values())
        assert "BadImage" in predictions[1].error
        assert "no image" in predictions[2].error
        assert "special token of the model" in predictions[3].error


def test_a_question_longer_than_the_model_reads_fails_alone(folder, regions):
    model = registry.make("model", spec("vilt", folder, regions))
    predictions = model.answer([Question(1, IMAGES[0], "Is it red? " * 20), QUESTIONS[0]])
    assert "the model reads at most 40" in predictions[0].error
    assert not predictions[1].failed


class Cramped:
    """A model in memory with room for a number of questions, and one question that breaks it."""

    image_mark = ""

    def __init__(self, room, error):
        self.room, self.error, self.sizes, self.loaded = room, error, [], self

    def special_in(self, text):
        return ""

    def begin(self):
        pass

    def visual_input(self, question, text):
        return None

    def ask(self, questions, texts, seen):
        self.sizes.append(len(questions))
        if len(questions) > self.room or "choke" in texts:
            raise self.error
        return [Prediction(question.id, text) for question, text in zip(questions, texts, strict=True)]


def with_runtime(folder, runtime):
    model = registry.make("model", f"hf:{folder('vilt')}")
    model.__dict__["runtime"] = runtime
    return model


def test_out_of_memory_halves_the_batch_and_remembers(folder):
    runtime = Cramped(3, torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"))
    model = with_runtime(folder, runtime)
    assert answers(model) == {question.id: question.text for question in QUESTIONS}
    assert runtime.sizes == [8, 4, 2, 2, 4, 2, 2]
    assert not any(p.remark for p in model.answer(QUESTIONS)), "the room is known, so nothing is split again"
    runtime.sizes.clear()
    answers(model)
    assert runtime.sizes == [2, 2, 2, 2]


def test_a_question_that_breaks_its_batch_fails_alone(folder):
    runtime = Cramped(100, ValueError("mean must have 1 elements"))
    model = with_runtime(folder, runtime)
    predictions = model.answer([*QUESTIONS, Question("bad", IMAGES[0], "choke")])
    assert [p.question_id for p in predictions if p.failed] == ["bad"]
    assert "mean must have" in predictions[-1].error
    assert [p.remark for p in predictions[1:]] == [""] * 8, "said once for the batch"
    reason = "(ValueError: mean must have 1 elements)"
    assert predictions[0].remark == (
        f"A batch of 9 questions was asked in 5 parts, since it failed as a whole {reason}."
    )
    runtime.sizes.clear()
    answers(model)
    assert runtime.sizes == [8], "another kind of error says nothing about room"


def test_a_question_without_region_features_fails_alone(folder, regions):
    model = registry.make("model", spec("visual_bert", folder, regions))
    predictions = model.answer([QUESTIONS[0], Question(1, ImageRef("elsewhere"), "Is it red?")])
    assert not predictions[0].failed
    assert "no region features of image 'elsewhere'" in predictions[1].error


@pytest.mark.parametrize("name", ["vilt", "llava"])
def test_a_whole_run_on_the_world(name, folder, regions, tmp_path):
    model = spec(name, folder, regions, ",max_new_tokens=4")
    result = askew.evaluate(model, "world:val,scenes=40", "rad", output=tmp_path / "run", batch_size=16, max_failures=1)
    record = result.results
    assert set(record["failures"]["by_error"]) <= {"empty answer"}, "random weights may say nothing, but nothing fails"
    assert record["time"]["asked"] > 10
    assert record["model"]["extract"] == ("none-v1" if name == "vilt" else "short-v8")
    assert record["model"]["signature"].startswith(f"HuggingFace({name!r}")
    assert 0 <= result.score("accuracy.variant").value <= 1
    again = askew.evaluate(model, "world:val,scenes=40", "rad", output=tmp_path / "run", batch_size=5, max_failures=1)
    assert again.results["time"]["asked"] == 0
    assert again.score("accuracy.variant") == result.score("accuracy.variant")
