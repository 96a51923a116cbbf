"""Freeze and release: pseudonyms, types in their splits, the same bytes again, and a folder that askew reads."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from small_study import SMALL, SmallStudy

from askew.cli import main
from askew.collect import schema
from askew.collect.freeze import freeze, preview_freeze
from askew.collect.invariants import notices, violations
from askew.collect.moderation import delete_text, quarantine, resolve
from askew.collect.protocol import Gone, NotAllowed
from askew.collect.release import release
from askew.collect.robots import record_reply
from askew.collect.rounds import change_round
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import ask, claim_image
from askew.data.benchmarks.avqa import Avqa
from askew.data.benchmarks.vqa import Vqa
from askew.data.open_path import open_path
from askew.errors import DataError, UsageError
from askew.types import Prediction

NASTY = "=cmd|' /C calc'!A0 <script>&\"\u202e é 猫?"


@pytest.fixture
def collected(copy_of):
    return copy_of(collect)


def collect(folder, url):
    """Twelve images: questions about some fooled the robot, one is hostile text, one was removed."""
    study = SmallStudy.make(folder, url, images=12, people=5)
    for number in range(12):
        person = study.people[number % 2]
        if number % 4 == 3:
            for n in range(1, 6):
                study.attack(person, f"Is it number {n}?", verdict="unsure" if n == 5 else "correct")
        else:
            study.attack(person, NASTY if number == 0 else "Is it red?")
    verify_differently(study)
    study.do(quarantine, study.owner, 2, "private")
    study.do(resolve, study.owner, 2, False)
    study.do(change_round, study.round_id, "DRAINING")
    return study


def verify_differently(study):
    """One question in three is overruled, one finds no agreement, and one is an error of the robot."""
    while True:
        tasks = [(person, task) for person in study.people if (task := study.do(claim_slot, person))]
        if not tasks:
            return
        for person, task in tasks:
            answer = {0: "no", 1: "no", 2: "yes", 3: f"thing {person}"}[task.question_id % 4]
            study.do(verify, person, task.question_id, answer, "maybe")


def records(folder):
    return [json.loads(line) for line in (folder / "history.jsonl").read_bytes().splitlines()]


def hashes(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_preview_is_what_freeze_does(collected):
    before = collected.look(lambda tx: preview_freeze(tx, collected.round_id, 5))
    assert collected.do(freeze, collected.round_id, 5) == before
    collected.check()


def test_a_repeated_release_has_the_same_bytes(collected, tmp_path):
    collected.do(freeze, collected.round_id, 5)
    manifest = release(collected.study, tmp_path / "one")
    release(collected.study, tmp_path / "two")
    one, two = hashes(tmp_path / "one"), hashes(tmp_path / "two")
    assert one == two
    assert manifest["files"] == {name: digest for name, digest in one.items() if name != "release.json"}
    assert collected.look(lambda tx: tx.value(sa.select(schema.round_.c.state))) == "RELEASED"
    collected.check()
    with pytest.raises(DataError, match="not empty"):
        release(collected.study, tmp_path / "one")


def test_nothing_is_released_before_a_round_is_frozen(collected, tmp_path):
    with pytest.raises(UsageError, match="No round is frozen"):
        release(collected.study, tmp_path / "release")


def test_each_type_is_released_in_its_split(collected, tmp_path):
    collected.do(freeze, collected.round_id, 5)
    manifest = release(collected.study, tmp_path / "release")
    found = records(tmp_path / "release")
    types = Counter(record["type"] for record in found)
    assert manifest["rounds"][0]["types"] == {kind: types[kind] for kind in "ABCDE"} | {"U": 1}
    assert types["A"] == 12
    assert types["B"] == 3
    assert types["U"] == 0
    assert manifest["rounds"][0]["withheld"] == 1, "the removed question"
    assert all(types[kind] for kind in "CDE")
    for record in found:
        if record["split"] in ("dev", "test"):
            assert record["type"] == "E"
        if record["split"]:
            assert record["split"] == record["image_split"]
        wanted = record["type"] == "E" or (record["type"] in "AC" and record["image_split"] == "train")
        assert bool(record["split"]) == wanted
    splits = Counter(record["split"] for record in found)
    for split in ("train", "dev", "test"):
        lines = (tmp_path / "release" / f"{split}.jsonl").read_bytes().splitlines()
        assert len(lines) == splits[split] == manifest["rounds"][0]["splits"][split]


def test_names_and_removed_texts_are_never_released(collected, tmp_path):
    collected.do(freeze, collected.round_id, 5)
    release(collected.study, tmp_path / "release")
    text = b"".join(path.read_bytes() for path in (tmp_path / "release").rglob("*.*") if path.suffix != ".png")
    assert b"Person " not in text
    assert b"person-0" in text
    assert 2 not in {record["id"] for record in records(tmp_path / "release")}


def test_the_files_are_vqa_v2_with_confidence_and_verified(collected, tmp_path):
    collected.do(freeze, collected.round_id, 5)
    release(collected.study, tmp_path / "release")
    folder = tmp_path / "release" / "vqa"
    notes = json.loads((folder / "train_annotations.json").read_bytes())["annotations"]
    assert {note["type"] for note in notes} == {"A", "C", "E"}
    for note in notes:
        sure = [answer["answer_confidence"] for answer in note["answers"]]
        assert note["verified"] == (note["type"] != "A")
        assert sure == (["maybe"] * 3 if note["type"] == "A" else ["yes", "maybe", "maybe"])
        assert [answer["answer_id"] for answer in note["answers"]] == [1, 2, 3]
    read = Vqa(str(folder / "train_questions.json"), images=str(tmp_path / "release" / "images"))
    assert {question.id for question in read.questions()} == {note["question_id"] for note in notes}


def test_askew_reads_the_folder_with_rounds_and_domains(collected, tmp_path):
    collected.do(freeze, collected.round_id, 5)
    release(collected.study, tmp_path / "release")
    questions = list(open_path(tmp_path / "release").questions())
    assert questions
    for question in questions:
        assert dict(question.tags) == {"round": "1", "domain": "toy"}
        assert len(question.answers) == SMALL.verifiers_per_question + 1
        assert question.image.path.endswith(".png")
        assert hashlib.sha256(Path(question.image.path).read_bytes()).hexdigest() == question.image.sha256
    shown = [(question.id, question.image.path, question.answers, question.tags) for question in questions]
    files = Avqa(str(tmp_path / "release"), split="test")  # the VQA files of the same questions
    assert [(q.id, q.image.path, q.answers, q.tags) for q in files.questions()] == shown
    trained = {question.id: question for question in open_path(tmp_path / "release" / "train.jsonl").questions()}
    alone = [record["id"] for record in records(tmp_path / "release") if record["type"] == "A" and record["split"]]
    assert all(trained[key].answers == ("yes",) for key in alone)
    assert alone


def test_an_empty_split_is_named_together_with_one_that_is_not(tmp_path, capsys):
    """Export and run never name a split without questions."""
    for name, verified in (("with", True), ("without", False)):
        study = SmallStudy.make(
            tmp_path / name, images=1, settings=replace(SMALL, train_share=100, dev_share=0, test_share=0)
        )
        study.attack(study.people[0])
        if verified:
            study.verify_all()
        study.do(change_round, study.round_id, "DRAINING")
        study.do(freeze, study.round_id, seed=0, drop_incomplete=True)
        study.close()
        output = tmp_path / f"release-{name}"
        assert main(["collect", "export", str(tmp_path / name), "--output", str(output)]) == 0
        said = capsys.readouterr().out
        assert (f"askew run --data {output / 'train.jsonl'} " in said) == verified
        assert ("No question is in a split" in said) != verified
        advice = str(output / "train.jsonl") if verified else "Its other splits are empty too"
        with pytest.raises(DataError, match=advice):
            open_path(str(output))


def test_a_damaged_image_is_not_released(collected, tmp_path):
    """A file that changed on disk after people saw it used to be released under its new hash."""
    collected.do(freeze, collected.round_id, 5)
    for path in (tmp_path / "study" / "images").rglob("*.png"):
        path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DataError, match="is not the one that people saw"):
        release(collected.study, tmp_path / "release")
    assert not (tmp_path / "release" / "history.jsonl").exists()


def test_cells_are_never_formulas(collected, tmp_path):
    collected.do(freeze, collected.round_id, 5)
    release(collected.study, tmp_path / "release")
    with open(tmp_path / "release" / "examples.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["question"] == f"'{NASTY}"
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())


def test_of_equal_questions_about_an_image_only_the_first_is_tested(tmp_path, database_url):
    settings = replace(SMALL, writers_per_image=2, train_share=1, dev_share=1, test_share=98)
    study = SmallStudy.make(tmp_path / "study", database_url, settings, images=2, people=6)
    for person in study.people[:2]:
        study.attack(person, "Is it red?")
    for person in study.people[2:4]:
        study.attack(person, f"Is it {person}?")
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    found = study.do(freeze, study.round_id, 1)
    assert set(found.types.values()) == {"E"}
    assert set(found.image_splits.values()) == {"test"}
    assert sorted(found.splits) == [1, 3, 4]
    study.close()


def test_a_changed_round_is_noticed(collected):
    collected.do(freeze, collected.round_id, 5)
    with collected.study.database.write() as tx:
        if collected.study.database.is_sqlite:
            tx.execute(sa.text("DROP TRIGGER question_update_frozen"))
        else:
            tx.execute(sa.text("DROP TRIGGER question_update_frozen ON question"))
        tx.execute(sa.text("UPDATE question SET text = 'Is it blue?' WHERE id = 1"))
    changed = "I13: round 1 has changed since it was frozen: 1 questions, e.g. 1"
    assert collected.look(violations) == [changed]
    collected.do(delete_text, collected.owner, 5, "one deletion does not end the check of the others")
    assert collected.look(violations) == [changed]


def test_a_deletion_after_the_freeze_makes_a_patch_release_that_names_it(collected, tmp_path):
    found = collected.do(freeze, collected.round_id, 5)
    release(collected.study, tmp_path / "release")
    gone = next(key for key, split in found.splits.items() if found.types[key] == "E" and split == "test")
    with pytest.raises(NotAllowed):
        collected.do(delete_text, collected.people[0], gone, "mine")
    collected.do(delete_text, collected.owner, gone, "asked by its author")
    with pytest.raises(Gone):
        collected.do(delete_text, collected.owner, gone, "again")
    assert str(gone) in collected.look(notices)[0]
    with pytest.raises(UsageError, match=r"1 questions that were deleted since\. Give the patch a new version"):
        release(collected.study, tmp_path / "again", "1.0.0")
    patch = release(collected.study, tmp_path / "patch", "1.0.1")
    assert collected.look(notices) == []
    assert patch["removed"] == [gone]
    before, after = ((tmp_path / name / "test.jsonl").read_bytes().splitlines() for name in ("release", "patch"))
    assert [line for line in before if json.loads(line)["id"] != gone] == after
    assert len(before) == len(after) + 1
    assert gone not in {record["id"] for record in records(tmp_path / "patch")}
    assert records(tmp_path / "patch") == [one for one in records(tmp_path / "release") if one["id"] != gone]
    collected.check()


def test_the_command_deletes_what_was_written_about_a_question_also_from_the_file(tmp_path, capsys):
    study = SmallStudy.make(tmp_path / "study", images=2)
    study.attack(study.people[0], "Where does Jane Doe live?", robot="in Baker Street")
    study.verify_all("at number 221b")
    study.close()
    command = ["collect", "delete", str(tmp_path / "study"), "--question", "1", "--reason", "she asked"]
    assert main([*command[:-1], " "]) == 2
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "Question 1: the question, the robot's reply and all answers to it are deleted." in said
    assert "busy" not in said
    assert "released" not in said.splitlines()[0]
    whole = b"".join(path.read_bytes() for path in (tmp_path / "study").iterdir() if path.is_file())
    for text in (b"Jane Doe", b"jane doe", b"Baker", b"baker", b"221b"):
        assert text not in whole
    assert b"she asked" in whole
    assert main(command) == 2
    assert "was deleted before" in capsys.readouterr().err
    assert main([*command[:4], "7", *command[5:]]) == 2
    assert "There is no question 7." in capsys.readouterr().err
    assert main(["collect", "check", str(tmp_path / "study")]) == 0


def test_a_reply_that_arrives_after_the_freeze_changes_nothing(study):
    """It used to end in an error of the database, which refuses changes of a frozen round."""
    task = study.do(claim_image, study.people[0])
    call = study.do(ask, study.people[0], task.session_id, "Is it red?", seed=1)
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1, drop_incomplete=True)
    assert study.do(record_reply, call, Prediction(call.question_id, "yes")) is None
    study.check()
