"""The pages in a real browser: axe finds nothing on any of them, at any width; journeys without JavaScript and by
keyboard alone; nothing that was typed gets lost."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hostile_texts import hostile_texts
from recipes import ask_for_quiz
from small_study import SmallStudy
from web_study import WebStudy

from askew.collect.exclusion import exclude
from askew.collect.flags import quarantine, report_image
from askew.collect.quiz import quiz_for
from askew.collect.schema import login, question, verification
from askew.collect.web import visit as visit_module
from askew.collect.web.login import create_invite, start_session
from askew.collect.web.server import Address, listening, make_server
from askew.collect.writing import ask, claim_image, judge, release_image
from askew.types import Prediction

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed to open the pages with")

TEMPLATES = Path(visit_module.__file__).parent / "templates"
PARTS = {"base.html", "parts.html", "keys.html"}
REPLY = "There are two dogs near the tree, as far as I can see."


class Site:
    """The service on a port of this computer."""

    def __init__(self, web: WebStudy) -> None:
        self.web, self.small = web, web.small
        web.robots.say = lambda call: Prediction(call.question_id, "two dogs", raw=REPLY)
        self.socket = listening(Address(port=0))
        self.base = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = make_server(web.app, Address())
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join(10)
        self.socket.close()
        self.web.close()


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> SmallStudy:
    """A study with more images."""
    made = SmallStudy.make(tmp_path_factory.mktemp("roomy") / "study", images=10)
    made.close()
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def site(tmp_path: Path, roomy: SmallStudy) -> Iterator[Site]:
    made = Site(WebStudy.copied(roomy, tmp_path / "study"))
    yield made
    made.close()


@pytest.fixture
def enter(browser: Any, site: Site) -> Iterator[Callable[..., Any]]:
    """Opens a browser for a person; the test fails on any foreign request, script error or blocked content."""
    wrong: list[str] = []
    contexts: list[Any] = []

    def entered(person: int | None = None, width: int = 1280, consent: bool = True, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, base_url=site.base, **options)
        contexts.append(context)
        if person is not None:
            cookie = site.web.browser(person, consent=consent).client.cookies[site.web.service.cookie]
            where = {"url": site.base.replace("http:", "https:"), "secure": True, "httpOnly": True}
            context.add_cookies([{"name": site.web.service.cookie, "value": cookie, **where}])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda r: r.url.startswith(site.base) or wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: "Content Security Policy" in m.text and wrong.append(m.text))
        return page

    yield entered
    for context in contexts:
        context.close()
    assert wrong == []


AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
ALL, COLOURS = (
    "{resultTypes: ['violations']}",
    "{runOnly: ['color-contrast', 'target-size', 'scrollable-region-focusable']}",
)


def violations(page: Any, rules: str = ALL) -> list[str]:
    """What axe finds; all rules, unless fewer are named."""
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run(document, {rules})")["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


DARK = {"/sign-in", "/home", "/instructions", "/my-work", "/owner", "/owner/examples", "/owner/examples/1", "/nothing"}
"""Pages whose colours are looked at in the dark too; together they have every colour."""


def overflows(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


def furnished(site: Site) -> dict[str, list[str]]:
    """A study in which every page has something to show; the addresses to look at, by who looks."""
    small, people = site.small, site.small.people
    small.attack(people[5], "Is the ball red?")
    small.attack(people[5], "How many?", verdict="correct")
    small.do(claim_image, people[0])
    small.do(quarantine, small.owner, 1, "odd")
    small.verify_all()
    token = small.do(create_invite)
    platform = small.do(create_invite, completion_code="CODE-1")
    known = small.do(create_invite, annotator_id=people[3])
    with small.study.database.write() as tx:
        owner_token = create_invite(tx, "owner")
    small.do(report_image, people[1], 1, "It is offensive")
    small.do(exclude, people[4], "spam")
    return {
        "anyone": [
            *("/sign-in", f"/invite/{token}", f"/invite/{owner_token}", f"/invite/{known}", "/nothing", "/home"),
            *(f"/invite/{platform}?PID=1", "/invite/unknown"),
        ],
        "worker": [
            *(
                "/home",
                "/consent",
                "/instructions",
                "/instructions?first=1",
                "/my-work",
                "/my-work/delete",
                "/password",
            ),
            *("/finish", "/home?nothing=write", "/home?nothing=verify", "/home?nothing=verified", "/owner", "/write/1"),
        ],
        "owner": [
            *("/owner", "/owner/examples", "/owner/examples/1", "/owner/examples/2", "/owner/examples?q=none"),
            *("/owner/people", f"/owner/people/{people[0]}", f"/owner/people/{people[4]}", "/home", "/my-work"),
        ],
    }


def test_axe_finds_nothing_on_any_page_and_no_page_is_wider_than_320_pixels(
    site: Site, enter: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()
    render = visit_module.Visit.render

    def noting(self: Any, template: str, *more: Any, **values: Any) -> Any:
        seen.add(template)
        return render(self, template, *more, **values)

    monkeypatch.setattr(visit_module.Visit, "render", noting)
    addresses = furnished(site)
    people = {"anyone": None, "worker": site.small.people[0], "owner": site.small.owner}
    for who, paths in addresses.items():
        wide = enter(people[who])
        for path in paths:
            wide.goto(path)
            assert violations(wide) == [], (who, path)
        narrow = enter(people[who], width=320, color_scheme="dark")
        for path in paths:
            narrow.goto(path)
            assert not overflows(narrow), (who, path)
            if path in DARK:
                assert violations(narrow, COLOURS) == [], (who, path)
    _look_at_work(site, enter(site.small.people[0]), ALL)
    _look_at_work(site, enter(site.small.people[2], width=320, color_scheme="dark"), COLOURS)
    page = enter(site.small.people[3])
    page.goto("/my-work/delete")
    page.get_by_label("Yes, delete my account.").check()
    page.get_by_role("button", name="Delete my account").click()
    assert violations(page) == []
    ask_for_quiz(site.web)
    _look_at_quiz(site, enter(site.small.people[1]), site.small.people[1], ALL)
    _look_at_quiz(site, enter(site.small.people[2], width=320, color_scheme="dark"), site.small.people[2], COLOURS)
    assert {path.name for path in TEMPLATES.glob("*.html")} - PARTS - seen == set(), "templates no one looked at"


def _look_at_quiz(site: Site, page: Any, person: int, rules: str) -> None:
    """The quiz, by keyboard alone: failed, read, passed."""
    other = {"correct": "wrong", "wrong": "unsure", "unsure": "correct"}
    page.goto("/home")
    for fails in (True, False):
        assert violations(page, rules) == []
        assert not overflows(page)
        items = site.small.look(lambda tx: quiz_for(tx, person)).items
        page.locator(f'[name="item-{items[0].id}"]').first.focus()
        for item in items:
            verdict = other[item.verdict] if fails else item.verdict
            choice = page.locator(f'[name="item-{item.id}"][value="{verdict}"]')
            page.keyboard.press("Space")
            for _ in range(("correct", "wrong", "unsure").index(verdict)):
                page.keyboard.press("ArrowRight")
            assert choice.is_checked()
            page.keyboard.press("Tab")
            if item is not items[-1]:
                page.keyboard.press("Tab")  # past the link to the next image
        with page.expect_navigation():
            page.keyboard.press("Enter")
        if fails:
            assert page.get_by_text("Hint:").count() == len(items)
    assert "You passed" in page.inner_text("main")
    assert violations(page, rules) == []
    site.small.clock.pass_seconds(1)


def _look_at_work(site: Site, page: Any, rules: str) -> None:
    """Every state of the two pages on which people work."""

    def look() -> None:
        assert violations(page, rules) == [], page.url
        assert not overflows(page), page.url

    page.goto("/home")
    page.locator("section", has_text="Fool the robot").locator("button, a.button").click()
    look()
    page.get_by_text("Skip or report this image").click()
    look()
    page.fill("#question", "How many dogs?")
    page.click("text=Get robot answer")
    look()
    page.get_by_label("Definitely wrong").check()
    page.get_by_text("The robot’s full reply").click()
    page.get_by_label("Enlarge the image").check()
    look()
    page.get_by_role("button", name="Save my judgement").click()  # without an answer
    look()
    page.get_by_label("Definitely correct").check()
    page.get_by_role("button", name="Save my judgement").click()
    look()
    page.fill("#question", "How many dogs are there?")
    page.click("text=Get robot answer")
    page.get_by_label("Definitely wrong").check()
    page.fill("#answer", "3")
    page.get_by_role("button", name="Save my judgement").click()
    assert "You fooled the robot" in page.inner_text("h1")
    look()
    small = site.small
    small.attack(small.people[1], f"Is it number {page.viewport_size['width']}?")
    page.goto("/home")
    page.click("text=Get a question")
    look()
    page.get_by_text("Skip or report").click()
    look()
    address = page.url
    page.fill("#answer", "yes")
    page.get_by_label("Maybe").check()
    page.click("text=Save and stop")
    page.goto(address)
    assert "Take the next question" in page.inner_text("h1")
    look()
    site.small.clock.pass_seconds(1)


def _fooled(site: Site) -> tuple[str, int]:
    with site.small.study.database.read() as tx:
        state = tx.value(sa.select(question.c.state).order_by(question.c.id.desc()).limit(1))
        return state, tx.value(sa.select(sa.func.count()).select_from(verification))


def test_the_whole_journey_without_javascript(site: Site, enter: Callable[..., Any]) -> None:
    token = site.small.do(create_invite)
    page = enter(java_script_enabled=False, width=390)
    page.goto(f"/invite/{token}")
    page.fill("#name", "Ada")
    page.fill("#password", "correct horse")
    page.click("text=Make my account")
    page.check("#agree")
    page.click("text=Agree and go on")
    page.locator("text=I have read this: start").first.click()
    page.click("text=Get an image")
    page.fill("#question", "How many dogs?")
    page.click("text=More time")
    assert page.input_value("#question") == "How many dogs?", "typed text comes back without JavaScript too"
    page.press("#question", "Enter")
    assert page.inner_text(".robot .answer") == "two dogs"
    assert not page.locator("#answer").is_visible()
    page.get_by_label("Definitely wrong").check()
    assert page.locator("#answer").is_visible()
    page.fill("#answer", "3")
    page.click("text=Save my judgement")
    assert "You fooled the robot" in page.inner_text("h1")
    assert _fooled(site) == ("VERIFYING", 0)
    site.small.attack(site.small.people[1], "Is it red?")
    page.click("text=Start page")
    page.click("text=Get a question")
    page.fill("#answer", "yes")
    page.check("input[value=yes]")
    page.click("text=Save and stop")
    assert _fooled(site)[1] == 1
    page.click("text=Sign out")
    page.fill("#name", "Ada")
    page.fill("#password", "correct horse")
    page.press("#password", "Enter")
    assert "What would you like to do?" in page.inner_text("h1")


def tab_to(page: Any, name: str) -> None:
    """Press Tab until the element with this text or label has the focus; the focus must be visible."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "() => { const e = document.activeElement; const l = e.labels && e.labels[0]; "
            "return (l ? l.innerText : e.innerText || e.getAttribute('aria-label') || '').trim(); }"
        )
        if focused.startswith(name):
            return
    raise AssertionError(f"no way to {name!r} by Tab on {page.url}")


def test_both_kinds_of_work_by_keyboard_alone(site: Site, enter: Callable[..., Any]) -> None:
    site.small.attack(site.small.people[1], "Is it red?")
    page = enter(site.small.people[0])
    page.goto("/home")
    tab_to(page, "Get an image")
    page.keyboard.press("Enter")
    page.wait_for_url("**/write/*")
    tab_to(page, "Enlarge the image")
    page.keyboard.press("Space")
    tab_to(page, "Ask a question")
    page.keyboard.type("How many dogs?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".robot .answer")
    assert page.evaluate("document.activeElement.className") == "robot", "the focus is on the robot's answer"
    tab_to(page, "✓ Definitely correct")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    tab_to(page, "What is the correct answer?")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=You fooled the robot!")
    tab_to(page, "Start page")
    page.keyboard.press("Enter")
    page.wait_for_url("**/home")
    tab_to(page, "Get a question")
    page.keyboard.press("Enter")
    page.wait_for_url("**/verify/*")
    tab_to(page, "Your answer")
    page.keyboard.type("yes")
    tab_to(page, "Yes")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/home?nothing=verified")
    with site.small.study.database.read() as tx:
        assert tx.value(sa.select(verification.c.confidence)) == "maybe"


def test_single_keys_do_nothing_unless_they_are_switched_on(site: Site, enter: Callable[..., Any]) -> None:
    page = enter(site.small.people[0])
    page.goto("/home")
    page.click("text=Get an image")
    page.fill("#question", "How many dogs?")
    page.press("#question", "Enter")
    page.wait_for_selector(".robot .answer")
    page.keyboard.press("2")
    assert not page.is_checked("input[value=wrong]")
    page.get_by_label("Keyboard shortcuts").check()
    page.locator("h1").click()
    page.keyboard.press("2")
    assert page.is_checked("input[value=wrong]")
    page.keyboard.press("i")
    page.keyboard.type("1z3")
    assert page.input_value("#answer") == "1z3", "keys are off in text fields"
    page.keyboard.press("Tab")
    page.keyboard.press("z")
    assert page.is_checked("#zoom")


def test_drafts_survive_reload_back_a_lost_network_and_a_lost_session(site: Site, enter: Callable[..., Any]) -> None:
    person = site.small.people[0]
    page = enter(person)
    page.goto("/home")
    page.click("text=Get an image")
    page.type("#question", "How many small dogs?")
    assert "20 of 120" in page.inner_text("#question-count")
    page.reload()
    assert page.input_value("#question") == "How many small dogs?"
    page.click("nav >> text=Instructions")
    page.go_back()
    assert page.input_value("#question") == "How many small dogs?"
    page.context.set_offline(True)
    page.click("text=Get robot answer", no_wait_after=True)
    with pytest.raises(playwright.Error):
        page.goto("/home")
    page.context.set_offline(False)
    page.goto("/home")
    page.click("text=Go on with your image")
    assert page.input_value("#question") == "How many small dogs?"
    with site.small.study.database.write() as tx:
        tx.execute(sa.delete(login))
    page.click("text=Get robot answer")
    assert "Please sign in" in page.inner_text("h1")
    assert page.input_value("#typed-1") == "How many small dogs?"
    with site.small.study.database.write() as tx:
        token = start_session(tx, person)
    where = {"url": site.base.replace("http:", "https:"), "secure": True, "httpOnly": True}
    page.context.add_cookies([{"name": site.web.service.cookie, "value": token, **where}])
    page.goto("/home")
    page.click("text=Go on with your image")
    assert page.input_value("#question") == "How many small dogs?"
    page.click("text=Get robot answer")
    page.wait_for_selector(".robot .answer")
    assert _questions(site) == 1
    page.get_by_label("Definitely correct").check()
    page.click("text=Save my judgement")
    assert page.input_value("#question") == "", "what was sent is no draft any more"


def _questions(site: Site) -> int:
    with site.small.study.database.read() as tx:
        return int(tx.value(sa.select(sa.func.count()).select_from(question)))


def test_a_double_click_and_a_second_tab_make_one_row_and_lose_no_text(site: Site, enter: Callable[..., Any]) -> None:
    page = enter(site.small.people[0])
    page.goto("/home")
    page.click("text=Get an image")
    second = page.context.new_page()
    second.goto(page.url)
    page.fill("#question", "How many dogs?")
    page.dblclick("text=Get robot answer")
    page.wait_for_selector(".robot .answer")
    assert _questions(site) == 1
    second.fill("#question", "What does the second tab ask?")
    second.click("text=Get robot answer")
    assert "Judge the robot's answer" in second.inner_text(".alert")
    assert second.inner_text(".typed") == "What does the second tab ask?"
    assert _questions(site) == 1


def test_a_lost_lease_shows_what_came_too_late(site: Site, enter: Callable[..., Any]) -> None:
    page = enter(site.small.people[0])
    page.goto("/home")
    page.click("text=Get an image")
    page.fill("#question", "Too late, is it?")
    site.small.do(release_image, site.small.people[0], 1, "test")
    page.click("text=Get robot answer")
    assert page.inner_text(".typed") == "Too late, is it?"


def test_the_lease_clock_warns_a_minute_before_the_end(site: Site, enter: Callable[..., Any]) -> None:
    site.small.do(claim_image, site.small.people[0])
    page = enter(site.small.people[0])
    page.goto("/write/1")
    assert not page.locator(".lease-warning").is_visible()
    site.small.clock.pass_seconds(19 * 60 + 20)
    page.reload()
    page.wait_for_selector(".lease-warning:visible")
    page.fill("#question", "Is there more time?")
    page.click("text=More time")
    assert "more time now" in page.inner_text(".notice")
    assert page.input_value("#question") == "Is there more time?"
    assert re.fullmatch(r"20:00|19:\d\d", page.inner_text(".lease-clock"))


def test_a_pending_question_shows_and_the_page_looks_again(site: Site, enter: Callable[..., Any]) -> None:
    site.small.do(claim_image, site.small.people[0])
    call = site.small.do(ask, site.small.people[0], 1, "Still thinking?")
    page = enter(site.small.people[0])
    page.add_init_script("const real = setTimeout; window.setTimeout = (f, ms) => real(f, ms === 1500 ? 1e8 : ms);")
    page.goto("/write/1")
    assert "The robot is thinking" in page.inner_text(".waiting")
    assert violations(page) == []
    page = page.context.new_page()
    page.goto("/write/1")
    site.web.service.robots.ask(call)
    page.wait_for_selector(".robot .answer")


def test_hostile_text_is_never_run(site: Site, enter: Callable[..., Any]) -> None:
    site.web.robots.say = lambda call: Prediction(call.question_id, call.text)
    small, texts = site.small, hostile_texts()[:20]
    for number, text in enumerate(texts):
        person = small.people[number % 5]
        task = small.do(claim_image, person)
        site.web.service.robots.ask(small.do(ask, person, task.session_id, text))
        if number < 15:
            small.do(judge, person, number + 1, "correct")
    owner = enter(small.owner)
    for path in ("/owner/examples", *(f"/owner/examples/{n}" for n in (1, 5, 9))):
        owner.goto(path)
        assert owner.evaluate("window.evil") is None, path
    for person, text in zip(small.people, texts[15:], strict=False):
        page = enter(person)
        page.goto("/home")
        page.click("text=Go on with your image")
        assert page.inner_text(".robot .answer").split() == text.split()
        assert page.evaluate("window.evil") is None, text
