"""The page in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
import pytest
from fake_runs import make_run, save_rows
from test_report_pairs_browser import viewer_of

from askew.report.html import write_report
from askew.report.load import load_run

EVIL = "<img src=x onerror=window.evil=1></script><script>window.evil=1</script>"


def test_the_human_figure_stays_within_its_row(open_page: Callable[..., Any], tmp_path: Path) -> None:
    models = [(name, load_run(make_run(tmp_path / name, name, ("carets",), groups=6))) for name in ("human", "BUTD")]
    write_report([run for _, run in models], tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    out = page.evaluate(
        """() => {
          const spans = [...document.querySelectorAll('.values > span')];
          const value = spans.find(one => one.textContent.startsWith('people'));
          value.firstChild.textContent = 'people 100.0 → '; value.lastChild.textContent = '100.0';
          const inside = document.createRange(); inside.selectNodeContents(value);
          return inside.getBoundingClientRect().right - value.closest('.dotrow').getBoundingClientRect().right;
        }"""
    )
    assert out <= 0


def test_n_and_its_number_stay_on_one_line_on_a_phone(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report, width=390)
    broken = page.evaluate(
        """() => [...document.querySelectorAll('.ranking td small')].filter(small => {
          const node = [...small.querySelectorAll('*'), small].map(one => one.firstChild)
            .find(one => one instanceof Text && one.data.includes('n '));
          if (!node) return false;
          const number = document.createRange();
          number.setStart(node, node.data.indexOf('n '));
          number.setEnd(node, node.data.length);
          return number.getClientRects().length > 1;
        }).map(small => small.textContent)"""
    )
    assert broken == []


def open_suites(open_page: Callable[..., Any], report: Path, **options: Any) -> Any:
    """The page with its suites open, and so the first of their panels."""
    page = open_page(report, **options)
    page.click("nav a[href='#suites']")
    return page


def test_tables_sort_both_ways(open_page: Callable[..., Any], report: Path) -> None:
    page = open_suites(open_page, report)
    table = page.locator("table.sortable").first

    def column(body: int) -> list[float]:
        rows = table.locator("tbody").nth(body).locator("tr:not(.apart)")
        cells = rows.evaluate_all("rows => rows.map(row => row.cells[1].dataset.sort)")
        return [float(cell) for cell in cells if cell]

    heading = table.locator("thead th").nth(1)
    for order, turned in (("descending", True), ("ascending", False)):
        heading.locator("button").click()
        assert heading.get_attribute("aria-sort") == order
        for body in (0, 1):  # ours and the paper's are sorted apart
            assert len(column(body)) == 3 - body
            assert column(body) == sorted(column(body), reverse=turned)
    assert table.locator("tbody.published tr").first.get_attribute("class") == "apart"
    last = table.locator("thead th").nth(4).locator("button")
    last.click()
    assert table.locator("tbody tr").last.locator("td").last.inner_text() == "—"


def test_the_switch_shows_our_figures_or_the_papers(open_page: Callable[..., Any], report: Path) -> None:
    page = open_suites(open_page, report)
    rows = page.locator("table.sortable").first.locator("tbody tr:visible")
    assert rows.count() == 6  # three of ours, a heading and two of the paper's
    page.check("input[value=ours]")
    assert rows.count() == 3
    page.check("input[value=published]")
    assert rows.count() == 3


def test_tables_are_copied(open_page: Callable[..., Any], report: Path) -> None:
    page = open_suites(open_page, report, permissions=["clipboard-read", "clipboard-write"])
    page.locator(".copy", has_text="LaTeX").first.click()
    page.get_by_text("LaTeX copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(r"\begin{table}")
    assert r"a\_model\_with\_a\_rather\_long\_name:v=2,x=3" in copied
    page.locator(".copy", has_text="Markdown").first.click()
    page.get_by_text("Markdown copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("**RAD(D, D′)**")
    page.locator(".copy", has_text="CSV").first.click()
    page.get_by_text("CSV copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("model,")


def test_the_ranking_is_copied(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report, permissions=["clipboard-read", "clipboard-write"])
    buttons = page.locator("#ranking .copy-table")
    copied = {}
    for name in ("CSV", "LaTeX", "Markdown"):
        buttons.filter(has_text=name).click()
        page.get_by_text(f"{name} copied").wait_for()
        copied[name] = page.evaluate("navigator.clipboard.readText()")
    lines = copied["CSV"].splitlines()
    assert lines[0].startswith("Model,Accuracy,in %,Asked as yes/no,RAD in %,")
    assert any("a_model_with_a_rather_long_name" in line for line in lines)
    assert r"a\_model\_with" in copied["LaTeX"]
    assert copied["Markdown"].startswith("| Model | Accuracy (in %) |")


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_nothing_is_wider_than_the_screen(open_page: Callable[..., Any], report: Path, width: int) -> None:
    page = viewer_of(open_page(report, width=width))
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for suite in ("rad", "carets", "rscore"):
        page.select_option("#by-suite", suite)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_light_follow_the_system_and_the_button(open_page: Callable[..., Any], report: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = open_page(report, color_scheme="light"), open_page(report, color_scheme="dark")
    assert (light.evaluate(ground), dark.evaluate(ground)) == ("rgb(253, 253, 252)", "rgb(20, 23, 26)")
    dark.click("#theme")
    assert dark.locator("#theme").get_attribute("aria-label") == "Colours: light"
    assert dark.evaluate(ground) == "rgb(253, 253, 252)"
    dark.click("#theme")
    assert dark.evaluate(ground) == "rgb(20, 23, 26)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(open_page: Callable[..., Any], report: Path, scheme: str) -> None:
    """WCAG's contrast of 4.5 for text, muted text, links, good, bad and every model's colour on its background."""
    page = open_page(report, color_scheme=scheme)
    contrast = """names => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(style.getPropertyValue(name).trim().slice(i, i + 2), 16) / 255)
          .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      return names.flatMap((name) => ["--page", "--raised", "--sunken"].map((ground) => {
        const [a, b] = [light(name), light(ground)].sort((x, y) => y - x);
        return [name, ground, (a + 0.05) / (b + 0.05)];
      }));
    }"""
    inks = ["--ink", "--quiet", "--link", "--good", "--bad"]
    assert [item for item in page.evaluate(contrast, inks) if item[2] < 4.5] == []
    tones = [f"--tone{number}" for number in range(6)]
    assert [item for item in page.evaluate(contrast, tones) if item[2] < 3] == []


def test_the_page_can_be_read_without_javascript(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report, java_script_enabled=False)
    assert page.locator("table.ranking").is_visible()
    assert "correctly answers" in page.locator(".models .lead").first.inner_text()
    assert page.locator(".failure img").first.is_visible()
    for summary in page.locator(".chapter > summary").all():
        summary.click()
    page.locator("#suites > .panel > summary").nth(1).click()
    assert page.locator("#suites > .panel").nth(1).locator(".sortable").first.is_visible()
    assert page.locator("table.sortable").first.is_visible()
    assert page.get_by_text("The viewer needs JavaScript").is_visible()
    assert page.locator("#viewer").is_hidden()
    assert page.locator(".copy").first.is_hidden()


def test_markup_in_the_data_does_nothing(open_page: Callable[..., Any], tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", EVIL, groups=30, question=EVIL, data=EVIL)
    lines = [orjson.loads(line) for line in (folder / "samples.jsonl").read_bytes().splitlines()]
    for line in lines:
        note = {EVIL: EVIL, "boxes": {EVIL: [1, 1, 9, 9]}}
        line["variants"][0] |= {"test": EVIL, "made_by": EVIL, "note": note, "answers": [EVIL]}
        line["variants"][0]["prediction"] = {"answer": EVIL}
    (folder / "samples.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    save_rows(folder, lines)
    write_report([load_run(folder)], tmp_path / "report.html")
    page = viewer_of(open_page(tmp_path / "report.html"))
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for _ in range(5):
        page.keyboard.press("j")
    assert page.evaluate("window.evil") is None
    assert page.locator("img:not([src^='data:image/jpeg'])").count() == 0
    assert EVIL in page.locator("#pair").inner_text()


def test_the_printed_page_is_the_ranking_and_an_overview_of_each_section(
    open_page: Callable[..., Any], report: Path
) -> None:
    page = open_page(report)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 8
    page.emulate_media(media="print")
    assert page.locator("table.ranking").is_visible()
    assert [one.is_visible() for one in page.locator(".overview").all()] == [True] * 3
    assert page.locator("#made .facts").first.is_visible()
    for hidden in ("nav", "#suites .panel", "#viewer", ".copies"):
        assert page.locator(hidden).first.is_hidden(), hidden


def test_panels_are_made_when_they_are_opened(open_page: Callable[..., Any], report: Path) -> None:
    """As elements from the start, the demo's report took 2 to 10 s until it could be used."""
    page = open_suites(open_page, report)
    assert page.evaluate("document.querySelectorAll('*').length") < 4000
    panel = page.locator("#suite-carets")
    assert panel.locator("table").count() == 0
    panel.locator("> summary").click()
    panel.locator(".sheet table").first.wait_for()
    assert page.locator("noscript noscript").count() == 0
    assert panel.locator(".copies").count() > 0, "what a panel needs comes with it"


def test_cells_lead_to_their_pairs_and_pairs_to_their_cells(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report)
    page.locator(".ranking a.to-pairs").first.click()
    page.wait_for_selector("#viewer:not([aria-busy])")
    assert [page.input_value(f"#by-{name}") for name in ("suite", "outcome", "model")] == ["rad", "broke", "2"]
    page.locator("#pair .eyebrow a", has_text="Asked as yes/no").click()
    page.locator("#suite-rad .sortable").first.wait_for()
    page.locator("#suite-rad .sortable tbody a", has_text=".").first.click()
    page.wait_for_function("document.getElementById('by-test').value")
    assert page.input_value("#by-suite") == "rad"
    assert page.input_value("#by-model") != ""
    page.locator("#pair .answers th a").first.click()
    page.wait_for_function("location.hash.startsWith('#model-')")


def test_every_control_has_a_name_and_can_be_reached(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    nameless = """() => [...document.querySelectorAll('button, select, input, a, [role=region]')]
      .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label')))
      .map((one) => one.outerHTML)"""
    assert page.evaluate(nameless) == []
    assert page.evaluate("[...document.images].every(image => image.alt)")


def violations(page: Any) -> list[str]:
    """The violations that axe finds on the page in its present state."""
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page: Callable[..., Any], report: Path, scheme: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    page = viewer_of(open_page(report, color_scheme=scheme, bypass_csp=True))
    page.evaluate("document.querySelectorAll('.chapter').forEach(one => { one.open = true; })")
    assert violations(page) == []


@pytest.mark.parametrize("models", [1, 10])
def test_the_closed_page_is_short(open_page: Callable[..., Any], tmp_path: Path, models: int) -> None:
    """At most 6,000 pixels before anything is opened, on a desktop and on a phone; all models are there when opened."""
    folders = [make_run(tmp_path / f"{n}", f"model {n}", ("rad", "carets"), groups=40) for n in range(models)]
    write_report([load_run(folder) for folder in folders], tmp_path / "report.html")
    for width in (1400, 390):
        page = open_page(tmp_path / "report.html", width=width)
        assert page.evaluate("document.documentElement.scrollHeight") <= 6000
        if models > 5:
            assert not page.locator(".models > li").last.is_visible()
            page.click(".more-models > summary")
        assert [item.is_visible() for item in page.locator(".models > li").all()] == [True] * models


def test_an_abbreviation_explains_itself_on_hover_and_on_focus(open_page: Callable[..., Any], report: Path) -> None:
    page = open_page(report)
    word = page.locator(".ranking thead .term", has_text="C-ACC")
    shown = "one => getComputedStyle(one, '::after').content"
    assert word.evaluate(shown) == "none"
    word.focus()
    assert "pairs with both answers correct" in word.evaluate(shown)
    page.keyboard.press("Escape")
    assert word.evaluate(shown) == "none"
    word.hover()
    assert "comprehensive accuracy" in word.evaluate(shown)
