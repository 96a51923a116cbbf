"""Scene graphs as data: one question without words for each scene."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askew.data.scene_graphs import SceneFile, check_scene
from askew.errors import BadImage, BadRecord, DataError
from askew.registry import open_data
from askew.types import ImageRef, Question, Scene, Thing

CAT: dict[str, Any] = {"width": 90, "height": 50, "objects": {"7": {"name": "cat", "x": 1, "y": 2, "w": 30, "h": 40}}}
SCENE = Scene("n1", (Thing("7", "cat", (), (1, 2, 30, 40)),), size=(90, 50))


def write(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return str(path)


def test_a_scene_is_a_question_without_words(tmp_path: Path) -> None:
    data = SceneFile(write(tmp_path / "val_sceneGraphs.json", {"n1": CAT, "n2": {"objects": {}}}))
    assert list(data.questions()) == [
        Question("n1", ImageRef("n1"), "", scene=SCENE),
        Question("n2", ImageRef("n2"), "", scene=Scene("n2")),
    ]
    assert data.name == "val_sceneGraphs"
    assert repr(data) == "SceneFile(path='val_sceneGraphs.json')"
    assert len(data.fingerprint()) == 16


def test_specs_that_people_type(tmp_path: Path) -> None:
    path = write(tmp_path / "graphs.json", {"n1": CAT})
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "n1.png").write_bytes(b"")
    data = open_data(f"scenes:{path}", images=str(tmp_path / "pictures"))
    assert [q.image.path for q in data.questions()] == [str(tmp_path / "pictures" / "n1.png")]


def test_a_folder_of_files(tmp_path: Path) -> None:
    write(tmp_path / "val_sceneGraphs.json", {"n2": CAT})
    write(tmp_path / "train_sceneGraphs.json", {"n1": CAT})
    assert [q.id for q in SceneFile(str(tmp_path)).questions()] == ["n1", "n2"]
    with pytest.raises(DataError, match="no file with sceneGraphs in its name"):
        SceneFile(write(tmp_path / "empty" / "x.json", {}).removesuffix("x.json"))


def test_bad_scenes_are_errors_or_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "graphs.json", {"n1": CAT, "n2": {"objects": []}, "n3": {}, "n4": CAT})
    with pytest.raises(BadRecord, match=r"graphs\.json: record 2 \(id 'n2'\): 'objects' must be .*skip_bad=true"):
        list(SceneFile(path).questions())
    data = SceneFile(path, skip_bad=True)
    for _ in range(2):
        assert [q.id for q in data.questions()] == ["n1", "n4"]
        assert len(data.skipped) == 2


def test_a_missing_image(tmp_path: Path) -> None:
    path = write(tmp_path / "graphs.json", {"n1": CAT})
    (tmp_path / "pictures").mkdir()
    with pytest.raises(BadImage, match="the file of image 'n1' is not at"):
        list(SceneFile(path, str(tmp_path / "pictures")).questions())
    (tmp_path / "pictures" / "n2.png").write_bytes(
        b""
    )  # if one is there, missing ones are reported when they are opened
    data = SceneFile(write(tmp_path / "two.json", {"n1": CAT, "n2": CAT}), str(tmp_path / "pictures"))
    assert [os.path.basename(q.image.path) for q in data.questions()] == ["n1.jpg", "n2.png"]


def test_the_same_scene_in_two_files(tmp_path: Path) -> None:
    for name in ("train", "val"):
        write(tmp_path / f"{name}_sceneGraphs.json", {"n1": CAT})
    with pytest.raises(BadRecord, match=r"val_sceneGraphs\.json: record 1 \(id 'n1'\): the id 'n1' occurs twice"):
        list(SceneFile(str(tmp_path)).questions())


def test_real_graphs(real_data: Callable[[str], Path]) -> None:
    questions = list(SceneFile(str(real_data("gqa_dev/sceneGraphs.json"))).questions())
    assert questions
    assert all(question.scene and question.scene.things for question in questions)


OWN: dict[str, Any] = {
    "id": "1",
    "size": [640, 480],
    "things": [{"id": "7", "name": "cat", "attributes": None, "box": [1, 2, 3.5, 4]}, {"id": 8, "name": "sofa"}],
    "relations": [["7", "on", 8]],
    "facts": {"place": "room"},
}


def test_a_scene_of_our_own_format_is_taken() -> None:
    check_scene(OWN)
    check_scene({"id": 1, "things": None})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": None}, "'id' is null"),
        ({"size": [0, 0]}, "'size' must be [width, height] above 0"),
        ({"size": [640]}, "'size' must be [width, height] above 0"),
        ({"facts": 5}, "must be an object"),
        ({"things": "cat"}, "'things' must be a list, but is text"),
        ({"things": [{"id": "7"}]}, "'name' is missing"),
        ({"things": [{"id": "7", "name": "cat"}] * 2}, "the id '7' occurs twice"),
        ({"things": [{"id": "7", "name": "cat", "attributes": "red"}]}, "'attributes' must be a list of texts"),
        ({"things": [{"id": "7", "name": "cat", "box": [1, 2, 3]}]}, "'box' must be [x, y, width, height]"),
        ({"things": [{"id": "7", "name": "cat", "box": ["1", "2", "3", "4"]}]}, "'box' must be [x, y, width, height]"),
        ({"relations": [["7", "on"]]}, "'relations[…]' must be [thing, name, thing]"),
        ({"relations": [["7", "on", "9"]]}, "names things that are not in the scene"),
    ],
)
def test_a_wrong_scene_of_our_own_format_is_reported_and_a_correct_one_shown(
    change: dict[str, Any], fault: str
) -> None:
    with pytest.raises(BadRecord) as error:
        check_scene(OWN | change)
    assert str(error.value).startswith("its scene cannot be read: ")
    assert fault in str(error.value)
    shown = str(error.value).partition("Write it like ")[2].removesuffix(".")
    check_scene(json.loads(shown))
