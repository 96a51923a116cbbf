"""Run an attack with workers, in several processes or on several hosts: they propose swaps and query the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from askew.attack.attack_parts import Attack
from askew.engine.ask import chunks
from askew.engine.ask_workers import AskedBatch, BuildsModel, WorkerAsking
from askew.engine.attack_driver import Proposed, proposed
from askew.engine.executors.local import TRIES
from askew.engine.settings import Named
from askew.errors import RunError
from askew.types import LostWorker, Prediction, Question
from askew.verbs import Executor, Streams

PROPOSED = 8
"""The number of questions that a worker gets at a time."""


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
        """Like ``proposed``, with the work shared by workers; questions of lost workers are repeated."""
        parts, found = list(chunks(questions, PROPOSED)), dict[int, Proposed]()
        for _ in range(TRIES):
            left = [number for number in range(len(parts)) if number not in found]
            for place, made in self.executor.each(self._start, [parts[number] for number in left]):
                if not isinstance(made, LostWorker):
                    found[left[place]] = made  # type: ignore[assignment]
            if len(found) == len(parts):
                return [each for number in range(len(parts)) for each in found[number]]
        raise RunError(
            "Workers were lost again and again while they proposed swaps. If memory is short, use fewer workers."
        )
