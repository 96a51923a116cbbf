"""The next round: robots that learned from the finished ones, new images, and a record of both."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from askew.cli import main
from askew.collect.retraining import NextRound, collected, make_next_round, new_scenes, slug
from askew.collect.robots import Call, Robots
from askew.collect.rounds import trainings
from askew.collect.schema import image, model, round_
from askew.collect.study import open_study
from askew.errors import BadOption, UsageError
from askew.files.read_write import file_sha256

pytest.importorskip("torch")
BASE = "world:train,scenes=20,seed=77"
MORE = "world:train,scenes=20,seed=78"
NET = "language:hidden=8"
NEXT = ("--base", BASE, "--train", NET, "--world", "3", "--set", "epochs=2", "--set", "batch_size=32")


@pytest.fixture(scope="module")
def first_round(tmp_path_factory, world_cache):
    """A study whose first round of six scenes is frozen."""
    folder = str(tmp_path_factory.mktemp("first") / "study")
    commands = (
        ["init", folder, "--preset", "small", "--seed", "1"],
        ["models", folder, "--add", "constant:no"],
        ["round", folder, "--new"],
        ["images", folder, "--world", "6"],
        ["round", folder, "--open", "1"],
        ["simulate", folder, "--people", "6"],
        ["freeze", folder, "--round", "1"],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASKEW_CACHE", str(world_cache))
        for command in commands:
            assert main(["collect", *command]) == 0, command
    return folder


@pytest.fixture
def study(first_round, tmp_path):
    """The test's own copy of that study."""
    return Path(shutil.copytree(first_round, tmp_path / "study"))


def facts(folder):
    with closing(open_study(folder)) as study, study.database.read() as tx:
        rounds = [(row.number, row.state) for row in tx.rows(sa.select(round_).order_by(round_.c.number))]
        images = [(row.round_id, row.sha256) for row in tx.rows(sa.select(image).order_by(image.c.id))]
        models = {row.name: row.spec for row in tx.rows(sa.select(model))}
        return rounds, images, models, trainings(tx, [2])


def test_robots_learn_from_finished_rounds_and_meet_new_images(study, tmp_path, capsys):
    assert main(["collect", "round", "next", str(study), *NEXT, "--model", "constant:yes"]) == 0
    out = capsys.readouterr().out
    assert "Warning: 0 dev questions: the epoch is chosen on a tenth of the images instead." in out
    assert f"Next: askew collect round {study} --open 2" in out
    rounds, images, models, trained = facts(study)
    assert rounds == [(1, "FROZEN"), (2, "DRAFT")]
    assert [key for key, _ in images] == [1] * 6 + [2] * 3
    assert len({content for _, content in images}) == 9
    assert set(models) == {"constant:no", "constant:yes", f"{NET}, round 2"}
    assert (study / "robots" / "round-2" / "language-hidden-8" / "weights.pt").is_file()
    (about,) = trained
    assert len(about["validation"]) == 2
    assert about["epoch"] == 1 + about["validation"].index(max(about["validation"]))
    for command in (
        ["round", str(study), "--open", "2"],
        ["simulate", str(study), "--people", "6"],
        ["freeze", str(study), "--round", "2"],
        ["check", str(study)],
        ["export", str(study), "--output", str(tmp_path / "release")],
    ):
        assert main(["collect", *command]) == 0, command
    sheet = (tmp_path / "release" / "datasheet.md").read_text()
    assert "## What the robots learned from" in sheet
    assert f"`{NET}`, trained on `{BASE}`" in sheet
    assert about["train_sha256"][:16] in sheet
    released = json.loads((tmp_path / "release" / "release.json").read_text())["models"]
    assert {"name": f"{NET}, round 2", "spec": "trained:language-hidden-8"} in released
    assert main(["collect", "round", "next", str(study), *NEXT]) == 0
    with closing(open_study(study)) as opened, opened.database.read() as tx:
        (last,) = trainings(tx, [3])
        (first,) = trainings(tx, [2])
        assert last["rounds"] == [1, 2]
        assert last["train_questions"] == sum(len(collected(tx, opened, [key], "train")) for key in (1, 2))
        assert last["train_questions"] > first["train_questions"]
        assert last["base_sha256"] == first["base_sha256"]


def test_a_restored_study_asks_the_robots_that_it_trained(study, tmp_path, capsys):
    assert main(["collect", "round", "next", str(study), *NEXT]) == 0
    assert main(["collect", "backup", str(study), str(tmp_path / "backup.tar")]) == 0
    study.rename(tmp_path / "moved")
    assert main(["collect", "restore", str(tmp_path / "restored"), str(tmp_path / "backup.tar")]) == 0
    replies = [first_reply(tmp_path / name, f"{NET}, round 2") for name in ("moved", "restored")]
    assert replies[0].error is None
    assert replies[0].answer == replies[1].answer
    assert str(tmp_path / "restored") in capsys.readouterr().out
    shutil.rmtree(tmp_path / "moved")
    assert main(["collect", "round", "next", str(tmp_path / "restored"), *NEXT]) == 0, "nothing is left to do"
    assert main(["collect", "models", str(tmp_path / "restored")]) == 0
    listed = capsys.readouterr().out.split()
    assert f"trained:{tmp_path / 'restored' / 'robots' / 'round-2' / 'language-hidden-8'}" in listed


def first_reply(folder, name):
    """What a robot says about the first image."""
    with closing(open_study(folder)) as study:
        with study.database.read() as tx:
            robot = tx.value(sa.select(model.c.id).where(model.c.name == name))
            shown = tx.rows(sa.select(image).order_by(image.c.id))[0]
        return Robots(study).answer([Call(0, 0, robot, shown.id, shown.sha256, shown.suffix, "Is it red?")])[0]


def test_the_same_command_goes_on_after_a_kill(study):
    """Killed at any moment, it ends with one round, the wanted images, and each robot once."""
    command = [sys.executable, "-m", "askew", "collect", "round", "next", str(study), *NEXT]
    marks = [study / "robots" / "round-2" / "language-hidden-8" / name for name in ("config.json", "history.json")]
    for mark in marks:
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
        while not mark.exists() and running.poll() is None:
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
        running.wait()
    for _ in range(2):  # the second time there is nothing left to do
        assert main(["collect", "round", "next", str(study), *NEXT]) == 0
        rounds, images, models, trained = facts(study)
        assert rounds == [(1, "FROZEN"), (2, "DRAFT")]
        assert [key for key, _ in images] == [1] * 6 + [2] * 3
        assert set(models) == {"constant:no", f"{NET}, round 2"}
        assert len(trained) == 1


def test_a_hugging_face_model_learns_by_an_adapter(study, tmp_path, monkeypatch, capsys):
    """It stops before the round exists, goes on without training again, and is asked with its adapter."""
    pytest.importorskip("peft", reason="the extra peft is not installed")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "models"))
    from hf_folders import smolvlm

    robot = f"hf:{smolvlm(tmp_path / 'smolvlm')}"
    settings = {"steps": "2", "batch_size": "2", "lora": "r=2,alpha=8"}
    plan = NextRound((BASE, MORE), (robot,), folders=(str(tmp_path / "photos"),), settings=settings)
    (tmp_path / "photos").mkdir()
    with closing(open_study(study)) as opened, pytest.raises(UsageError, match="None of the images is new"):
        make_next_round(opened, plan)
    adapter = study / "robots" / "round-2" / slug(robot)
    assert json.loads((adapter / "training.json").read_text())["lora"]["alpha"] == 8
    trained = (adapter / "adapter_model.safetensors").stat().st_mtime_ns
    with closing(open_study(study)) as opened:
        assert make_next_round(opened, replace(plan, folders=(), world=3)) == 2
    assert (adapter / "adapter_model.safetensors").stat().st_mtime_ns == trained
    _, images, models, (about,) = facts(study)
    assert [key for key, _ in images] == [1] * 6 + [2] * 3
    assert models["hf:smolvlm, round 2"] == f"{robot},adapter={{study}}/robots/round-2/{slug(robot)}"
    assert first_reply(study, "hf:smolvlm, round 2").error in (None, "empty answer")
    assert (about["net"], about["features"], about["unit"]) == ("hf:smolvlm", "", "evaluation")
    assert about["base"] == f"{BASE}, {MORE}"
    assert len(json.loads((adapter / "training.json").read_text())["data"]) == 3
    assert about["weights_sha256"] == file_sha256(str(adapter / "adapter_model.safetensors"))
    assert max(about["validation"]) == about["validation"][about["epoch"] - 1]
    with closing(open_study(study)) as opened, pytest.raises(BadOption, match="--features is for networks"):
        make_next_round(opened, replace(plan, features="hf:vit"))
    with closing(open_study(study)) as opened, pytest.raises(BadOption, match="There is no setting 'epoch'"):
        make_next_round(opened, replace(plan, settings={"epoch": "2"}))


def test_an_import_that_stopped_half_way_goes_on(study):
    plan = NextRound(models=("constant:yes",), world=2)
    with closing(open_study(study)) as opened:
        assert make_next_round(opened, plan) == 2
        assert new_scenes(opened, 2, 5) == [8, 9, 10]
        assert make_next_round(opened, NextRound(models=("constant:yes",), world=5)) == 2
        with opened.database.read() as tx:
            assert tx.count(image, image.c.round_id == 2) == 5


def test_images_of_earlier_rounds_are_not_shown_again(study, tmp_path, capsys):
    with closing(open_study(study)) as opened, opened.database.read() as tx:
        old = [opened.image_path(row.sha256, row.suffix) for row in tx.rows(sa.select(image))]
    (tmp_path / "photos").mkdir()
    for number, path in enumerate(old[:2]):
        (tmp_path / "photos" / f"renamed-{number}.jpg").write_bytes(path.read_bytes())
    common = ["collect", "round", "next", str(study), "--model", "constant:yes"]
    assert main([*common, "--folder", f"street={tmp_path / 'photos'}"]) == 2
    assert "None of the images is new" in capsys.readouterr().err
    assert main([*common, "--folder", f"street={tmp_path / 'photos'}", "--world", "2"]) == 0
    assert "in round 1 already" in capsys.readouterr().out
    assert [key for key, _ in facts(study)[1]] == [1] * 6 + [2] * 2


def test_what_cannot_be_done_is_refused_before_anything_is_trained(study, capsys):
    for options, said in (
        (["--base", BASE, "--train", "constant:no", "--world", "2"], "To let people play against it as it is"),
        (["--base", "world:all,scenes=20", "--train", NET, "--world", "2"], "of the study, e.g."),
        (["--train", NET, "--world", "2"], "--train and --base belong together"),
        (["--model", "constant:yes"], "Give new images"),
        (["--world", "2"], "Give robots for the next round"),
        (["--model", "constant:yes", "--folder", "nowhere"], "is not a folder"),
        (["--model", "constant:yes", "--world", "2", "--open", "1"], "leave --new"),
    ):
        assert main(["collect", "round", "next", str(study), *options]) == 2, options
        assert said in capsys.readouterr().err
    assert main(["collect", "round", str(study), "--train", NET]) == 2
    assert "round next STUDY" in capsys.readouterr().err
    with pytest.raises(BadOption, match="given twice"):
        NextRound(models=("constant:no", "constant:no"), world=1)
    with pytest.raises(BadOption, match="Give each data set once"):
        NextRound((BASE, BASE), (NET,), world=1)
    assert facts(study)[0] == [(1, "FROZEN")]


def test_a_round_that_people_work_in_is_not_finished(study):
    with closing(open_study(study)) as opened:
        make_next_round(opened, NextRound(models=("constant:yes",), world=2))
    assert main(["collect", "round", str(study), "--open", "2"]) == 0
    with closing(open_study(study)) as opened, pytest.raises(UsageError, match="round 2 is not frozen"):
        make_next_round(opened, NextRound(models=("constant:no",), world=2))
