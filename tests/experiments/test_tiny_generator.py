"""The tiny generator of the experiment on adapters: it is asked in the form in which it was trained."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="the extra peft is not installed")
pytest.importorskip("transformers", reason="the extra peft is not installed")

from askew.experiments import tiny_generator  # noqa: E402
from askew.experiments.tiny_generator import PROMPT, train_tiny_generator  # noqa: E402
from askew.registry import make, open_data  # noqa: E402
from askew.train.adapters.answer_targets import targets_of  # noqa: E402


def test_a_tiny_generator_is_asked_as_it_was_trained(tmp_path, monkeypatch, world_cache):
    monkeypatch.setenv("ASKEW_CACHE", str(world_cache))
    monkeypatch.setattr(tiny_generator, "EPOCHS", {"seeing": 1, "answering": 1})
    questions = list(open_data("world:train,scenes=3").questions())
    folder = train_tiny_generator(questions, tmp_path, seed=0)
    before = (folder / "model.safetensors").read_bytes()
    assert train_tiny_generator(questions, tmp_path, seed=0) == folder, "a finished one is not trained again"
    (folder / "processor_config.json").unlink()
    train_tiny_generator(questions, tmp_path, seed=0)
    assert (folder / "model.safetensors").read_bytes() == before, "from its last states it ends the same"

    model = make("model", f"hf:{folder},prompt={PROMPT}")
    targets, loaded = targets_of(model), model.runtime.loaded
    targets.check(questions[:4])
    vision, pixels = loaded.model.get_encoder(modality="image"), tiny_generator._pixels(loaded.processor, questions[:4])
    patches = tiny_generator._encode(vision, pixels)
    trained = tiny_generator._answering(loaded.model, loaded.tokenizer, questions[:4], patches, torch.arange(4))
    with torch.no_grad():
        for row, question in enumerate(questions[:4]):
            (part,) = targets.parts([question])
            asked = targets.errors(targets.logits(loaded.model, part), targets.wanted(part))
            assert trained(torch.tensor([row])).item() == pytest.approx(asked.item(), rel=0.02)
