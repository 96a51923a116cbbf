"""The task for inspect_ai, with stand-ins for the names of inspect that it uses; test_export_back reads its logs."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace

import pytest
from PIL import Image

from askew.data.groups import write_groups
from askew.errors import UsageError
from askew.types import Expect, Group, ImageRef, Question, Variant


@pytest.fixture
def tasks(monkeypatch):
    """The module ``askew.inspect``, with an inspect_ai whose classes keep what they are given."""

    def decorator(**options):
        return lambda function: function

    def record(*args, **given):
        return SimpleNamespace(items=args, **given)

    names = {
        "": {"Task": record, "task": decorator},
        ".dataset": {"MemoryDataset": record, "Sample": record},
        ".model": {"ChatMessageUser": record, "ContentImage": record, "ContentText": record},
        ".scorer": {"Score": record, "Target": object, "mean": record, "scorer": decorator, "stderr": record},
        ".solver": {"TaskState": object, "generate": record},
    }
    for name, members in names.items():
        module = ModuleType(f"inspect_ai{name}")
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "askew.inspect", raising=False)
    yield import_module("askew.inspect")
    sys.modules.pop("askew.inspect", None)


def test_samples_keep_context_ids_and_images_and_are_scored_like_free_text(tasks, tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    image = ImageRef("a", str(tmp_path / "a.png"))
    question = Question(7, image, "What color is the bus?", ("red",) * 10, context="A street in Rome.")
    changed = Question("7/rad", image, "Is the bus red?", ("yes",) * 10)
    path = tmp_path / "groups.jsonl"
    write_groups([Group(7, "rad", question, (Variant(changed, Expect.GIVEN, "C", "rule"),))], str(path))
    made = tasks.groups(str(path))
    first, second = made.dataset.items[0]
    picture, text = first.input[0].content
    assert picture.image == str(tmp_path / "a.png")
    assert text.text.startswith("A street in Rome.\nWhat color is the bus?\nAnswer the question")
    assert [json.loads(sample.metadata["askew_ids"]) for sample in (first, second)] == [[7], ["7/rad"]]
    assert (first.target, second.metadata["category"]) == (["red"] * 10, "C")
    for sample, reply, value in ((first, "The bus is red.", 1.0), (second, "No.", 0.0), (second, "I can't tell.", 0.0)):
        state = SimpleNamespace(sample_id=sample.id, output=SimpleNamespace(completion=reply))
        assert asyncio.run(made.scorer(state, None)).value == value


def test_questions_without_groups_are_refused(tasks, tmp_path):
    (tmp_path / "q.jsonl").write_text('{"question": "Is it red?", "answer": "no"}\n')
    with pytest.raises(UsageError, match="Make groups of them first"):
        tasks.groups(str(tmp_path / "q.jsonl"))
