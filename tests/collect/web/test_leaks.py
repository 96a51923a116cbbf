"""What must not leak: answers to verifiers, model names to annotators, secrets to logs, requests to other hosts."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from recipes import RECIPES
from web_study import WebStudy

from askew.collect.web.app import PAGES
from askew.types import Prediction

ROBOT, AUTHOR = "zebra-robot-answer", "walrus-author-answer"


def prepared(web: WebStudy) -> None:
    """A question with unique answers of the robot and the author."""
    web.robots.say = lambda call: Prediction(call.question_id, ROBOT, raw=f"I say {ROBOT}.", score=0.123456)
    author = web.browser(web.small.people[0])
    address = author.post("/write").location
    author.post(f"{address}/ask", question="What is it?")
    author.post(f"{address}/judge", **{"try": "1"}, verdict="wrong", answer=AUTHOR)


def test_verifiers_see_no_answer_of_the_author_the_robot_or_others(anywhere: WebStudy) -> None:
    web = anywhere
    prepared(web)
    other = web.browser(web.small.people[2])
    task = other.post("/verify").location
    other.post(f"{task}/answer", answer="ostrich-other-answer", confidence="no", then="stop")
    verifier = web.browser(web.small.people[1])
    pages = [verifier.post("/verify")]
    task = pages[0].location
    pages += [verifier.get(task), verifier.get("/home"), verifier.get("/my-work"), verifier.get("/my-work/data.json")]
    pages += [verifier.post(f"{task}/answer", answer="", confidence=""), verifier.post(f"{task}/extend")]
    image = re.search(r'"(/image/[0-9a-f]{64})"', pages[1].html).group(1)
    pages.append(verifier.get(image))
    forbidden = (
        ROBOT,
        AUTHOR,
        "ostrich",
        "robot 0",
        "robot 1",
        "constant",
        "person-0",
        "person-2",
        "Person 0",
        "0.123",
        "train",
        "split",
    )
    for page in pages:
        shown = page.html + str(dict(page.headers))
        assert not [word for word in forbidden if word in shown], shown
    assert "question_id" not in pages[1].html
    assert not re.search(r'value="1"|/1["/]', pages[1].html.replace('<kbd class="key">1</kbd>', "")), (
        "no numbers of questions"
    )


def test_annotators_never_learn_which_model_answered(anywhere: WebStudy) -> None:
    web = anywhere
    prepared(web)
    author = web.browser(web.small.people[0])
    for path in ("/write/1", "/my-work", "/my-work/data.json", "/home", "/instructions"):
        page = author.get(path)
        for word in ("robot 0", "robot 1", "constant:yes", "0.123456", "model_id"):
            assert word not in page.html, (path, word)


def test_secrets_are_never_in_logs_or_on_error_pages(
    tmp_path: Path, copied: Callable[[Path], WebStudy], caplog: pytest.LogCaptureFixture
) -> None:
    """Every form is sent correctly and incorrectly; tokens, cookies, passwords and form values stay out of the log."""
    caplog.set_level(logging.DEBUG)
    secrets: set[str] = set()
    shown = []
    for number, (path, make) in enumerate(RECIPES.items()):
        web = copied(tmp_path / str(number))
        recipe = make(web)
        value = recipe.browser.value()
        secrets |= {value, value.partition(".")[0], "correct horse"} | set(recipe.browser.client.cookies.values())
        if "/invite/" in recipe.path:
            secrets.add(recipe.path.rpartition("/")[2])
        shown.append(recipe.browser.post(recipe.path, "wrong", password="correct horse").html)
        shown.append(recipe.browser.get(recipe.path + "/nothing").html)
        page = recipe.send(value)
        assert page.status < 400, path
        secrets |= set(recipe.browser.client.cookies.values())
        secrets |= set(re.findall(r"/invite/([\w-]{20,})", page.html))
        web.close()
    assert len(secrets) > 50
    ours = "\n".join(line.getMessage() for line in caplog.records if not line.name.startswith("httpx"))
    leaked = [secret for secret in secrets if len(secret) > 8 and secret in ours]
    assert leaked == []
    assert "POST /write/{session:int}/ask 303" in ours, "the log names routes, not paths"
    cookies = {secret for secret in secrets if len(secret) > 40 and "." not in secret}
    assert not [secret for secret in cookies for text in shown if secret in text]


def test_nobody_can_make_the_service_send_a_request(anywhere: WebStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets to elsewhere are forbidden while every page is used with addresses in every field."""
    web = anywhere
    opened: list[object] = []
    local = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            opened.append(address)
            raise OSError("no network")
        local(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: opened.append(a) or [])
    url = "http://169.254.169.254/latest/meta-data"
    names = ("question", "answer", "reason", "note", "name", "code", "id.PID", "to", "role", "verdict", "confidence")
    recipe = RECIPES["/write/{session:int}/ask"](web)
    assert recipe.browser.post(recipe.path, question=url).status == 303
    for kind in (web.small.people[0], web.small.owner):
        browser = web.browser(kind)
        for page in PAGES:
            if page.path in ("/sign-out", "/my-work/delete"):
                continue
            path = re.sub(r"{\w+(:int)?}", "1", page.path)
            if page.method == "GET":
                browser.get(f"{path}?next={url}&url={url}", headers={"Referer": url, "X-Forwarded-For": "1.2.3.4"})
            else:
                browser.post(path, **dict.fromkeys(names, url))
    assert opened == []
