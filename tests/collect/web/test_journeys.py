"""Journeys through the service as plain form posts, as a browser without JavaScript sends them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from recipes import RECIPES
from web_study import WebStudy

from askew.collect import verify_queue
from askew.collect.database import Database
from askew.collect.freeze import freeze
from askew.collect.moderation import exclude
from askew.collect.protocol import DatabaseBusy
from askew.collect.rounds import change_round, create_round
from askew.collect.schema import annotator, question
from askew.collect.verifying import claim_slot
from askew.collect.verifying import verify as verify_answer
from askew.collect.web.app import PAGES
from askew.collect.web.login import Platform, create_invite, owner_link
from askew.collect.web.pages import verify
from askew.collect.web.visit import Visit
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
    assert "has already been used" in page.html
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
    assert "Wait a few seconds, then try again." in page.html
    assert "save this" not in page.html


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


def busy(*_: object) -> None:
    raise DatabaseBusy("busy")


def test_a_page_that_failed_can_be_opened_again_and_a_form_sent_again(
    web: WebStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a button, without JavaScript; passwords are never repeated in a page."""
    recipe, signing_in = RECIPES["/write/{session:int}/ask"](web), RECIPES["/sign-in"](web)
    with monkeypatch.context() as patch:
        patch.setattr(Database, "read", busy)
        page = recipe.browser.get("/my-work?before=9&done=x")
        assert page.status == 503
        assert 'href="/my-work?before=9&amp;done=x">Try again</a>' in page.html
        page = recipe.browser.post(recipe.path, question="What is <it>?")
        assert page.status == 503
        assert 'action="/write/1/ask"' in page.html
        refused = signing_in.browser.post(signing_in.path, **signing_in.fields)
        assert refused.status == 503
        assert "Send it again" not in refused.html
        assert signing_in.fields["password"] not in refused.html
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.html))
    assert fields.pop("question") == "What is &lt;it&gt;?"
    assert recipe.browser.post(recipe.path, fields["form"], question="What is <it>?").status == 303
    assert "blue" in recipe.browser.get("/write/1").html


def test_the_address_of_a_form_opens_the_page_above_it(web: WebStudy) -> None:
    """After an error the browser shows the address of the form; opening it again leads back to the work."""
    browser = web.browser(web.small.people[0])
    work = browser.post("/write").location
    assert browser.post(f"{work}/ask", question="").status == 422
    assert (browser.get(f"{work}/ask").status, browser.get(f"{work}/ask").location) == (303, work)
    opened = {page.path for page in PAGES if page.method == "GET"}
    for page in PAGES:
        if page.path not in opened and page.path.count("/") > 1:
            answer = browser.get(re.sub("{[^}]*}", "1", page.path))
            assert answer.status == 303, page.path
    assert browser.get("/verify/%C3%A9%0D%0A/answer").location == "/verify/%C3%A9%0D%0A"
    assert browser.get("/write").status == 405
    assert "cannot be opened" in browser.get("/write").html
    assert "receives no forms" in browser.post("/my-work").html


def test_an_error_in_the_page_of_an_error_is_still_a_sentence(
    web: WebStudy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    browser = web.browser(web.small.people[0])
    monkeypatch.setattr(Visit, "render", lambda *_, **__: 1 / 0)
    page = browser.get("/home")
    assert page.status == 500
    number = re.fullmatch(r"Something went wrong on our side \(error (\w+)\)\. Go back and try again\.\n", page.html)
    assert number is not None, page.html
    assert number.group(1) in caplog.text


def test_the_last_question_skipped_or_answered_too_late_is_not_called_saved(web: WebStudy) -> None:
    recipe = RECIPES["/verify/{task}/skip"](web)
    page = recipe.browser.post(recipe.path, **recipe.fields)
    assert page.location == "/home?nothing=skipped"
    assert "Skipped. There is no further question" in recipe.browser.get(page.location).html
    late = web.browser(web.small.people[2])
    address = late.post("/verify").location
    web.small.clock.pass_seconds(3600)
    for person in web.small.people[3:5]:
        task = web.small.do(claim_slot, person)
        web.small.do(verify_answer, person, task.question_id, "no", "yes")
    page = late.post(f"{address}/answer", answer="red", confidence="yes", then="next")
    assert page.location == "/home?nothing=late"
    assert "too late to count" in late.get(page.location).html


def test_an_answer_to_a_question_that_was_skipped_in_another_tab_is_shown_again(web: WebStudy) -> None:
    recipe = RECIPES["/verify/{task}/skip"](web)
    recipe.browser.post(recipe.path, **recipe.fields)
    page = recipe.browser.post(recipe.path.replace("/skip", "/answer"), answer="dark red", confidence="yes")
    assert page.status == 409
    assert '<p class="typed" dir="auto">dark red</p>' in page.html
    assert "Next question" in page.html


def test_a_changed_consent_text_is_not_a_welcome(web: WebStudy) -> None:
    browser = web.browser(web.small.people[0])
    (web.small.study.folder / "consent.txt").write_text("Contact. write@example.org", encoding="utf-8")
    assert browser.get("/home").location == "/consent"
    assert "The consent text has changed" in browser.get("/consent").html
    assert "Welcome" in web.browser(web.small.people[1], consent=False).get("/consent").html


def test_excluded_people_see_it_at_once_keep_their_data_and_can_delete_their_account(web: WebStudy) -> None:
    browser, other = web.browser(web.small.people[0]), web.browser(web.small.people[1])
    work = browser.post("/write").location
    web.small.do(exclude, web.small.people[0], "spam")
    page = browser.post(f"{work}/ask", question="What is it?")
    assert page.status == 403
    assert page.html.count("You no longer take part in this study") == 2, "in the title and the heading, not again"
    assert "What is it?" in page.html
    assert "You no longer take part in this study" in browser.get("/home").html
    assert '<a class="button" href="/my-work">My work</a>' in browser.get(work).html
    assert browser.get("/my-work/data.json").status == 200
    assert browser.post("/my-work/delete", sure="yes", work="remove").status == 200
    assert browser.get("/my-work").status == 401
    assert other.get("/home").status == 200
    web.small.check()


def test_a_platform_link_without_an_id_offers_no_button_that_cannot_work(web: WebStudy) -> None:
    token = web.small.do(create_invite, platform=Platform("CODE-1"))
    page = web.browser().get(f"/invite/{token}")
    assert page.status == 422
    assert "Open this link from the platform" in page.html
    assert "Begin</button>" not in page.html
    assert "Begin</button>" in web.browser().get(f"/invite/{token}?PROLIFIC_PID=1").html


def test_a_refused_invite_keeps_what_the_owner_chose(web: WebStudy) -> None:
    page = web.browser(web.small.owner).post("/owner/people", role="owner", days="90", code="CODE-1")
    assert page.status == 422
    assert "Owners need no code" in page.html
    assert 'value="CODE-1"' in page.html
    assert '<option value="90" selected>' in page.html
    assert '<option value="owner" selected>' in page.html


def test_a_question_can_be_withdrawn_until_somebody_verifies_it_or_the_round_is_frozen(anywhere: WebStudy) -> None:
    web, small = anywhere, anywhere.small
    for n, verdict in enumerate(("correct", "unsure", "correct")):
        small.attack(small.people[0], f"Is number {n} red?", verdict=verdict)
    small.attack(small.people[1], "Is it round?")
    small.do(claim_slot, small.people[2])
    author, other = web.browser(small.people[0]), web.browser(small.people[1])
    assert author.get("/my-work").html.count("Withdraw</button>") == 3
    assert "Withdraw</button>" not in other.get("/my-work").html
    page = author.post("/my-work/1/withdraw")
    assert "The question was withdrawn." in author.get(page.location).html
    assert author.get("/my-work").html.count("Withdraw</button>") == 2
    small.do(change_round, small.round_id, "DRAINING")
    assert author.get("/my-work").html.count("Withdraw</button>") == 2
    small.do(freeze, small.round_id, seed=0, drop_incomplete=True)
    assert "Withdraw</button>" not in author.get("/my-work").html
    assert author.post("/my-work/2/withdraw").status == 409


def test_the_monitor_leads_to_the_next_step(web: WebStudy) -> None:
    small, owner = web.small, web.browser(web.small.owner)
    assert 'href="/owner/round/1/freeze?preview=yes"' in owner.get("/owner").html
    assert owner.post("/owner/round/1/state", to="DRAINING").status == 303
    assert "Everything is verified. Freeze it after a preview." in owner.get("/owner").html
    assert "Prepare and open one on" in owner.get("/home").html
    small.do(freeze, small.round_id, seed=0)
    assert 'Export it on <a href="/owner/releases">' in owner.get("/owner").html
    small.do(create_round, small.models)
    assert 'it has no images. See <a href="/owner/set-up">' in owner.get("/owner").html
    assert "askew collect" not in owner.get("/owner").html, "no step needs a terminal"


def test_the_monitor_says_how_many_people_are_missing(web: WebStudy) -> None:
    small, owner = web.small, web.browser(web.small.owner)
    assert "stay unfinished" not in owner.get("/owner").html
    for person in small.people[1:]:
        small.do(exclude, person, "spam")
    assert "only 2 people take part" in owner.get("/owner").html
    assert "at least 1 more" in owner.get("/owner").html
    small.attack(small.people[0])
    small.do(change_round, small.round_id, "DRAINING")
    assert "Leave out what is not finished." in owner.get("/owner/round/1/freeze").html
