"""Run the searches of an attack concurrently: their requests are merged and sent to the model in full batches.

Results do not depend on the batch size, the order of answers or the number of searches that run at once: a search
receives only the values of its own candidates. An attack that learns its proposals first queries the model on some of
the questions, and then attacks the others. Workers, in several processes or on several hosts, propose swaps and query
the model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from typing import TypeAlias

from askew.attack.attack_parts import Attack
from askew.attack.word_places import alone
from askew.engine.ask import (
    FAILED_ALIKE,
    AskedBatch,
    Asking,
    BuildsModel,
    WorkerAsking,
    answers_of,
    chunks,
    count_failures,
    writable,
)
from askew.engine.attack_task import AttackRequest, AttackRules, AttackTask, NeedsChecks, NeedsPlaces, QuestionRequests
from askew.engine.executors import in_order
from askew.engine.resume import Keys
from askew.engine.settings import Named
from askew.engine.store import Store
from askew.errors import BudgetSpent, InARow
from askew.types import Candidate, Place, Prediction, Question, Refusal
from askew.verbs import Constraint, Executor, LearnsSwaps, Model, ReadsAhead, Similar, Streams

STARTED = 64
"""The number of questions started at a time, so that taggers get many texts at once."""
STREAMED_REQUESTS = 2048
"""The number of requests given to a streaming model at a time."""
BATCHES_AHEAD = 4
"""The number of batches kept waiting, so that batches are full."""

Proposed: TypeAlias = list[tuple[list[Place], str]]
"""For each question, its places and the reason if it is refused."""
Propose: TypeAlias = Callable[[Sequence[Question]], Proposed]
"""Proposes replacements for questions."""


class Driver:
    """Attacks questions; ``run`` yields finished tasks in the order of the questions."""

    def __init__(self, rules: AttackRules, requests: AttackRequests, propose: Propose | None = None) -> None:
        self._rules, self._requests = rules, requests
        self._propose = propose or partial(proposed, rules.attack)
        self._waiters: dict[bytes, list[AttackTask]] = defaultdict(list)
        self._outstanding: dict[int, int] = {}
        """The requests that each waiting task still needs, by the task's ``id()``."""

    def run(self, questions: Iterable[Question]) -> Iterator[AttackTask]:
        """Start questions while few requests are waiting, query the model, pass the answers on, and repeat."""
        source, order = iter(questions), list[AttackTask]()
        while True:
            while not self._requests.full and (chunk := list(islice(source, STARTED))):
                tasks = [AttackTask(self._rules, QuestionRequests(self._requests.keys, question)) for question in chunk]
                order.extend(tasks)
                self._advance(tasks)
            while order and order[0].need is None:
                yield order.pop(0)
            if not order:
                return
            self._advance(self._heard(self._requests.ask()))

    def _heard(self, answers: dict[bytes, Prediction]) -> list[AttackTask]:
        """Pass answers to their tasks; returns the tasks that had all the answers they needed, and went on."""
        ready = []
        for key, prediction in answers.items():
            for task in self._waiters.pop(key, ()):
                task.known[key] = prediction
                self._outstanding[id(task)] -= 1
                if not self._outstanding[id(task)]:
                    del self._outstanding[id(task)]
                    task.proceed()
                    ready.append(task)
        return ready

    def _advance(self, tasks: Sequence[AttackTask]) -> None:
        """Advance these tasks as far as possible without querying the model."""
        while tasks:
            asking = [(task, task.need) for task in tasks if isinstance(task.need, list)]
            found = self._requests.want([request for _, wanted in asking for request in wanted])
            waiting = {id(task) for task, wanted in asking if self._waits(task, wanted, found)}
            opening = [task for task in tasks if isinstance(task.need, NeedsPlaces)]
            checking = [(task, task.need.candidates) for task in tasks if isinstance(task.need, NeedsChecks)]
            for task, _ in asking:
                if id(task) not in waiting:
                    task.proceed()
            if opening:
                for task, made in zip(opening, self._propose([task.question for task in opening]), strict=True):
                    task.proceed(made)
            self._check(checking)
            tasks = [task for task in tasks if task.need is not None and id(task) not in waiting]

    def _waits(self, task: AttackTask, wanted: Sequence[AttackRequest], found: dict[bytes, Prediction]) -> bool:
        """Register the requests of a task; False if the store could answer all of them."""
        left = 0
        for request in wanted:
            if request.key in found:
                task.known[request.key] = found[request.key]
            else:
                self._waiters[request.key].append(task)
                left += 1
        if left:
            self._outstanding[id(task)] = left
        return bool(left)

    def _check(self, tasks: Sequence[tuple[AttackTask, Sequence[Candidate]]]) -> None:
        """Apply the constraints to the candidates of all these searches."""
        constraints = [one for one in self._rules.attack.constraints if not one.by_word]
        for constraint in constraints:
            if isinstance(constraint, ReadsAhead):
                texts = (candidate.text for _, wanted in tasks for candidate in wanted if not candidate.probe)
                constraint.read_ahead(list(dict.fromkeys([*texts, *(task.question.text for task, _ in tasks)])))
        measures = [constraint for constraint in constraints if isinstance(constraint, Similar)]
        for task, wanted in tasks:
            judged = [candidate for candidate in wanted if not candidate.probe]
            kept, similar = [True] * len(judged), [1.0] * len(judged)
            for constraint in constraints:
                kept = _kept_by(kept, constraint, task.question, judged)
            for measure in measures if judged else ():
                similar = measure.similarity(task.question, judged)
            marks = iter(zip(kept, similar, strict=True))
            both = [(True, 1.0) if candidate.probe else next(marks) for candidate in wanted]
            task.proceed(([keep for keep, _ in both], [value for _, value in both]))


@dataclass
class RequestCounts:
    """Counts of the requests of an attack."""

    asked: int = 0
    """Requests that reached the model."""
    calls: int = 0
    """Calls of the model, each with a batch of requests."""
    reused: int = 0
    """Requests whose answer was in the store."""


class AttackRequests:
    """The waiting requests of all searches. Call ``want``, then ``ask``; both return the answers that became known.

    A request is made once, answered from the store if possible, otherwise sent in a full batch (or streamed to a model
    that answers many at a time).
    """

    def __init__(
        self,
        model: Model,
        keys: Keys,
        store: Store,
        batch_size: int,
        max_calls: int | None = None,
        *,
        ahead: int = BATCHES_AHEAD,
        stop_after: int = 0,
        counts: RequestCounts | None = None,
        asking: Asking | None = None,
    ) -> None:
        self._model, self.keys, self._store = model, keys, store
        self._asking = asking or partial(answers_of, model)
        self._size = max(STREAMED_REQUESTS, batch_size) if isinstance(model, Streams) else batch_size
        self._batch_size, self._max_calls, self._ahead = batch_size, max_calls, ahead
        self._failed_alike = InARow(stop_after, FAILED_ALIKE)
        self._waiting: dict[bytes, AttackRequest] = {}
        self.counts = counts or RequestCounts()

    @property
    def full(self) -> bool:
        """Whether enough requests are waiting to fill the next batches."""
        return len(self._waiting) >= self._ahead * self._size

    def want(self, requests: Iterable[AttackRequest]) -> dict[bytes, Prediction]:
        """The answers to these requests that are in the store; the others are added to the waiting requests."""
        new = {one.key: one for one in requests}
        found = self._store.get({key: one.question.id for key, one in new.items() if key not in self._waiting})
        self.counts.reused += len(found)
        self._waiting.update((key, one) for key, one in new.items() if key not in found)
        return found

    def ask(self) -> dict[bytes, Prediction]:
        """Send all full batches; if none is full, all answers or all scores, whichever are more."""
        kinds = [[key for key, one in self._waiting.items() if (one.answer is None) is own] for own in (True, False)]
        full = [kind[: len(kind) - len(kind) % self._size] for kind in kinds]
        taken = [self._waiting.pop(key) for key in [*full[0], *full[1]] or max(kinds, key=len)]
        if self._max_calls is not None and self.counts.asked + len(taken) > self._max_calls:
            raise BudgetSpent(
                f"{self.counts.asked:,} requests were made, and the next {len(taken):,} would exceed --max-calls "
                f"{self._max_calls:,}. All answers are kept: the same command with a larger --max-calls (or without "
                "it) resumes and asks nothing twice."
            )
        answers: dict[bytes, Prediction] = {}
        own, scores = ([one for one in taken if (one.answer is None) is own] for own in (True, False))
        for heard in chain(self._sent(own), self._sent(scores, {one.key: str(one.answer) for one in scores})):
            answers.update(heard)
        return answers

    def _sent(
        self, asked: Sequence[AttackRequest], given: Mapping[bytes, str] | None = None
    ) -> Iterator[Mapping[bytes, Prediction]]:
        """The answers to these requests, or with ``given`` the probabilities of these answers."""
        if not asked:
            return
        streamed = isinstance(self._model, Streams) and given is None
        self.counts.calls += len(asked) if streamed else -(-len(asked) // self._batch_size)
        for heard in self._asking({one.key: one.question for one in asked}, self._batch_size, given):
            said = {key: writable(prediction) for key, prediction in heard.items()}
            self._store.put(said.items())
            self.counts.asked += len(said)
            count_failures(self._failed_alike, said.values())
            yield said


def proposed(attack: Attack, questions: Sequence[Question]) -> Proposed:
    """For each question, its places without swaps that a word-level constraint rejects, and the reason if refused."""
    long = [len(question.text.split()) >= attack.least_words for question in questions]
    for constraint in attack.constraints:
        if constraint.by_word and isinstance(constraint, ReadsAhead):
            constraint.read_ahead([question.text for question in questions])
    asked = [question for question, is_long in zip(questions, long, strict=True) if is_long]
    found = iter(attack.proposals.places(asked) if asked else ())
    short: tuple[list[Place], str] = ([], f"fewer than {attack.least_words} words")
    return [
        _allowed(attack, question, next(found)) if is_long else short
        for question, is_long in zip(questions, long, strict=True)
    ]


def _allowed(attack: Attack, question: Question, places: Sequence[Place]) -> tuple[list[Place], str]:
    candidates = alone(question, places, repair=False)
    kept = [True] * len(candidates)
    for constraint in attack.constraints:
        if constraint.by_word:
            kept = _kept_by(kept, constraint, question, candidates)
    marks = iter(kept)
    allowed = [replace(place, swaps=tuple(swap for swap in place.swaps if next(marks))) for place in places]
    if any(kept):
        return allowed, ""
    return allowed, "every candidate is ruled out by its word" if kept else "no candidate for any word"


def _kept_by(
    kept: Sequence[bool], constraint: Constraint, question: Question, candidates: Sequence[Candidate]
) -> list[bool]:
    """Which candidates remain after this constraint, which sees only those that remained before it."""
    left = [candidate for candidate, keep in zip(candidates, kept, strict=True) if keep]
    marks = iter(constraint.keep(question, left) if left else ())
    return [keep and next(marks) for keep in kept]


Learned: TypeAlias = tuple[AttackRules, list[Question], list[Refusal], str]
"""The attack with learned proposals, the questions left to attack, a refusal for each training question, and a sentence
on what was learned."""


def learned_first(rules: AttackRules, questions: Sequence[Question], requests: AttackRequests) -> Learned:
    """Query the model on the training questions and the rewordings that the learner needs, and attack the others."""
    attack = rules.attack
    learner = attack.proposals
    assert isinstance(learner, LearnsSwaps)
    training = [question for question in questions if learner.trains_on(question)]
    asked = _asked(requests, [(question, question.text) for question in training])
    before = {}
    for question, said in zip(training, asked, strict=True):
        answer, correct = rules.judge(question, said)
        if not said.failed and answer is not None and attack.goal.attacks(correct):
            before[question.id] = answer

    def fooled(pairs: Sequence[tuple[Question, str]]) -> list[bool]:
        found = []
        for (question, text), said in zip(pairs, _asked(requests, pairs), strict=True):
            after, correct = rules.judge(replace(question, text=text), said)
            reached = after is not None and attack.goal.reached(before[question.id], after, correct)
            found.append(not said.failed and reached)
        return found

    usable = [question for question in training if question.id in before]
    proposals = learner.learn(usable, fooled)
    sentence = f"{attack.name}: learned from {len(usable):,} questions: {proposals!r}"
    left = [question for question in questions if not learner.trains_on(question)]
    used = [Refusal(question.id, attack.name, "the rules are learned from it") for question in training]
    return replace(rules, attack=replace(attack, proposals=proposals)), left, used, sentence


def _asked(requests: AttackRequests, pairs: Sequence[tuple[Question, str]]) -> list[Prediction]:
    """The answer to each text about its question's image; each distinct one is requested once."""
    about = {question.id: QuestionRequests(requests.keys, question) for question, _ in pairs}
    wanted = [about[question.id].answer(text) for question, text in pairs]
    known = requests.want(wanted)
    while any(request.key not in known for request in wanted):
        known.update(requests.ask())
    return [known[request.key] for request in wanted]


@dataclass(frozen=True)
class AttackWorker:
    """Starts a worker that proposes swaps and, if it has a model, answers; one worker does both, to load data once."""

    attack: Attack
    model: BuildsModel | None

    def __call__(self) -> Callable[[AskedBatch | Sequence[Question]], list[Prediction] | Proposed]:
        """The function that answers a batch or proposes swaps for questions. The model is built at its first batch."""
        answer = cache(self.model) if self.model else None

        def work(item: AskedBatch | Sequence[Question]) -> list[Prediction] | Proposed:
            if isinstance(item, AskedBatch):
                assert answer is not None
                return answer()(item)
            return proposed(self.attack, item)

        return work


class AttackWorkers:
    """The workers of an attack. An endpoint, which answers many requests at a time, is queried by this process."""

    def __init__(self, executor: Executor, attack: Attack, model: Named | None = None) -> None:
        self.executor = executor
        asked = model is not None and not isinstance(model.what, Streams)
        self._start = AttackWorker(attack, BuildsModel.of(model) if model and asked else None)
        self.asking = WorkerAsking(executor, self._start) if asked else None  # type: ignore[arg-type]

    def learned(self, attack: Attack) -> None:
        """Use the proposals of this attack from now on."""
        self._start = AttackWorker(attack, self._start.model)
        if self.asking:
            self.asking.start = self._start  # type: ignore[assignment]

    def propose(self, questions: Sequence[Question]) -> Proposed:
        """Like ``proposed``, with the work shared by workers."""
        parts = in_order(self.executor, self._start, chunks(questions, 8))
        return [each for part in parts for each in part]  # type: ignore[misc]
