"""What people type is data: stored unchanged, shown escaped, never executed."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from hostile_texts import hostile_texts
from recipes import RECIPES
from small_study import SMALL
from web_study import WebStudy

from askew.collect.schema import annotator, judgement, question, verification
from askew.types import Prediction


def shown(page_html: str, text: str) -> bool:
    """Whether a text is on the page, escaped."""
    return html.escape(text, quote=False).replace("'", "&#39;").replace('"', "&#34;") in page_html


def test_there_are_enough_texts() -> None:
    assert len(hostile_texts()) >= 500


def test_questions_and_replies_are_stored_as_they_came_and_shown_escaped(
    tmp_path: Path, database_url: str | None
) -> None:
    """Through the attack page: each text is a question, and also the robot's answer; every fifth on PostgreSQL."""
    web = WebStudy.make(tmp_path / "study", database_url, settings=replace(SMALL, max_tries=20), images=40)
    browser, owner = web.browser(web.small.people[0]), web.browser(web.small.owner)
    web.robots.say = lambda call: Prediction(call.question_id, call.text[:100], raw=call.text)
    address = ""
    for number, text in enumerate(hostile_texts()[:: 1 if database_url is None else 5]):
        if number % 20 == 0:
            address = browser.post("/write").location
        page = browser.post(f"{address}/ask", question=text)
        assert page.status == 303, (text, page.html)
        with web.small.study.database.read() as tx:
            row = tx.first(sa.select(question).order_by(question.c.id.desc()).limit(1))
        assert row.text == text
        page = browser.get(address)
        assert shown(page.html, text), text
        assert "<script>window" not in page.html
        assert browser.post(f"{address}/judge", **{"try": str(row.id)}, verdict="correct").status == 303, text
        if number % 25 == 0:
            for path in (f"/owner/examples/{row.id}", "/owner/examples"):
                page = owner.get(path)
                assert shown(page.html, text), (path, text)
                assert "<script>window" not in page.html
    assert json.loads(browser.get("/my-work/data.json").html)["questions"][-1]["text"] == text
    assert "<script>window" not in browser.get("/my-work").html
    web.close()


def test_answers_names_and_notes_are_stored_as_they_came_and_shown_escaped(anywhere: WebStudy) -> None:
    web = anywhere
    owner = web.browser(web.small.owner)
    short = [text for text in hostile_texts() if len(text) <= 60 and any(sign.isalnum() for sign in text)]
    for number, text in enumerate(short[::12]):
        page = owner.post("/owner/people", code=text, role="annotator", days="1")
        assert page.status == 200, text
        new = web.browser()
        token = page.html.partition("/invite/")[2].partition("<")[0]
        ids = {"id.PID": text, "id.PROLIFIC_PID": f"{text}{number}"}
        page = new.post(f"/invite/{token}", name=f"{text}{number}", **ids)
        assert page.status == 303, (text, page.html)
        with web.small.study.database.read() as tx:
            row = tx.first(sa.select(annotator).order_by(annotator.c.id.desc()).limit(1))
        assert row.name == f"{text}{number}"
        assert json.loads(row.platform)["PID"] == text
        page = owner.get(f"/owner/people/{row.id}")
        assert shown(page.html, row.name)
        assert "<script>window" not in page.html
        assert owner.post(f"/owner/people/{row.id}/exclude", note=text).status == 303
        assert "<script>window" not in owner.get(f"/owner/people/{row.id}").html
        assert "<script>window" not in owner.get("/owner").html


def test_answers_of_authors_and_verifiers(tmp_path: Path, copied: Callable[[Path], WebStudy]) -> None:
    short = [text for text in hostile_texts() if len(text) <= 60 and any(sign.isalnum() for sign in text)]
    for number, text in enumerate(short[::40]):
        web = copied(tmp_path / str(number))
        recipe = RECIPES["/write/{session:int}/judge"](web)
        page = recipe.browser.post(recipe.path, **{**recipe.fields, "answer": text})
        assert page.status == 303, (text, page.html)
        other = web.browser(web.small.people[1])
        task = other.post("/verify").location
        assert other.post(f"{task}/answer", answer=text, confidence="no", then="stop").status == 303, text
        with web.small.study.database.read() as tx:
            assert tx.value(sa.select(judgement.c.answer)) == text
            assert tx.value(sa.select(verification.c.answer)) == text
        for browser, path in (
            (web.browser(web.small.owner), "/owner/examples/1"),
            (other, "/my-work"),
            (recipe.browser, "/write/1"),
        ):
            page = browser.get(path)
            assert shown(page.html, text), (path, text)
            assert "<script>window" not in page.html
        web.close()


def test_text_that_cannot_be_stored_is_refused_and_shown_again(anywhere: WebStudy) -> None:
    recipe = RECIPES["/write/{session:int}/ask"](anywhere)
    for text, status in (("NUL \x00 here", 422), ("x" * 121, 422), ("?!", 422), ("   ", 422), ("y" * 1_000_000, 413)):
        page = recipe.browser.post(recipe.path, question=text)
        assert page.status == status, text[:20]
        if status == 422 and text.strip():
            assert shown(page.html, text), text[:20]
    page = recipe.browser.client.post(
        recipe.path, content=b"question=%ff%fe", headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert page.status_code == 400
    page = recipe.browser.client.post(recipe.path, files={"question": ("x.txt", b"hi")})
    assert page.status_code == 400
