"""Many people use the pages of a running server at once: one step each, a pause, the next step."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx
from small_study import SmallStudy

from askew.collect.accounts import give_consent
from askew.collect.database import ServerClock
from askew.collect.web.login import start_session
from askew.collect.web.study_files import read_consent

_LOOK_SECONDS = 15.0


@dataclass
class Load:
    """What was measured: the number of actions, response times, and errors."""

    done: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Of all requests but those that wait for a robot."""
    errors: list[str] = field(default_factory=list)
    used: list[tuple[int, int]] = field(default_factory=list)
    """Megabytes of memory and open files of the server, a few times a minute."""

    def percentile(self, per_cent: int) -> float:
        """The seconds within which this share of requests was answered."""
        return sorted(self.seconds)[min(len(self.seconds) - 1, len(self.seconds) * per_cent // 100)]


@dataclass
class Annotator:
    """One person's browser."""

    client: httpx.Client
    load: Load
    rng: Random

    def step(self) -> None:
        """Do what the start page offers next: ask about an image, judge, or answer."""
        page = self._send("GET", "/home").text
        begun = re.search(r'href="(/(?:write|verify)/[^"]+)"', page)
        if begun:
            self._work(begun.group(1))
            return
        choices = [path for path in ("/write", "/verify") if f'action="{path}"' in page]
        if choices:
            path = self.rng.choice(choices)
            self.load.done[f"claim {path}"] += 1
            self._post(path, page, path)

    def _work(self, place: str) -> None:
        page = self._send("GET", place).text
        judged = re.search(r'name="try" value="(\d+)"', page)
        if "/verify/" in place:
            self.load.done["answer"] += 1
            self._post(f"{place}/answer", page, "/answer", answer="red", confidence="yes", then="stop")
        elif judged:
            self.load.done["judge"] += 1
            verdict = self.rng.choice(("wrong", "correct"))
            self._post(f"{place}/judge", page, "/judge", **{"try": judged.group(1)}, verdict=verdict, answer="red")
        else:
            self.load.done["ask"] += 1
            self._post(f"{place}/ask", page, "/ask", question=f"What is it, {self.rng.random()}?")

    def _post(self, path: str, page: str, end: str, **fields: str) -> None:
        form = re.search(rf'action="[^"]*{end}".*?name="form" value="([^"]+)"', page, re.DOTALL)
        if form is None:
            self.load.errors.append(f"{path}: the page has no form for {end}")
            return
        self._send("POST", path, data={"form": form.group(1), **fields})

    def _send(self, method: str, path: str, **options: object) -> httpx.Response:
        start = time.perf_counter()
        answer = self.client.request(method, path, **options)
        if not path.endswith("/ask"):
            self.load.seconds.append(time.perf_counter() - start)
        if answer.status_code not in (200, 303):
            self.load.errors.append(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer


def run_load(
    folder: Path, url: str | None, people: int, images: int, steps: int, pause: float, *, durable: bool = False
) -> Load:
    """Let people take some steps each, at the same time; check every invariant at the end.

    ``durable``: the server waits for the disk, as ``askew collect serve`` does.
    """
    small = SmallStudy.make(folder, url, images=images, people=people)
    small.clock.milliseconds = ServerClock().now()
    version = read_consent(small.study.folder).version
    with small.study.database.write() as tx:
        for person in small.people:
            give_consent(tx, person, version)
        tokens = [start_session(tx, person) for person in small.people]
    script = str(Path(__file__).with_name("stub_server.py"))
    command = [sys.executable, script, str(folder), "0.05", *(["durable"] if durable else [])]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    load = Load()
    try:
        base = f"http://127.0.0.1:{int(server.stdout.readline())}"
        threads = [
            threading.Thread(target=_live, args=(base, one, load, n, steps, pause)) for n, one in enumerate(tokens)
        ]
        for thread in threads:
            thread.start()
        looked = -_LOOK_SECONDS
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.1)
            if time.monotonic() > looked + _LOOK_SECONDS:
                looked = time.monotonic()
                load.used.append(_used(server.pid))
        for thread in threads:
            thread.join()
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()
    small.check()
    small.close()
    return load


def _used(process: int) -> tuple[int, int]:
    folder = Path(f"/proc/{process}")
    memory = re.search(r"VmRSS:\s+(\d+)", (folder / "status").read_text())
    assert memory is not None
    return int(memory.group(1)) // 1024, len(list((folder / "fd").iterdir()))


def _live(base: str, token: str, load: Load, number: int, steps: int, pause: float) -> None:
    rng = Random(number)
    try:
        with httpx.Client(base_url=base, headers={"Cookie": f"__Host-askew={token}"}, timeout=60) as client:
            person = Annotator(client, load, rng)
            for _ in range(steps):
                time.sleep(rng.uniform(0.5, 1.5) * pause)
                person.step()
    except httpx.HTTPError as error:
        load.errors.append(repr(error))
