"""What scripts of owners get with a token, and what others do not."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from browser_site import Site
from recipes import frozen
from small_study import SmallStudy
from web_study import NO_LIMITS, Page, WebStudy

from askew.collect.accounts import add_annotator
from askew.collect.moderation import delete_text
from askew.collect.schema import annotator, api_token
from askew.collect.web.login import change_password, change_role
from askew.collect.web.pages.scripts import MOST_TOKENS, create_token

TOKEN = "t" * 43
DAY = 24 * 3600
ADDRESSES = ("/api/people", "/api/progress", "/api/releases", "/api/releases/1.0.0")
DOCS = Path(__file__).parents[3] / "docs" / "collect-owners.md"


def call(web: WebStudy, path: str, token: str | None = TOKEN, method: str = "GET", **options: Any) -> Page:
    """What a script gets, from a client without cookies."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    return Page(web.browser().client.request(method, path, headers=headers, follow_redirects=False, **options))


@pytest.fixture
def scripted(anywhere: WebStudy) -> WebStudy:
    """A study whose owner has made a token."""
    anywhere.small.do(create_token, anywhere.small.owner, "backup", 30, TOKEN)
    return anywhere


def test_an_owner_makes_a_token_that_is_shown_once_and_ends(web: WebStudy) -> None:
    owner = web.browser(web.small.owner)
    page = owner.post("/owner/tokens", name="my <script>", days="7")
    token = re.search(r'class="code" dir="ltr">([\w-]{43})<', page.html)
    assert token is not None
    assert call(web, "/api/progress", token.group(1)).status == 200
    assert token.group(1) not in owner.get("/owner/tokens").html
    assert "my &lt;script&gt;" in owner.get("/owner/tokens").html
    with web.small.study.database.read() as tx:
        assert token.group(1) not in str(tx.rows(sa.select(api_token))), "only its hash is stored"
    web.small.clock.pass_seconds(7 * DAY)
    assert call(web, "/api/progress", token.group(1)).status == 401
    for wrong in ({"name": "", "days": "7"}, {"name": "x" * 61, "days": "7"}, {"name": "x", "days": "8"}):
        assert web.browser(web.small.owner).post("/owner/tokens", **wrong).status == 422


def test_without_the_token_of_an_owner_nobody_gets_anything(scripted: WebStudy) -> None:
    web, small = scripted, scripted.small
    second = small.do(add_annotator, "Second", "owner")
    for person, token in ((small.people[0], "a" * 43), (second, "b" * 43)):
        small.do(create_token, person, "x", 30, token)
    with small.study.database.write() as tx:
        tx.change(annotator, annotator.c.id == second, excluded_at=tx.now, excluded_reason="left")
    for path in ADDRESSES:
        for token in (None, "", "wrong", TOKEN[:-1], TOKEN + "t", "é", "x" * 5000):
            page = call(web, path, token)
            assert page.status == 401, (path, token)
            assert page.headers["www-authenticate"] == "Bearer"
            assert json.loads(page.html).keys() == {"error"}
        for token in ("a" * 43, "b" * 43):
            assert call(web, path, token).status == 403, (path, token)
        for person in (small.people[0], small.owner):
            assert web.browser(person).get(path).status == 401, "a cookie is not a token"
    assert call(web, "/api/releases", None, "POST", data={"version": "1.0.0"}).status == 401
    assert not (small.study.folder / "releases").exists()
    assert web.browser(small.owner).get("/owner", headers={"Authorization": f"Bearer {TOKEN}"}).status == 200
    assert Page(web.browser().client.get("/owner", headers={"Authorization": f"Bearer {TOKEN}"})).status == 401


@pytest.mark.parametrize("how", ["deleted", "password", "role"])
def test_a_token_stops_working_at_once(how: str, web: WebStudy) -> None:
    web.small.do(create_token, web.small.owner, "backup", 30, TOKEN)
    assert call(web, "/api/people").status == 200
    if how == "deleted":
        assert web.browser(web.small.owner).post("/owner/tokens/1/delete").status == 303
    elif how == "password":
        web.small.do(change_password, web.small.owner, "hash")
    else:
        second = web.small.do(add_annotator, "Second", "owner")
        web.small.do(change_role, web.small.owner, "annotator", second)
        web.small.do(change_role, web.small.owner, "owner", second)
    assert call(web, "/api/people").status == 401


def test_one_owner_does_not_delete_the_tokens_of_another(web: WebStudy) -> None:
    web.small.do(create_token, web.small.owner, "backup", 30, TOKEN)
    second = web.small.do(add_annotator, "Second", "owner")
    assert web.browser(second).post("/owner/tokens/1/delete").status == 409
    assert call(web, "/api/people").status == 200


def test_people_come_in_bounded_parts(scripted: WebStudy) -> None:
    scripted.small.attack(scripted.small.people[0])
    first = json.loads(call(scripted, "/api/people?limit=4").html)
    assert [one["id"] for one in first["people"]] == [1, 2, 3, 4]
    assert first["people"][0]["asked"] == first["people"][0]["fooled"] == 1
    rest = json.loads(call(scripted, f"/api/people?limit=4&after={first['next']}").html)
    assert [one["role"] for one in rest["people"]] == ["annotator", "annotator", "owner"]
    assert rest["next"] is None
    for wrong in ("limit=0", "limit=501", "limit=x", "after=-1", "after=x", "limit=99999999999999999999"):
        assert call(scripted, f"/api/people?{wrong}").status == 422
    assert "password" not in str(first)


def test_progress_and_releases(scripted: WebStudy) -> None:
    small = scripted.small
    frozen(scripted)
    (only,) = json.loads(call(scripted, "/api/progress").html)["rounds"]
    assert (only["number"], only["state"], only["counts"]["questions"]) == (1, "FROZEN", {"VERIFIED": 1})
    assert json.loads(call(scripted, "/api/releases").html) == {"releases": []}
    for wrong in ("", "1", "../../x", "1.0.0/..", "1.0.0\n", "v1.0.0"):
        assert call(scripted, "/api/releases", method="POST", data={"version": wrong}).status == 422, wrong
    for _ in range(2):
        made = json.loads(call(scripted, "/api/releases", method="POST", data={"version": "1.0.0"}).html)
        assert made["version"] == "1.0.0"
    sent = call(scripted, "/api/releases/1.0.0")
    assert sent.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(sent.content)) as packed:
        assert packed.testzip() is None
        assert "release-1.0.0/datasheet.md" in packed.namelist()
    assert call(scripted, "/api/releases/1.0.1").status == 404
    assert call(scripted, "/api/releases/..%2fstudy").status in (404, 422)
    small.do(delete_text, None, 1, "its author asked")
    assert "questions that were deleted since" in json.loads(call(scripted, "/api/progress").html)["to_do"][0]
    owner = scripted.browser(small.owner)
    assert "Export a patch under a new version. Then delete" in owner.get("/owner/releases").html
    assert 'Export a patch under a new version on <a href="/owner/releases">' in owner.get("/owner").html
    (small.study.folder / "releases" / "1.0.0.zip").unlink()
    refused = call(scripted, "/api/releases", method="POST", data={"version": "1.0.0"})
    assert refused.status == 422
    assert "new version" in json.loads(refused.html)["error"]
    assert call(scripted, "/api/releases", method="POST", data={"version": "1.0.1"}).status == 200


def test_scripts_are_limited(tmp_path: Path, template: SmallStudy) -> None:
    web = WebStudy.copied(template, tmp_path / "study", replace(NO_LIMITS, api=3, sign_ins=5))
    web.small.do(create_token, web.small.owner, "backup", 30, TOKEN)
    statuses = [call(web, "/api/progress").status for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert [call(web, "/api/progress", f"wrong {n}").status for n in range(6)] == [401] * 5 + [429]
    assert call(web, "/api/progress").status == 429, "who guesses waits, also with a right token"
    assert int(call(web, "/api/progress").headers["retry-after"]) > 0
    web.close()


def test_an_owner_has_few_tokens(web: WebStudy) -> None:
    owner = web.browser(web.small.owner)
    statuses = [owner.post("/owner/tokens", name=f"n{n}", days="7").status for n in range(MOST_TOKENS + 1)]
    assert statuses == [200] * MOST_TOKENS + [422]


def test_the_examples_of_the_docs_work(site: Site, tmp_path: Path) -> None:
    """Every Python example of the page, with a real server."""
    frozen(site.web)
    site.small.do(create_token, site.small.owner, "docs", 30, TOKEN)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    known = {**os.environ, "ASKEW_URL": site.base, "ASKEW_TOKEN": TOKEN}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], env=known, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Round 1: FROZEN, 1 verified" in done.stdout
    assert (tmp_path / "release.zip").stat().st_size > 1000
