"""Signing in: limits, sessions that end when they must, invite links, platform workers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa
from argon2 import PasswordHasher
from recipes import RECIPES
from web_study import Browser, WebStudy

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
    web.close()
    web = copied(tmp_path / "other", Limits(sign_ins_of_name=3))
    found = []
    for n, name in enumerate(("Somebody", "Some\0body", " Somebody", "Somebody\0", "Somebody")):
        browser = web.browser(address=f"198.51.100.{n}")
        found.append(browser.post("/sign-in", name=name, password="wrong password").status)
    assert found == [401] * 3 + [429] * 2, "NULs and spaces make no other name"
    web.close()


def test_a_64_of_ipv6_is_one_address(tmp_path: Path, copied: Callable[..., WebStudy]) -> None:
    web = copied(tmp_path / "study", Limits())
    found = []
    for n in range(7):
        browser = web.browser(address=f"2001:db8::{n}" if n < 6 else "2001:db8:1::1")
        found.append(browser.post("/sign-in", name=f"Nobody {n}", password="wrong password").status)
    assert found == [401] * 5 + [429, 401]
    web.close()


def test_colleagues_behind_one_address_all_sign_in_and_nobody_locks_the_owner_out(
    tmp_path: Path, copied: Callable[..., WebStudy]
) -> None:
    """Successful sign-ins used to count, and five wrong passwords from anywhere locked a name for everybody."""
    web = copied(tmp_path / "study", Limits(sign_ins_of_name=5))
    recipe = RECIPES["/sign-in"](web)
    for _ in range(12):
        assert web.browser().post("/sign-in", **recipe.fields).status == 303
    for n in range(8):
        thief = web.browser(address=f"198.51.100.{n}")
        assert thief.post("/sign-in", name=recipe.fields["name"], password="wrong password").status in (401, 429)
    assert thief.post("/sign-in", **recipe.fields).status == 429
    assert web.browser().post("/sign-in", **recipe.fields).status == 303, "from the usual address"
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


def platform_link(web: WebStudy, **fields: str) -> str:
    """The path of a link for the workers of a platform."""
    page = web.browser(web.small.owner).post("/owner/people", role="annotator", days="14", code="C1A2B3", **fields)
    return "/invite/" + page.html.partition("/invite/")[2].partition("<")[0]


def arrive(web: WebStudy, link: str, pid: str, *, consent: bool = True, **ids: str) -> Browser:
    """A worker who opens the link of the platform for the first time in this browser."""
    worker = web.browser()
    fields = {f"id.{key}": value for key, value in {"PROLIFIC_PID": pid, **ids}.items()}
    assert worker.post(link, **fields).status == 303
    worker.person = 1
    if consent:
        worker.post("/consent", agree="yes", version=web.service.consent.version)
    return worker


def code_of(worker: Browser) -> str:
    found = re.search(r"[A-Z2-7]{5}-[A-Z2-7]{5}", worker.get("/my-work").html)
    assert found is not None
    return found.group()


def accounts(web: WebStudy) -> int:
    with web.small.study.database.read() as tx:
        return int(tx.value(sa.select(sa.func.count()).where(annotator.c.identity.is_not(None))))


def fool(worker: Browser, text: str = "What is it?") -> None:
    location = worker.post("/write").location
    number = worker.post(f"{location}/ask", question=text) and re.search(
        r'name="try" value="(\d+)"', worker.get(location).html
    )
    worker.post(f"{location}/judge", **{"try": number.group(1)}, verdict="wrong", answer="red")


def test_platform_workers_enter_with_their_ids_and_get_a_code_at_the_end(anywhere: WebStudy) -> None:
    web = anywhere
    link = platform_link(web)
    for pid in ("p 1", "p 2"):
        page = web.browser().get(f"{link}?PROLIFIC_PID={pid.replace(' ', '%20')}&STUDY_ID=s")
        assert f'name="id.PROLIFIC_PID" value="{pid}"' in page.html
    workers = [arrive(web, link, pid, STUDY_ID="s", consent=False) for pid in ("p 1", "p 2")]
    with web.small.study.database.read() as tx:
        stored = tx.rows(sa.select(annotator.c.platform).order_by(annotator.c.id.desc()).limit(2))
    assert '"PROLIFIC_PID": "p 2"' in stored[0].platform
    again = workers[0].get(f"{link}?PROLIFIC_PID=P%201&STUDY_ID=s")
    assert again.location == "/home", "the same worker goes on"
    assert web.browser().post(link).status == 422, "no id"
    other = web.browser().get(f"{link}?workerId=7")
    assert (other.status, "PROLIFIC_PID" in other.html) == (422, True), "another id is not the person"
    assert web.browser().get(f"{link}?PROLIFIC_PID={'y' * 300}").status == 422
    workers[0].post("/consent", agree="yes", version=web.service.consent.version)
    assert "C1A2B3" not in workers[0].get("/finish").html
    fool(workers[0])
    assert "C1A2B3" in workers[0].get("/finish").html


def test_one_person_has_one_account_whatever_else_is_in_the_link(anywhere: WebStudy) -> None:
    """The same PROLIFIC_PID with another SESSION_ID, or &x=1, used to open a second account, which could verify what
    the first had written, and was paid for it."""
    web = anywhere
    link, other = platform_link(web), platform_link(web)
    first = arrive(web, link, "5f1", SESSION_ID="a")
    fool(first)
    for path in (link, other):
        for pid, ids in (("5f1", {"SESSION_ID": "b"}), (" 5F1 ", {"x": "1"}), ("5f\u200b1", {}), ("５f1", {})):
            thief = web.browser()
            fields = {f"id.{key}": value for key, value in {"PROLIFIC_PID": pid, **ids}.items()}
            page = thief.post(path, **fields)
            assert (page.status, "return code" in page.html) == (422, True), "an id is no proof of who somebody is"
            assert web.service.cookie not in thief.client.cookies
    assert accounts(web) == 1
    assert "Continue with this link" in first.get(f"{link}?PROLIFIC_PID=5f1&SESSION_ID=c").html
    assert first.post("/verify").location == "/home?nothing=verify", "nothing to verify but the own question"
    web.small.check()


def test_a_worker_who_lost_the_cookie_gets_the_account_back_with_the_return_code(anywhere: WebStudy) -> None:
    web = anywhere
    link = platform_link(web)
    worker = arrive(web, link, "5f1")
    fool(worker, "Where is my question?")
    code = code_of(worker)
    assert code in worker.get("/home").html
    again = web.browser()
    assert "Return code" in again.get(f"{link}?PROLIFIC_PID=5f1&SESSION_ID=new").html
    wrong = again.post(link, **{"id.PROLIFIC_PID": "5f1"}, return_code="AAAAA-AAAAA")
    assert (wrong.status, "The return code is wrong" in wrong.html) == (422, True)
    assert again.post(link, **{"id.PROLIFIC_PID": "5f1"}, return_code=code.lower().replace("-", " ")).status == 303
    assert "Where is my question?" in again.get("/my-work").html
    assert accounts(web) == 1
    assert code_of(arrive(web, link, "5f2")) != code


def test_return_codes_cannot_be_tried_often(tmp_path: Path, copied: Callable[..., WebStudy]) -> None:
    web = copied(tmp_path / "study", Limits(sign_ins=3))
    link = platform_link(web)
    arrive(web, link, "5f1")
    tried = [
        web.browser().post(link, **{"id.PROLIFIC_PID": "5f1"}, return_code=f"AAAAA-AAAA{n}").status for n in range(5)
    ]
    assert tried == [422] * 3 + [429] * 2
    web.close()


def test_a_deleted_account_keeps_its_identity_out(anywhere: WebStudy) -> None:
    """A deletion used to free the id: attempts at the quiz were new, and the own work could be verified."""
    web = anywhere
    link = platform_link(web)
    worker = arrive(web, link, "5f1", SESSION_ID="a")
    fool(worker)
    assert worker.post("/my-work/delete", sure="yes", work="keep").status == 200
    page = web.browser().post(link, **{"id.PROLIFIC_PID": "5f1"})
    assert (page.status, "was deleted" in page.html) == (409, True)
    assert web.browser().get(f"{link}?PROLIFIC_PID=5f1").status == 409
    assert accounts(web) == 1
    gone = web.small.look(lambda tx: tx.value(sa.select(annotator.c.id).where(annotator.c.deleted_at.is_not(None))))
    assert web.browser(web.small.owner).post(f"/owner/people/{gone}/link").status == 422, "nobody signs in to it"
    with web.small.study.database.read() as tx:
        row = tx.first(sa.select(annotator).where(annotator.c.identity.is_not(None)))
    assert "5f1" not in repr(row), "only a keyed hash is left of the id"
    web.small.check()


def test_the_code_needs_as_many_tasks_as_the_link_asks_for_and_leads_back(anywhere: WebStudy) -> None:
    web = anywhere
    back = "https://app.prolific.com/submissions/complete?cc=C1A2B3"
    link = platform_link(web, tasks="2", back=back)
    worker = arrive(web, link, "5f1")
    fool(worker)
    page = worker.get("/finish")
    assert ("C1A2B3" in page.html, "1 more task" in page.html) == (False, True)
    fool(worker, "How many?")
    page = worker.get("/finish")
    assert ("C1A2B3" in page.html, f'href="{back}"' in page.html) == (True, True)
    web.small.clock.pass_seconds(60)
    second = platform_link(web)
    assert worker.post(second, **{"id.PROLIFIC_PID": "5f1"}).status == 303
    assert "1 more task" in worker.get("/finish").html, "earlier tasks do not count for another link"


def test_each_assignment_has_tasks_of_its_own_and_is_the_one_that_is_submitted(anywhere: WebStudy) -> None:
    """A worker who took a second assignment through the same link could submit at once, and submitted the first."""
    web = anywhere
    link = platform_link(web, back="https://www.mturk.com/mturk/externalSubmit")
    worker = arrive(web, link, "5f1", assignmentId="A1")
    fool(worker)
    assert 'name="assignmentId" value="A1"' in worker.get("/finish").html
    web.small.clock.pass_seconds(60)
    assert "Continue with this link" in worker.get(f"{link}?PROLIFIC_PID=5f1&assignmentId=A2").html
    assert worker.post(link, **{"id.PROLIFIC_PID": "5F1", "id.assignmentId": "A2"}).status == 303
    assert worker.get(f"{link}?PROLIFIC_PID=5f1&assignmentId=A2").location == "/home"
    assert "1 more task" in worker.get("/finish").html
    fool(worker, "How many?")
    assert 'name="assignmentId" value="A2"' in worker.get("/finish").html
    stored = web.small.look(
        lambda tx: tx.value(sa.select(annotator.c.platform).where(annotator.c.identity.is_not(None)))
    )
    assert stored == '{"PROLIFIC_PID": "5f1", "assignmentId": "A2"}'
    assert accounts(web) == 1


def test_a_link_of_a_platform_is_checked(web: WebStudy) -> None:
    owner = web.browser(web.small.owner)
    for fields in (
        {"tasks": "0", "code": "C"},
        {"tasks": "x", "code": "C"},
        {"tasks": "5"},
        {"back": "https://a.org/"},
        {"back": "javascript:alert(1)", "code": "C"},
        {"back": "http://a.org/", "code": "C"},
    ):
        page = owner.post("/owner/people", role="annotator", days="14", **fields)
        assert (page.status, "/invite/" in page.html) == (422, False), fields


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
