"""Many people at the same time (small; ``tests/soak`` has the larger run), and robots that are slow."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from load import run_load
from small_study import SmallStudy
from web_study import Browser, WebStudy, at_once

from askew.collect.robots import Call
from askew.collect.web.robot_queue import RobotQueue
from askew.types import Prediction


def test_fifty_people_meet_no_error(tmp_path: Path) -> None:
    load = run_load(tmp_path / "study", None, people=50, images=60, steps=6, pause=0.3)
    assert load.errors == []
    assert {"claim /write", "ask", "judge"} <= load.done.keys()
    assert len(load.seconds) >= 50 * 6


class SlowRobots:
    """Takes a tenth of a second for any number of questions; the first model hangs."""

    def __init__(self, dead: int) -> None:
        self.dead, self.batches, self.over = dead, 0, threading.Event()

    def answer(self, calls: Sequence[Call]) -> list[Prediction]:
        if calls[0].model_id == self.dead:
            self.over.wait(60)
        self.batches += 1
        time.sleep(0.1)
        return [Prediction(call.question_id, "blue") for call in calls]


def test_everybody_gets_an_answer_of_slow_robots_though_one_hangs(tmp_path: Path) -> None:
    """Questions that wait go to a model together; ``tests/soak`` measures how long people wait."""
    web = WebStudy.of(SmallStudy.make(tmp_path / "study", images=40, people=40))
    robots = SlowRobots(dead=web.small.models[0])
    web.service.robots.stop()
    web.service.robots = RobotQueue(web.small.study.database, robots, timeout=6, rest=0.2)
    try:
        browsers = [web.browser(person) for person in web.small.people]
        places = [browser.post("/write").location for browser in browsers]
        at_once(40, lambda n: _ask(browsers[n], places[n]))
        assert robots.batches < 40, "each question was asked alone"
    finally:
        robots.over.set()
        web.close()


def _ask(browser: Browser, place: str) -> None:
    """Ask until a robot answers, a few times at most."""
    for _ in range(5):
        browser.post(f"{place}/ask", question="What is it?")
        if "The robot says" in browser.get(place).html:
            return
    raise AssertionError(browser.get(place).html)
