"""Folders that cannot be a model: each fault has its own message, before a question is asked."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version

import pytest

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
import hf_plain_families  # noqa: E402
from hf_asking import QUESTIONS  # noqa: E402
from hf_family_parts import VISION, llama, save  # noqa: E402

from askew import registry  # noqa: E402
from askew.errors import BadOption, ModelError  # noqa: E402
from askew.models.huggingface.folder import _QUANTISERS, find  # noqa: E402
from askew.models.huggingface.loading import explain  # noqa: E402

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return hf_folders.llava(tmp_path_factory.mktemp("hf") / "llava")


@pytest.fixture
def folder(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "llava")
    return tmp_path / "llava"


def change_config(folder, **values):
    config = json.loads((folder / "config.json").read_text()) | values
    (folder / "config.json").write_text(json.dumps(config))


def refusal(folder):
    """The message of the error, which loading alone must raise."""
    with pytest.raises(ModelError) as error:
        registry.make("model", f"hf:{folder}").runtime  # noqa: B018
    message = str(error.value)
    assert "Copy or save the folder again" not in message, "the message for everything else"
    return message


def test_code_in_the_folder_is_never_run_and_an_unknown_family_is_named(folder):
    change_config(folder, model_type="molmo", architectures=["Molmo"], auto_map={"AutoConfig": "molmo.MolmoConfig"})
    (folder / "molmo.py").write_text("raise SystemExit('this must not run')")
    assert "needs Python code from its folder (auto_map in config.json), which askew never runs" in refusal(folder)
    change_config(folder, auto_map={}, model_type="llava_of_tomorrow")
    (folder / "config.json").write_text((folder / "config.json").read_text().replace('"auto_map": {}', '"x": 1'))
    assert "does not know the model type 'llava_of_tomorrow'" in refusal(folder)


def test_quantised_weights_name_the_method_and_the_package(folder, monkeypatch):
    monkeypatch.setitem(_QUANTISERS, "awq", "no_such_package")
    change_config(folder, quantization_config={"quant_method": "awq", "bits": 4})
    message = refusal(folder)
    assert "the weights are quantised (awq), and the package 'no_such_package'" in message
    assert "give the checkpoint with full weights" in message
    change_config(folder, quantization_config={"quant_method": "fp8"})
    message = str(explain(find(str(folder)), "generate", RuntimeError("No GPU found")))
    assert "quantised (fp8), and transformers cannot load them here (RuntimeError: No GPU found)" in message


def test_damaged_and_missing_files_of_weights_are_named(folder):
    weights = folder / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-100])
    message = refusal(folder)
    assert f"{weights}: the weights are damaged: the file has {len(content) - 100:,} bytes" in message
    for damaged in (b"", b"\xff" * 50, content[:500], (3).to_bytes(8, "little") + b"[1]"):
        weights.write_bytes(damaged)
        assert f"{weights}: the weights are damaged" in refusal(folder)
    weights.write_bytes(content)
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model-00001-of-00002.safetensors").write_bytes(content)
    assert "1 of the 2 files of weights that model.safetensors.index.json names are missing" in refusal(folder)
    (folder / "model.safetensors.index.json").unlink()
    for file in folder.glob("*.safetensors"):
        file.unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04 and no end")
    assert "the end of the file is missing" in refusal(folder)


def test_weights_of_another_shape_are_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    change_config(folder, text_config={**config["text_config"], "hidden_size": 64})
    assert "the shapes of the weights do not match config.json" in refusal(folder)


def test_gguf_weights_are_refused_with_how_to_serve_them(folder):
    (folder / "model.safetensors").unlink()
    (folder / "llava-q4.gguf").write_bytes(b"GGUF")
    for given in (folder, folder / "llava-q4.gguf"):
        assert "these are GGUF weights, which llama.cpp runs" in refusal(given)
    (folder / "config.json").unlink()
    assert "openai:MODEL,base_url=" in refusal(folder)
    (folder / "notes.txt").write_text("")
    assert "this is a file. Give the folder that it is in" in refusal(folder / "notes.txt")


def test_a_model_of_text_alone_is_refused_before_its_weights_are_loaded(tmp_path):
    folder = tmp_path / "t5"
    tokenizer = hf_folders.chat_tokenizer()
    size = {"d_model": 32, "d_ff": 48, "d_kv": 8, "num_layers": 1, "num_heads": 4}
    config = transformers.T5Config(**size, vocab_size=len(tokenizer), decoder_start_token_id=0)
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    assert "T5ForConditionalGeneration has no image processor: it is a text-only model" in refusal(folder)


def test_an_encoder_decoder_that_only_reads_or_describes_images_is_refused(tmp_path):
    donut = hf_plain_families.donut(tmp_path / "donut")
    tokenizer = (donut / "tokenizer.json").read_text().replace("<s_answer>", "<s_menu>")
    (donut / "tokenizer.json").write_text(tokenizer)
    settings = (donut / "tokenizer_config.json").read_text().replace("<s_answer>", "<s_menu>")
    (donut / "tokenizer_config.json").write_text(settings)
    assert "does not answer questions: its tokenizer has no <s_answer>" in refusal(donut)
    assert registry.make("model", f"hf:{donut},prompt=<s_docvqa>{{question}}").runtime is not None


def test_missing_packages_are_named(folder):
    found = find(str(folder))
    timm = ImportError("\nTimmBackbone requires the timm library but it was not found in your environment.")
    assert "needs the package timm, which is not installed. Install it: pip install timm" in str(
        explain(found, "generate", timm)
    )
    words = ImportError("Package `num2words` is required, install it with `pip install num2words`.")
    assert "needs the package num2words" in str(explain(found, "generate", words))
    vision = ValueError("requires `torchvision` to be installed")
    own = version("torch").partition("+")[0]
    assert str(explain(found, "generate", vision)).endswith(f"source as torch: pip install torch=={own} torchvision")
    other = str(explain(found, "generate", KeyError("odd")))
    assert "KeyError: 'odd'" in other
    assert "Copy or save the folder again" in other


@pytest.mark.skipif(transformers.utils.is_torchvision_available(), reason="torchvision is installed")
def test_a_family_that_only_torchvision_prepares_images_for_says_so(tmp_path):
    tokenizer = hf_folders.chat_tokenizer("[IMG]", "[IMG_BREAK]", "[IMG_END]")
    config = transformers.LlavaConfig(
        vision_config=transformers.PixtralVisionConfig(**VISION),
        text_config=transformers.MistralConfig(**llama(tokenizer, head_dim=8)),
        image_token_id=tokenizer.convert_tokens_to_ids("[IMG]"),
    )
    model = transformers.LlavaForConditionalGeneration(config)
    images = transformers.PixtralImageProcessorPil(patch_size={"height": 8, "width": 8})
    folder = save(tmp_path / "pixtral", model, tokenizer, images, "PixtralProcessor")
    assert "with torchvision, which is not installed or does not fit torch" in refusal(folder)


def test_a_font_is_required_only_where_one_is_used(folder, tmp_path):
    pix2struct = hf_plain_families.pix2struct(tmp_path / "pix2struct")
    inside = repr(registry.make("model", f"hf:{pix2struct}"))
    font = (pix2struct / "font.ttf").rename(tmp_path / "other.ttf")
    assert "Give one with font=FILE.ttf" in refusal(pix2struct)
    given = registry.make("model", f"hf:{pix2struct},font={font}")
    assert repr(given) == inside, "the same font"
    assert "font=" in repr(given)
    with pytest.raises(BadOption, match="cannot be read as a font"):
        registry.make("model", f"hf:{pix2struct},font={pix2struct / 'config.json'}")
    with pytest.raises(BadOption, match=r"font=\.\.\. is for Pix2Struct"):
        registry.make("model", f"hf:{folder},font={font}")


def test_a_complete_folder_is_not_refused(folder):
    assert not any(prediction.error for prediction in registry.make("model", f"hf:{folder}").answer(QUESTIONS[:1]))
