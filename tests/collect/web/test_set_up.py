"""A study that its owner sets up in the browser, from an empty folder to a release; and what these pages refuse."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from PIL import Image
from small_study import SmallStudy
from web_study import Browser, WebStudy

from askew.cli import main
from askew.collect.protocol import PRESETS, Refused
from askew.collect.quiz import quiz_blockers
from askew.collect.schema import image, model, quiz_item, round_
from askew.collect.study import change_study, create_study
from askew.collect.web.first_study import NewStudy, create
from askew.errors import UsageError


def photo(colour: str, kind: str = "JPEG") -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((320, 240), 60).convert("RGB").save(buffer, kind)
    with Image.open(buffer) as noisy:
        mixed = Image.blend(noisy.convert("RGB"), Image.new("RGB", noisy.size, colour), 0.6)
    buffer = io.BytesIO()
    mixed.save(buffer, kind)
    return buffer.getvalue()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """``askew collect serve FOLDER --set-up``: the owner's link."""
    command = [sys.executable, "-m", "askew", "collect", "serve", str(tmp_path / "study"), "--set-up", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines: list[str] = []
    while not lines or not lines[-1].startswith("Serving at"):
        lines.append(process.stdout.readline())
        assert lines[-1], lines
    found = re.search(r"http://\S+/invite/\S+", "".join(lines))
    assert found is not None, lines
    yield found.group(0)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    process.stdout.close()


def test_from_an_empty_folder_to_a_release_with_own_images_in_a_browser(
    served: str, browser: Any, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime", reason="askew's reference models need it")
    for number, colour in enumerate(("red", "green", "blue")):
        (tmp_path / f"{number}.jpg").write_bytes(photo(colour))
    base = served.partition("/invite/")[0]
    contexts = [browser.new_context(base_url=base) for _ in range(3)]
    owner, *others = [context.new_page() for context in contexts]
    for page in (owner, *others):
        page.set_default_timeout(60_000)
    join(owner, served, "Olga")
    owner.get_by_role("link", name="Set-up").first.click()
    owner.get_by_label("Name, which releases have too").fill("My streets")
    owner.get_by_label("small").check()
    owner.get_by_role("button", name="Save the settings").click()
    owner.get_by_text("The settings are saved.").wait_for()
    owner.get_by_label("Text", exact=True).fill("Who we are. A test.\n\nPay. Nothing.")
    owner.get_by_role("button", name="Save the consent text").click()
    owner.get_by_role("heading", name="The consent text has changed").or_(owner.get_by_text("is saved.")).wait_for()
    owner.goto("/owner/set-up")
    owner.get_by_role("button", name="Create a round with these robots").click()
    owner.get_by_label("Choose images").set_input_files([tmp_path / f"{n}.jpg" for n in range(3)])
    owner.get_by_role("button", name="Add the images").click()
    owner.get_by_text("Added 3 images.").wait_for()
    owner.get_by_role("button", name="Open round 1").click()
    owner.get_by_role("heading", name="Round 1").wait_for()
    for number, page in enumerate(others):
        owner.goto("/owner/people")
        owner.get_by_role("button", name="Create a link").click()
        join(page, owner.locator(".code").first.inner_text(), f"Person {number}")
    fool(owner)
    for page in others:
        page.goto("/home")
        page.get_by_role("button", name="Get a question").click()
        page.get_by_label("Your answer").fill("seven")
        page.get_by_label("Yes", exact=False).first.check()
        page.get_by_role("button", name=re.compile("next|Send", re.IGNORECASE)).first.click()
        page.wait_for_load_state()
    owner.goto("/owner")
    owner.get_by_role("link", name="Preview the freeze").click()
    owner.get_by_role("row", name=re.compile("E the robot was wrong, verified 1")).wait_for()
    owner.get_by_label("Freeze round 1.").check()
    owner.get_by_role("button", name="Freeze round 1").click()
    owner.get_by_role("button", name="Export").click()
    with owner.expect_download() as started:
        owner.get_by_role("link", name="Download").click()
    with zipfile.ZipFile(started.value.path()) as release:
        example = json.loads(release.read("release-1.0.0/history.jsonl").splitlines()[0])
    assert (example["type"], example["judgement"]["answer"]) == ("E", "seven")
    assert len(example["verifications"]) == 2
    owner.goto("/owner/payments?session=0.50&answer=0.05")
    assert "0.60" in owner.locator(".numbers").inner_text(), "an image and two answers"
    assert main(["collect", "check", str(tmp_path / "study")]) == 0
    for context in contexts:
        context.close()


def join(page: Any, link: str, name: str) -> None:
    page.goto(link)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("correct horse")
    page.locator("main button").first.click()
    page.get_by_label("I am 18").check()
    page.get_by_role("button", name="Agree and continue").click()
    page.get_by_role("heading").first.wait_for()


def fool(page: Any) -> None:
    page.goto("/home")
    if page.locator("#agree").count():
        page.locator("#agree").check()
        page.get_by_role("button", name="Agree and continue").click()
        page.goto("/home")
    page.get_by_role("button", name="Get an image").click()
    page.locator("#question").fill("How many dogs are there?")
    page.get_by_role("button", name="Get robot answer").click()
    page.get_by_label("Definitely wrong").check()
    page.locator("#answer").fill("seven")
    page.locator("main form button.primary").first.click()
    page.get_by_text("You fooled the robot").or_(page.get_by_role("heading")).first.wait_for()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[WebStudy]:
    """A study with an owner and nothing else."""
    made = WebStudy.of(SmallStudy.make(tmp_path / "study", images=0, people=0, robots=0, opened=False, rounds=0))
    yield made
    made.close()


def owner_of(web: WebStudy) -> Browser:
    return web.browser(web.small.owner)


def test_settings_are_checked_and_fixed_by_the_first_image(empty: WebStudy) -> None:
    owner = owner_of(empty)
    fields = {"name": "Streets", "preset": "paper", "identity": "workerId", "other": "max_tries=3\nquiz_items=9"}
    assert owner.post("/owner/set-up/study", **fields).status == 303
    settings = empty.small.look(lambda tx: tx.settings)
    assert (settings.max_tries, settings.quiz_items, settings.identity) == (3, 9, "workerId")
    assert "max_tries=3\nquiz_items=9" in owner.get("/owner/set-up").html
    for wrong, said in {
        "tries=3": "There is no setting",
        "max_tries": "Write each setting as NAME=VALUE",
        "max_tries=many": "is not a whole number",
        "max_tries=0": "max_tries",
    }.items():
        page = owner.post("/owner/set-up/study", **{**fields, "other": wrong})
        assert page.status == 422
        assert said in page.html
        assert wrong in page.html, "what was typed is shown again"
    assert owner.post("/owner/set-up/study", **{**fields, "preset": "huge"}).status == 422
    assert empty.small.look(lambda tx: tx.settings) == settings
    assert owner.post("/owner/set-up/models", **{"spec.bundled:xnm": "yes"}).status == 303
    assert "Added 1 image" in owner.post("/owner/set-up/images", files={"a.jpg": photo("red")}).html
    page = owner.post("/owner/set-up/study", **fields)
    assert page.status == 422
    assert "fixed once the study has images" in page.html


def test_a_study_that_requires_the_quiz_gets_one(empty: WebStudy) -> None:
    """No round could open without a terminal."""
    fields = {"name": "Streets", "preset": "paper", "identity": "workerId", "other": "quiz_required=true"}
    for _ in range(2):
        assert owner_of(empty).post("/owner/set-up/study", **fields).status == 303
        assert empty.small.look(quiz_blockers) == []
        assert empty.small.look(lambda tx: tx.value(sa.select(sa.func.count()).select_from(quiz_item))) == 16


def test_a_consent_text_is_stored_and_everybody_is_asked_again(empty: WebStudy) -> None:
    owner = owner_of(empty)
    before = empty.service.consent
    assert owner.post("/owner/set-up/consent", text=before.text.replace("\n", "\r\n")).status == 303
    assert empty.service.consent == before, "an unchanged text has the same version"
    assert owner.post("/owner/set-up/consent", text="<b>Ours</b>.\n\nAnd more.").status == 303
    assert empty.service.consent.text == "<b>Ours</b>.\n\nAnd more.\n"
    assert (empty.small.study.folder / "consent.txt").stat().st_mode & 0o077 == 0
    assert owner.get("/home").location == "/consent"
    assert "&lt;b&gt;Ours" in owner.get("/consent").html
    assert owner.post("/owner/set-up/consent", text=" \n").status == 422
    assert owner.post("/owner/set-up/consent", text="x" * 40_001).status == 422


def test_only_listed_models_can_be_chosen(empty: WebStudy) -> None:
    """The spec of a model can run programs: a stolen session of an owner must not become a shell."""
    owner = owner_of(empty)
    for key in (
        "spec.python:os:system",
        "spec.constant:yes",
        "spec.hf:some/model",
        "spec.",
        "model.1",
        "model.bundled:xnm",
    ):
        assert owner.post("/owner/set-up/models", **{key: "yes"}).status == 422
    assert empty.small.look(lambda tx: tx.rows(sa.select(model))) == []
    assert empty.small.look(lambda tx: tx.rows(sa.select(round_))) == []
    page = owner.post("/owner/set-up/images", files={"a.jpg": photo("red")})
    assert page.status == 422
    assert "First choose the models" in page.html


def test_the_next_round_begins_with_the_robots_of_the_last(web: WebStudy) -> None:
    """None was ticked, and the button led to an error."""
    boxes = re.findall(r'name="(model\.\d+)" value="yes"( checked)?', owner_of(web).get("/owner/set-up").html)
    assert boxes
    assert all(checked for _, checked in boxes)
    assert owner_of(web).post("/owner/set-up/models", **{key: "yes" for key, _ in boxes}).status == 303


def test_models_of_one_spec_are_two(tmp_path: Path) -> None:
    """The page had one box for both, and it was not ticked."""
    web = WebStudy.of(SmallStudy.make(tmp_path / "study", opened=False))
    boxes = re.findall(r'name="(model\.\d+)" value="yes"( checked)?', owner_of(web).get("/owner/set-up").html)
    assert boxes == [("model.1", " checked"), ("model.2", " checked")]
    assert owner_of(web).post("/owner/set-up/models", **{"model.2": "yes"}).status == 303
    boxes = re.findall(r'name="(model\.\d+)" value="yes"( checked)?', owner_of(web).get("/owner/set-up").html)
    assert boxes == [("model.1", ""), ("model.2", " checked")]
    web.close()


def test_images_are_imported_like_by_the_command(tmp_path: Path) -> None:
    web = WebStudy.of(SmallStudy.make(tmp_path / "study", images=1, opened=False))
    owner = owner_of(web)
    files = {
        "street.jpg": photo("red"),
        "../../evil.png": photo("blue", "PNG"),
        "again.jpg": (tmp_path / "study-files" / "0.png").read_bytes(),
        "page.html": b"<script>",
        "broken.png": b"\x89PNG\r\n",
        "..": photo("green"),
    }
    page = owner.post("/owner/set-up/images", domain="streets", files=files)
    assert "Added 2 images; left out 4:" in page.html
    assert str(tmp_path) not in page.html
    assert "askew-upload" not in page.html
    rows = web.small.look(lambda tx: tx.rows(sa.select(image).order_by(image.c.id)))
    assert [(row.name, row.domain) for row in rows[1:]] == [("street.jpg", "streets"), ("evil.png", "streets")]
    for row in rows:
        assert web.small.study.image_path(row.sha256, row.suffix).is_file()
    assert not list(tmp_path.rglob("*evil*"))
    web.close()


def test_files_are_not_read_for_others_and_not_without_end(tmp_path: Path) -> None:
    from dataclasses import replace

    from web_study import NO_LIMITS

    limits = replace(NO_LIMITS, upload=200_000, files=3)
    web = WebStudy.of(SmallStudy.make(tmp_path / "study", opened=False), limits)
    many = {f"{n}.jpg": b"x" for n in range(4)}
    large = {"a.jpg": bytes(300_000)}
    assert owner_of(web).post("/owner/set-up/images", files=many).status == 413
    page = owner_of(web).post("/owner/set-up/images", files=large)
    assert page.status == 413
    assert "at most 3 files" in page.html
    assert web.browser(web.small.people[0]).post("/owner/set-up/images", files=large).status == 403
    assert web.browser().post("/owner/set-up/images", files=large).status == 401
    strange = {"Sec-Fetch-Site": "cross-site"}
    assert owner_of(web).post("/owner/set-up/images", None, strange, files=large).status == 403
    assert owner_of(web).post("/owner/set-up/images").status == 400, "a form without files is of another type"
    web.close()


def test_an_empty_study_waits_for_its_owner(tmp_path: Path) -> None:
    made = create(NewStudy(tmp_path / "study", set_up=True))
    with made.database.read() as tx:
        assert tx.rows(sa.select(round_)) == []
    made.close()
    with pytest.raises(UsageError, match="omit --model and --scenes"):
        create(NewStudy(tmp_path / "other", models=["constant:no"], set_up=True))


def test_settings_are_read_again_until_a_round_opens(tmp_path: Path) -> None:
    """Another process may have changed them."""
    made = create_study(tmp_path / "study", PRESETS["paper"])
    with made.database.read() as tx:
        assert tx.settings.preset == "paper"
    with made.database.write() as tx:
        change_study(tx, "New", PRESETS["small"])
    with made.database.read() as tx:
        assert tx.settings.preset == "small"
    with made.database.write() as tx, pytest.raises(Refused, match="name has 1 to 100 characters"):
        change_study(tx, "x" * 101, PRESETS["small"])
    made.close()


def test_a_round_that_is_not_ready_is_not_opened_and_says_why(empty: WebStudy) -> None:
    owner = owner_of(empty)
    owner.post("/owner/set-up/models", **{"spec.bundled:xnm": "yes"})
    page = owner.post("/owner/set-up/round/1/open")
    assert page.status == 422
    assert "it has no images" in page.html
    assert owner.post("/owner/set-up/round/9/open").status == 404
