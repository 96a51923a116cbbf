"""Concurrent requests to one endpoint: each question gets exactly one prediction, or the run stops with the reason."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from random import Random

from askew.errors import BadImage, BudgetSpent, ModelError, RunError
from askew.models.endpoint.chat_reply import judge, prediction_from_reply, tokens_of_reply
from askew.models.endpoint.chat_request import Chat, EncodedImage, EncodedImages
from askew.models.endpoint.http import Client, Lost, Reply, Silent, TooLarge, Unreachable, Unusable
from askew.models.endpoint.request_limits import Budget, Limiter, Reserved
from askew.models.endpoint.retry_policy import Completion, Failed, Retry, RetryPolicy, Stop, Verdict
from askew.models.endpoint.secrets import LONG, NAMED, hide, hide_in
from askew.types import Prediction, Question
from askew.verbs import Resolver

LARGEST = 8 << 20
"""Maximum bytes of a reply; a larger one is a failure."""


@dataclass(frozen=True)
class EndpointSettings:
    """How requests are sent; nothing here changes an answer."""

    url: str
    key: str | None = field(repr=False)
    timeout: float
    concurrency: int
    retries: int
    backoff: float
    give_up: int
    connect_timeout: float = 10.0
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Secrets in the request besides the key."""
    resolve: Resolver | None = None
    """The addresses to connect to; None leaves that to the system."""


@dataclass
class Dispatcher:
    """One round of questions. ``deliver`` is called with each prediction as soon as it is known."""

    chat: Chat
    settings: EndpointSettings
    budget: Budget
    images: EncodedImages | None
    deliver: Callable[[Prediction], None]
    rng: Random = field(default_factory=Random)
    """Only for wait times; no answer depends on it."""
    connect: Callable[[str, dict[str, str], int, float, Resolver | None], Client] = Client
    """Makes the HTTP client; tests use one with a simulated clock."""
    ended: RunError | None = None

    async def run(self, questions: Sequence[Question]) -> None:
        """Ask all questions; an error that stops the run is raised after all pending predictions are delivered."""
        settings = self.settings
        self._policy = RetryPolicy(settings.retries, settings.backoff, settings.give_up, settings.timeout, self.rng)
        self._limiter = Limiter(settings.concurrency)
        self._change = asyncio.Event()
        self._end = asyncio.Event()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if settings.key:
            headers["Authorization"] = f"Bearer {settings.key}"
        self._client = self.connect(settings.url, headers, LARGEST, settings.connect_timeout, settings.resolve)
        todo = iter(questions)
        # a few more workers than requests: some encode images while others wait for replies
        workers = min(len(questions), settings.concurrency + settings.concurrency // 4 + 2)
        try:
            await asyncio.gather(*(self._work(todo) for _ in range(workers)))
        finally:
            await self._client.close()
        if self.ended is not None:
            raise self.ended

    async def _work(self, todo: Iterator[Question]) -> None:
        for question in todo:
            prediction = None if self.ended else await self._ask(question)
            if prediction is None:
                return
            self.deliver(prediction)

    async def _ask(self, question: Question) -> Prediction | None:
        """The prediction, or None when the run stopped before there was one."""
        try:
            images = await self._images(question)
        except BadImage as bad:
            return Prediction(question.id, None, error=f"bad image: {bad}", tries=0)
        body = self.chat.body(question, images)
        size = self.chat.tokens(question, [image.size for image in images])
        tries = 0
        while True:
            tries += 1
            verdict, tokens, seconds = await self._try(body, size)
            if verdict is None:
                return None
            if isinstance(verdict, Completion):
                prediction = self._read(question, verdict)
                return prediction and replace(prediction, tries=tries, seconds=seconds, tokens=tokens)
            if isinstance(verdict, Stop):
                self._give_up(f"{verdict.reason.rstrip('.')}. {verdict.remedy}")
                return None
            if isinstance(verdict, Failed) or not self._policy.repeats(verdict, tries):
                reason = verdict.reason.rstrip(".")
                self._give_up(self._policy.on_failure(verdict, reason))
                return Prediction(question.id, None, error=reason, tries=tries, seconds=seconds)
            with suppress(asyncio.TimeoutError):  # the run ends, or the pause
                await asyncio.wait_for(self._end.wait(), self._policy.pause(verdict, tries))

    def _read(self, question: Question, completion: Completion) -> Prediction | None:
        """The prediction in a completion; None for an answer that this run cannot use."""
        prediction = self._hidden(prediction_from_reply(question.id, completion.reply, self.chat.most_written))
        trouble = self._policy.on_completion(prediction, self.chat.wants_scores)
        self._give_up(trouble)
        return prediction if prediction.failed or not trouble else None

    async def _images(self, question: Question) -> list[EncodedImage]:
        return [] if self.images is None else [await self.images.of(image) for image in question.images]

    async def _try(self, body: bytes, size: int) -> tuple[Verdict | None, tuple[int, int], float]:
        """One request: its verdict (None when the run has stopped), its tokens, its seconds."""
        reserved = await self._reserve(size, self.chat.most_written)
        if reserved is None:
            return None, (0, 0), 0.0
        try:
            round_ = await self._limiter.enter()
        except asyncio.CancelledError:
            self.budget.release(reserved)
            raise
        if self.ended:
            self._limiter.leave()
            self.budget.release(reserved)
            return None, (0, 0), 0.0
        clock, silences, tokens = asyncio.get_running_loop().time, self._policy.silences.count, (0, 0)
        started = clock()
        try:
            verdict = await self._send(body)
            seconds = clock() - started
            self._give_up(self._policy.on_verdict(verdict, silences))
            self._adapt_rate(verdict, round_, seconds)
            if isinstance(verdict, Completion):
                tokens = tokens_of_reply(verdict.reply, size)
            return verdict, tokens, seconds
        finally:
            self._limiter.leave()
            self.budget.pay(reserved, tokens)
            self._change.set()

    async def _send(self, body: bytes) -> Verdict:
        verdict = await self._verdict(body)
        if isinstance(verdict, Completion):
            return verdict
        reason = hide(hide(verdict.reason, self.settings.secrets, NAMED), [self.settings.key])
        return replace(verdict, reason=reason)

    async def _verdict(self, body: bytes) -> Verdict:
        try:
            reply = await asyncio.wait_for(self._client.post(body), self.settings.timeout)
        except asyncio.TimeoutError:
            return Retry(f"timeout: no answer within {self.settings.timeout:g} s", silent=True)
        except Unusable as unusable:
            return self._policy.on_unusable(str(unusable))
        except Unreachable as lost:
            return self._policy.on_unreachable(f"connection: {lost}", isinstance(lost, Silent))
        except Lost as lost:
            return Retry(f"connection: {lost}")
        except TooLarge:
            return Failed(f"reply too large: more than {LARGEST >> 20} MB")
        self._policy.heard = True
        body = hide_in(reply.body, (self.settings.key, *self.settings.secrets))
        return judge(Reply(reply.status, reply.headers, body), self.chat.wants_scores)

    def _adapt_rate(self, verdict: Verdict, round_: int, seconds: float) -> None:
        if isinstance(verdict, Retry) and verdict.overload:
            self._limiter.failed(round_, bool(verdict.after))
            if verdict.after and not self.ended:
                self._limiter.pause(verdict.after)
        elif isinstance(verdict, Completion):
            self._limiter.answered(round_, seconds)

    async def _reserve(self, read: int, written: int) -> Reserved | None:
        """Reserve a request in the budget; wait while pending requests may leave enough for it."""
        while not self.ended:
            if (reserved := self.budget.reserve(read, written)) is not None:
                return reserved
            if not self.budget.waiting:
                self._stop(
                    BudgetSpent(
                        f"The budget is spent, and questions are left: {self.budget}. Every answer is kept; the same "
                        "command resumes with a new budget (max_calls, max_tokens, max_cost)."
                    )
                )
            else:
                self._change.clear()
                await self._change.wait()
        return None

    def _give_up(self, reason: str | None) -> None:
        """Stop the run if there is a reason to."""
        if reason:
            self._stop(ModelError(f"{self.settings.url}: {reason}"))

    def _stop(self, why: RunError) -> None:
        self.ended = self.ended or why
        self._end.set()
        self._change.set()
        self._limiter.open()

    def _hidden(self, prediction: Prediction) -> Prediction:
        """The prediction without secrets that appear only when the parts of an answer are joined."""
        secrets = (self.settings.key, *self.settings.secrets)
        answer, raw = (text and hide(text, secrets, LONG) for text in (prediction.answer, prediction.raw))
        return (
            prediction
            if (answer, raw) == (prediction.answer, prediction.raw)
            else replace(prediction, answer=answer, raw=raw)
        )


def streamed(run: Callable[[Callable[[Prediction], None]], Awaitable[None]]) -> Iterator[Prediction]:
    """Yield what a coroutine delivers, as it arrives. It runs in its own event loop and thread, so it works even if a
    loop is already running (as in a notebook). Closing the generator early cancels it.
    """
    delivered: SimpleQueue[Prediction | BaseException | None] = SimpleQueue()
    started: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None] = SimpleQueue()

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        started.put((asyncio.get_running_loop(), task))
        await run(delivered.put)

    def thread_main() -> None:
        try:
            asyncio.run(main())
            delivered.put(None)
        except BaseException as error:
            delivered.put(error)
        started.put(None)

    thread = threading.Thread(target=thread_main, name="askew-endpoint", daemon=True)
    thread.start()
    loop_and_task = started.get()
    try:
        while (item := delivered.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        if thread.is_alive() and loop_and_task is not None:
            loop, task = loop_and_task
            if not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)
        thread.join()
