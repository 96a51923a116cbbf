"""Settings that the service refuses to start with, and addresses, proxies and cookies that fit together."""

from __future__ import annotations

import os
import socket
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from small_study import SmallStudy
from web_study import WebStudy

from askew.collect.web.app import make_app
from askew.collect.web.serve import Address, check_address, check_files, listening
from askew.collect.web.study_files import KEY_FILE, VARIABLE, read_secret
from askew.errors import DataError, UsageError

REFUSED = {
    "reached from other computers": Address(host="0.0.0.0"),
    "in the clear": Address(host="0.0.0.0", http=True),
    "reached from outside": Address(host="8.8.8.8", http=True, trusted_hosts=("a.org",)),
    "is not an IP address": Address(host="example.org"),
    "not a port": Address(port=70000),
    "is not a host name": Address(trusted_hosts=("a.org/x",)),
    "without port or path": Address(trusted_hosts=("a.org:80",)),
    "must begin with /": Address(root_path="collect"),
    "not end with one": Address(root_path="/collect/"),
}
ACCEPTED = (
    Address(),
    Address(host="localhost"),
    Address(host="::1"),
    Address(host="192.168.1.5", http=True),
    Address(host="0.0.0.0", trusted_hosts=("collect.example.org",)),
    Address(root_path="/a/b"),
)


@pytest.mark.parametrize("said", REFUSED)
def test_unsafe_addresses_are_refused_and_say_why(said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_address(REFUSED[said])


def test_safe_addresses_are_accepted() -> None:
    for address in ACCEPTED:
        check_address(address)
    assert ACCEPTED[4].hosts == {"collect.example.org"}, "behind a proxy only the named host is answered"
    assert ACCEPTED[4].shown(8000) == "https://collect.example.org"
    assert "192.168.1.5" in ACCEPTED[3].hosts


def test_a_port_in_use_is_reported_plainly() -> None:
    with listening(Address(port=0)) as bound:
        bound.listen()
        with pytest.raises(UsageError, match="Give another one with --port"):
            listening(Address(port=bound.getsockname()[1]))


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    first = read_secret(tmp_path)
    assert len(first) == 64
    assert read_secret(tmp_path) == first
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    os.chmod(tmp_path / KEY_FILE, 0o644)
    with pytest.raises(DataError, match="chmod 600"):
        read_secret(tmp_path)


@pytest.mark.parametrize(
    "weak", ["", "secret", "changeme", "x" * 64, "12345678" * 8, "abcdefghijklmnopqrstuvwxyz01234"]
)
def test_weak_keys_are_refused(weak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, weak)
    with pytest.raises(UsageError, match="random characters"):
        read_secret(tmp_path)
    monkeypatch.delenv(VARIABLE)
    (tmp_path / KEY_FILE).write_text(weak)
    os.chmod(tmp_path / KEY_FILE, 0o600)
    with pytest.raises(UsageError, match="random characters"):
        read_secret(tmp_path)


def test_files_that_others_can_read_are_refused(tmp_path: Path, database_url: str | None) -> None:
    small = SmallStudy.make(tmp_path / "study", database_url)
    check_files(small.study)
    for path in small.study.folder.glob("study.*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    for name in ("study.json", "study.sqlite") if database_url is None else ("study.json",):
        os.chmod(small.study.folder / name, 0o644)
        with pytest.raises(DataError, match="other users"):
            check_files(small.study)
        os.chmod(small.study.folder / name, 0o600)
    small.close()


def test_behind_a_root_path_every_link_has_it(web: WebStudy) -> None:
    web.service.root_path = "/deep/down"
    browser = web.browser(web.small.owner)
    for path in ("/deep/down/owner/people", "/owner/people"):  # the proxy may strip it or not
        page = browser.get(path)
        assert page.status == 200
        links = [
            part.partition('"')[0] for kind in ('href="', 'src="', 'action="') for part in page.html.split(kind)[1:]
        ]
        assert links
        assert all(link.startswith(("/deep/down/", "#")) for link in links), links
    assert browser.get("/").location == "/deep/down/home"
    page = browser.post("/owner/people", role="annotator", days="1")
    assert "https://localhost/deep/down/invite/" in page.html


def test_plain_http_has_plain_cookies_and_no_hsts(tmp_path: Path, template: SmallStudy) -> None:
    web = WebStudy.copied(template, tmp_path / "study")
    web.service = replace(web.service, plain_http=True)
    web.app = make_app(web.service)
    browser = web.browser()
    browser.client.base_url = "http://localhost"
    page = browser.get("/sign-in")
    cookie = page.headers["set-cookie"]
    assert cookie.startswith("askew-visitor=")
    assert "Secure" not in cookie
    assert "HttpOnly" in cookie
    assert "strict-transport-security" not in page.headers
    web.close()


def test_the_link_works_as_soon_as_it_is_printed() -> None:
    """The link was printed while the port still refused connections."""
    with listening(Address(port=0)) as bound, socket.create_connection(bound.getsockname(), timeout=10):
        pass


def test_a_platform_may_frame_the_pages_and_receive_the_last_form(tmp_path: Path, template: SmallStudy) -> None:
    web = WebStudy.copied(template, tmp_path / "study")
    assert web.browser().get("/sign-in").headers["x-frame-options"] == "DENY"
    framed = replace(web.service, platforms=("https://www.mturk.com",))
    web.service, web.app = framed, make_app(framed)
    browser = web.browser()
    page = browser.get("/sign-in")
    policy = page.headers["content-security-policy"]
    assert "form-action 'self' https://www.mturk.com;" in policy
    assert policy.endswith("frame-ancestors https://www.mturk.com")
    assert "x-frame-options" not in page.headers
    assert page.headers["set-cookie"].endswith("SameSite=none; Secure; Partitioned")
    web.close()
