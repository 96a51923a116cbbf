"""Samples of labels: drawn by content, written for people and for the service, and read back as label noise."""

from __future__ import annotations

import csv
import json
from random import Random

import pytest

from askew.audit.label_sample import label_noise, sampled_labels
from askew.cli import main
from askew.errors import DataError
from askew.types import ImageRef, Question


def questions(count):
    return [Question(f"={n}", ImageRef(n // 2), f"Is it {n}?", ("yes", "yes", "no")) for n in range(count)]


def judged(path, verdicts):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, verdict in zip(rows, verdicts, strict=False):
        row["judgement"] = verdict
    copy = path.with_name(f"judged-{len(verdicts)}-{verdicts[0]}.csv")
    with copy.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")  # as spreadsheets of some countries save it
        writer.writeheader()
        writer.writerows(rows)
    return copy


def test_a_sample_is_the_same_in_any_order():
    made = questions(500)
    drawn = [one.question.id for one in sampled_labels(made, 40, 0)]
    assert len(set(drawn)) == 40
    assert [one.question.id for one in sampled_labels(Random(1).sample(made, 500), 40, 0)] == drawn
    assert [one.question.id for one in sampled_labels(made, 40, 1)] != drawn
    assert len(sampled_labels(made[:7], 40, 0)) == 7


def test_sample_judge_and_read_back(tmp_path, capsys):
    data, folder = tmp_path / "mine.jsonl", tmp_path / "judge"
    rows = [{"id": q.id, "image": f"{q.image.id}.png", "question": q.text, "answers": q.answers} for q in questions(80)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ask = ["audit", str(data), "--quiet"]
    assert main([*ask, "--sample", "50", "--output", str(folder)]) == 0
    assert "50 questions to judge" in capsys.readouterr().out
    lines = (folder / "sample.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 51
    assert all(",'=" in line for line in lines[1:])  # an id that a spreadsheet would run
    assert main([*ask, "--sample", "50", "--output", str(folder)]) == 2
    assert "may hold judgements" in capsys.readouterr().err

    first = judged(folder / "sample.csv", ["wrong"] * 5 + ["right"] * 40 + ["unclear"] * 3)
    assert main([*ask, "--judged", str(first), "--json", str(tmp_path / "noise.json")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Label noise: 11.1 % (")
    assert "of 45 judged labels are wrong; 3 unclear" in printed
    record = json.loads((tmp_path / "noise.json").read_text())["label_noise"][0]
    assert (record["wrong"], record["right"], record["unclear"]) == (5, 40, 3)
    assert 0.03 < record["share"]["low"] < 0.111 < record["share"]["high"] < 0.26

    second = judged(folder / "sample.csv", ["right"] * 46)
    (noise,) = label_noise(questions(80), [first, second])
    assert (noise.wrong, noise.unclear) == (0, 5 + 2)  # one wrong and one right is unclear


def test_bad_judgements_are_refused(tmp_path):
    sample = tmp_path / "sample.csv"
    sample.write_text("id,judgement\n'=1,maybe\n")
    with pytest.raises(DataError, match=r"row 2: the judgement is 'maybe'\. Write right, wrong or unclear"):
        label_noise(questions(5), [sample])
    sample.write_text("id,judgement\n99,right\n")
    with pytest.raises(DataError, match="1 judged questions are not in the data"):
        label_noise(questions(5), [sample])
    sample.write_text("id,judgement\n'=1,\n")
    with pytest.raises(DataError, match="no row has a judgement"):
        label_noise(questions(5), [sample])
    sample.write_text("id,verdict\n")
    with pytest.raises(DataError, match="no column 'judgement'"):
        label_noise(questions(5), [sample])
    sample.write_text("id,judgement\n'=1,right\n'=1,wrong\n")
    with pytest.raises(DataError, match="occurs twice"):
        label_noise(questions(5), [sample])


def test_the_collection_service_takes_the_sample(tmp_path, capsys):
    assert main(["audit", "world:val,scenes=20", "--sample", "6", "--output", str(tmp_path), "--quiet"]) == 0
    assert "6 for askew collect gold" in capsys.readouterr().out
    records = [json.loads(line) for line in (tmp_path / "sample.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all((tmp_path / record["image"]).is_file() for record in records)
    pytest.importorskip("sqlalchemy")
    study = tmp_path / "study"
    assert main(["collect", "init", str(study), "--preset", "small", "--seed", "1", "--name", "Mine"]) == 0
    capsys.readouterr()
    assert main(["collect", "gold", str(study), "--add", str(tmp_path / "sample.jsonl")]) == 0
    assert "Added 6 gold questions" in capsys.readouterr().out
