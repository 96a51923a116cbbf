"""A report of three models, and a way to open it in a real browser, from disk as a user would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_runs import make_run

from askew.report.html import write_report
from askew.report.load import load_run


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models in three suites, on 300 questions."""
    folder = tmp_path_factory.mktemp("report")
    models = [("prior", 0.4, 0.5), ("BUTD", 0.6, 0.6), ("a_model_with_a_rather_long_name:v=2,x=3", 0.85, 0.9)]
    suites = ("rad", "carets", "rscore")
    runs = [load_run(make_run(folder / m, m, suites, groups=300, skill=s, steady=t)) for m, s, t in models]
    write_report(runs, folder / "report.html")
    return folder / "report.html"


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file; any other request, console error or exception fails the test."""
    wrong: list[str] = []
    contexts = []

    def opened(path: Path, place: str = "", width: int = 1280, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or wrong.append(r.url))
        page.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(path.as_uri() + place)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
