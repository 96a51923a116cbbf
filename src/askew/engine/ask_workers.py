"""Query a local model in several processes or on several hosts, each with a copy of the model.

A worker builds the model from its spec, so weights are never sent. Workers write nothing: they return their answers,
and this process stores them. The batch of a lost worker is repeated alone, then in halves, until the question that
kills workers is found; it becomes a failed prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from askew.answers.choices import as_asked
from askew.engine.ask import answer_checked, chunks
from askew.engine.settings import Named
from askew.errors import ModelError, UsageError
from askew.files.images import content_hash, image_bytes
from askew.registry import make
from askew.types import LostWorker, Prediction, Question
from askew.verbs import Executor, Model, Scores, SeesFiles

TRIES = 2
"""How often a batch is repeated alone before it is cut in halves."""


class AskedBatch(NamedTuple):
    """The questions that a worker processes at once."""

    questions: list[Question]
    answers: list[str] | None = None
    """The answers whose probabilities are requested; None for the model's own answers."""


def scored(model: object, questions: Sequence[Question], answers: Sequence[str]) -> list[Prediction]:
    """The probabilities of given answers, as predictions of those answers."""
    if not isinstance(model, Scores):
        raise ModelError(f"{model!r} does not score given answers (it has no scores()).")
    values = list(model.scores([as_asked(question) for question in questions], answers))
    if len(values) != len(questions):
        raise ModelError(f"{type(model).__name__}.scores() gave {len(values)} values for {len(questions)} questions.")
    return [
        Prediction(question.id, None, error="the model gave no probability")
        if value != value
        else Prediction(question.id, answer, min(1.0, max(0.0, float(value))))
        for question, answer, value in zip(questions, answers, values, strict=True)
    ]


@dataclass(frozen=True)
class BuildsModel:
    """In a worker: builds the model, and answers batches with it."""

    spec: str
    given: tuple[tuple[str, Any], ...]
    signature: str

    @classmethod
    def of(cls, model: Named) -> BuildsModel:
        """The work of querying this model, which must have a spec that workers can build it from."""
        if model.typed is None:
            raise UsageError(
                f"{model.name}: an executor needs a model that workers can build by its name, such as hf:FOLDER or "
                "python:module:function. Leave the executor out for a model given as an object."
            )
        return cls(model.typed, tuple(sorted(model.given.items())), repr(model.what))

    def __call__(self) -> Callable[[AskedBatch], list[Prediction]]:
        """Build the model and return the function that answers a batch."""
        model = make("model", self.spec, **dict(self.given))
        if repr(model) != self.signature:
            raise ModelError(
                f"A worker has another model under the same name: {repr(model)[:200]}, not {self.signature[:200]}. "
                "Give the workers the same files and settings."
            )
        return partial(_answered, model)


def _answered(model: Model, batch: AskedBatch) -> list[Prediction]:
    if batch.answers is None:
        return answer_checked(model, batch.questions)
    return scored(model, batch.questions, batch.answers)


class WorkerAsking:
    """Queries a model through an executor; the counterpart of ``answers_of``, which uses this process."""

    def __init__(self, executor: Executor, start: Callable[[], Callable[[AskedBatch], list[Prediction]]]) -> None:
        self._executor, self.start = executor, start
        self._sends_bytes: bool | None = None

    def __call__(
        self, wanted: Mapping[bytes, Question], batch_size: int, answers: Mapping[bytes, str] | None = None
    ) -> Iterator[dict[bytes, Prediction]]:
        """The predictions, a batch at a time, in any order; with ``answers``, the probability of each of these."""
        batches = list(chunks(wanted, batch_size))
        lost = []
        send = partial(self._sent, wanted, answers)
        for place, said in self._executor.each(self.start, map(send, batches)):
            if isinstance(said, LostWorker):
                lost.append(batches[place])
            else:
                yield dict(zip(batches[place], said, strict=True))
        for batch in sorted(lost):
            yield from self._alone(wanted, batch, send)

    def _alone(
        self, wanted: Mapping[bytes, Question], batch: Sequence[bytes], send: Callable[[Sequence[bytes]], AskedBatch]
    ) -> Iterator[dict[bytes, Prediction]]:
        """Repeat the batch of a lost worker with nothing else in progress, so that only this batch can kill a
        worker."""
        said: Any = None
        for _ in range(TRIES):
            ((_, said),) = self._executor.each(self.start, [send(batch)])
            if not isinstance(said, LostWorker):
                yield dict(zip(batch, said, strict=True))
                return
        if len(batch) == 1:
            question = wanted[batch[0]]
            yield {batch[0]: Prediction(question.id, None, error=f"{said.reason} each time this question was asked")}
            return
        half = len(batch) // 2
        yield from self._alone(wanted, batch[:half], send)
        yield from self._alone(wanted, batch[half:], send)

    def _sent(
        self, wanted: Mapping[bytes, Question], answers: Mapping[bytes, str] | None, batch: Sequence[bytes]
    ) -> AskedBatch:
        """The questions as they are sent to workers: with the bytes of images whose files workers cannot read."""
        questions = [self._with_image(wanted[key]) for key in batch]
        return AskedBatch(questions, None if answers is None else [answers[key] for key in batch])

    def _with_image(self, question: Question) -> Question:
        image = question.image
        if image is None or image.path is None or not isinstance(self._executor, SeesFiles):
            return question
        if self._sends_bytes is None:
            self._sends_bytes = not self._executor.sees(replace(image, sha256=content_hash(image)))
        if not self._sends_bytes:
            return question
        return replace(question, image=replace(image, path=None, data=image_bytes(image)))
