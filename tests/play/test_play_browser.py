"""The playground in a real browser: with and without JavaScript, by keyboard, light and dark."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from test_play_server import playing
from test_playground import Literal

import askew

SLOW = 120_000
"""Milliseconds that a first question may take on a busy machine, while networks and word lists are loaded."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with playing(tmp_path_factory.mktemp("play"), "bundled:xnm", Literal()) as running:
        yield running


@pytest.fixture
def open_page(browser, server):
    wrong, contexts = [], []

    def opened(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SLOW)
        page.on("request", lambda r: r.url.startswith(server.address) or wrong.append(r.url))
        page.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(server.address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def ask(page, text="What color is the sheep?", expected="black"):
    page.fill("#expected", expected)
    page.fill("#question", text)
    page.focus("#question")
    page.keyboard.press("Enter")
    page.wait_for_url("**/trial/*")


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_failure_is_found_saved_and_asked_again(open_page, server, tmp_path, script):
    page = open_page(java_script_enabled=script)
    ask(page)
    broken = page.locator(".variant.broke").filter(has_text="What is the color of the sheep?").first
    assert broken.locator(".mark.broke").first.inner_text() == "✗ breaks: correct, then wrong"
    assert broken.locator("ins").first.inner_text() == "is the"
    broken.get_by_role("button", name="Save this failure").click()
    page.wait_for_url("**saved=*")
    assert "has 1 groups" in page.locator(".message").inner_text()
    result = askew.evaluate(Literal(), server.output.path, output=tmp_path / "run")
    assert [pair.outcome for pair in result.pairs()] == ["broke"]


def test_the_attention_of_each_step_is_drawn_over_the_image(open_page):
    page = open_page()
    ask(page)
    page.get_by_text("How bundled:xnm got there, step by step").first.click()
    figures = page.locator("section.found > details").first.locator("figure")
    assert figures.count() == 3
    assert figures.first.locator("rect.best").count() == 1
    assert figures.first.locator("image").get_attribute("href") == "/image/1"
    assert page.get_by_text("How literal got there").count() == 0, "it has no steps to show"


def test_a_trial_shows_what_a_model_needs_to_see_and_can_be_shared(open_page):
    page = open_page()
    ask(page)
    page.locator("form[action='/look'] select").select_option("bundled:xnm")
    page.get_by_role("button", name="Hide").click()
    page.wait_for_url("**#look-0")
    assert page.locator("#look-0 rect.lost").count() == 16
    assert page.locator("#look-0 figcaption").inner_text().startswith("bundled:xnm says “")
    with page.expect_download() as download:
        page.get_by_text("Download it with").click()
    assert download.value.suggested_filename.startswith("askew-play-")


def test_the_keyboard_alone_is_enough(open_page):
    page = open_page()
    page.locator("h1").click()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type("Is it day?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/trial/*")
    assert page.evaluate("document.activeElement.id") == "answer"
    assert page.locator("#answer").inner_text() == "“Is it day?”"


def test_a_file_that_is_chosen_is_shown_at_once(open_page):
    content = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(content, "PNG")
    page = open_page()
    page.set_input_files(
        "#upload input[type=file]", {"name": "a.png", "mimeType": "image/png", "buffer": content.getvalue()}
    )
    page.wait_for_url("**/?image=u*")
    page.wait_for_function("document.querySelector('.big').naturalWidth === 40")


def test_a_file_that_is_dropped_is_shown_at_once(open_page):
    content = io.BytesIO()
    Image.new("RGB", (44, 30), "blue").save(content, "PNG")
    page = open_page()
    dropped = page.evaluate_handle(
        """bytes => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], "a.png", { type: "image/png" }));
          return data;
        }""",
        list(content.getvalue()),
    )
    page.dispatch_event("footer", "dragover", {"dataTransfer": dropped})
    assert page.locator("body").get_attribute("class") == "dropping"
    page.dispatch_event("footer", "drop", {"dataTransfer": dropped})
    page.wait_for_url("**/?image=u*")
    page.wait_for_function("document.querySelector('.big').naturalWidth === 44")


def test_an_attack_starts_at_its_button(open_page):
    page = open_page()
    ask(page)
    assert page.locator(".suite h3", has_text="Attack by").count() == 0
    page.select_option(".attack select[name=attack]", "sears")
    page.select_option(".attack select[name=model]", "literal")
    page.click(".attack button")
    page.wait_for_url("**#suite-*")
    found = page.locator(".suite", has_text="Attack by sears on literal")
    assert found.locator(".text").inner_text() == "Which color is the sheep?"
    assert found.get_by_role("button", name="Save this failure").is_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_nothing_to_complain_about_for_axe_and_no_sideways_scrolling(open_page, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    for _ in range(2):
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ask(page)
