"""VisDial 1.0: the dialogue as context, and R@1 by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmark_samples import Says

import askew
from askew.data.benchmarks.visdial import VisDial
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.suites.rad import RadSuite
from askew.types import Group

QUESTIONS = ["what color is the cat", "is it sunny", "what color is the dog?"]
ANSWERS = ["yes", "no", "white", "black", "it is sunny"]


def dialogue(image: int, rounds: Any) -> dict[str, Any]:
    """Rounds of (question, answer): the options are all answers in another order."""
    options = [4, 3, 2, 1, 0]
    made = [{"question": q, "answer": a, "answer_options": options, "gt_index": options.index(a)} for q, a in rounds]
    return {"image_id": image, "caption": "a cat on a mat", "dialog": made}


def write(folder: Path, change: dict[str, Any] | None = None) -> Path:
    folder.mkdir()
    dialogs = [dialogue(7, ((0, 2), (1, 0))), dialogue(8, ((2, 3), (1, 1)))]
    dialogs[1] |= change or {}
    data = {"dialogs": dialogs, "questions": QUESTIONS, "answers": ANSWERS}
    (folder / "visdial_1.0_val.json").write_text(json.dumps({"split": "val", "version": "1.0", "data": data}))
    return folder


def test_the_dialogue_is_the_context(tmp_path):
    data = open_path(write(tmp_path / "visdial"), skip_bad=True)
    assert isinstance(data, VisDial)
    questions = list(data.questions())
    assert [(q.id, q.text, q.answers, q.kind.answer_type) for q in questions] == [
        ("7/1", "what color is the cat?", ("white",), "other"),
        ("7/2", "is it sunny?", ("yes",), "yes/no"),
        ("8/1", "what color is the dog?", ("black",), "other"),
        ("8/2", "is it sunny?", ("no",), "yes/no"),
    ]
    assert questions[1].context == (
        "Caption: a cat on a mat\nQ: what color is the cat?\nA: white\n"
        "The answer is one of: it is sunny; black; white; no; yes"
    )
    assert questions[0].image.id == 7
    assert data.remarks[-1] == "VisDial: 4 of 20,640 expected questions."
    assert "--extract none" in data.remarks[0]
    without = VisDial(str(tmp_path / "visdial"), skip_bad=True, options=False)
    assert next(iter(without.questions())).context == "Caption: a cat on a mat"
    groups = [one for one in RadSuite().groups(without, 0) if isinstance(one, Group)]
    assert [group.id for group in groups] == ["7/1", "8/1"]
    assert groups[0].variants[0].question.context == "Caption: a cat on a mat"


def test_rounds_of_the_test_split_may_lack_answers(tmp_path):
    last = {"question": 1, "answer_options": [0, 1]}
    write(tmp_path / "visdial", {"dialog": [{"question": 0, "answer": 2}, last]})
    data = VisDial(str(tmp_path / "visdial"), skip_bad=True)
    *_, question = data.questions()
    assert (question.id, question.answers) == ("8/2", ())
    assert "Q: what color is the cat?\nA: white\n" in question.context


def test_faults_are_named_and_can_be_skipped(tmp_path):
    cases = (
        ({"image_id": 7}, "the id 7 occurs twice"),
        ({"dialog": None}, "'dialog' must be a list of rounds"),
        ({"dialog": [{"question": 9}]}, "there is no text 9 among the 3 questions"),
        (
            {"dialog": [{"question": 0, "answer_options": [0], "gt_index": 1}]},
            "'gt_index' must be a number from 0 to 0",
        ),
    )
    for number, (change, message) in enumerate(cases):
        folder = str(write(tmp_path / str(number), change))
        with pytest.raises(BadRecord, match=message):
            list(VisDial(folder).questions())
        data = VisDial(folder, skip_bad=True)
        assert [q.id for q in data.questions()] == ["7/1", "7/2"]
        assert len(data.skipped) == 1
    with pytest.raises(DataError, match="4 of 20,640 expected questions"):
        list(VisDial(str(write(tmp_path / "small"))).questions())
    (tmp_path / "small" / "VisualDialog_val2018_000000000007.jpg").touch()
    data = VisDial(str(tmp_path / "small"), skip_bad=True)
    assert [q.image.path for q in data.questions()] == [
        str(tmp_path / "small/VisualDialog_val2018_000000000007.jpg")
    ] * 2
    text = (tmp_path / "small" / "visdial_1.0_val.json").read_text()
    (tmp_path / "visdial_1.0_val.json").write_text(text.replace('"is it sunny"', "3"))
    with pytest.raises(DataError, match=r"visdial_1.0_val.json: questions 2 is not text but 3"):
        list(VisDial(str(tmp_path / "visdial_1.0_val.json")).questions())
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"Put visdial_1.0_val.json"):
        VisDial(str(tmp_path / "empty"))


def test_r_at_1_by_hand(tmp_path):
    """White is the first of the 100 options for the cat, not for the dog; yes for one of two: 2 of 4."""
    model = Says(lambda q: "White." if "color" in q.text else "yes")
    result = askew.evaluate(model, f"visdial:{write(tmp_path / 'visdial')},skip_bad=true", "accuracy:accuracy=robust")
    assert result.score("accuracy.all").value == 2 / 4
