"""``askew collect demo`` as a person sees it: from an empty folder through every page to a release and statistics."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from askew.collect.quiz import quiz_for
from askew.collect.schema import annotator
from askew.collect.study import open_study

WAIT = 120_000
"""Milliseconds; the first answer of a robot comes after its network was loaded."""


class Demo:
    """The demo in a process of its own, and what it prints."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-u", "-m", "askew", "collect", "demo", "--port", "0"]
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.process = subprocess.Popen(command, cwd=folder, **streams)
        self.lines: list[str] = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(120), self.lines
        found = re.search(r"http://\S+/invite/\S+", "".join(self.lines))
        assert found is not None, self.lines
        self.link = found.group()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "Ctrl-C here" in line:
                self._ready.set()

    def stop(self) -> str:
        """Send Ctrl-C; returns everything printed."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(120) == 0, self.lines
        self._reader.join(10)
        return "".join(self.lines)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    pytest.importorskip("onnxruntime", reason="the demo's robots need askew[bundled]")
    made = Demo(tmp_path)
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.wait()
    assert made.process.stdout is not None
    made.process.stdout.close()


def test_the_whole_journey_of_the_demo(demo: Demo, browser: Any, tmp_path: Path) -> None:
    wrong: list[str] = []

    def enter() -> Any:
        page = browser.new_context().new_page()
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("response", lambda got: got.status >= 400 and wrong.append(f"{got.status} {got.url}"))
        return page

    journey(demo.link, tmp_path / "collect-demo", enter)
    assert wrong == []
    printed = demo.stop()
    assert "Frozen: " in printed
    release, stats = tmp_path / "collect-demo" / "release", tmp_path / "stats"
    manifest = json.loads((release / "release.json").read_bytes())
    assert sum(manifest["rounds"][0]["splits"].values()) >= 1
    again = [sys.executable, "-m", "askew", "collect", "stats", str(release), "--output", str(stats)]
    assert subprocess.run(again, capture_output=True).returncode == 0
    assert (stats / "stats.html").is_file()
    advised = next(line for line in printed.splitlines() if line.startswith("Ask a model: "))
    model = advised.removeprefix("Ask a model: askew ").replace("bundled:xnm", "constant:no").split()
    assert subprocess.run([sys.executable, "-m", "askew", *model], cwd=tmp_path, capture_output=True).returncode == 0


def journey(link: str, folder: Path, enter: Callable[[], Any], look: Callable[[Any, str], None] | None = None) -> None:
    """The owner fools a robot and watches; an annotator is invited, takes the quiz and answers questions."""
    see = look or (lambda page, name: None)
    owner = enter()
    sign_up(owner, link, "Olga", see, "owner")
    fool_the_robot(owner, see)
    owner.click("nav >> text=Monitor")
    wait_for(owner, "//div[dt='Verified' and dd!='0']")
    see(owner, "monitor")
    owner.click("nav >> text=My work")
    see(owner, "my-work")
    owner.click("nav >> text=Examples")
    see(owner, "examples")
    owner.locator("main table a").first.click()
    see(owner, "example")
    owner.click("nav >> text=People")
    owner.click("text=Create a link")
    see(owner, "people")
    worker = enter()
    sign_up(worker, owner.inner_text("p.code"), "Wanda", see, "worker")
    take_quiz(worker, folder, see)
    answer_questions(worker, see)
    owner.click("nav >> text=Monitor")
    owner.click("text=Drain: no new images")
    see(owner, "draining")


def sign_up(page: Any, link: str, name: str, see: Callable[[Any, str], None], who: str) -> None:
    page.goto(link)
    see(page, f"invite-{who}")
    page.fill("#name", name)
    page.fill("#password", "correct horse battery")
    page.click("text=Create my account")
    see(page, f"consent-{who}")
    page.check("#agree")
    page.click("text=Agree and continue")
    see(page, f"first-{who}")


def fool_the_robot(page: Any, see: Callable[[Any, str], None]) -> None:
    page.click("nav >> text=Home")
    see(page, "home")
    page.click("text=Get an image")
    see(page, "attack")
    page.fill("#question", "What is the name of the artist?")
    page.click("text=Get robot answer")
    page.wait_for_selector(".robot .answer")
    see(page, "judge")
    page.get_by_label("Definitely wrong").check()
    page.fill("#answer", "nobody knows")
    page.click("text=Save my judgement")
    assert "You fooled the robot" in page.inner_text("h1")
    see(page, "fooled")


def take_quiz(page: Any, folder: Path, see: Callable[[Any, str], None]) -> None:
    """Pass at the first attempt: the database knows the verdicts."""
    page.click("nav >> text=Home")
    see(page, "quiz")
    study = open_study(folder)
    with study.database.read() as tx:
        person = max(row.id for row in tx.rows(sa.select(annotator.c.id)))
        items = quiz_for(tx, person).items
    study.close()
    for item in items:
        page.check(f'[name="item-{item.id}"][value="{item.verdict}"]')
    page.locator("main form button").last.click()
    assert "You passed" in page.inner_text("main")
    see(page, "quiz-passed")


def answer_questions(page: Any, see: Callable[[Any, str], None]) -> None:
    """Answer all questions, three at most."""
    page.click("nav >> text=Home")
    wait_for(page, "text=Get a question")
    page.click("text=Get a question")
    see(page, "verify")
    for _ in range(3):
        page.fill("#answer", "red")
        page.get_by_label("Yes").check()
        with page.expect_navigation():  # else the field of the page before may be counted
            page.click("text=Save, next question")
        if not page.locator("#answer").count():
            break
    see(page, "verified")
    page.click("nav >> text=My work")
    see(page, "my-work-worker")


def wait_for(page: Any, selector: str) -> None:
    """Reload until it is there."""
    for _ in range(60):
        if page.locator(selector).count():
            return
        page.wait_for_timeout(1000)
        page.reload()
    raise AssertionError(f"{selector} did not come up: {page.inner_text('main')}")
