"""Two server processes on one database, SQLite or PostgreSQL: people switch between them, and invariants hold."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier

import httpx
import pytest
import sqlalchemy as sa
from small_study import SmallStudy
from web_study import at_once

from askew.collect.accounts import give_consent
from askew.collect.database import ServerClock
from askew.collect.schema import question, session, verification
from askew.collect.web.login import start_session
from askew.collect.web.study_files import read_consent

PEOPLE, IMAGES, BURSTS = 9, 10, 4
NEW = 3
"""People who did not take part in the bursts: whoever held an image never verifies a question about it, so without them
a question could lack verifiers."""


class Worker:
    """A person whose browser talks to either server in turn."""

    def __init__(self, ports: list[int], token: str) -> None:
        self.clients = [
            httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"Cookie": f"__Host-askew={token}"}, timeout=60)
            for port in ports
        ]
        self.turn = 0

    def get(self, path: str) -> str:
        return self._send("GET", path).text

    def post(self, path: str, page: str, end: str, **fields: str) -> str:
        """Send the form with this end of its action to both servers; returns where it leads."""
        form = re.search(rf'action="[^"]*{end}".*?name="form" value="([^"]+)"', page, re.DOTALL)
        assert form is not None, (end, page)
        answers = [self._send("POST", path, data={"form": form.group(1), **fields}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [303, 303], [answer.text for answer in answers]
        places = {answer.headers["location"].partition("/verify/")[0] for answer in answers}
        assert len(places) == 1, places
        return answers[0].headers["location"]

    def claim(self, barrier: Barrier) -> None:
        """Take an image at the same moment as everybody else, and give it back, a few times."""
        for _ in range(BURSTS):
            page = self.get("/home")
            form = re.search(r'action="/write".*?name="form" value="([^"]+)"', page, re.DOTALL).group(1)
            barrier.wait(60)
            place = self._send("POST", "/write", data={"form": form}).headers["location"]
            assert place.startswith("/write/"), place
            self.post(f"{place}/skip", self.get(place), "/skip", reason="Other")

    def work(self) -> None:
        """Fool the robot once, then verify while there are tasks."""
        page = self.get("/home")
        place = self.post("/write", page, "/write") if "Get an image" in page else ""
        if place.startswith("/write/"):
            self.post(f"{place}/ask", self.get(place), "/ask", question="What colour is it?")
            page = self.get(place)
            number = re.search(r'name="try" value="(\d+)"', page).group(1)
            self.post(f"{place}/judge", page, "/judge", **{"try": number}, verdict="wrong", answer="red")
        for _ in range(40):
            page = self.get("/home")
            if "Get a question" not in page:
                return
            place = self.post("/verify", page, "/verify")
            while place.startswith("/verify/"):
                page = self.get(place.partition("?")[0])
                action = re.search(r'action="(/verify/[^"]+/answer)"', page).group(1)
                place = self.post(action, page, "/answer", answer="red", confidence="yes", then="next")

    def _send(self, method: str, path: str, **options: object) -> httpx.Response:
        self.turn += 1
        answer = self.clients[self.turn % len(self.clients)].request(method, path, **options)
        assert answer.status_code in (200, 303), (path, answer.text)
        return answer

    def close(self) -> None:
        for client in self.clients:
            client.close()


@pytest.fixture
def served(tmp_path: Path, database_url: str | None) -> Iterator[tuple[SmallStudy, list[int]]]:
    """A study, and two processes that serve it."""
    small = SmallStudy.make(tmp_path / "study", database_url, images=IMAGES, people=PEOPLE)
    small.clock.milliseconds = ServerClock().now()
    script = str(Path(__file__).with_name("stub_server.py"))
    command = [sys.executable, script, str(small.study.folder)]
    servers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        yield small, [int(server.stdout.readline()) for server in servers]
    finally:
        for server in servers:
            server.terminate()
            server.wait(20)
            server.stdout.close()
        small.close()


def test_two_servers_keep_every_invariant(served: tuple[SmallStudy, list[int]]) -> None:
    small, ports = served
    version = read_consent(small.study.folder).version
    workers = []
    for person in small.people:
        with small.study.database.write() as tx:
            give_consent(tx, person, version)
            workers.append(Worker(ports, start_session(tx, person)))
    try:
        bursting = workers[NEW:]
        barrier = Barrier(len(bursting))
        for n, worker in enumerate(bursting):
            worker.turn = n  # half of them at either server
        at_once(len(bursting), lambda n: bursting[n].claim(barrier))
        at_once(len(workers), lambda n: workers[n].work())
        for worker in workers * 2:  # what was written after the others had left
            worker.work()
    finally:
        for worker in workers:
            worker.close()
    small.check()
    with small.study.database.read() as tx:
        asked = tx.rows(sa.select(question.c.state, question.c.done))
        ended = dict(map(tuple, tx.rows(sa.select(session.c.state, sa.func.count()).group_by(session.c.state))))
        said = tx.value(sa.select(sa.func.count()).select_from(verification))
    assert [tuple(row) for row in asked] == [("VERIFIED", 2)] * IMAGES
    assert said == 2 * IMAGES
    assert ended == {"RELEASED": (PEOPLE - NEW) * BURSTS, "SUCCEEDED": IMAGES}
