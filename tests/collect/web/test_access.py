"""Access for every route and every kind of person, required headers, and paths that requests must not reach.

A new route without a row in ``MATRIX`` fails.
"""

from __future__ import annotations

import random
import re

import pytest
from survey_study import survey
from web_study import Browser, WebStudy

from askew.collect.accounts import add_annotator
from askew.collect.moderation import report_image
from askew.collect.surveys.survey_batches import claim_batch
from askew.collect.web.app import PAGES
from askew.collect.web.login import create_invite
from askew.collect.writing import claim_image

PEOPLE = ("anonymous", "no consent", "annotator", "other annotator", "excluded", "owner")
SIGNED_IN = (401, 200, 200, 200, 200, 200)
WORKER = (401, 303, 200, 200, 200, 200)
OWNER = (401, 403, 403, 403, 403, 200)
OWNER_POST = OWNER[:-1]
MATRIX: dict[tuple[str, str], tuple[int, ...]] = {
    ("GET", "/"): (303,) * 6,
    ("GET", "/sign-in"): (200, 303, 303, 303, 303, 303),
    ("POST", "/sign-in"): (401,) * 6,
    ("POST", "/sign-out"): (401, 303, 303, 303, 303, 303),
    ("GET", "/invite/{token}"): (200,) * 6,
    ("POST", "/invite/{token}"): (422,) * 6,
    ("GET", "/consent"): SIGNED_IN,
    ("POST", "/consent"): (401, 422, 422, 422, 422, 422),
    ("GET", "/instructions"): SIGNED_IN,
    ("GET", "/password"): SIGNED_IN,
    ("POST", "/password"): (401, 422, 422, 422, 422, 422),
    ("GET", "/home"): WORKER,
    ("GET", "/finish"): WORKER,
    ("GET", "/quiz"): (401, 303, 303, 303, 403, 303),
    ("POST", "/quiz"): (401, 409, 409, 409, 403, 409),
    ("POST", "/write"): (401, 409, 303, 303, 403, 303),
    ("GET", "/write/{session:int}"): (401, 303, 200, 403, 403, 403),
    ("POST", "/write/{session:int}/ask"): (401, 409, 422, 403, 403, 403),
    ("POST", "/write/{session:int}/judge"): (401, 409, 422, 403, 403, 403),
    ("POST", "/write/{session:int}/extend"): (401, 409, 200, 403, 403, 403),
    ("POST", "/write/{session:int}/skip"): (401, 409, 422, 422, 422, 422),
    ("POST", "/write/{session:int}/report"): (401, 409, 422, 403, 403, 403),
    ("GET", "/verify/{task}"): (401, 303, 409, 409, 409, 409),
    ("POST", "/verify/{task}/answer"): (401, 409, 422, 422, 422, 422),
    ("POST", "/verify/{task}/extend"): (401, 409, 409, 409, 403, 409),
    ("POST", "/verify/{task}/skip"): (401, 409, 422, 422, 403, 422),
    ("POST", "/batch"): (401, 409, 303, 303, 403, 303),
    ("GET", "/batch/{batch:int}"): (401, 303, 200, 403, 403, 403),
    ("POST", "/batch/{batch:int}/send"): (401, 409, 422, 403, 403, 403),
    ("POST", "/batch/{batch:int}/save"): (401, 409, 303, 403, 403, 403),
    ("POST", "/batch/{batch:int}/extend"): (401, 409, 200, 403, 403, 403),
    ("POST", "/batch/{batch:int}/report"): (401, 409, 422, 403, 403, 403),
    ("POST", "/batch/{batch:int}/return"): (401, 409, 303, 403, 403, 403),
    ("GET", "/my-work"): SIGNED_IN,
    ("POST", "/my-work/{question:int}/withdraw"): (401, 409, 403, 403, 403, 403),
    ("GET", "/my-work/data.json"): SIGNED_IN,
    ("GET", "/my-work/delete"): SIGNED_IN,
    ("POST", "/my-work/delete"): (401, 422, 422, 422, 422, 422),
    ("GET", "/owner"): OWNER,
    ("POST", "/owner/round/{round:int}/state"): (*OWNER_POST, 422),
    ("POST", "/owner/round/{round:int}/model/{model:int}"): (*OWNER_POST, 303),
    ("GET", "/owner/examples"): OWNER,
    ("GET", "/owner/examples/{question:int}"): OWNER,
    ("POST", "/owner/examples/{question:int}/quarantine"): (*OWNER_POST, 303),
    ("POST", "/owner/examples/{question:int}/resolve"): (*OWNER_POST, 422),
    ("POST", "/owner/images/{image:int}/resolve"): (*OWNER_POST, 422),
    ("GET", "/owner/people"): OWNER,
    ("POST", "/owner/people"): (*OWNER_POST, 422),
    ("GET", "/owner/people/{person:int}"): OWNER,
    ("POST", "/owner/people/{person:int}/link"): (*OWNER_POST, 200),
    ("POST", "/owner/people/{person:int}/role"): (*OWNER_POST, 422),
    ("POST", "/owner/people/{person:int}/qualify"): (*OWNER_POST, 303),
    ("POST", "/owner/people/{person:int}/exclude"): (*OWNER_POST, 422),
    ("GET", "/owner/set-up"): OWNER,
    ("POST", "/owner/set-up/study"): (*OWNER_POST, 422),
    ("POST", "/owner/set-up/consent"): (*OWNER_POST, 422),
    ("POST", "/owner/set-up/models"): (*OWNER_POST, 422),
    ("POST", "/owner/set-up/images"): (*OWNER_POST, 400),
    ("POST", "/owner/set-up/round/{round:int}/open"): (*OWNER_POST, 422),
    ("GET", "/owner/payments"): OWNER,
    ("GET", "/owner/payments/pay.csv"): OWNER,
    ("GET", "/owner/payments/bonuses.csv"): (*OWNER_POST, 422),
    ("GET", "/owner/round/{round:int}/freeze"): OWNER,
    ("POST", "/owner/round/{round:int}/freeze"): (*OWNER_POST, 422),
    ("GET", "/owner/releases"): OWNER,
    ("POST", "/owner/releases"): (*OWNER_POST, 422),
    ("GET", "/owner/releases/{version}"): (*OWNER_POST, 404),
    ("POST", "/owner/releases/{version}/delete"): (*OWNER_POST, 303),
    ("GET", "/owner/tokens"): OWNER,
    ("POST", "/owner/tokens"): (*OWNER_POST, 422),
    ("POST", "/owner/tokens/{number:int}/delete"): (*OWNER_POST, 409),
    ("GET", "/api/people"): (401,) * 6,
    ("GET", "/api/progress"): (401,) * 6,
    ("GET", "/api/releases"): (401,) * 6,
    ("POST", "/api/releases"): (401,) * 6,
    ("GET", "/api/releases/{version}"): (401,) * 6,
    ("GET", "/static/{name}"): (200,) * 6,
    ("GET", "/image/{sha256}"): WORKER,
    ("GET", "/healthz"): (200,) * 6,
    ("GET", "/readyz"): (200,) * 6,
    ("POST", "/verify"): (401, 409, 303, 303, 403, 303),  # last, since it changes what the others find
}


class Crowd:
    """One study with each kind of person; session 1 is the annotator's, question 1 somebody else's."""

    def __init__(self, web: WebStudy) -> None:
        self.web = web
        small = web.small
        small.attack(small.people[5], "Is it red?")
        small.do(claim_image, small.people[1])  # session 2
        survey(small)
        small.do(claim_batch, small.people[1])  # batch 1
        self.token = small.do(create_invite)
        with small.study.database.write() as tx:
            tx.connection.exec_driver_sql(
                f"UPDATE annotator SET excluded_at = 1, excluded_reason = 'test' WHERE id = {small.people[3]}"
            )
            self.sha256 = tx.connection.exec_driver_sql("SELECT sha256 FROM image ORDER BY id").scalar()
        self.ids = dict(zip(PEOPLE[1:], (small.people[0], *small.people[1:4], small.owner), strict=True))

    def browser(self, kind: str) -> Browser:
        if kind == "anonymous":
            return self.web.browser()
        return self.web.browser(self.ids[kind], consent=kind != "no consent")

    def path(self, path: str) -> str:
        """The route with numbers of things that exist."""
        known = {"token": self.token, "session": "2", "task": self.web.service.keys.seal("q 1"), "name": "style.css"}
        known |= {"sha256": str(self.sha256), "person": "5", "version": "1.0.0"}
        return re.sub(r"{(\w+)(:int)?}", lambda part: known.get(part.group(1), "1"), path)


@pytest.fixture
def crowd(web: WebStudy) -> Crowd:
    return Crowd(web)


def test_every_route_is_in_the_matrix() -> None:
    assert sorted((page.method, page.path) for page in PAGES) == sorted(MATRIX)


@pytest.mark.parametrize("kind", PEOPLE)
def test_access(kind: str, crowd: Crowd) -> None:
    column = PEOPLE.index(kind)
    for (method, path), expected in MATRIX.items():
        browser = crowd.browser(kind)
        page = browser.get(crowd.path(path)) if method == "GET" else browser.post(crowd.path(path))
        assert page.status == expected[column], (method, path, kind, page.status, page.html[-800:])


def test_an_excluded_owner_has_no_pages_of_owners(web: WebStudy) -> None:
    with web.small.study.database.write() as tx:
        second = add_annotator(tx, "Second", "owner")
    owner, excluded = web.browser(web.small.owner), web.browser(second)
    assert excluded.get("/owner").status == 200
    assert owner.post(f"/owner/people/{second}/exclude", note="left").status == 303
    assert excluded.get("/owner").status == 403
    assert excluded.post("/owner/people", role="owner", days="1").status == 403
    assert 'href="/owner' not in excluded.get("/home").html


def test_headers_are_on_every_response(crowd: Crowd) -> None:
    asked = [(method, crowd.path(path)) for method, path in MATRIX] + [
        *(("GET", "/nothing"), ("DELETE", "/home"), ("PUT", "/write"), ("OPTIONS", "/"), ("HEAD", "/sign-in")),
    ]
    for kind in ("anonymous", "owner"):
        for method, path in asked:
            browser = crowd.browser(kind)
            if method == "POST":
                page = browser.post(path, "wrong")
            else:
                from web_study import Page

                page = Page(browser.client.request(method, path, follow_redirects=False))
            check_headers(path, page.headers)
    check_headers("bad host", browser.get("/", headers={"Host": "evil.example"}).headers)


def check_headers(path: str, headers: dict[str, str]) -> None:
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy, path
    assert "unsafe" not in policy, path
    assert "frame-ancestors 'none'" in policy, path
    assert headers["x-content-type-options"] == "nosniff", path
    assert headers["x-frame-options"] == "DENY", path
    assert headers["referrer-policy"] == "same-origin", path
    assert headers["cross-origin-opener-policy"] == "same-origin", path
    assert headers["strict-transport-security"].startswith("max-age="), path
    assert headers["cache-control"], path
    for cookie in headers.get_list("set-cookie") if hasattr(headers, "get_list") else []:
        assert cookie.startswith("__Host-"), cookie
        for part in ("Secure", "HttpOnly", "Path=/", "SameSite=lax"):
            assert part in cookie, cookie
        assert "domain" not in cookie.lower(), cookie


def test_image_and_static_routes_serve_only_their_folders(crowd: Crowd) -> None:
    parts = (
        "..",
        "%2e%2e",
        "..%2f",
        "%2e%2e%2f",
        "..%5c",
        "%252e%252e%252f",
        "....//",
        "..;/",
        "%c0%ae%c0%ae/",
        "..%00/",
    )
    targets = (
        "study.sqlite",
        "study.json",
        "secret.key",
        "etc/passwd",
        "images",
        crowd.sha256 + ".png",
        "style.css%00.png",
    )
    browser = crowd.browser("owner")
    count = 0
    for base in ("/image/", "/static/"):
        for part in parts:
            for target in targets:
                for depth in (1, 3):
                    address = base + (part if part.endswith("/") else part + "/") * depth + target
                    page = browser.get(address)
                    assert page.status in (400, 404), address
                    assert "SQLite format" not in page.html
                    count += 1
    for odd in (crowd.sha256.upper(), crowd.sha256[:-1], crowd.sha256 + "0", "0" * 64, "%00", "a" * 5000):
        assert browser.get(f"/image/{odd}").status == 404, odd
        count += 1
    assert count > 200


def test_hidden_images_are_for_owners_only(crowd: Crowd) -> None:
    crowd.web.small.do(report_image, crowd.web.small.owner, 1, "test")
    assert crowd.browser("annotator").get(f"/image/{crowd.sha256}").status == 404
    page = crowd.browser("owner").get(f"/image/{crowd.sha256}")
    assert page.status == 200
    assert "sandbox" in page.headers["content-security-policy"]


HOSTS = (
    "evil.example",
    "localhost.evil.example",
    "evil.example#localhost",
    "localhost@evil.example",
    "evil.example@localhost",
    "localhost:80@evil.example",
    "localhost/../evil.example",
    "localhost?x=evil.example",
    "localhost\\.evil.example",
    "localhost:evil",
    "[::1].evil.example",
    "[::1]evil",
    "",
    " localhost",
    "localhost, evil.example",
    "127.0.0.1.evil.example",
    "foo/@localhost:80#",
)


def test_host_headers_have_no_effect(crowd: Crowd) -> None:
    browser = crowd.browser("owner")
    for host in HOSTS:
        page = browser.get("/", headers={"Host": host})
        assert page.status == 400, host
        assert "evil" not in page.html
        assert "location" not in page.headers
    for extra in (
        {"X-Forwarded-Host": "evil.example"},
        {"X-Original-URL": "/owner"},
        {"Forwarded": "host=evil.example"},
    ):
        page = browser.get("/", headers=extra)
        assert (page.status, page.location) == (303, "/home")
        page = browser.post("/owner/people", None, extra, role="annotator", days="1")
        assert "https://localhost/invite/" in page.html
        assert "evil" not in page.html
    for address in ("//evil.example/home", "/\\evil.example", "https://evil.example/home", "/home@evil.example"):
        page = browser.get(address) if address.startswith("/") else browser.get("/", headers={"Referer": address})
        assert "evil.example" not in page.headers.get("location", "")


def test_fuzz_never_gives_a_server_error(anywhere: WebStudy) -> None:
    """1,000 random requests over all routes, as each kind of person; 300 on PostgreSQL."""
    crowd = Crowd(anywhere)
    browsers = [crowd.browser(kind) for kind in PEOPLE]
    fuzz(crowd, browsers, random.Random(7), 1000 if anywhere.service.database.is_sqlite else 300)
    anywhere.small.check()


def fuzz(crowd: Crowd, browsers: list[Browser], rng: random.Random, count: int) -> None:
    odd = ("", "0", "-1", "1", "2", "999999999999999999999", "1e9", "nan", "\x00", "é", "'; --", "{{7*7}}", "a" * 3000)
    odd += (
        "yes",
        "no",
        "wrong",
        "unsure",
        "correct",
        "OPEN",
        "READY",
        "owner",
        "annotator",
        "keep",
        "remove",
        "Other",
        "💥",
    )
    names = ("question", "answer", "verdict", "confidence", "try", "reason", "note", "role", "to", "active", "name")
    names += ("decision", "days", "code", "version", "agree", "password", "then", "id.PID")
    values = [browser.value() for browser in browsers]
    for n in range(count):
        page = rng.choice(PAGES)
        if page.path in ("/sign-out", "/my-work/delete", "/password"):
            continue
        which = rng.randrange(len(browsers))
        path = re.sub(r"{\w+:int}", lambda _: str(rng.choice((0, 1, 2, 3, 99, 10**18, 10**25))), page.path)
        path = (
            re.sub(r"{\w+}", lambda _: rng.choice((*odd[:-1], "x" * 80)), path)
            if rng.random() < 0.4
            else crowd.path(path)
        )
        query = f"?{rng.choice(names)}={rng.choice(odd)}&before={rng.choice(odd)}&q=%25{rng.choice(odd)}"
        path = (
            (path + query)
            .replace("\x00", "%00")
            .replace("💥", "%F0%9F%92%A5")
            .replace("é", "%C3%A9")
            .replace(" ", "%20")
        )
        if page.method == "GET":
            answer = browsers[which].get(path)
        else:
            fields = {name: rng.choice(odd) for name in rng.sample(names, rng.randrange(len(names)))}
            form = rng.choice((values[which], browsers[which].value(), browsers[which].value(), rng.choice(odd)))
            answer = browsers[which].post(path, form, **fields)
        if answer.status == 401 and which:  # the person has another role now
            browsers[which] = crowd.browser(PEOPLE[which])
        assert answer.status < 500, (n, page.method, path, answer.html)
