"""A running service for tests: a small study, scripted robots, and simulated browsers."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from anyio.from_thread import BlockingPortal, start_blocking_portal
from argon2 import PasswordHasher
from small_study import SmallStudy
from starlette.testclient import TestClient

from askew.collect.accounts import give_consent
from askew.collect.robots import Call
from askew.collect.schema import metadata
from askew.collect.web.app import Guard, make_app
from askew.collect.web.login import Passwords, start_session
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.security import Limits, SecretKeys
from askew.collect.web.visit import Service
from askew.types import Prediction

NO_LIMITS = Limits(sign_ins=10**6, questions=10**6, posts=10**6, requests=10**6, calls_in_flight=100)
QUICK = Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
RUNNING: list[WebStudy] = []
"""Services that no test has closed yet: their threads would keep pytest from ending."""
NOTHING_COUNTED = {"login", "form", "event"}
"""Tables that may differ between a form sent once and sent three times."""


@dataclass
class TellingRobots:
    """Robots that answer what ``say`` returns."""

    say: Callable[[Call], Prediction] = lambda call: Prediction(call.question_id, "blue")
    calls: int = 0

    def answer(self, calls: Sequence[Call]) -> list[Prediction]:
        self.calls += len(calls)
        return [self.say(call) for call in calls]


class Page:
    """A response and its visible text."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status_code
        self.headers = response.headers
        self.html: str = response.text
        self.content: bytes = response.content

    def form_value(self, action: str = "") -> str:
        """The hidden value of the form whose action ends so; without one, of the main form."""
        forms = re.findall(r"<form\b[^>]*>.*?</form>", self.html, re.DOTALL)
        chosen = [form for form in forms if f'{action}"' in form.partition(">")[0]] if action else forms[-1:]
        found = re.search(r'name="form" value="([^"]+)"', chosen[0])
        assert found is not None
        return found.group(1)

    @property
    def location(self) -> str:
        return str(self.headers["location"])


@dataclass
class Browser:
    """One person's browser."""

    client: TestClient
    service: Service
    person: int | None = None

    def get(self, path: str, **options: Any) -> Page:
        return Page(self.client.get(path, follow_redirects=False, **options))

    def post(
        self,
        path: str,
        form: str | None = None,
        headers: dict[str, str] | None = None,
        files: dict[str, bytes] | None = None,
        **fields: Any,
    ) -> Page:
        """Send a form; the hidden value is fetched from a page of this browser unless one is given."""
        value = self.value() if form is None else form
        sent = [("files", (name, content)) for name, content in (files or {}).items()]
        fields = {"form": value, **fields}
        options = {"data": fields, "files": sent or None, "headers": headers}
        return Page(self.client.post(path, follow_redirects=False, **options))

    def value(self) -> str:
        """A fresh form value of this browser, as any page of it has one."""
        token = self.client.cookies.get(self.service.cookie)
        if token:
            return self.service.keys.form_value(f"session {token}")
        if not self.client.cookies.get(self.service.visitor_cookie):
            self.get("/sign-in")
        return self.service.keys.form_value(f"visitor {self.client.cookies.get(self.service.visitor_cookie)}")


@dataclass(eq=False)
class WebStudy:
    small: SmallStudy
    service: Service
    robots: TellingRobots
    app: Guard
    browsers: list[Browser] = field(default_factory=list)
    running: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def loop(self) -> BlockingPortal:
        """One event loop for all browsers, as a server has; a client would start one for each request."""
        return self.running.enter_context(start_blocking_portal())

    @staticmethod
    def make(folder: Path, url: str | None = None, limits: Limits = NO_LIMITS, **options: Any) -> WebStudy:
        return WebStudy.of(SmallStudy.make(folder, url, **options), limits)

    @staticmethod
    def copied(template: SmallStudy, folder: Path, limits: Limits = NO_LIMITS, url: str | None = None) -> WebStudy:
        """The service on a copy of a study, in the database of the URL if it has one: much faster than a new one."""
        return WebStudy.of(template.copied(folder, url), limits)

    @staticmethod
    def of(small: SmallStudy, limits: Limits = NO_LIMITS) -> WebStudy:
        robots = TellingRobots()
        service = Service(
            study=small.study,
            robots=RobotQueue(small.study.database, robots, timeout=5, rest=0.2),
            keys=SecretKeys(b"k" * 32),
            name="Test study",
            limits=limits,
            passwords=QUICK,
        )
        made = WebStudy(small, service, robots, make_app(service))
        RUNNING.append(made)
        return made

    def browser(self, person: int | None = None, *, consent: bool = True, address: str = "192.0.2.1") -> Browser:
        """A browser in which this person, or nobody, is signed in."""
        options = {"base_url": "https://localhost", "raise_server_exceptions": False}
        client = TestClient(self.app, **options, client=(address, 50000))
        client.portal = self.loop
        made = Browser(client, self.service, person)
        self.browsers.append(made)
        if person is not None:
            with self.small.study.database.write() as tx:
                client.cookies.set(self.service.cookie, start_session(tx, person), "localhost.local", "/")
                if consent:
                    give_consent(tx, person, self.service.consent.version)
        return made

    def rows(self) -> dict[str, int]:
        """How many rows each table has."""
        with self.small.study.database.read() as tx:
            return {
                name: int(tx.value(sa.select(sa.func.count()).select_from(table)))
                for name, table in metadata.tables.items()
                if name not in NOTHING_COUNTED
            }

    def close(self) -> None:
        if self in RUNNING:
            RUNNING.remove(self)
        for browser in self.browsers:
            browser.client.close()
        self.running.close()
        self.service.robots.stop()
        self.small.close()


def at_once(count: int, act: Callable[[int], Any]) -> list[Any]:
    """Do something several times at the same moment."""
    results: list[Any] = [None] * count
    barrier = threading.Barrier(count)

    def run(n: int) -> None:
        barrier.wait()
        results[n] = act(n)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@contextmanager
def saying(web: WebStudy, say: Callable[[Call], Prediction]) -> Iterator[None]:
    """Let the robots answer something else in this block."""
    before, web.robots.say = web.robots.say, say
    yield
    web.robots.say = before
