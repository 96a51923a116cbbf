"""Quiz and gold questions in the browser: the journey, and that nobody can tell a gold question from another."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import sqlalchemy as sa
from recipes import ask_for_quiz
from web_study import Browser, WebStudy

from askew.collect.prepared_items import add_gold
from askew.collect.quiz import quiz_for
from askew.collect.schema import annotator, gold_result, image


def with_gold(web: WebStudy, count: int = 8, rate: int = 100) -> None:
    """Gold questions about the study's last image, whose answer is "red", and one real question."""

    def add(tx):
        sha256 = tx.value(sa.select(image.c.sha256).order_by(image.c.id.desc()).limit(1))
        for n in range(count):
            add_gold(tx, (sha256, ".png"), f"What color is number {n}?", ["red"])

    web.small.do(add)
    web.small.attack(web.small.people[0], "What color is this?")
    settings = web.small.look(lambda tx: tx.settings)
    web.service.database._settings = replace(settings, gold_first_percent=rate, gold_least_percent=min(rate, 5))


def set_rate(web: WebStudy, rate: int) -> None:
    settings = web.small.look(lambda tx: tx.settings)
    web.service.database._settings = replace(settings, gold_first_percent=rate, gold_least_percent=rate)


def plain(html: str) -> str:
    """A page without the parts that differ between any two tasks: reference, form values, image, question."""
    html = re.sub(r"/verify/[\w=.-]+", "/verify/REF", html)
    html = re.sub(r'(name="form" value|data-draft)="[^"]+"', "", html)
    html = re.sub(r"/image/[0-9a-f]{64}", "/image/X", html)
    return re.sub(r"What color is (this|number \d)\?", "QUESTION", html)


def test_a_gold_question_looks_like_any_other(web: WebStudy) -> None:
    """Page, address, headers and sizes: the same but for image and question; skipping and extending work alike."""
    with_gold(web)
    set_rate(web, 0)
    real = web.browser(web.small.people[1])
    start = real.post("/verify")
    set_rate(web, 100)
    gold = web.browser(web.small.people[2])
    other = gold.post("/verify")
    assert (start.status, len(start.location)) == (other.status, len(other.location))
    pages = [(real.get(start.location), gold.get(other.location))]
    pages.append((real.post(f"{start.location}/extend", answer="x"), gold.post(f"{other.location}/extend", answer="x")))
    pages.append((real.post(f"{start.location}/answer"), gold.post(f"{other.location}/answer")))
    pages.append((real.get("/home"), gold.get("/home")))
    assert "What color is number" in pages[0][1].html
    assert "What color is this" in pages[0][0].html
    for one, two in pages:
        assert one.status == two.status
        assert plain(one.html).replace("person-1", "person-2") == plain(two.html)
        assert {k: v for k, v in one.headers.items() if k != "content-length"}.keys() == two.headers.keys() - {
            "content-length"
        }
    for browser, address in ((real, start.location), (gold, other.location)):
        image = re.search(r'"(/image/[0-9a-f]{64})"', browser.get(address).html)
        assert browser.get(image.group(1)).status == 200
    assert real.post(f"{start.location}/skip", reason="other").status == 303
    assert gold.post(f"{other.location}/skip", reason="other").status == 303
    web.small.check()


def test_gold_answers_count_as_work_and_leak_nothing(web: WebStudy) -> None:
    with_gold(web)
    verifier = web.browser(web.small.people[1])
    address = verifier.post("/verify").location
    address = verifier.post(f"{address}/answer", answer="red", confidence="yes", then="next").location
    pages = [verifier.get(path) for path in (address, "/home", "/my-work", "/my-work/data.json")]
    assert "1 question answered" in pages[0].html
    assert "What color is number" in pages[2].html
    for page in pages:
        shown = page.html + str(dict(page.headers))
        assert not re.search("gold|passed|strike", shown, re.IGNORECASE), shown


def test_a_careless_person_is_excluded_after_four_wrong_answers(web: WebStudy) -> None:
    """No error page is shown in between, and sending the last form again changes nothing."""
    with_gold(web)
    person = web.small.people[1]
    browser = web.browser(person)
    address = browser.post("/verify").location
    for _ in range(3):
        page = browser.post(f"{address}/answer", answer="blue", confidence="yes", then="next")
        address = page.location.partition("?")[0]
    value = browser.value()
    last = [browser.post(f"{address}/answer", value, answer="blue", confidence="yes", then="next") for _ in range(2)]
    assert [(page.status, page.location) for page in last] == 2 * [(303, "/home")]
    assert "You no longer take part in this study" in browser.get("/home").html
    row = web.small.look(lambda tx: tx.first(sa.select(annotator).where(annotator.c.id == person)))
    assert row.excluded_reason == "gold questions: 4 of 4 answers wrong"
    passed = web.small.look(lambda tx: Counter(one.passed for one in tx.rows(sa.select(gold_result))))
    assert passed == {False: 4}
    owner = web.browser(web.small.owner)
    assert "0<small> of 4</small>" in owner.get(f"/owner/people/{person}").html
    assert "0 of 4" in owner.get("/owner/people").html
    web.small.check()


def test_agreement_is_on_the_owners_pages(web: WebStudy) -> None:
    web.small.attack(web.small.people[0])
    web.small.verify_all("no")
    owner = web.browser(web.small.owner)
    assert "100 %" in owner.get("/owner/people").html
    assert "100 %<small> of 1</small>" in owner.get(f"/owner/people/{web.small.people[1]}").html


def judged(web: WebStudy, person: int, right: int) -> dict[str, str]:
    quiz = web.small.look(lambda tx: quiz_for(tx, person))
    other = {"correct": "wrong", "wrong": "unsure", "unsure": "correct"}
    said = {f"item-{one.id}": one.verdict if n < right else other[one.verdict] for n, one in enumerate(quiz.items)}
    return {"attempt": str(quiz.attempt), **said}


def test_the_quiz_comes_before_the_work(web: WebStudy) -> None:
    ask_for_quiz(web)
    person = web.small.people[0]
    browser = web.browser(person)
    assert browser.get("/home").location == "/quiz"
    assert browser.post("/write").status == 403
    assert browser.post("/verify").status == 403
    page = browser.get("/quiz")
    assert page.html.count("<fieldset") == 8
    assert "Hint" not in page.html
    some = judged(web, person, 8)
    some.popitem()
    again = browser.post("/quiz", **some)
    assert again.status == 422
    assert again.html.count("checked") == 7, "what was chosen is kept"
    assert browser.post("/quiz", **judged(web, person, 5)).location == "/quiz"
    failed = browser.get("/quiz")
    assert "You judged 5 of 8 correctly; 6 are needed." in failed.html
    assert failed.html.count("<strong>Hint:</strong>") == 3
    assert failed.html.count("<fieldset") == 8
    assert browser.post("/quiz", **judged(web, person, 6)).location == "/quiz"
    assert "You passed: 6 of 8" in browser.get("/quiz").html
    assert browser.get("/home").status == 200
    assert browser.post("/write").status == 303


def test_an_owner_can_admit_somebody_who_failed_the_quiz(web: WebStudy) -> None:
    ask_for_quiz(web)
    person = web.small.people[0]
    browser, owner = web.browser(person), web.browser(web.small.owner)
    for _ in range(2):
        browser.post("/quiz", **judged(web, person, 0))
    assert "All attempts are used" in browser.get("/quiz").html
    assert browser.post("/quiz", attempt="3").status == 409
    assert owner.get("/home").status == 200
    page = owner.get(f"/owner/people/{person}")
    assert "0<small> of 8, not passed</small>" in page.html
    assert owner.post(f"/owner/people/{person}/qualify").status == 303
    assert browser.get("/home").status == 200


def test_odd_quiz_forms(web: WebStudy) -> None:
    ask_for_quiz(web)
    browser: Browser = web.browser(web.small.people[0])
    for fields in ({"attempt": "x"}, {"attempt": "9" * 30}, {"attempt": "1", "item-": "wrong", "item-²": "wrong"}):
        assert browser.post("/quiz", **fields).status in (409, 422)


def test_flagging_a_gold_question_leaves_the_same_trace_as_flagging_another(anywhere: WebStudy) -> None:
    """The download listed flags of real questions only, so all gold questions could be told apart."""
    web = anywhere
    with_gold(web)
    traces = []
    reasons = ("offensive or private", "the image shows private information")
    people = web.small.people[1:]
    for rate, some in ((0, people[:2]), (100, people[2:4])):
        for person, reason in zip(some, reasons, strict=True):
            set_rate(web, rate)
            browser = web.browser(person)
            before = browser.get("/my-work/data.json").html
            address = browser.post("/verify").location
            set_rate(web, 0)
            assert browser.post(f"{address}/skip", reason=reason).status == 303, address
            web.small.clock.pass_seconds(1)
            stored, old = (json.loads(text) for text in (browser.get("/my-work/data.json").html, before))
            new = [one for one in stored["flags"] if one not in old["flags"]]
            traces.append([(sorted(one), one["reason"], bool(one["question"])) for one in new])
    assert traces[:2] == traces[2:]
    assert [len(one) for one in traces] == [1] * 4
