"""Our own JSONL files: short records written by hand are read, and each bad line is reported by itself."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from askew.data.jsonl import Jsonl, Lines
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError
from askew.types import ImageRef, Kind, Question


def write(path: Path, *records: Any) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


SHORTEST = {"image": "a.jpg", "question": "What is it?", "answer": "a dog"}


def test_the_shortest_record(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    (question,) = Jsonl(write(tmp_path / "mine.jsonl", SHORTEST)).questions()
    assert question.image == ImageRef("a.jpg", str(tmp_path / "a.jpg"))
    assert (question.text, question.answers) == ("What is it?", ("a dog",))
    assert isinstance(question.id, str)


def test_a_made_up_id_follows_the_content_not_the_place(tmp_path: Path) -> None:
    other = {"image": "b.jpg", "question": "What is it?"}
    forward = [q.id for q in Jsonl(write(tmp_path / "a.jsonl", SHORTEST, other)).questions()]
    backward = [q.id for q in Jsonl(write(tmp_path / "b.jsonl", other, {**SHORTEST, "answer": "a cat"})).questions()]
    assert forward == backward[::-1]
    assert len(set(forward)) == 2


def test_the_whole_record(tmp_path: Path) -> None:
    record = {
        "id": "01",
        "image": 7,
        "question": "Is it?",
        "answers": ["yes", "no"],
        "answer_type": "yes/no",
        "question_type": "is it",
        "context": "A dog.",
        "confidences": ["yes", "maybe"],
        "size": [4, 3],
        "sha256": "00ff",
        "scene": {"id": "7", "things": [{"id": "1", "name": "dog"}]},
    }
    (question,) = Jsonl(write(tmp_path / "a.jsonl", record)).questions()
    scene = question.scene
    assert scene is not None
    assert scene.things[0].name == "dog"
    assert question == Question(
        "01",
        ImageRef(7, sha256="00ff", size=(4, 3)),
        "Is it?",
        ("yes", "no"),
        Kind("yes/no", "is it"),
        scene,
        "A dog.",
        ("yes", "maybe"),
    )


def test_vqa_names_and_nulls_are_understood(tmp_path: Path) -> None:
    record = {"question_id": 5, "image_id": 6, "question": "Is it?", "answer": None}
    (question,) = Jsonl(write(tmp_path / "a.jsonl", record)).questions()
    assert question == Question(5, ImageRef(6), "Is it?")


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".json"])
def test_lists_lines_and_gzip_are_read_and_blank_lines_skipped(tmp_path: Path, ending: str) -> None:
    content = b'\xef\xbb\xbf{"id": 1, "question": "Is it?"}\r\n\r\n   \r\n{"id": 2, "question": "Was it?"}'
    if ending == ".json":
        content = json.dumps([{"id": 1, "question": "Is it?"}, {"id": 2, "question": "Was it?"}], indent=2).encode()
    path = tmp_path / f"a{ending}"
    path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    data = Jsonl(str(path))
    assert [(q.id, q.text, q.image) for q in data.questions()] == [(1, "Is it?", None), (2, "Was it?", None)]
    assert data.name == "a"
    assert repr(data) == f"Jsonl(path='a{ending}')"


def test_images_in_a_folder_of_their_own(tmp_path: Path) -> None:
    images = tmp_path / "pictures"
    (images / "sub").mkdir(parents=True)
    for name in ("a.jpg", "sub/b.jpg", "7.png"):
        (images / name).touch()
    records = [{"id": i, "image": image, "question": "Q?"} for i, image in enumerate(("a.jpg", "sub/b.jpg", 7))]
    path = write(tmp_path / "a.jsonl", *records)
    found = [q.image.path for q in Jsonl(path, images=str(images)).questions() if q.image]
    assert found == [str(images / name) for name in ("a.jpg", "sub/b.jpg", "7.png")]
    assert [q.image.path for q in Jsonl(path).questions() if q.image] == [None, None, None]


def test_an_image_must_be_in_the_given_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", SHORTEST)
    (tmp_path / "pictures").mkdir()
    with pytest.raises(BadImage) as error:
        list(Jsonl(path, images=str(tmp_path / "pictures")).questions())
    assert str(error.value).startswith(f"{path}: line 1 (id 'a.jpg:")
    assert str(tmp_path / "pictures" / "a.jpg") in str(error.value)
    assert "images=" in str(error.value)
    with pytest.raises(DataError, match="no such folder"):
        list(Jsonl(path, images=str(tmp_path / "nowhere")).questions())


def test_paths_are_relative_to_the_folder_of_the_file(tmp_path: Path) -> None:
    record = {"id": 1, "image": 9, "path": "pictures/9.jpg", "question": "Q?"}
    (question,) = Jsonl(write(tmp_path / "a.jsonl", record)).questions()
    assert question.image == ImageRef(9, str(tmp_path / "pictures" / "9.jpg"))


BAD = {
    "a confidence for some answers": (
        '{"id": 2, "question": "Q?", "answers": ["a", "b"], "confidences": ["yes"]}',
        "there are 2 answers and 1 confidences",
        "Give one for each answer, or none.",
    ),
    "an id beyond all numbers": (
        '{"id": 123456789012345678901234567890, "question": "Q?"}',
        "'id' is too large a number to be read exactly (1.2345678901234568e+29)",
        "Write it as text, in quotes.",
    ),
    "broken": ('{"id": 2, "question": "Is it?"', "broken JSON at column", "fix it"),
    "no object": ("[1, 2]", "must be an object {...}, but is a list", "Fix"),
    "no question": ('{"id": 2, "image": "a.jpg"}', "'question' is missing (present fields: id, image)", "Add it"),
    "question a number": ('{"id": 2, "question": 3}', "'question' must be text, but is a whole number (3)", "Fix"),
    "answer a number": ('{"id": 2, "question": "Q?", "answer": 3}', "'answer' must be text", "Fix"),
    "answers text": ('{"id": 2, "question": "Q?", "answers": "yes"}', "'answers' must be a list of texts", "Fix"),
    "answers mixed": ('{"id": 2, "question": "Q?", "answers": ["yes", 1]}', "'answers[…]' must be text", "Fix"),
    "id a list": ('{"id": [2], "question": "Q?"}', "'id' must be text or a whole number, but is a list", "Fix"),
    "id blank": ('{"id": "", "question": "Q?"}', "'id' must be text or a whole number", "Fix"),
    "image a list": ('{"id": 2, "question": "Q?", "image": ["a.jpg"]}', "'image' must be text or a whole", "Fix"),
    "path alone": ('{"id": 2, "question": "Q?", "path": "a.jpg"}', "'image' is missing", "Add it"),
    "size": ('{"id": 2, "question": "Q?", "image": 1, "size": [1]}', "'size' must be [width, height]", "Fix"),
    "scene": ('{"id": 2, "question": "Q?", "scene": {"things": [1]}}', "its scene cannot be read", "Write it like"),
    "repeated": ('{"id": 1, "question": "Q?"}', "the id 1 occurs twice (first in line 1)", "remove or rename"),
    "id too large": ('{"id": 9223372036854775808, "question": "Q?"}', "'id' is too large a number", "Write it as text"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_line_is_reported_with_file_line_and_remedy_or_skipped(tmp_path: Path, case: str) -> None:
    line, fault, remedy = BAD[case]
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": 1, "question": "Q?"}}\n\n{line}\n{{"id": 3, "question": "Q?"}}\n')
    with pytest.raises(DataError) as error:
        list(Jsonl(str(path)).questions())
    message = str(error.value)
    assert message.startswith(f"{path}: line 3")
    assert fault in message
    assert remedy in message
    assert message.endswith("--skip-bad, or skip_bad=true after the data.")
    lenient = Jsonl(str(path), skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1, 3]
    assert len(lenient.skipped) == 1
    assert lenient.skipped[0].startswith(f"{path}: line 3")


def test_a_line_in_latin1_is_one_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1, "question": "caf\xe9?"}\n{"id": 2, "question": "Q?"}\n')
    with pytest.raises(DataError, match=r"line 1: not UTF-8: byte 0xe9 at column 27\. Save the file as UTF-8"):
        list(Jsonl(str(path)).questions())
    assert [q.id for q in Jsonl(str(path), skip_bad=True).questions()] == [2]


def test_the_same_question_twice_without_ids_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", SHORTEST, SHORTEST)
    with pytest.raises(DataError, match=r"line 2: it asks the same as line 1 \(image, question and context are ident"):
        list(Jsonl(path).questions())


def test_an_error_about_a_missing_image_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    path = write(tmp_path / "a.jsonl", {"id": 1, "image": 7, "path": "/gone/a.jpg", "question": "Q?"})
    with pytest.raises(BadImage, match=f"is not at {tmp_path / 'pictures' / 'a.jpg'}"):
        list(Jsonl(path, images=str(tmp_path / "pictures")).questions())


def test_a_question_without_an_id_gets_one_that_is_found_in_the_file(tmp_path: Path) -> None:
    records = [
        {"image": "val/a.jpg", "question": "What color is the car?"},
        {"image": "val/a.jpg", "question": "What color is the car?", "context": "It is night."},
        {"question": "Ist das schön?"},
        {"image": 7, "question": "??"},
    ]
    path = write(tmp_path / "a.jsonl", *records)
    ids = [str(question.id) for question in Jsonl(path).questions()]
    assert [made.rpartition("-")[0] for made in ids] == [
        "a.jpg:what-color-is-the-car",
        "a.jpg:what-color-is-the-car",
        "ist-das-schön",
        "7:question",
    ]
    assert len(set(ids)) == 4, "what differs in the content differs in the hash"
    turned = write(tmp_path / "b.jsonl", *reversed(records))
    assert [question.id for question in Jsonl(turned).questions()] == ids[::-1], "wherever it stands in the file"


def test_one_question_per_line_blank_lines_aside(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_bytes("Is it hot?\n\n  What is é?  \r\nWhy?".encode())
    read = Lines(str(path))
    assert [(q.id, q.text) for q in read.questions()] == [(1, "Is it hot?"), (3, "What is é?"), (4, "Why?")]
    assert repr(read) == "Lines(path='pool.txt')"
    assert read.name == "pool"


def test_lines_in_gzip_are_read_too(tmp_path):
    path = tmp_path / "pool.txt.gz"
    path.write_bytes(gzip.compress(b"Is it hot?\n"))
    assert [q.text for q in Lines(str(path)).questions()] == ["Is it hot?"]


def test_a_line_that_is_not_utf8_is_reported_or_skipped(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_bytes(b"Is it hot?\nCaf\xe9?\nWhy?\n")
    with pytest.raises(BadRecord, match=r"line 2: not UTF-8: byte 0xe9 at column 4"):
        list(Lines(str(path)).questions())
    lenient = Lines(str(path), skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1, 3]
    assert len(lenient.skipped) == 1


def test_a_missing_file_of_lines_is_reported(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        list(Lines(str(tmp_path / "none.txt")).questions())


def test_a_path_that_ends_in_txt_is_text(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_text("Is it hot?\n")
    assert open_path(path) == Lines(str(path))
