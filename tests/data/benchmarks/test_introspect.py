"""VQA-Introspect: its shape, and its four cells recomputed by hand."""

from __future__ import annotations

import json

import pytest

import askew
from askew.data.benchmarks.introspect import VqaIntrospect
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError
from askew.models.baselines import Scripted

WET = {"sub_question": "Is there water?", "sub_answer": "yea"}
SAIL = {"sub_question": "What is white?", "sub_answer": "sail"}
RECORDS = {
    "9001": {
        "image_id": 9,
        "reasoning_question": "Is this a boat?",
        "reasoning_answer_most_common": "yes",
        "introspect": [
            {"sub_qa": [WET, SAIL], "pred_q_type": "reasoning"},
            {"sub_qa": [WET], "pred_q_type": "perception"},
            {"sub_qa": [{"sub_question": "Eh?", "sub_answer": "no"}], "pred_q_type": "invalid"},
        ],
    },
    "7002": {
        "image_id": 7,
        "reasoning_question": "Is it cold?",
        "reasoning_answer_most_common": "no",
        "introspect": [
            {"sub_qa": [{"sub_question": "Is there snow?", "sub_answer": "no"}], "pred_q_type": "reasoning"}
        ],
    },
    "7003": {
        "image_id": 7,
        "reasoning_question": "Is it fun?",
        "reasoning_answer_most_common": "yes",
        "introspect": [{"sub_qa": [], "pred_q_type": "reasoning"}],
    },
}


def introspect(folder, records=None, name="VQAIntrospect_valv1.0.json"):
    (folder / name).write_text(json.dumps(records or RECORDS))
    return folder


def test_sub_questions_of_all_annotators_are_variants(tmp_path):
    data = open_path(introspect(tmp_path))
    assert isinstance(data, VqaIntrospect)
    assert isinstance(open_path(tmp_path / "VQAIntrospect_valv1.0.json"), VqaIntrospect)
    first, second = data.groups()
    assert (first.id, first.original.text, first.original.answers) == ("9001", "Is this a boat?", ("yes",))
    assert [(v.question.id, v.question.text, v.question.answers) for v in first.variants] == [
        ("9001/0", "Is there water?", ("yes",)),
        ("9001/1", "What is white?", ("sail",)),
    ]
    assert [v.question.kind.answer_type for v in first.variants] == ["yes/no", "other"]
    assert len(second.variants) == 1
    assert data.remarks[1:] == [
        "VQA-Introspect: 2 reasoning questions.",
        "VQA-Introspect: 3 sub-questions.",
        "VQA-Introspect: 1 reasoning questions without sub-questions, left out.",
    ]


def test_ten_answers_come_from_vqa_v2(tmp_path):
    given = [{"answer": answer} for answer in ["yes"] * 8 + ["no"] * 2]
    annotations = {"annotations": [{"question_id": 9001, "image_id": 9, "answers": given}]}
    introspect(tmp_path)
    (tmp_path / "v2_mscoco_val2014_annotations.json").write_text(json.dumps(annotations))
    data = VqaIntrospect(str(tmp_path))
    assert [group.original.answers for group in data.groups()] == [("yes",) * 8 + ("no",) * 2, ("no",)]
    assert len(data.files()) == 2
    with pytest.raises(DataError, match="Give the annotations file of VQA v2"):
        VqaIntrospect(str(tmp_path), annotations=str(tmp_path / "none.json"))


def test_faults_of_introspect(tmp_path):
    with pytest.raises(DataError, match=r"Put VQAIntrospect_valv1\.0\.json there"):
        VqaIntrospect(str(tmp_path))
    other = tmp_path / "other.json"
    other.write_text('{"1": {"question": "?"}}')
    with pytest.raises(DataError, match="not a file of VQA-Introspect"):
        VqaIntrospect(str(other))
    introspect(tmp_path, name="VQAIntrospect_trainv1.0.json")
    introspect(tmp_path)
    with pytest.raises(DataError, match=f"introspect:{tmp_path},split=val"):
        VqaIntrospect(str(tmp_path))
    (tmp_path / "images").mkdir()
    with pytest.raises(BadImage, match=r"COCO_val2014_000000000009\.jpg"):
        list(VqaIntrospect(str(tmp_path), images=str(tmp_path / "images"), split="val").groups())
    path = tmp_path / "VQAIntrospect_valv1.0.json"
    path.write_text('{"1": {"image_id": 3, "introspect": 4}, ' + json.dumps(RECORDS)[1:-1] + ', "9001": {}}')
    with pytest.raises(BadRecord, match=r"record 1 \(id '1'\): 'reasoning_answer_most_common' is missing"):
        list(VqaIntrospect(str(path)).groups())
    data = VqaIntrospect(str(path), skip_bad=True)
    assert len(list(data.groups())) == 2
    assert "the id '9001' occurs twice (first in record 2)" in data.skipped[1]


def test_cells_by_hand(tmp_path):
    """Pairs: (main right, sub right), (main right, sub wrong), (main wrong, sub right)."""
    model = Scripted({"Is this a boat?": "Yes.", "Is there water?": "yes", "Is there snow?": "no"}, "wrong")
    result = askew.evaluate(model, f"introspect:{introspect(tmp_path)}", "introspect")
    cells = ("main-right.sub-right", "main-right.sub-wrong", "main-wrong.sub-right", "main-wrong.sub-wrong")
    assert [result.score(cell).value for cell in cells] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert result.score("consistency").value == 0.5
    assert result.score("accuracy.original").value == 0.5
    assert result.score("accuracy.variant").value == pytest.approx(2 / 3)
