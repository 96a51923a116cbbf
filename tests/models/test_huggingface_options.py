"""Options of Hugging Face models: their place in the signature, how models are loaded, and what is refused."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
from hf_asking import IMAGES, QUESTIONS, answers, folders, region_file, spec  # noqa: E402

from askew import registry  # noqa: E402
from askew.engine.ask import AskedBatch, answer_batch, answers_of  # noqa: E402
from askew.errors import BadOption, MissingExtra, ModelError  # noqa: E402
from askew.models.huggingface.hf_model import HuggingFace  # noqa: E402
from askew.types import Question  # noqa: E402

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folders(tmp_path_factory.mktemp("hf"))


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    return region_file(tmp_path_factory.mktemp("regions") / "regions.npz")


def test_the_signature_has_exactly_the_options_that_change_answers(folder, regions, tmp_path):
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
    question = Question(1, IMAGES[0], "Is it {context} red?", context="A car.")
    assert model.fill_prompt(question) == "Look, then say\nA car. Is it {context} red?"
    assert model.runtime.prompt("Hm?") == "USER: <image>\nHm?\nASSISTANT:"
    placed = registry.make("model", spec("llava", folder, regions, ",prompt={context}|{question}"))
    assert placed.fill_prompt(question) == "A car.|Is it {context} red?"
    said = {
        more: answers(registry.make("model", spec("llava", folder, regions, more)))
        for more in ("", ",prompt={question}")
    }
    assert said[""] != said[",prompt={question}"]


def test_without_a_chat_template_the_image_token_is_put_into_the_text(tmp_path):
    model = registry.make("model", f"hf:{hf_folders.llava(tmp_path / 'llava', chat=False)},max_new_tokens=3")
    text = model.fill_prompt(QUESTIONS[7])
    assert model.runtime.prompt(text).startswith("USER: <image>\nIs it red?\nAnswer")
    assert answers(model, size=3) == answers(model, size=1)
    bare = registry.make("model", f"hf:{model.folder.path},prompt={{question}}")
    assert bare.runtime.prompt("Is it?") == "<image>Is it?"


def test_a_folder_that_asks_for_sampling_is_decoded_greedily(folder, regions, tmp_path):
    path = tmp_path / "sampling"
    shutil.copytree(folder("llava"), path)
    config = json.loads((path / "generation_config.json").read_text())
    config |= {"do_sample": True, "temperature": 5.0, "top_k": 50, "top_p": 0.9, "max_length": 20}
    (path / "generation_config.json").write_text(json.dumps(config))
    assert answers(registry.make("model", f"hf:{path}")) == answers(
        registry.make("model", spec("llava", folder, regions))
    )


def test_a_missing_package_is_reported_with_the_extra_that_installs_it(folder, monkeypatch):
    path = folder("vilt")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"askew\[hf\]"):
        registry.make("model", f"hf:{path}")


@pytest.mark.parametrize("name", ["vilt", "llava"])
def test_half_precision_and_beams(name, folder, regions):
    model = registry.make("model", spec(name, folder, regions, ",dtype=float16,num_beams=3,max_new_tokens=3"))
    answers(model)
    assert model.runtime.loaded.dtype == torch.float16


def test_dtype_auto_is_as_saved_on_a_gpu_and_float32_on_a_cpu(tmp_path, monkeypatch):
    path = hf_folders.vilt(tmp_path / "vilt")
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))

    def dtype(more=""):
        return registry.make("model", f"hf:{path}{more}").dtype

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert (dtype(), dtype(",device=cpu"), dtype(",dtype=float16")) == ("float32", "float32", "float16")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert (dtype(), dtype(",device=cpu"), dtype(",device=cuda")) == ("bfloat16", "float32", "bfloat16")


def test_scores_that_are_not_finite_are_not_answers(folder, regions, tmp_path):
    model = registry.make("model", spec("vilt", folder, regions))
    with torch.no_grad():
        model.runtime.loaded.model.classifier[-1].bias.fill_(float("nan"))
    assert all("not finite numbers" in p.error for p in model.answer(QUESTIONS))


def test_missing_weights_are_refused_not_initialised_at_random(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    path = hf_folders.vilt(tmp_path / "half")
    weights = load_file(path / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if not name.startswith("classifier")}
    save_file(kept, path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"6 weights .* they would be random"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_a_folder_without_a_vocabulary_is_refused(tmp_path):
    path = hf_folders.vilt(tmp_path / "wordless")
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
        (path / name).unlink(missing_ok=True)
    with pytest.raises(ModelError, match=r"wordless: the tokenizer's vocabulary is missing \(.*vocab\.txt\)"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_a_model_without_a_generate_method_is_refused(folder):
    with pytest.raises(ModelError, match="ViltForQuestionAnswering has no generate method"):
        registry.make("model", f"hf:{folder('vilt')},task=generate").answer(QUESTIONS)


def test_a_folder_that_cannot_be_loaded_is_reported_with_its_path(tmp_path):
    path = hf_folders.vilt(tmp_path / "broken")
    (path / "model.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
    with pytest.raises(ModelError, match="broken"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_a_model_for_another_task_is_refused(tmp_path):
    path = hf_folders.vilt(tmp_path / "other")
    config = {"architectures": ["BertForMaskedLM"], "model_type": "bert"}
    (path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"BertForMaskedLM cannot be loaded by transformers .* to generate"):
        registry.make("model", f"hf:{path}").answer(QUESTIONS)


def test_options_that_cannot_work_are_refused_at_once(folder, regions):
    with pytest.raises(BadOption, match=r"has no \{question\} in it"):
        registry.make("model", f"hf:{folder('vilt')},prompt=Say something")
    with pytest.raises(BadOption, match="at least 1"):
        registry.make("model", f"hf:{folder('llava')},num_beams=0")
    with pytest.raises(ModelError, match=r"features=FILE\.npz"):
        registry.make("model", f"hf:{folder('visual_bert')}")
    with pytest.raises(ModelError, match="labels=FILE"):
        registry.make("model", f"hf:{folder('lxmert')},features={regions}")
    with pytest.raises(BadOption, match="reads pixels"):
        registry.make("model", f"hf:{folder('vilt')},features={regions}")


def test_a_wrong_number_of_labels_stops_the_run(folder, regions, tmp_path):
    names = tmp_path / "two.json"
    names.write_text('["yes", "no"]')
    with pytest.raises(ModelError, match="scores 10 answers, but there are 2 labels"):
        registry.make("model", f"hf:{folder('vilt')},labels={names}").answer(QUESTIONS)


def test_questions_of_equal_length_are_gathered_from_the_whole_window(tmp_path):
    """BLIP's questions of eight lengths, two of each: eight whole batches of two instead of sixteen of one."""
    model = registry.make("model", f"hf:{hf_folders.blip(tmp_path / 'blip')},max_new_tokens=5")
    twice = [replace(one, id=f"{one.id}/{copy}") for copy in "ab" for one in QUESTIONS]
    batches = model.batches(twice, 2)
    lengths = model.runtime.lengths([one.text for one in twice])
    assert sorted(place for batch in batches for place in batch) == list(range(16))
    assert all(len({lengths[place] for place in batch}) == 1 and len(batch) <= 2 for batch in batches)
    assert len(batches) == sum(-(-lengths.count(length) // 2) for length in set(lengths))
    alone = {one.id: model.answer([one])[0].answer for one in twice}
    sizes = []
    for said in answers_of(model, {one.id: one for one in twice}, 2):
        sizes.append(len(said))
        assert {key: each.answer for key, each in said.items()} == {key: alone[key] for key in said}
    assert len(sizes) == len(batches)
    together = answer_batch(model, AskedBatch(twice, size=2))  # as a worker is sent several batches
    assert [each.answer for each in together] == [alone[one.id] for one in twice]
