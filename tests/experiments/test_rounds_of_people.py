"""Rounds of simulated people against networks that an experiment trained."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from askew.experiments import ExperimentPlan
from askew.experiments.adversarial_rounds import LESSONS, NETS, PAPER_2, TESTS
from askew.experiments.jobs import Job, model_folder, run_jobs
from askew.experiments.rounds_of_people import Rounds


@pytest.fixture(scope="module")
def rounds(tmp_path_factory, world_cache):
    """Two rounds of five images against a network that never learned much."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ASKEW_CACHE", str(world_cache))
    plan = ExperimentPlan(tmp_path_factory.mktemp("rounds"), scenes=20, epochs=1, progress=False)
    job = Job("robot", "language:hidden=8", ())
    run_jobs(plan, [job])
    found = Rounds(plan, 3)
    for number in (1, 2):
        found.hold(number, [model_folder(plan, job)])
    yield found
    patch.undo()


def test_a_network_without_tests_is_trained_once(rounds):
    job = Job("robot", "language:hidden=8", ())
    before = (model_folder(rounds.plan, job) / "weights.pt").stat().st_mtime_ns
    run_jobs(rounds.plan, [job])
    assert (model_folder(rounds.plan, job) / "weights.pt").stat().st_mtime_ns == before


def test_rounds_have_other_images_and_add_up(rounds):
    first = {one.image.sha256 for one in rounds.questions("train", 1)}
    second = {one.image.sha256 for one in rounds.questions("train", 2, only=True)}
    assert first
    assert second
    assert not first & second
    both = list(rounds.questions("train", 2))
    assert len(both) == sum(len(list(rounds.questions("train", number, only=True))) for number in (1, 2))
    assert rounds.facts(2)["train"] == len(list(rounds.questions("train", 2, only=True)))


def test_verified_questions_are_those_that_people_answered(rounds):
    verified = list(rounds.questions("train", 2, types="CE"))
    assert {len(one.answers) for one in verified} == {5}
    others = list(rounds.questions("train", 2, types="A"))
    assert len(verified) + len(others) == len(list(rounds.questions("train", 2)))
    assert all(len(one.answers) == 1 for one in others)


def test_ordinary_questions_are_as_many_about_the_same_images(rounds):
    collected, ordinary = list(rounds.questions("train", 2)), rounds.ordinary(2)
    assert len(ordinary) == len(collected)
    assert {one.image.sha256 for one in ordinary} <= {one.image.sha256 for one in collected}
    assert len({one.id for one in ordinary}) == len(ordinary)
    assert ordinary == rounds.ordinary(2)


def test_a_finished_round_is_not_held_again_and_a_killed_one_is(rounds):
    mark = (rounds.folder(2) / "round.json").stat().st_mtime_ns
    (rounds.folder(2).with_name(".round-2") / "study").mkdir(parents=True)  # as a kill leaves it
    rounds.hold(2, [])
    assert (rounds.folder(2) / "round.json").stat().st_mtime_ns == mark
    counts = rounds.facts(1)
    assert counts["verified"] <= counts["questions"]
    assert counts["verified error"] <= counts["error"]
    assert 1 <= counts["tries"] <= 5


def test_every_lesson_has_a_name_and_the_papers_rows_are_trained():
    for net, (_, _, lessons) in NETS.items():
        assert set(lessons) <= set(LESSONS), net
    for (net, lesson), figures in PAPER_2.items():
        assert lesson in NETS[net][2]
        assert len(figures) == len(TESTS) + 1  # and the gap
