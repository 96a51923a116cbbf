"""Take the screenshots of the docs: `python tools/screenshots.py DEMO docs/images`, or `make pictures`.

DEMO is the output of `askew demo`: the report, and the gate between two of its models. The playground and the service
show drawn scenes, too: in the service, its owner fools the robot, simulated colleagues verify, and the monitor counts.
Needs Chromium, playwright and askew's extras collect and bundled.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from html import escape
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from askew.collect.simulation.demo_study import Colleagues
from askew.collect.web.app import make_app
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.login import create_invite
from askew.collect.web.serve import Address, listening, make_server, make_service
from askew.engine.components import as_data, as_model
from askew.play.play_server import PlayServer
from askew.play.playground import Playground
from askew.play.trial_groups import FailuresFile

SIZE: Any = {"width": 1200, "height": 800}
WAIT = 120_000
"""Milliseconds."""


QUESTION = "How many laptops are there?"
"""What the playground is asked about its twelfth image; both models break on it."""
FONT = "15px/1.4 'DejaVu Sans Mono', monospace"
TERMINAL = (
    f"body {{ margin: 0; padding: 24px; background: #14171a; color: #e6e7e4; }} pre {{ font: {FONT}; margin: 0; }}"
)


def main(demo: Path, folder: Path) -> None:
    """Write report.png, gate.png, play.png and collect-*.png."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        take_report(browser, demo, folder)
        take_gate(browser, demo, folder)
        take_play(browser, folder)
        take_service(browser, Path(scratch), folder)
        browser.close()


def take_report(browser: Browser, demo: Path, folder: Path) -> None:
    """The ranking, and the first models' failures."""
    page = browser.new_context(viewport={"width": 1400, "height": 1200}, device_scale_factor=1.5).new_page()
    page.goto((demo / "report.html").resolve().as_uri())
    shoot(page, folder / "report.png")


def take_gate(browser: Browser, demo: Path, folder: Path) -> None:
    """What the command prints about a model that is worse than the one before."""
    command = ["askew", "gate", "bundled-cnn-lstm", "--require", "rad:RAD >= 60 %", "--no-worse-than", "bundled-xnm"]
    said = subprocess.run([sys.executable, "-m", *command], cwd=demo, capture_output=True, text=True).stdout
    shown = " ".join(f'"{word}"' if " " in word else word for word in command)
    page = browser.new_page(viewport={"width": 860, "height": 100})
    page.set_content(f"<style>{TERMINAL}</style><pre>$ {escape(shown)}\n{escape(said)}</pre>")
    page.set_viewport_size({"width": 860, "height": page.evaluate("document.documentElement.scrollHeight")})
    shoot(page, folder / "gate.png")


def take_play(browser: Browser, folder: Path) -> None:
    """A question in the playground, with its variants and the answers of two models."""
    models = [as_model(name) for name in ("bundled:xnm", "bundled:cnn-lstm")]
    ground = Playground(models, as_data("world:val,scenes=200"))
    server = PlayServer(ground, FailuresFile(Path("play-failures.jsonl")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1200, "height": 1250})
    page.set_default_timeout(WAIT)
    page.goto(f"{server.address}?image=12")
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/trial/*")
    page.wait_for_load_state("networkidle")
    shoot(page, folder / "play.png")
    server.shutdown()
    server.server_close()


def take_service(browser: Browser, scratch: Path, folder: Path) -> None:
    """The pages of the guide for teams."""
    changes = {"demonstration": "true"}
    study = open_or_create(NewStudy(scratch / "study", preset="small", scenes=8, changes=changes))
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
        page = browser.new_context(viewport=SIZE).new_page()
        page.set_default_timeout(WAIT)
        take(page, f"http://127.0.0.1:{bound.getsockname()[1]}/invite/{token}", colleagues, folder)
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
    main(*map(Path, sys.argv[1:3]))
