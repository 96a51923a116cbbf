"""GQA: questions in one file or ten, scene graphs, and the errors for bad ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askew.data.benchmarks.gqa import Gqa
from askew.data.scene_graphs import SceneFile
from askew.errors import BadImage, DataError
from askew.types import ImageRef, Kind, Question, Relation, Scene, Thing

CAT: dict[str, Any] = {
    "semantic": [{"operation": "select", "dependencies": [], "argument": "cat (7)"}],
    "entailed": [],
    "question": "Is the cat black?",
    "imageId": "n1",
    "isBalanced": True,
    "groups": {"global": None, "local": "06-cat"},
    "answer": "yes",
    "types": {"detailed": "verifyAttr", "semantic": "attr", "structural": "verify"},
    "fullAnswer": "Yes, the cat is black.",
}
GRAPH: dict[str, Any] = {
    "width": 500,
    "height": 300,
    "location": "street",
    "objects": {
        "7": {
            "name": "cat",
            "x": 1,
            "y": 2,
            "w": 30,
            "h": 40,
            "attributes": ["black", "small"],
            "relations": [{"name": "on", "object": "8"}],
        },
        "8": {"name": "car", "x": 0, "y": 20, "w": 100, "h": 90, "attributes": [], "relations": []},
    },
}
SCENE = Scene(
    "n1",
    (Thing("7", "cat", ("black", "small"), (1, 2, 30, 40)), Thing("8", "car", (), (0, 20, 100, 90))),
    (Relation("7", "on", "8"),),
    (500, 300),
    {"location": "street"},
)


def write(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return str(path)


def test_a_question(tmp_path: Path) -> None:
    data = Gqa(write(tmp_path / "val_balanced_questions.json", {"01": CAT}))
    expected = Question("01", ImageRef("n1"), "Is the cat black?", ("yes",), Kind("yes/no", "verify/attr"))
    assert list(data.questions()) == [expected]
    assert data.name == "GQA val_balanced"
    assert repr(data) == "Gqa(path='val_balanced_questions.json')"


def test_ids_that_differ_by_a_zero_differ(tmp_path: Path) -> None:
    data = Gqa(write(tmp_path / "q.json", {"01827492": CAT, "1827492": CAT}))
    assert [q.id for q in data.questions()] == ["01827492", "1827492"]


def test_the_balanced_part_and_test_questions_without_answers(tmp_path: Path) -> None:
    unanswered = {"question": "Is it?", "imageId": "n1", "isBalanced": False}
    path = write(tmp_path / "q.json", {"1": CAT, "2": unanswered})
    assert [q.id for q in Gqa(path, balanced=True).questions()] == ["1"]
    assert list(Gqa(path).questions())[1] == Question("2", ImageRef("n1"), "Is it?")


def test_chunks_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for chunk in (10, 2, 0):
        write(tmp_path / "train_all_questions" / f"train_all_questions_{chunk}.json", {f"q{chunk}": CAT})
    for data in (
        Gqa(str(tmp_path / "train_all_questions")),
        Gqa(str(tmp_path), split="train_all"),
        Gqa(str(tmp_path / "train_all_questions" / "train_all_*.json")),
    ):
        assert [q.id for q in data.questions()] == ["q0", "q2", "q10"]
        assert data.name == "GQA train_all"


def test_a_repeat_across_chunks_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "train_all_questions_0.json", {"1": CAT})
    second = write(tmp_path / "train_all_questions_1.json", {"2": CAT, "1": CAT})
    with pytest.raises(DataError) as error:
        list(Gqa(str(tmp_path)).questions())
    assert str(error.value).startswith(f"{second}: record 2 (id '1'): the id '1' occurs twice")


def test_with_several_splits_the_error_says_how_to_pick_one(tmp_path: Path) -> None:
    for split in ("val_balanced", "val_all"):
        write(tmp_path / f"{split}_questions.json", {"1": CAT})
    with pytest.raises(DataError) as error:
        Gqa(str(tmp_path))
    assert "val_all, val_balanced" in str(error.value)
    assert f"gqa:{tmp_path},split=val_all" in str(error.value)
    assert Gqa(str(tmp_path), split="val_all").name == "GQA val_all"
    with pytest.raises(DataError, match=r"there is no GQA questions file\. Put"):
        Gqa(str(tmp_path), split="testdev_all")


def test_scenes_are_joined_to_their_questions(tmp_path: Path) -> None:
    questions = write(tmp_path / "q.json", {"1": CAT, "2": {**CAT, "imageId": "n2"}, "3": CAT})
    scenes = write(tmp_path / "scenes" / "val_sceneGraphs.json", {"n2": {"objects": {}}, "n1": GRAPH})
    assert [question.scene for question in SceneFile(scenes).questions()] == [Scene("n2"), SCENE]
    for path in (scenes, str(tmp_path / "scenes")):
        assert [q.scene for q in Gqa(questions, scenes=path).questions()] == [SCENE, Scene("n2"), SCENE]


def test_an_image_in_two_scene_files_is_refused(tmp_path: Path) -> None:
    questions = write(tmp_path / "q.json", {"1": CAT})
    for name in ("train", "val"):
        write(tmp_path / "scenes" / f"{name}_sceneGraphs.json", {"n1": GRAPH})
    with pytest.raises(DataError, match=r"val_sceneGraphs\.json: record 1 \(id 'n1'\): the id 'n1' occurs twice"):
        list(Gqa(questions, scenes=str(tmp_path / "scenes")).questions())


def test_a_question_without_its_scene_is_refused(tmp_path: Path) -> None:
    questions = write(tmp_path / "q.json", {"1": {**CAT, "imageId": "n9"}, "2": CAT})
    scenes = write(tmp_path / "val_sceneGraphs.json", {"n1": GRAPH})
    with pytest.raises(DataError) as error:
        list(Gqa(questions, scenes=scenes).questions())
    assert str(error.value).startswith(f"{questions}: record 1 (id '1'): image 'n9' has no scene graph in {scenes}")
    lenient = Gqa(questions, scenes=scenes, skip_bad=True)
    assert [q.id for q in lenient.questions()] == ["2"]
    assert len(lenient.skipped) == 1


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"question": None}, "'question' is null"),
        ({"imageId": 7}, "'imageId' must be text, but is a whole number (7)"),
        ({"answer": ["yes"]}, "'answer' must be text, but is a list"),
        ({"types": "verify"}, "must be an object {...}, but is text"),
    ],
)
def test_a_bad_question_is_reported_with_file_and_record_or_skipped(
    tmp_path: Path, change: dict[str, Any], fault: str
) -> None:
    path = write(tmp_path / "q.json", {"1": CAT, "2": CAT | change, "3": CAT})
    with pytest.raises(DataError) as error:
        list(Gqa(path).questions())
    assert str(error.value).startswith(f"{path}: record 2 (id '2'): ")
    assert fault in str(error.value)
    assert "skip_bad=true" in str(error.value)
    lenient = Gqa(path, skip_bad=True)
    assert [q.id for q in lenient.questions()] == ["1", "3"]
    assert len(lenient.skipped) == 1


def test_balanced_needs_the_field_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "q.json", {"1": {"question": "Is it?", "imageId": "n1"}})
    with pytest.raises(DataError, match="'isBalanced' must be true or false, but is null"):
        list(Gqa(path, balanced=True).questions())


@pytest.mark.parametrize(
    ("graph", "fault"),
    [
        ({"width": 3}, "'objects' is missing"),
        ({"objects": []}, "'objects' must be an object {id: ...}, but is a list"),
        ({"objects": {"7": {"x": 1}}}, "'name' is missing"),
        ({"objects": {"7": {"name": "cat", "relations": [{"name": "on"}]}}}, "lacks its 'name' or 'object'"),
        ({"objects": {"7": {"name": "cat", "relations": ["on"]}}}, "lacks its 'name' or 'object'"),
        (
            {"objects": {"7": {"name": "cat", "relations": [{"name": "on", "object": ["7"]}]}}},
            "'relations[…].object' must be text",
        ),
        (
            {"objects": {"7": {"name": "cat", "relations": [{"name": 5, "object": "7"}]}}},
            "'relations[…].name' must be text",
        ),
        ({"objects": {"7": {"name": "cat", "x": "1", "y": 2, "w": 3, "h": 4}}}, "'x' must be a number, but is text"),
        ({"objects": {}, "width": "640", "height": 480}, "'width' must be a number"),
        (
            {"objects": {"7": {"name": "cat", "relations": [{"name": "on", "object": "9"}]}}},
            "object '7' is related to '9', which is not in the scene",
        ),
    ],
)
def test_a_bad_scene_graph_is_reported_with_file_and_record(tmp_path: Path, graph: Any, fault: str) -> None:
    path = write(tmp_path / "s.json", {"n1": GRAPH, "n2": graph})
    with pytest.raises(DataError) as error:
        [question.scene for question in SceneFile(path).questions()]
    assert str(error.value).startswith(f"{path}: record 2 (id 'n2'): ")
    assert fault in str(error.value)


def test_images_are_named_by_image_id(tmp_path: Path) -> None:
    path = write(tmp_path / "q.json", {"1": CAT})
    with pytest.raises(BadImage, match=r"the file of image 'n1' is not at .*n1\.jpg"):
        list(Gqa(path, images=str(tmp_path)).questions())
    (tmp_path / "n1.jpg").touch()
    (question,) = Gqa(path, images=str(tmp_path)).questions()
    assert question.image == ImageRef("n1", str(tmp_path / "n1.jpg"))


def test_real_scene_graphs(real_data: Callable[[str], Path]) -> None:
    folder = real_data("gqa_dev")
    graphs = json.loads((folder / "sceneGraphs.json").read_text())
    scenes = [question.scene for question in SceneFile(str(folder)).questions()]
    assert [scene.id for scene in scenes] == list(graphs)
    for scene in scenes:
        graph = graphs[scene.id]
        assert scene.size == (graph["width"], graph["height"])
        assert [thing.name for thing in scene.things] == [part["name"] for part in graph["objects"].values()]
        assert len(scene.relations) == sum(len(part["relations"]) for part in graph["objects"].values())
        assert all(thing.box and thing.box[2] > 0 for thing in scene.things)
