"""LoRA adapters: applied to the weights and in the signature, or refused with what to do."""

from __future__ import annotations

import json
import shutil

import pytest

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
peft = pytest.importorskip("peft", reason="the extra peft is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
from hf_asking import QUESTIONS, answers  # noqa: E402

from askew import registry  # noqa: E402
from askew.errors import BadOption, ModelError  # noqa: E402
from askew.models.huggingface import hf_model  # noqa: E402

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A base model, an adapter of it with random weights, and the answers of both merged by peft."""
    base = tmp_path_factory.mktemp("hf")
    folder = hf_folders.llava(base / "base")
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder)
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"])
    adapted = peft.get_peft_model(model, config)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.5, generator=generator)
    adapted.save_pretrained(base / "adapter")
    shutil.copytree(folder, base / "merged")
    adapted.merge_and_unload().save_pretrained(base / "merged")
    return base


def made(spec):
    return registry.make("model", f"hf:{spec},max_new_tokens=5")


def test_an_adapter_is_applied_whether_given_or_beside_the_weights(folders, tmp_path):
    plain, merged = made(folders / "base"), answers(made(folders / "merged"))
    given = made(f"{folders / 'base'},adapter={folders / 'adapter'}")
    assert answers(plain) != merged
    assert answers(given) == merged
    beside = tmp_path / "beside"
    shutil.copytree(folders / "base", beside)
    for file in (folders / "adapter").iterdir():
        shutil.copy(file, beside)
    assert answers(made(beside)) == merged
    assert len({repr(plain), repr(given), repr(made(beside))}) == 3
    before = repr(made(beside))
    (beside / "adapter_model.safetensors").unlink()
    torch.save({}, beside / "adapter_model.bin")
    assert repr(made(beside)) != before, "weights of an adapter in the older format count too"


def test_an_adapter_whose_weights_have_other_shapes_is_named(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    other = tmp_path / "other"
    shutil.copytree(folders / "adapter", other)
    weights = load_file(other / "adapter_model.safetensors")
    save_file({name: w[:, :2].contiguous() for name, w in weights.items()}, other / "adapter_model.safetensors")
    with pytest.raises(ModelError) as error:
        answers(made(f"{folders / 'base'},adapter={other}"))
    assert str(error.value).startswith(
        f"{other}: the adapter cannot be applied to the model (the shapes of its weights"
    )
    assert "config.json" not in str(error.value)


def test_an_adapter_that_does_not_fit_is_refused(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    other = tmp_path / "other"
    shutil.copytree(folders / "adapter", other)
    weights = load_file(other / "adapter_model.safetensors")
    save_file({name.replace("q_proj", "k_proj"): w for name, w in weights.items()}, other / "adapter_model.safetensors")
    with pytest.raises(ModelError, match=r"does not fit the model: \d+ of its weights are not in the model"):
        made(f"{folders / 'base'},adapter={other}").answer(QUESTIONS)


def test_missing_parts_of_an_adapter_are_named(folders, tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"has an adapter \(LoRA\) of '.*base', not a whole model.*hf:.*,adapter="):
        made(folders / "adapter")
    half = tmp_path / "half"
    shutil.copytree(folders / "adapter", half)
    shutil.copy(folders / "base" / "config.json", half)
    with pytest.raises(ModelError, match="not a whole model"):
        made(half)
    with pytest.raises(ModelError, match=r"no adapter_config\.json"):
        made(f"{folders / 'base'},adapter={folders / 'base'}")
    (half / "adapter_model.safetensors").unlink()
    with pytest.raises(ModelError, match="the adapter has no weights"):
        made(f"{folders / 'base'},adapter={half}")
    beside = tmp_path / "beside"
    shutil.copytree(folders / "base", beside)
    (beside / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA"}))
    with pytest.raises(BadOption, match="has an adapter of its own"):
        made(f"{beside},adapter={folders / 'adapter'}")
    monkeypatch.setattr(hf_model.importlib.util, "find_spec", lambda name: None if name == "peft" else True)
    with pytest.raises(ModelError, match=r"needs the package peft.*askew\[peft\].*merge_and_unload"):
        made(f"{folders / 'base'},adapter={folders / 'adapter'}")
