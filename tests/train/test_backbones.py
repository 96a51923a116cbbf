"""Features of any image by vision backbones, which are tiny and randomly initialised here."""

from __future__ import annotations

import io
import shutil
import tracemalloc
from random import Random

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

pytest.importorskip("transformers", reason="the extra hf is not installed")
from transformers import (
    BertConfig,
    BertModel,
    BitImageProcessorPil,
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    ConvNextImageProcessorPil,
    DetrConfig,
    DetrForObjectDetection,
    DetrImageProcessorPil,
    Dinov2Config,
    Dinov2Model,
    Dinov2WithRegistersConfig,
    Dinov2WithRegistersModel,
    ResNetConfig,
    ResNetModel,
    SiglipImageProcessorPil,
    SiglipVisionConfig,
    SiglipVisionModel,
    ViTConfig,
    ViTForImageClassification,
    ViTImageProcessorPil,
)

from askew.errors import AskewError, BadImage, BadOption, DataError, ModelError
from askew.registry import make
from askew.train import batches
from askew.train.backbones import HfBackbone, OnnxBackbone
from askew.train.checkpoint import load_trained
from askew.train.features import BackboneFeatures, open_features
from askew.train.loop import train
from askew.types import ImageRef, Kind, Question

SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
VISION = {**SIZE, "image_size": 32, "patch_size": 8}
SQUARE = {"height": 32, "width": 32}
CROP = {"size": {"shortest_edge": 36}, "crop_size": SQUARE}
BACKBONES = {
    "clip": (
        CLIPModel,
        CLIPConfig(text_config={**SIZE, "vocab_size": 20}, vision_config=VISION, projection_dim=8),
        CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size=SQUARE),
    ),
    "siglip": (SiglipVisionModel, SiglipVisionConfig(**VISION), SiglipImageProcessorPil(size=SQUARE)),
    "dinov2": (Dinov2Model, Dinov2Config(**VISION, mlp_ratio=2), BitImageProcessorPil(**CROP)),
    "registers": (
        Dinov2WithRegistersModel,
        Dinov2WithRegistersConfig(**VISION, mlp_ratio=2, num_register_tokens=8),
        BitImageProcessorPil(**CROP),
    ),
    "vit": (ViTForImageClassification, ViTConfig(**VISION), ViTImageProcessorPil(size=SQUARE)),
    "resnet": (
        ResNetModel,
        ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic"),
        ConvNextImageProcessorPil(size={"shortest_edge": 32}, crop_pct=0.875),
    ),
    "detr": (
        DetrForObjectDetection,
        DetrConfig(
            use_timm_backbone=False,
            backbone_config=ResNetConfig(
                embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", out_features=["stage2"]
            ),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=24,
            decoder_ffn_dim=24,
            num_queries=10,
            num_labels=5,
        ),
        DetrImageProcessorPil(size={"shortest_edge": 32, "longest_edge": 64}),
    ),
}
PATCHES = tuple(name for name in BACKBONES if name != "detr")


def save(name, folder, seed=0):
    network, config, processor = BACKBONES[name]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network(config).save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    home = tmp_path_factory.mktemp("backbones")
    return {name: save(name, home / name) for name in BACKBONES}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))


def photo(number, size=(48, 40)):
    rng = np.random.default_rng(number)
    file = io.BytesIO()
    small = Image.fromarray(rng.integers(0, 256, (4, 5, 3), dtype=np.uint8))
    small.resize(size, Image.Resampling.BICUBIC).save(file, "PNG")
    return ImageRef(number, data=file.getvalue())


PHOTOS = [photo(number, (40 + 8 * (number % 3), 40)) for number in range(7)]


class Counts:
    """A backbone that counts the images it is shown, and stops at an image."""

    def __init__(self, inner, stop=None, batch_size=2):
        self.inner, self.stop, self.batch_size, self.shown = inner, stop, batch_size, []

    def __repr__(self):
        return repr(self.inner)

    def encode(self, images):
        assert len(images) <= self.batch_size
        if self.stop in [image.id for image in images]:
            raise KeyboardInterrupt
        self.shown += [image.id for image in images]
        return self.inner.encode(images)


def onnx_file(path, *, size=8, fixed=None, map_output=True):
    """A convolution over patches of 4 x 4 pixels to 5 numbers, as a map or as tokens; ``fixed``: images in a batch."""
    weights = np.random.default_rng(0).normal(size=(5, 3, 4, 4)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["pixels", "w"], ["map"], strides=[4, 4])]
    tensors = [numpy_helper.from_array(weights, "w")]
    if not map_output:
        tensors.append(numpy_helper.from_array(np.array([0, 5, -1]), "shape"))
        nodes.append(helper.make_node("Reshape", ["map", "shape"], ["flat"]))
        nodes.append(helper.make_node("Transpose", ["flat"], ["tokens"], perm=[0, 2, 1]))
    batch = fixed or "N"
    out = ("map", [batch, 5, None, None]) if map_output else ("tokens", [batch, None, 5])
    side = size or "side"
    graph = helper.make_graph(
        nodes,
        "patches",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [batch, 3, side, side])],
        [helper.make_tensor_value_info(out[0], TensorProto.FLOAT, out[1])],
        tensors,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return str(path)


def same(one, other):
    return len(one) == len(other) and all(
        np.allclose(a.features, b.features, rtol=2e-3, atol=2e-3) and np.allclose(a.boxes, b.boxes, atol=1e-3)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", [*BACKBONES, "onnx"])
def test_an_image_has_the_same_features_in_any_batch_and_order(name, folders, tmp_path, monkeypatch):
    spec = f"onnx:{onnx_file(tmp_path / 'patches.onnx')}" if name == "onnx" else f"hf:{folders[name]}"
    found = {}
    for size, order in ((1, 0), (3, 1), (7, 2)):
        monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / str(size)))
        shuffled = Random(order).sample(PHOTOS, len(PHOTOS))
        seen = open_features(f"{spec},batch_size={size}").get_many(shuffled)
        found[size] = [seen[shuffled.index(image)] for image in PHOTOS]
    assert same(found[1], found[3])
    assert same(found[1], found[7])
    assert not same(found[1][:1], found[1][1:2])
    assert all(one.features.dtype == np.float32 and np.isfinite(one.features).all() for one in found[1])


@pytest.mark.parametrize("name", PATCHES)
def test_patches_are_regions_of_the_whole_image(name, folders):
    """A change in the left margin, which these models' processors crop, changes the region there the most."""
    changed = Image.open(io.BytesIO(PHOTOS[1].data)).convert("RGB")
    changed.paste((255, 0, 0), (0, 0, 2, 2))
    file = io.BytesIO()
    changed.save(file, "PNG")
    backbone = HfBackbone(str(folders[name]), grid=0, layer=1 if name != "resnet" else -1)
    before, after = backbone.encode([PHOTOS[1], ImageRef("red", data=file.getvalue())])
    moved = np.abs(after.features - before.features).mean(axis=1)
    assert moved.argmax() == 0
    side = 8 if name == "resnet" and len(moved) == 64 else 4
    assert len(moved) == side * side
    assert before.boxes[0].tolist() == [0, 0, 1 / side, 1 / side]
    assert before.boxes[side].tolist() == [0, 1 / side, 1 / side, 1 / side]


def test_patches_are_those_of_transformers_itself(folders):
    """A ViT at its own size: the same numbers as by hand, without the class token."""
    image = Image.open(io.BytesIO(PHOTOS[0].data)).convert("RGB").resize((32, 32), Image.Resampling.BILINEAR)
    values = torch.from_numpy(np.asarray(image).transpose(2, 0, 1) / np.float32(127.5) - 1)[None]
    network = ViTForImageClassification.from_pretrained(folders["vit"]).vit.eval()
    with torch.inference_mode():
        output = network(values, output_hidden_states=True)
    for layer, wanted in ((-1, output.last_hidden_state), (1, output.hidden_states[1])):
        (found,) = HfBackbone(str(folders["vit"]), layer=layer, grid=0).encode(PHOTOS[:1])
        assert np.allclose(found.features, wanted[0, 1:].numpy(), atol=1e-4)
    (pooled,) = HfBackbone(str(folders["vit"]), grid=2).encode(PHOTOS[:1])
    first = output.last_hidden_state[0, 1:].reshape(4, 4, 16)[:2, :2].mean((0, 1))
    assert pooled.features.shape == (4, 16)
    assert np.allclose(pooled.features[0], first.numpy(), atol=1e-4)


def test_a_detector_gives_its_boxes_with_the_highest_scores(folders):
    backbone = HfBackbone(str(folders["detr"]))
    (every,) = backbone.encode(PHOTOS[:1])
    (best,) = HfBackbone(str(folders["detr"]), boxes=3).encode(PHOTOS[:1])
    assert every.features.shape == (10, 16)
    assert np.array_equal(best.features, every.features[:3])
    model, processor, _ = backbone._loaded
    image = Image.open(io.BytesIO(PHOTOS[0].data)).convert("RGB")
    with torch.inference_mode():
        output = model(**processor(images=[image], return_tensors="pt"))
    scores = output.logits[0].softmax(-1)[:, :-1].amax(-1)
    assert np.allclose(best.features[0], output.last_hidden_state[0, scores.argmax()].numpy(), atol=1e-5)
    x, y, width, height = output.pred_boxes[0, scores.argmax()].tolist()
    corners = np.clip([x - width / 2, y - height / 2, x + width / 2, y + height / 2], 0, 1)
    assert best.boxes[0] == pytest.approx([*corners[:2], *(corners[2:] - corners[:2])], abs=1e-5)


def test_onnx_maps_and_tokens_are_the_same_regions(tmp_path):
    files = [
        onnx_file(tmp_path / "map.onnx"),
        onnx_file(tmp_path / "tokens.onnx", map_output=False),
        onnx_file(tmp_path / "one.onnx", fixed=1),
        onnx_file(tmp_path / "open.onnx", size=None),
    ]
    found = [OnnxBackbone(file, size=8, normalise="none").encode(PHOTOS[:3]) for file in files]
    assert found[0][0].features.shape == (4, 5)
    assert all(same(found[0], other) for other in found[1:])
    weights = numpy_helper.to_array(onnx.load(files[0]).graph.initializer[0])
    image = np.asarray(Image.open(io.BytesIO(PHOTOS[0].data)).resize((8, 8), Image.Resampling.BILINEAR)) / 255
    wanted = np.einsum("hwc,dchw->d", image[:4, 4:], weights)  # the second patch, by hand
    assert found[0][0].features[1] == pytest.approx(wanted, abs=1e-4)


def test_a_cached_image_is_not_shown_again_and_equal_files_once(folders, tmp_path):
    counted = Counts(HfBackbone(str(folders["vit"])))
    again = ImageRef("a copy", data=PHOTOS[0].data)
    first = BackboneFeatures(counted).get_many([*PHOTOS, again, PHOTOS[1]])
    assert len(counted.shown) == 7
    assert np.array_equal(first[0].features, first[7].features)
    later = Counts(HfBackbone(str(folders["vit"])))
    second = BackboneFeatures(later).get_many([again, *PHOTOS[1:]])
    assert later.shown == []
    assert all(np.array_equal(a.features, b.features) for a, b in zip(first[:7], second, strict=True))
    halves = list((tmp_path / "cache").rglob("*.npy"))
    assert len(halves) == 7
    assert {np.load(file).dtype for file in halves} == {np.dtype(np.float16)}
    BackboneFeatures(other := Counts(HfBackbone(str(folders["vit"]), layer=1))).get_many(PHOTOS[:1])
    assert other.shown == [0]  # another layer is another backbone


def test_a_kill_loses_at_most_a_batch_and_a_damaged_file_is_computed_again(folders, tmp_path):
    stopped = Counts(HfBackbone(str(folders["vit"])), stop=5)
    with pytest.raises(KeyboardInterrupt):
        BackboneFeatures(stopped).get_many(PHOTOS)
    assert stopped.shown == [0, 1, 2, 3]
    next(iter((tmp_path / "cache").rglob("*.npy"))).write_bytes(b"half a fi")
    resumed = Counts(HfBackbone(str(folders["vit"])))
    found = BackboneFeatures(resumed).get_many(PHOTOS)
    assert len(resumed.shown) == 4
    assert set(resumed.shown) > {4, 5, 6}
    assert same(found, HfBackbone(str(folders["vit"])).encode(PHOTOS))


def test_tables_of_many_images_are_streamed(monkeypatch):
    """Images are requested in chunks, kept in a file, and no chunk outlives the next."""
    monkeypatch.setattr(batches, "CHUNK", 32)

    class Generated:
        batch_size = 16

        def __repr__(self):
            return "Generated()"

        def encode(self, images):
            return [
                (np.full((36, 64), image.id % 7, np.float32), np.full((36, 4), 0.25, np.float32)) for image in images
            ]

    peaks = []
    for count in (96, 384):
        images = {f"{number:x}".zfill(64): ImageRef(number, data=str(number).encode()) for number in range(count)}
        tracemalloc.start()
        table = batches.fill(BackboneFeatures(Generated()), images, 0)
        peaks.append(tracemalloc.get_traced_memory()[1] - table.boxes.nbytes - table.mask.nbytes)
        tracemalloc.stop()
        assert isinstance(table.features, np.memmap)
        assert table.take(torch.tensor([count]))[0][0, 0, 0] == (count - 1) % 7
    assert peaks[1] < peaks[0] * 1.5  # the file of features is four times as large


def questions(count):
    answers = ("yes", "no")
    return [
        Question(number, PHOTOS[number % 7], "Is it red?", (answers[number % 2],) * 10, Kind("yes/no"))
        for number in range(count)
    ]


def test_a_network_is_trained_on_a_backbone_and_refuses_another(folders, tmp_path, capsys):
    spec = f"hf:{folders['dinov2']},grid=2"
    trained = train(
        "butd:hidden=8", questions(28), None, spec, output=tmp_path / "net", epochs=1, threads=1, progress=True
    )
    assert "Image features" in capsys.readouterr().err
    assert trained.config["net"]["features"] == 16
    assert str(tmp_path) not in trained.config["features"]
    before = trained.answer(questions(4))
    assert all(prediction.error is None for prediction in before)
    assert [one.answer for one in load_trained(tmp_path / "net").answer(questions(4))] == [one.answer for one in before]
    for other in (f"hf:{folders['vit']},grid=2", f"hf:{folders['dinov2']},grid=2,layer=1"):
        with pytest.raises(DataError, match="another backbone or layer"):
            load_trained(tmp_path / "net", other)
    save("dinov2", folders["dinov2"], seed=1)  # other weights in the same folder
    with pytest.raises(DataError, match="train again"):
        load_trained(tmp_path / "net")
    save("dinov2", folders["dinov2"])


def test_what_cannot_be_a_backbone_says_what_to_give(folders, tmp_path):
    empty, text, bare = tmp_path / "empty", tmp_path / "text", tmp_path / "bare"
    empty.mkdir()
    BertModel(BertConfig(**SIZE, vocab_size=20)).save_pretrained(text)
    shutil.copytree(folders["vit"], bare)
    (bare / "preprocessor_config.json").unlink()
    shutil.copytree(folders["vit"], tmp_path / "weightless")
    (tmp_path / "weightless" / "model.safetensors").unlink()
    (tmp_path / "no.onnx").write_bytes(b"no")
    good = onnx_file(tmp_path / "open.onnx", size=None)
    for spec, kind, said in (
        (f"hf:{tmp_path / 'nowhere'}", ModelError, "there is no such folder. Give"),
        (f"hf:{empty}", ModelError, "Give a folder that save_pretrained wrote"),
        (f"hf:{tmp_path / 'weightless'}", ModelError, "there are no weights"),
        (f"hf:{text}", ModelError, "no vision tower. Give"),
        (f"hf:{bare}", ModelError, "Copy preprocessor_config.json"),
        (f"hf:{folders['vit']},boxes=3", BadOption, "Leave boxes out"),
        (f"hf:{folders['detr']},layer=1", BadOption, "Leave layer out"),
        (f"hf:{folders['vit']},layer=9", BadOption, "from -3 to 2"),
        (f"hf:{folders['vit']},layr=1", BadOption, "Did you mean 'layer'"),
        (f"hf:{folders['vit']},grid=-1", BadOption, "grid=-1"),
        (f"hf:{folders['detr']},boxes=0", BadOption, "at least 1"),
        (f"onnx:{tmp_path / 'nowhere.onnx'}", DataError, "Give an existing one"),
        (f"onnx:{tmp_path / 'no.onnx'}", DataError, "cannot be read as ONNX"),
        (f"onnx:{good}", BadOption, "size=224"),
        (f"onnx:{good},size=8,output=lst", BadOption, "Known: map"),
        ("hf", BadOption, "'folder' is missing"),
    ):
        with pytest.raises(AskewError) as refused:
            open_features(spec).get_many(PHOTOS[:1])
        assert isinstance(refused.value, kind), (spec, refused.value)
        assert said in str(refused.value), spec


def test_a_broken_image_is_named_and_good_ones_are_kept(folders):
    store = BackboneFeatures(HfBackbone(str(folders["vit"]), batch_size=1))
    broken = ImageRef("broken", data=b"no image")
    with pytest.raises(BadImage, match="broken"):
        store.get_many([PHOTOS[0], broken])
    bad = batches.unusable(store, [PHOTOS[0], broken, PHOTOS[1]])
    assert list(bad) == [broken]


def test_features_beyond_half_precision_are_refused():
    class Huge:
        batch_size = 1

        def encode(self, images):
            return [(np.full((1, 2), 1e6, np.float32), np.zeros((1, 4), np.float32))]

    with pytest.raises(ModelError, match="Choose another layer"):
        BackboneFeatures(Huge()).get_many(PHOTOS[:1])


def test_a_backbone_is_its_content_and_what_it_computes(folders):
    backbone = make("backbone", f"hf:{folders['vit']},batch_size=3,device=cpu")
    assert repr(backbone) == repr(HfBackbone(str(folders["vit"])))
    assert repr(backbone) != repr(HfBackbone(str(folders["clip"])))
    assert str(folders["vit"]) not in repr(backbone)
