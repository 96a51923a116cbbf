"""The service on a local port, and a real browser that opens its pages."""

from __future__ import annotations

import threading
import time
from importlib.resources import files
from typing import Any

from web_study import WebStudy

from askew.collect.web.serve import Address, listening, make_server
from askew.types import Prediction

REPLY = "There are two dogs near the tree, as far as I can see." + " I looked at it carefully." * 30


class Site:
    """The service on a local port."""

    def __init__(self, web: WebStudy) -> None:
        self.web, self.small = web, web.small
        web.robots.say = lambda call: Prediction(call.question_id, "two dogs", raw=REPLY)
        self.socket = listening(Address(port=0))
        self.base = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = make_server(web.app, Address())
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join(10)
        self.socket.close()
        self.web.close()


ALL, COLOURS = (
    "{resultTypes: ['violations']}",
    "{runOnly: ['color-contrast', 'target-size', 'scrollable-region-focusable']}",
)


def violations(page: Any, rules: str = ALL) -> list[str]:
    """The violations that axe finds, by all rules unless some are named."""
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(f"axe.run(document, {rules})")["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
