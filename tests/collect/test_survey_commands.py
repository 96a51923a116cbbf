"""``askew collect baseline`` from groups to a run that is compared with a model, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from survey_study import gold, pairs

from askew.cli import main
from askew.collect.accounts import add_annotator
from askew.collect.database import Tx
from askew.collect.study import open_study
from askew.collect.surveys.survey_batches import claim_batch, open_batch, send_batch
from askew.data.groups import write_groups
from askew.data.write_questions import write_jsonl


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve pairs about twelve images, forty gold questions, and a study for a team of three."""
    monkeypatch.chdir(tmp_path)
    write_groups(pairs(tmp_path / "files", 12), "groups.jsonl")
    write_jsonl(gold(tmp_path / "files", 40), "gold.jsonl")
    write_jsonl(gold(tmp_path / "files", 3), "few.jsonl")
    assert main(["collect", "init", "team", "--preset", "small", "--seed", "1"]) == 0
    return tmp_path


def answer_all(mistaken: set[str]) -> None:
    """Three people answer everything: correctly, but to these texts the first says no and the others ambiguous."""
    study = open_study(Path("team"))
    with study.database.write() as tx:
        people = [add_annotator(tx, f"Person {n}") for n in range(3)]
    for place, person in enumerate(people):
        while True:
            with study.database.write() as tx:
                number = claim_batch(tx, person)
                if number is None:
                    break
                send(tx, person, number, mistaken, place)
    study.close()


def send(tx: Tx, person: int, number: int, mistaken: set[str], place: int) -> None:
    typed = {}
    for one in open_batch(tx, person, number).items:
        text = one.item.question
        said = "1" if " not " in text or ("gold" in text and int(text.split()[2]) % 2) else "0"
        if text in mistaken:
            said = "1" if place == 0 else "ambiguous"
        typed[one.n] = {"answer": said}
    assert send_batch(tx, person, number, typed).gold_wrong == 0


def test_people_become_a_run_that_is_compared_with_a_model(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    groups = ["--groups", "groups.jsonl", "--gold", "gold.jsonl", "--people", "3", "--batch", "8"]
    assert main(["collect", "baseline", "team", *groups]) == 0
    assert "24 questions of 12 groups (12 pairs), each for 3 people; 4 questions and 4 gold" in capsys.readouterr().out
    assert main(["collect", "baseline", "team", "--output", "human"]) == 2
    assert "24 questions lack answers" in capsys.readouterr().err
    answer_all({"Is thing 0 red?", "Is thing 1 red?", "Is thing 2 not red?"})
    assert main(["collect", "check", "team"]) == 0
    assert main(["collect", "baseline", "team", "--rate", "0.5", "--output", "human"]) == 0
    people = json.loads(Path("human/people.json").read_text())
    assert {name: people[name] for name in ("people", "questions", "answers", "ambiguous", "no_majority")} == {
        "people": 3,
        "questions": 24,
        "answers": 72,
        "ambiguous": 3,
        "no_majority": 0,
    }
    results = json.loads(Path("human/results.json").read_text())
    scores = {one["metric"]: one["value"] for one in results["scores"] if not one["part"]}
    assert scores["accuracy.original"] == pytest.approx(10 / 12), "two majorities for ambiguous are wrong"
    assert scores["cs.2"] == pytest.approx(9 / 12), "both answers, of nine of twelve pairs"
    assert str(made) not in Path("human/results.json").read_text()
    assert main(["run", "--model", "constant:yes", "--data", "groups.jsonl", "--output", "yes", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["compare", "human", "yes", "--output", "both"]) == 0
    assert "human" in capsys.readouterr().out
    assert (
        '"human"' in Path("both/report.html").read_text() or "people's answers" in Path("both/report.html").read_text()
    )


def test_a_survey_that_was_closed_early_has_failed_answers(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect", "baseline", "team", "--groups", "groups.jsonl", "--people", "3"]) == 0
    assert main(["collect", "baseline", "team", "--close"]) == 0
    assert main(["collect", "baseline", "team", "--output", "human"]) == 0
    assert main(["collect", "baseline", "team", "--groups", "groups.jsonl", "--sample", "3", "--people", "1"]) == 0
    assert main(["collect", "baseline", "team", "--close", "--output", "human"]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert main(["collect", "baseline", "team", "--output", "human", "--overwrite"]) == 0
    assert main(["collect", "baseline", "team", "--id", "1", "--output", "human", "--overwrite"]) == 0
    results = json.loads(Path("human/results.json").read_text())
    assert results["failures"]["count"] == 24


def test_what_cannot_be_asked_is_refused(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, words in (
        (["--groups", "gold.jsonl"], "these are questions, not groups"),
        (["--groups", "groups.jsonl", "--gold", "few.jsonl"], "batch needs 4"),
        (["--groups", "groups.jsonl", "--batch", "60"], "at most 40"),
        (["--groups", "groups.jsonl", "--sample", "0"], "sample"),
        (["--id", "7"], "has no baseline 7"),
        ([], "has no baseline. Make one"),
    ):
        assert main(["collect", "baseline", "team", *options]) == 2, options
        assert re.search(words, capsys.readouterr().err), options
    assert main(["collect", "baseline", "team", "--groups", "groups.jsonl", "--people", "3"]) == 0
    assert main(["collect", "baseline", "team", "--close", "--output", "team/run"]) == 2
    assert "inside the study's folder" in capsys.readouterr().err
