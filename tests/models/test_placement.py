"""Devices, attention and quantisation of Hugging Face models: what transformers is told, with a fake torch."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
from hf_asking import QUESTIONS  # noqa: E402

from askew import registry  # noqa: E402
from askew.errors import BadOption, ModelError  # noqa: E402
from askew.models.huggingface import placement  # noqa: E402
from askew.models.huggingface.placement import Placement, pick_device  # noqa: E402

pytestmark = pytest.mark.usefixtures("offline")


class Moved:
    """A model that notes where it is moved."""

    device = "nowhere"

    def to(self, device):
        self.device = device
        return self


def fake_torch(gpus, mps=False):
    return SimpleNamespace(
        __version__="fake",
        bfloat16="bfloat16",
        cuda=SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
    )


@pytest.fixture
def machine(monkeypatch):
    """A machine with so many GPUs, in the process of that worker."""

    def with_gpus(count, worker=0):
        monkeypatch.setattr(placement, "need", lambda package, extra: fake_torch(count))
        monkeypatch.setattr(placement, "worker_number", lambda: worker)

    return with_gpus


def test_a_gpu_is_named_or_chosen(machine):
    machine(0)
    assert pick_device("auto") == pick_device("cpu") == "cpu"
    with pytest.raises(ModelError, match="finds no device 'cuda:1'"):
        pick_device("cuda:1")
    machine(2)
    assert [pick_device(device) for device in ("auto", "cuda", "cuda:1", "cpu")] == ["cuda", "cuda", "cuda:1", "cpu"]
    with pytest.raises(ModelError, match="finds 2 GPUs here, up to cuda:1, and not 'cuda:2'"):
        pick_device("cuda:2")


def test_each_worker_process_has_a_gpu_of_its_own(machine):
    chosen = []
    for worker in (1, 2, 3, 4, 7, 8, 9):  # after a lost worker, a new pool counts on
        machine(3, worker)
        chosen.append(pick_device("cuda"))
    assert chosen == ["cuda:0", "cuda:1", "cuda:2", "cuda:0", "cuda:0", "cuda:1", "cuda:2"]
    assert pick_device("cuda:1") == "cuda:1"
    machine(1, 2)
    assert pick_device("auto") == "cuda"  # as on a Ray cluster, which shows each worker one


def test_transformers_is_told_where_and_how(machine, monkeypatch):
    machine(2)
    monkeypatch.setattr(placement.importlib.util, "find_spec", lambda package: True)
    kinds = SimpleNamespace(BitsAndBytesConfig=lambda **given: given)

    def arguments(**options):
        return Placement(dtype="bfloat16", **options).arguments(fake_torch(2), kinds)

    assert arguments(device="cuda:1") == {"dtype": "bfloat16"}
    assert Placement("cuda:1").placed(Moved()).device == "cuda:1"
    assert arguments(device_map="auto") == {"dtype": "bfloat16", "device_map": "auto"}
    assert Placement(device_map="auto").placed(Moved()).device == "nowhere", "accelerate placed it"
    assert arguments(attention="flash_attention_2")["attn_implementation"] == "flash_attention_2"
    four = arguments(device="cuda:1", quantise="4bit")
    assert four["quantization_config"] == {"load_in_4bit": True, "bnb_4bit_compute_dtype": "bfloat16"}
    assert four["device_map"] == {"": "cuda:1"}
    assert arguments(quantise="8bit", device_map="balanced")["device_map"] == "balanced"
    assert Placement("cuda:1", quantise="8bit").placed(Moved()).device == "nowhere", "it cannot be moved"


def test_options_of_placement_are_checked_before_weights_are_loaded(tmp_path, monkeypatch):
    folder = hf_folders.llava(tmp_path / "llava")
    refused = {
        "device=gpu": (BadOption, "'gpu' is not a device. Write auto, cpu, cuda, cuda:1 or mps"),
        "device=cpu,device_map=auto": (BadOption, "leave device=... out"),
        "device_map=all": (BadOption, "'all' is not one of auto, balanced"),
    }
    monkeypatch.setattr(
        placement.importlib.util, "find_spec", lambda package: package in ("torch", "transformers") or None
    )
    refused |= {
        "quantise=4bit": (ModelError, "quantise=4bit needs the package bitsandbytes, .*pip install bitsandbytes"),
        "attention=flash_attention_2": (ModelError, "pip install flash-attn"),
        "device_map=auto": (ModelError, "pip install accelerate"),
    }
    for options, (kind, words) in refused.items():
        with pytest.raises(kind, match=words):
            registry.make("model", f"hf:{folder},{options}")


def test_attention_is_passed_on_and_in_the_signature(tmp_path):
    folder = hf_folders.llava(tmp_path / "llava")
    eager = registry.make("model", f"hf:{folder},attention=eager,max_new_tokens=4")
    usual = registry.make("model", f"hf:{folder},max_new_tokens=4")
    assert eager.runtime.loaded.model.config._attn_implementation == "eager"
    assert ", attention=eager" in repr(eager)
    assert "attention" not in repr(usual)
    assert [one.answer for one in eager.answer(QUESTIONS[:3])] == [one.answer for one in usual.answer(QUESTIONS[:3])]


def test_a_map_of_devices_gives_the_same_answers(tmp_path):
    pytest.importorskip("accelerate")
    folder = hf_folders.llava(tmp_path / "llava")
    spread = registry.make("model", f"hf:{folder},device_map=auto,max_new_tokens=4")
    usual = registry.make("model", f"hf:{folder},max_new_tokens=4")
    assert repr(spread) == repr(usual)
    assert [one.answer for one in spread.answer(QUESTIONS[:3])] == [one.answer for one in usual.answer(QUESTIONS[:3])]
