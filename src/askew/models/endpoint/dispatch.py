"""Concurrent requests to one endpoint: each question gets exactly one prediction, or the run stops with the reason."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from random import Random

from askew.errors import BadImage, BudgetSpent, ModelError, RunError
from askew.models.endpoint.chat_reply import judge, prediction_from_reply, tokens_of_reply
from askew.models.endpoint.chat_request import Chat, EncodedImage, EncodedImages
from askew.models.endpoint.http import Client, Lost, Reply, Silent, TooLarge, Unreachable, Unusable
from askew.models.endpoint.request_limits import Budget, Limiter, Reserved
from askew.models.endpoint.retry_policy import Completion, Failed, Instead, Retry, RetryPolicy, Stop, Verdict
from askew.models.endpoint.secrets import LONG, NAMED, hide, hide_in
from askew.models.endpoint.servers import Server, Servers
from askew.types import Prediction, Question
from askew.verbs import Resolver

LARGEST = 8 << 20
"""Maximum bytes of a reply; a larger one is a failure."""


@dataclass(frozen=True)
class EndpointSettings:
    """How requests are sent; nothing here changes an answer."""

    urls: tuple[str, ...]
    """Of servers that share the work."""
    key: str | None = field(repr=False)
    timeout: float
    concurrency: int
    retries: int
    backoff: float
    give_up: int
    connect_timeout: float = 10.0
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Secrets in the request besides the key."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers of each request."""
    query: str = field(default="", repr=False)
    """What follows the address after a question mark."""
    resolve: Resolver | None = None
    """The addresses to connect to; None leaves that to the system."""


@dataclass
class PendingRequest:
    """A question with its encoded images, and the form in which it was last sent."""

    chat: Chat
    question: Question
    images: list[EncodedImage]
    halved: bool = False
    """Whether the endpoint refused the images, and they are sent at half their size."""
    remark: str = ""
    advice: str = ""
    """What to do if these are refused too."""
    stream: int = -1
    _body: bytes = b""

    @property
    def size(self) -> int:
        """Its tokens, estimated."""
        return self.chat.tokens(self.question, [image.size for image in self.images])

    def body(self, stream: int) -> bytes:
        """Its JSON, as ``Chat.body`` writes it."""
        if stream != self.stream:
            self.stream, self._body = stream, self.chat.body(self.question, self.images, stream)
        return self._body

    def halve(self, images: list[EncodedImage], before: Sequence[tuple[int, int]], reason: str) -> None:
        """Replace the images by smaller ones, since the endpoint refused those of these sizes."""
        self.images, self.halved, self.stream = images, True, -1
        sides = max(max(size) for size in before), max(max(image.size) for image in images)
        self.remark = (
            f"The endpoint refused an image with a side of {sides[0]} pixels ({reason}), and was asked with half of "
            f"that. max_side={sides[1]} sends all images so, and saves the refused requests."
        )
        self.advice = f". Sent again with sides of at most {sides[1]} pixels; max_side=... sends smaller images"


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
        self._policy = self._new_policy()
        self._change = asyncio.Event()
        self._end = asyncio.Event()
        self._remark = ""
        servers = [self._server(url) for url in settings.urls]
        self._servers = Servers(servers)
        todo = iter(questions)
        # a few more workers than requests: some encode images while others wait for replies
        workers = min(len(questions), (settings.concurrency + settings.concurrency // 4 + 2) * len(servers))
        try:
            await asyncio.gather(*(self._work(todo) for _ in range(workers)))
        finally:
            for server in servers:
                await server.client.close()
        if self.ended is not None:
            raise self.ended

    def _new_policy(self) -> RetryPolicy:
        settings = self.settings
        return RetryPolicy(settings.retries, settings.backoff, settings.give_up, settings.timeout, self.rng)

    def _server(self, url: str) -> Server:
        settings = self.settings
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if settings.key:
            headers["Authorization"] = f"Bearer {settings.key}"
        address = f"{url}?{settings.query}" if settings.query else url
        headers |= settings.headers
        client = self.connect(address, headers, LARGEST, settings.connect_timeout, settings.resolve)
        return Server(url, client, Limiter(settings.concurrency), self._new_policy())

    async def _work(self, todo: Iterator[Question]) -> None:
        for question in todo:
            prediction = None if self.ended else await self._ask(question)
            if prediction is None:
                return
            remark, self._remark = " ".join(filter(None, (self._remark, prediction.remark))), ""
            self.deliver(replace(prediction, remark=remark) if remark else prediction)

    async def _ask(self, question: Question) -> Prediction | None:
        """The prediction, or None when the run stopped before there was one."""
        try:
            request = PendingRequest(self.chat, question, await self._encoded(question))
        except BadImage as bad:
            return Prediction(question.id, None, error=f"bad image: {bad}", tries=0)
        tries, server = 0, None
        while True:
            tries += 1
            verdict, server, tokens, seconds = await self._try(request, server)
            if verdict is None or server is None:
                return None
            if isinstance(verdict, Completion):
                prediction = self._read(question, verdict)
                return prediction and replace(
                    prediction, tries=tries, seconds=seconds, tokens=tokens, remark=request.remark
                )
            if isinstance(verdict, Instead):
                if await self._reform(request, server, verdict):
                    continue
                verdict = verdict.otherwise
            if isinstance(verdict, Stop):
                if self._give_up(server, f"{verdict.reason.rstrip('.')}. {verdict.remedy}"):
                    return None
                continue
            if isinstance(verdict, Failed) or not self._policy.repeats(verdict, tries):
                reason = verdict.reason.rstrip(".") + request.advice
                self._give_up(None, self._policy.on_failure(verdict, reason))
                return Prediction(question.id, None, error=reason, tries=tries, seconds=seconds)
            with suppress(asyncio.TimeoutError):  # the run ends, or the pause
                await asyncio.wait_for(self._end.wait(), self._policy.pause(verdict, tries))

    async def _reform(self, request: PendingRequest, server: Server, verdict: Instead) -> bool:
        """Give the request the form that the server wants; False if it has it already, or cannot have it."""
        if verdict.form == "smaller images":
            if request.halved or not request.images:
                return False
            sizes = [image.size for image in request.images]
            request.halve(await self._encoded(request.question, halved=True), sizes, self._hide(verdict.reason))
            return True
        wanted = 1 if verdict.form == "stream" else 2
        if request.stream >= wanted or (wanted == 2 and not request.stream):
            return False
        server.stream = max(server.stream, wanted)
        return True

    def _read(self, question: Question, completion: Completion) -> Prediction | None:
        """The prediction in a completion; None for an answer that this run cannot use."""
        prediction = self._hidden(prediction_from_reply(question.id, completion.reply, self.chat.most_written))
        trouble = self._policy.on_completion(prediction, self.chat.wants_scores)
        self._give_up(None, trouble)
        return prediction if prediction.failed or not trouble else None

    async def _encoded(self, question: Question, halved: bool = False) -> list[EncodedImage]:
        return [] if self.images is None else [await self.images.of(image, halved) for image in question.images]

    async def _try(
        self, request: PendingRequest, not_at: Server | None
    ) -> tuple[Verdict | None, Server | None, tuple[int, int], float]:
        """One request: its verdict (None when the run has stopped), its server, its tokens, its seconds."""
        reserved = await self._reserve(request.size, self.chat.most_written)
        if reserved is None:
            return None, None, (0, 0), 0.0
        try:
            slot = await self._servers.enter(not_at)
        except asyncio.CancelledError:
            self.budget.release(reserved)
            raise
        server = slot.server
        if self.ended:
            self._servers.leave(slot)
            self.budget.release(reserved)
            return None, None, (0, 0), 0.0
        clock, streaks, tokens = asyncio.get_running_loop().time, server.policy.streaks, (0, 0)
        started = clock()
        try:
            verdict = await self._send(server, request.body(server.stream))
            seconds = clock() - started
            self._give_up(server, server.policy.on_verdict(verdict, streaks))
            if len(self._servers.alive) > 1:
                self._give_up(server, server.policy.on_fault(verdict))
            slot.adapt(verdict, clock(), seconds)
            if isinstance(verdict, Completion):
                server.policy.answered = True
                self._note_model(server, verdict.reply.get("model"))
                tokens = tokens_of_reply(verdict.reply, request.size)
            return verdict, server, tokens, seconds
        finally:
            self._servers.leave(slot)
            self.budget.pay(reserved, tokens)
            self._change.set()

    def _note_model(self, server: Server, name: object) -> None:
        """Say so when servers name different models, since their answers are taken for those of one."""
        if server.model or not isinstance(name, str):
            return
        server.model = repr(self._hide(name)[:80])
        for other in self._servers.alive:
            if other.model not in ("", server.model):
                said = (
                    f"{other.url} says that it answers with the model {other.model}, and {server.url} with "
                    f"{server.model}. Their answers are counted as those of one model: leave one out of base_url "
                    "unless both serve the same."
                )
                self._remark = f"{self._remark} {said}".lstrip()

    async def _send(self, server: Server, body: bytes) -> Verdict:
        verdict = await self._verdict(server, body)
        if isinstance(verdict, Completion):
            return verdict
        if isinstance(verdict, Instead):
            other = verdict.otherwise
            return replace(verdict, otherwise=replace(other, reason=self._hide(other.reason)))
        return replace(verdict, reason=self._hide(verdict.reason))

    def _hide(self, reason: str) -> str:
        return hide(hide(reason, self.settings.secrets, NAMED), [self.settings.key])

    async def _verdict(self, server: Server, body: bytes) -> Verdict:
        policy = server.policy
        try:
            reply = await asyncio.wait_for(server.client.post(body), self.settings.timeout)
        except asyncio.TimeoutError:
            return Retry(f"timeout: no answer within {self.settings.timeout:g} s", silent=True)
        except Unusable as unusable:
            return policy.on_unusable(str(unusable))
        except Unreachable as lost:
            return policy.on_unreachable(f"connection: {lost}", isinstance(lost, Silent))
        except Lost as lost:
            return Retry(f"connection: {lost}")
        except TooLarge:
            return Failed(f"reply too large: more than {LARGEST >> 20} MB")
        policy.heard = True
        body = hide_in(reply.body, (self.settings.key, *self.settings.secrets))
        return judge(Reply(reply.status, reply.headers, body), self.chat.wants_scores)

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

    def _give_up(self, server: Server | None, reason: str | None) -> bool:
        """Stop the run if there is a reason to; while there are other servers, only ask this one no more."""
        if not reason:
            return False
        if server is not None and self._servers.drop(server):
            self._remark = f"{server.url} is asked no more, and the other servers take its questions: {reason}"
            return False
        self._stop(ModelError(f"{(server or self._servers.alive[0]).url}: {reason}"))
        return True

    def _stop(self, why: RunError) -> None:
        self.ended = self.ended or why
        self._end.set()
        self._change.set()
        self._servers.open()

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
