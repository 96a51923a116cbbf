"""Signing in: limits, sessions that end when they must, invite links, platform workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa
from argon2 import PasswordHasher
from recipes import RECIPES
from web_study import WebStudy

from askew.collect.schema import annotator, login, metadata
from askew.collect.web.login import Passwords, create_invite
from askew.collect.web.security import Limits


def test_after_five_sign_ins_a_minute_the_status_is_429(tmp_path: Path, copied: Callable[..., WebStudy]) -> None:
    web = copied(tmp_path / "study", Limits())
    browser = web.browser()
    for _ in range(5):
        assert browser.post("/sign-in", name="Nobody", password="wrong password").status == 401
    page = browser.post("/sign-in", name="Nobody", password="wrong password")
    assert page.status == 429
    assert int(page.headers["retry-after"]) >= 1
    assert 'value="Nobody"' in page.html
    assert "wrong password" not in page.html
    web.close()


def test_the_limit_holds_for_one_address_with_many_names_and_for_one_name_from_many_addresses(
    tmp_path: Path, copied: Callable[..., WebStudy]
) -> None:
    web = copied(tmp_path / "study", Limits())
    one = web.browser()
    found = [one.post("/sign-in", name=f"Nobody {n}", password="wrong password").status for n in range(6)]
    assert found == [401] * 5 + [429]
    found = []
    for n in range(6):
        browser = web.browser(address=f"198.51.100.{n}")
        found.append(browser.post("/sign-in", name="Somebody", password="wrong password").status)
    assert found == [401] * 5 + [429]
    web.close()


class CountingHasher:
    """Records the hashes that passwords are checked against."""

    def __init__(self) -> None:
        self.real, self.checked = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1), []

    def hash(self, password: str) -> str:
        return self.real.hash(password)

    def verify(self, stored: str, password: str) -> bool:
        self.checked.append(stored)
        return self.real.verify(stored, password)


def test_signing_in_takes_the_same_work_for_known_and_unknown_names() -> None:
    """Every sign-in makes one check against a hash with the same parameters, so its duration reveals nothing."""
    hasher = CountingHasher()
    passwords = Passwords(hasher)
    stored = passwords.hash("correct horse")
    for of, password, right in (
        (stored, "correct horse", True),
        (stored, "wrong", False),
        (None, "wrong", False),
        (None, "", False),
    ):
        hasher.checked.clear()
        assert passwords.matches(of, password) is right
        (against,) = hasher.checked
        assert against.rpartition("$")[0].rpartition("$")[0] == stored.rpartition("$")[0].rpartition("$")[0]


def test_the_session_is_new_after_signing_in_and_invalid_after_signing_out(anywhere: WebStudy) -> None:
    web = anywhere
    recipe = RECIPES["/sign-in"](web)
    cookie = web.service.cookie
    recipe.browser.client.cookies.set(cookie, "given-by-somebody-else", "localhost.local", "/")
    assert recipe.browser.post("/sign-in", **recipe.fields).status == 403  # the form is of another session
    recipe.browser.client.cookies.clear()
    assert recipe.browser.post("/sign-in", **recipe.fields).status == 303
    first = recipe.browser.client.cookies[cookie]
    assert recipe.browser.post("/sign-in", **recipe.fields).status == 303
    second = recipe.browser.client.cookies[cookie]
    assert first != second
    thief = web.browser()
    thief.client.cookies.set(cookie, first, "localhost.local", "/")
    assert thief.get("/my-work").status == 401
    thief.client.cookies.set(cookie, second, "localhost.local", "/")
    assert thief.get("/my-work").status == 200
    assert recipe.browser.post("/sign-out").status == 303
    assert thief.get("/my-work").status == 401


def test_sessions_end_with_a_new_password_a_new_role_and_after_twelve_hours(anywhere: WebStudy) -> None:
    web = anywhere
    person, owner = web.small.people[0], web.browser(web.small.owner)
    first, second = web.browser(person), web.browser(person)
    assert first.post("/password", password="correct horse").status == 303
    assert first.get("/my-work").status == 200
    assert second.get("/my-work").status == 401
    wrong = first.post("/password", old_password="wrong password", password="another horse")
    assert wrong.status == 422
    owner.post(f"/owner/people/{person}/role", role="owner")
    assert first.get("/my-work").status == 401
    third = web.browser(person)
    assert third.get("/owner").status == 200
    web.small.clock.pass_seconds(11.9 * 3600)
    assert third.get("/my-work").status == 200
    web.small.clock.pass_seconds(11.9 * 3600)
    assert third.get("/my-work").status == 200
    web.small.clock.pass_seconds(12.1 * 3600)
    assert third.get("/my-work").status == 401


def test_the_last_owner_stays_an_owner(anywhere: WebStudy) -> None:
    web = anywhere
    owner = web.browser(web.small.owner)
    assert owner.post(f"/owner/people/{web.small.owner}/role", role="annotator").status == 403
    assert owner.post("/my-work/delete", sure="yes", work="keep").status == 422
    assert owner.post(f"/owner/people/{web.small.owner}/exclude", note="me").status == 403
    assert owner.get("/owner").status == 200


def test_tokens_and_passwords_are_stored_as_hashes_only(anywhere: WebStudy) -> None:
    web = anywhere
    recipe = RECIPES["/invite/{token}"](web)
    recipe.browser.post(recipe.path, **recipe.fields)
    token, secret = recipe.browser.client.cookies[web.service.cookie], recipe.path.rpartition("/")[2]
    with web.small.study.database.read() as tx:
        rows = [tx.rows(sa.select(table)) for table in metadata.tables.values()]
    web.small.close()
    stored = b"".join(path.read_bytes() for path in web.small.study.folder.glob("study.sqlite*")) + repr(rows).encode()
    for text in (token, secret, "correct horse"):
        assert text.encode() not in stored
    assert b"$argon2id$" in stored


def test_invitations_expire(anywhere: WebStudy) -> None:
    web = anywhere
    token = web.small.do(create_invite, days=1)
    assert web.browser().get(f"/invite/{token}").status == 200
    web.small.clock.pass_seconds(25 * 3600)
    page = web.browser().get(f"/invite/{token}")
    assert (page.status, "has expired" in page.html) == (409, True)
    assert web.browser().get("/invite/unknown").status == 409


def test_platform_workers_enter_with_their_ids_and_get_a_code_at_the_end(anywhere: WebStudy) -> None:
    web = anywhere
    owner = web.browser(web.small.owner)
    page = owner.post("/owner/people", role="annotator", days="14", code="C1A2B3")
    token = page.html.partition("/invite/")[2].partition("<")[0]
    address = f"/invite/{token}?PROLIFIC_PID=p%201&STUDY_ID=s"
    workers = []
    for pid in ("p 1", "p 2"):
        worker = web.browser()
        page = worker.get(address.replace("p%201", pid.replace(" ", "%20")))
        assert f'name="id.PROLIFIC_PID" value="{pid}"' in page.html
        page = worker.post(f"/invite/{token}", **{"id.PROLIFIC_PID": pid, "id.STUDY_ID": "s"})
        assert page.status == 303
        worker.person = 1
        workers.append(worker)
    with web.small.study.database.read() as tx:
        stored = tx.rows(sa.select(annotator.c.platform).order_by(annotator.c.id.desc()).limit(2))
    assert '"PROLIFIC_PID": "p 2"' in stored[0].platform
    assert workers[0].get(address).location == "/home", "the same worker goes on"
    thief = web.browser()
    page = thief.post(f"/invite/{token}", **{"id.PROLIFIC_PID": "p 1", "id.STUDY_ID": "s"})
    assert (page.status, "already" in page.html) == (409, True), "an id is no proof of who somebody is"
    assert web.browser().post(f"/invite/{token}").status == 422, "no id"
    long = web.browser().get(f"/invite/{token}?x={'y' * 300}")
    assert long.status == 422
    version = web.service.consent.version
    workers[0].post("/consent", agree="yes", version=version)
    assert "C1A2B3" not in workers[0].get("/finish").html
    location = workers[0].post("/write").location
    workers[0].post(f"{location}/ask", question="What is it?")
    workers[0].post(f"{location}/judge", **{"try": "1"}, verdict="wrong", answer="red")
    assert "C1A2B3" in workers[0].get("/finish").html


def test_a_sign_in_link_of_the_owner_signs_a_known_person_in_once(anywhere: WebStudy) -> None:
    web = anywhere
    owner = web.browser(web.small.owner)
    page = owner.post(f"/owner/people/{web.small.people[0]}/link")
    token = page.html.partition("/invite/")[2].partition("<")[0]
    browser = web.browser()
    assert "Welcome back" in browser.get(f"/invite/{token}").html
    assert browser.post(f"/invite/{token}").status == 303
    assert "person-0" in browser.get("/my-work").html
    assert web.browser().get(f"/invite/{token}").status == 409


def test_a_deleted_account_is_forgotten_and_its_work_kept_or_not(anywhere: WebStudy) -> None:
    web = anywhere
    web.small.attack(web.small.people[0], "Is it red?")
    browser = web.browser(web.small.people[0])
    page = browser.post("/my-work/delete", sure="yes", work="keep")
    assert "is deleted" in page.html
    assert browser.get("/my-work").status == 401
    with web.small.study.database.read() as tx:
        row = tx.first(sa.select(annotator).where(annotator.c.id == web.small.people[0]))
        assert tx.value(sa.select(sa.func.count()).select_from(login).where(login.c.annotator_id == row.id)) == 0
    assert (row.name, row.platform, row.password_hash) == ("deleted person-0", "{}", None)
    assert web.browser(web.small.people[1]).post("/verify").location.startswith("/verify/")
    web.small.check()


def test_a_new_consent_text_asks_everybody_again(web: WebStudy) -> None:
    browser = web.browser(web.small.people[0])
    assert browser.get("/home").status == 200
    (web.small.study.folder / "consent.txt").write_text("A new <b>text</b>.\n\nSecond part.", encoding="utf-8")
    assert browser.get("/home").location == "/consent"
    page = browser.get("/consent")
    assert "A new &lt;b&gt;text&lt;/b&gt;." in page.html
    assert browser.post("/write").status == 409
    browser.post("/consent", agree="yes", version=web.service.consent.version)
    assert browser.get("/home").status == 200


def test_rate_limits_of_questions_and_forms(tmp_path: Path, copied: Callable[..., WebStudy]) -> None:
    web = copied(tmp_path / "study", Limits(questions=2, posts=1000, requests=1000))
    recipe = RECIPES["/write/{session:int}/ask"](web)
    for n in range(2):
        assert recipe.browser.post(recipe.path, question=f"What is {n}?").status in (303, 422)
    page = recipe.browser.post(recipe.path, question="What is <this>?")
    assert page.status == 429
    assert "What is &lt;this&gt;?" in page.html
    assert "retry-after" in page.headers
    web.close()
