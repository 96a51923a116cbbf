"""VQA v2 and its family: what is read, from which files, and the errors for bad records."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askew.data.benchmarks.vqa import Vqa
from askew.errors import BadImage, DataError
from askew.types import ImageRef, Kind, Question

QUESTIONS = "v2_OpenEnded_mscoco_val2014_questions.json"
ANNOTATIONS = "v2_mscoco_val2014_annotations.json"


def asked(key: Any = 42000, image: Any = 42, text: str = "What is it?") -> dict[str, Any]:
    return {"image_id": image, "question": text, "question_id": key}


def annotated(key: Any = 42000, image: Any = 42, answers: tuple[str, ...] = ("dog", "cat")) -> dict[str, Any]:
    return {
        "question_type": "what is",
        "multiple_choice_answer": answers[0],
        "answers": [{"answer": a, "answer_confidence": "maybe", "answer_id": n} for n, a in enumerate(answers, 1)],
        "image_id": image,
        "answer_type": "other",
        "question_id": key,
    }


def pair(folder: Path, questions: list[Any], annotations: list[Any] | None) -> str:
    (folder / QUESTIONS).write_text(json.dumps({"info": {"year": 2017}, "questions": questions, "license": {}}))
    if annotations is not None:
        (folder / ANNOTATIONS).write_text(json.dumps({"annotations": annotations, "data_type": "mscoco"}))
    return str(folder / QUESTIONS)


def refusal(data: Vqa) -> str:
    with pytest.raises(DataError) as error:
        list(data.questions())
    return str(error.value)


def test_a_question_with_its_answers(tmp_path: Path) -> None:
    data = Vqa(pair(tmp_path, [asked()], [annotated()]))
    expected = Question(
        42000,
        ImageRef(42),
        "What is it?",
        ("dog", "cat"),
        Kind("other", "what is"),
        confidences=("maybe", "maybe"),
    )
    assert list(data.questions()) == [expected]
    assert list(data.questions()) == [expected], "a data set can be read again and again"


def test_questions_without_annotations_have_no_answers(tmp_path: Path) -> None:
    path = pair(tmp_path, [asked()], None)
    assert [q.answers for q in Vqa(path).questions()] == [()]
    pair(tmp_path, [asked()], [annotated()])
    assert [q.answers for q in Vqa(path, annotations="").questions()] == [()]


def test_ids_stay_as_they_are(tmp_path: Path) -> None:
    ids: list[Any] = ["01", "1", 1]
    data = Vqa(pair(tmp_path, [asked(key, "00_7") for key in ids], [annotated(key, "00_7") for key in reversed(ids)]))
    assert [(type(q.id), q.id) for q in data.questions()] == [(str, "01"), (str, "1"), (int, 1)]
    assert {q.image and q.image.id for q in data.questions()} == {"00_7"}


def test_bare_lists_gzip_and_odd_answer_types(tmp_path: Path) -> None:
    (tmp_path / "vqacp_v2_test_questions.json.gz").write_bytes(gzip.compress(json.dumps([asked()]).encode()))
    record = {**annotated(), "answer_type": "numbers", "coco_split": "val2014"}
    (tmp_path / "vqacp_v2_test_annotations.json").write_text(json.dumps([record]))
    data = Vqa(str(tmp_path))
    assert data.name == "vqacp_v2_test_questions"
    assert [(q.answers, q.kind.answer_type) for q in data.questions()] == [(("dog", "cat"), "numbers")]


@pytest.mark.parametrize(
    ("questions", "annotations"),
    [
        ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"),
        ("OpenEnded_mscoco_train2014_questions.json", "mscoco_train2014_annotations.json.gz"),
        ("v1_OpenEnded_mscoco_val2017_advqa_questions.json", "v1_mscoco_val2017_advqa_annotations.json"),
        ("yes-no_from_colors_val_questions.json", "yes-no_from_colors_val_annotations.json"),
        ("v2_OpenEnded_mscoco_val_questions.json", "v2_OpenEnded_mscoco_val_annotations.json"),
        ("Questions/v2_OpenEnded_mscoco_val2014_questions.json", "Annotations/v2_mscoco_val2014_annotations.json"),
    ],
)
def test_annotations_next_to_the_questions_are_found_by_their_official_name(
    tmp_path: Path, questions: str, annotations: str
) -> None:
    for name, records in ((questions, [asked()]), (annotations, [annotated()])):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(records))
    assert Vqa(str(tmp_path / questions)).annotations == str(tmp_path / annotations)
    assert Vqa(str(tmp_path)).path == str(tmp_path / questions)


@pytest.mark.parametrize(
    ("name", "taken"),
    [("annotations.json", True), ("val2014-annotations.json", True), ("train_annotation.json", False)],
)
def test_annotations_under_another_name_are_found_or_said_not_to_be(tmp_path: Path, name: str, taken: bool) -> None:
    """They were ignored without a word, and the accuracy was a dash."""
    path = pair(tmp_path, [asked()], None)
    (tmp_path / name).write_text(json.dumps({"annotations": [annotated()]}))
    data = Vqa(path)
    (question,) = data.questions()
    assert question.answers == (("dog", "cat") if taken else ())
    (said,) = data.remarks
    assert (
        "The answers are from" if taken else f"no annotations were found beside it of this split; there are {name}"
    ) in said
    assert Vqa(path, annotations="").remarks == []


def test_a_folder_with_several_splits_says_how_to_pick_one(tmp_path: Path) -> None:
    for split in ("train2014", "val2014"):
        (tmp_path / f"v2_OpenEnded_mscoco_{split}_questions.json").write_text(json.dumps({"questions": [asked()]}))
    with pytest.raises(DataError) as error:
        Vqa(str(tmp_path))
    assert "train2014, val2014" in str(error.value)
    assert f"vqa:{tmp_path},split=train2014" in str(error.value)
    assert Vqa(str(tmp_path), split="val2014").name == "VQA val2014"
    with pytest.raises(DataError, match="0 questions files fit the split 'val2015'"):
        Vqa(str(tmp_path), split="val2015")


def test_an_empty_folder_says_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no questions file .* Put e\.g\. v2_OpenEnded_mscoco_val2014_questions\.json"):
        Vqa(str(tmp_path))


def test_the_signature_has_names_but_no_folders(tmp_path: Path) -> None:
    data = Vqa(pair(tmp_path, [asked()], [annotated()]), skip_bad=True)
    assert repr(data) == f"Vqa(path={QUESTIONS!r}, annotations={ANNOTATIONS!r}, skip_bad=True)"
    before = data.fingerprint()
    pair(tmp_path, [asked()], [annotated(answers=("other one",))])
    assert data.fingerprint() != before


@pytest.mark.parametrize(
    "file",
    ["COCO_val2014_000000000042.jpg", "val2014/COCO_val2014_000000000042.jpg", "000000000042.jpg", "42.jpg", "42.png"],
)
def test_images_are_found_under_any_usual_name(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "pictures"
    (folder / file).parent.mkdir(parents=True)
    (folder / file).touch()
    data = Vqa(pair(tmp_path, [asked(), asked(42001)], None), images=str(folder))
    assert [q.image for q in data.questions()] == [ImageRef(42, str(folder / file))] * 2


def test_the_image_split_comes_from_the_record_or_the_wrapper(tmp_path: Path) -> None:
    (tmp_path / "COCO_train2014_000000000042.jpg").touch()
    (tmp_path / "COCO_test2015_000000000043.jpg").touch()
    (tmp_path / "a.json").write_text(json.dumps([{**asked(), "coco_split": "train2014"}]))
    (tmp_path / "b.json").write_text(json.dumps({"questions": [asked(1, 43)], "data_subtype": "test-dev2015"}))
    for name, image in (("a.json", "COCO_train2014_000000000042.jpg"), ("b.json", "COCO_test2015_000000000043.jpg")):
        (question,) = Vqa(str(tmp_path / name), images=str(tmp_path)).questions()
        assert question.image is not None
        assert question.image.path == str(tmp_path / image)


def test_a_missing_image_is_reported_with_the_searched_places(tmp_path: Path) -> None:
    data = Vqa(pair(tmp_path, [asked()], None), images=str(tmp_path))
    with pytest.raises(BadImage) as error:
        list(data.questions())
    assert f"{data.path}: record 1 (id 42000)" in str(error.value)
    assert str(tmp_path / "COCO_val2014_000000000042.jpg") in str(error.value)
    assert "images=" in str(error.value)
    with pytest.raises(DataError, match="no such folder"):
        list(Vqa(data.path, images=str(tmp_path / "nowhere")).questions())


BAD_QUESTIONS = {
    "no field": ({"image_id": 42, "question_id": 2}, "'question' is missing", "Add it"),
    "no id": ({"image_id": 42, "question": "Is it?"}, "'question_id' is missing", "Add it"),
    "no image": ({"question": "Is it?", "question_id": 2}, "'image_id' is missing", "Add it"),
    "wrong type": (asked(2, text=["Is it?"]), "'question' must be text, but is a list", "Fix"),  # type: ignore[arg-type]
    "blank": (asked(2, text="  "), "'question' is blank", "Fill it in"),
    "float id": (asked(2.5), "'question_id' must be text or a whole number, but is a number", "Fix"),
    "true id": (asked(True), "'question_id' must be text or a whole number, but is true or false", "Fix"),
    "no object": ("Is it?", "must be an object {...}, but is text", "Fix"),
    "repeated": (asked(1), "the id 1 occurs twice", "remove or rename"),
}


@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_a_bad_question_is_reported_with_file_record_and_remedy_or_skipped(tmp_path: Path, case: str) -> None:
    record, fault, remedy = BAD_QUESTIONS[case]
    path = pair(tmp_path, [asked(1), record, asked(3)], None)
    said = refusal(Vqa(path))
    assert said.startswith(f"{path}: record 2")
    assert fault in said
    assert remedy in said
    assert "skip_bad=true" in said
    lenient = Vqa(path, skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1, 3]
    assert len(lenient.skipped) == 1
    assert fault in lenient.skipped[0]
    assert [q.id for q in lenient.questions()] == [1, 3]
    assert len(lenient.skipped) == 1, "each reading counts afresh"


BAD_ANNOTATIONS = {
    "no answers": ({"question_id": 2, "image_id": 42}, "'answers' is missing", "Add it"),
    "answers no list": ({**annotated(2), "answers": "dog"}, "'answers' must be a list, but is text", "Fix"),
    "answers bare": ({**annotated(2), "answers": ["dog"]}, "an object with a text 'answer'", "Fix"),
    "answer a number": ({**annotated(2), "answers": [{"answer": 3}]}, "an object with a text 'answer'", "Fix"),
    "other image": (annotated(2, image=43), "'image_id' is 43 and the question's is 42", "same split"),
    "wrong kind": ({**annotated(2), "answer_type": 3}, "'answer_type' must be text", "Fix"),
}


@pytest.mark.parametrize("case", BAD_ANNOTATIONS)
def test_a_bad_annotation_is_reported_with_file_record_and_remedy_or_skipped(tmp_path: Path, case: str) -> None:
    record, fault, remedy = BAD_ANNOTATIONS[case]
    path = pair(tmp_path, [asked(key) for key in (1, 2, 3)], [annotated(3), annotated(1), record])
    said = refusal(Vqa(path))
    assert said.startswith(f"{tmp_path / ANNOTATIONS}: record 3 (id 2): ")
    assert fault in said
    assert remedy in said
    lenient = Vqa(path, skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1, 3]
    assert len(lenient.skipped) == 1


def test_questions_and_annotations_must_cover_each_other(tmp_path: Path) -> None:
    path = pair(tmp_path, [asked(1), asked(2)], [annotated(1), annotated(3)])
    said = refusal(Vqa(path))
    assert said.startswith(f"{path}: record 2 (id 2): the question has no annotation in {tmp_path / ANNOTATIONS}")
    lenient = Vqa(path, skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1]
    assert len(lenient.skipped) == 2
    path = pair(tmp_path, [asked(1)], [annotated(1), annotated(3)])
    said = refusal(Vqa(path))
    assert said.startswith(f"{tmp_path / ANNOTATIONS}: record 2 (id 3): an annotation without a question")
    assert "same split" in said


def test_an_annotation_twice_is_refused(tmp_path: Path) -> None:
    path = pair(tmp_path, [asked(1), asked(2)], [annotated(1), annotated(1), annotated(2)])
    assert refusal(Vqa(path)).startswith(f"{tmp_path / ANNOTATIONS}: record 2 (id 1): the id 1 occurs twice")
    lenient = Vqa(path, skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1, 2]


def test_skipping_a_bad_question_skips_its_annotation(tmp_path: Path) -> None:
    lenient = Vqa(pair(tmp_path, [asked(1, text=""), asked(2)], [annotated(1), annotated(2)]), skip_bad=True)
    assert [q.id for q in lenient.questions()] == [2]
    assert len(lenient.skipped) == 1


def test_a_cut_gzip_file_is_never_skipped(tmp_path: Path) -> None:
    questions = json.dumps([asked(key, text=f"Is it {key * 7919}?") for key in range(5000)]).encode()
    path = tmp_path / "questions.json"
    path.write_bytes(gzip.compress(questions)[:-2000])
    said = refusal(Vqa(str(path), skip_bad=True))
    assert said.startswith(f"{path}: the gzip file is truncated or damaged")


def test_broken_annotations_are_never_skipped(tmp_path: Path) -> None:
    path = pair(tmp_path, [asked(1), asked(2)], [annotated(1), annotated(2)])
    whole = (tmp_path / ANNOTATIONS).read_bytes()
    (tmp_path / ANNOTATIONS).write_bytes(whole[: len(whole) // 2])
    said = refusal(Vqa(path, skip_bad=True))
    assert said.startswith(f"{tmp_path / ANNOTATIONS}: broken JSON near its end")


@pytest.mark.parametrize("shift", [3, 1500])
def test_any_order_of_the_annotations_gives_the_same_questions(tmp_path: Path, shift: int) -> None:
    count = 2000
    questions = [asked(key) for key in range(count)]
    annotations = [annotated(key, answers=(f"a{key}",)) for key in range(count)]
    path = pair(tmp_path, questions, annotations[shift:] + annotations[:shift])
    assert [(q.id, q.answers) for q in Vqa(path).questions()] == [(key, (f"a{key}",)) for key in range(count)]


def test_extra_annotations_are_reported_in_any_order(tmp_path: Path) -> None:
    count = 2000
    annotations = [annotated(key) for key in reversed(range(count))]
    data = Vqa(pair(tmp_path, [asked(key) for key in range(count - 1)], annotations), skip_bad=True)
    assert sum(1 for _ in data.questions()) == count - 1
    assert data.skipped == [
        f"{tmp_path / ANNOTATIONS}: record 1 (id {count - 1}): "
        "an annotation without a question. Use the questions file of the same split."
    ]


def test_reading_can_stop_early(tmp_path: Path) -> None:
    reading = Vqa(pair(tmp_path, [asked(1), asked(2)], [annotated(1), annotated(2)])).questions()
    assert next(reading).id == 1
    reading.close()  # type: ignore[attr-defined]


def test_real_questions(real_data: Callable[[str], Path]) -> None:
    questions = list(Vqa(str(real_data("vqa2_dev"))).questions())
    assert len(questions) == 8977
    assert {len(q.answers) for q in questions} == {10}
    assert {len(q.confidences) for q in questions} == {10}
    assert set(Counter(q.kind.answer_type for q in questions)) == {"yes/no", "number", "other"}
    assert questions[0].text == "What insurance company is a sponsor?"
    assert questions[0].answers == ("state farm",) * 10
