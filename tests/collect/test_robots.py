"""Robots: the models that a study stores, and the paths in their specs."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from small_study import SmallStudy

from askew.cli import main
from askew.collect.freeze import freeze
from askew.collect.release import release
from askew.collect.robots import Call, Robots, with_absolute_paths
from askew.collect.rounds import add_model, change_round
from askew.collect.schema import model
from askew.collect.study import open_study


def test_a_model_folder_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path was stored as it was typed, and a service that was started elsewhere could not load the model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "script.json").write_text(json.dumps({"What is it?": "a dog"}))
    assert main(["collect", "init", "study", "--preset", "small"]) == 0
    assert main(["collect", "models", "study", "--add", "scripted:models/script.json"]) == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    study = open_study(tmp_path / "study")
    with study.database.read() as tx:
        row = tx.first(sa.select(model))
    assert row is not None
    assert row.name == "scripted:models/script.json", "the name is what was typed"
    assert Robots(study).answer([Call(1, 1, row.id, 1, "0" * 64, ".png", "What is it?")])[0].answer == "a dog"
    study.close()


def test_a_name_that_nobody_chose_has_no_folder(tmp_path: Path) -> None:
    """Releases have the names of robots: there stood where a model was on the machine of the study."""
    study = str(tmp_path / "study")
    assert main(["collect", "init", study, "--preset", "small"]) == 0
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "said.json").write_text("{}")
        assert main(["collect", "models", study, "--add", f"scripted:{tmp_path / folder}/said.json"]) == 0
    with closing(open_study(tmp_path / "study")) as opened, opened.database.read() as tx:
        rows = {row.name: row.spec for row in tx.rows(sa.select(model))}
    assert rows == {
        "scripted:said.json": f"scripted:{tmp_path}/one/said.json",
        "scripted:said.json (2)": f"scripted:{tmp_path}/other/said.json",
    }


def test_only_existing_files_and_folders_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("models/a, b", "lora", "no", "xnm", "package"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("labels.txt", "robot.py", "answers.json"):
        (tmp_path / file).touch()
    here = str(tmp_path)
    specs = {
        "hf:models/a, b": f"hf:{here}/models/a, b",
        "hf:path=models/a, b,max-new-tokens=4": f"hf:path={here}/models/a, b,max-new-tokens=4",
        "hf:models/a, b,adapter=lora": f"hf:{here}/models/a, b,adapter={here}/lora",
        "hf:org/name,labels=labels.txt": f"hf:org/name,labels={here}/labels.txt",
        "predictions:./answers.json,allow_missing=true": f"predictions:{here}/answers.json,allow_missing=true",
        "python:robot.py:answer,batch=true": f"python:{here}/robot.py:answer,batch=true",
        "python:package:answer": "python:package:answer",
        "constant:no": "constant:no",
        "bundled:xnm": "bundled:xnm",
        "scripted:gone.json": "scripted:gone.json",
        "openai:any,base_url=http://127.0.0.1:80/v1": "openai:any,base_url=http://127.0.0.1:80/v1",
    }
    for spec, stored in specs.items():
        assert with_absolute_paths(spec) == stored
        assert with_absolute_paths(stored) == stored


def test_a_path_that_would_read_as_options_stays_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a,b=c" / "models").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a,b=c")
    assert with_absolute_paths("onnx:models") == "onnx:models"


def test_a_model_in_the_robots_of_a_study_moves_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["collect", "init", "study", "--preset", "small"]) == 0
    (tmp_path / "study" / "robots").mkdir()
    (tmp_path / "study" / "robots" / "script.json").write_text(json.dumps({"What is it?": "a dog"}))
    assert main(["collect", "models", "study", "--add", "scripted:study/robots/script.json"]) == 0
    (tmp_path / "study").rename(tmp_path / "moved")
    study = open_study(tmp_path / "moved")
    assert Robots(study).answer([Call(1, 1, 1, 1, "0" * 64, ".png", "What is it?")])[0].answer == "a dog"
    study.close()


def test_a_release_names_models_without_the_folders_of_this_computer_and_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "script.json").write_text("{}")
    small = SmallStudy.make(tmp_path / "study")
    small.do(change_round, small.round_id, "DRAINING")
    small.do(freeze, small.round_id, 1)
    small.do(add_model, "mine", "scripted:models/script.json")
    endpoint = 'openai:m,base_url=http://127.0.0.1:9/v1,extra={"tags": 1},headers={"api-key": "open sesame"}'
    assert main(["collect", "models", "study", "--add", endpoint]) == 0
    small.do(add_model, "gone", endpoint + ",prices=deleted.yaml")
    manifest = release(small.study, tmp_path / "release")
    small.close()
    mine, theirs, gone = manifest["models"][-3:]
    assert mine == {"name": "mine", "spec": "scripted:script.json"}
    assert theirs["name"].startswith("openai:m,")
    assert theirs["spec"].startswith("openai:m,base_url=http://127.0.0.1:9/v1,")
    assert gone["spec"] == "openai:..."
    assert main(["collect", "models", "study"]) == 0
    written = [path.read_bytes() for path in (tmp_path / "release").rglob("*") if path.is_file()]
    assert b"sesame" not in b"".join(written) + capsys.readouterr().out.encode()
    assert str(tmp_path) not in (tmp_path / "release" / "datasheet.md").read_text()
