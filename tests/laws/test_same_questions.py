"""Files with the same questions give the same variants and the same numbers, whatever their format, with or without
ids; and no number depends on the order of models, runs or questions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import orjson
import pytest

from askew.data.jsonl import Jsonl, QuestionTable
from askew.registry import make
from askew.types import Group
from running import run_askew

NOUNS = ("dog", "cat", "vase", "car", "coat", "house")
COLORS = ("red", "blue", "white", "black")
RECORDS = [
    {"image": place, "question": f"What color is the {noun}?", "answers": [COLORS[(place + at) % 4]] * 3}
    for place in range(12)
    for at, noun in enumerate(NOUNS)
] + [
    {"image": place, "question": f"Is the {noun} big?", "answers": ["yes" if place % 2 else "no"] * 3}
    for place in range(12)
    for noun in NOUNS
]


def written_as_jsonl(path, ids):
    records = ({"id": number, **record} if ids else record for number, record in enumerate(RECORDS))
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return Jsonl(str(path))


def written_as_json(path, ids):
    records = [{"id": number, **record} if ids else record for number, record in enumerate(RECORDS)]
    path.write_bytes(orjson.dumps(records))
    return Jsonl(str(path))


def written_as_csv(path, ids):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*(["id"] if ids else []), *RECORDS[0]])
        table.writeheader()
        for number, record in enumerate(RECORDS):
            row = {**record, "answers": "|".join(record["answers"])}
            table.writerow({"id": f"row {number}", **row} if ids else row)
    return QuestionTable(str(path))


@pytest.mark.parametrize("suite", ["rad", "p2"])
def test_the_format_and_the_ids_of_a_file_change_no_variant(suite, tmp_path):
    pytest.importorskip("spacy", reason="RAD and P2 need the extra language")
    data = [
        write(tmp_path / f"{write.__name__}{ids}", ids)
        for write in (written_as_jsonl, written_as_json, written_as_csv)
        for ids in (False, True)
    ]
    first, *others = (
        [
            (group.original.text, [(variant.question.text, variant.question.answers) for variant in group.variants])
            for group in make("suite", suite).groups(one, 0)
            if isinstance(group, Group)
        ]
        for one in data
    )
    assert len(first) > 20
    assert all(made == first for made in others)


MODELS = {"blue": "constant:blue", "usual": "prior:data=learn.jsonl"}
"""The second answers yes/no questions and colours from other answers, so that the two differ in both directions."""
NUMBERS = ("value", "low", "high", "n", "failed", "lowest", "highest")


def numbers_of(folder, data, models=("blue", "usual")):
    """Everything that run, compare, gate and report say of two models, by what it is about."""
    words = [word for name in models for word in ("--model", MODELS[name], "--name", name)]
    suites = ("--suite", "accuracy", "--suite", "rad")
    done = run_askew("run", *words, "--data", data, *suites, "--output", "out", "--overwrite", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    runs = {json.loads(path.read_text())["model"]["name"]: path.parent for path in folder.glob("out/*/results.json")}
    assert runs.keys() == {*models}
    found = {}
    for name, run in runs.items():
        for score in json.loads((run / "results.json").read_text())["scores"]:
            about = name, score["suite"], score["metric"], score.get("part", "")
            found[about] = [score.get(number) for number in NUMBERS]
    ordered = [str(runs[name]) for name in models]
    compared = run_askew("compare", *ordered, "--output", "cmp", "--overwrite", cwd=folder)
    assert compared.returncode == 0, compared.stderr
    for one in json.loads((folder / "cmp" / "differences.json").read_text()):
        sign = 1 if (one["a"], one["b"]) == ("blue", "usual") else -1
        about = "compare", one["suite"], one["metric"], one["part"]
        difference = one["difference"] and sign * one["difference"]
        found[about] = [difference, *(one[name] for name in ("p", "p_holm", "family_size", "detectable", "n"))]
    for options in ((), ("--all",), ("--margin", "3")):
        gate = run_askew("gate", str(runs["blue"]), "--no-worse-than", str(runs["usual"]), *options, cwd=folder)
        found[("gate", *options)] = [gate.returncode, gate.stdout.replace(f"blue on {Path(data).stem}", "")]
    report = run_askew("report", str(runs["usual"]), "--output", "report", "--overwrite", cwd=folder)
    assert report.returncode == 0, report.stderr
    return found


def differing(found, first):
    """What is not equal to nine digits."""
    assert found.keys() == first.keys()
    return [
        about
        for about, numbers in found.items()
        for one, other in zip(numbers, first[about], strict=True)
        if one != other and (isinstance(one, str) or one != pytest.approx(other, rel=1e-9, abs=1e-9, nan_ok=True))
    ]


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("spacy", reason="RAD needs the extra language")
    learn = [
        {**one, "answers": [COLORS[at % 4]] if "color" in one["question"] else ["yes"]}
        for at, one in enumerate(RECORDS)
    ]
    (tmp_path / "learn.jsonl").write_bytes(b"\n".join(map(orjson.dumps, learn[::5])))
    return tmp_path


def test_no_number_depends_on_the_format_or_the_ids_of_a_file(folder):
    found = {}
    for write, name in ((written_as_jsonl, "q.jsonl"), (written_as_json, "q.json"), (written_as_csv, "q.csv")):
        for ids in (False, True):
            write(folder / name, ids)
            found[name, ids] = numbers_of(folder, name)
    first = found["q.jsonl", False]
    assert len(first) > 60
    assert {numbers[0] for about, numbers in first.items() if about[0] == "compare"} - {0.0}
    assert {case: differing(numbers, first) for case, numbers in found.items()} == {case: [] for case in found}


def test_no_number_depends_on_the_order_of_models_or_questions(folder):
    written_as_jsonl(folder / "q.jsonl", ids=False)
    first = numbers_of(folder, "q.jsonl")
    lines = (folder / "q.jsonl").read_bytes().splitlines()
    Random(0).shuffle(lines)
    (folder / "shuffled.jsonl").write_bytes(b"\n".join(lines))
    assert differing(numbers_of(folder, "q.jsonl", models=("usual", "blue")), first) == []
    assert differing(numbers_of(folder, "shuffled.jsonl"), first) == []
