"""An endpoint that takes 100 ms: askew with 64 connections against sequential requests, and against the ideal.

    python benchmarks/bench_endpoint.py [questions]

The server (a separate process) answers each request 100 ms after its last byte. The ideal is 64 / 0.1 s = 640
answers per second. Sequential is the same adapter with one connection. The peer is httpx with one shared client and 64
tasks, the usual way to write this, with prepared bodies. Every image has eight questions and must be encoded once.

Then the pace, as ratios to runs of the same program: 1,000 questions to a server that takes 1 s, with and without 2 %
random faults (goal: at most 1.3 times the time), and a server that accepts 16 requests at once and refuses the rest
with 429 (compared with the 16 that it can accept; goal: at most 1.2 requests per answer). Last, servers that accept 50
requests a second and refuse others with 429 and Retry-After (goal: 90 % of that rate with 1.1 requests per answer):
by the second and with a bucket for 50, with exact waits and waits of whole seconds; 2,000 questions each.
"""

import asyncio
import io
import math
import multiprocessing
import random
import sys
import time
import typing

import numpy as np
from PIL import Image

from askew.models.endpoint.openai import OpenAI
from askew.types import ImageRef, Question

DELAY, CONNECTIONS, PER_IMAGE = 0.1, 64, 8
CAPACITY, CHANCE, SECOND = 16, 0.02, 1.0
ALLOWED = 50
LIMITS = {
    "window": "by the second, exact waits",
    "window-whole": "by the second, waits of whole seconds",
    "bucket": "a bucket, exact waits",
    "bucket-whole": "a bucket, waits of whole seconds",
}
REPLY = (
    b'{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":500,"completion_tokens":2}}'
)
REFUSED = b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n"
TOLD = b"HTTP/1.1 429 X\r\nRetry-After: %b\r\nContent-Length: 0\r\n\r\n"
RAW = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(REPLY), REPLY)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6400
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    questions = made_up(count)
    few = questions[:30]
    sequential, _ = timed(lambda: OpenAI("bench", base_url=url, concurrency=1).answer(few))
    model = OpenAI("bench", base_url=url, concurrency=CONNECTIONS)
    seconds, processor = timed(lambda: check(model, questions))
    bodies = asyncio.run(ready_made(model, questions[:640]))
    slow, slow_processor = timed(lambda: asyncio.run(peer(url, bodies)))
    pace = paces(url, [Question(n, None, f"Is there a cat number {n}?") for n in range(1000)])
    limited = limits(url, [Question(n, None, f"Is there a cat number {n}?") for n in range(2000)])
    server.terminate()
    rate, one_by_one, ideal = count / seconds, len(few) / sequential, CONNECTIONS / DELAY
    print(f"{'':34}{'answers/s':>11}{'of ideal':>10}{'ms processor each':>20}")
    print(f"{'askew, 64 connections':34}{rate:>11.1f}{rate / ideal:>10.1%}{1000 * processor / count:>20.2f}")
    print(f"{'httpx, one client, 64 tasks':34}{640 / slow:>11.1f}{640 / slow / ideal:>10.1%}", end="")
    print(f"{1000 * slow_processor / 640:>20.2f}")
    print(f"{'askew, one connection':34}{one_by_one:>11.1f}")
    print(
        f"{rate / one_by_one:.1f} times the sequential rate (at least 50 wanted), {rate / ideal:.1%} of the ideal (90)"
    )
    images = len({question.image.data for question in questions})
    print(f"{count:,} questions about {images:,} images: encoded {model.images.encoded:,} times")
    assert model.images.encoded == images
    print("\n".join(["", *pace, "", *limited]))


def paces(url: str, questions) -> list[str]:
    """How long runs with faults take, compared with runs without."""
    found = {}
    for place in ("second", "flaky-429", "flaky-500"):
        model = OpenAI("bench", base_url=url.replace("/v1", f"/{place}/v1"), concurrency=CONNECTIONS)
        found[place] = timed(lambda model=model: check(model, questions))[0]
    model = OpenAI("bench", base_url=url.replace("/v1", "/narrow/v1"), concurrency=CONNECTIONS, retries=20)
    narrow = timed(lambda: check(model, questions))[0]
    told = [f"1,000 questions, {SECOND:g} s each, {CONNECTIONS} connections: {found['second']:.1f} s without faults"]
    for place in ("flaky-429", "flaky-500"):
        ratio = found[place] / found["second"]
        told.append(
            f"with {CHANCE:.0%} chance faults ({place[-3:]}): {found[place]:.1f} s, {ratio:.2f} times that (1.3)"
        )
    ideal = len(questions) * DELAY / CAPACITY
    told.append(
        f"a server with {CAPACITY} places, {DELAY:g} s each: {narrow:.1f} s, {narrow / ideal:.2f} times the ideal; "
        f"{model.budget.calls / len(questions):.2f} requests an answer (1.2)"
    )
    return told


def limits(url: str, questions) -> list[str]:
    """The share of a server's rate that is reached, and the requests that it takes."""
    told = [f"{ALLOWED} requests a second are allowed, {len(questions):,} questions:"]
    for place, how in LIMITS.items():
        model = OpenAI("bench", base_url=url.replace("/v1", f"/{place}/v1"), concurrency=CONNECTIONS)
        seconds, processor = timed(lambda model=model: check(model, questions))
        share, requests = len(questions) / seconds / ALLOWED, model.budget.calls / len(questions)
        told.append(
            f"{how}: {share:.0%} of the rate (90), {requests:.2f} requests an answer (1.1), "
            f"{1000 * processor / len(questions):.2f} ms processor each"
        )
    return told


def check(model, questions) -> None:
    said = {prediction.question_id for prediction in model.stream(questions) if prediction.answer == "yes"}
    assert said == {question.id for question in questions}


def timed(run):
    start, processor = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - start, time.process_time() - processor


def made_up(count: int) -> list[Question]:
    images = []
    for number in range(-(-count // PER_IMAGE)):
        ramp = np.add.outer(np.arange(240), np.arange(320)) + number
        pixels = np.stack([ramp % 256, ramp // 3 % 256, ramp * 2 % 256], axis=-1).astype(np.uint8)
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "JPEG", quality=85, comment=str(number).encode())
        images.append(ImageRef(number, data=out.getvalue()))
    return [Question(n, images[n // PER_IMAGE], f"Is there a cat number {n}?") for n in range(count)]


async def ready_made(model, questions) -> list[bytes]:
    return [model.chat.body(question, [await model.images.of(question.image)]) for question in questions]


async def peer(url: str, bodies) -> None:
    import httpx

    todo = iter(bodies)
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def work() -> None:
            for body in todo:
                (await client.post(f"{url}/chat/completions", content=body)).json()

        await asyncio.gather(*(work() for _ in range(CONNECTIONS)))


class Slow(asyncio.Protocol):
    """Answers each request after the delay; the path says what else it does."""

    narrow = 0
    """Requests in progress at the server with limited capacity."""
    chance = random.Random(0)
    allowed: typing.ClassVar[dict[str, tuple[float, float]]] = {}
    """By place: how many requests may come now, and when that was counted."""

    def connection_made(self, transport) -> None:
        self.transport, self.seen, self.wanted = transport, b"", 0

    def data_received(self, data: bytes) -> None:
        self.seen += data
        if not self.wanted and b"\r\n\r\n" in self.seen:
            head, _, _ = self.seen.lower().partition(b"\r\n\r\n")
            self.wanted = len(head) + 4 + int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        if self.wanted and len(self.seen) >= self.wanted:
            place, self.seen, self.wanted = self.seen.split(b"/", 2)[1], b"", 0
            self.reply(place.decode())

    def reply(self, place: str) -> None:
        later = asyncio.get_running_loop().call_later
        if place == "narrow" and Slow.narrow >= CAPACITY:
            self.transport.write(REFUSED % 429)
        elif place.partition("-")[0] in ("window", "bucket") and (wait := self.told_to_wait(place)):
            self.transport.write(TOLD % (str(math.ceil(wait)) if place.endswith("whole") else f"{wait:.3f}").encode())
        elif place == "narrow":
            Slow.narrow += 1
            later(DELAY, self.leave)
        elif place.startswith("flaky") and self.chance.random() < CHANCE:
            later(SECOND, self.transport.write, REFUSED % int(place[-3:]))
        else:
            later(SECOND if place == "second" or place.startswith("flaky") else DELAY, self.transport.write, RAW)

    def told_to_wait(self, place: str) -> float:
        """Seconds until a server with a rate accepts a request; 0 if it accepts this one."""
        now = asyncio.get_running_loop().time()
        left, then = Slow.allowed.get(place, (ALLOWED, now))
        if place.startswith("bucket"):
            left = min(ALLOWED, left + (now - then) * ALLOWED)
        elif int(now) > int(then):
            left = ALLOWED
        Slow.allowed[place] = (left - (left >= 1), now)
        if left >= 1:
            return 0.0
        return (1 - left) / ALLOWED if place.startswith("bucket") else int(now) + 1 - now

    def leave(self) -> None:
        Slow.narrow -= 1
        self.transport.write(RAW)


def serve(pipe) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Slow, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


if __name__ == "__main__":
    main()
