"""Asking a local model in several processes or on several hosts, each with a copy of the model.

A worker builds the model from its spec, so weights never travel. Workers write nothing: their answers come back here
and go to the store. A batch whose worker was lost is asked again by itself, then in halves, until the question that
ends workers is found; that one becomes a failed prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from askew.engine.ask import answer_checked, chunks
from askew.engine.settings import Named
from askew.errors import ModelError, UsageError
from askew.files.images import content_hash, image_bytes
from askew.registry import make
from askew.types import LostWorker, Prediction, Question
from askew.verbs import Executor, SeesFiles

TRIES = 2
"""How often a batch is given to a worker by itself before it is cut in halves."""


@dataclass(frozen=True)
class BuildsModel:
    """In a worker: builds the model, and answers batches with it."""

    spec: str
    given: tuple[tuple[str, Any], ...]
    signature: str

    def __call__(self) -> Callable[[list[Question]], list[Prediction]]:
        """What answers a batch."""
        model = make("model", self.spec, **dict(self.given))
        if repr(model) != self.signature:
            raise ModelError(
                f"A worker has another model under the same name: {repr(model)[:200]}, not {self.signature[:200]}. "
                "Give the workers the same files and settings."
            )
        return lambda questions: answer_checked(model, questions)


class WorkerAsking:
    """Asks a model through an executor; what ``answers_of`` does in this process."""

    def __init__(self, executor: Executor, model: Named) -> None:
        if model.typed is None:
            raise UsageError(
                f"{model.name}: an executor needs a model that workers can build by its name, such as hf:FOLDER or "
                "python:module:function. Leave the executor out for a model given as an object."
            )
        self._executor = executor
        self._start = BuildsModel(model.typed, tuple(sorted(model.given.items())), repr(model.what))
        self._sends_bytes: bool | None = None

    def __call__(self, wanted: Mapping[bytes, Question], batch_size: int) -> Iterator[dict[bytes, Prediction]]:
        """The predictions, a batch at a time, in any order."""
        batches = list(chunks(wanted, batch_size))
        lost = []
        for place, said in self._executor.each(self._start, (self._sent(wanted, batch) for batch in batches)):
            if isinstance(said, LostWorker):
                lost.append(batches[place])
            else:
                yield dict(zip(batches[place], said, strict=True))
        for batch in sorted(lost):
            yield from self._alone(wanted, batch)

    def _alone(self, wanted: Mapping[bytes, Question], batch: Sequence[bytes]) -> Iterator[dict[bytes, Prediction]]:
        """A batch whose worker was lost, with nothing else in progress: what ends a worker now is this batch."""
        said: Any = None
        for _ in range(TRIES):
            ((_, said),) = self._executor.each(self._start, [self._sent(wanted, batch)])
            if not isinstance(said, LostWorker):
                yield dict(zip(batch, said, strict=True))
                return
        if len(batch) == 1:
            question = wanted[batch[0]]
            yield {batch[0]: Prediction(question.id, None, error=f"{said.reason} each time this question was asked")}
            return
        half = len(batch) // 2
        yield from self._alone(wanted, batch[:half])
        yield from self._alone(wanted, batch[half:])

    def _sent(self, wanted: Mapping[bytes, Question], batch: Sequence[bytes]) -> list[Question]:
        """The questions as workers get them: with the bytes of their images where workers do not see the files."""
        return [self._with_image(wanted[key]) for key in batch]

    def _with_image(self, question: Question) -> Question:
        image = question.image
        if image is None or image.path is None or not isinstance(self._executor, SeesFiles):
            return question
        if self._sends_bytes is None:
            self._sends_bytes = not self._executor.sees(replace(image, sha256=content_hash(image)))
        if not self._sends_bytes:
            return question
        return replace(question, image=replace(image, path=None, data=image_bytes(image)))
