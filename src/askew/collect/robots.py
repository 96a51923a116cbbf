"""The robots: which model answers a question, and its answer.

One model of the round's ensemble is drawn for each question, so that questions do not fit the weak spots of a single
one (Li et al. 2021, section 3.1). The draw is stored with its seed before the call, and repeated if the model fails.
Any askew model can be a robot; it answers in batches.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.protocol import Gone, same_answer, stored_reply
from askew.collect.schema import draw, ensemble_member, image, model, prediction, question
from askew.collect.study import Study
from askew.errors import AskewError
from askew.registry import accepted, factory, make
from askew.types import ImageRef, Prediction, Question
from askew.verbs import Connects, HidesSecrets, ModelFacts, Resolver, Streams


@dataclass(frozen=True)
class Call:
    """A model to be called: which, about which image, with which question."""

    question_id: int
    draw_n: int
    model_id: int
    image_id: int
    sha256: str
    suffix: str
    text: str


OnFailure: TypeAlias = Literal["retry", "redraw", "stop"]
"""What to do after a failure: call the same model again (as often as the study says, then another one), call another
one at once, or give up."""


_MEMBERS = ensemble_member.join(image, image.c.round_id == ensemble_member.c.round_id)


def draw_model(tx: Tx, question_id: int, image_id: int, seed: int, asked_at: int | None = None) -> int | None:
    """Draw one of the round's active models, except those that failed since ``asked_at``; returns the draw's number."""
    drawn = tx.rows(sa.select(draw).where(draw.c.question_id == question_id))
    again = [] if asked_at is None else drawn
    failed = {row.model_id for row in again if row.drawn_at >= (asked_at or 0) and row.outcome == "FAILED"}
    members = tx.rows(
        sa.select(ensemble_member.c.model_id)
        .select_from(_MEMBERS)
        .where(image.c.id == image_id, ensemble_member.c.active)
        .order_by(ensemble_member.c.model_id)
    )
    left = [row for row in members if row.model_id not in failed]
    if not left:
        return None
    chosen = Random(f"{seed}:draw").choices(left)[0]
    n = 1 + max((row.n for row in drawn), default=0)
    tx.insert(draw, question_id=question_id, n=n, model_id=chosen.model_id, seed=seed, drawn_at=tx.now)
    return n


def has_others(tx: Tx, call: Call) -> bool:
    """Whether the round has an active model besides the one that is called."""
    other = ensemble_member.c.model_id != call.model_id
    return tx.count(_MEMBERS, image.c.id == call.image_id, ensemble_member.c.active, other) > 0


def call_for(tx: Tx, question_id: int) -> Call:
    """The call that a question is waiting for."""
    found = waiting_call(tx, question_id)
    if found is None:
        raise Gone("The question is not waiting for a robot.")
    return found


def waiting_call(tx: Tx, question_id: int) -> Call | None:
    """The call that a question is waiting for; None if it is not waiting."""
    found = tx.first(_CALLS.where(question.c.id == question_id))
    return None if found is None else Call(*found)


def pending_calls(tx: Tx) -> list[Call]:
    """Every call that has no answer yet: after a crash each is repeated, to the same model."""
    return [Call(*row) for row in tx.rows(_CALLS.order_by(question.c.id))]


def record_reply(tx: Tx, call: Call, predicted: Prediction, on_failure: OnFailure = "retry") -> Call | None:
    """Store the drawn model's reply; the second of the two transactions of a try. Returns the call to make next: to the
    same model or another one after a failure, None if there is none.

    Without an answer from any model no try is used, and the same question may be asked again. A reply that arrives a
    second time, or after its session, changes nothing of the question.
    """
    mine = (draw.c.question_id == call.question_id) & (draw.c.n == call.draw_n)
    row = tx.first(sa.select(draw).where(mine))
    asked = tx.row(question, call.question_id)
    assert row is not None
    assert asked is not None
    waits = asked.state == "ASKED"
    if row.outcome is not None:
        return call_for(tx, call.question_id) if waits else None
    if not waits and asked.frozen_sha256 is not None:
        return None  # the round was frozen meanwhile, and nothing in it changes any more
    attempts = row.attempts + 1
    answer = stored_reply(predicted.answer or "", tx.settings.reply_length).strip()
    if not answer:
        error = stored_reply(predicted.error or "empty answer", 500)
        if waits and on_failure == "retry" and attempts <= tx.settings.model_retries:
            tx.change(draw, mine, attempts=attempts, error=error)
            return call
        tx.change(draw, mine, attempts=attempts, error=error, outcome="FAILED", ended_at=tx.now)
        return _draw_another(tx, call, row.seed, asked, on_failure) if waits else None
    tx.change(draw, mine, outcome="OK", attempts=attempts, ended_at=tx.now)
    if not waits:
        return None
    raw = stored_reply(predicted.raw or answer, tx.settings.reply_length)
    tx.insert(
        prediction,
        question_id=call.question_id,
        draw_n=call.draw_n,
        model_id=call.model_id,
        raw=raw,
        answer=answer,
        normalised=same_answer(answer),
        score=predicted.score if predicted.score is not None and predicted.score == predicted.score else None,
        seconds=predicted.seconds,
        at=tx.now,
    )
    used = tx.value(sa.select(sa.func.max(question.c.try_no)).where(question.c.session_id == asked.session_id))
    tx.change(question, question.c.id == call.question_id, state="ANSWERED", try_no=(used or 0) + 1)
    return None


def _draw_another(tx: Tx, call: Call, seed: int, asked: AnyRow, on_failure: OnFailure) -> Call | None:
    """The call of another model after one failed; if there is none, the question has failed."""
    again = Random(f"{seed}:again").getrandbits(62)
    if on_failure != "stop" and draw_model(tx, call.question_id, call.image_id, again, asked.asked_at) is not None:
        return call_for(tx, call.question_id)
    tx.change(question, question.c.id == call.question_id, state="MODEL_FAILED")
    return None


_CALLS = (
    sa.select(question.c.id, draw.c.n, draw.c.model_id, image.c.id, image.c.sha256, image.c.suffix, question.c.text)
    .select_from(question.join(draw).join(image))
    .where(question.c.state == "ASKED", draw.c.outcome.is_(None))
)


class Robots:
    """The models of a study, created when they are first called; an error in one is a failed prediction.

    ``options`` apply to models that have them and whose spec does not set them. ``guard`` gives, for the
    host of a model behind an endpoint, the resolver that decides which addresses it may connect to.
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
        """The predictions of the drawn models, in the order of the calls; each model gets its questions together."""
        found: dict[int, Prediction] = {}
        for model_id in sorted({call.model_id for call in calls}):
            mine = {place: call for place, call in enumerate(calls) if call.model_id == model_id}
            files = {place: str(self._study.image_path(call.sha256, call.suffix)) for place, call in mine.items()}
            images = {place: ImageRef(call.image_id, files[place], None, call.sha256) for place, call in mine.items()}
            questions = [Question(place, images[place], call.text) for place, call in mine.items()]
            for predicted in self._ask(model_id, questions):
                found[int(predicted.question_id)] = predicted
        nothing = "the model gave no prediction"
        return [found.get(place, Prediction(place, None, error=nothing)) for place in range(len(calls))]

    def model(self, model_id: int) -> Any:
        """The model with this id."""
        with self._lock:
            if model_id not in self._models:
                with self._study.database.read() as tx:
                    spec = tx.value(sa.select(model.c.spec).where(model.c.id == model_id))
                robot = make("model", usable_spec(spec, self._study.folder), **self._options)
                if self._guard is not None and isinstance(robot, Connects):
                    robot = robot.connecting(self._guard(urlsplit(robot.url).hostname or ""))
                self._models[model_id] = robot
            return self._models[model_id]

    def _ask(self, model_id: int, questions: Sequence[Question]) -> list[Prediction]:
        from askew.answers.extract import extract  # it compiles many patterns, so not before the first answer

        try:
            robot = self.model(model_id)
            predictions = list(robot.stream(questions)) if isinstance(robot, Streams) else robot.answer(questions)
            step = "short" if ModelFacts(robot).free_text else "none"
            by_id = {question.id: question for question in questions}
            return [extract(step, by_id[one.question_id], one) for one in predictions]
        except Exception as trouble:  # whatever a model does, the question goes to another one
            reason = f"{type(trouble).__name__}: {trouble}"[:500]
            return [Prediction(question.id, None, error=reason) for question in questions]


PATHS = {"path", "folder", "file", "function", "ids", "adapter", "font", "features", "labels", "prices"}
"""The options of models that name a local file or folder."""
_NEXT_OPTION = re.compile(r",(?=\s*[\w-]+\s*=)")
TRAINED_ROBOTS = "robots"
"""The folder of a study with the robots that were trained for it."""
_PLACE = "{study}"
"""Stands for the study's folder in a stored spec."""


def stored_spec(spec: str, folder: Path) -> str:
    """A model's spec as the study in ``folder`` stores it: it works from any folder, and for a model in the study's
    ``robots/`` also after the study was moved or restored.

    >>> stored_spec("trained:/studies/a/robots/round-2/butd", Path("/studies/a"))
    'trained:{study}/robots/round-2/butd'
    """
    inside = f"/{TRAINED_ROBOTS}/"
    return with_absolute_paths(spec).replace(os.path.abspath(folder) + inside, _PLACE + inside)


def usable_spec(spec: str, folder: Path) -> str:
    """A stored spec as ``make`` takes it, for the study that is in ``folder`` now.

    >>> usable_spec("trained:{study}/robots/round-2/butd", Path("/restored"))
    'trained:/restored/robots/round-2/butd'
    """
    return spec.replace(f"{_PLACE}/", f"{os.path.abspath(folder)}/")


def without_secrets(spec: str) -> str:
    """A model's spec as people may see it: secrets in the options of a model that may have some are hidden.

    >>> without_secrets('openai:m,base_url=http://h:1/v1,headers={"api-key": "open sesame"}')
    'openai:m,base_url=http://h:1/v1,headers={"api-key": "[key]"}'
    """
    kind = spec.partition(":")[0]
    try:
        build = factory("model", kind)
        hides = isinstance(build, type) and issubclass(build, HidesSecrets)
        return str(make("model", spec).hide(spec)) if hides else spec
    except AskewError:  # it cannot be made here, so nothing is known of its options
        return f"{kind}:..."


def with_absolute_paths(spec: str) -> str:
    """A model's spec with absolute paths of the local files and folders it names, so that it works from any folder.

    Everything else stays as it is: ids on the hub, Python modules, and paths that do not exist.

    >>> with_absolute_paths("constant:no"), with_absolute_paths("hf:dandelin/vilt-b32-finetuned-vqa")
    ('constant:no', 'hf:dandelin/vilt-b32-finetuned-vqa')
    """
    name, colon, rest = spec.partition(":")
    options = accepted("model", spec)
    parts = []
    for part in _NEXT_OPTION.split(rest):
        key, equals, value = part.partition("=")
        if not equals or key.strip() not in options:  # the main argument, without its name
            key, equals, value = "", "", part
        parts.append(key + equals + _absolute(key.strip() or options[0], value))
    return name + colon + ",".join(parts)


def _absolute(option: str, text: str) -> str:
    """The value of a model's option, as an absolute path if it is the path of something that exists."""
    path, colon, function = text.rpartition(":") if option == "function" else (text, "", "")
    if option not in PATHS or not os.path.exists(path) or (colon and not path.endswith(".py")):
        return text
    found = os.path.abspath(path)
    return text if _NEXT_OPTION.search(found) else found + colon + function
