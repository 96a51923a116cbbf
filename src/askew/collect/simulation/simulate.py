"""Simulated people with adjustable skill, who know what is true in the scenes of the embedded world.

They write, judge, verify, give up and leave like the annotators of Adversarial VQA (Li et al. 2021). The defaults are
calibrated to its Table 1: 79 per cent of the sessions succeed, with 1.6 tries each, and about 40 per cent of all
questions are verified errors. The same seed gives the same study. Time is simulated too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias, TypeVar

import sqlalchemy as sa

from askew.collect.accounts import add_annotator, give_consent
from askew.collect.database import SetClock, Tx
from askew.collect.protocol import Gone, same_answer
from askew.collect.quiz import needs_quiz, qualify
from askew.collect.robots import Call, Robots, record_reply
from askew.collect.rounds import open_round
from askew.collect.schema import (
    annotator,
    ensemble_member,
    gold_item,
    gold_result,
    image,
    judgement,
    prediction,
    session,
    slot,
    verification,
)
from askew.collect.simulation.world_content import load_world
from askew.collect.study import Study
from askew.collect.verify_queue import answer_task, claim_task
from askew.collect.verifying import VerifyTask, claim_slot, verify
from askew.collect.writing import WritingTask, ask, claim_image, judge, release_image, writing_task
from askew.engine.settings import check_share
from askew.errors import UsageError
from askew.types import Prediction
from askew.world.annotators import answered
from askew.world.phrasing import Asked

Progress = Callable[[int], object]
Result = TypeVar("Result")
Steps: TypeAlias = Generator[Call | bool, Tx, Result]
TRUST = 0.85
"""How often a verifier agrees with the author of a question that is not one of the world."""
TICK = 40.0
"""Seconds between a person's actions."""


@dataclass(frozen=True)
class Skill:
    """The skills and habits of a simulated person; all are shares from 0 to 1."""

    attack: float = 0.44
    """How often a question is one that the robots get wrong."""
    false_claims: float = 0.16
    """How often a correct answer of the robot is called wrong, to finish the image."""
    unsure: float = 0.05
    """How often the judgement is "not sure"."""
    gives_up: float = 0.24
    """How often the image is returned after a failed try."""
    leaves: float = 0.002
    """How often the person leaves in the middle of a task, for longer than a lease."""
    careless: float = 0.05
    """How often a verifier answers without looking."""
    unclear: float = 0.1
    """How often a question that is not about yes, no or a number is so unclear that every verifier answers
    differently; these become type D."""
    verifies: float = 0.85
    """How often verifying is preferred to writing."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_share(name, value)


@dataclass
class Simulated:
    """What happened in a simulation."""

    people: int
    sessions: int = 0
    succeeded: int = 0
    questions: int = 0
    verifications: int = 0
    gold: int = 0
    excluded: int = 0

    @property
    def success(self) -> float:
        """The share of sessions that succeeded."""
        return self.succeeded / self.sessions if self.sessions else float("nan")

    @property
    def tries(self) -> float:
        """Mean tries of a session."""
        return self.questions / self.sessions if self.sessions else float("nan")


@dataclass
class Knowledge:
    """The questions that can be asked about each image with their true answers, and each robot's answers to them."""

    questions: dict[int, list[Asked]]
    robots: dict[tuple[int, int, str], Prediction] = field(default_factory=dict)
    """(model, image, text) to the prediction."""
    errors: dict[tuple[int, str], float] = field(default_factory=dict)
    """(image, text) to the share of robots that are wrong."""
    gold: dict[str, str] = field(default_factory=dict)
    """The reference of a gold question to its answer."""
    words: tuple[str, ...] = ()
    """Different answers to questions that are not about yes, no or a number."""

    def about(self, image_id: int, text: str) -> Asked | None:
        """The question with its meaning; None if it is not one of the world."""
        return next((one for one in self.questions[image_id] if one.text == text), None)


@dataclass
class Worker:
    """A simulated person, whose ``steps`` are taken one at a time."""

    id: int
    skill: Skill
    rng: Random
    knowledge: Knowledge
    done: Simulated
    progress: Progress = lambda _: None
    is_busy: bool = False
    """Whether the person is in the middle of a task, perhaps away from it."""

    def steps(self) -> Steps[None]:
        """What the person does, step by step: each gets a transaction, and gives the call of the model if a question
        was asked, else whether anything was done."""
        tx = yield False
        while True:
            verifies_first = self.rng.random() < self.skill.verifies
            tasks = (self.verify, self.write) if verifies_first else (self.write, self.verify)
            for task in tasks:
                after = yield from task(tx)
                if after is not None:
                    tx = after
                    break
            else:
                tx = yield False

    def _next(self, acted: Call | bool) -> Steps[Tx]:
        """End a step in the middle of a task; returns the transaction of the next one. Sometimes the person leaves."""
        tx = yield acted
        while self.rng.random() < self.skill.leaves:
            tx = yield True
            for _ in range(_AWAY):
                tx = yield False
        return tx

    def _end(self) -> Steps[Tx]:
        """End a task."""
        self.is_busy = False
        return (yield True)

    def write(self, tx: Tx) -> Steps[Tx | None]:
        """Work on an image; None if there is none."""
        task: WritingTask | None = claim_image(tx, self.id)
        if task is None:
            return None
        self.is_busy = True
        self.done.sessions += not task.tries
        session_id, questions = task.session_id, self.knowledge.questions[task.image_id]
        tx = yield from self._next(True)
        while (task := _active(tx, self.id, session_id)) is not None:
            tried = {one.text for one in task.tries}
            errors = {q.text: self.knowledge.errors[task.image_id, q.text] for q in questions if q.text not in tried}
            if not errors:
                release_image(tx, self.id, session_id, "nothing left to ask")
                break
            text = self._chosen(errors)
            call = ask(tx, self.id, session_id, text, seed=self.rng.getrandbits(62))
            self.done.questions += 1
            tx = yield from self._next(call)
            task = _active(tx, self.id, session_id)
            if task is None:
                break
            own = task.open_question
            if own is not None and own.answer is not None:  # else no robot could answer
                true = next(one.answer for one in questions if one.text == text)
                verdict, answer = self._verdict(own.answer, true, questions)
                state = judge(tx, self.id, own.question_id, verdict, answer, "yes").session_state
                if state != "LEASED":
                    self.done.succeeded += state == "SUCCEEDED"
                    break
                if self.rng.random() < self.skill.gives_up:
                    release_image(tx, self.id, session_id, "gave up")
                    break
            tx = yield from self._next(True)
        return (yield from self._end())

    def _chosen(self, errors: Mapping[str, float]) -> str:
        """Choose a question such that the drawn robot is wrong as often as the skill says, if that is possible.

        ``errors`` has the share of robots that get each question wrong; the hardest and the easiest ones are mixed.
        """
        easy, hard = min(errors.values()), max(errors.values())
        chance = (self.skill.attack - easy) / (hard - easy) if hard > easy else 1.0
        goal = hard if self.rng.random() < chance else easy
        return self.rng.choice([text for text, share in errors.items() if share == goal])

    def _verdict(self, robot_answer: str, true: str, questions: Sequence[Asked]) -> tuple[str, str | None]:
        if self.rng.random() < self.skill.unsure:
            return "unsure", None
        if same_answer(robot_answer) != same_answer(true):
            return "wrong", true
        if self.rng.random() < self.skill.false_claims:
            wrong_answers = sorted({one.answer for one in questions if same_answer(one.answer) != same_answer(true)})
            return "wrong", self.rng.choice(wrong_answers) if wrong_answers else "something else"
        return "correct", None

    def verify(self, tx: Tx) -> Steps[Tx | None]:
        """Answer a question, perhaps a gold one; None if there is none."""
        given = claim_task(tx, self.id) if self.knowledge.gold else None
        gold = given.reference if given is not None and given.reference in self.knowledge.gold else None
        task = None if gold is not None or (self.knowledge.gold and given is None) else claim_slot(tx, self.id)
        if task is None and gold is None:
            return None
        self.is_busy = True
        tx = yield from self._next(True)
        if task is not None:
            verify(tx, self.id, task.question_id, *self._answer(tx, task))
            self.done.verifications += 1
            self.progress(1)
        elif gold is not None and self._fails_gold(tx, gold):
            self.done.excluded += 1
            tx = yield from self._end()
            while True:
                tx = yield False
        return (yield from self._end())

    def _answer(self, tx: Tx, task: VerifyTask) -> tuple[str, str]:
        """An answer and a confidence. To a question that somebody else thought of, mostly its author's answer, and
        otherwise the robot's."""
        one, n = self.knowledge.about(task.image_id, task.text), task.slot_n
        if one is None:
            row = tx.first(
                sa.select(judgement.c.answer, prediction.c.answer.label("robot"))
                .join(prediction, prediction.c.question_id == judgement.c.question_id)
                .where(judgement.c.question_id == task.question_id)
            )
            assert row is not None
            return (row.answer, "yes") if self.rng.random() < TRUST else (row.robot[:60], "maybe")
        answers, confidences = answered(one, Random(f"{task.question_id}:{task.text}"))
        answer, confidence = answers[n % len(answers)], confidences[n % len(answers)]
        unclear = Random(f"{task.question_id}:unclear").random()  # the same for all verifiers
        if one.answer_type == "other" and unclear < self.skill.unclear:
            words = Random(f"{task.question_id}:words").sample(self.knowledge.words, len(self.knowledge.words))
            answer, confidence = words[n % len(words)], "no"
        if self.rng.random() < self.skill.careless:
            answer = self.rng.choice(self.knowledge.questions[task.image_id]).answer
        return answer, confidence

    def _fails_gold(self, tx: Tx, reference: str) -> bool:
        """Answer a gold question; whether this excluded the person."""
        answer = self.knowledge.gold[reference]
        if self.rng.random() < self.skill.careless:
            answer = self.rng.choice(
                [word for word in self.knowledge.words if same_answer(word) != same_answer(answer)]
            )
        try:
            excluded = answer_task(tx, self.id, reference, answer, "yes").excluded
        except Gone:  # the person was away for too long
            return False
        self.done.gold += 1
        return excluded


def _active(tx: Tx, annotator_id: int, session_id: int) -> WritingTask | None:
    """The person's task; None if the session has ended."""
    try:
        return writing_task(tx, annotator_id, session_id)
    except Gone:
        return None


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
    knowledge, done = learn(study, open_.id, robots or Robots(study)), Simulated(people)
    workers = [
        Worker(who, skill or Skill(), Random(f"{seed}:person:{number}"), knowledge, done, progress)
        for number, who in enumerate(ids)
    ]
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


_AWAY = 60
"""How many ticks a person stays away: longer than any lease."""
_PATIENCE = _AWAY + 2
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
    for key, asked in knowledge.questions.items():
        for one in asked:
            said = [knowledge.robots[model_id, key, one.text].answer or "" for model_id in models]
            wrong = [same_answer(answer) != same_answer(one.answer) for answer in said]
            knowledge.errors[key, one.text] = sum(wrong) / len(wrong)
    named = [one.answer for asked in knowledge.questions.values() for one in asked if one.answer_type == "other"]
    knowledge.words = tuple(sorted({same_answer(answer): answer for answer in sorted(named)}.values()))
    return knowledge


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
