"""IV-VQA and CV-VQA: their shape, and flips as the authors' notebooks count them, recomputed by hand."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import askew
from askew.data.benchmarks import edited_vqa as edited_vqa_module
from askew.data.benchmarks.edited_vqa import CvVqa, IvVqa
from askew.data.benchmarks.gqa import Gqa
from askew.data.open_path import open_path
from askew.engine.build import Coverage
from askew.errors import BadImage, BadRecord, DataError
from askew.suites.benchmarks import CvVqaSuite, IvVqaSuite
from askew.types import Expect, Prediction

CV = [(51, 5, "How many dogs?", "3"), (61, 6, "How many cats?", "2"), (71, 7, "How many cows?", "2")]
CV_EDITS = [(61, 6, 900, "1", "2"), (51, 5, 800, "2", "3"), (51, 5, 801, "2", "3"), (71, 7, 700, "1", "2")]
IV_EDITS = [(key, image, removed, most_common, most_common) for key, image, removed, _, most_common in CV_EDITS]


def write(folder, questions, annotations):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": questions}))
    (folder / "v2_mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": annotations}))


def edited_vqa(folder, edits, more=()):
    asked = {key: text for key, _, text, _ in CV} | {99: "How many?"}
    write(
        folder / "original",
        [{"question_id": key, "image_id": image, "question": text} for key, image, text, _ in CV],
        [
            {"question_id": key, "image_id": image, "answers": [{"answer": a}] * 10, "answer_type": "number"}
            for key, image, _, a in CV
        ],
    )
    rows = [(key, f"{image:012d}_{removed:012d}", *answers) for key, image, removed, *answers in (*edits, *more)]
    write(
        folder / "edited",
        [{"question_id": key, "image_id": image, "question": asked[key]} for key, image, *_ in rows],
        [
            {"question_id": key, "image_id": image, "answers": [{"answer": a}] * 10, "multiple_choice_answer": common}
            for key, image, a, common in reversed(rows)
        ],
    )
    return folder


def test_edits_of_a_question_are_one_group(tmp_path):
    data = open_path(edited_vqa(tmp_path, CV_EDITS, [(99, 9, 100, "1", "2")]))
    assert isinstance(data, CvVqa)
    groups = list(data.groups())
    assert [(g.original.id, g.original.answers[0], len(g.variants)) for g in groups] == [
        (61, "2", 1),
        (51, "3", 2),
        (71, "2", 1),
    ]
    edit = groups[1].variants[1]
    assert (edit.question.id, edit.question.answers[0], edit.expect) == (
        "51/000000000005_000000000801",
        "2",
        Expect.GIVEN,
    )
    assert (edit.question.image.id, edit.note) == ("000000000005_000000000801", {"removed": "000000000801"})
    assert data.remarks == [
        "CV-VQA: 1 edits without an original, left out.",
        "CV-VQA: 3 questions.",
        "CV-VQA: 4 edits.",
    ]
    assert isinstance(open_path(tmp_path / "edited" / "v2_OpenEnded_mscoco_val2014_questions.json"), CvVqa)
    with pytest.raises(DataError, match=r"edits of CV-VQA, not of IV-VQA. Read them as cv-vqa"):
        IvVqa(str(tmp_path))
    odd = CvVqa(str(edited_vqa(tmp_path, CV_EDITS, [(71, 7, 701, "2", "3")])))
    list(odd.groups())
    assert odd.remarks[-1] == "CV-VQA: 1 edits whose count does not drop by one, left out of the flips."
    same = open_path(edited_vqa(tmp_path, IV_EDITS))
    assert isinstance(same, IvVqa)
    assert {variant.expect for group in same.groups() for variant in group.variants} == {Expect.SAME}


def test_questions_of_gqa_are_not_read_to_find_edits(tmp_path, monkeypatch):
    (tmp_path / "val_balanced_questions.json").write_text('{"1": {"question": "Is it?", "imageId": "n1"}}')
    monkeypatch.setattr(edited_vqa_module, "items", None)
    assert isinstance(open_path(tmp_path), Gqa)


def test_faults_of_edits(tmp_path):
    with pytest.raises(DataError, match="Put edited/v2_OpenEnded"):
        CvVqa(str(tmp_path))
    edited_vqa(tmp_path, CV_EDITS, [(51, 6, 1, "2", "3")])
    with pytest.raises(BadRecord, match=r"record 5 .*is not an edit of the image of question 51"):
        list(CvVqa(str(tmp_path)).groups())
    data = CvVqa(str(tmp_path), skip_bad=True)
    assert sum(len(group.variants) for group in data.groups()) == 4
    assert len(data.skipped) == 1
    edited_vqa(tmp_path, CV_EDITS, CV_EDITS[:1])
    with pytest.raises(BadRecord, match=r"occurs twice \(first in record 1\)"):
        list(CvVqa(str(tmp_path)).groups())
    edited_vqa(tmp_path, CV_EDITS)
    (tmp_path / "images").mkdir()
    with pytest.raises(BadImage, match="000000000006_000000000900"):
        list(CvVqa(str(tmp_path), images=str(tmp_path / "images")).groups())
    (tmp_path / "original").rename(tmp_path.parent / "vqa")
    with pytest.raises(DataError, match="original=FOLDER after the data"):
        CvVqa(str(tmp_path))
    assert len(list(CvVqa(str(tmp_path), original=str(tmp_path.parent / "vqa")).groups())) == 3
    (tmp_path / "edited" / "v2_mscoco_val2014_annotations.json").unlink()
    with pytest.raises(DataError, match=r"Put v2_mscoco_val2014_annotations\.json there"):
        CvVqa(str(tmp_path))


def test_the_probable_erratum_is_mentioned_with_the_results():
    for suite in (CvVqaSuite(), IvVqaSuite()):
        assert "headings are very probably swapped" in " ".join(Coverage(suite, ready=True).notes)
    assert Coverage(SimpleNamespace(notes=("made with version 1",)), ready=True).notes == ()


class Said:
    """Answers by id."""

    blind = True

    def __init__(self, answers):
        self.answers = answers

    def answer(self, questions):
        return [Prediction(q.id, self.answers[str(q.id)]) for q in questions]


def test_flips_by_hand(tmp_path):
    """IV: before != after. CV: before != int(after) + 1, but "many" after the edit is never a flip."""
    ids = ["51", "51/000000000005_000000000800", "51/000000000005_000000000801"]
    ids += ["61", "61/000000000006_000000000900", "71", "71/000000000007_000000000700"]
    model = Said(dict(zip(ids, ["3", "2", "3", "1", "2", "4", "many"], strict=True)))
    result = askew.evaluate(model, f"iv-vqa:{edited_vqa(tmp_path / 'iv', IV_EDITS)}", "iv-vqa")
    # truth 3, 3, 2, 2: 3->2 negative, 3->3 stays, 1->2 positive, 4->many wrong both times
    kinds = ("flips", "flips.positive", "flips.negative", "flips.wrong")
    assert [result.score(kind).value for kind in kinds] == [3 / 4, 1 / 4, 1 / 4, 1 / 4]
    assert result.score("accuracy.variant").value == 2 / 4
    result = askew.evaluate(model, f"cv-vqa:{edited_vqa(tmp_path / 'cv', CV_EDITS)}", "cv-vqa")
    # 3->2 follows, 3->3 right then wrong, 1->2 wrong both times, 4->many is left out of the flips
    assert [result.score(kind).value for kind in kinds] == [2 / 4, 0, 1 / 4, 1 / 4]
    assert result.score("accuracy.original").value == pytest.approx(1 / 3)
