"""Choosing the reader for a path."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askew.data.benchmarks.gqa import Gqa
from askew.data.benchmarks.vqa import Vqa
from askew.data.groups import GroupFile, write_groups
from askew.data.jsonl import Jsonl
from askew.data.open_path import open_path
from askew.data.write_questions import write_gqa, write_jsonl, write_vqa
from askew.errors import BadImage, DataError
from askew.types import Group, ImageRef, Question

QUESTION = Question("1", ImageRef("2"), "Is it?", ("yes",))


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(content))
    return path


def test_everything_we_write_is_recognised(tmp_path: Path) -> None:
    asked, answered = write_vqa([QUESTION], str(tmp_path / "vqa"))
    write_gqa([QUESTION], str(tmp_path / "gqa" / "val_questions.json"))
    write_jsonl([QUESTION], str(tmp_path / "a.jsonl.gz"))
    write_groups([Group(1, "s", QUESTION)], str(tmp_path / "groups.jsonl"))
    assert open_path(asked) == open_path(tmp_path / "vqa") == Vqa(asked, answered)
    assert isinstance(open_path(tmp_path / "gqa"), Gqa)
    for path, reader in (("gqa/val_questions.json", Gqa), ("a.jsonl.gz", Jsonl), ("groups.jsonl", GroupFile)):
        data = open_path(tmp_path / path, skip_bad=True)
        assert isinstance(data, reader)
        assert data.skip_bad
        assert [q.text for q in data.questions()] == ["Is it?"]


@pytest.mark.parametrize(
    ("content", "reader"),
    [
        ([{"image_id": 1, "question": "Q?", "question_id": 2, "coco_split": "val2014"}], Vqa),
        ({"questions": [{"image_id": 1, "question": "Q?", "question_id": 2}], "info": {}}, Vqa),
        ({"info": {"a": {"b": 1}}, "questions": []}, Vqa),
        ({"1": {"semantic": [{"operation": "x"}], "question": "Q?", "imageId": "n1"}}, Gqa),
        ([{"image": "a.jpg", "question": "Q?", "answer": "yes"}], Jsonl),
        ([{"image": "a.jpg", "question": "Q?", "question_id": 3}], Jsonl),
        ({"image": "a.jpg", "question": "Q?", "answer": "yes"}, Jsonl),
        ({"question_id": 1, "image_id": 2, "question": "Q?"}, Jsonl),
    ],
)
def test_a_file_is_recognised_by_its_content(tmp_path: Path, content: Any, reader: type) -> None:
    data = open_path(write(tmp_path / "some.file", content))
    assert isinstance(data, reader)
    list(data.questions())


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ({"annotations": []}, "annotations=..."),
        ([{"question_id": 1, "answers": []}], "annotations=..."),
        ({"n1": {"width": 3, "objects": {}}}, "scenes=..."),
        ([{"question_id": 1, "answer": "yes"}], "predictions:"),
        ([{"sent": "Is it?"}], "Known formats: VQA v2 or GQA questions"),
        ([], "Known formats: VQA v2 or GQA questions"),
        ({}, "Known formats: VQA v2 or GQA questions"),
    ],
)
def test_anything_else_is_refused_with_what_to_give(tmp_path: Path, content: Any, advice: str) -> None:
    path = write(tmp_path / "some.json", content)
    with pytest.raises(DataError) as error:
        open_path(path)
    assert str(error.value).startswith(f"{path}: ")
    assert advice in str(error.value)


def test_chunks_and_the_layout_of_the_official_tools(tmp_path: Path) -> None:
    gqa = {"1": {"question": "Q?", "imageId": "n1"}}
    write(tmp_path / "gqa" / "train_all_questions" / "train_all_questions_0.json", gqa)
    vqa = {"questions": [{"image_id": 1, "question": "Q?", "question_id": 2}]}
    write(tmp_path / "vqa" / "Questions" / "v2_OpenEnded_mscoco_val2014_questions.json", vqa)
    assert isinstance(open_path(tmp_path / "gqa" / "train_all_questions"), Gqa)
    assert isinstance(open_path(tmp_path / "vqa"), Vqa)


def test_a_folder_with_two_kinds_of_questions_asks_which_one(tmp_path: Path) -> None:
    asked, _ = write_vqa([QUESTION], str(tmp_path))
    write_gqa([QUESTION], str(tmp_path / "val_questions.json"))
    write_jsonl([QUESTION], str(tmp_path / "questions.jsonl"))
    with pytest.raises(DataError, match=f"{asked} or {tmp_path}/val_questions.json"):
        open_path(tmp_path)
    assert Vqa(str(tmp_path)).path == asked
    assert [q.id for q in Gqa(str(tmp_path)).questions()] == ["1"]


def test_missing_and_empty_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        open_path(tmp_path / "nowhere")
    with pytest.raises(DataError, match="askew cannot read this as data"):
        open_path(tmp_path)


def test_a_pointer_of_git_lfs_is_not_broken_json(tmp_path):
    for name in ("a.json", "a.jsonl", "a.tsv", "a.parquet"):
        path = tmp_path / name
        path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234\n")
        with pytest.raises(DataError, match="this is a Git LFS pointer, which stands for the file"):
            list(open_path(path).questions())


def test_options_after_a_path_need_the_name_of_a_reader(tmp_path):
    row = {"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}
    (tmp_path / "gqa_pope_seem_random.json").write_text(json.dumps([row]))
    with pytest.raises(
        DataError, match=rf"options need the name of a reader before the path: pope:{tmp_path},source=gqa"
    ):
        open_path(f"{tmp_path},source=gqa")


def test_the_error_about_a_missing_image_counts_the_others(tmp_path):
    (tmp_path / "images").mkdir()
    for name in ("0.jpg", "1.jpg"):
        (tmp_path / "images" / name).touch()
    questions = [Question(n, ImageRef(n), "Is it?", ("yes",) * 10) for n in range(5)]
    write_jsonl(questions, tmp_path / "own.jsonl")
    write_vqa(questions, tmp_path / "vqa", name="val2014")
    named = [replace(one, id=f"q{one.id}", image=ImageRef(str(one.image.id)), answers=("yes",)) for one in questions]
    write_gqa(named, tmp_path / "gqa_questions.json")
    for name in ("own.jsonl", "vqa", "gqa_questions.json"):
        with pytest.raises(
            BadImage, match=r"--skip-bad.* In all, 3 records are bad; questions about 2 images are left"
        ):
            list(open_path(tmp_path / name, images=str(tmp_path / "images")).questions())
