"""A worker of a platform that shows the pages in a frame, from the link to the form that the platform gets."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser_site import Site
from small_study import SmallStudy
from web_study import WebStudy

from askew.collect.web.app import make_app
from askew.collect.web.login import Platform, create_invite


@dataclass
class Marketplace:
    """A platform like Mechanical Turk, which is another site: it frames an address and takes a form."""

    framed: str = ""
    taken: list[str] = field(default_factory=list)
    server: Any = None

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.server.server_port}"

    def __post_init__(self) -> None:
        market = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f'<iframe width="900" height="700" src="{market.framed}"></iframe>'.encode())

            def do_POST(self) -> None:
                market.taken.append(self.rfile.read(int(self.headers["content-length"])).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def market() -> Iterator[Marketplace]:
    made = Marketplace()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_worker_works_in_the_frame_of_a_platform_and_submits_there(
    browser: Any, market: Marketplace, roomy: SmallStudy, tmp_path: Path
) -> None:
    """Cookies of other sites are blocked in frames: the first form was "too old"."""
    web = WebStudy.copied(roomy, tmp_path / "study")
    web.service = replace(web.service, platforms=(market.origin,))
    web.app = make_app(web.service)
    site = Site(web)
    platform = Platform("C0DE", 1, f"{market.origin}/mturk/externalSubmit")
    token = web.small.do(create_invite, platform=platform)
    market.framed = f"{site.base}/invite/{token}?PROLIFIC_PID=W1&assignmentId=A7"
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(market.origin)
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Begin").click()
    frame.locator("#agree").check()
    frame.get_by_role("button", name="Agree and continue").click()
    frame.get_by_role("link", name="I have read this: start").first.click()
    frame.get_by_role("button", name="Get an image").click()
    frame.locator("#question").fill("What is it?")
    frame.get_by_role("button", name="Get robot answer").click()
    assert frame.get_by_text("new tab").count() == 0, "nobody is signed in there"
    frame.get_by_label("Definitely wrong").check()
    frame.locator("#answer").fill("red")
    frame.get_by_role("button", name="Save my judgement").click()
    frame.get_by_role("link", name="Start page").click()
    frame.get_by_role("link", name="I am finished").click()
    with page.expect_response(f"{market.origin}/mturk/externalSubmit"):
        frame.get_by_role("button", name="Submit on the platform").click()
    assert market.taken == ["assignmentId=A7&code=C0DE"]
    context.close()
    site.close()
