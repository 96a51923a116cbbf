"""Files of questions are read back as they were written, whatever the text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.answers.normalise import answer_type
from askew.data.benchmarks.gqa import Gqa
from askew.data.benchmarks.vqa import Vqa
from askew.data.jsonl import Jsonl
from askew.data.scene_graphs import SceneFile, write_scenes
from askew.data.write_questions import write_gqa, write_jsonl, write_vqa
from askew.errors import DataError
from askew.types import ImageRef, Kind, Question, Relation, Scene, Thing

ODD = st.sampled_from(
    ['say "hi"', "two\nlines\r\n", "tab\t\\", "naïve café", "日本語?", "😀 ok", "\x00", "\u2028", "{", "a,b"]
)
TEXT = ODD | st.text(max_size=12)
ASKED = TEXT.filter(str.strip)
NAME = st.text(min_size=1, max_size=6).filter(str.strip)
IDS = st.integers(-(2**53), 2**53) | NAME


@st.composite
def scenes(draw: st.DrawFn, key: str) -> Scene:
    names = draw(st.lists(NAME, unique=True, max_size=3))
    things = tuple(
        Thing(name, draw(ASKED), tuple(draw(st.lists(TEXT, max_size=2))), draw(st.none() | st.just((1, 2.5, 3, 4))))
        for name in names
    )
    relations = tuple(Relation(names[0], draw(ASKED), other) for other in names)
    facts = draw(st.dictionaries(st.sampled_from(["location", "weather"]), ASKED))
    return Scene(key, things, relations, draw(st.none() | st.just((640, 480))), facts)


@st.composite
def vqa_question(draw: st.DrawFn, key: str | int) -> Question:
    answers = tuple(draw(st.lists(TEXT, max_size=3)))
    sure = st.lists(st.sampled_from(["yes", "maybe", "no"]), min_size=len(answers), max_size=len(answers))
    confidences = tuple(draw(st.just([]) | sure))
    return Question(key, ImageRef(draw(IDS)), draw(ASKED), answers, Kind(draw(TEXT), draw(TEXT)), None, "", confidences)


def many(make):
    """Strategy for lists of questions with distinct ids."""
    return st.lists(IDS, unique_by=lambda key: (type(key), key), max_size=5).flatmap(
        lambda ids: st.tuples(*(make(key) for key in ids)).map(list)
    )


@settings(deadline=None, max_examples=25, derandomize=True)
@given(many(vqa_question))
def test_vqa_files_round_trip(questions: list[Question]) -> None:
    with TemporaryDirectory() as folder:
        asked, answered = write_vqa(iter(questions), folder, "val2014")
        data = Vqa(asked)
        assert data.annotations == answered
        assert list(data.questions()) == questions


@settings(deadline=None, max_examples=25, derandomize=True)
@given(many(vqa_question), st.sampled_from(["a.jsonl", "a.jsonl.gz"]), TEXT)
def test_jsonl_files_round_trip(questions: list[Question], name: str, context: str) -> None:
    questions = [
        Question(q.id, None if q.answers else q.image, q.text, q.answers, q.kind, None, context) for q in questions
    ]
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / name)
        assert write_jsonl(iter(questions), path) == len(questions)
        if questions:
            assert list(Jsonl(path).questions()) == questions


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    st.lists(NAME, unique=True, max_size=4).flatmap(lambda keys: st.tuples(*(scenes(key) for key in keys))), st.data()
)
def test_gqa_files_round_trip(graphs: tuple[Scene, ...], data: st.DataObject) -> None:
    questions = []
    for number, scene in enumerate(graphs):
        answer = data.draw(TEXT)
        kind = Kind(answer_type(answer), data.draw(st.sampled_from(["", "verify", "query/attr"])))
        question = data.draw(ASKED)
        questions.append(Question(f"0{number}", ImageRef(scene.id), question, (answer,) if answer else (), kind, scene))
    with TemporaryDirectory() as folder:
        path, graph_path = str(Path(folder) / "val_questions.json"), str(Path(folder) / "val_sceneGraphs.json")
        assert write_gqa(iter(questions), path) == len(questions)
        assert write_scenes(iter(graphs), graph_path) == len(graphs)
        assert [question.scene for question in SceneFile(graph_path).questions()] == list(graphs)
        assert list(Gqa(path, scenes=graph_path, balanced=True).questions()) == questions


def test_the_official_files_field_by_field(tmp_path: Path) -> None:
    question = Question(
        42000, ImageRef(42), "Is it?", ("no", "yes", "yes"), Kind("yes/no", "is it"), confidences=("no", "yes", "maybe")
    )
    asked, answered = write_vqa([question], str(tmp_path), "train2014")
    assert Path(asked).name == "v2_OpenEnded_mscoco_train2014_questions.json"
    assert Path(answered).name == "v2_mscoco_train2014_annotations.json"
    first, second = (json.loads(Path(path).read_text()) for path in (asked, answered))
    assert set(first) == {"info", "task_type", "data_type", "license", "data_subtype", "questions"}
    assert set(second) == {"info", "data_type", "license", "data_subtype", "annotations"}
    assert (first["task_type"], first["data_type"], first["data_subtype"]) == ("Open-Ended", "mscoco", "train2014")
    assert first["questions"] == [{"image_id": 42, "question": "Is it?", "question_id": 42000}]
    assert second["annotations"] == [
        {
            "question_type": "is it",
            "multiple_choice_answer": "yes",
            "answers": [
                {"answer": "no", "answer_confidence": "no", "answer_id": 1},
                {"answer": "yes", "answer_confidence": "yes", "answer_id": 2},
                {"answer": "yes", "answer_confidence": "maybe", "answer_id": 3},
            ],
            "image_id": 42,
            "answer_type": "yes/no",
            "question_id": 42000,
        }
    ]


def test_the_same_questions_give_the_same_bytes(tmp_path: Path) -> None:
    questions = [Question(1, ImageRef(2), "Is it?", ("yes",))]
    for name in ("a", "b"):
        write_vqa(questions, str(tmp_path / name))
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert [(tmp_path / "a" / n).read_bytes() for n in names] == [(tmp_path / "b" / n).read_bytes() for n in names]


def test_questions_that_a_format_cannot_express_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"question 1 has no image.*JSONL"):
        write_vqa([Question(1, None, "Is it?")], str(tmp_path))
    path = str(tmp_path / "q.json")
    with pytest.raises(DataError, match="GQA's ids of questions and images are text"):
        write_gqa([Question(1, ImageRef("1"), "Is it?")], path)
    with pytest.raises(DataError, match="has 2 answers; GQA has one"):
        write_gqa([Question("1", ImageRef("1"), "Is it?", ("yes", "no"))], path)
    with pytest.raises(DataError, match="cannot be written as JSON"):
        write_jsonl([Question(1, None, "\ud800")], path)
    with pytest.raises(DataError, match=r"question 1 has 1 answers and 2 confidences"):
        write_vqa([Question(1, ImageRef(1), "Is it?", ("yes",), confidences=("yes", "no"))], str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_real_questions_come_back_with_their_modal_answers(tmp_path: Path, real_data: Callable[[str], Path]) -> None:
    real = Vqa(str(real_data("vqa2_dev")))
    asked, answered = write_vqa(real.questions(), str(tmp_path), "train2014")
    assert list(Vqa(asked).questions()) == list(real.questions())
    written, official = (
        json.loads(Path(path).read_text())["annotations"] for path in (answered, real.annotations or "")
    )
    for ours, theirs in zip(written, official, strict=True):
        counts = Counter(part["answer"] for part in theirs["answers"])
        assert counts[ours["multiple_choice_answer"]] == counts[theirs["multiple_choice_answer"]], (
            "ties aside, the same"
        )
