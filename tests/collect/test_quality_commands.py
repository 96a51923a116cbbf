"""The commands of quality control, as an owner types them."""

from __future__ import annotations

import csv
import json

import pytest
import sqlalchemy as sa
from small_study import tiny_images

from askew.cli import main
from askew.collect.accounts import add_annotator
from askew.collect.schema import qualification, quiz_item
from askew.collect.study import open_study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["collect", "init", "study", "--preset", "small", "--seed", "1"]) == 0
    tiny_images(tmp_path / "files", 9)
    return tmp_path


def test_a_study_that_requires_a_quiz_has_one(tmp_path, capsys):
    assert main(["collect", "init", str(tmp_path / "paper")]) == 0
    assert "quiz" not in capsys.readouterr().out, "the paper has none"
    assert main(["collect", "init", str(tmp_path / "study"), "--set", "quiz_required=true"]) == 0
    assert "quiz" in capsys.readouterr().out
    study = open_study(tmp_path / "study")
    with study.database.read() as tx:
        assert tx.value(sa.select(sa.func.count()).select_from(quiz_item)) == 16
    study.close()


def test_quiz(folder, capsys):
    lines = [
        {"image": f"files/{n}.png", "question": "What?", "robot_answer": "no", "verdict": "wrong", "hint": "Look."}
        for n in range(9)
    ]
    (folder / "quiz.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["collect", "quiz", "study", "--add", "quiz.jsonl"]) == 0
    said = capsys.readouterr().out
    assert "Added 9 examples; left out 0." in said
    assert "3 What? no: wrong" in said
    assert "need not pass the quiz (75 % of 8 examples, 2 attempts)" in said
    assert main(["collect", "quiz", "study", "--remove", "3"]) == 0
    assert "3 What? no: wrong" not in capsys.readouterr().out
    assert main(["collect", "quiz", "study", "--remove", "3"]) == 2
    assert "no example 3" in capsys.readouterr().err
    assert main(["collect", "people", "study", "--add", "Ada"]) == 0
    assert main(["collect", "quiz", "study", "--qualify", "Ada"]) == 0
    assert main(["collect", "quiz", "study", "--qualify", "Bob"]) == 2
    assert "Nobody is called 'Bob'" in capsys.readouterr().err


def test_gold(folder, capsys):
    line = {"image": "files/0.png", "question": "What color?", "answers": ["Red", "dark red"]}
    (folder / "gold.jsonl").write_text(json.dumps(line) + "\n")
    assert main(["collect", "gold", "study", "--add", "gold.jsonl"]) == 0
    said = capsys.readouterr().out
    assert "1 ACTIVE What color? -> dark red, red (not answered yet)" in said
    assert "1 gold questions are shown. Add more" in said
    assert main(["collect", "gold", "study", "--void", "1"]) == 0
    assert "1 VOID" in capsys.readouterr().out
    assert main(["collect", "gold", "study", "--promote", "5"]) == 0
    assert "Added 0 gold questions" in capsys.readouterr().out
    for wrong in (["--retire", "9"], ["--promote", "0"], ["--add", "missing.jsonl"]):
        assert main(["collect", "gold", "study", *wrong]) == 2, wrong


def test_people_are_listed_with_their_results(folder, capsys):
    main(["collect", "people", "study", "--add", "Ada"])
    capsys.readouterr()
    assert main(["collect", "people", "study", "--exclude", "Ada"]) == 2
    assert "--reason" in capsys.readouterr().err
    assert main(["collect", "people", "study", "--exclude", "Ada", "--preview"]) == 0
    assert "0 answers and 0 questions would stop counting" in capsys.readouterr().out
    assert main(["collect", "people", "study", "--exclude", "Ada", "--reason", "test"]) == 0
    assert "annotator, excluded (test)" in capsys.readouterr().out


def test_simulated_work_paid_backed_up_and_restored(folder, capsys):
    for words in (
        ["models", "study", "--add", "constant:no"],
        ["round", "study", "--new"],
        ["images", "study", "--world", "3"],
        ["round", "study", "--open", "1"],
        ["simulate", "study", "--people", "5"],
        ["gold", "study", "--promote", "3"],
        ["people", "study"],
        ["backup", "study", "backup.tar"],
        ["restore", "again", "backup.tar"],
        ["check", "again"],
    ):
        assert main(["collect", *words]) == 0, words
    said = capsys.readouterr().out
    assert "agrees with most others in" in said
    assert "Krippendorff's alpha" in said
    assert "Study: again (all invariants hold, all images are there)" in said
    study = open_study(folder / "study")
    with study.database.write() as tx:
        add_annotator(tx, "=evil()", platform={"PROLIFIC_PID": "p1"}, simulated=True)
        assert tx.first(sa.select(qualification.c.id)) is None
    study.close()
    assert main(["collect", "freeze", "study", "--round", "1"]) == 0
    pay = ["collect", "pay", "study", "--rate", "session=1", "answer=0.1", "bonus=0.5", "--output", "pay.csv"]
    assert main([*pay, "--bonuses", "bonus.csv", "--id", "PROLIFIC_PID"]) == 0
    said = capsys.readouterr().out
    with (folder / "pay.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    total = sum(float(row["total"]) for row in rows)
    assert f"total {total:.2f}; pending 0.00" in said
    assert total > 0
    assert any(row["name"] == "'=evil()" for row in rows)
    assert (folder / "bonus.csv").read_bytes() == b""
    assert main([*pay, "--bonuses", "bonus.csv"]) == 2
    assert main([*pay[:3], "--rate", "hour=9", "--output", "x.csv"]) == 2
    assert main(["collect", "backup", "study", "backup.tar"]) == 2
