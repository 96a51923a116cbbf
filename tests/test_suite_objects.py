"""Runs whose suite was given as an object: it has no spec, and the runs can still be compared."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import askew
from askew.cli import main
from askew.engine.result import compare_runs, not_compared
from askew.errors import DataError
from askew.report.load import load_run
from running import run_askew, write_questions
from shout_suite import Shout


@pytest.fixture
def runs(tmp_path):
    """Two runs of the suite object: white is right for a fifth of the questions, no for none of them."""
    write_questions(tmp_path / "q.jsonl", 40)
    for say in ("white", "no"):
        askew.evaluate(f"constant:{say}", tmp_path / "q.jsonl", Shout(), output=tmp_path / say, name=say)
    return tmp_path


def test_every_metric_of_a_suite_object_is_compared(runs, monkeypatch):
    found = compare_runs([load_run(runs / "white"), load_run(runs / "no")])
    whole = {one["metric"]: one["difference"] for one in found if not one["part"]}
    assert whole == {"accuracy.variant": 0.2, "cons": 0.0, "short": -1.0}
    assert not not_compared([load_run(runs / "white")])
    monkeypatch.chdir(runs)
    assert main(["compare", "white", "no", "--output", "both"]) == 0
    assert main(["report", "white", "no", "--output", "page/report.html"]) == 0
    assert main(["gate", "no", "--no-worse-than", "white", "--metric", "cons", "--metric", "short"]) == 0
    assert main(["gate", "white", "--no-worse-than", "no", "--metric", "short"]) == 1


def test_another_process_compares_every_metric_without_its_class(runs):
    """No module of the suite or of its metric can be imported there."""
    command = [sys.executable, "-m", "askew", "compare", "white", "no", "--output", "both"]
    done = subprocess.run(command, cwd=runs, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "not compared" not in done.stderr
    differences = json.loads((runs / "both" / "differences.json").read_text())
    assert {one["metric"] for one in differences} == {"accuracy.variant", "cons", "short"}
    gate = ("gate", "no", "--no-worse-than", "white")
    assert run_askew(*gate, "--metric", "short", cwd=runs).returncode == 0
    done = run_askew("gate", "white", "--no-worse-than", "no", "--metric", "short", cwd=runs)
    assert done.returncode == 1
    assert "100.0 (" in done.stdout.partition("✗ ")[2]
    assert run_askew("gate", "no", "--require", "short>=1", cwd=runs).returncode == 0


def test_a_metric_that_only_one_run_has_is_named(runs, capsys):
    askew.evaluate("constant:no", runs / "q.jsonl", Shout(), output=runs / "more", name="more", metrics=["mu"])
    assert main(["compare", str(runs / "white"), str(runs / "more")]) == 0
    said = "mu is not compared: white has no rows of it. Run it again with --metric mu"
    assert said in capsys.readouterr().err


def test_a_run_of_another_format_says_what_to_do(runs):
    path = runs / "white" / "results.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 1}))
    with pytest.raises(DataError, match=r"format 1, but this version of askew reads format 2\. Run .askew run. with"):
        load_run(runs / "white")
