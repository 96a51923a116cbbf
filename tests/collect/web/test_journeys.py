"""Journeys through the service as plain form posts, as a browser without JavaScript sends them."""

from __future__ import annotations

import re
from dataclasses import replace

from web_study import WebStudy

from askew.collect import verify_queue
from askew.collect.moderation import exclude
from askew.collect.rounds import change_round
from askew.collect.schema import annotator, question
from askew.collect.web.login import create_invite, owner_link
from askew.collect.web.pages import verify
from askew.collect.writing import claim_image


def test_an_invited_person_goes_from_the_link_to_a_fooled_robot_and_others_verify(anywhere: WebStudy) -> None:
    web = anywhere
    token = web.small.do(create_invite)
    ada = web.browser()
    page = ada.get(f"/invite/{token}")
    assert "You are invited" in page.html
    page = ada.post(f"/invite/{token}", page.form_value(), name="Ada", password="correct horse")
    assert (page.status, page.location) == (303, "/home")
    assert ada.get("/home").location == "/consent"
    page = ada.get("/consent")
    version = re.search(r'name="version" value="(\w+)"', page.html).group(1)
    assert ada.post("/consent", page.form_value("/consent"), agree="", version=version).status == 422
    assert ada.post("/consent", page.form_value("/consent"), agree="yes", version=version).status == 303
    assert "Valid" in ada.get("/instructions?first=1").html
    page = ada.get("/home")
    page = ada.post("/write", page.form_value("/write"))
    assert page.location == "/write/1"
    page = ada.get("/write/1")
    assert "Try 1 of 5" in page.html
    page = ada.post("/write/1/ask", page.form_value("/write/1/ask"), question="What colour is it?")
    assert page.location == "/write/1"
    page = ada.get("/write/1")
    assert "blue" in page.html
    assert "What colour is it?" in page.html
    page = ada.post("/write/1/judge", page.form_value("/judge"), **{"try": "1"}, verdict="wrong", answer="red")
    page = ada.get("/write/1")
    assert "You fooled the robot!" in page.html
    for person in web.small.people[:2]:
        other = web.browser(person)
        page = other.post("/verify", other.get("/home").form_value("/verify"))
        page = other.get(page.location)
        assert "What colour is it?" in page.html
        action = re.search(r'action="(/verify/[^"]+)/answer"', page.html).group(1)
        page = other.post(f"{action}/answer", page.form_value("/answer"), answer="red", confidence="yes", then="next")
        assert page.location == "/home?nothing=verified"
    with web.small.study.database.read() as tx:
        assert tx.value(question.select().with_only_columns(question.c.state)) == "VERIFIED"
    web.small.check()
    owner = web.browser(web.small.owner)
    for path in ("/owner", "/owner/examples?q=COLOUR", "/owner/examples/1", "/owner/people", "/owner/people/1"):
        assert owner.get(path).status == 200, path
    ada.person = 1
    for path in ("/home", "/my-work", "/my-work/data.json"):
        assert ada.get(path).status == 200, path


def test_the_owner_link_makes_one_owner_and_works_once(anywhere: WebStudy) -> None:
    web = anywhere
    with web.small.study.database.write() as tx:
        tx.execute(annotator.update().where(annotator.c.role == "owner").values(role="annotator"))
        token = owner_link(tx)
    first, second = web.browser(), web.browser()
    page = first.get(f"/invite/{token}")
    assert "owner account" in page.html
    page = first.post(f"/invite/{token}", page.form_value(), name="Grace", password="correct horse")
    first.person = 1
    assert first.get("/owner").status == 200
    page = second.get(f"/invite/{token}")
    assert page.status == 409
    assert "used already" in page.html
    assert "What was saved" not in page.html, "nothing was sent"
    assert 'href="/sign-in"' in page.html


def test_a_judgement_of_an_earlier_answer_is_not_put_into_the_form_for_the_next(web: WebStudy) -> None:
    """A second tab still shows the first answer; what it sends is shown, but nothing is chosen for the second."""
    browser = web.browser(web.small.people[0])
    work = browser.post("/write").location
    for text, verdict in (("Is it red?", "unsure"), ("Is it round?", "")):
        browser.post(f"{work}/ask", question=text)
        if verdict:
            browser.post(f"{work}/judge", verdict=verdict, **{"try": "1"})
    page = browser.post(f"{work}/judge", verdict="wrong", answer="dark blue", **{"try": "1"})
    assert page.status == 409
    assert '<p class="typed" dir="auto">dark blue</p>' in page.html
    assert " checked" not in page.html
    page = browser.post(f"{work}/judge", verdict="wrong", answer="", **{"try": "2"})
    assert page.status == 422
    assert 'value="wrong" required checked' in page.html


def test_reports_thank_the_reporter_and_an_owner_decides(web: WebStudy) -> None:
    browser, owner = web.browser(web.small.people[0]), web.browser(web.small.owner)
    work = browser.post("/write").location
    browser.post(f"{work}/report", reason="It shows private information")
    assert "Thank you for the report" in browser.get(work).html
    page = owner.get("/owner/examples").html
    number = page.partition("/owner/images/")[2].partition("/")[0]
    for decision, then in (("hide", "Show it again"), ("keep", "Examples")):
        assert owner.post(f"/owner/images/{number}/resolve", decision=decision).status == 303
        assert then in owner.get("/owner/examples").html
    assert "Reported images" not in owner.get("/owner/examples").html


def test_every_reason_to_skip_a_question_has_words() -> None:
    assert set(verify.REASONS) == set(verify_queue.REASONS)


def test_pages_of_owners_show_the_study(web: WebStudy) -> None:
    web.small.attack(web.small.people[0], "Is it <b>red</b>?")
    web.small.verify_all()
    owner = web.browser(web.small.owner)
    for path in ("/owner", "/owner/examples", "/owner/examples/1", "/owner/people", "/owner/people/1"):
        page = owner.get(path)
        assert page.status == 200, (path, page.html)
        assert "<b>red</b>" not in page.html
    assert "robot 0" in owner.get("/owner").html
    page = owner.get("/owner/examples?q=RED&state=VERIFIED")
    assert "Is it &lt;b&gt;red&lt;/b&gt;?" in page.html
    assert "Nothing found" in owner.get("/owner/examples?q=purple").html
    assert "Nothing found" in owner.get("/owner/examples?q=%25").html


def test_pages_of_failures_fit_what_was_done(web: WebStudy) -> None:
    """The links of the person stay; a page that was only opened speaks of no text; nothing is said twice."""
    person = web.browser(web.small.people[0])
    pages = {404: person.get("/nothing"), 405: person.get("/write"), 413: person.post("/write", question="x" * 70_000)}
    for status, page in pages.items():
        assert page.status == status
        assert 'href="/my-work"' in page.html, status
    web.service.buckets.take("posts:1", 1)
    web.service.limits = replace(web.service.limits, posts=1)
    page = web.browser(web.small.people[0]).post("/write")
    assert page.status == 429
    assert page.html.count("Wait ") == 1
    with web.small.study.database.write() as tx:
        tx.connection.exec_driver_sql("ALTER TABLE place RENAME TO gone")
    page = person.get("/home")
    assert page.status == 503
    assert "reload the page" in page.html
    assert "your text" not in page.html


def test_home_says_why_there_is_nothing_to_do(anywhere: WebStudy) -> None:
    web, small = anywhere, anywhere.small
    small.do(exclude, small.people[5], "spam")
    page = web.browser(small.people[5]).get("/home")
    assert "You no longer take part in this study" in page.html
    assert "<button" not in page.html.partition("<main")[2], "no work is offered, though there is some"
    for person in small.people[1:4]:
        small.do(claim_image, person)
    assert "Other people hold what is left" in web.browser(small.people[0]).get("/home?nothing=write").html
    small.do(exclude, small.people[1], "spam")
    assert "Next image" not in web.browser(small.people[1]).get("/write/1").html
    assert "Get an image" in web.browser(small.people[0]).get("/home").html
    small.do(change_round, small.round_id, "DRAINING")
    assert "No round of the study is open" in web.browser(small.people[0]).get("/home").html
