"""RAD and VQA P2: released questions find the VQA v2 question they come from; the papers' figures by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmark_samples import Says

import askew
from askew.data.benchmarks.paper_releases import P2Release, RadRelease
from askew.data.benchmarks.vqa import Vqa
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.suites.p2 import write_release
from askew.types import Expect

ASKED = {
    # id: image, question, answer
    1000: (1, "What color is the cat?", "white"),
    1001: (1, "Where is the kid?", "park"),
    2000: (2, "What color is the dog?", "black"),
    2001: (2, "How many dogs are there?", "2"),
    3000: (3, "Is the door open?", "yes"),
}


def write_pair(folder: Path, asked: str, answered: str, records) -> None:
    """A questions and an annotations file from (id, image, text, answer, more fields)."""
    folder.mkdir(exist_ok=True)
    both = [
        ({"question_id": key, "image_id": image, "question": text, **more},
         {"question_id": key, "image_id": image, "answer_type": "yes/no" if answer in ("yes", "no") else "other",
          "question_type": "", "multiple_choice_answer": answer, "answers": [{"answer": answer, "answer_id": 1}] * 10})
        for key, image, text, answer, more in records
    ]  # fmt: skip
    (folder / asked).write_text(json.dumps({"info": {}, "questions": [one for one, _ in both]}))
    (folder / answered).write_text(json.dumps({"info": {}, "annotations": [one for _, one in both]}))


def write_vqa_v2(folder: Path) -> Path:
    records = [(key, *fields, {}) for key, fields in ASKED.items()]
    names = ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
    write_pair(folder, *names, records)
    return folder


def write_rad(folder: Path, change: dict | None = None) -> Path:
    """Two colours by the same id, one number by ``original_id``."""
    made = {
        "colors": [(2000, 2, "Is the color of the dog black?", "yes", {}),
                   (1000, 1, "Is the color of the cat red?", "no", change or {})],
        "how-many": [(77, 2, "Are there four dogs?", "no", {"original_id": 2001})],
    }  # fmt: skip
    for source, records in made.items():
        stem = f"yes-no_from_{source}_val"
        write_pair(folder, f"{stem}_questions.json", f"{stem}_annotations.json", records)
    return folder


def write_p2(folder: Path, **change) -> Path:
    made = [
        (5, 3, "Is the door closed?", "no", {"original_id": 3000, "perturbation": "ant", "src": "wordnet"}),
        (6, 1, "Where is the child?", "park", {"original_id": 1001, "perturbation": "syn", "src": "ppdb", **change}),
        (7, 1, "Where would the kid be?", "park", {"original_id": 1001, "perturbation": "para", "src": "ppdb"}),
    ]
    write_pair(folder, "vqap2.questions.json", "vqap2.annotations.json", made)
    return folder


def test_rad_finds_the_questions_of_vqa(tmp_path):
    folder = write_vqa_v2(write_rad(tmp_path / "rad"))
    data = open_path(folder)
    assert isinstance(data, RadRelease)
    shown = [(g.id, [(v.question.text, v.test, v.expect, v.question.answers[0]) for v in g.variants])
             for g in data.groups()]  # fmt: skip
    assert shown == [
        (1000, [("Is the color of the cat red?", "Y/N←C", Expect.GIVEN, "no")]),
        (2000, [("Is the color of the dog black?", "Y/N←C", Expect.GIVEN, "yes")]),
        (2001, [("Are there four dogs?", "Y/N←HM", Expect.GIVEN, "no")]),
    ]
    assert data.remarks == [
        "RAD: 2 questions of Y/N←C (the paper has 12,835, Table 5).",
        "RAD: 1 questions of Y/N←HM (the paper has 10,233, Table 5).",
    ]
    assert len(data.files()) == 6
    one = RadRelease(str(folder / "yes-no_from_how-many_val_questions.json"))
    assert [group.id for group in one.groups()] == [2001]


def test_p2_finds_the_questions_of_vqa(tmp_path):
    data = P2Release(str(write_p2(tmp_path / "p2")), vqa=str(write_vqa_v2(tmp_path / "vqa")))
    first, second = data.groups()
    assert [(v.question.id, v.test, v.expect, v.note) for v in first.variants] == [
        ("p2/6", "syn", Expect.SAME, {"origin": "ppdb"}),
        ("p2/7", "para", Expect.SAME, {"origin": "ppdb"}),
    ]
    assert (second.original.id, second.variants[0].expect) == (3000, Expect.DIFFERENT)
    assert data.remarks[0] == "VQA P2: 3 questions (the paper has 36.2 thousand)."
    ours = tmp_path / "ours"
    ours.mkdir()
    write_release([first, second], str(ours))
    again = P2Release(str(ours), vqa=str(tmp_path / "vqa"))
    assert [len(group.variants) for group in again.groups()] == [2, 1]


def test_faults_are_named_and_can_be_skipped(tmp_path):
    vqa = str(write_vqa_v2(tmp_path / "vqa"))
    for place, (change, message) in enumerate((
        ({"original_id": 9}, r"the question 9, which it was made from, is not in .*val2014_questions.json"),
        ({"image_id": 2}, "its image 2 is not that of question 1000"),
        ({"question_id": 2000}, "the id 2000 occurs twice"),
    )):  # fmt: skip
        folder = str(write_rad(tmp_path / f"rad{place}", change))
        with pytest.raises(BadRecord, match=message):
            list(RadRelease(folder, vqa=vqa).groups())
        data = RadRelease(folder, skip_bad=True, vqa=vqa)
        assert [group.id for group in data.groups()] == [2000, 2001]
        assert data.skipped
    folder = str(write_p2(tmp_path / "p2", perturbation="typo"))
    with pytest.raises(BadRecord, match="'perturbation' is 'typo'; it must be syn, para or ant"):
        list(P2Release(folder, vqa=vqa).groups())
    assert len(list(P2Release(folder, skip_bad=True, vqa=vqa).groups())) == 2


def test_missing_files_are_named(tmp_path):
    folder = write_rad(tmp_path / "rad")
    with pytest.raises(DataError, match=r"Put v2_OpenEnded_mscoco_val2014_questions.json .* vqa=FOLDER"):
        RadRelease(str(folder))
    with pytest.raises(DataError, match=r"Put yes-no_from_colors_train_questions.json"):
        RadRelease(str(folder), vqa=str(write_vqa_v2(tmp_path / "vqa") / "v2_OpenEnded_mscoco_val2014_questions.json"),
                   split="train")  # fmt: skip
    (folder / "yes-no_from_colors_val_annotations.json").unlink()
    with pytest.raises(DataError, match=r"RAD with answers is here. Put yes-no_from_colors_val_annotations.json"):
        RadRelease(str(folder), vqa=str(tmp_path / "vqa"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"Put vqap2.questions.json"):
        P2Release(str(tmp_path / "empty"), vqa=str(tmp_path / "vqa"))
    assert isinstance(open_path(tmp_path / "vqa"), Vqa)


def test_the_papers_figures_by_hand(tmp_path):
    vqa = write_vqa_v2(tmp_path / "vqa")
    known = {"What color is the cat?": "white", "What color is the dog?": "black"}
    model = Says(lambda q: known.get(q.text, "no"))
    result = askew.evaluate(model, f"rad:{write_rad(tmp_path / 'rad')},vqa={vqa}", "rad")
    # colours: both originals correct, and of these the cat's yes/no question (no), not the dog's (yes); HM: wrong
    assert result.score("rad.forward", "test=Y/N←C").value == 1 / 2
    assert result.score("accuracy.variant", "test=Y/N←HM").value == 1
    assert result.score("rad.forward", "test=Y/N←HM").n == 0
    result = askew.evaluate(model, f"p2:{write_p2(tmp_path / 'p2')},vqa={vqa}", "p2")
    # of three pairs none is correct on both sides; the antonym's variant (no) alone is correct
    assert result.score("accuracy.variant").value == pytest.approx(1 / 3)
    assert result.score("cs.2").value == 0
