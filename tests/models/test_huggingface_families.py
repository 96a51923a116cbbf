"""A tiny random model of each family: loaded offline, asked singly and in a batch, compared with transformers alone."""

from __future__ import annotations

import io
import json
import socket

import pytest
from PIL import Image

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
import huggingface_hub  # noqa: E402
from family_table import TORCHVISION, TRIED, locked_version, states, table, written  # noqa: E402
from hf_asking import PIXELS, QUESTIONS  # noqa: E402
from hf_families import FAMILIES  # noqa: E402

from askew import registry  # noqa: E402
from askew.errors import ModelError  # noqa: E402
from askew.models.huggingface.folder import Folder  # noqa: E402
from askew.models.huggingface.loading import explain, load_processor  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # transformers'

THINKING = ',template={"enable_thinking": false}'
OPTIONS = {"qwen3_5": THINKING, "qwen3_vl_thinking": THINKING}
FEW = {"pix2struct": 2}
"""Questions that a slow family is asked: Pix2Struct always reads 2,048 patches."""


@pytest.fixture
def no_network(monkeypatch):
    """The hub is not disabled, but any attempt to connect to it, or to anything else, fails the test."""

    def refuse(*args, **options):
        raise AssertionError(f"tried to connect: {args}")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(huggingface_hub.HfApi, "hf_hub_download", refuse)


@pytest.mark.parametrize("name", [name for name in TRIED if name in FAMILIES])
def test_a_family_answers_the_same_alone_in_a_batch_and_in_transformers(name, tmp_path, no_network):
    folder = FAMILIES[name](tmp_path / name)
    questions = QUESTIONS[: FEW.get(name, 8)]
    model = registry.make("model", f"hf:{folder},max_new_tokens=5{OPTIONS.get(name, '')}")
    alone = [model.answer([question])[0].answer for question in questions]
    assert len(set(alone)) > 1, "a model that gives one answer to everything proves nothing"
    assert None not in alone
    together = model.answer(questions)
    assert [prediction.answer for prediction in together] == alone
    assert [prediction.remark for prediction in together] == [""] * len(questions), "no batch was split"
    assert questions[0].text.lower()[:10] in model.preview(questions[0]).lower()
    if model.folder.chat_template:
        assert reference(folder, questions[1], OPTIONS.get(name)) == alone[1]


def reference(folder, question, thinking):
    """The answer of transformers alone, with the text and the tensors that its own processor makes."""
    model = registry.make("model", f"hf:{folder}")
    processor = model.runtime.loaded.processor
    content = [{"type": "image"}, {"type": "text", "text": model.fill_prompt(question)}]
    options = {"enable_thinking": False} if thinking else {}
    text = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True, **options)
    image = Image.open(io.BytesIO(question.image.data))
    special = {"add_special_tokens": False} if text.startswith("<s>") else {}
    inputs = processor(text=[text], images=[[image]], return_tensors="pt", **special)
    bare = transformers.AutoModelForImageTextToText.from_pretrained(folder).eval()
    with torch.inference_mode():
        output = bare.generate(**inputs, max_new_tokens=5, do_sample=False)
    return processor.tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True).strip()


def test_the_table_of_families_is_current():
    if transformers.__version__ != locked_version():
        pytest.skip(f"the table is of transformers {locked_version()}, and {transformers.__version__} is installed")
    assert written() == table(), "write it again: python tests/models/family_table.py"
    built = {name for name in TRIED if name in FAMILIES} | set(PIXELS)
    assert built == set(TRIED), "a family works when a test says so"


@pytest.mark.skipif(transformers.utils.is_torchvision_available(), reason="torchvision is installed")
def test_families_that_only_torchvision_prepares_images_for_say_so(tmp_path):
    """From the processor alone: it is loaded before the weights."""
    image_types = transformers.models.auto.image_processing_auto.IMAGE_PROCESSOR_MAPPING_NAMES
    refused = [family for family, (_, note) in states().items() if note == TORCHVISION]
    assert {"cohere2_vision", "mistral3", "llama4"} <= set(refused)
    hf_folders.chat_tokenizer("<image>").save_pretrained(tmp_path)
    for family in refused:
        config = transformers.CONFIG_MAPPING[family]()
        (tmp_path / "preprocessor_config.json").write_text(
            json.dumps({"image_processor_type": image_types[family]["torchvision"]})
        )
        (tmp_path / "config.json").write_text(json.dumps({"model_type": family}))
        folder = Folder(tmp_path, family, config={"model_type": family})
        with pytest.raises(Exception) as error:  # noqa: PT011
            load_processor(transformers, folder, config)
        message = str(error.value if isinstance(error.value, ModelError) else explain(folder, "generate", error.value))
        assert f"prepares images of {family!r} with torchvision" in message, message
