"""The same features from every kind of file."""

from __future__ import annotations

import base64
import io

import h5py
import numpy as np
import pytest
import torch
from PIL import Image

from askew.errors import BadImage, BadOption, DataError
from askew.nets.net_config import NetConfig
from askew.train import batches
from askew.train.features import (
    GridFeatures,
    ImageFeatures,
    NoFeatures,
    OneByOne,
    PixelFeatures,
    as_store,
    open_features,
)
from askew.types import ImageRef

SEEN = {
    "7": ImageFeatures(
        np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[0, 0, 0.5, 1], [0.5, 0.25, 0.5, 0.5]], np.float32)
    ),
    "8": ImageFeatures(np.full((1, 3), 9, np.float32), np.array([[0.25, 0.25, 0.25, 0.25]], np.float32)),
}


def corners(boxes):
    return np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)


def write(folder, kind):
    path = folder / f"regions.{kind.split('-')[0]}"
    if kind == "npz":
        arrays = {f"{name}/features": seen.features for name, seen in SEEN.items()}
        np.savez(path, **arrays, **{f"{name}/boxes": corners(seen.boxes) for name, seen in SEEN.items()})
    elif kind == "h5-groups":
        with h5py.File(path, "w") as file:
            for name, seen in SEEN.items():
                file[f"{name}/features"], file[f"{name}/boxes"] = seen.features, corners(seen.boxes)
    elif kind == "tsv":
        width, height = 640.0, 480.0
        lines = []
        for name, seen in SEEN.items():
            boxes = (corners(seen.boxes) * [width, height, width, height]).astype(np.float32)
            coded = [base64.b64encode(part.tobytes()).decode() for part in (boxes, seen.features)]
            lines.append("\t".join([name, "640", "480", str(len(boxes)), *coded]))
        path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("kind", ["npz", "h5-groups", "tsv"])
def test_features_come_back_as_they_were_written(tmp_path, kind):
    store = open_features(write(tmp_path, kind))
    for name, wanted in SEEN.items():
        (seen,) = store.get_many([ImageRef(int(name))])
        assert np.array_equal(seen.features, wanted.features)
        assert np.allclose(seen.boxes, wanted.boxes, atol=1e-6)
    with pytest.raises(BadImage, match="image 99"):
        store.get_many([ImageRef(99)])


@pytest.mark.parametrize("names", [("features", "boxes", "ids"), ("image_features", "spatial_features", "image_ids")])
def test_features_with_equal_numbers_of_regions_may_be_one_array(tmp_path, names):
    path = tmp_path / "all.h5"
    with h5py.File(path, "w") as file:
        file[names[0]] = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
        file[names[1]] = np.tile(
            np.array([0, 0, 0.5, 1, 0.5, 1], np.float32)[: 4 if names[1] == "boxes" else 6], (2, 2, 1)
        )
        file[names[2]] = [70, 80]
    (seen,) = open_features(str(path)).get_many([ImageRef(80)])
    assert seen.features.tolist() == [[6, 7, 8], [9, 10, 11]]
    assert seen.boxes.tolist() == [[0, 0, 0.5, 1]] * 2


def test_a_table_pads_images_with_fewer_regions(tmp_path):
    store = open_features(write(tmp_path, "tsv"))
    images = [ImageRef(8), ImageRef(7), None, ImageRef(8)]
    made = batches.build_table(store, images)
    assert made.width == 3
    features, boxes, mask = made.take(torch.from_numpy(made.find(images)))
    assert mask.tolist() == [[True, False], [True, True], [False, False], [True, False]]
    assert features[1].tolist() == SEEN["7"].features.tolist()
    assert features[0].tolist() == [[9, 9, 9], [0, 0, 0]]
    assert boxes[0, 1].tolist() == [0, 0, 0, 0]


def test_a_large_table_is_kept_on_disk_and_gives_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    store = open_features(write(tmp_path, "npz"))
    images = {"7": ImageRef(7), "8": ImageRef(8)}
    memory, disk = (batches.fill(store, images, most) for most in (1 << 20, 0))
    assert isinstance(disk.features, np.memmap)
    for ours, theirs in zip(memory.take(torch.tensor([1, 2])), disk.take(torch.tensor([1, 2])), strict=True):
        assert torch.equal(ours, theirs)


def test_a_grid_has_the_colours_of_its_cells():
    halves = Image.new("RGB", (32, 32), (255, 255, 255))
    halves.paste((0, 0, 0), (16, 0, 32, 32))
    file = io.BytesIO()
    halves.save(file, "PNG")
    (seen,) = GridFeatures(cells=2, fine=2).get_many([ImageRef("halves", data=file.getvalue())])
    assert seen.features.shape == (4, 12)
    assert seen.features[0].mean() > 0.8
    assert seen.features[1].mean() < -0.8
    assert seen.boxes[1].tolist() == [0.5, 0, 0.5, 0.5]
    (small,) = PixelFeatures(8).get_many([ImageRef("halves", data=file.getvalue())])
    assert small.features.shape == (3, 8, 8)
    assert batches.build_table(PixelFeatures(8), [ImageRef("halves", data=file.getvalue())]).width == 3


def test_without_features_a_network_gets_those_that_it_needs_or_an_error():
    assert as_store(None, NetConfig("language")) == NoFeatures()
    assert as_store(None, NetConfig("xnm", encoder="conv")) == PixelFeatures()
    with pytest.raises(BadOption, match="--features"):
        as_store(None, NetConfig("xnm"))
    with pytest.raises(BadOption, match="leave the features out"):
        as_store("grid", NetConfig("xnm", encoder="conv"))


def test_any_object_with_features_is_accepted():
    class Mine:
        def get(self, image):
            return SEEN[str(image.id)]

    store = as_store(Mine(), NetConfig("xnm"))
    assert isinstance(store, OneByOne)
    assert np.array_equal(store.get_many([ImageRef(8)])[0].features, SEEN["8"].features)


@pytest.mark.parametrize(
    ("name", "content"), [("a.tsv", b"1\t2\t3\n"), ("a.h5", b"no"), ("a.npz", b"no"), ("b.tsv", b"id\tw\th\tn\tb\tf\n")]
)
def test_files_without_features_are_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=name):
        open_features(str(tmp_path / name))


def test_a_damaged_line_is_reported_with_its_image(tmp_path):
    path = tmp_path / "cut.tsv"
    path.write_text("7\t640\t480\t2\tAAAA\tAAAA\n")
    with pytest.raises(BadImage, match="image 7"):
        open_features(str(path)).get_many([ImageRef(7)])


def test_a_line_without_its_last_column_is_reported_with_its_image(tmp_path):
    path = tmp_path / "short.tsv"
    path.write_text("7\t640\t480\t2\tAAAA\n")
    with pytest.raises(BadImage, match="image 7 is damaged"):
        open_features(str(path)).get_many([ImageRef(7)])


@pytest.mark.parametrize(
    ("features", "boxes", "said"),
    [
        (np.zeros((2, 3, 4)), np.full((2, 3, 4), 224.0), "boxes of image '8' go from 224 to 224. Divide"),
        (np.zeros((2, 3, 4)), np.zeros((1, 3, 4)), "as many rows"),
        (np.zeros((2, 3, 4)), np.zeros((2, 2, 4)), r"features of shape \(3, 4\) and boxes of shape \(2, 4\)"),
    ],
)
def test_one_array_of_features_is_checked_like_other_files(tmp_path, features, boxes, said):
    path = tmp_path / "all.h5"
    with h5py.File(path, "w") as file:
        file["features"], file["boxes"], file["ids"] = features, boxes, [7, 8]
    with pytest.raises(DataError, match=said):
        open_features(str(path)).get_many([ImageRef(8)])


def numbered(*features):
    """A store of images 0, 1, ... with these features."""

    class Store:
        regions = None

        def get_many(self, images):
            return [
                ImageFeatures(features[image.id], np.zeros((len(features[image.id]), 4), np.float32))
                for image in images
            ]

    return Store(), [ImageRef(number) for number in range(len(features))]


@pytest.mark.parametrize("in_memory", [1 << 20, 100, 0])
def test_a_later_image_may_have_more_regions_than_all_before(tmp_path, monkeypatch, in_memory):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    monkeypatch.setattr(batches, "CHUNK", 2)
    store, images = numbered(*(np.full((count, 3), count, np.float32) for count in (1, 2, 5, 1)))
    made = batches.fill(store, {str(image.id): image for image in images}, in_memory)
    features, boxes, mask = made.take(torch.arange(1, 5))
    assert mask.sum(1).tolist() == [1, 2, 5, 1]
    assert features.sum((1, 2)).tolist() == [3, 12, 75, 3]
    assert boxes.shape == (4, 5, 4)


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (np.zeros((1, 2), np.float32), "image 1 has 2 numbers per region, but others have 3"),
        (np.full((1, 3), np.nan, np.float32), "image 1 has features that are not finite"),
    ],
)
def test_unusable_features_are_reported_with_their_image(last, said):
    store, images = numbered(np.zeros((1, 3), np.float32), last)
    with pytest.raises(BadImage, match=said):
        batches.build_table(store, images)


def test_unknown_feature_specs_are_refused():
    for spec in ("grid:cells=many", "grid:colour=1", "regions.txt", "grid:cells=0"):
        with pytest.raises(BadOption):
            open_features(spec)


def test_a_folder_with_the_same_name_does_not_matter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grid").mkdir()
    assert open_features("grid") == GridFeatures()
