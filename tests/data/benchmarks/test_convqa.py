"""ConVQA: its shape, and Perf-Con, Avg-Con and Top-1 recomputed by hand."""

from __future__ import annotations

import json

import pytest

import askew
from askew.data.benchmarks.convqa import COMMON_SENSE, LOGICAL, TEST, ConVqa
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError
from askew.models.baselines import Scripted

URL = "http://images.example/val2014/COCO_val2014_{:012d}.jpg"
LOGIC = {
    "2318": [
        [{"question": "is it red", "answer": "yes"}, {"question": "what color is it", "answer": "red"}],
        [
            {"question": "is it big", "answer": "no"},
            {"question": "is it small", "answer": "yes"},
            {"question": "what size is it", "answer": "small"},
            {"question": "is it tall", "answer": "no"},
        ],
    ]
}
SENSE = {
    URL.format(1): [["is it cold", "yes"], ["is there snow", "yes"]],
    URL.format(2): [["is it hot", "yes"]],
}


def convqa(folder, logic=LOGIC, sense=SENSE, test=(1,)):
    (folder / LOGICAL).write_text(json.dumps(logic))
    (folder / COMMON_SENSE).write_text(json.dumps(sense))
    (folder / TEST).write_text(json.dumps([URL.format(number) for number in test]))
    return folder


def test_sets_are_groups(tmp_path):
    data = open_path(convqa(tmp_path), skip_bad=True)
    assert isinstance(data, ConVqa)
    first, second, third = data.groups()
    assert (first.id, first.original.id, first.original.image.id) == ("L/2318/0", "L/2318/0/0", "2318")
    assert [v.question.answers for v in first.variants] == [("red",)]
    assert len(second.variants) == 3
    assert (third.original.text, third.original.image.id) == ("is it cold", "COCO_val2014_000000000001.jpg")
    assert third.original.tags == (("part", "commonsense"),)
    assert data.remarks == [
        f"ConVQA: 1 of 1,590 expected images in {TEST}.",
        f"ConVQA: 1 of 725 expected images in {LOGICAL}.",
        f"ConVQA: 2 of 2,003 expected sets in {LOGICAL}.",
        f"ConVQA: 6 of 6,751 expected questions in {LOGICAL}.",
        f"ConVQA: 2 of 6,439 expected images in {COMMON_SENSE}.",
        f"ConVQA: 1 sets in {COMMON_SENSE}.",
        f"ConVQA: 2 questions in {COMMON_SENSE}.",
    ]
    with pytest.raises(DataError, match="1 of 1,590 expected images"):
        list(ConVqa(str(tmp_path)).groups())
    (tmp_path / TEST).unlink()
    alone = open_path(tmp_path / COMMON_SENSE, skip_bad=True)
    assert len(list(alone.groups())) == 2
    assert f"without {TEST} beside it" in alone.remarks[0]
    renamed = tmp_path / "mine.json"
    renamed.write_text((tmp_path / COMMON_SENSE).read_text())
    assert len(list(open_path(renamed).groups())) == 2


def test_faults_of_convqa(tmp_path):
    with pytest.raises(DataError, match=f"Put {LOGICAL}, or"):
        ConVqa(str(tmp_path))
    other = tmp_path / "other.json"
    other.write_text("{}")
    with pytest.raises(DataError, match="not a file of ConVQA"):
        ConVqa(str(other))
    convqa(tmp_path, sense={URL.format(1): [["is it cold"]], **SENSE} | {URL.format(1): [["is it cold"]]})
    with pytest.raises(BadRecord, match=r"record 1 .*must be a list \[question, answer\]"):
        list(ConVqa(str(tmp_path)).groups())
    assert len(list(ConVqa(str(tmp_path), skip_bad=True).groups())) == 2
    twice = json.dumps(LOGIC)[:-1] + "," + json.dumps(LOGIC)[1:]
    (convqa(tmp_path) / LOGICAL).write_text(twice)
    with pytest.raises(BadRecord, match="the id '2318' occurs twice"):
        list(ConVqa(str(tmp_path)).groups())
    (tmp_path / "images").mkdir()
    with pytest.raises(BadImage, match=r"2318\.jpg"):
        list(ConVqa(str(convqa(tmp_path)), images=str(tmp_path / "images")).groups())


def test_consistency_by_hand(tmp_path):
    """Sets of 2, 4 and 2 questions with 1, 4 and 2 correct answers."""
    script = {"is it red": "Yes", "what color is it": "blue", "is it big": "no", "is it small": "yes"}
    script |= {"what size is it": "small", "is it tall": "no", "is it cold": "yes", "is there snow": "yes"}
    result = askew.evaluate(Scripted(script), f"convqa:{convqa(tmp_path)},skip_bad=true", "convqa")
    assert result.score("perf-con", "tag.part=logical").value == 1 / 2
    assert result.score("avg-con", "tag.part=logical").value == (1 / 2 + 1) / 2
    assert result.score("accuracy.members", "tag.part=logical").value == pytest.approx(5 / 6)
    assert result.score("perf-con", "tag.part=commonsense").value == 1
    assert result.score("avg-con").value == pytest.approx((1 / 2 + 1 + 1) / 3)
