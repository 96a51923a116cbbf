"""Ray, with a real cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="the extra ray is not installed")

from executor_work import FRAGILE, fail, square, start_adding, start_ending

from askew.cli import main
from askew.engine.ask_workers import WorkerAsking
from askew.engine.components import as_model
from askew.engine.executors import ray_cluster
from askew.engine.executors.ray_cluster import RayExecutor
from askew.errors import ModelError, RunError
from askew.types import ImageRef, LostWorker, Question

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module")
def cluster():
    """A head and one more node, with two processors each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path(__file__).parent), before)))
    node = {"num_cpus": 2, "object_store_memory": 100_000_000}
    try:
        started = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        started.extra = started.add_node(**node)
        yield started
        started.shutdown()
    finally:
        os.environ["PYTHONPATH"] = before


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


def test_a_run_is_the_same_on_the_cluster(cluster, tmp_path):
    words = ["run", "--model", "bundled:cnn-lstm", "--data", "world:val,scenes=30", "--suite", "rad", "--quiet"]
    for name, where in (("here", "local"), ("there", f"ray:address={cluster.address},workers=2")):
        assert main([*words, "--output", str(tmp_path / name), "--executor", where]) == 0
    here, there = (tmp_path / name / "samples.jsonl" for name in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()
    found = json.loads((tmp_path / "there" / "results.json").read_text())
    assert found["time"]["asked"] > 0


def test_questions_are_ranked_alike_on_the_cluster(cluster, tmp_path, monkeypatch):
    words = ["build", "basic", "--data", "world:scenes=40", "--ranker", "bleu1", "--top", "3", "--quiet"]
    for name, where in (("here", "local"), ("there", f"ray:address={cluster.address},workers=2")):
        monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / f"cache-{name}"))
        assert main([*words, "--output", str(tmp_path / name), "--executor", where]) == 0
    here, there = (tmp_path / name / "groups.jsonl" for name in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()


def test_a_cluster_that_does_not_start_is_reported_in_one_sentence(monkeypatch):
    import ray

    def fail(**options):
        raise Exception("The current node timed out during startup.\nMore about it.")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", fail)
    with pytest.raises(RunError, match=r"no cluster at this machine \(The current node timed out during startup\.\)"):
        assert RayExecutor().width


def test_another_version_on_a_host_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(ray_cluster, "installed", lambda: {"numpy": "0.1"})
    with pytest.raises(RunError, match="same versions on all hosts"), RayExecutor(cluster.address, workers=1) as other:
        assert other.width


def test_lost_workers_are_replaced_and_a_lost_node_loses_nothing(cluster, executor):
    found = dict(executor.each(start_ending, range(8)))
    assert isinstance(found.pop(3), LostWorker)
    assert found == {number: number for number in (0, 1, 2, 4, 5, 6, 7)}

    questions = {bytes([number]): Question(number, None, f"Is it {number}?") for number in range(40)}
    questions[b"f"] = Question("f", None, "Is this fatal?")
    asking = WorkerAsking(executor, as_model(FRAGILE))(questions, 4)
    said = [next(asking), next(asking)]
    cluster.remove_node(cluster.extra, allow_graceful=False)
    said += list(asking)
    answers = {key: prediction for batch in said for key, prediction in batch.items()}
    assert sum(map(len, said)) == len(answers) == 41, "each question is answered once"
    assert {key for key, prediction in answers.items() if prediction.failed} == {b"f"}
