"""Runs whose suite was given as an object: it has no spec, and the runs can still be compared."""

from __future__ import annotations

import json
import sys

import pytest

import askew
from askew.cli import main
from askew.engine.compare import compare_runs, not_compared
from askew.engine.run_metrics import metric_from, metric_record
from askew.errors import DataError
from askew.registry import BUILT_IN, make
from askew.report.load import load_run
from running import run_askew, write_questions
from shout_suite import Short, Shout


@pytest.fixture
def runs(tmp_path):
    """Two runs of the suite object: white is right for a fifth of the questions, no for none of them."""
    write_questions(tmp_path / "q.jsonl", 40)
    for say in ("white", "no"):
        askew.evaluate(f"constant:{say}", tmp_path / "q.jsonl", Shout(), output=tmp_path / say, name=say)
    return tmp_path


def test_every_metric_of_a_suite_object_is_compared_where_its_module_is_loaded(runs, monkeypatch):
    found = compare_runs([load_run(runs / "white"), load_run(runs / "no")])
    whole = {one["metric"]: one["difference"] for one in found if not one["part"]}
    assert whole == {"accuracy.variant": 0.2, "cons": 0.0, "short": -1.0}
    assert not not_compared([load_run(runs / "white")])
    monkeypatch.chdir(runs)
    assert main(["compare", "white", "no", "--output", "both"]) == 0
    assert main(["report", "white", "no", "--output", "page/report.html"]) == 0
    assert main(["gate", "no", "--no-worse-than", "white", "--metric", "cons", "--metric", "short"]) == 0
    assert main(["gate", "white", "--no-worse-than", "no", "--metric", "short"]) == 1


def test_another_process_compares_known_metrics_and_reports_the_others(runs):
    done = run_askew("compare", "white", "no", "--output", "both", cwd=runs)
    assert done.returncode == 0, done.stderr
    assert "short is not compared: its class shout_suite.Short is not known here." in done.stderr
    differences = json.loads((runs / "both" / "differences.json").read_text())
    assert {one["metric"] for one in differences} == {"accuracy.variant", "cons"}
    gate = ("gate", "no", "--no-worse-than", "white")
    done = run_askew(*gate, "--metric", "cons", cwd=runs)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run_askew(*gate, "--metric", "short", cwd=runs)
    assert done.returncode == 1
    assert "shout_suite.Short is not known here" in done.stdout
    assert run_askew("gate", "no", "--require", "short>=1", cwd=runs).returncode == 0


def test_a_run_of_an_older_version_says_what_to_do(runs):
    path = runs / "white" / "results.json"
    results = json.loads(path.read_text())
    del results["suites"][0]["metrics"]
    path.write_text(json.dumps(results))
    with pytest.raises(DataError, match="Run it again with this version of askew"):
        compare_runs([load_run(runs / "white"), load_run(runs / "no")])


def test_every_metric_comes_back_from_its_record():
    made = [make("metric", name) for name in BUILT_IN["metric"]] + [Short(4, ("a", "b"))]
    for metric in made:
        assert metric_from(json.loads(json.dumps(metric_record(metric)))) == metric


def test_a_record_finds_a_metric_that_has_moved_since():
    record = {"class": "askew.metrics.noise:RScore", "options": {"level": 2}, "repr": repr(make("metric", "rscore:2"))}
    assert metric_from(record) == make("metric", "rscore:2")


def test_a_record_imports_no_other_code():
    for path in ("antigravity:Any", "askew.cli:main", "shout_suite:Shout", "subprocess:Popen", "", ":", "shout_suite:"):
        assert metric_from({"class": path, "options": {}, "repr": ""}) is None
    assert "antigravity" not in sys.modules
