"""axe finds no violation on any page, at any width, in light and dark; no page is wider than its window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser_site import ALL, COLOURS, Site, violations
from recipes import ask_for_quiz
from starlette.routing import Route
from survey_study import image, pairs, right, survey

from askew.audit.label_sample import sampled_labels
from askew.collect.moderation import exclude, quarantine, report_image
from askew.collect.quiz import quiz_for
from askew.collect.stats.page import write_statistics
from askew.collect.stats.statistics import opened_source, statistics
from askew.collect.surveys.audit_items import audit_drafts
from askew.collect.surveys.create import SurveyPlan, create_survey
from askew.collect.web import visit as visit_module
from askew.collect.web.app import PAGES, _endpoint
from askew.collect.web.failures import Failure, failure_page
from askew.collect.web.login import Platform, create_invite
from askew.collect.web.visit import Visit
from askew.collect.writing import claim_image
from askew.files.read_write import resource

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")

TEMPLATES = Path(visit_module.__file__).parent / "templates"
PARTS = {"base.html", "parts.html", "keys.html"}
DARK = {"/sign-in", "/home", "/instructions", "/my-work", "/owner", "/owner/examples", "/owner/examples/1", "/nothing"}
"""Pages whose colours are looked at in the dark too; together they have every colour."""
LONG, RIGHT_TO_LEFT = "Donaudampfschifffahrtsgesellschaftskapitänsmütze", "هل الكلب الصغير على اليسار من الشجرة؟ 🐕"


def overflows(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


def enlarged(page: Any) -> None:
    """Text at 200 %, as a browser zooms it (WCAG 1.4.4)."""
    page.evaluate("document.documentElement.style.fontSize = '200%'")


def furnished(site: Site) -> dict[str, list[str]]:
    """A study in which every page has content, and the addresses to check for each kind of person."""
    small, people = site.small, site.small.people
    small.attack(people[5], "Is the ball red?")
    small.attack(people[5], "How many?", verdict="correct")
    small.do(claim_image, people[0])
    small.do(quarantine, small.owner, 1, "odd")
    small.verify_all()
    token = small.do(create_invite)
    platform = small.do(create_invite, platform=Platform("CODE-1"))
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
            *("/owner/set-up", "/owner/round/1/freeze", "/owner/round/1/freeze?preview=yes", "/owner/releases"),
            *("/owner/payments", "/owner/payments?session=x", "/owner/tokens"),
        ],
    }


def test_axe_finds_no_violation_and_no_page_is_wider_than_320_pixels(
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
            enlarged(wide)
            assert not overflows(wide), (who, path)
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
    survey(site.small)
    _look_at_batch(site, enter(site.small.people[1]), ALL)
    _look_at_batch(site, enter(site.small.people[2], width=320, color_scheme="dark"), COLOURS)
    ask_for_quiz(site.web)
    _look_at_quiz(site, enter(site.small.people[1]), site.small.people[1], ALL)
    _look_at_quiz(site, enter(site.small.people[2], width=320, color_scheme="dark"), site.small.people[2], COLOURS)
    assert {path.name for path in TEMPLATES.glob("*.html")} - PARTS - seen == set(), "templates no one looked at"


def _look_at_batch(site: Site, page: Any, rules: str) -> None:
    """A batch by keyboard alone: incomplete, with wrong gold, sent; and its address afterwards."""

    def look() -> None:
        assert violations(page, rules) == [], page.url
        assert not overflows(page), page.url

    def press_send() -> None:
        page.get_by_role("button", name="Send all answers").focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")
        look()

    page.goto("/home")
    look()
    page.get_by_role("button", name="Get a list of questions").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    address = page.url
    look()
    press_send()
    assert "have no answer yet" in page.inner_text("[role=alert]")
    questions = page.locator(".quiz-item")
    for answers in (lambda text: {"yes": "no", "no": "yes"}[right(text)], right):
        for place in range(questions.count()):
            text = questions.nth(place).locator(".the-question").inner_text()
            number = questions.nth(place).get_attribute("id")
            page.locator(f'[name="{number}-answer"]').first.focus()
            page.keyboard.press("Space")
            if answers(text) == "no":
                page.keyboard.press("ArrowRight")
            else:
                assert page.locator(f'[name="{number}-answer"][value="0"]').is_checked()
        press_send()
        if answers is not right:
            assert "known answer" in page.inner_text("[role=alert]")
    assert "Sent, thank you" in page.inner_text("[role=status]")
    page.get_by_text("Report a question, or give").click()
    look()
    page.goto(address)
    assert "Take the next questions" in page.inner_text("h1")
    look()
    page.goto("/my-work")
    look()
    site.small.clock.pass_seconds(1)


def test_the_page_of_an_audit(site: Site, enter: Callable[..., Any]) -> None:
    """Judges see the original beside the variant, and its image if that was changed."""
    small = site.small
    groups = pairs(small.study.folder.parent / "audited", 3)
    changed = replace(groups[0].variants[0].question, image=image(small.study.folder.parent / "audited", 77))
    groups[0] = replace(groups[0], variants=(replace(groups[0].variants[0], question=changed),))
    drafts = audit_drafts(small.study, sampled_labels(groups, 9, 0), 0, 0)
    create_survey(small.study, "audit", "pairs", [], drafts, SurveyPlan(3, 6, 0), 0)
    small.clock.pass_seconds(1)
    for person, width, rules in ((0, 1280, ALL), (1, 320, COLOURS)):
        page = enter(small.people[person], width=width, color_scheme="light" if width > 320 else "dark")
        page.goto("/home")
        with page.expect_navigation():
            page.get_by_role("button", name="Get a list of questions").click()
        assert page.locator("img.before").count() == 1
        assert violations(page, rules) == []
        assert not overflows(page)
    small.clock.pass_seconds(1)


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
                page.keyboard.press("Tab")  # skip the link to the next image
        with page.expect_navigation():
            page.keyboard.press("Enter")
        if fails:
            assert page.get_by_text("Hint:").count() == len(items)
    assert "You passed" in page.inner_text("main")
    assert violations(page, rules) == []
    site.small.clock.pass_seconds(1)


def _look_at_work(site: Site, page: Any, rules: str) -> None:
    """Every state of the two pages on which people work."""

    def send(button: Any) -> None:
        """Press a button that leads to a page, and wait for the page; it may show the robot's answer only later."""
        with page.expect_navigation():
            button.click()
        page.locator("[data-poll]").wait_for(state="detached")

    def look() -> None:
        assert violations(page, rules) == [], page.url
        assert not overflows(page), page.url
        if rules == ALL:
            enlarged(page)
            assert not overflows(page), page.url

    page.goto("/home")
    send(page.locator("section", has_text="Fool the robot").locator("button, a.button"))
    look()
    page.get_by_text("Skip or report this image").click()
    look()
    page.fill("#question", "How many dogs?")
    send(page.locator("text=Get robot answer"))
    look()
    page.get_by_label("Definitely wrong").check()
    page.get_by_text("The robot’s full reply").click()
    page.get_by_label("Enlarge the image").check()
    look()
    send(page.get_by_role("button", name="Save my judgement"))  # without an answer
    look()
    page.get_by_label("Definitely correct").check()
    send(page.get_by_role("button", name="Save my judgement"))
    look()
    page.fill("#question", "How many dogs are there?")
    send(page.locator("text=Get robot answer"))
    page.get_by_label("Definitely wrong").check()
    page.fill("#answer", "3")
    send(page.get_by_role("button", name="Save my judgement"))
    assert "You fooled the robot" in page.inner_text("h1")
    look()
    small = site.small
    small.attack(small.people[1], f"Is it number {page.viewport_size['width']}?")
    page.goto("/home")
    send(page.locator("text=Get a question"))
    look()
    page.get_by_text("Skip or report").click()
    look()
    address = page.url
    page.fill("#answer", "yes")
    page.get_by_label("Maybe").check()
    send(page.locator("text=Save and stop"))
    page.goto(address)
    assert "Take the next question" in page.inner_text("h1")
    look()
    site.small.clock.pass_seconds(1)


def test_failures_and_rare_states(site: Site, enter: Callable[..., Any]) -> None:
    """Every kind of failure, with long and right-to-left text; excluded people; a stranger."""
    small, web = site.small, site.web
    web.service.name = f"{LONG} {RIGHT_TO_LEFT}"
    small.attack(small.people[1], f"{LONG}?", answer=LONG)
    small.attack(small.people[1], RIGHT_TO_LEFT, robot=RIGHT_TO_LEFT)
    small.do(exclude, small.people[2], LONG)
    cases = (name.partition(" ") for name in resource("collect/web/failures.yaml"))
    failures = [(int(status), why) for status, _, why in cases if status != "401"]
    number = iter(range(2 * len(failures)))

    def failing(visit: Visit) -> Any:
        status, why = failures[next(number) % len(failures)]
        text = {"question": RIGHT_TO_LEFT, "answer": LONG}
        shown = replace(visit, form=text) if why != "opened" else visit
        return failure_page(shown, Failure(status, why, seconds=30 * (status == 429), number="1a2b" * (status == 500)))

    page = next(one for one in PAGES if one.path == "/finish")
    route = Route("/finish", _endpoint(web.service, replace(page, show=failing)))
    web.app.app.router.routes.insert(0, route)
    for width, scheme, rules in ((1280, "light", ALL), (320, "dark", COLOURS)):
        worker = enter(small.people[0], width=width, color_scheme=scheme)
        for key in failures:
            worker.goto("/finish")
            if key in (failures[0], failures[-1]):  # they share a page
                assert violations(worker, rules) == [], key
            assert not overflows(worker), key
        for person, path in (
            (None, "/my-work"),
            (small.people[0], "/write"),
            (small.people[1], "/my-work"),
            (small.people[2], "/home"),
            (small.owner, "/owner/examples"),
            (small.owner, "/owner/examples/1"),
            (small.owner, f"/owner/people/{small.people[2]}"),
        ):
            page_ = enter(person, width=width, color_scheme=scheme)
            page_.goto(path)
            assert violations(page_, rules) == [], (person, path)
            assert not overflows(page_), (person, path)


def test_the_page_of_statistics(site: Site, browser: Any, tmp_path: Path) -> None:
    """No axe violation in light and dark; not wider than a phone, nor than the window at 200 %."""
    for number in range(6):
        site.small.attack(
            site.small.people[number % 3], f"Is it number {number}?", verdict="wrong" if number else "unsure"
        )
    site.small.verify_all()
    with opened_source(site.small.study.folder) as source:
        write_statistics(statistics(source), tmp_path / "stats")
    for width, scheme in ((1280, "light"), (320, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        page.goto((tmp_path / "stats" / "stats.html").as_uri())
        assert violations(page) == []
        assert not overflows(page)
        if width > 320:
            enlarged(page)
            assert not overflows(page)
        context.close()
