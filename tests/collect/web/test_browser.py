"""The pages in a real browser: journeys without JavaScript and by keyboard alone; no typed text is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from browser_site import Site, violations
from hostile_texts import hostile_texts

from askew.collect.schema import login, question, verification
from askew.collect.web.login import create_invite, start_session
from askew.collect.writing import ask, claim_image, judge, release_image
from askew.types import Prediction

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
BOTH = pytest.mark.parametrize("site", ["sqlite", "postgres"], indirect=True)
"""The databases; what only the page does is tried on one."""


def _fooled(site: Site) -> tuple[str, int]:
    with site.small.study.database.read() as tx:
        state = tx.value(sa.select(question.c.state).order_by(question.c.id.desc()).limit(1))
        return state, tx.value(sa.select(sa.func.count()).select_from(verification))


@BOTH
def test_the_whole_journey_without_javascript(site: Site, enter: Callable[..., Any]) -> None:
    token = site.small.do(create_invite)
    page = enter(java_script_enabled=False, width=390)
    page.goto(f"/invite/{token}")
    page.fill("#name", "Ada")
    page.fill("#password", "correct horse")
    page.click("text=Create my account")
    page.check("#agree")
    page.click("text=Agree and continue")
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
    image, frame = (page.locator(place).bounding_box()["width"] for place in (".frame img", ".frame"))
    assert image > 2 * frame
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


@BOTH
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
    with page.expect_event("requestfailed"):  # otherwise it may be sent when the network is back
        page.click("text=Get robot answer", no_wait_after=True)
    with pytest.raises(playwright.Error):
        page.goto("/home")
    page.context.set_offline(False)
    page.goto("/home")
    page.click("text=Continue with your image")
    assert page.input_value("#question") == "How many small dogs?"
    with site.small.study.database.write() as tx:
        tx.execute(sa.delete(login))
    page.click("text=Get robot answer")
    assert "Please sign in" in page.inner_text("h1")
    assert page.inner_text(".typed") == "How many small dogs?"
    with site.small.study.database.write() as tx:
        token = start_session(tx, person)
    where = {"url": site.base.replace("http:", "https:"), "secure": True, "httpOnly": True}
    page.context.add_cookies([{"name": site.web.service.cookie, "value": token, **where}])
    page.goto("/home")
    page.click("text=Continue with your image")
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


@BOTH
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


def test_a_lost_lease_shows_the_text_that_came_too_late(site: Site, enter: Callable[..., Any]) -> None:
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


def test_a_pending_question_is_shown_and_the_page_reloads(site: Site, enter: Callable[..., Any]) -> None:
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


def test_hostile_text_is_never_executed(site: Site, enter: Callable[..., Any]) -> None:
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
        page.click("text=Continue with your image")
        assert page.inner_text(".robot .answer").split() == text.split()
        assert page.evaluate("window.evil") is None, text
