"""VQA-Rephrasings and VQA v2 pairs: groups of the published shape, and the arithmetic recomputed by hand."""

from __future__ import annotations

import json

import pytest
from benchmark_samples import Says

import askew
from askew.data.benchmarks.vqa import Vqa
from askew.data.benchmarks.vqa_pairs import VqaPairs
from askew.data.benchmarks.vqa_rephrasings import VqaRephrasings
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.types import Expect


def annotation(key, image, answer, **more):
    answers = [{"answer": answer, "answer_confidence": "yes", "answer_id": n} for n in range(1, 11)]
    return {
        "question_id": key,
        "image_id": image,
        "answers": answers,
        "answer_type": "other",
        "question_type": "what",
        **more,
    }


def rephrasings(folder, name="v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"):
    questions, annotations = [], []
    for key, image, answer in ((12, 1, "cat"), (120, 2, "dog")):  # 12 * 10 + 0 is the id of another question
        questions.append({"question_id": key, "image_id": image, "question": f"What {key}?"})
        annotations.append(annotation(key, image, answer))
        for place in range(3 if key == 12 else 2):
            own = {"question_id": key * 10 + place, "image_id": image, "rephrasing_of": key}
            questions.insert(0, {**own, "question": f"Say {key} {place}?"})
            annotations.append(annotation(own["question_id"], image, answer, rephrasing_of=key))
    (folder / name).write_text(json.dumps({"questions": questions}))
    (folder / name.replace("OpenEnded_", "").replace("questions", "annotations")).write_text(
        json.dumps({"annotations": annotations})
    )
    return folder


def test_rephrasings_are_groups_though_ids_collide(tmp_path):
    data = open_path(rephrasings(tmp_path), skip_bad=True)
    assert isinstance(data, VqaRephrasings)
    groups = {group.id: group for group in data.groups()}
    assert [len(groups[key].variants) for key in (12, 120)] == [3, 2]
    assert groups[12].original.text == "What 12?"
    assert {v.question.answers for v in groups[120].variants} == {("dog",) * 10}
    assert {v.expect for v in groups[12].variants} == {Expect.SAME}
    assert {v.question.id for v in groups[12].variants} == {"12/120", "12/121", "12/122"}
    assert dict(groups[120].original.tags) == {"members": "3"}
    assert data.remarks[0] == "VQA-Rephrasings: 2 of 40,504 expected originals."
    with pytest.raises(DataError, match="2 of 40,504"):
        list(VqaRephrasings(str(tmp_path)).groups())
    (tmp_path / "v2_mscoco_valrep2014_humans_og_annotations.json").unlink()
    with pytest.raises(DataError, match=r"Put v2_mscoco_valrep2014_humans_og_annotations\.json"):
        VqaRephrasings(str(tmp_path))


def test_consensus_by_hand(tmp_path):
    rule = Says(lambda q: "cat" if q.text in ("What 12?", "Say 12 0?", "Say 12 1?") else "wrong")
    result = askew.evaluate(rule, f"vqa-rephrasings:{rephrasings(tmp_path)},skip_bad=true", "vqa-rephrasings")
    # the only complete group has 3 of 4 right: C(3, k) / C(4, k)
    for k, value in ((1, 3 / 4), (2, 3 / 6), (3, 1 / 4), (4, 0)):
        assert result.score(f"cs.{k}", "tag.members=4").value == value
    assert result.score("accuracy.original").value == 0.5
    assert result.score("accuracy.variant").value == pytest.approx(2 / 5)


def pairs(folder, found=((5, 3), (4, 6), (3, 5))):
    texts = {3: "What is it?", 5: "What is it?", 4: "Is it?", 6: "Is it?", 9: "Alone?"}
    answers = {3: "cat", 5: "dog", 4: "yes", 6: "yes", 9: "no"}
    questions = [{"question_id": key, "image_id": key, "question": text} for key, text in texts.items()]
    (folder / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": questions}))
    annotations = [annotation(key, key, answer) for key, answer in answers.items()]
    (folder / "v2_mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": annotations}))
    (folder / "v2_mscoco_val2014_complementary_pairs.json").write_text(json.dumps(found))
    return folder


def test_pairs_do_not_depend_on_their_order(tmp_path):
    folder = pairs(tmp_path, ((5, 3), (4, 6)))
    assert isinstance(open_path(folder), Vqa)  # a folder of VQA v2 is plain questions
    data = open_path(folder / "v2_mscoco_val2014_complementary_pairs.json")
    assert isinstance(data, VqaPairs)
    first, second = data.groups()
    assert (first.original.id, first.variants[0].question.id) == (3, 5)
    assert (first.original.answers[0], first.variants[0].question.answers[0]) == ("cat", "dog")
    assert data.remarks == ["VQA v2 pairs: 2 pairs.", "VQA v2 pairs: 1 pairs with the same most frequent answer."]
    assert second.original.kind.answer_type == "other"
    for wrong, message in (
        ((3, 4), "the questions differ"),
        ((3, 77), "there is no question 77"),
        ((3,), "two question ids"),
    ):
        with pytest.raises(BadRecord, match=message):
            list(VqaPairs(str(pairs(tmp_path, (wrong,)))).groups())
    with pytest.raises(BadRecord, match="occurs twice"):
        list(VqaPairs(str(pairs(tmp_path))).groups())
    assert len(list(VqaPairs(str(folder), skip_bad=True).groups())) == 2


def test_pair_accuracy_by_hand(tmp_path):
    rule = Says(lambda q: {3: "cat", 5: "cat"}.get(q.id, "yes"))
    result = askew.evaluate(rule, f"vqa-pairs:{pairs(tmp_path, ((5, 3), (4, 6)))}", "vqa-pairs")
    assert result.score("pair").value == 0.5
    assert result.score("accuracy.members").value == 0.75
    assert result.score("cons").value == 0.5  # "cat" to both images although people's answers differ
