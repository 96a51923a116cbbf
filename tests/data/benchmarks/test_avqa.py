"""AVQA, AdVQA and releases of our collection service: VQA-shaped files with rounds and domains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmark_samples import Says

import askew
from askew.data.benchmarks.avqa import ADVQA, Avqa
from askew.data.jsonl import Jsonl
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.suites.benchmarks import AvqaSuite


def write_avqa(folder: Path, name: str = "avqa_questions.json", change: dict | None = None) -> Path:
    """Three questions of two rounds; the last is of another split."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(1, 1, "test", "How many cups?", "2"), (2, 1, "test", "What is it?", "cup"), (3, 2, "val", "Who?", "a boy")]
    asked = [{"question_id": key, "image_id": 40 + key, "question": text, "round": round_, "split": split}
             for key, round_, split, text, _ in rows]  # fmt: skip
    asked[1] |= change or {}
    answered = [{"question_id": key, "image_id": 40 + key, "answer_type": "numbers" if answer == "2" else "other",
                 "domain": "coco", "answers": [{"answer": answer}] * 9 + [{"answer": "no"}]}
                for key, _, _, _, answer in rows]  # fmt: skip
    (folder / name).write_text(json.dumps({"questions": asked}))
    wanted = name.replace("OpenEnded_", "").replace("questions", "annotations")
    (folder / wanted).write_text(json.dumps({"annotations": answered}))
    return folder


def test_rounds_and_domains_are_tags(tmp_path):
    folder = write_avqa(tmp_path / "avqa")
    data = open_path(folder)
    assert isinstance(data, Avqa)
    first, second, third = data.questions()
    assert (first.kind.answer_type, first.tags) == ("number", (("domain", "coco"), ("round", "1")))
    assert (third.tags[1], second.image.id) == (("round", "2"), 42)
    assert data.remarks == ["AVQA: 2 of round 1, 1 of round 2.", "AVQA: 3 questions."]
    assert [q.id for q in Avqa(str(folder), split="test").questions()] == [1, 2]
    result = askew.evaluate(Says(lambda q: "2"), f"avqa:{folder}", "accuracy")
    # VQA accuracy of an answer that nine of ten gave is 1
    assert result.score("accuracy.all").value == pytest.approx(1 / 3)
    assert result.score("accuracy.all", "round=1").value == pytest.approx(1 / 2)
    assert result.score("accuracy.all", "round=2").value == 0


def test_advqa_has_a_published_size(tmp_path):
    folder = write_avqa(tmp_path / "advqa", ADVQA)
    data = open_path(folder / ADVQA)
    assert data.name == "AdVQA"
    with pytest.raises(DataError, match="3 of 10,000 expected questions"):
        list(data.questions())
    (folder / "000000000041.jpg").touch()
    data = Avqa(str(folder), skip_bad=True)
    assert [q.image.path for q in data.questions()] == [str(folder / "000000000041.jpg")]
    assert "the image file 000000000042.jpg is neither in" in data.skipped[0]


def test_a_release_of_the_collection_service(tmp_path):
    write_avqa(tmp_path / "vqa", "test_questions.json")
    write_avqa(tmp_path / "vqa", "train_questions.json")
    (tmp_path / "release.json").write_text("{}")
    (tmp_path / "test.jsonl").write_text('{"id": 1, "question": "Who?", "answer": "a boy"}\n')
    assert isinstance(open_path(tmp_path), Jsonl)  # by default its own lines
    with pytest.raises(DataError, match=r"2 questions files are here: test_questions.json, train.*split=test"):
        Avqa(str(tmp_path))
    assert len(list(Avqa(str(tmp_path), split="test").questions())) == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=f"Put {ADVQA}"):
        Avqa(str(tmp_path / "empty"))


def test_faults_are_named_and_can_be_skipped(tmp_path):
    cases = (
        ({"question_id": 1}, "the id 1 occurs twice"),
        ({"image_id": 9}, "'image_id' is 9 and the annotation's is 42"),
        ({"question": " "}, "'question' is blank"),
        ({"question_id": 7}, "the question has no annotation in"),
    )
    for number, (change, message) in enumerate(cases):
        folder = str(write_avqa(tmp_path / str(number), change=change))
        with pytest.raises(BadRecord, match=message):
            list(Avqa(folder).questions())
        data = Avqa(folder, skip_bad=True)
        assert [q.id for q in data.questions()] == [1, 3]
        assert data.skipped


def test_the_papers_tables_by_hand(tmp_path):
    """Accuracy by round and by domain: what the paper's Tables 2 and 10 have as columns."""
    answers = {
        1: ("yes", 1, "cc"),
        2: ("yes", 1, "cc"),
        3: ("no", 2, "cc"),
        4: ("yes", 3, "fakeddit"),
        5: ("no", 3, "vcr"),
    }
    asked = [
        {"question_id": key, "image_id": key, "question": f"Is it {key}?", "round": number, "domain": domain}
        for key, (_, number, domain) in answers.items()
    ]
    annotations = [
        {"question_id": key, "image_id": key, "answer_type": "yes/no", "answers": [{"answer": answer}] * 10}
        for key, (answer, _, _) in answers.items()
    ]
    (tmp_path / "avqa_test_questions.json").write_text(json.dumps({"questions": asked}))
    (tmp_path / "avqa_test_annotations.json").write_text(json.dumps({"annotations": annotations}))
    result = askew.evaluate("constant:yes", f"avqa:{tmp_path}", "avqa")
    by_hand = {"": 3 / 5, "tag.round=1": 1.0, "tag.round=2": 0.0, "tag.round=3": 1 / 2, "tag.domain=fakeddit": 1.0}
    for part, value in by_hand.items():
        assert result.score("accuracy.all", part).value == pytest.approx(value), part
    rounds, domains, _ = AvqaSuite().tables
    assert rounds.published["UNITER-B [all] (Li et al. 2021, Table 2)"] == (24.93, 23.92, 23.02, 24.14)
    assert domains.published["UNITER-B [all] (Li et al. 2021, Table 10)"][3:] == (None, None)
    for table in (rounds, domains):
        assert {len(row) for row in table.published.values()} == {len(table.columns)}
