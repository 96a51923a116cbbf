"""For every form of the service: a person, an address and fields with which it succeeds."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import sqlalchemy as sa
from PIL import Image
from survey_study import answers, survey
from web_study import Browser, Page, WebStudy

from askew.collect.archives import write_archive
from askew.collect.database import Tx
from askew.collect.freeze import freeze_now
from askew.collect.image_import import import_images
from askew.collect.moderation import quarantine, report_image
from askew.collect.quiz import add_quiz_item, quiz_for
from askew.collect.rounds import change_round, create_round
from askew.collect.schema import image
from askew.collect.web.login import create_invite
from askew.collect.web.pages.scripts import create_token
from askew.collect.writing import ask, claim_image


@dataclass
class Recipe:
    browser: Browser
    path: str
    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] | None = None

    def send(self, value: str | None = None, headers: dict[str, str] | None = None) -> Page:
        """Send the form, with this hidden value."""
        return self.browser.post(self.path, value, headers, self.files, **self.fields)


def worker(web: WebStudy, n: int = 0) -> Browser:
    return web.browser(web.small.people[n])


def owner(web: WebStudy) -> Browser:
    return web.browser(web.small.owner)


def with_image(web: WebStudy, path: str, **fields: str) -> Recipe:
    """The first person holds image 1 in session 1."""
    web.small.do(claim_image, web.small.people[0])
    return Recipe(worker(web), path, fields)


def with_answer(web: WebStudy, path: str, **fields: str) -> Recipe:
    """The robot has answered the first person's question."""
    task = web.small.do(claim_image, web.small.people[0])
    web.service.robots.ask(web.small.do(ask, web.small.people[0], task.session_id, "What is it?"))
    return Recipe(worker(web), path, fields)


def with_slot(web: WebStudy, end: str, **fields: str) -> Recipe:
    """The second person holds a question of the first."""
    web.small.attack(web.small.people[0])
    browser = worker(web, 1)
    page = browser.post("/verify")
    return Recipe(browser, page.location.partition("?")[0] + end, fields)


def with_batch(web: WebStudy, end: str, *, right: bool = False, **fields: str) -> Recipe:
    """The second person holds a batch of a survey; ``right``: the form has the answers of a careful person."""
    survey(web.small)
    browser, person = worker(web, 1), web.small.people[1]
    page = browser.post("/batch")
    number = int(page.location.rpartition("/")[2])
    typed = answers(web.small, person, number) if right else {}
    sent = {f"item-{n}-{name}": value for n, given in typed.items() for name, value in given.items()}
    return Recipe(browser, f"/batch/{number}{end}", {**sent, **fields})


def offered(web: WebStudy) -> Recipe:
    """There is a survey."""
    survey(web.small)
    return Recipe(worker(web), "/batch")


def invited(web: WebStudy) -> Recipe:
    token = web.small.do(create_invite)
    return Recipe(web.browser(), f"/invite/{token}", {"name": "Ada", "password": "correct horse"})


def signing_in(web: WebStudy) -> Recipe:
    made = invited(web)
    made.browser.post(made.path, **made.fields)
    return Recipe(web.browser(), "/sign-in", made.fields)


def consenting(web: WebStudy) -> Recipe:
    browser = web.browser(web.small.people[0], consent=False)
    version = re.search(r'name="version" value="(\w+)"', browser.get("/consent").html)
    assert version is not None
    return Recipe(browser, "/consent", {"agree": "yes", "version": version.group(1)})


def in_quarantine(web: WebStudy) -> Recipe:
    web.small.attack(web.small.people[0])
    web.small.do(quarantine, web.small.owner, 1, "test")
    return Recipe(owner(web), "/owner/examples/1/resolve", {"decision": "keep"})


def with_hidden_image(web: WebStudy) -> Recipe:
    web.small.do(report_image, web.small.owner, 1, "test")
    return Recipe(owner(web), "/owner/images/1/resolve", {"decision": "keep"})


def with_example(web: WebStudy, browser: Browser, path: str, **fields: str) -> Recipe:
    web.small.attack(web.small.people[0])
    return Recipe(browser, path, fields)


def drained(web: WebStudy) -> Recipe:
    web.small.do(create_round, [web.small.models[0]])
    return Recipe(owner(web), "/owner/round/1/state", {"to": "DRAINING"})


def ask_for_quiz(web: WebStudy, examples: int = 16) -> None:
    """Require a quiz in a study whose round is open, which only a test can do."""
    database = web.small.study.database

    def add(tx: Tx) -> None:
        sha256 = tx.value(sa.select(image.c.sha256).order_by(image.c.id).limit(1))
        for n in range(examples):
            verdict = ("correct", "wrong", "unsure")[n % 3]
            add_quiz_item(tx, (sha256, ".png"), f"Example question {n}?", f"robot says {n}", verdict, f"Hint {n}.")

    web.small.do(add)
    database._settings = replace(web.small.look(lambda tx: tx.settings), quiz_required=True)


def with_quiz(web: WebStudy) -> Recipe:
    ask_for_quiz(web)
    person = web.small.people[0]
    quiz = web.small.look(lambda tx: quiz_for(tx, person))
    return Recipe(worker(web), "/quiz", {"attempt": "1", **{f"item-{item.id}": item.verdict for item in quiz.items}})


def frozen(web: WebStudy) -> None:
    """Round 1 is frozen, with one verified question."""
    web.small.attack(web.small.people[0])
    web.small.verify_all()
    web.small.do(freeze_now, web.small.round_id, 1)


def preparing(web: WebStudy, path: str, **fields: str) -> Recipe:
    """Round 2 is a draft."""
    web.small.do(create_round, [web.small.models[0]])
    return Recipe(owner(web), path, fields)


def with_images(web: WebStudy) -> Recipe:
    made = preparing(web, "/owner/set-up/images", domain="toy")
    made.files = {"new.png": PNG}
    return made


def empty(web: WebStudy) -> Recipe:
    """No image yet, so the settings can be changed."""
    with web.small.study.database.write() as tx:
        for table in ("place", "image"):
            tx.connection.exec_driver_sql(f"DELETE FROM {table}")
        tx.connection.exec_driver_sql("UPDATE round SET opened_at = NULL")
    return Recipe(owner(web), "/owner/set-up/study", {"name": "New", "preset": "paper", "identity": "workerId"})


def openable(web: WebStudy) -> Recipe:
    web.small.do(change_round, web.small.round_id, "DRAINING")
    made = preparing(web, "/owner/set-up/round/2/open")
    path = web.small.study.folder / "new.png"
    path.write_bytes(PNG)
    import_images(web.small.study, [path], 2)
    return made


def freezing(web: WebStudy) -> Recipe:
    web.small.attack(web.small.people[0])
    return Recipe(owner(web), "/owner/round/1/freeze", {"seed": "1", "drop": "yes", "sure": "yes"})


def exporting(web: WebStudy) -> Recipe:
    frozen(web)
    return Recipe(owner(web), "/owner/releases", {"version": "1.0.0"})


def exported(web: WebStudy) -> Recipe:
    frozen(web)
    write_archive(web.small.study, "1.0.0")
    return Recipe(owner(web), "/owner/releases/1.0.0/delete")


def with_token(web: WebStudy) -> Recipe:
    web.small.do(create_token, web.small.owner, "backup", 7, "t" * 43)
    return Recipe(owner(web), "/owner/tokens/1/delete")


def _png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (9, 9), (1, 2, 3)).save(buffer, "PNG")
    return buffer.getvalue()


PNG = _png()
RECIPES: dict[str, Callable[[WebStudy], Recipe]] = {
    "/sign-in": signing_in,
    "/sign-out": lambda web: Recipe(worker(web), "/sign-out"),
    "/invite/{token}": invited,
    "/consent": consenting,
    "/password": lambda web: Recipe(worker(web), "/password", {"password": "correct horse"}),
    "/quiz": with_quiz,
    "/write": lambda web: Recipe(worker(web), "/write"),
    "/write/{session:int}/ask": lambda web: with_image(web, "/write/1/ask", question="What colour is it?"),
    "/write/{session:int}/judge": lambda web: with_answer(
        web, "/write/1/judge", **{"try": "1"}, verdict="wrong", answer="red"
    ),
    "/write/{session:int}/extend": lambda web: with_image(web, "/write/1/extend"),
    "/write/{session:int}/skip": lambda web: with_image(web, "/write/1/skip", reason="Other"),
    "/write/{session:int}/report": lambda web: with_image(
        web, "/write/1/report", reason="It is offensive or disturbing"
    ),
    "/verify": lambda web: with_example(web, worker(web, 1), "/verify"),
    "/verify/{task}/answer": lambda web: with_slot(web, "/answer", answer="red", confidence="maybe", then="next"),
    "/verify/{task}/extend": lambda web: with_slot(web, "/extend"),
    "/verify/{task}/skip": lambda web: with_slot(web, "/skip", reason="offensive or private"),
    "/batch": offered,
    "/batch/{batch:int}/send": lambda web: with_batch(web, "/send", right=True, then="next"),
    "/batch/{batch:int}/save": lambda web: with_batch(web, "/save", right=True),
    "/batch/{batch:int}/extend": lambda web: with_batch(web, "/extend"),
    "/batch/{batch:int}/report": lambda web: with_batch(web, "/report", item="1", reason="cannot see the image"),
    "/batch/{batch:int}/return": lambda web: with_batch(web, "/return"),
    "/my-work/{question:int}/withdraw": lambda web: with_example(web, worker(web), "/my-work/1/withdraw"),
    "/my-work/delete": lambda web: with_example(web, worker(web), "/my-work/delete", sure="yes", work="remove"),
    "/owner/round/{round:int}/state": drained,
    "/owner/round/{round:int}/model/{model:int}": lambda web: Recipe(
        owner(web), "/owner/round/1/model/1", {"active": "no"}
    ),
    "/owner/set-up/study": empty,
    "/owner/set-up/consent": lambda web: Recipe(owner(web), "/owner/set-up/consent", {"text": "Ours."}),
    "/owner/set-up/models": lambda web: preparing(web, "/owner/set-up/models", **{"model.2": "yes"}),
    "/owner/set-up/images": with_images,
    "/owner/set-up/round/{round:int}/open": openable,
    "/owner/round/{round:int}/freeze": freezing,
    "/owner/releases": exporting,
    "/owner/releases/{version}/delete": exported,
    "/owner/tokens": lambda web: Recipe(owner(web), "/owner/tokens", {"name": "backup", "days": "7"}),
    "/owner/tokens/{number:int}/delete": with_token,
    "/owner/examples/{question:int}/quarantine": lambda web: with_example(
        web, owner(web), "/owner/examples/1/quarantine", note="odd"
    ),
    "/owner/examples/{question:int}/resolve": in_quarantine,
    "/owner/images/{image:int}/resolve": with_hidden_image,
    "/owner/people": lambda web: Recipe(owner(web), "/owner/people", {"role": "annotator", "days": "14"}),
    "/owner/people/{person:int}/link": lambda web: Recipe(owner(web), "/owner/people/1/link"),
    "/owner/people/{person:int}/role": lambda web: Recipe(owner(web), "/owner/people/1/role", {"role": "owner"}),
    "/owner/people/{person:int}/qualify": lambda web: Recipe(owner(web), "/owner/people/1/qualify"),
    "/owner/people/{person:int}/exclude": lambda web: with_example(
        web, owner(web), "/owner/people/1/exclude", note="spam"
    ),
}
ENDS_SESSION = {"/sign-out", "/password", "/my-work/delete"}
"""Forms after which the browser has another session, or none: a replay finds the form too old."""
