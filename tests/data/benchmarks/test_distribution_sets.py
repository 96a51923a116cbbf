"""GQA-OOD, VQA-CE and VQA-CP: their shapes, and the accuracies of their parts recomputed by hand."""

from __future__ import annotations

import json

import pytest

import askew
from askew.data.benchmarks.gqa import GqaOod
from askew.data.benchmarks.vqa_ce import VqaCe
from askew.data.benchmarks.vqa_cp import VqaCp
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError
from askew.models.baselines import Scripted
from askew.suites.rad import RadSuite
from askew.types import Group


def write(path, content):
    path.write_text(json.dumps(content))
    return path


def gqa(key, text, answer):
    return {key: {"question": text, "imageId": "n1", "answer": answer, "isBalanced": True}}


HEAD = gqa("01", "Is it?", "yes") | gqa("1", "Is he?", "no") | gqa("3", "What?", "cat")
TAIL = gqa("4", "Who?", "owl") | gqa("5", "Which?", "elk")


def ood(folder, head=HEAD, tail=TAIL, split="testdev"):
    for part, records in (("head", head), ("tail", tail), ("all", head | tail)):
        write(folder / f"ood_{split}_{part}.json", records)
    return folder


def test_head_and_tail_of_gqa_ood(tmp_path):
    data = open_path(ood(tmp_path), skip_bad=True)
    assert isinstance(data, GqaOod)
    assert isinstance(open_path(tmp_path / "ood_testdev_all.json"), GqaOod)
    found = list(data.questions())
    assert [(q.id, dict(q.tags)["part"]) for q in found] == [
        *(("01", "head"), ("1", "head"), ("3", "head")),
        *(("4", "tail"), ("5", "tail")),
    ]
    assert data.remarks == [
        "GQA-OOD: 3 of 1,733 expected questions in ood_testdev_head.json.",
        "GQA-OOD: 2 of 1,063 expected questions in ood_testdev_tail.json.",
    ]
    with pytest.raises(DataError, match="3 of 1,733 expected"):
        list(GqaOod(str(tmp_path)).questions())
    ood(tmp_path, tail=TAIL | gqa("3", "What?", "cat"), split="val")
    with pytest.raises(DataError, match=f"gqa-ood:{tmp_path},split=testdev"):
        GqaOod(str(tmp_path))
    with pytest.raises(BadRecord, match=r"ood_val_tail.json: record 3 .*the id '3' occurs twice"):
        list(GqaOod(str(tmp_path), split="val").questions())
    assert len(list(GqaOod(str(tmp_path), split="val", skip_bad=True).questions())) == 5
    (tmp_path / "images").mkdir()
    with pytest.raises(BadImage, match=r"n1\.jpg"):
        list(GqaOod(str(tmp_path), images=str(tmp_path / "images"), split="val").questions())
    (tmp_path / "ood_val_tail.json").unlink()
    with pytest.raises(DataError, match=r"Put ood_val_tail\.json there"):
        GqaOod(str(tmp_path), split="val")


def test_gqa_ood_by_hand(tmp_path):
    """3 of 5 correct; 2 of 3 in the head, 1 of 2 in the tail: delta = (2/3 - 1/2) / (1/2) = 1/3."""
    model = Scripted({"Is it?": "Yes.", "Is he?": "no", "Who?": "owl"}, "dog")
    result = askew.evaluate(model, f"gqa-ood:{ood(tmp_path)},skip_bad=true", "gqa-ood")
    assert result.score("accuracy.all").value == 3 / 5
    assert result.score("accuracy.all", "tag.part=tail").value == 1 / 2
    assert result.score("accuracy.all", "tag.part=head").value == pytest.approx(2 / 3)
    assert result.score("delta").value == pytest.approx(1 / 3)


ANSWERS = {10: ["yes"] * 10, 11: ["red"] * 2 + ["blue"] * 8, 12: ["2"] * 10, 13: ["no"] * 10}
TEXTS = {10: "Is it?", 11: "What color?", 12: "How many?", 13: "Is he?"}
TYPES = {10: "yes/no", 11: "other", 12: "number", 13: "yes/no"}


def vqa(folder, questions, annotations, keys=tuple(ANSWERS), bare=False):
    folder.mkdir(exist_ok=True)
    asked = [{"question_id": key, "image_id": 1, "question": TEXTS[key], "coco_split": "val2014"} for key in keys]
    annotated = [
        {"question_id": key, "image_id": 1, "answer_type": TYPES[key], "answers": [{"answer": a} for a in ANSWERS[key]]}
        for key in keys
    ]
    write(folder / questions, asked if bare else {"questions": asked})
    write(folder / annotations, annotated if bare else {"annotations": annotated})
    return folder


V2 = ("v2_OpenEnded_mscoco_{}2014_questions.json", "v2_mscoco_{}2014_annotations.json")
VAL, TRAIN = ([name.format(split) for name in V2] for split in ("val", "train"))
CP = ("vqacp_v2_test_questions.json", "vqacp_v2_test_annotations.json")


def ce(folder, counterexamples=(11,), hard=(12,)):
    write(folder / "counterexamples.json", list(counterexamples))
    write(folder / "hard.json", list(hard))
    return vqa(folder, *VAL)


def test_parts_of_vqa_ce(tmp_path):
    data = open_path(ce(tmp_path), skip_bad=True)
    assert isinstance(data, VqaCe)
    assert isinstance(open_path(tmp_path / "counterexamples.json"), VqaCe)
    parts = {question.id: dict(question.tags)["part"] for question in data.questions()}
    assert parts == {10: "easy", 11: "counterexamples", 12: "hard", 13: "easy"}
    assert "VQA-CE: 1 of 63,298 expected questions that are counterexamples." in data.remarks
    with pytest.raises(DataError, match="2 of 147,681 expected questions that are easy"):
        list(VqaCe(str(tmp_path)).questions())
    for lists, message in (
        ({"hard": (12, 12)}, r"hard.json: record 2: the id 12 occurs twice"),
        ({"hard": (11,)}, r"hard.json: record 1 .*is also a counterexample"),
        ({"hard": (12, 99)}, r"hard.json: record 2 \(id 99\): there is no such question"),
        ({"counterexamples": ([1],)}, "must be a whole number"),
    ):
        with pytest.raises(BadRecord, match=message):
            list(VqaCe(str(ce(tmp_path, **lists))).questions())
        assert len(list(VqaCe(str(tmp_path), skip_bad=True).questions())) == 4
    (tmp_path / "hard.json").unlink()
    with pytest.raises(DataError, match=r"Put hard\.json there"):
        VqaCe(str(tmp_path))
    ce(tmp_path)
    (tmp_path / VAL[0]).unlink()
    with pytest.raises(DataError, match="vqa=FOLDER"):
        VqaCe(str(tmp_path))
    vqa(tmp_path / "v2", *VAL)
    assert len(list(VqaCe(str(tmp_path), vqa=str(tmp_path / "v2"), skip_bad=True).questions())) == 4


def test_vqa_ce_by_hand(tmp_path):
    """Two of ten people said red: 0.6; the others 1, 0 and 1."""
    model = Scripted({"Is it?": "yes", "What color?": "red", "How many?": "3", "Is he?": "no"})
    result = askew.evaluate(model, f"vqa-ce:{ce(tmp_path)},skip_bad=true", "vqa-ce")
    assert result.score("accuracy.all").value == pytest.approx(2.6 / 4)
    parts = {"counterexamples": 0.6, "easy": 1.0, "hard": 0.0}
    for part, value in parts.items():
        assert result.score("accuracy.all", f"tag.part={part}").value == pytest.approx(value)
    with pytest.raises(DataError, match="this is not the data of gqa-ood"):
        askew.evaluate(model, f"vqa-ce:{tmp_path}", "gqa-ood")


def test_vqa_cp_and_its_accuracy_by_hand(tmp_path):
    data = open_path(vqa(tmp_path, *CP, bare=True), skip_bad=True)
    assert isinstance(data, VqaCp)
    assert [dict(question.tags)["part"] for question in data.questions()] == ["test"] * 4
    assert data.remarks == ["VQA-CP: 4 of 219,928 expected questions in vqacp_v2_test_questions.json."]
    with pytest.raises(DataError, match="4 of 219,928 expected"):
        list(VqaCp(str(tmp_path)).questions())
    with pytest.raises(DataError, match=r"Put vqacp_v2_train_questions\.json"):
        VqaCp(str(tmp_path), split="train")
    model = Scripted({"Is it?": "yes", "What color?": "red"}, "no")
    result = askew.evaluate(model, f"vqa-cp:{tmp_path},skip_bad=true", "vqa-cp")
    assert result.score("accuracy.all").value == pytest.approx((1 + 0.6 + 0 + 1) / 4)
    assert result.score("accuracy.all", "answer_type=yes/no").value == 1
    (tmp_path / CP[1]).unlink()
    with pytest.raises(DataError, match=r"Put vqacp_v2_test_annotations\.json"):
        VqaCp(str(tmp_path))


def test_vqa_cp_from_ids_and_vqa_v2(tmp_path):
    vqa(tmp_path, *TRAIN, keys=(10, 11))
    vqa(tmp_path, *VAL, keys=(12, 13))
    ids = write(tmp_path / "ids.json", [13, 10])
    data = VqaCp(str(tmp_path), ids=str(ids))
    assert [question.id for question in data.questions()] == [10, 13]
    write(ids, [{"question_id": 13}, {"question_id": 99}])
    with pytest.raises(BadRecord, match=r"ids.json: record 2 \(id 99\): there is no such question"):
        list(data.questions())
    assert [question.id for question in VqaCp(str(tmp_path), ids=str(ids), skip_bad=True).questions()] == [13]
    with pytest.raises(DataError, match="Give a JSON list of the question ids"):
        VqaCp(str(tmp_path), ids=str(tmp_path / "none.json"))


def test_parts_are_data_for_other_suites(tmp_path):
    asked = {20: ("What color is the dog?", "black"), 21: ("What color is the cat?", "white")}
    questions = [{"question_id": key, "image_id": key, "question": text} for key, (text, _) in asked.items()]
    answers = [
        {"question_id": key, "image_id": key, "answer_type": "other", "answers": [{"answer": answer}] * 10}
        for key, (_, answer) in asked.items()
    ]
    records = {
        str(key): {"question": text, "imageId": str(key), "answer": answer} for key, (text, answer) in asked.items()
    }
    for name in (CP, VAL):
        write(tmp_path / name[0], {"questions": questions})
        write(tmp_path / name[1], {"annotations": answers})
    write(tmp_path / "counterexamples.json", [20])
    write(tmp_path / "hard.json", [21])
    ood(tmp_path, records, {})
    for reader in (GqaOod, VqaCe, VqaCp):
        made = RadSuite().groups(reader(str(tmp_path), skip_bad=True), 0)
        groups = [one for one in made if isinstance(one, Group) and one.variants]
        assert [str(group.original.id) for group in groups] == ["20", "21"], reader
        assert all(dict(group.original.tags)["part"] for group in groups)
