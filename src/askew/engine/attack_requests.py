"""What the searches of an attack want to know of a model: each request once, from the store where it is known, else in
full batches (or streamed to a model that answers many at a time).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from askew.answers.choices import as_asked
from askew.engine.ask import Keys, Streak, answers_of, chunks, writable
from askew.engine.store import Store
from askew.errors import BudgetSpent, ModelError
from askew.types import Prediction, Question
from askew.verbs import Model, Scores, Streams

STREAMED = 2048
"""Requests that are given to a streaming model at a time."""
AHEAD = 4
"""Batches that wait to be asked, so that they stay full."""


class AttackRequest(NamedTuple):
    """One thing to ask: what the model answers, or how probable it finds a given answer."""

    key: bytes
    question: Question
    answer: str | None = None
    """The answer whose probability is wanted; None for the model's own answer."""


@dataclass
class RequestCounts:
    """Requests of an attack."""

    asked: int = 0
    """Requests that reached the model."""
    calls: int = 0
    """Calls of the model, each with a batch of requests."""
    failed: int = 0
    reused: int = 0
    """Requests whose answer was in the store."""


class Requests:
    """Requests that wait to be asked. Call ``want``, then ``ask``; both return the answers that are known now."""

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
    ) -> None:
        self._model, self._store, self.keys = model, store, keys
        self._size = max(STREAMED, batch_size) if isinstance(model, Streams) else batch_size
        self._batch_size, self._max_calls, self._ahead = batch_size, max_calls, ahead
        self._streak = Streak(stop_after)
        self._waiting: dict[bytes, AttackRequest] = {}
        self.counts = counts or RequestCounts()

    @property
    def full(self) -> bool:
        """True when enough requests wait for the next batches to be full."""
        return len(self._waiting) >= self._ahead * self._size

    def want(self, requests: Iterable[AttackRequest]) -> dict[bytes, Prediction]:
        """What the store knows of these; the others wait to be asked."""
        new = {one.key: one for one in requests}
        found = self._store.get({key: one.question.id for key, one in new.items() if key not in self._waiting})
        self.counts.reused += len(found)
        self._waiting.update((key, one) for key, one in new.items() if key not in found)
        return found

    def ask(self) -> dict[bytes, Prediction]:
        """Ask as many full batches as wait, at least one batch; what is answered is stored at once."""
        taken = self._taken()
        self._check_budget(len(taken))
        answers: dict[bytes, Prediction] = {}
        for said in self._answered([one for one in taken if one.answer is None]):
            answers.update(self._kept(said))
        for batch in chunks([one for one in taken if one.answer is not None], self._batch_size):
            self.counts.calls += 1
            answers.update(self._kept(scored(self._model, batch)))
        return answers

    def _taken(self) -> list[AttackRequest]:
        """The full batches of answers and of scores that wait; if none is full, all requests of the larger kind."""
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
        for heard in answers_of(self._model, {one.key: one.question for one in asked}, self._batch_size):
            yield {key: writable(prediction) for key, prediction in heard.items()}

    def _check_budget(self, more: int) -> None:
        if self._max_calls is not None and self.counts.asked + more > self._max_calls:
            raise BudgetSpent(
                f"{self.counts.asked:,} requests were made, and the next {more:,} would exceed --max-calls "
                f"{self._max_calls:,}. All answers are kept: the same command with a larger --max-calls (or without "
                "it) resumes and asks nothing twice."
            )


def scored(model: object, requests: Sequence[AttackRequest]) -> dict[bytes, Prediction]:
    """The probabilities of given answers, as predictions of those answers."""
    if not isinstance(model, Scores):
        raise ModelError(f"{model!r} does not score given answers (it has no scores()).")
    questions = [as_asked(one.question) for one in requests]
    values = list(model.scores(questions, [str(one.answer) for one in requests]))
    if len(values) != len(requests):
        raise ModelError(f"{type(model).__name__}.scores() gave {len(values)} values for {len(requests)} questions.")
    return {one.key: _score(one, value) for one, value in zip(requests, values, strict=True)}


def _score(request: AttackRequest, value: float) -> Prediction:
    if value != value:
        return Prediction(request.question.id, None, error="the model gave no probability")
    return Prediction(request.question.id, request.answer, min(1.0, max(0.0, float(value))))


class Asking:
    """The requests about one question; its image is hashed once, and so is each text."""

    def __init__(self, requests: Requests, question: Question) -> None:
        self._keys, self.question = requests.keys, question
        self._image = requests.keys.image(question)
        self._answers: dict[str, AttackRequest] = {}

    def answer(self, text: str, repeat: int = 0) -> AttackRequest:
        """What is answered to this text; ``repeat`` numbers fresh requests for the same."""
        if repeat:
            return self._request(text, f"repeat:{repeat}")
        if text not in self._answers:
            self._answers[text] = self._request(text)
        return self._answers[text]

    def score(self, text: str, answer: str) -> AttackRequest:
        """How probable this answer to the text is."""
        return self._request(text, f"score:{answer}")._replace(answer=answer)

    def _request(self, text: str, by: str = "") -> AttackRequest:
        asked = replace(self.question, text=text)
        return AttackRequest(self._keys.with_image(asked, self._image, by), asked)
