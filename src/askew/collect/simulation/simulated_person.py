"""A simulated person of fixed skill, who knows what is true in the scenes of the embedded world.

A person knows some forms of questions, prefers those that fooled the robots before, judges and verifies with errors,
and tires. Whether a question fools a robot depends on the robot alone, so a better one is fooled less often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias, TypeVar

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.protocol import Gone, same_answer
from askew.collect.robots import Call
from askew.collect.schema import judgement, prediction
from askew.collect.verify_queue import answer_task, claim_task
from askew.collect.verifying import VerifyTask, claim_slot, verify
from askew.collect.writing import WritingTask, ask, claim_image, judge, release_image, writing_task
from askew.engine.settings import check_share
from askew.types import Prediction
from askew.world.annotators import answered
from askew.world.ask import KINDS
from askew.world.phrasing import Asked

Result = TypeVar("Result")
Steps: TypeAlias = Generator[Call | bool, Tx, Result]
TRUST = 0.85
"""How often a verifier agrees with the author of a question that is not one of the world."""
AWAY = 60
"""How many ticks a person stays away: longer than any lease."""
FORMS = tuple(kind for kinds in KINDS.values() for kind in kinds)
"""What people may know to ask about: the kinds of the world's questions."""


@dataclass(frozen=True)
class Skill:
    """The skills and habits of a simulated person; all are shares from 0 to 1."""

    attack: float = 0.8
    """How often a question has the form that fooled the robots most often before; otherwise any form is as likely."""
    repertoire: float = 0.8
    """How much of what the world can be asked about the person knows to ask about: colors, relations, numbers, ..."""
    tires: float = 0.01
    """How much of the effort is lost with each task of a sitting. With less effort a person thinks less about what
    fooled the robots, and looks away more often."""
    false_claims: float = 0.16
    """How often a correct answer of the robot is called wrong, to finish the image."""
    unsure: float = 0.05
    """How often the judgement is "not sure"."""
    gives_up: float = 0.25
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
    gold: dict[str, str] = field(default_factory=dict)
    """The reference of a gold question to its answer."""
    words: tuple[str, ...] = ()
    """Different answers to questions that are not about yes, no or a number."""

    def about(self, image_id: int, text: str) -> Asked | None:
        """The question with its meaning; None if it is not one of the world."""
        return next((one for one in self.questions[image_id] if one.text == text), None)


def form_of(one: Asked) -> str:
    """The form of a question: what it asks about, and the answer if that is yes, no or a number.

    Who knows the scene can choose a question by its answer, such as one that asks for three of something.
    """
    return one.kind if one.answer_type == "other" else f"{one.kind}: {one.answer}"


@dataclass
class Memory:
    """How often each form of question fooled a robot; people tell each other, so a study has one memory."""

    tries: Counter[str] = field(default_factory=Counter)
    fooled: Counter[str] = field(default_factory=Counter)

    def add(self, form: str, fooled: bool) -> None:
        """Remember one try."""
        self.tries[form] += 1
        self.fooled[form] += fooled

    def hope(self, form: str) -> float:
        """The expected success of a form: its share of successes with one success and one failure added.

        >>> Memory(Counter(count=4), Counter(count=3)).hope("count"), Memory().hope("color")
        (0.6666666666666666, 0.5)
        """
        return (self.fooled[form] + 1) / (self.tries[form] + 2)


SITTING = 50
"""After this many tasks a person has a rest."""


@dataclass
class Worker:
    """A simulated person, whose ``steps`` are taken one at a time."""

    id: int
    skill: Skill
    rng: Random
    knowledge: Knowledge
    done: Simulated
    progress: Callable[[int], object] = lambda _: None
    knows: frozenset[str] = frozenset(FORMS)
    """What this person knows to ask about."""
    memory: Memory = field(default_factory=Memory)
    tasks: int = 0
    """Tasks since the last rest."""
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

    @property
    def effort(self) -> float:
        """From 1 after a rest towards 0."""
        return (1 - self.skill.tires) ** self.tasks

    def _next(self, acted: Call | bool) -> Steps[Tx]:
        """End a step in the middle of a task; returns the transaction of the next one. Sometimes the person leaves."""
        tx = yield acted
        while self.rng.random() < self.skill.leaves:
            self.tasks = 0
            tx = yield True
            for _ in range(AWAY):
                tx = yield False
        return tx

    def _end(self) -> Steps[Tx]:
        """End a task."""
        self.is_busy = False
        self.tasks = (self.tasks + 1) % SITTING
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
            left = [one for one in questions if one.text not in tried]
            if not left:
                release_image(tx, self.id, session_id, "nothing left to ask")
                break
            chosen = self._chosen(left)
            call = ask(tx, self.id, session_id, chosen.text, seed=self.rng.getrandbits(62))
            self.done.questions += 1
            tx = yield from self._next(call)
            task = _active(tx, self.id, session_id)
            if task is None:
                break
            own = task.open_question
            if own is not None and own.answer is not None:  # else no robot could answer
                self.memory.add(form_of(chosen), same_answer(own.answer) != same_answer(chosen.answer))
                verdict, answer = self._verdict(own.answer, chosen.answer, questions)
                state = judge(tx, self.id, own.question_id, verdict, answer, "yes").session_state
                if state != "LEASED":
                    self.done.succeeded += state == "SUCCEEDED"
                    break
                if self.rng.random() < self.skill.gives_up:
                    release_image(tx, self.id, session_id, "gave up")
                    break
            tx = yield from self._next(True)
        return (yield from self._end())

    def _chosen(self, left: Sequence[Asked]) -> Asked:
        """Choose the form of the question, then one of the questions of this form."""
        known = [one for one in left if one.kind in self.knows] or left
        forms = sorted({form_of(one) for one in known})
        self.rng.shuffle(forms)  # which of two equal ones is the best
        thinks = self.rng.random() < self.skill.attack * self.effort
        form = max(forms, key=self.memory.hope) if thinks else forms[0]
        return self.rng.choice([one for one in known if form_of(one) == form])

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
        if self._looks_away():
            answer = self.rng.choice(self.knowledge.questions[task.image_id]).answer
        return answer, confidence

    def _looks_away(self) -> bool:
        return self.rng.random() * self.effort < self.skill.careless

    def _fails_gold(self, tx: Tx, reference: str) -> bool:
        """Answer a gold question; whether this excluded the person."""
        answer = self.knowledge.gold[reference]
        if self._looks_away():
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
