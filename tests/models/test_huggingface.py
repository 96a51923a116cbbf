"""Tiny models of each family, saved to a folder and asked through the adapter: real loading, processors, generation."""

from __future__ import annotations

import io
import json
import pickle
import random
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402

import askew  # noqa: E402
from askew import registry  # noqa: E402
from askew.errors import BadOption, MissingExtra, ModelError  # noqa: E402
from askew.models.huggingface import HuggingFace  # noqa: E402
from askew.types import ImageRef, Model, Prediction, Question  # noqa: E402

PIXELS = ("vilt", "blip", "blip2", "llava", "qwen2_vl", "smolvlm", "idefics3")
REGIONS = ("lxmert", "visual_bert")
TEXTS = (
    "What color is the car?",
    "Is there a boat near the tree? yes or no?",
    "How many dogs are there?",
    "Where is it?",
    "Is the cat on the sofa?",
    "Which shape is left of the round thing?",
    "How many?",
    "Is it red?",
)
SIZES = ((80, 60), (64, 64), (50, 90))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder of a family's tiny model, made once."""
    base, made = tmp_path_factory.mktemp("hf"), {}

    def of(name):
        if name not in made:
            made[name] = getattr(hf_folders, name)(base / name)
        return made[name]

    return of


@pytest.fixture(scope="session")
def regions(tmp_path_factory):
    """Region features of the three pictures: 3, 5 and 4 regions."""
    path, rng = tmp_path_factory.mktemp("regions") / "regions.npz", np.random.default_rng(7)
    arrays = {}
    for picture, count in enumerate((3, 5, 4)):
        arrays[f"{picture}/features"] = rng.normal(size=(count, 12)).astype(np.float32)
        arrays[f"{picture}/boxes"] = rng.random((count, 4)).astype(np.float32)
    np.savez(path, **arrays)
    return path


@pytest.fixture(autouse=True)
def _hf_is_registered(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setitem(registry.BUILT_IN["model"], "hf", "askew.models.huggingface:hf")


def picture(number, size):
    noise = np.random.default_rng(number).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    content = io.BytesIO()
    Image.fromarray(noise).save(content, "PNG")
    return ImageRef(number, data=content.getvalue())


PICTURES = [picture(number, size) for number, size in enumerate(SIZES)]
QUESTIONS = [Question(f"q{number}", PICTURES[number % 3], text) for number, text in enumerate(TEXTS)]


def spec(name, folder, regions, more=""):
    """The model as a person types it; LXMERT's answers are named by a file."""
    if name in REGIONS:
        more += f",features={regions}"
    if name == "lxmert":
        names = regions.with_name("answers.txt")
        names.write_text("\n".join(hf_folders.ANSWERS) + "\n")
        more += f",labels={names}"
    return f"hf:{folder(name)}{more}"


def answers(model, questions=QUESTIONS, size=64):
    """Answers by question id, asked in batches of that size."""
    said = [p for start in range(0, len(questions), size) for p in model.answer(questions[start : start + size])]
    assert [p.question_id for p in said] == [q.id for q in questions]
    assert not [p.error for p in said if p.failed]
    return {p.question_id: p.answer for p in said}


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


def test_a_classifier_says_what_the_bare_model_says(folder, regions):
    path = folder("vilt")
    processor = transformers.ViltProcessor.from_pretrained(path)
    bare = transformers.ViltForQuestionAnswering.from_pretrained(path).eval()
    chance = torch.get_rng_state()
    said = registry.make("model", spec("vilt", folder, regions)).answer(QUESTIONS)
    assert torch.equal(torch.get_rng_state(), chance), "nobody else's random numbers are touched"
    for question, prediction in zip(QUESTIONS, said, strict=True):
        image = Image.open(io.BytesIO(question.image.data))
        with torch.inference_mode():
            logits = bare(**processor(image, question.text, return_tensors="pt")).logits[0]
        assert prediction.answer == hf_folders.ANSWERS[int(logits.argmax())]
        assert prediction.score == pytest.approx(torch.sigmoid(logits.max()).item(), abs=1e-5)
        assert prediction.seconds > 0


@pytest.mark.parametrize("name", ["blip", "blip2", "llava", "idefics3"])
def test_a_generator_says_what_the_bare_model_says(name, folder, regions):
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
    said = registry.make("model", spec(name, folder, regions, ",max_new_tokens=6")).answer(QUESTIONS)
    for question, prediction in zip(QUESTIONS, said, strict=True):
        image = Image.open(io.BytesIO(question.image.data))
        images = [[image]] if name == "idefics3" else image
        inputs = processor(images=images, text=[texts[name].format(question.text)], return_tensors="pt")
        output = bare.generate(**inputs, max_new_tokens=6, do_sample=False)
        new = output if name == "blip" else output[:, inputs["input_ids"].shape[1] :]
        assert prediction.answer == processor.tokenizer.decode(new[0], skip_special_tokens=True).strip()
        assert prediction.tokens[0] == inputs["input_ids"].shape[1]


@pytest.mark.parametrize("name", REGIONS)
def test_region_models_say_what_the_bare_model_says(name, folder, regions):
    path, table = folder(name), np.load(regions)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    kind = {"lxmert": "LxmertForQuestionAnswering", "visual_bert": "VisualBertForQuestionAnswering"}[name]
    bare = getattr(transformers, kind).from_pretrained(path).eval()
    said = registry.make("model", spec(name, folder, regions)).answer(QUESTIONS)
    for question, prediction in zip(QUESTIONS, said, strict=True):
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


def test_one_bad_picture_fails_alone(folder, regions):
    for name in ("vilt", "llava"):
        model = registry.make("model", spec(name, folder, regions, ",max_new_tokens=4"))
        bad = [
            Question("cut", ImageRef(9, data=PICTURES[0].data[:200]), "Is it red?"),
            Question("none", None, "Is it red?"),
            Question("token", PICTURES[0], "Is [MASK] red?" if name == "vilt" else "Is <image> red?"),
        ]
        said = model.answer([QUESTIONS[0], *bad, QUESTIONS[1]])
        assert [p.failed for p in said] == [False, True, True, True, False]
        assert [p.answer for p in said if not p.failed] == list(answers(model, QUESTIONS[:2]).values())
        assert "BadImage" in said[1].error
        assert "no picture" in said[2].error
        assert "special meaning" in said[3].error


def test_a_question_longer_than_the_model_reads_fails_alone(folder, regions):
    model = registry.make("model", spec("vilt", folder, regions))
    said = model.answer([Question(1, PICTURES[0], "Is it red? " * 20), QUESTIONS[0]])
    assert "the model reads 40" in said[0].error
    assert not said[1].failed


class Cramped:
    """A model in memory that has room for so many questions at once, and chokes on one of them."""

    image_mark = ""

    def __init__(self, room, error):
        self.room, self.error, self.sizes, self.loaded = room, error, [], self

    def special_in(self, text):
        return ""

    def begin(self):
        pass

    def ready(self, question, text):
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
    runtime.sizes.clear()
    answers(model)
    assert runtime.sizes == [2, 2, 2, 2]


def test_what_breaks_a_batch_is_found_and_fails_alone(folder):
    runtime = Cramped(100, ValueError("mean must have 1 elements"))
    model = with_runtime(folder, runtime)
    said = model.answer([*QUESTIONS, Question("bad", PICTURES[0], "choke")])
    assert [p.question_id for p in said if p.failed] == ["bad"]
    assert "mean must have" in said[-1].error
    runtime.sizes.clear()
    answers(model)
    assert runtime.sizes == [8], "another kind of error says nothing about room"


def test_the_signature_says_what_changes_answers_and_nothing_else(folder, regions, tmp_path):
    def signature(more="", name="llava"):
        return repr(registry.make("model", spec(name, folder, regions, more)))

    base = signature()
    changed = [",prompt={question}", ",dtype=bfloat16", ",max_new_tokens=5", ",num_beams=2"]
    assert len({base, *map(signature, changed)}) == 5
    assert signature(",device=cpu") == base
    other = hf_folders.llava(tmp_path / "llava", seed=1)
    assert repr(registry.make("model", f"hf:{other}")) != base
    assert "prompt='{question}\\nAnswer the question with a single word or phrase.'" in base
    classifier = signature(name="vilt")
    assert "max_new_tokens" not in classifier
    assert "labels=10#" in classifier


def test_nothing_is_loaded_before_the_first_question_and_weights_are_not_pickled(folder, regions):
    model = registry.make("model", spec("vilt", folder, regions))
    assert "runtime" not in vars(model)
    first = answers(model)
    copy = pickle.loads(pickle.dumps(model))
    assert isinstance(copy, HuggingFace)
    assert "runtime" not in vars(copy)
    assert repr(copy) == repr(model)
    assert answers(copy) == first


def test_prompt_and_context_reach_the_model(folder, regions):
    model = registry.make("model", spec("llava", folder, regions, r",prompt=Look, then say\n{question}"))
    question = Question(1, PICTURES[0], "Is it {context} red?", context="A car.")
    assert model.asked(question) == "Look, then say\nA car. Is it {context} red?"
    assert model.runtime.written("Hm?") == "USER: <image>\nHm?\nASSISTANT:"
    placed = registry.make("model", spec("llava", folder, regions, ",prompt={context}|{question}"))
    assert placed.asked(question) == "A car.|Is it {context} red?"
    said = {
        more: answers(registry.make("model", spec("llava", folder, regions, more)))
        for more in ("", ",prompt={question}")
    }
    assert said[""] != said[",prompt={question}"]


def test_a_model_without_a_chat_template_gets_the_picture_into_its_text(tmp_path):
    model = registry.make("model", f"hf:{hf_folders.llava(tmp_path / 'llava', chat=False)},max_new_tokens=3")
    text = model.asked(QUESTIONS[7])
    assert model.runtime.written(text).startswith("USER: <image>\nIs it red?\nAnswer")
    assert answers(model, size=3) == answers(model, size=1)
    bare = registry.make("model", f"hf:{model.folder.path},prompt={{question}}")
    assert bare.runtime.written("Is it?") == "<image>Is it?"


def test_a_folder_that_asks_for_sampling_is_decoded_without_chance(folder, regions, tmp_path):
    path = tmp_path / "sampling"
    shutil.copytree(folder("llava"), path)
    said = json.loads((path / "generation_config.json").read_text())
    said |= {"do_sample": True, "temperature": 5.0, "top_k": 50, "top_p": 0.9, "max_length": 20}
    (path / "generation_config.json").write_text(json.dumps(said))
    assert answers(registry.make("model", f"hf:{path}")) == answers(
        registry.make("model", spec("llava", folder, regions))
    )


def test_a_missing_package_is_told_with_the_extra_that_brings_it(folder, monkeypatch):
    path = folder("vilt")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"askew\[hf\]"):
        registry.make("model", f"hf:{path}")


@pytest.mark.parametrize("name", ["vilt", "llava"])
def test_half_precision_and_beams(name, folder, regions):
    model = registry.make("model", spec(name, folder, regions, ",dtype=float16,num_beams=3,max_new_tokens=3"))
    answers(model)
    assert model.runtime.loaded.dtype == torch.float16


def test_numbers_are_as_saved_on_a_gpu_and_full_on_a_cpu(tmp_path, monkeypatch):
    path = hf_folders.vilt(tmp_path / "vilt")
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))

    def dtype(more=""):
        return registry.make("model", f"hf:{path}{more}").dtype

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert (dtype(), dtype(",device=cpu"), dtype(",dtype=float16")) == ("float32", "float32", "float16")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert (dtype(), dtype(",device=cpu"), dtype(",device=cuda")) == ("bfloat16", "float32", "bfloat16")


def test_scores_that_are_no_numbers_are_no_answers(folder, regions, tmp_path):
    model = registry.make("model", spec("vilt", folder, regions))
    with torch.no_grad():
        model.runtime.loaded.model.classifier[-1].bias.fill_(float("nan"))
    assert all("no numbers" in p.error for p in model.answer(QUESTIONS))


def test_weights_that_are_missing_are_not_left_to_chance(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    path = hf_folders.vilt(tmp_path / "half")
    weights = load_file(path / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if not name.startswith("classifier")}
    save_file(kept, path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"6 weights .* they would be random"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_a_folder_that_cannot_be_loaded_is_told_with_its_path(tmp_path):
    path = hf_folders.vilt(tmp_path / "broken")
    (path / "model.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
    with pytest.raises(ModelError, match="broken"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_a_model_for_another_task_is_refused(tmp_path):
    path = hf_folders.vilt(tmp_path / "other")
    said = {"architectures": ["BertForMaskedLM"], "model_type": "bert"}
    (path / "config.json").write_text(json.dumps(said))
    with pytest.raises(ModelError, match=r"BertForMaskedLM is not one that transformers .* can load to generate"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_options_that_cannot_work_are_refused_at_once(folder, regions):
    with pytest.raises(BadOption, match="no place for the question"):
        registry.make("model", f"hf:{folder('vilt')},prompt=Say something")
    with pytest.raises(BadOption, match="at least 1"):
        registry.make("model", f"hf:{folder('llava')},num_beams=0")
    with pytest.raises(ModelError, match=r"features=FILE\.npz"):
        registry.make("model", f"hf:{folder('visual_bert')}")
    with pytest.raises(ModelError, match="labels=FILE"):
        registry.make("model", f"hf:{folder('lxmert')},features={regions}")
    with pytest.raises(BadOption, match="looks at pixels"):
        registry.make("model", f"hf:{folder('vilt')},features={regions}")


def test_a_wrong_number_of_labels_stops_the_run(folder, regions, tmp_path):
    names = tmp_path / "two.json"
    names.write_text('["yes", "no"]')
    with pytest.raises(ModelError, match="scores 10 answers, but 2 are named"):
        registry.make("model", f"hf:{folder('vilt')},labels={names}").answer(QUESTIONS)


def test_region_features_that_are_missing_fail_alone(folder, regions):
    model = registry.make("model", spec("visual_bert", folder, regions))
    said = model.answer([QUESTIONS[0], Question(1, ImageRef("elsewhere"), "Is it red?")])
    assert not said[0].failed
    assert "no region features of image 'elsewhere'" in said[1].error


@pytest.mark.parametrize("name", ["vilt", "llava"])
def test_a_whole_run_on_the_world(name, folder, regions, tmp_path):
    model = spec(name, folder, regions, ",max_new_tokens=4")
    result = askew.evaluate(
        model, "world:val,scenes=40", "rad", output=tmp_path / "run", batch_size=16, resamples=50, max_failures=1
    )
    record = result.results
    assert set(record["failures"]["by_error"]) <= {"empty answer"}, "random weights may say nothing, but nothing fails"
    assert record["time"]["asked"] > 10
    assert record["model"]["extract"] == ("none-v1" if name == "vilt" else "short-v1")
    assert record["model"]["signature"].startswith(f"HuggingFace({name!r}")
    assert 0 <= result.score("accuracy.variant").value <= 1
    again = askew.evaluate(
        model, "world:val,scenes=40", "rad", output=tmp_path / "run", batch_size=5, resamples=50, max_failures=1
    )
    assert again.results["time"]["asked"] == 0
    assert again.score("accuracy.variant") == result.score("accuracy.variant")
