"""``askew build``: the options beside a suite, and questions to train on."""

from __future__ import annotations

import json

import pytest

from running import run_askew

WORLD = "world:train,scenes=20"


def test_questions_to_train_on_come_as_vqa_and_as_gqa(tmp_path):
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
def test_what_cannot_be_built_is_said(tmp_path, words, said):
    done = run_askew("build", *words, "--output", str(tmp_path / "out"))
    assert done.returncode == 2
    assert said in done.stderr
