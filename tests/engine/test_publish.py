"""``askew build``: the options beside a suite, and questions to train on."""

from __future__ import annotations

import json

import pytest

from running import run_askew

WORLD = "world:train,scenes=20"


def test_training_questions_are_written_as_vqa_and_as_gqa(tmp_path):
    out = tmp_path / "more"
    done = run_askew(
        "build", "carets", "--data", WORLD, "--for", "training", "--limit", "30", "--output", str(out), "--quiet"
    )
    assert done.returncode == 0, done.stderr
    assert "30 questions to train on" in done.stdout
    gqa = json.loads((out / "gqa_questions.json").read_text())
    vqa = json.loads((out / "v2_OpenEnded_mscoco_training_questions.json").read_text())["questions"]
    assert len(gqa) == len(vqa) == 30
    assert [record["question"] for record in gqa.values()] == [record["question"] for record in vqa]
    assert all(record["answer"] for record in gqa.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rad", "--data", WORLD, "--size", "3"], "--size is no option of rad"),
        (["rad", "--data", WORLD, "--for", "training"], "makes no questions to train on"),
        (["carets"], "Give --data, or --scenes"),
        (["carets", "--data", WORLD, "--scenes", "x.json"], "Give --data, or --scenes"),
    ],
)
def test_what_cannot_be_built_is_reported(tmp_path, words, said):
    done = run_askew("build", *words, "--output", str(tmp_path / "out"))
    assert done.returncode == 2
    assert said in done.stderr


CARS = [
    {"id": 1, "question": "Is the car red?", "answers": ["yes"] * 10},
    {"id": 2, "question": "What color is the automobile?", "answers": ["red"] * 10},
]


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_questions_without_images_give_groups_and_a_datasheet_that_says_so(tmp_path):
    data = written(tmp_path / "cars.jsonl", CARS)
    done = run_askew("build", "p2", "--data", data, "--output", str(tmp_path / "out"), "--quiet")
    assert done.returncode == 0, done.stderr
    sheet = (tmp_path / "out" / "datasheet.md").read_text(encoding="utf-8")
    assert "not every question has just one image" in sheet
    assert "| syn | 2 | 2 | 0 | 100.0% | 1.000 |" in sheet
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*")) == ["datasheet.md", "groups.jsonl"]


def test_data_that_gives_no_group_leaves_an_earlier_benchmark_alone(tmp_path):
    good, bad = written(tmp_path / "cars.jsonl", CARS), written(tmp_path / "why.jsonl", [{"id": 1, "question": "Why?"}])
    out = tmp_path / "out"
    assert run_askew("build", "p2", "--data", good, "--output", str(out), "--quiet").returncode == 0
    before = (out / "groups.jsonl").read_bytes()
    failed = run_askew("build", "p2", "--data", bad, "--output", str(out), "--quiet", "--overwrite")
    assert failed.returncode == 2
    assert "not one group" in failed.stderr
    assert (out / "groups.jsonl").read_bytes() == before


def test_a_narrower_suite_selects_its_own_variants_of_ready_made_groups(tmp_path):
    data = written(tmp_path / "cars.jsonl", CARS)
    assert (
        run_askew("build", "p2:least=0", "--data", data, "--output", str(tmp_path / "out"), "--quiet").returncode == 0
    )
    for suite, variants in (("p2", 3), ("p2:paraphrastic", 1)):
        folder = tmp_path / suite.replace(":", "-")
        ready = str(tmp_path / "out" / "groups.jsonl")
        done = run_askew(
            *("run", "--model", "constant:yes", "--data", ready, "--suite", suite, "--output", str(folder), "--quiet")
        )
        assert done.returncode == 0, done.stderr
        groups = [json.loads(line) for line in (folder / "groups.jsonl").read_text(encoding="utf-8").splitlines()]
        assert sum(len(group["variants"]) for group in groups) == variants
