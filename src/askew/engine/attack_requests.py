"""The requests of an attack's searches: each is made once, answered from the store if possible, otherwise sent in full
batches (or streamed to a model that answers many at a time).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from askew.engine.ask import Streak, answers_of, chunks, writable
from askew.engine.ask_workers import WorkerAsking, scored
from askew.engine.resume import Keys
from askew.engine.store import Store
from askew.errors import BudgetSpent
from askew.types import Prediction, Question
from askew.verbs import Model, Streams

STREAMED = 2048
"""The number of requests given to a streaming model at a time."""
AHEAD = 4
"""The number of batches kept waiting, so that batches are full."""


class AttackRequest(NamedTuple):
    """One request: for the model's answer, or for the probability of a given answer."""

    key: bytes
    question: Question
    answer: str | None = None
    """The answer whose probability is requested; None for the model's own answer."""


@dataclass
class RequestCounts:
    """Counts of the requests of an attack."""

    asked: int = 0
    """Requests that reached the model."""
    calls: int = 0
    """Calls of the model, each with a batch of requests."""
    failed: int = 0
    reused: int = 0
    """Requests whose answer was in the store."""


class Requests:
    """Waiting requests. Call ``want``, then ``ask``; both return the answers that became known."""

    def __init__(
        self,
        model: Model,
        keys: Keys,
        store: Store,
        batch_size: int,
        max_calls: int | None = None,
        *,
        ahead: int = AHEAD,
        stop_after: int = 0,
        counts: RequestCounts | None = None,
        asking: WorkerAsking | None = None,
    ) -> None:
        self._model, self._store, self.keys, self._asking = model, store, keys, asking
        self._size = max(STREAMED, batch_size) if isinstance(model, Streams) else batch_size
        self._batch_size, self._max_calls, self._ahead = batch_size, max_calls, ahead
        self._streak = Streak(stop_after)
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
        """Send all full batches, at least one batch; answers are stored at once."""
        taken = self._taken()
        self._check_budget(len(taken))
        answers: dict[bytes, Prediction] = {}
        for said in self._answered([one for one in taken if one.answer is None]):
            answers.update(self._kept(said))
        for said in self._scored([one for one in taken if one.answer is not None]):
            self.counts.calls += 1
            answers.update(self._kept(said))
        return answers

    def _taken(self) -> list[AttackRequest]:
        """The full batches of waiting answers and scores; if none is full, all requests of the more frequent kind."""
        kinds = [[key for key, one in self._waiting.items() if (one.answer is None) is own] for own in (True, False)]
        full = [kind[: len(kind) - len(kind) % self._size] for kind in kinds]
        keys = [key for kind in full for key in kind] or max(kinds, key=len)
        return [self._waiting.pop(key) for key in keys]

    def _kept(self, said: Mapping[bytes, Prediction]) -> Mapping[bytes, Prediction]:
        self._store.put(said.items())
        self.counts.asked += len(said)
        self.counts.failed += sum(prediction.failed for prediction in said.values())
        self._streak.add(said.values())
        return said

    def _answered(self, asked: Sequence[AttackRequest]) -> Iterator[Mapping[bytes, Prediction]]:
        self.counts.calls += len(asked) if isinstance(self._model, Streams) else -(-len(asked) // self._batch_size)
        questions = {one.key: one.question for one in asked}
        by_workers = self._asking and self._asking(questions, self._batch_size)
        for heard in by_workers or answers_of(self._model, questions, self._batch_size):
            yield {key: writable(prediction) for key, prediction in heard.items()}

    def _scored(self, asked: Sequence[AttackRequest]) -> Iterator[Mapping[bytes, Prediction]]:
        """The probabilities of given answers, as predictions of those answers."""
        questions, answers = ({one.key: one.question for one in asked}, {one.key: str(one.answer) for one in asked})
        if self._asking is not None:
            yield from self._asking(questions, self._batch_size, answers)
            return
        for batch in chunks(questions, self._batch_size):
            said = scored(self._model, [questions[key] for key in batch], [answers[key] for key in batch])
            yield dict(zip(batch, said, strict=True))

    def _check_budget(self, more: int) -> None:
        if self._max_calls is not None and self.counts.asked + more > self._max_calls:
            raise BudgetSpent(
                f"{self.counts.asked:,} requests were made, and the next {more:,} would exceed --max-calls "
                f"{self._max_calls:,}. All answers are kept: the same command with a larger --max-calls (or without "
                "it) resumes and asks nothing twice."
            )


class Asking:
    """Creates the requests about one question; its image and each text are hashed only once."""

    def __init__(self, requests: Requests, question: Question) -> None:
        self._keys, self.question = requests.keys, question
        self._image = requests.keys.image(question)
        self._answers: dict[str, AttackRequest] = {}

    def answer(self, text: str, repeat: int = 0) -> AttackRequest:
        """A request for the answer to this text; ``repeat`` numbers repeated requests for the same text."""
        if repeat:
            return self._request(text, f"repeat:{repeat}")
        if text not in self._answers:
            self._answers[text] = self._request(text)
        return self._answers[text]

    def score(self, text: str, answer: str) -> AttackRequest:
        """A request for the probability of this answer to the text."""
        return self._request(text, f"score:{answer}")._replace(answer=answer)

    def _request(self, text: str, by: str = "") -> AttackRequest:
        asked = replace(self.question, text=text)
        return AttackRequest(self._keys.with_image(asked, self._image, by), asked)
