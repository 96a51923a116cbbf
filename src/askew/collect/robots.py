"""The robots: any askew model answers the questions of a study, in batches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from askew.collect.draws import Call
from askew.collect.schema import model
from askew.collect.study import Study
from askew.registry import make
from askew.types import ImageRef, Prediction, Question
from askew.verbs import Connects, ModelFacts, Resolver, Streams


class Robots:
    """The models of a study, created when they are first called; an error in one is a failed prediction.

    ``options`` apply to models that have them and whose spec does not set them. ``guard`` gives, for the host of a
    model behind an endpoint, what decides which addresses it connects to.
    """

    def __init__(
        self,
        study: Study,
        models: Mapping[int, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        guard: Callable[[str], Resolver] | None = None,
    ) -> None:
        self._study, self._options, self._guard = study, dict(options or {}), guard
        self._models: dict[int, Any] = dict(models or {})
        self._lock = threading.Lock()

    def answer(self, calls: Sequence[Call]) -> list[Prediction]:
        """What each drawn model says, in the order of the calls; each model gets its questions together."""
        found: dict[int, Prediction] = {}
        for model_id in sorted({call.model_id for call in calls}):
            mine = [place for place, call in enumerate(calls) if call.model_id == model_id]
            questions = [replace(question_for(self._study, calls[place]), id=place) for place in mine]
            for prediction in self._ask(model_id, questions):
                found[int(prediction.question_id)] = prediction
        return [found.get(place, _failed(place, "the model gave no prediction")) for place in range(len(calls))]

    def model(self, model_id: int) -> Any:
        """The model itself."""
        with self._lock:
            if model_id not in self._models:
                with self._study.database.read() as tx:
                    spec = tx.value(sa.select(model.c.spec).where(model.c.id == model_id))
                made = make("model", spec, **self._options)
                if self._guard is not None and isinstance(made, Connects):
                    made = made.connecting(self._guard(urlsplit(made.url).hostname or ""))
                self._models[model_id] = made
            return self._models[model_id]

    def _ask(self, model_id: int, questions: Sequence[Question]) -> list[Prediction]:
        from askew.answers.extract import extract  # many patterns: not before the first answer

        try:
            robot = self.model(model_id)
            said = list(robot.stream(questions)) if isinstance(robot, Streams) else robot.answer(questions)
            step = "short" if ModelFacts(robot).free_text else "none"
            by_id = {question.id: question for question in questions}
            return [extract(step, by_id[one.question_id], one) for one in said]
        except Exception as trouble:  # whatever a model does, the question goes to another one
            reason = f"{type(trouble).__name__}: {trouble}"[:500]
            return [_failed(question.id, reason) for question in questions]


def question_for(study: Study, call: Call) -> Question:
    """What a model is asked by a call."""
    place = str(study.image_path(call.sha256, call.suffix))
    return Question(call.question_id, ImageRef(call.image_id, place, None, call.sha256), call.text)


def _failed(key: Any, reason: str) -> Prediction:
    return Prediction(key, None, error=reason)
