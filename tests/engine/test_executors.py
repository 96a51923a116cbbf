"""Executors: the same results in this process, in several, and on a cluster of two hosts; lost workers lose nothing."""

from __future__ import annotations

import json
from functools import partial

import pytest
from executor_work import FRAGILE, end_at_three, end_once, fail, square, start_adding, start_ending

from askew.cli import main
from askew.engine.executors import LocalExecutor
from askew.errors import AskewError, BadOption, ModelError
from askew.registry import make
from askew.types import LostWorker


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_the_same_for_any_number_of_processes(workers):
    with LocalExecutor(workers) as executor:
        assert executor.width == workers
        assert list(executor.map(square, range(50), chunk=7)) == [square(number) for number in range(50)]
        found = dict(executor.each(partial(start_adding, 10), range(20)))
        assert found == {number: 10 + number for number in range(20)}
        with pytest.raises(ModelError, match="3 is wrong"):
            list(executor.map(fail, [3]))


def test_a_lost_process_is_reported_and_replaced(tmp_path):
    with LocalExecutor(2) as executor:
        found = dict(executor.each(start_ending, range(8)))
        assert set(found) == set(range(8))
        assert isinstance(found[3], LostWorker)
        kept = {place: result for place, result in found.items() if not isinstance(result, LostWorker)}
        assert all(place == result for place, result in kept.items())
        assert list(executor.map(square, [4])) == [16]
        items = [(str(tmp_path / "ended"), number) for number in range(8)]
        assert list(executor.map(end_once, items, chunk=2)) == list(range(8)), "a lost chunk is put back"
        with pytest.raises(AskewError, match="given to workers 3 times, and each time a worker process ended"):
            list(executor.map(end_at_three, range(8)))


def test_wrong_executors_are_refused(tmp_path, capsys):
    with pytest.raises(BadOption, match="1 or more"):
        make("executor", "local:workers=0")
    with pytest.raises(BadOption, match="0 or more"):
        make("executor", "ray:cpus=-1")
    words = ["run", "--model", "constant:yes", "--data", "world:all,scenes=5", "--suite", "accuracy", "--quiet"]
    assert main([*words, "--output", str(tmp_path / "run"), "--executor", "dask"]) == 2
    assert "Known: local, ray" in capsys.readouterr().err
    assert main([*words, "--output", str(tmp_path / "run"), "--executor", "local", "--workers", "2"]) == 2
    assert "not both" in capsys.readouterr().err
    build = ["build", "accuracy", "--data", "world:all,scenes=5", "--quiet", "--workers", "2"]
    assert main([*build, "--output", str(tmp_path / "bench")]) == 2
    assert "made in one process" in capsys.readouterr().err


def test_a_question_that_kills_workers_is_one_failure_and_the_rest_is_answered(tmp_path):
    lines = [{"id": n, "question": f"Is it {n}?", "answers": ["yes"]} for n in range(30)]
    lines[11]["question"] = "Is this fatal?"
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["run", "--model", FRAGILE, "--data", str(tmp_path / "mine.jsonl"), "--suite", "accuracy", "--quiet"]
    words += ["--batch-size", "4", "--max-failures", "1", "--output", str(tmp_path / "run")]
    assert main([*words, "--executor", "local:workers=2"]) == 0
    found = json.loads((tmp_path / "run" / "results.json").read_text())
    assert found["failures"]["count"] == 1
    assert "each time this question was asked" in next(iter(found["failures"]["by_error"]))
    assert found["time"]["asked"] == 30
    assert found["scores"][0]["value"] == 1.0
