"""Batches of a survey over HTTP: several people, gold that nobody can tell, corrections, saving, and the result."""

from __future__ import annotations

import json
import re
from html import escape

from survey_study import answers, rephrased, right, survey, work
from web_study import Browser, Page, WebStudy

from askew.audit.label_sample import sampled_labels
from askew.collect.moderation import exclude
from askew.collect.schema import batch
from askew.collect.schema import survey as survey_table
from askew.collect.surveys.audit_items import audit_drafts
from askew.collect.surveys.create import SurveyPlan, create_survey
from askew.collect.surveys.results import judgement_lines, progress, survey_items
from askew.collect.surveys.survey_batches import open_batch


def fields(web: WebStudy, person: int, number: int, says=right) -> dict[str, str]:  # type: ignore[no-untyped-def]
    """The form's fields for a person's answers."""
    given = answers(web.small, person, number, says)
    return {f"item-{n}-{name}": value for n, one in given.items() for name, value in one.items()}


def claimed(browser: Browser) -> int:
    return int(browser.post("/batch").location.partition("?")[0].rpartition("/")[2])


def test_people_answer_a_survey_over_http_until_it_is_complete(anywhere: WebStudy) -> None:
    """Three people take turns, each with one wrong attempt; the others find nothing left."""
    web = anywhere
    number = survey(web.small, count=6, plan=SurveyPlan(3, 6, 2), golden=18)
    browsers = {person: web.browser(person) for person in web.small.people[:3]}
    busy = set(browsers)
    while busy:
        for person in sorted(busy):
            page = browsers[person].post("/batch")
            if page.location.startswith("/home"):
                busy.remove(person)
                continue
            mine = int(page.location.rpartition("/")[2])
            wrong = fields(web, person, mine, lambda text: "ambiguous")
            refused = browsers[person].post(f"/batch/{mine}/send", **wrong)
            assert refused.status == 422
            assert "2 questions with a known answer are not right yet" in refused.html
            assert refused.html.count("checked") >= 6, "what was chosen is shown again"
            sent = browsers[person].post(f"/batch/{mine}/send", **fields(web, person, mine), then="stop")
            assert sent.location == "/home?nothing=sent"
    done = web.small.look(lambda tx: progress(tx, tx.row(survey_table, number)))
    assert done.is_complete
    assert (done.complete, done.answers, done.people, done.gold_first_right, done.gold_shown) == (12, 36, 3, 0, 18)
    page = web.browser(web.small.people[4]).post("/batch")
    assert page.location == "/home?nothing=batch"
    assert "no such questions" in web.browser(web.small.people[4]).get(page.location).html
    web.small.check()


def test_people_judge_an_audit_over_http(anywhere: WebStudy) -> None:
    """Five people judge every variant, on pages that show the original; made-up gold stops a careless one."""
    web, folder = anywhere, anywhere.small.study.folder.parent / "files"
    groups = rephrased(folder, 6)
    drafts = audit_drafts(web.small.study, sampled_labels(groups, 6, 0), 4, 0)
    create_survey(web.small.study, "audit", "bench", groups, drafts, SurveyPlan(5, 4, 1), 0)
    known = {(one.item.question, one.item.original): one.gold for one in drafts if one.gold}
    refused = 0
    for place, person in enumerate(web.small.people[:5]):
        browser = web.browser(person)
        while (page := browser.post("/batch")).location.startswith("/batch"):
            mine = int(page.location.rpartition("/")[2])
            html = browser.get(page.location).html
            careless, typed = {}, {}
            for one in web.small.look(lambda tx, person=person, mine=mine: open_batch(tx, person, mine)).items:
                assert escape(one.item.original) in html
                sure = {name: said[0] for name, said in known.get((one.item.question, one.item.original), {}).items()}
                for name in one.item.asks:
                    careless[f"item-{one.n}-{name}"] = "no" if sure.get(name) == "yes" else "yes"
                    typed[f"item-{one.n}-{name}"] = sure.get(name, "no" if name == "label" and place < 3 else "yes")
            sent = browser.post(f"/batch/{mine}/send", **careless)
            assert sent.status == 422
            assert "1 question with a known answer is not right yet" in sent.html
            refused += 1
            assert browser.post(f"/batch/{mine}/send", **typed, then="stop").location == "/home?nothing=sent"
    items = web.small.look(lambda tx: survey_items(tx, 1))
    assert refused == 10
    assert [sorted(one.said("label")) for one in items] == [["no"] * 3 + ["yes"] * 2] * 6
    assert judgement_lines(items)[-1].startswith("  wrong label: 100.0 %")
    web.small.check()


def test_nothing_on_the_page_tells_gold_from_other_questions(web: WebStudy) -> None:
    """With the texts replaced, the parts of the page are the same, and so are the rows of the person's data."""
    survey(web.small)
    me = web.small.people[0]
    browser = web.browser(me)
    number = claimed(browser)
    shown = web.small.look(lambda tx: open_batch(tx, me, number))
    page = browser.get(f"/batch/{number}").html
    parts = re.findall(r'<section class="card quiz-item".*?</section>', page, re.DOTALL)
    assert len(parts) == 6
    plain = set()
    for one, part in zip(shown.items, parts, strict=True):
        part = part.replace(one.sha256, "HASH").replace(one.item.question, "TEXT").replace('loading="lazy"', "")
        part = re.sub(rf"(item-|title-|[Qq]uestion |image ){one.n}\b", r"\1N", part)
        plain.add(part)
    assert len(plain) == 1, plain
    assert not re.search("gold|Y/N", "".join(plain))
    browser.post(f"/batch/{number}/send", **fields(web, me, number))
    stored = json.loads(browser.get("/my-work/data.json").html)["batches"]
    assert {tuple(sorted(row)) for row in stored} == {
        ("batch", "content", "ended_at", "first", "last", "leased_at", "n", "reported", "state")
    }


def test_saved_answers_are_shown_again_in_another_browser(anywhere: WebStudy) -> None:
    web = anywhere
    survey(web.small)
    me = web.small.people[0]
    first = web.browser(me)
    number = claimed(first)
    some = dict(list(fields(web, me, number).items())[:3])
    assert first.post(f"/batch/{number}/save", **some).location == f"/batch/{number}?done=saved"
    page = web.browser(me).get(f"/batch/{number}").html
    checked = re.findall(r'name="(item-\d+-answer)" value="(\w+)" checked', page)
    assert dict(checked) == some
    assert web.browser(me).get("/home").html.count("Continue with your list") == 1


def test_hostile_fields_are_refused_or_ignored(web: WebStudy) -> None:
    survey(web.small)
    me = web.small.people[0]
    browser = web.browser(me)
    number = claimed(browser)
    for bad in (
        {"item-1-answer": "99"},
        {"item-1-answer": "<script>alert(1)</script>"},
        {"item-99999-answer": "0", "item-x-answer": "0", "item-1-place": "3"},
        {f"item-{n}-answer": "0" for n in range(100)},
    ):
        page = browser.post(f"/batch/{number}/send", **bad)
        assert page.status == 422
        assert "<script>alert" not in page.html
    other = web.browser(web.small.people[1])
    assert other.get(f"/batch/{number}").status == 403
    assert other.post(f"/batch/{number}/send", **fields(web, me, number)).status == 403
    assert browser.get("/batch/999").status == 403
    web.small.check()


def test_reporting_giving_back_and_being_excluded(anywhere: WebStudy) -> None:
    web = anywhere
    survey(web.small, plan=SurveyPlan(3, 6, 0))
    me = web.small.people[0]
    browser = web.browser(me)
    number = claimed(browser)
    reported: Page = browser.post(f"/batch/{number}/report", item="2", reason="cannot see the image")
    assert reported.status == 303
    page = browser.get(f"/batch/{number}").html
    assert 'id="item-2"' not in page
    assert 'id="item-1"' in page
    assert browser.post(f"/batch/{number}/report", item="2", reason="cannot see the image").status == 422
    assert browser.post(f"/batch/{number}/return").location == "/home?nothing=returned"
    assert browser.get(f"/batch/{number}").status == 409
    number = claimed(browser)
    web.small.do(exclude, me, "test")
    assert browser.get(f"/batch/{number}").status == 403
    assert browser.post(f"/batch/{number}/send").status == 403
    assert web.small.look(lambda tx: tx.row(batch, number)).state == "RETURNED"
    web.small.check()


def test_the_person_sees_batches_in_the_history_and_owners_in_the_payments(web: WebStudy) -> None:
    survey(web.small, plan=SurveyPlan(2, 6, 0))
    me = web.small.people[0]
    work(web.small, [me])
    page = web.browser(me).get("/my-work").html
    assert "Lists of questions" in page
    assert page.count(">sent<") == 2
    paid = web.browser(web.small.owner).get("/owner/payments?batch=0.25").html
    assert "0.50" in paid
    csv = web.browser(web.small.owner).get("/owner/payments/pay.csv?batch=0.25").html.splitlines()
    head, row = csv[0].split(","), csv[1].split(",")
    assert dict(zip(head, row, strict=True))["batches_accepted"] == "2"
