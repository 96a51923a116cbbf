"""Simulated people: the paper's figures, the same study from the same seed, and every question verified."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from small_study import SmallStudy

from askew.cli import main
from askew.collect import schema
from askew.collect.accounts import add_annotator
from askew.collect.database import SetClock
from askew.collect.freeze import freeze, preview_freeze
from askew.collect.invariants import violations
from askew.collect.prepared_items import add_gold
from askew.collect.protocol import PRESETS, NotAllowed, Refused, settings_of
from askew.collect.release import release
from askew.collect.robots import Robots, record_reply
from askew.collect.rounds import add_model, change_round, create_round
from askew.collect.schema import gold_result, image
from askew.collect.simulation.simulate import remembered, simulate
from askew.collect.simulation.simulated_person import Simulated, Skill
from askew.collect.simulation.world_content import import_world, load_world
from askew.collect.stats.sources import FromStudy
from askew.collect.stats.statistics import statistics
from askew.collect.study import create_study
from askew.collect.writing import ask, claim_image
from askew.errors import BadOption
from askew.models.baselines import Scripted
from askew.types import Prediction

IMAGES = 25


class Seeing:
    """A robot that knows the world and answers every n-th question incorrectly."""

    def __init__(self, answers: dict[str, str], wrong_every: int) -> None:
        self.answers, self.wrong_every = answers, wrong_every

    def answer(self, questions):
        return [Prediction(question.id, self._say(question)) for question in questions]

    def _say(self, question):
        key = f"{question.image.id}:{question.text}"
        return "nonsense" if sum(key.encode()) % self.wrong_every == 0 else self.answers[key]


def world_study(folder: Path, preset: str = "paper", images: int = IMAGES, url: str | None = None, **changes):
    settings = replace(PRESETS[preset], quiz_required=False, **changes)
    study = create_study(folder, settings, "World", url, seed=1, clock=SetClock(), durable=False)
    with study.database.write() as tx:
        models = [add_model(tx, name, "constant:no") for name in ("first", "second")]
        round_id = create_round(tx, models)
    import_world(study, round_id, range(images))
    with study.database.write() as tx:
        for state in ("READY", "OPEN"):
            change_round(tx, round_id, state)
    world = load_world(study)
    with study.database.read() as tx:
        names = {row.id: row.name for row in tx.rows(sa.select(image))}
    answers = {f"{key}:{one.text}": one.answer for key, name in names.items() for one in world.questions(name)}
    robots = Robots(study, {models[0]: Seeing(answers, 2), models[1]: Seeing(answers, 3)})
    return study, round_id, robots


@pytest.fixture(scope="module")
def paper(tmp_path_factory, world_cache):
    patch = pytest.MonkeyPatch()
    patch.setenv("ASKEW_CACHE", str(world_cache))
    study, round_id, robots = world_study(tmp_path_factory.mktemp("world") / "study")
    done = simulate(study, 20, 0, robots=robots)
    yield study, round_id, done
    study.close()
    patch.undo()


def test_default_people_reach_the_papers_figures(paper):
    """Table 1: 79 per cent of the sessions succeed, 1.6 tries each; these are about a hundred sessions."""
    _, _, done = paper
    assert 0.69 < done.success < 0.89
    assert 1.35 < done.tries < 1.85


def test_the_papers_figures_are_within_the_intervals_of_the_statistics(paper):
    """Success per session 79 per cent, 1.6 tries: Li et al. 2021, Table 1."""
    study, _, _ = paper
    with study.database.read() as tx:
        found = statistics(FromStudy(tx))
    for name, column, told in (("sessions", "success_per_session", 0.79), ("table1", "tries_mean", 1.6)):
        sheet = found.sheet(name)
        rate = dict(zip((one.name for one in sheet.columns), sheet.lines[-1].cells, strict=True))[column]
        assert rate.low < told < rate.high, column
        assert rate.high - rate.low < 0.4 * told  # narrow enough to be informative


def test_every_question_gets_all_its_verifiers_though_people_leave(paper):
    study, round_id, _ = paper
    with study.database.read() as tx:
        assert violations(tx) == []
        states = Counter(row.state for row in tx.rows(sa.select(schema.question.c.state)))
        places = tx.value(sa.select(sa.func.count()).where(schema.place.c.session_id.is_(None)))
        types = Counter(preview_freeze(tx, round_id, 0).types.values())
    assert states["VERIFIED"] > 50
    assert not states.keys() & {"VERIFYING", "ASKED", "ANSWERED"}
    assert places == 0
    assert types["E"] > types["C"] > 0
    assert 0.25 < types["E"] / sum(types[kind] for kind in "ABCDE") < 0.5


def frozen_by_people(folder: Path, url: str | None = None) -> tuple[Simulated, str]:
    """What five people did with four images, and the snapshot of the frozen round."""
    study, round_id, robots = world_study(folder, "small", images=4, url=url)
    done = simulate(study, 5, 3, robots=robots)
    with study.database.write() as tx:
        change_round(tx, round_id, "DRAINING")
        freeze(tx, round_id, 1, drop_incomplete=True)
        assert violations(tx) == []
        snapshot = tx.value(sa.select(schema.round_.c.snapshot))
    study.close()
    return done, snapshot


def test_the_same_seed_gives_the_same_study_on_both_databases(tmp_path, database_url):
    assert frozen_by_people(tmp_path / "one", database_url) == frozen_by_people(tmp_path / "two")


class BadAtCounting(Seeing):
    """A robot that answers everything correctly but the number of things."""

    def _say(self, question):
        return (
            "nonsense" if question.text.startswith("How many") else self.answers[f"{question.image.id}:{question.text}"]
        )


HONEST = Skill(false_claims=0.0, unsure=0.0, leaves=0.0, gives_up=0.0)


def test_success_depends_on_the_robot(tmp_path):
    """With the same people a better robot is fooled less often; it used to be fooled as often as a bad one."""
    done = []
    for name, wrong_every in (("bad", 2), ("good", 20)):
        study, _, robots = world_study(tmp_path / name, "small", images=8)
        better = Seeing(robots.model(1).answers, wrong_every)
        done.append(simulate(study, 6, 0, HONEST, Robots(study, {1: better, 2: better})))
        study.close()
    assert done[0].success > 0.9
    assert done[1].success < 0.6
    assert done[1].tries > 1.5 * done[0].tries


def test_people_learn_what_fools_a_robot_and_remember_it(tmp_path):
    tries, seen = [], []
    for name, attack in (("anything", 0.0), ("what worked", 1.0)):
        study, _, robots = world_study(tmp_path / name, "small", images=IMAGES)
        robot = BadAtCounting(robots.model(1).answers, 1)
        done = simulate(study, 6, 0, replace(HONEST, attack=attack), Robots(study, {1: robot, 2: robot}))
        tries.append(done.tries)
        seen.append(remembered(study))
        study.close()
    assert tries[1] < 0.8 * tries[0]
    assert max(seen[1].tries, key=seen[1].hope).startswith("count")
    assert sum(seen[1].tries.values()) == done.questions
    with pytest.raises(BadOption, match="share"):
        Skill(attack=1.5)


def test_people_tire(tmp_path):
    """A tired person looks away: more answers of careless people differ from the truth."""
    wrong = []
    for name, tires in (("fresh", 0.0), ("tired", 0.2)):
        study, round_id, robots = world_study(tmp_path / name, "small", images=10)
        simulate(study, 3, 0, replace(HONEST, tires=tires, careless=0.05, unclear=0.0), robots)
        with study.database.read() as tx:
            types = Counter(preview_freeze(tx, round_id, 0).types.values())
        wrong.append(types["E"] / sum(types[kind] for kind in "CDE"))
        study.close()
    assert wrong[1] < wrong[0]


def test_people_disagree_about_questions_that_are_unclear(tmp_path):
    """They cause type D; questions, success and tries stay the same."""
    found = []
    for name, unclear in (("clear", 0.0), ("unclear", 1.0)):
        study, round_id, robots = world_study(tmp_path / name, "small", images=8)
        done = simulate(study, 6, 0, Skill(unclear=unclear, leaves=0.0, careless=0.0), robots)
        with study.database.read() as tx:
            assert violations(tx) == []
            types = Counter(preview_freeze(tx, round_id, 0).types.values())
        found.append((done.success, done.tries, types["D"] / sum(types[kind] for kind in "CDE")))
        study.close()
    (success, tries, few), (same_success, same_tries, many) = found
    assert (success, tries) == (same_success, same_tries)
    assert few < many
    assert many > 0.2


def test_simulated_people_meet_gold_questions(tmp_path):
    """Careful people stay, though some answers are wrong; careless ones are excluded, and the others continue."""
    for name, careless in (("careful", 0.05), ("careless", 1.0)):
        study, _, robots = world_study(tmp_path / name, "small", images=3, gold_first_percent=100)
        with study.database.write() as tx:
            row = tx.first(sa.select(schema.image))
            for number in range(20):
                add_gold(tx, (row.sha256, row.suffix), f"What is number {number}?", [f"thing {number}"])
        done = simulate(study, 6, 0, Skill(careless=careless, leaves=0.02), robots)
        with study.database.read() as tx:
            assert violations(tx) == []
            answers = tx.value(sa.select(sa.func.count()).where(gold_result.c.answer.is_not(None)))
            gone = tx.value(sa.select(sa.func.count()).where(schema.annotator.c.excluded_at.is_not(None)))
        assert done.gold == answers > 0
        assert done.excluded == gone
        assert (gone > 0) == (careless == 1.0)
        study.close()


def test_simulated_authors_say_how_sure_they_are_when_a_study_asks(tmp_path):
    study, _, robots = world_study(tmp_path / "study", "small", images=2, author_confidence="ask")
    assert simulate(study, 6, 0, robots=robots).succeeded
    study.close()


def test_statistics_without_sessions_are_undefined():
    assert str(Simulated(3).success) == "nan"


def test_a_robot_that_raises_is_a_failure_and_another_answers(tmp_path):
    study, _, _ = world_study(tmp_path / "study", "small", images=2)

    class Broken:
        def answer(self, questions):
            raise RuntimeError("out of memory")

    robots = Robots(study, {1: Broken(), 2: Scripted({"Is it red?": "no"})})
    with study.database.write() as tx:
        person = tx.insert(schema.annotator, name="A", pseudonym="a", role="annotator", created_at=0)
        task = claim_image(tx, person)
        call = ask(tx, person, task.session_id, "Is it red?", seed=3)
    while call is not None:
        (said,) = robots.answer([call])
        with study.database.write() as tx:
            call = record_reply(tx, call, said)
    assert said.answer == "no"
    with study.database.read() as tx:
        outcomes = [(row.model_id, row.outcome) for row in tx.rows(sa.select(schema.draw).order_by(schema.draw.c.n))]
    assert outcomes[-1] == (2, "OK")
    study.close()


def test_nobody_is_simulated_among_real_people(tmp_path, capsys):
    """They used to mix silently, and the datasheet counted them as people."""
    study = SmallStudy.make(tmp_path / "study")
    study.attack(study.people[0])
    study.close()
    assert main(["collect", "simulate", str(tmp_path / "study"), "--people", "2"]) == 2
    assert "1 people take part in this study, e.g. 'Person 0'" in capsys.readouterr().err
    assert main(["collect", "check", str(tmp_path / "study")]) == 0


def test_nobody_real_joins_simulated_people(tmp_path, capsys):
    """The other direction was open: real people could join a simulated study, whose release counted them together."""
    study = SmallStudy.make(tmp_path / "study", people=0)
    study.do(add_annotator, "Simulated 1", simulated=True)
    with pytest.raises(Refused, match="real people cannot"):
        study.do(add_annotator, "Ada")
    with pytest.raises(NotAllowed, match="real people cannot"):
        study.do(claim_image, study.owner)
    assert main(["collect", "people", str(tmp_path / "study"), "--add", "Ada"]) == 2
    assert "real people cannot. Create a study of its own" in capsys.readouterr().err
    assert study.look(violations) == []
    with study.study.database.write() as tx:
        tx.change(schema.annotator, schema.annotator.c.simulated, simulated=False)
        claim_image(tx, study.owner)
        tx.change(schema.annotator, schema.annotator.c.id != study.owner, simulated=True)
    assert "I23: simulated people and real ones never work" in study.look(violations)[0]
    study.close()


def test_a_demonstration_has_both_and_marks_who_was_simulated(tmp_path):
    study = SmallStudy.make(tmp_path / "study", settings=settings_of("small", {"demonstration": "true"}))
    study.people[1] = study.do(add_annotator, "Simulated 1", simulated=True)
    study.attack(study.people[0])
    study.attack(study.people[1], "Is it blue?")
    study.verify_all()
    study.check()
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    release(study.study, tmp_path / "release")
    sheet = (tmp_path / "release" / "datasheet.md").read_text()
    assert "more were simulated by a program, and are not people: `simulated-...`" in sheet
    assert "demonstration: True (paper: False)" in sheet
    history = (tmp_path / "release" / "history.jsonl").read_text()
    authors = [json.loads(line)["author"] for line in history.splitlines()]
    assert [name.partition("-")[0] for name in authors] == ["person", "simulated"]
    study.close()


def test_a_simulated_study_is_frozen_after_its_last_answer_and_says_that_people_were_simulated(tmp_path):
    """Simulated people work for hours in a minute; the freeze used to be dated before their answers."""
    folder = tmp_path / "study"
    for command in (
        ["init", str(folder), "--preset", "small", "--seed", "1"],
        ["models", str(folder), "--add", "constant:no"],
        ["round", str(folder), "--new"],
        ["images", str(folder), "--world", "3"],
        ["round", str(folder), "--open", "1"],
        ["simulate", str(folder), "--people", "6"],
        ["freeze", str(folder), "--round", "1", "--drop-incomplete"],
        ["check", str(folder)],
        ["export", str(folder), "--output", str(tmp_path / "release")],
    ):
        assert main(["collect", *command]) == 0, command
    sheet = (tmp_path / "release" / "datasheet.md").read_text()
    assert "- 0 people took part" in sheet
    assert "more were simulated by a program" in sheet
