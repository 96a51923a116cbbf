"""Let simulated people do the work of a round, in simulated time. The same seed gives the same study.

They write, judge, verify, give up and leave like the annotators of Adversarial VQA (Li et al. 2021). The defaults are
calibrated to its Table 1: against the reference models 79 per cent of the sessions succeed, with 1.6 tries each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

import sqlalchemy as sa

from askew.collect.accounts import add_annotator, give_consent
from askew.collect.database import SetClock, Tx
from askew.collect.protocol import same_answer
from askew.collect.quiz import needs_quiz, qualify
from askew.collect.robots import Call, Robots, record_reply
from askew.collect.rounds import open_round
from askew.collect.schema import (
    annotator,
    ensemble_member,
    gold_item,
    gold_result,
    image,
    prediction,
    question,
    session,
    slot,
    verification,
)
from askew.collect.simulation.simulated_person import AWAY, FORMS, Knowledge, Memory, Simulated, Skill, Worker, form_of
from askew.collect.simulation.world_content import load_world
from askew.collect.study import Study
from askew.errors import UsageError

Progress = Callable[[int], object]
TICK = 40.0
"""Seconds between a person's actions."""


def simulate(
    study: Study,
    people: int = 40,
    seed: int = 0,
    skill: Skill | None = None,
    robots: Robots | None = None,
    progress: Progress = lambda _: None,
) -> Simulated:
    """Let simulated people work on the open round until there is nothing left to do.

    The study's clock must be a ``SetClock``: hours of work pass in a minute.
    """
    clock = study.database.clock
    if not isinstance(clock, SetClock):
        raise UsageError("People are simulated in simulated time: open the study with a SetClock.")
    with study.database.write() as tx:
        open_ = open_round(tx)
        if open_ is None:
            raise UsageError("No round is open. Open one: askew collect round STUDY --open 1")
        _refuse_real_people(tx)
        ids = [_person(tx, seed, number) for number in range(people)]
    knowledge, done, skill = learn(study, open_.id, robots or Robots(study)), Simulated(people), skill or Skill()
    memory, workers = remembered(study), []
    for number, who in enumerate(ids):
        habits = f"{seed}:person:{number}"
        knows = Random(f"{habits}:knows")  # the same in every round
        about = frozenset(kind for kind in FORMS if knows.random() < skill.repertoire)
        rng = Random(f"{habits}:round {open_.number}")
        workers.append(Worker(who, skill, rng, knowledge, done, progress, about, memory))
    steps = [worker.steps() for worker in workers]
    for one in steps:
        next(one)
    idle = 0
    while idle < _PATIENCE:
        clock.pass_seconds(TICK)
        with study.database.write() as tx:
            acted = [one.send(tx) for one in steps]
        calls = [call for call in acted if isinstance(call, Call)]
        _reply(study, calls, knowledge)
        idle = 0 if any(acted) else idle + 1
        if idle and not any(worker.is_busy for worker in workers) and not _is_held(study):
            break
    return done


def _is_held(study: Study) -> bool:
    """Whether anybody holds an image or a question that others may get when the lease expires."""
    with study.database.read() as tx:
        held = (sa.select(table.c.state).where(table.c.state == "LEASED").limit(1) for table in (session, slot))
        return any(tx.first(one) is not None for one in held)


_PATIENCE = AWAY + 2
"""After this many ticks without any action the simulation ends: everybody who left would have returned."""


def learn(study: Study, round_id: int, robots: Robots) -> Knowledge:
    """Collect what can be asked about every image of the round, and each robot's answers to it."""
    world = load_world(study)
    with study.database.read() as tx:
        gold = known_gold(tx)
        files = {row.id: row for row in tx.rows(sa.select(image).where(image.c.round_id == round_id))}
        members = sa.select(ensemble_member.c.model_id).where(ensemble_member.c.round_id == round_id)
        models = [row.model_id for row in tx.rows(members.order_by(ensemble_member.c.model_id))]
    foreign = [row.name for row in files.values() if row.name not in world.scenes]
    if foreign:
        raise UsageError(
            f"{len(foreign)} images are not scenes of the embedded world, e.g. {foreign[0]}: nobody knows the answers."
        )
    knowledge = Knowledge({key: world.questions(row.name) for key, row in sorted(files.items())}, gold=gold)
    for model_id in models:
        calls = [
            Call(0, 0, model_id, key, files[key].sha256, files[key].suffix, one.text)
            for key, asked in knowledge.questions.items()
            for one in asked
        ]
        for call, predicted in zip(calls, robots.answer(calls), strict=True):
            knowledge.robots[model_id, call.image_id, call.text] = predicted
    named = [one.answer for asked in knowledge.questions.values() for one in asked if one.answer_type == "other"]
    knowledge.words = tuple(sorted({same_answer(answer): answer for answer in sorted(named)}.values()))
    return knowledge


def remembered(study: Study) -> Memory:
    """What fooled the robots of the study so far, also in earlier rounds: people tell each other."""
    world, found = load_world(study), Memory()
    asked = sa.select(image.c.name, question.c.text, prediction.c.answer).select_from(question)
    with study.database.read() as tx:
        rows = tx.rows(asked.join(image).join(prediction).order_by(question.c.id))
    about = {name: {one.text: one for one in world.questions(name)} for name in {row.name for row in rows}}
    for row in rows:
        if one := about[row.name].get(row.text):
            found.add(form_of(one), same_answer(row.answer) != same_answer(one.answer))
    return found


def known_gold(tx: Tx) -> dict[str, str]:
    """The reference of each gold question to its answer."""
    return {f"g {row.id}": json.loads(row.answers)[0] for row in tx.rows(sa.select(gold_item))}


def _refuse_real_people(tx: Tx) -> None:
    """Simulated people never share a study with real ones, whose data set it would become."""
    tables = (session, verification, gold_result)
    works = sa.or_(*(sa.exists().where(table.c.annotator_id == annotator.c.id) for table in tables))
    real = ~annotator.c.simulated & (works | annotator.c.consented_at.is_not(None))
    names = [row.name for row in tx.rows(sa.select(annotator.c.name).where(real).order_by(annotator.c.id))]
    if names:
        raise UsageError(
            f"{len(names)} people take part in this study, e.g. {names[0]!r}: nobody is simulated among real people. "
            "Simulate in a study of its own: askew collect init"
        )


def _person(tx: Tx, seed: int, number: int) -> int:
    name = f"Simulated {seed}-{number}"
    known = tx.value(sa.select(annotator.c.id).where(annotator.c.name == name))
    if known is not None:
        return int(known)
    pseudonym = f"simulated-{Random(f'{seed}:pseudonym:{number}').getrandbits(48):012x}"
    new = add_annotator(tx, name, pseudonym=pseudonym, simulated=True)
    give_consent(tx, new, "simulated")
    if needs_quiz(tx, new):
        qualify(tx, new)
    return new


def _reply(study: Study, calls: Sequence[Call], knowledge: Knowledge) -> None:
    """The robots answer what was asked in this tick."""
    while calls:
        with study.database.write() as tx:
            replies = [
                record_reply(tx, call, knowledge.robots[call.model_id, call.image_id, call.text]) for call in calls
            ]
        calls = [following for following in replies if following is not None]
