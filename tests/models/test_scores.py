"""Probabilities of given answers: the same as the model's own score, in any batch, and by hand."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from PIL import Image

from askew import registry
from askew.errors import ModelError
from askew.models.onnx_model import Bundled
from askew.types import ImageRef
from askew.verbs import Scores
from askew.world.dataset import World


def test_bundled_models_score_given_answers():
    questions = list(World("val", 20).questions())[:8]
    for name in ("xnm", "cnn-lstm", "language"):
        model = Bundled(name)
        assert isinstance(model, Scores)
        predictions = model.answer(questions)
        own = model.scores(questions, [p.answer for p in predictions])
        assert own == pytest.approx([p.score for p in predictions], abs=1e-5)
        alone = [score for question in questions for score in Bundled(name, batch_size=1).scores([question], ["yes"])]
        assert Bundled(name, batch_size=8).scores(questions, ["yes"] * 8) == pytest.approx(alone, abs=1e-4)
        assert len({round(score, 4) for score in alone}) > 3
        assert model.scores(questions[:2], ["no such answer", ""]) == [0.0, 0.0]
        assert model.scores([], []) == []
    lost = replace(questions[0], image=ImageRef("x", data=b"no image"))
    first, second = Bundled("xnm").scores([lost, questions[1]], ["yes", "yes"])
    assert math.isnan(first)
    assert second == pytest.approx(Bundled("xnm").scores([questions[1]], ["yes"])[0], abs=1e-4)


@pytest.fixture(scope="module")
def hf(tmp_path_factory):
    pytest.importorskip("torch", reason="the extra hf is not installed")
    pytest.importorskip("transformers", reason="the extra hf is not installed")
    import hf_asking

    folder = hf_asking.folders(tmp_path_factory.mktemp("hf"))
    regions = hf_asking.region_file(tmp_path_factory.mktemp("regions") / "regions.npz")
    return lambda name: registry.make("model", hf_asking.spec(name, folder, regions))


GIVEN = ("yes", "red", "How many dogs", "2", "left", "no", "blue or green", "no")


def test_hugging_face_models_score_given_answers_alike_in_every_batch(hf, offline):
    from hf_asking import PIXELS, QUESTIONS, REGIONS

    for name in [*PIXELS, *REGIONS]:
        if name == "smolvlm":
            continue  # as idefics3, and needs num2words
        model = hf(name)
        assert isinstance(model, Scores)
        alone = [model.scores([q], [a])[0] for q, a in zip(QUESTIONS, GIVEN, strict=True)]
        assert model.scores(QUESTIONS, GIVEN) == pytest.approx(alone, abs=1e-4), name
        assert all(0 <= score <= 1 for score in alone)
        assert len(set(alone)) > 5, name
        if not model.free_text:
            predictions = model.answer(QUESTIONS)
            assert model.scores(QUESTIONS, [p.answer for p in predictions]) == pytest.approx(
                [p.score for p in predictions], abs=1e-5
            )
            assert alone[2] == 0.0, "not a label"


def test_a_generator_s_score_is_that_of_one_plain_forward_pass(hf, offline):
    """Prompt and answer in one pass through transformers alone; the answer with and without a space before it."""
    import torch
    import transformers
    from hf_asking import QUESTIONS

    chat = "\nAnswer the question with a single word or phrase.\nASSISTANT:"
    texts = {"blip2": "Question: {} Short answer:", "llava": "USER: <image>\n{}" + chat}
    for name, text in texts.items():
        model = hf(name)
        path = model.folder.path
        processor = transformers.AutoProcessor.from_pretrained(path)
        bare = transformers.AutoModelForImageTextToText.from_pretrained(path).eval()

        def logs(question, answer, text=text, processor=processor, bare=bare):
            image = Image.open(io.BytesIO(question.image.data))
            inputs = processor(images=image, text=[text.format(question.text)], return_tensors="pt")
            tokens = processor.tokenizer(answer, add_special_tokens=False, return_tensors="pt")["input_ids"]
            inputs["input_ids"] = torch.cat([inputs["input_ids"], tokens], 1)
            inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
            with torch.inference_mode():
                steps = bare(**inputs).logits[0, -tokens.shape[1] - 1 : -1].log_softmax(-1)
            return steps.gather(1, tokens.T)[:, 0]

        for question, answer, score in zip(QUESTIONS, GIVEN, model.scores(QUESTIONS, GIVEN), strict=True):
            likelier = max(logs(question, answer), logs(question, f" {answer}"), key=lambda steps: steps[0])
            assert score == pytest.approx(likelier.mean().exp().item(), abs=1e-5)


def test_a_generator_s_own_score_is_the_mean_of_its_tokens_log_probabilities(hf, offline):
    """Against transformers' own transition scores, one question at a time; with beams against a forced answer."""
    import torch
    import transformers
    from hf_asking import QUESTIONS

    model = hf("llava")
    processor = transformers.AutoProcessor.from_pretrained(model.folder.path)
    bare = transformers.AutoModelForImageTextToText.from_pretrained(model.folder.path).eval()
    text = "USER: <image>\n{}\nAnswer the question with a single word or phrase.\nASSISTANT:"
    predictions = model.answer(QUESTIONS)
    for question, prediction in zip(QUESTIONS, predictions, strict=True):
        image = Image.open(io.BytesIO(question.image.data))
        inputs = processor(images=image, text=[text.format(question.text)], return_tensors="pt")
        with torch.inference_mode():
            found = bare.generate(
                **inputs, max_new_tokens=16, do_sample=False, output_logits=True, return_dict_in_generate=True
            )
        logs = bare.compute_transition_scores(found.sequences, found.logits, normalize_logits=True)[0]
        new = found.sequences[0, inputs["input_ids"].shape[1] :]
        kept = ~torch.isin(new, torch.tensor(processor.tokenizer.all_special_ids))
        assert prediction.score == pytest.approx(logs[kept].mean().exp().item(), abs=1e-5)
    assert len({round(p.score, 5) for p in predictions}) > 4
    assert "score=exp-mean-logprob" in repr(model)
    for name in ("blip", "blip2", "qwen2_vl"):
        greedy, beams = hf(name), replace(hf(name), num_beams=2)
        alone = [greedy.answer([question])[0].score for question in QUESTIONS]
        assert [p.score for p in greedy.answer(QUESTIONS)] == pytest.approx(alone, abs=1e-4)
        both = list(zip(greedy.answer(QUESTIONS), beams.answer(QUESTIONS), strict=True))
        assert all(0 < p.score <= 1 for _, p in both)
        same = [(one.score, two.score) for one, two in both if one.answer == two.answer]
        assert same, "some answers are the likeliest by either search"
        assert all(one == pytest.approx(two, abs=1e-4) for one, two in same)


def test_a_generator_s_score_is_nan_for_a_question_that_cannot_be_asked(hf, offline):
    from hf_asking import QUESTIONS

    model = hf("llava")
    lost = replace(QUESTIONS[0], image=None)
    first, second, empty = model.scores([lost, QUESTIONS[1], QUESTIONS[2]], ["yes", "yes", ""])
    assert math.isnan(first)
    assert second == pytest.approx(model.scores([QUESTIONS[1]], ["yes"])[0], abs=1e-4)
    assert empty == 0.0


def test_a_model_that_ignores_logits_processors_answers_without_scores(tmp_path, offline):
    pytest.importorskip("transformers", reason="the extra hf is not installed")
    from hf_asking import QUESTIONS, answers
    from hf_families import FAMILIES

    folder = FAMILIES["janus"](tmp_path / "janus")
    for beams in (1, 2):
        model = registry.make("model", f"hf:{folder},max_new_tokens=3,num_beams={beams}")
        assert len(set(answers(model).values())) > 1
        assert {prediction.score for prediction in model.answer(QUESTIONS)} == {None}
    with pytest.raises(ModelError, match="--scores label"):
        model.scores(QUESTIONS[:2], ["yes", "no"])
