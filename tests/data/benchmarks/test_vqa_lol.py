"""VQA-LOL: its shape, and its accuracies recomputed by hand."""

from __future__ import annotations

import json

import pytest

import askew
from askew.data.benchmarks.vqa_lol import VqaLol
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError
from askew.models.baselines import Scripted

RED, BIG = "Is it red?", "Is it big?"


def record(op, sent, label, q2=BIG, image=1, **changed):
    made = {"op": op, "sent": sent, "label": {label: 1.0} if label else {}, "img_id": f"COCO_val2014_{image:012d}"}
    made |= {"question_id": 7, "question_type": "is it", "answer_type": "yes/no"}
    return made | {"q1": RED, "q1_label": {"yes": 1.0}, "q2": q2, "q2_label": "no"} | changed


RECORDS = [
    record("Q1_and_Q2", "Is it red and is it big?", "no"),
    record("notQ1", "Is it not red?", "no", image=2, q2="", q2_label=None),
    record("Q1_or_Q2", "Is it red or is it big?", "yes"),
    record("notQ_and_notQ2", "Is it not red and is it not big?", "no"),
    record("notQ2", "Is it not big?", ""),
]


def lol(folder, records=RECORDS):
    path = folder / "compose_val.json"
    path.write_text(json.dumps(records))
    return path


def test_compositions_of_the_same_questions_are_one_group(tmp_path):
    data = open_path(lol(tmp_path))
    assert isinstance(data, VqaLol)
    assert data.name == "VQA-LOL compose_val"
    first, second = data.groups()
    assert (first.id, first.original.id, first.original.text) == ("compose_val/1", "compose_val/1/q1", RED)
    assert first.original.answers == ("yes",)
    part, *composed = first.variants
    assert (part.question.id, part.question.answers, part.test) == ("compose_val/1/q2", ("no",), "part")
    assert [(v.question.id, v.note["op"]) for v in composed] == [
        ("compose_val/1", "Q1_and_Q2"),
        ("compose_val/3", "Q1_or_Q2"),
        ("compose_val/4", "notQ1_and_notQ2"),
    ]
    assert [v.test for v in second.variants] == ["composition"]
    assert data.remarks == [
        "VQA-LOL: 4 compositions.",
        "VQA-LOL: 1 compositions without an answer, left out.",
        "VQA-LOL: 2 groups.",
    ]
    assert len(list(VqaLol(str(tmp_path)).groups())) == 2


def test_records_that_are_a_part_are_not_compositions(tmp_path):
    """The authors' mixed files have ``Q1`` and ``Q2`` beside the ten compositions."""
    data = VqaLol(str(lol(tmp_path, [record("Q1", RED, "yes"), record("Q2", BIG, "no"), RECORDS[0]])))
    (group,) = data.groups()
    assert [(v.test, v.question.text) for v in group.variants] == [("part", BIG), ("composition", RECORDS[0]["sent"])]
    assert "VQA-LOL: 2 records that repeat a question, asked once." in data.remarks


def test_faults_of_vqa_lol(tmp_path):
    with pytest.raises(DataError, match="no file of VQA-LOL is here"):
        VqaLol(str(tmp_path))
    (tmp_path / "more.json").write_text(json.dumps(RECORDS))
    path = lol(tmp_path, [*RECORDS, RECORDS[0] | {"label": 3}, record("notQ1", "", "yes", q1=2)])
    with pytest.raises(DataError, match=f"2 files of VQA-LOL are here. Give one, e.g. {path}"):
        VqaLol(str(tmp_path))
    with pytest.raises(BadRecord, match=r"record 7: 'q1' must be text"):
        list(VqaLol(str(path)).groups())
    data = VqaLol(str(path), skip_bad=True)
    assert len(list(data.groups())) == 2
    assert [message.partition(": ")[2][:9] for message in data.skipped] == ["record 7:", "record 6 "]
    (tmp_path / "images").mkdir()
    with pytest.raises(BadImage, match=r"COCO_val2014_000000000001\.jpg"):
        list(VqaLol(str(lol(tmp_path)), images=str(tmp_path / "images")).groups())
    path.write_text('[{"question": "?"}]')
    with pytest.raises(DataError, match="not a file of VQA-LOL"):
        VqaLol(str(path))


def test_accuracy_by_hand(tmp_path):
    """Image 1: both parts correct, 2 of 3 compositions; image 2: the part correct, its negation wrong."""
    script = {RED: "Yes.", BIG: "no", "Is it red and is it big?": "no", "Is it red or is it big?": "yes"}
    result = askew.evaluate(Scripted(script, "yes"), f"vqa-lol:{lol(tmp_path)}", "vqa-lol")
    assert result.score("accuracy.variant", "test=composition").value == 2 / 4
    assert result.score("accuracy.members", "test=part").value == 1
    assert result.score("given-parts").value == 2 / 4
    assert result.score("accuracy.variant", "note.op=notQ1").value == 0
    result = askew.evaluate(Scripted(script | {BIG: "yes"}, "no"), f"vqa-lol:{tmp_path}", "vqa-lol")
    # the second part of image 1 is wrong, so only the composition of image 2 counts
    assert result.score("accuracy.variant", "test=composition").value == 1
    assert (result.score("given-parts").value, result.score("accuracy.members", "test=part").value) == (1, 0.5)
