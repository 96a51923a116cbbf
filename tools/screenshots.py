"""Take the screenshots of the guide for teams: `python tools/screenshots.py docs/images`.

They show the pages of a demo: its owner fools the robot, simulated colleagues verify, and the monitor counts. Needs
Chromium, playwright and askew's extras collect and bundled.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from askew.collect.simulation.demo_study import Colleagues
from askew.collect.web.app import make_app
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.login import create_invite
from askew.collect.web.serve import Address, listening, make_server, make_service

SIZE: Any = {"width": 1200, "height": 800}
WAIT = 120_000
"""Milliseconds."""


def main(folder: Path) -> None:
    """Write collect-attack.png, collect-judge.png, collect-verify.png and collect-monitor.png."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        changes = {"demonstration": "true"}
        study = open_or_create(NewStudy(Path(scratch) / "study", preset="small", scenes=8, changes=changes))
        address = Address(port=0)
        service = make_service(study, address)
        colleagues = Colleagues(study, service.robots)
        colleagues.join()
        with study.database.write() as tx:
            token = create_invite(tx, "owner")
        with listening(address) as bound:
            server = make_server(make_app(service), address)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.01)
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_context(viewport=SIZE).new_page()
            page.set_default_timeout(WAIT)
            take(page, f"http://127.0.0.1:{bound.getsockname()[1]}/invite/{token}", colleagues, folder)
            browser.close()
            server.should_exit = True
            thread.join(10)
        service.robots.stop()
        study.close()


def take(page: Page, link: str, colleagues: Colleagues, folder: Path) -> None:
    """Sign up, fool the robot, verify a colleague's question, and look at the monitor."""
    page.goto(link)
    page.fill("#name", "Olga")
    page.fill("#password", "correct horse battery")
    page.click("text=Create my account")
    page.check("#agree")
    page.click("text=Agree and continue")
    page.click("nav >> text=Home")
    page.click("text=Get an image")
    page.fill("#question", "What word is on the sign?")
    shoot(page, folder / "collect-attack.png")
    page.click("text=Get robot answer")
    page.wait_for_selector(".robot .answer")
    page.get_by_label("Definitely wrong").check()
    page.fill("#answer", "stop")
    shoot(page, folder / "collect-judge.png")
    page.click("text=Save my judgement")
    for _ in range(40):
        colleagues.step()
    page.click("nav >> text=Home")
    page.click("text=Get a question")
    shoot(page, folder / "collect-verify.png")
    colleagues.do_all()
    page.click("nav >> text=Monitor")
    shoot(page, folder / "collect-monitor.png")


def shoot(page: Page, path: Path) -> None:
    """Write what is seen, from the top of the page, in 256 colors."""
    page.evaluate("window.scrollTo(0, 0)")
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shown.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
