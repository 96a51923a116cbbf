"""A run that an earlier version wrote: it still loads, compares, gates and resumes.

``stored_run.zip`` holds a groups file and the folder of ``askew run --model constant:yes --data groups.jsonl --suite
rad --output run``, written before metrics and modules moved to their present places. It is never written again.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from askew.cli import main
from askew.engine.compare import compare_runs
from askew.engine.result import Result
from askew.engine.run_metrics import metrics_of, unknown_metrics

STORED = Path(__file__).with_name("stored_run.zip")


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with zipfile.ZipFile(STORED) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "run"


def command(model: str, output: str) -> list[str]:
    return ["run", "--model", model, "--data", "groups.jsonl", "--suite", "rad", "--output", output, "--quiet"]


def test_scores_samples_and_metrics_of_a_stored_run_load(stored: Path) -> None:
    result = Result(stored)
    assert result.score("accuracy.variant").value == 0.5
    assert result.score("accuracy.original").n == len(list(result.samples())) == 6
    (suite,) = result.run.suites
    assert unknown_metrics(suite) == {}
    assert set(metrics_of(result.run, suite)) == {score.metric for score in result.scores}


def test_a_stored_run_is_compared_with_a_new_one(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command("constant:red", "new")) == 0
    runs = [Result(stored).run, Result(Path("new")).run]
    found = {one["metric"]: one["difference"] for one in compare_runs(runs) if one["part"] == ""}
    assert found["accuracy.variant"] == 0.5  # yes: 3 of 6, red: none
    assert found["accuracy.original"] == pytest.approx(-1 / 6)
    assert main(["gate", "new", "--no-worse-than", "run", "--require", "accuracy.variant>=0.4"]) == 1
    assert main(["report", "run", "new", "--output", "report.html"]) == 0
    assert "accuracy.variant" in capsys.readouterr().out
    assert "constant:red" in Path("report.html").read_text(encoding="utf-8")


def test_a_stored_run_resumes_without_asking_again(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (stored / "samples.jsonl").read_bytes()
    assert main([*command("constant:yes", "run"), "--dry-run"]) == 0
    assert "0 calls" in capsys.readouterr().out
    (stored / "results.json").unlink()
    assert main(command("constant:yes", "run")) == 0
    assert (stored / "samples.jsonl").read_bytes() == before
