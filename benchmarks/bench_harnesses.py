"""The same questions to the same endpoint: askew, lmms-eval and inspect, in one run.

    python benchmarks/bench_harnesses.py --lmms-eval VENV/bin/lmms-eval --inspect VENV/bin/inspect [--questions 1000]

The peers are installed by you, each in an environment of its own; without them askew is measured alone. A server (a
process of its own) answers each request after 100 ms and counts requests.

1. 1,000 questions of the embedded world, 64 connections: seconds, processor seconds, and peak memory.
2. A study with three suites (accuracy, rad, p2) of the same data: how many requests it takes. Peers get the suites as
   three exported tasks, with and without the response cache that they offer.
3. A run that is killed halfway and started again with the same command: how many requests are repeated. Peers use
   their response cache.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

DELAY, CONNECTIONS, SUITES = 0.1, 64, ("accuracy", "rad", "p2")
BODY = (
    b'{"id":"1","object":"chat.completion","created":1,"model":"stub","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"yes"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":500,"completion_tokens":2,"total_tokens":502}}'
)
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
ASKEW = str(Path(sys.executable).with_name("askew"))

TASK = """
import json
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.solver import generate


@task
def {name}():
    def sample(record):
        content = [ContentImage(image=record["image"]), ContentText(text=record["question"])]
        return Sample(id=record["id"], input=[ChatMessageUser(content=content)])

    records = [json.loads(line) for line in open({questions!r})]
    return Task(dataset=MemoryDataset([sample(record) for record in records]), solver=generate(cache={cache}))
"""


@dataclass
class Server:
    """The endpoint, in a process of its own; ``count`` is the number of requests so far."""

    count: multiprocessing.sharedctypes.Synchronized = field(default_factory=lambda: multiprocessing.Value("i", 0))
    url: str = ""

    def __enter__(self) -> Server:
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(theirs, self.count), daemon=True)
        self.process.start()
        self.url = f"http://127.0.0.1:{ours.recv()}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()


def serve(pipe, count) -> None:
    async def answer(reader, writer) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
                await reader.readexactly(int(length.split(b":")[1]))
                with count.get_lock():
                    count.value += 1
                await asyncio.sleep(DELAY)
                writer.write(REPLY)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1 << 24, backlog=256)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


@dataclass
class Spent:
    seconds: float
    processor: float
    megabytes: float
    requests: int


def spend(command: Sequence[str], server: Server, folder: Path, kill_at: int | None = None) -> Spent:
    """What a command takes; it is killed when the server has seen ``kill_at`` requests of it."""
    environment = {**os.environ, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url, "HF_HUB_OFFLINE": "1"}
    environment["INSPECT_CACHE_DIR"] = str(folder / "inspect-cache")
    before, start = server.count.value, time.perf_counter()
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
        if kill_at is not None:
            while server.count.value - before < kill_at:
                if process.poll() is not None:
                    fail(command, folder, f"ended before request {kill_at}")
                time.sleep(0.005)
            os.killpg(process.pid, signal.SIGKILL)
        _, status, used = os.wait4(process.pid, 0)
    if kill_at is None and status != 0:
        fail(command, folder, f"ended with {os.waitstatus_to_exitcode(status)}")
    time.sleep(2 * DELAY)  # requests in flight are counted
    seconds = time.perf_counter() - start - 2 * DELAY
    return Spent(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, server.count.value - before)


def fail(command: Sequence[str], folder: Path, how: str) -> NoReturn:
    sys.exit(f"{' '.join(command)}\n{how}:\n{(folder / 'log.txt').read_text()[-3000:]}")


def build(folder: Path, suites: Sequence[str], scenes: int, limit: int | None) -> Path:
    """The suites as groups and as tasks of the peers, of the world's first questions."""
    subprocess.run([ASKEW, "world", "--scenes", str(scenes), "--quiet", "--output", folder / "world"], check=True)
    data = folder / "world" / "val.jsonl"
    lines = data.read_bytes().splitlines(keepends=True)
    if limit is not None and len(lines) < limit:
        sys.exit(f"{len(lines)} questions instead of {limit}: more scenes are needed")
    data.write_bytes(b"".join(lines[:limit]))
    for suite in suites:
        bench = folder / suite
        command = [ASKEW, "build", suite, "--data", data, "--no-audit", "--quiet", "--output", bench]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for form in ("lmms-eval", "jsonl"):
            export = [ASKEW, "export", bench / "groups.jsonl", "--format", form, "--name", f"askew_{suite}"]
            subprocess.run([*export, "--output", folder / form / suite], check=True, stdout=subprocess.DEVNULL)
    return folder


Commands = Callable[[Path, Path, Sequence[str], bool], list[list[str]]]
"""The commands that ask these suites, built in a folder, and write to another, with the response cache or without."""


def of_askew(server: Server) -> Commands:
    def commands(built: Path, folder: Path, suites: Sequence[str], cached: bool) -> list[list[str]]:
        store = ["--store", str(folder / "answers.sqlite")]
        command = [ASKEW, "run", "--model", "openai:stub", "--base-url", server.url, "--quiet"]
        return [
            [*command, "--data", str(built / suite / "groups.jsonl"), "--output", str(folder / f"run-{suite}"), *store]
            for suite in suites
        ]

    return commands


def of_lmms_eval(program: str, server: Server) -> Commands:
    def commands(built: Path, folder: Path, suites: Sequence[str], cached: bool) -> list[list[str]]:
        options = f"model_version=stub,base_url={server.url},api_key=none,num_cpus={CONNECTIONS}"
        command = [program, "eval", "--model", "async_openai", "--model_args", options, "--batch_size", "1"]
        command += ["--log_samples", "--output_path", str(folder / "logs")]
        command += ["--use_cache", str(folder / "lmms-cache")] if cached else []
        return [
            [*command, "--include_path", str(built / "lmms-eval" / suite), "--tasks", f"askew_{suite}"]
            for suite in suites
        ]

    return commands


def of_inspect(program: str) -> Commands:
    def commands(built: Path, folder: Path, suites: Sequence[str], cached: bool) -> list[list[str]]:
        made = []
        for suite in suites:
            questions = str(built / "jsonl" / suite / f"askew_{suite}.jsonl")
            task = folder / f"task_{suite}.py"
            task.write_text(TASK.format(name=f"askew_{suite}", questions=questions, cache=cached))
            options = ["--max-connections", CONNECTIONS, "--max-samples", CONNECTIONS, "--max-tokens", 16]
            options += ["--display", "none"]
            model = ["--model", "openai/stub", "-M", "responses_api=false"]  # the server knows chat completions
            made.append([program, "eval", task.name, *model, *map(str, options)])
        return made

    return commands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmms-eval", metavar="PROGRAM")
    parser.add_argument("--inspect", metavar="PROGRAM")
    parser.add_argument("--questions", type=int, default=1000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, Server() as server:
        harnesses = {"askew": of_askew(server)}
        if args.lmms_eval:
            harnesses["lmms-eval"] = of_lmms_eval(str(Path(args.lmms_eval).absolute()), server)
        if args.inspect:
            harnesses["inspect"] = of_inspect(str(Path(args.inspect).absolute()))
        base = Path(temporary)
        one = build(base / "one", SUITES[:1], 2 * args.questions, args.questions)
        study = build(base / "study", SUITES, 400, None)
        print(f"{args.questions:,} questions, {CONNECTIONS} connections, {DELAY * 1000:.0f} ms each")
        print(f"{'':12}{'s':>8}{'s processor':>14}{'MB':>8}{'requests':>10}{'repeated after a kill':>24}")
        for name, commands in harnesses.items():
            folder = new_folder(base / f"{name}-once")
            (command,) = commands(one, folder, SUITES[:1], False)
            spent = spend(command, server, folder)
            if spent.requests != args.questions:
                fail(command, folder, f"{spent.requests} requests for {args.questions} questions")
            folder = new_folder(base / f"{name}-killed")
            (command,) = commands(one, folder, SUITES[:1], True)
            killed = spend(command, server, folder, kill_at=args.questions // 2)
            repeated = killed.requests + spend(command, server, folder).requests - args.questions
            print(
                f"{name:12}{spent.seconds:>8.1f}{spent.processor:>14.1f}{spent.megabytes:>8.0f}"
                f"{spent.requests:>10,}{repeated:>24,}"
            )
        print(f"\nA study with {', '.join(SUITES)}: requests without and with the response cache")
        for name, commands in harnesses.items():
            counts = []
            for cached in (False, True):
                folder = new_folder(base / f"{name}-study-{cached}")
                spent = [spend(command, server, folder) for command in commands(study, folder, SUITES, cached)]
                counts.append(sum(part.requests for part in spent))
            print(f"{name:12}{counts[0]:>8,}{counts[1]:>8,}")


def new_folder(path: Path) -> Path:
    path.mkdir()
    return path


if __name__ == "__main__":
    main()
