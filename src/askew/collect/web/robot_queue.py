"""The robots of a running service: one thread and one queue per model, so that a slow or dead model delays nobody else.

A thread takes all waiting questions, at most 32, and calls its model once. A person gets an answer or a failure within
ten seconds, whatever the models do: if a model has not answered after six seconds, another one is asked in the time
that is left. A model that hangs keeps its thread: calls fail immediately until it returns or a new thread takes over.
After five failures in a row the breaker opens: the model is no longer drawn, which the owner sees on the monitor page.
The last model of a round stays, with a few seconds between calls.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import sqlalchemy as sa

from askew.collect.database import Database, record_event
from askew.collect.protocol import Refused
from askew.collect.robots import Call, Robots, has_others, pending_calls, record_reply
from askew.collect.rounds import set_model_active
from askew.collect.schema import image
from askew.types import Prediction

log = logging.getLogger("askew.collect")
BATCH = 32
TIMEOUT = 10.0
"""Seconds until a person who asks gets an answer or a failure."""
PATIENCE = 0.6
"""The share of that time that a model gets while there are other models to ask."""
LEAST_LEFT = 0.05
"""If less than this share of the time is left, no further model is asked."""
FAILURES = 5
REST = 5.0
ABANDONED = 4
"""The largest number of hanging threads that are left behind for each model."""


_Waiting: TypeAlias = tuple[Call, Future[Prediction]]


class Unanswered(Exception):
    """A model was not asked, or did not answer in time: asking it again at once would not help."""


@dataclass
class Lane:
    """One model's queue and thread."""

    robots: Robots
    timeout: float
    rest: float
    failures: int = 0
    """Failures in a row."""
    rests_until: float = 0.0
    abandoned: int = 0
    _queue: queue.SimpleQueue[_Waiting | None] = field(default_factory=queue.SimpleQueue)
    _busy_since: float | None = None
    _started: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, call: Call, seconds: float) -> Prediction:
        """The model's prediction, perhaps a failed one; Unanswered if it was not asked or did not answer in time."""
        if seconds <= 0:
            raise Unanswered("no time was left to ask the model")
        if time.monotonic() < self.rests_until:
            raise Unanswered("the model rests after failures")
        with self._lock:
            if not self._ready():
                raise Unanswered("the model hangs")
            if not self._started:
                self._started = True
                threading.Thread(target=self._work, args=(self._queue,), name="robot", daemon=True).start()
            future: Future[Prediction] = Future()
            self._queue.put((call, future))
        try:
            return future.result(seconds)
        except TookTooLong:
            future.cancel()
            raise Unanswered(f"no answer within {seconds:.1f} seconds") from None

    def stop(self) -> None:
        """Let the thread end when its call returns."""
        self._queue.put(None)

    def _ready(self) -> bool:
        """Whether a call can be queued; a thread that hangs is left behind, a few times at most."""
        if self._busy_since is None or time.monotonic() - self._busy_since < PATIENCE * self.timeout:
            return True
        if self.abandoned >= ABANDONED or time.monotonic() - self._busy_since < self.timeout + self.rest:
            return False
        self.abandoned += 1
        self._queue.put(None)
        self._queue, self._started, self._busy_since = queue.SimpleQueue(), False, None
        return True

    def _work(self, mine: queue.SimpleQueue[_Waiting | None]) -> None:
        while (first := mine.get()) is not None:
            taken = [first]
            ended = False
            with suppress(queue.Empty):
                while len(taken) < BATCH and not ended:
                    more = mine.get_nowait()
                    ended = more is None
                    taken += [more] if more is not None else []
            live = [(call, future) for call, future in taken if future.set_running_or_notify_cancel()]
            if live:
                self._answer(mine, live)
            if ended:
                return

    def _answer(self, mine: queue.SimpleQueue[_Waiting | None], live: list[_Waiting]) -> None:
        started = time.monotonic()
        if mine is self._queue:
            self._busy_since = started
        try:
            replies = self.robots.answer([call for call, _ in live])
            if len(replies) != len(live):
                raise ValueError(f"{len(replies)} answers to {len(live)} questions")
            predictions = [_bounded(reply, time.monotonic() - started) for reply in replies]
        except Exception as error:  # whatever a model raises must not end the thread
            log.warning("a model failed: %s", type(error).__name__)
            why = f"{type(error).__name__}: {error}"[:300]
            predictions = [Prediction(call.question_id, None, error=why) for call, _ in live]
        for (_, future), prediction in zip(live, predictions, strict=True):
            future.set_result(prediction)
        if mine is self._queue:
            self._busy_since = None


def _bounded(reply: Prediction, seconds: float) -> Prediction:
    """A prediction whose numbers can be stored, with the measured time if the model reported none."""
    if not isinstance(reply, Prediction):
        raise TypeError(f"a {type(reply).__name__} is not a Prediction")
    score = reply.score if reply.score is not None and math.isfinite(reply.score) else None
    took = reply.seconds if math.isfinite(reply.seconds) and reply.seconds > 0 else seconds
    return replace(reply, score=score, seconds=took)


class RobotQueue:
    """All models of a study: ``ask`` handles a call from its draw to its answer."""

    def __init__(self, database: Database, robots: Robots, timeout: float = TIMEOUT, rest: float = REST) -> None:
        self.database, self.robots, self.timeout, self.rest = database, robots, timeout, rest
        self._lanes: dict[int, Lane] = {}
        self._lock = threading.Lock()

    def ask(self, call: Call) -> None:
        """Ask the drawn model, retry or ask others as the protocol requires, and store the answer; takes at most
        ``timeout`` seconds."""
        end = time.monotonic() + self.timeout
        with self.database.read() as tx:
            first = self.timeout * (PATIENCE if has_others(tx, call) else 1)
        while True:
            lane = self.lane(call.model_id)
            late, left = False, end - time.monotonic()
            try:
                prediction = lane.ask(call, min(first, left))
            except Unanswered as reason:
                prediction, late = Prediction(call.question_id, None, error=str(reason)), True
            over = time.monotonic() >= end - LEAST_LEFT * self.timeout
            with self.database.write() as tx:
                following = record_reply(tx, call, prediction, "stop" if over else "redraw" if late else "retry")
            if left > 0:  # else this process was held up, which is no fault of the model
                self._count(lane, call, prediction)
            if following is None:
                return
            call, first = following, self.timeout

    def lane(self, model_id: int) -> Lane:
        """The queue of a model."""
        with self._lock:
            if model_id not in self._lanes:
                self._lanes[model_id] = Lane(self.robots, self.timeout, self.rest)
            return self._lanes[model_id]

    def resting(self, model_id: int) -> bool:
        """Whether this process does not call the model for a few seconds, after failures."""
        lane = self._lanes.get(model_id)
        return lane is not None and time.monotonic() < lane.rests_until

    def resume(self) -> int:
        """Repeat the calls that a crash interrupted, in the background; returns how many."""
        with self.database.read() as tx:
            calls = pending_calls(tx)

        def work() -> None:
            for call in calls:
                try:
                    self.ask(call)
                except Exception as error:
                    log.error("question %d could not be asked again: %s", call.question_id, type(error).__name__)

        if calls:
            threading.Thread(target=work, name="resume", daemon=True).start()
        return len(calls)

    def stop(self) -> None:
        """Let all threads end."""
        with self._lock:
            for lane in self._lanes.values():
                lane.stop()
            self._lanes.clear()

    def _count(self, lane: Lane, call: Call, prediction: Prediction) -> None:
        """The breaker; refusals and empty answers count too, since the person gets no answer either way."""
        if prediction.answer is not None:
            lane.failures = 0
            return
        lane.failures += 1
        if lane.failures < FAILURES or lane.failures % FAILURES:
            return
        lane.rests_until = time.monotonic() + self.rest
        log.error("model %d failed %d times in a row", call.model_id, lane.failures)
        with self.database.write() as tx:
            round_id = tx.value(sa.select(image.c.round_id).where(image.c.id == call.image_id))
            with suppress(Refused):  # the last model stays, and is tried again after a rest
                set_model_active(tx, round_id, call.model_id, False)
            record_event(
                tx,
                "model.breaker",
                f"round {round_id}",
                None,
                {"model": call.model_id, "failures": lane.failures, "error": (prediction.error or "")[:200]},
            )
