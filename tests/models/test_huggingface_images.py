"""Each image is decoded, prepared and encoded once, and the answers stay the same."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")

import hf_folders  # noqa: E402

from askew.models.huggingface import generate, visual_inputs  # noqa: E402
from askew.models.huggingface.hf_model import hf  # noqa: E402
from askew.models.huggingface.visual_inputs import Decoded, PreparedOnce, encoded_once, places  # noqa: E402
from askew.types import ImageRef, Question  # noqa: E402


def random_image(number, size):
    return Image.fromarray(np.random.default_rng(number).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


def ref(number, size):
    content = io.BytesIO()
    random_image(number, size).save(content, "PNG")
    return ImageRef(f"image {number}", data=content.getvalue())


A, B, C = random_image(1, (80, 60)), random_image(2, (40, 40)), random_image(3, (33, 90))
BATCH = [A, B, A, C, A, B]


@pytest.mark.parametrize(
    ("processor", "nested"),
    [
        (transformers.ViltImageProcessorPil(size={"shortest_edge": 64}, size_divisor=16), False),
        (transformers.BlipImageProcessorPil(size={"height": 32, "width": 32}), False),
        (transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}), True),
        (transformers.Qwen2VLImageProcessorPil(patch_size=8, size={"shortest_edge": 1024, "longest_edge": 4096}), True),
        (transformers.Idefics3ImageProcessorPil(size={"longest_edge": 64}, max_image_size={"longest_edge": 32}), True),
        (transformers.LlavaNextImageProcessorPil(image_grid_pinpoints=[[336, 672], [672, 336]]), False),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, bool) else "",
)
def test_images_prepared_once_equal_images_prepared_each_time(processor, nested, monkeypatch):
    images = [[image] for image in BATCH] if nested else BATCH
    more = {"return_row_col_info": True} if "Idefics" in type(processor).__name__ else {}
    whole = processor(images, return_tensors="pt", **more)
    seen = []
    original = type(processor).preprocess

    def counted(self, images, *args, **kwargs):
        seen.append(len(images))
        return original(self, images, *args, **kwargs)

    monkeypatch.setattr(type(processor), "preprocess", counted)
    once = PreparedOnce(processor)
    made = once(images, return_tensors="pt", **more)
    assert seen == [3]
    assert set(made) == set(whole)
    for key, value in whole.items():
        same = torch.equal(made[key], value) if isinstance(value, torch.Tensor) else made[key] == value
        assert same, key
    assert once.size == processor.size


@pytest.mark.parametrize(("name", "rows"), [("blip", 2), ("blip2", 2), ("llava", 2), ("qwen2_vl", 2)])
def test_the_image_encoder_sees_each_image_once(name, rows, tmp_path, monkeypatch):
    """Four questions about two images: the encoder gets as many rows as for one question about each."""
    model = hf(str(getattr(hf_folders, name)(tmp_path / name)), max_new_tokens=3)
    first, second = ref(1, (80, 60)), ref(2, (40, 40))
    questions = [Question(n, image, "Is it red?") for n, image in enumerate((first, second, first, first))]
    encoder = model.runtime.loaded.model.get_encoder(modality="image")
    counted = []
    inner = encoder.patch_embed if name == "qwen2_vl" else encoder.embeddings
    inner.register_forward_pre_hook(
        lambda module, args, kwargs: counted.append((args[0] if args else kwargs["pixel_values"]).shape[0]),
        with_kwargs=True,
    )
    model.answer(questions[:2])
    model.answer(questions)
    assert counted[0] == counted[1]
    assert name == "qwen2_vl" or counted[0] == rows
    monkeypatch.setattr(generate, "encoded_once", _as_it_comes)
    plain = model.answer(questions)
    assert counted[2] > counted[1]
    monkeypatch.undo()
    assert [p.answer for p in model.answer(questions)] == [p.answer for p in plain]
    assert len({p.answer for p in plain}) == 2


class _as_it_comes:  # noqa: N801
    """Replaces encoded_once: images are not shared."""

    def __init__(self, *args):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *trouble):
        return None


def test_hooks_are_gone_after_an_error(tmp_path):
    model = hf(str(hf_folders.blip(tmp_path / "blip"))).runtime.loaded.model
    encoder = model.get_encoder(modality="image")
    with encoded_once(model, [A, A]):
        assert encoder._forward_hooks
    with pytest.raises(ZeroDivisionError), encoded_once(model, [A, A]):
        raise ZeroDivisionError
    assert not encoder._forward_hooks
    assert not encoder._forward_pre_hooks


def test_an_image_is_decoded_once_while_there_is_room_for_it(monkeypatch):
    opened = []
    original = visual_inputs.open_image
    monkeypatch.setattr(visual_inputs, "open_image", lambda ref: opened.append(ref.id) or original(ref))
    monkeypatch.setattr(visual_inputs, "MEMORY", 2 * 8 * 8 * 3)  # two images
    one, copy, other, third = ref(1, (8, 8)), ref(1, (8, 8)), ref(2, (8, 8)), ref(3, (8, 8))
    decoded = Decoded()
    first = [decoded.of(image) for image in (one, other, copy)]
    assert first[0] is first[2]
    assert opened == ["image 1", "image 2"]
    decoded.of(third)
    assert decoded.of(one) is first[0], "it was used later than the second"
    decoded.of(other)
    assert opened == ["image 1", "image 2", "image 3", "image 2"]


def test_places_of_a_single_image():
    assert places([A]) == ([0], [0])
    assert places([]) == ([], [])
