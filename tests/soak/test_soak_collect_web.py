"""The collection service for long: many random requests, and servers killed in the middle of their work."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import httpx
import pytest
import sqlalchemy as sa

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "collect"), str(HERE.parent / "collect" / "web")]

from load import run_load  # noqa: E402
from small_study import SmallStudy  # noqa: E402
from test_access import PEOPLE, Crowd, fuzz  # noqa: E402
from web_study import WebStudy, at_once  # noqa: E402

from askew.collect.accounts import give_consent  # noqa: E402
from askew.collect.database import ServerClock  # noqa: E402
from askew.collect.robots import Call  # noqa: E402
from askew.collect.schema import judgement, question  # noqa: E402
from askew.collect.web.login import start_session  # noqa: E402
from askew.collect.web.robot_queue import TIMEOUT, RobotQueue  # noqa: E402
from askew.collect.web.study_files import read_consent  # noqa: E402
from askew.types import Prediction  # noqa: E402

pytestmark = pytest.mark.soak
SHARE = float(os.environ.get("ASKEW_SOAK_SHARE", "1"))
"""A smaller share of the work, to try these tests out."""
KILLS = max(3, round(200 * SHARE))


def test_100_000_random_requests_never_give_a_server_error(tmp_path: Path) -> None:
    template = SmallStudy.make(tmp_path / "template", images=30)
    template.close()
    for seed in range(10):
        web = WebStudy.copied(template, tmp_path / str(seed))
        crowd = Crowd(web)
        fuzz(crowd, [crowd.browser(kind) for kind in PEOPLE], random.Random(seed), round(10_000 * SHARE))
        web.small.check()
        web.close()


def test_100_people_for_half_an_hour_meet_no_error_and_wait_for_nothing(tmp_path: Path) -> None:
    """One step in ten seconds each; the seconds are those of a machine with two cores of its own."""
    load = run_load(
        tmp_path / "study", None, people=100, images=2000, steps=max(6, round(180 * SHARE)), pause=10, durable=True
    )
    p50, p95, p99 = (load.percentile(per_cent) for per_cent in (50, 95, 99))
    print(f"{dict(load.done)}; {len(load.seconds)} requests: p50 {p50:.3f} s, p95 {p95:.3f} s, p99 {p99:.3f} s")
    warm, last = load.used[len(load.used) // 3 :][:8], load.used[-8:]
    print(f"memory (MB) and files: {warm} at a third, {last} at the end")
    assert load.errors == []
    assert max(files for _, files in last) <= max(files for _, files in warm) + 10
    # The database grows, and SQLite keeps pages of it for each connection, at most 64 MB.
    assert max(memory for memory, _ in last) <= 1.3 * max(memory for memory, _ in warm)
    assert p95 <= 0.3
    assert p99 <= 1.0


class OneHangs:
    """Answers within a third of a second, however many questions; the first model never does."""

    def __init__(self, dead: int) -> None:
        self.dead, self.over = dead, threading.Event()

    def answer(self, calls: Sequence[Call]) -> list[Prediction]:
        self.over.wait(600 if calls[0].model_id == self.dead else 0.3)
        return [Prediction(call.question_id, "blue") for call in calls]


def test_answers_are_shown_within_two_seconds_though_a_model_hangs(tmp_path: Path) -> None:
    """40 people, one question in ten seconds each; the seconds are those of a machine with two cores of its own."""
    web = WebStudy.of(SmallStudy.make(tmp_path / "study", images=400, people=40, robots=3))
    robots = OneHangs(web.small.models[0])
    web.service.robots.stop()
    web.service.robots = RobotQueue(web.small.study.database, robots)
    waits: list[float] = []

    def work(number: int) -> None:
        browser, rng = web.browser(web.small.people[number]), random.Random(number)
        for _ in range(10):
            time.sleep(rng.uniform(0, 20))
            place = browser.post("/write").location
            begun = time.monotonic()
            browser.post(f"{place}/ask", question="What is it?")
            page = browser.get(place)
            waits.append(time.monotonic() - begun)
            tried = re.search(r'name="try" value="(\d+)"', page.html)
            assert tried is not None, "the question has an answer"
            browser.post(f"{place}/judge", **{"try": tried.group(1)}, verdict="wrong", answer="red")

    at_once(40, work)
    robots.over.set()
    web.small.check()
    web.close()
    waits.sort()
    print(f"{len(waits)} answers: p50 {median(waits):.2f} s, p95 {waits[379]:.2f} s, longest {waits[-1]:.2f} s")
    assert len(waits) == 400
    assert waits[379] <= 2
    assert waits[-1] <= TIMEOUT + 1


class Writer(threading.Thread):
    """Asks and judges without end, through whatever server there is; notes what was acknowledged."""

    def __init__(self, token: str, port: list[int], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.headers, self.port, self.stop = {"Cookie": f"__Host-askew={token}"}, port, stop
        self.asked: set[str] = set()
        self.judged: set[int] = set()
        self.errors: list[str] = []

    def run(self) -> None:
        number = 0
        while not self.stop.is_set():
            number += 1
            try:
                self._once(f"What is number {number} of {self.name}?")
            except httpx.HTTPError:
                time.sleep(0.02)  # the server is dead, or was killed meanwhile

    def _once(self, text: str) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{self.port[0]}", headers=self.headers, timeout=20) as client:
            place = self._post(client, "/write", client.get("/home").text, "/write")
            if place is None or not place.startswith("/write/"):
                page = client.get("/home").text
                found = re.search(r'href="(/write/\d+)"', page)
                place = found.group(1) if found else None
            if place is None:
                time.sleep(0.05)
                return
            if self._post(client, f"{place}/ask", client.get(place).text, "/ask", question=text):
                self.asked.add(text)
            page = client.get(place).text
            found = re.search(r'name="try" value="(\d+)"', page)
            if found and self._post(
                client, f"{place}/judge", page, "/judge", **{"try": found.group(1)}, verdict="correct"
            ):
                self.judged.add(int(found.group(1)))

    def _post(self, client: httpx.Client, path: str, page: str, end: str, **fields: str) -> str | None:
        form = re.search(rf'action="[^"]*{end}".*?name="form" value="([^"]+)"', page, re.DOTALL)
        if form is None:
            return None
        answer = client.post(path, data={"form": form.group(1), **fields})
        if answer.status_code >= 500 and answer.status_code != 503:
            self.errors.append(answer.text)
        return answer.headers.get("location") if answer.status_code == 303 else None


def processor_seconds(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answers(port: int) -> None:
    """Wait until a server answers."""
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=20).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def test_200_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    small = SmallStudy.make(tmp_path / "study", images=400, people=6, durable=True)
    small.clock.milliseconds = ServerClock().now()
    version, port, stop, rng = read_consent(small.study.folder).version, [0], threading.Event(), random.Random(1)
    writers: list[Writer] = []
    starts: list[float] = []
    processor: list[float] = []
    for person in small.people:
        with small.study.database.write() as tx:
            give_consent(tx, person, version)
            writers.append(Writer(start_session(tx, person), port, stop))
    for kill in range(KILLS):
        script = str(HERE.parent / "collect" / "web" / "stub_server.py")
        command = [sys.executable, script, str(small.study.folder), "0", "durable"]
        begun = time.monotonic()
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port[0] = int(server.stdout.readline())
        if not kill:
            for writer in writers:
                writer.start()
        answers(port[0])
        starts.append(time.monotonic() - begun)
        processor.append(processor_seconds(server.pid))
        time.sleep(rng.uniform(0.2, 2.0))
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()
        small.check()
    stop.set()
    for writer in writers:
        writer.join(30)
    with small.study.database.read() as tx:
        texts = {row.text for row in tx.rows(sa.select(question.c.text))}
        judged = {row.question_id for row in tx.rows(sa.select(judgement.c.question_id))}
    for writer in writers:
        assert writer.errors == []
        assert writer.asked <= texts
        assert writer.judged <= judged
    asked = sum(len(writer.asked) for writer in writers)
    print(
        f"{asked} questions; restarts: median {median(starts):.1f} s, longest {max(starts):.1f} s; of processor time: "
        f"median {median(processor):.1f} s, longest {max(processor):.1f} s"
    )
    assert asked >= KILLS // 4
    assert median(processor) <= 3, "seconds of processor time, for other programs may be running"
    small.close()
