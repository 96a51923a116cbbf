"""Simulated people with adjustable skill, who know what is true in the scenes of the embedded world.

They write, judge, verify, give up and leave like the annotators of Adversarial VQA (Li et al. 2021). The defaults are
calibrated to its Table 1: 79 per cent of the sessions succeed, with 1.6 tries each, and about 40 per cent of all
questions are verified errors. The same seed gives the same study. Time is simulated too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import sqlalchemy as sa

from askew.collect.accounts import add_annotator, give_consent
from askew.collect.database import SetClock, Tx
from askew.collect.protocol import Gone, same_answer
from askew.collect.quiz import needs_quiz, qualify
from askew.collect.robots import Call, RetryDraw, Robots, record_reply
from askew.collect.rounds import open_round
from askew.collect.schema import annotator, ensemble_member, image, session, slot, verification
from askew.collect.schema_quality import gold_item, gold_result
from askew.collect.simulation.world_content import load_world, world_images
from askew.collect.study import Study
from askew.collect.verify_queue import answer_task, claim_task
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import WritingTask, ask, claim_image, judge, release_image, writing_task
from askew.engine.settings import check_share
from askew.errors import UsageError
from askew.types import Prediction
from askew.world.annotators import answered
from askew.world.phrasing import Asked

Progress = Callable[[int], object]
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
class Worker:
    """A simulated person at work."""

    id: int
    skill: Skill
    rng: Random
    session: int | None = None
    image: int | None = None
    question: int | None = None
    """The question that is waiting for the robot, or for the judgement."""
    text: str = ""
    slot: tuple[int, int, int, str] | None = None
    """The question to verify: its id, slot, image and text."""
    gold: str | None = None
    """The reference of the gold question to answer."""
    away: int = 0
    """Ticks until the person is back."""
    excluded: bool = False
    """Whether too many wrong answers to gold questions excluded the person."""

    @property
    def is_busy(self) -> bool:
        """Whether the person is in the middle of a task."""
        return not self.excluded and not (self.session is None and self.slot is None and self.gold is None)


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

    def about(self, image_id: int, text: str) -> Asked:
        """The question with its meaning."""
        return next(one for one in self.questions[image_id] if one.text == text)


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
        workers = [
            Worker(_person(tx, seed, number), skill or Skill(), Random(f"{seed}:person:{number}"))
            for number in range(people)
        ]
    knowledge = learn(study, open_.id, robots or Robots(study))
    done = Simulated(people)
    idle = 0
    while idle < _PATIENCE:
        clock.pass_seconds(TICK)
        with study.database.write() as tx:
            acted = [_act(tx, worker, knowledge, done, progress) for worker in workers]
        calls = [call for call in acted if isinstance(call, Call)]
        _reply(study, calls, knowledge)
        idle = 0 if any(acted) else idle + 1
        if idle and not any(worker.away or worker.is_busy for worker in workers) and not _is_held(study):
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
    names = world_images(study, round_id)
    foreign = [name for name in names.values() if name not in world.scenes]
    if foreign:
        raise UsageError(
            f"{len(foreign)} images are not scenes of the embedded world, e.g. {foreign[0]}: nobody knows the answers."
        )
    knowledge = Knowledge({key: world.questions(name) for key, name in sorted(names.items())})
    with study.database.read() as tx:
        knowledge.gold = {f"g {row.id}": json.loads(row.answers)[0] for row in tx.rows(sa.select(gold_item))}
        files = {row.id: row for row in tx.rows(sa.select(image).where(image.c.round_id == round_id))}
        members = sa.select(ensemble_member.c.model_id).where(ensemble_member.c.round_id == round_id)
        models = [row.model_id for row in tx.rows(members.order_by(ensemble_member.c.model_id))]
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
            wrong = [_is_wrong(knowledge.robots[model_id, key, one.text], one) for model_id in models]
            knowledge.errors[key, one.text] = sum(wrong) / len(wrong)
    named = [one.answer for asked in knowledge.questions.values() for one in asked if one.answer_type == "other"]
    knowledge.words = tuple(sorted({same_answer(answer): answer for answer in sorted(named)}.values()))
    return knowledge


def _is_wrong(predicted: Prediction, question: Asked) -> bool:
    return same_answer(predicted.answer or "") != same_answer(question.answer)


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


def _act(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated, progress: Progress) -> Call | bool:
    """A person's next step; returns the model call if a question was asked, else whether anything was done."""
    if worker.excluded:
        return False
    if worker.away:
        worker.away -= 1
        return False
    if worker.is_busy and worker.rng.random() < worker.skill.leaves:
        worker.away = _AWAY
        return True
    if worker.gold is not None:
        return _answer_gold(tx, worker, knowledge, done)
    if worker.slot is not None:
        return _verify(tx, worker, knowledge, done, progress)
    if worker.question is not None:
        return _judge(tx, worker, knowledge, done)
    if worker.session is not None:
        return _ask(tx, worker, knowledge, done)
    first, second = (
        (_take_slot, _take_image) if worker.rng.random() < worker.skill.verifies else (_take_image, _take_slot)
    )
    return first(tx, worker, knowledge, done) or second(tx, worker, knowledge, done)


def _take_image(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated) -> bool:
    task = claim_image(tx, worker.id)
    if task is not None:
        worker.session, worker.image = task.session_id, task.image_id
        done.sessions += not task.tries
    return task is not None


def _take_slot(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated) -> bool:
    if knowledge.gold:
        given = claim_task(tx, worker.id)
        if given is None or given.reference in knowledge.gold:
            worker.gold = given.reference if given else None
            return given is not None
    task = claim_slot(tx, worker.id)
    if task is not None:
        worker.slot = (task.question_id, task.slot_n, task.image_id, task.text)
    return task is not None


def _ask(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated) -> Call | bool:
    assert worker.session is not None
    assert worker.image is not None
    task = _current_task(tx, worker)
    if task is None:
        return True
    tried = {one.text for one in task.tries}
    left = [one for one in knowledge.questions[worker.image] if one.text not in tried]
    if not left:
        release_image(tx, worker.id, worker.session, "nothing left to ask")
        worker.session = None
        return True
    worker.text = _chosen(worker, {one.text: knowledge.errors[worker.image, one.text] for one in left})
    call = ask(tx, worker.id, worker.session, worker.text, seed=worker.rng.getrandbits(62))
    worker.question = call.question_id
    done.questions += 1
    return call


def _chosen(worker: Worker, errors: Mapping[str, float]) -> str:
    """Choose a question such that the drawn robot is wrong as often as the person's skill says, if that is possible.

    ``errors`` has the share of robots that get each question wrong; the hardest and the easiest questions are mixed.
    """
    easy, hard = min(errors.values()), max(errors.values())
    chance = (worker.skill.attack - easy) / (hard - easy) if hard > easy else 1.0
    goal = hard if worker.rng.random() < chance else easy
    return worker.rng.choice([text for text, share in errors.items() if share == goal])


def _judge(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated) -> bool:
    assert worker.session is not None
    assert worker.image is not None
    assert worker.question is not None
    task = _current_task(tx, worker)
    if task is None:
        return True
    own = task.open_question
    if own is None or own.answer is None:  # no robot could answer
        worker.question = None
        return True
    true = knowledge.about(worker.image, worker.text).answer
    verdict, answer = _verdict(worker, own.answer, true, knowledge.questions[worker.image])
    judged = judge(tx, worker.id, worker.question, verdict, answer, "yes")
    worker.question = None
    if judged.session_state != "LEASED":
        done.succeeded += judged.session_state == "SUCCEEDED"
        worker.session = None
    elif worker.rng.random() < worker.skill.gives_up:
        release_image(tx, worker.id, worker.session, "gave up")
        worker.session = None
    return True


def _verdict(worker: Worker, robot_answer: str, true: str, questions: Sequence[Asked]) -> tuple[str, str | None]:
    if worker.rng.random() < worker.skill.unsure:
        return "unsure", None
    if same_answer(robot_answer) != same_answer(true):
        return "wrong", true
    if worker.rng.random() < worker.skill.false_claims:
        wrong_answers = sorted({one.answer for one in questions if same_answer(one.answer) != same_answer(true)})
        return "wrong", worker.rng.choice(wrong_answers) if wrong_answers else "something else"
    return "correct", None


def _verify(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated, progress: Progress) -> bool:
    assert worker.slot is not None
    question_id, n, image_id, text = worker.slot
    worker.slot = None
    answers, confidences = answered(knowledge.about(image_id, text), Random(f"{question_id}:{text}"))
    answer, confidence = answers[n % len(answers)], confidences[n % len(answers)]
    if _is_unclear(worker, knowledge.about(image_id, text), question_id):
        words = Random(f"{question_id}:words").sample(knowledge.words, len(knowledge.words))
        answer, confidence = words[n % len(words)], "no"
    if worker.rng.random() < worker.skill.careless:
        answer = worker.rng.choice(knowledge.questions[image_id]).answer
    verify(tx, worker.id, question_id, answer, confidence)
    done.verifications += 1
    progress(1)
    return True


def _is_unclear(worker: Worker, one: Asked, question_id: int) -> bool:
    """Whether the question is too unclear to answer; drawn per question, so that it is the same for all verifiers."""
    return one.answer_type == "other" and Random(f"{question_id}:unclear").random() < worker.skill.unclear


def _answer_gold(tx: Tx, worker: Worker, knowledge: Knowledge, done: Simulated) -> bool:
    assert worker.gold is not None
    reference, worker.gold = worker.gold, None
    answer = knowledge.gold[reference]
    if worker.rng.random() < worker.skill.careless:
        answer = worker.rng.choice([word for word in knowledge.words if same_answer(word) != same_answer(answer)])
    try:
        worker.excluded = answer_task(tx, worker.id, reference, answer, "yes").excluded
    except Gone:  # the person was away for too long
        return True
    done.gold += 1
    done.excluded += worker.excluded
    return True


def _current_task(tx: Tx, worker: Worker) -> WritingTask | None:
    """The person's task; None if the session has ended."""
    try:
        return writing_task(tx, worker.id, worker.session or 0)
    except Gone:
        worker.session = worker.question = None
        return None


def _reply(study: Study, calls: Sequence[Call], knowledge: Knowledge) -> None:
    """The robots answer what was asked in this tick."""
    while calls:
        with study.database.write() as tx:
            replies = [
                record_reply(tx, call, knowledge.robots[call.model_id, call.image_id, call.text]) for call in calls
            ]
        calls = [reply.call for reply in replies if isinstance(reply, RetryDraw)]
