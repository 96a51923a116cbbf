"""Many questions at once to one endpoint: each ends in exactly one prediction, or the run stops and says why."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from random import Random

from askew.errors import BadImage, BudgetSpent, ModelError, RunError
from askew.models.endpoint.budget import Budget, Reserved
from askew.models.endpoint.chat import (
    Chat,
    Completion,
    Failed,
    Retry,
    Stop,
    Verdict,
    judge,
)
from askew.models.endpoint.completion import Replies, prediction_from_reply, tokens_of_reply
from askew.models.endpoint.http import Client, Lost, Reply, TooLarge, Unreachable
from askew.models.endpoint.image_urls import EncodedImage, EncodedImages
from askew.models.endpoint.rate_limit import Limiter, jitter
from askew.models.endpoint.secrets import LONG, NAMED, hide, hide_in
from askew.types import Prediction, Question

LARGEST = 8 << 20
"""Bytes of a reply; a larger one is no answer."""
UNREACHED = 3
"""Connections that may fail to come about before the run stops, while nothing was ever heard."""
LONGEST_WAIT = 600.0
"""Seconds; an endpoint that asks for a longer wait ends the run, which a later command takes up again."""


@dataclass(frozen=True)
class EndpointSettings:
    """How an endpoint is asked; nothing here changes an answer."""

    url: str
    key: str | None = field(repr=False)
    timeout: float
    concurrency: int
    retries: int
    backoff: float
    give_up: int
    connect_timeout: float = 10.0
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What the request holds besides the key that nobody may see."""


@dataclass
class Dispatcher:
    """One round of questions. ``deliver`` hears each prediction as soon as it is there."""

    chat: Chat
    settings: EndpointSettings
    budget: Budget
    pictures: EncodedImages | None
    deliver: Callable[[Prediction], None]
    rng: Random = field(default_factory=Random)
    """For the waits alone; no answer depends on it."""
    connect: Callable[[str, dict[str, str], int, float], Client] = Client
    """What sends requests; tests have one with a clock of its own."""
    in_a_row: int = 0
    """Questions that ended without an answer since the last one that had one."""
    answered: bool = False
    replies: Replies = field(default_factory=Replies)
    silences: int = 0
    """Requests in a row to which nothing came at all, each sent after the one before; those at once count once."""
    heard: bool = False
    """Whether anything at all came back."""
    unreached: int = 0
    """Connections that did not come about, before anything was heard."""
    ended: RunError | None = None

    async def run(self, questions: Sequence[Question]) -> None:
        """Ask them all; what ends the run early is raised when everything under way has been delivered."""
        settings = self.settings
        self._limiter = Limiter(settings.concurrency)
        self._change = asyncio.Event()
        self._end = asyncio.Event()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if settings.key:
            headers["Authorization"] = f"Bearer {settings.key}"
        self._client = self.connect(settings.url, headers, LARGEST, settings.connect_timeout)
        todo = iter(questions)
        # a few more workers than requests: some encode images while the others wait for replies
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
        """The prediction, or None when the run ended before there was one."""
        try:
            picture = await self._picture(question)
        except BadImage as bad:
            return Prediction(question.id, None, error=f"bad picture: {bad}", tries=0)
        body = self.chat.body(question, picture)
        size = self.chat.tokens(question, None if picture is None else picture.size)
        for tries in range(1, self.settings.retries + 2):
            verdict, tokens, seconds = await self._try(body, size)
            if verdict is None:
                return None
            if isinstance(verdict, Completion):
                said = self._read(question, verdict)
                return said and replace(said, tries=tries, seconds=seconds, tokens=tokens)
            if isinstance(verdict, Stop):
                self._stop(
                    ModelError(f"{self.settings.url}: {self._clean(verdict.reason).rstrip('.')}. {verdict.remedy}")
                )
                return None
            if isinstance(verdict, Failed) or tries > self.settings.retries:
                return self._failed(question, verdict, tries, seconds)
            await self._wait(verdict, tries)
        raise AssertionError("every try returns or is followed by another")

    def _read(self, question: Question, completion: Completion) -> Prediction | None:
        """The prediction in a completion; None for an answer that is of no use to this run."""
        self.in_a_row, self.answered = 0, True
        said = self._hidden(prediction_from_reply(question.id, completion.reply, self.chat.most_written))
        if trouble := self.replies.trouble(said, self.chat.wants_scores, bool(self.settings.give_up)):
            self._stop(ModelError(f"{self.settings.url}: {trouble}"))
            return said if said.failed else None
        return said

    async def _picture(self, question: Question) -> EncodedImage | None:
        if self.pictures is None or question.image is None:
            return None
        return await self.pictures.of(question.image)

    async def _try(self, body: bytes, size: int) -> tuple[Verdict | None, tuple[int, int], float]:
        """One request: its verdict (None when none may be sent any more), its tokens, its seconds."""
        aside = await self._afford(size, self.chat.most_written)
        if aside is None:
            return None, (0, 0), 0.0
        try:
            round_ = await self._limiter.enter()
        except asyncio.CancelledError:
            self.budget.release(aside)
            raise
        if self.ended:
            self._limiter.leave()
            self.budget.release(aside)
            return None, (0, 0), 0.0
        clock, silences, tokens = asyncio.get_running_loop().time, self.silences, (0, 0)
        started = clock()
        try:
            verdict = await self._send(body)
            seconds = clock() - started
            self._listen(verdict, silences)
            self._pace(verdict, round_, seconds)
            if isinstance(verdict, Completion):
                tokens = tokens_of_reply(verdict.reply, size)
            return verdict, tokens, seconds
        finally:
            self._limiter.leave()
            self.budget.pay(aside, tokens)
            self._change.set()

    async def _send(self, body: bytes) -> Verdict:
        try:
            reply = await asyncio.wait_for(self._client.post(body), self.settings.timeout)
        except asyncio.TimeoutError:
            return Retry(f"timeout: no answer within {self.settings.timeout:g} s", silent=True)
        except Unreachable as lost:
            return self._unreachable(f"connection: {lost}")
        except Lost as lost:
            return Retry(f"connection: {lost}")
        except TooLarge:
            return Failed(f"reply too large: more than {LARGEST >> 20} MB")
        self.heard = True
        body = hide_in(reply.body, (self.settings.key, *self.settings.secrets))
        return judge(Reply(reply.status, reply.headers, body), self.chat.wants_scores)

    def _unreachable(self, reason: str) -> Verdict:
        """Where nobody ever answered, a few tries are enough to tell that the address is wrong."""
        self.unreached += not self.heard
        if self.heard or not self.settings.give_up or self.unreached < UNREACHED:
            return Retry(reason, silent=True)
        return Stop(
            reason,
            "Check base_url (http:// where the server has no TLS) and proxies; connect_timeout=... waits longer.",
        )

    def _pace(self, verdict: Verdict, round_: int, seconds: float) -> None:
        if isinstance(verdict, Retry) and verdict.overload:
            self._limiter.failed(round_, bool(verdict.after))
            if verdict.after is not None and verdict.after > LONGEST_WAIT:
                reason = f"{self._clean(verdict.reason)}; it asks to wait {verdict.after:,.0f} s"
                self._stop(ModelError(f"{self.settings.url}: {reason}. Every answer is kept; run it again then."))
            elif verdict.after:
                self._limiter.pause(verdict.after)
        elif isinstance(verdict, Completion):
            self._limiter.answered(round_, seconds)

    def _listen(self, verdict: Verdict, silences: int) -> None:
        """Stop when the endpoint stays silent: at a pace of one, waiting for each question's tries takes a day."""
        if not (isinstance(verdict, Retry) and verdict.silent):
            self.silences = 0
        elif silences == self.silences:
            self.silences += 1
        if self.settings.give_up and self.silences >= max(self.settings.give_up, 2 * (self.settings.retries + 1)):
            self._stop(
                ModelError(
                    f"{self.settings.url}: {self.silences} times in a row nothing came within "
                    f"{self.settings.timeout:g} s. "
                    "Every answer before is kept; the same command goes on once the endpoint answers (timeout=... "
                    "waits longer, give_up=0 never stops)."
                )
            )

    async def _afford(self, read: int, written: int) -> Reserved | None:
        """Set a request aside in the budget; wait while requests under way may leave enough for it."""
        while not self.ended:
            if (aside := self.budget.reserve(read, written)) is not None:
                return aside
            if not self.budget.waiting:
                self._stop(
                    BudgetSpent(
                        f"The budget is spent, and questions are left: {self.budget}. Every answer is kept; the same "
                        "command goes on with a new budget (max_calls, max_tokens, max_cost)."
                    )
                )
            else:
                self._change.clear()
                await self._change.wait()
        return None

    def _failed(self, question: Question, verdict: Retry | Failed, tries: int, seconds: float) -> Prediction:
        reason = self._clean(verdict.reason).rstrip(".")
        if isinstance(verdict, Retry) or not self.answered:
            self.in_a_row += 1
        if self.settings.give_up and self.in_a_row >= self.settings.give_up:
            self._stop(
                ModelError(
                    f"{self.settings.url}: {self.in_a_row} questions in a row got no answer; the last: {reason}. Every "
                    "answer before is kept; the same command goes on once the endpoint answers (give_up=0 never stops)."
                )
            )
        return Prediction(question.id, None, error=reason, tries=tries, seconds=seconds)

    async def _wait(self, verdict: Retry, failed: int) -> None:
        pause = jitter(self.settings.backoff, failed, self.rng) + (verdict.after or 0.0)
        try:
            await asyncio.wait_for(self._end.wait(), pause)
        except asyncio.TimeoutError:
            return

    def _stop(self, why: RunError) -> None:
        self.ended = self.ended or why
        self._end.set()
        self._change.set()
        self._limiter.open()

    def _hidden(self, said: Prediction) -> Prediction:
        """The prediction without secrets that only show when the parts of an answer are joined."""
        secrets = (self.settings.key, *self.settings.secrets)
        answer, raw = (text and hide(text, secrets, LONG) for text in (said.answer, said.raw))
        return said if (answer, raw) == (said.answer, said.raw) else replace(said, answer=answer, raw=raw)

    def _clean(self, text: str) -> str:
        return hide(hide(text, self.settings.secrets, NAMED), [self.settings.key])


def streamed(run: Callable[[Callable[[Prediction], None]], Awaitable[None]]) -> Iterator[Prediction]:
    """What a coroutine delivers, as it comes. It runs in an event loop and a thread of its own, so it may be used
    where a loop is running already (a notebook). Leaving early cancels it.
    """
    said: SimpleQueue[Prediction | BaseException | None] = SimpleQueue()
    started: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None] = SimpleQueue()

    async def whole() -> None:
        task = asyncio.current_task()
        assert task is not None
        started.put((asyncio.get_running_loop(), task))
        await run(said.put)

    def thread_main() -> None:
        try:
            asyncio.run(whole())
            said.put(None)
        except BaseException as error:
            said.put(error)
        started.put(None)

    thread = threading.Thread(target=thread_main, name="askew-endpoint", daemon=True)
    thread.start()
    loop_and_task = started.get()
    try:
        while (item := said.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        if thread.is_alive() and loop_and_task is not None:
            loop, task = loop_and_task
            if not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)
        thread.join()
