"""Groups and runs as training data for LLaVA, LLaMA-Factory, TRL and axolotl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

import askew
from askew.cli import main
from askew.data.export_training import TRAINING_FORMATS
from askew.data.groups import write_groups
from askew.types import Expect, Group, ImageRef, Question, Variant

PEOPLE = {"red": ("red",) * 7 + ("dark red",) * 3, "no": ("no",) * 10}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two groups: one with a variant, and one with options about the same image; a question that nobody answered."""
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (8, 8)).save("a.png")
    image = ImageRef("a", path=str(tmp_path / "a.png"))
    color = Question(1, image, "What color is it?", PEOPLE["red"])
    asked = Question("1/v", image, "Is it blue?", PEOPLE["no"])
    choice = Question(2, image, "What is it?", ("a dog",), choices=("a cat", "a dog"))
    unknown = Question(3, image, "Why?")
    groups = [
        Group(1, "rad", color, (Variant(asked, Expect.GIVEN, "Y/N←C", "r"),)),
        Group(2, "rad", choice),
        Group(3, "rad", unknown),
    ]
    write_groups(groups, "groups.jsonl")
    return tmp_path


def exported(kind, source="groups.jsonl", name="askew"):
    assert main(["export", str(source), "--format", kind, "--output", f"out-{kind}"]) == 0
    path = Path(f"out-{kind}") / (f"{name}.json" if kind in ("llava", "sharegpt") else f"{name}.jsonl")
    text = path.read_text()
    return json.loads(text) if path.suffix == ".json" else list(map(json.loads, text.splitlines()))


def test_llava_has_the_image_and_a_conversation_for_each_answered_question(folder):
    first, second, third = exported("llava")
    assert first == {
        "id": "1",
        "image": str(folder / "a.png"),
        "conversations": [
            {"from": "human", "value": "<image>\nWhat color is it?"},
            {"from": "gpt", "value": "red"},
        ],
    }
    assert second["conversations"][1]["value"] == "no"
    assert "A. a cat\nB. a dog" in third["conversations"][0]["value"]
    assert third["conversations"][1]["value"] == "B", "the letter that the prompt asks for"


def test_sharegpt_comes_with_the_entry_that_llama_factory_needs(folder):
    rows = exported("sharegpt")
    assert [row["images"] for row in rows] == [[str(folder / "a.png")]] * 3
    info = json.loads(Path("out-sharegpt/dataset_info.json").read_text())
    assert info["askew"]["file_name"] == "askew.json"
    assert rows[0].keys() == set(info["askew"]["columns"].values())


def test_messages_have_one_image_part_for_each_image(folder):
    for row in exported("messages"):
        parts = [part for message in row["messages"] for part in message["content"]]
        assert [part["type"] for part in parts] == ["image", "text", "text"]
        assert len(row["images"]) == 1
        assert [message["role"] for message in row["messages"]] == ["user", "assistant"]


def test_wrong_answers_of_a_run_are_rejected_and_right_ones_left_out(folder):
    """The model says no: wrong about the color and the options, right about the variant."""
    askew.evaluate("constant:no", "groups.jsonl", output="run")
    color, choice = exported("dpo", "run")
    assert color["prompt"][0]["content"][1]["text"] == "What color is it?"
    texts = [[row[key][0]["content"][0]["text"] for key in ("chosen", "rejected")] for row in (color, choice)]
    assert texts == [["red", "no"], ["B", "no"]]
    assert color["images"] == [str(folder / "a.png")]


@pytest.mark.parametrize("kind", TRAINING_FORMATS)
def test_files_are_read_by_the_library_of_datasets(folder, kind):
    datasets = pytest.importorskip("datasets", reason="the library that TRL and axolotl read with")
    if kind == "dpo":
        askew.evaluate("constant:no", "groups.jsonl", output="run")
    rows = exported(kind, "run" if kind == "dpo" else "groups.jsonl")
    (file,) = [path for path in Path(f"out-{kind}").iterdir() if path.name.startswith("askew.")]
    loaded = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=str(folder / "cache"))
    assert len(loaded) == len(rows)
    assert set(loaded.column_names) == rows[0].keys()


def test_nothing_to_learn_other_files_and_options_of_harnesses_are_refused(folder, capsys):
    write_groups([Group(3, "rad", Question(3, None, "Why?"))], "unknown.jsonl")
    assert main(["export", "unknown.jsonl", "--format", "llava", "--output", "o"]) == 2
    assert "not a single question with people's answers" in capsys.readouterr().err
    exported("llava")
    assert main(["export", "groups.jsonl", "--format", "llava", "--output", "out-llava"]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert main(["export", "groups.jsonl", "--format", "llava", "--output", "out-llava", "--overwrite"]) == 0
    assert main(["export", "groups.jsonl", "--format", "messages", "--output", "p", "--prompt", "Be brief."]) == 2
    assert "--prompt" in capsys.readouterr().err
