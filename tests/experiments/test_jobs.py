"""Networks that an experiment trains: their training data, and that a killed experiment resumes."""

from __future__ import annotations

import pytest

from askew.data.write_questions import write_jsonl
from askew.engine.components import as_data
from askew.experiments import ExperimentPlan
from askew.experiments.jobs import Job, build_test, measured, model_folder, numbers, run_jobs, training_questions


@pytest.fixture
def plan(tmp_path):
    return ExperimentPlan(tmp_path, scenes=40, epochs=1, progress=False)


def test_a_share_of_one_question_type_is_left_out(plan):
    everything = training_questions(plan, Job("all", "butd", ()))
    half = training_questions(plan, Job("half", "butd", (), dropped=("what color", 0.5)))
    colors = [question for question in everything if question.text.lower().startswith("what color")]
    left = [question for question in half if question.text.lower().startswith("what color")]
    assert len(everything) - len(half) == len(colors) - len(left)
    assert 0.2 < len(left) / len(colors) < 0.8
    assert not [
        question
        for question in training_questions(plan, Job("none", "butd", (), dropped=("what color", 1.0)))
        if question.text.lower().startswith("what color")
    ]


def test_more_questions_are_added_or_stand_alone(plan, tmp_path):
    extra = list(as_data("world:train,scenes=20,seed=9").what.questions())[:7]
    write_jsonl(extra, str(tmp_path / "more.jsonl"))
    plain = training_questions(plan, Job("plain", "butd", ()))
    both = training_questions(plan, Job("both", "butd", (), more=tmp_path / "more.jsonl"))
    alone = training_questions(plan, Job("alone", "butd", (), more=tmp_path / "more.jsonl", only_more=True))
    assert len(both) == len(plain) + 7
    assert [question.text for question in alone] == [question.text for question in extra]


def test_test_scenes_are_never_training_scenes(plan):
    scenes = {
        split: {question.image.id for question in as_data(plan.world(split)).what.questions()}
        for split in ("train", "val", "test")
    }
    assert not scenes["train"] & scenes["test"]
    assert not scenes["val"] & scenes["test"]


def test_a_network_is_trained_tested_and_kept(plan):
    pytest.importorskip("torch")
    test = build_test(plan, "accuracy")
    jobs = [Job("one", "language:hidden=16", (test,))]
    first = run_jobs(plan, jobs)
    weights = (model_folder(plan, jobs[0]) / "weights.pt").stat()
    again = run_jobs(plan, jobs)
    assert (model_folder(plan, jobs[0]) / "weights.pt").stat().st_mtime_ns == weights.st_mtime_ns
    assert numbers([first["one"]["accuracy"]], "accuracy.all") == numbers([again["one"]["accuracy"]], "accuracy.all")
    (score,) = numbers([first["one"]["accuracy"]], "accuracy.all")
    assert 0 <= score <= 100
    found = measured(first["one"]["accuracy"], "accuracy.all")
    assert found.value == pytest.approx(score)
    assert len(found.influence) == first["one"]["accuracy"].score("accuracy.all").images
    assert sum(found.influence.values()) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("suite", ["carets:tests=negation,balance=paper", "p2:originals=all,balance=paper"])
def test_a_network_is_tested_with_the_groups_of_a_suite_with_options(plan, suite):
    pytest.importorskip("torch")
    name = suite.partition(":")[0]
    results = run_jobs(plan, [Job("one", "language:hidden=16", (build_test(plan, suite),))])
    assert numbers([results["one"][name]], "accuracy.all" if name == "p2" else "carets.acc")[0] >= 0
