"""The pair viewer in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

TOTAL = 300 + 300 + 7 * 300
"""The pairs of three suites, one of them with seven levels of noise."""


def viewer_of(page: Any) -> Any:
    """The page with its pairs open."""
    page.click("nav a[href='#pairs']")
    page.wait_for_selector("#viewer:not([aria-busy])")
    return page


def listed(page: Any) -> int:
    """The number of pairs that pass the filters; the list itself grows while it is scrolled."""
    told = page.locator("#count").inner_text()
    return 0 if told.startswith("none") else int(told.split(" of ")[1].split(" ")[0])


def test_filters_narrow_the_list(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    assert page.locator("#count").inner_text() == f"1 of {TOTAL}"
    page.select_option("#by-suite", "rad")
    rad = listed(page)
    assert rad == 300
    page.select_option("#by-test", "Y/N←HM")
    assert 0 < listed(page) < rad
    page.select_option("#by-outcome", "broke")
    page.select_option("#by-model", "0")
    shown = listed(page)
    assert page.locator("#count").inner_text() == f"1 of {shown} (filtered from {TOTAL})"
    assert page.locator("#pair tbody tr").first.locator("td").last.inner_text() == "correct → wrong"
    page.click("#clear")
    assert listed(page) == TOTAL


def test_the_disagreement_filter_keeps_different_outcomes(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    page.select_option("#by-outcome", "disagree")
    signs = page.locator("#list small").all_inner_texts()
    assert signs
    assert all(len(set(text.split()[:3])) > 1 for text in signs)


def test_search_finds_words_in_questions_and_answers(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report)
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.id == 'search'")
    page.keyboard.type("there ARE kites rad/how-many")
    playwright.expect(page.locator("#list")).to_be_in_viewport()
    found = page.locator("#list button").all_inner_texts()
    assert page.locator("#list").is_visible()
    assert found
    assert len(found) < TOTAL
    assert all("kites" in text for text in found)
    page.keyboard.press("Escape")
    assert listed(page) == TOTAL
    assert page.evaluate("document.activeElement.id") != "search"
    page.fill("#search", "nobody ever said this")
    assert page.locator("#pair").inner_text() == "No pair in the sample matches these filters."


def test_keys_move_through_the_pairs(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    for key, at in (("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert page.locator("#count").inner_text() == f"{at} of {TOTAL}"
    page.focus("#list")
    page.keyboard.press("ArrowDown")
    assert page.locator("#count").inner_text() == f"2 of {TOTAL}"
    assert page.locator("[aria-current=true]").count() == 1


def test_a_permalink_opens_its_pair(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    page.click("#list li:nth-child(5) button")
    link = page.locator("#pair .eyebrow > a").get_attribute("href")
    assert page.url.endswith(link)
    question = page.locator("#pair .question").last.inner_text()
    again = open_page(report, link, reduced_motion="reduce")
    again.wait_for_selector("#viewer:not([aria-busy])")
    assert again.locator("#pair .question").last.inner_text() == question
    again.wait_for_function("Math.abs(document.getElementById('viewer').getBoundingClientRect().top) < 200")


def test_a_permalink_to_an_unknown_pair_says_so(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report, "#pair=rad%3Anone")
    page.wait_for_selector("#toast:not([hidden])")
    assert page.locator("#toast").inner_text() == "Pair rad:none is not in the sample on this page"
    assert page.evaluate("scrollY") == 0, "it stays on the ranking"


def test_a_permalink_drops_filters_that_hide_its_pair(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    page.select_option("#by-suite", "rad")
    page.click("#list li:nth-child(2) button")
    link = page.locator("#pair .eyebrow > a").get_attribute("href")
    page.select_option("#by-suite", "rscore")
    page.click("#list li:nth-child(2) button")
    page.evaluate("link => { location.hash = link; }", link)
    page.locator("#pair .eyebrow span", has_text="Asked as yes/no").first.wait_for()
    assert page.input_value("#by-suite") == ""


def test_a_finding_filters_the_viewer(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report)
    page.click("nav a[href='#breaks']")
    link = page.locator("#breaks .overview .findings a").first
    value = link.inner_text()
    link.click()
    page.wait_for_selector("#chip:not([hidden])")
    assert value in page.locator("#chip").inner_text()
    assert 0 < listed(page) < TOTAL
    assert page.input_value("#by-outcome") == "broke"
    page.click("#chip button")
    assert page.locator("#chip").is_hidden()


def test_every_finding_shown_leads_to_a_pair(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    page.evaluate("document.querySelectorAll('#breaks .panel').forEach(one => { one.open = true; })")
    page.wait_for_function("!document.querySelector('#breaks > .panel > noscript')")
    for link in page.eval_on_selector_all(".panel > .scroll .findings a", "all => all.map(a => a.hash)"):
        page.evaluate("hash => { location.hash = hash; }", link)
        page.wait_for_selector("#chip:not([hidden])")
        assert listed(page) > 0, link


def test_boxes_are_shown_on_demand(open_page: Callable[..., Any], report: Path) -> None:
    page = viewer_of(open_page(report))
    page.select_option("#by-test", "Visual")
    assert page.locator("#pair img").count() == 2
    assert page.locator("#pair .boxes").first.is_hidden()
    page.click("#boxes")
    assert page.locator("#pair .boxes").first.is_visible()
    box = page.locator("#pair .boxes rect").first.bounding_box()
    image = page.locator("#pair img").first.bounding_box()
    assert box["x"] - image["x"] == pytest.approx(image["width"] * 20 / 320, abs=3)
    page.click("#boxes")
    assert page.locator("#pair .boxes").first.is_hidden()


def test_a_failure_on_the_first_screen_opens_its_pair(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report)
    card = page.locator(".failure").first
    question = card.locator(".failure-question").last.inner_text()
    card.get_by_text("Open this pair").click()
    page.wait_for_selector("#viewer:not([aria-busy])")
    assert page.locator("#pair .question p:not(.context)").nth(1).is_visible()
    assert question.split()[-1] in page.locator("#pair").inner_text()
