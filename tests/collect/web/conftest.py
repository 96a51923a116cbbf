"""A study behind the web application, on SQLite, and a browser for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser_site import Site
from small_study import SmallStudy
from web_study import NO_LIMITS, RUNNING, WebStudy

_NUMBERS = count()


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """A test that fails leaves no service running."""
    yield
    for made in list(RUNNING):
        made.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> SmallStudy:
    """A study that tests copy."""
    made = SmallStudy.make(tmp_path_factory.mktemp("template") / "study")
    made.close()
    return made


@pytest.fixture
def web(tmp_path: Path, template: SmallStudy) -> Iterator[WebStudy]:
    """The service on a study of its own."""
    made = WebStudy.copied(template, tmp_path / "study")
    yield made
    made.close()


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory, cluster: Any) -> SmallStudy:
    """A study in PostgreSQL that tests copy."""
    made = SmallStudy.make(tmp_path_factory.mktemp("template") / "study", cluster.create("web"))
    made.close()
    return made


@pytest.fixture(params=["sqlite", "postgres"])
def copied(request: pytest.FixtureRequest) -> Callable[..., WebStudy]:
    """Makes services on studies of their own, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        template = request.getfixturevalue("template")
        return lambda folder, limits=NO_LIMITS: WebStudy.copied(template, folder, limits)
    there, cluster = request.getfixturevalue("postgres_template"), request.getfixturevalue("cluster")
    return lambda folder, limits=NO_LIMITS: WebStudy.copied(
        there, folder, limits, cluster.create(f"web{next(_NUMBERS)}", "web")
    )


@pytest.fixture
def anywhere(tmp_path: Path, copied: Callable[..., WebStudy]) -> Iterator[WebStudy]:
    """The service on SQLite and on PostgreSQL."""
    made = copied(tmp_path / "study")
    yield made
    made.close()


@pytest.fixture(scope="session")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> SmallStudy:
    """A study with more images."""
    made = SmallStudy.make(tmp_path_factory.mktemp("roomy") / "study", images=10)
    made.close()
    return made


@pytest.fixture(scope="session")
def roomy_postgres(tmp_path_factory: pytest.TempPathFactory, cluster: Any) -> SmallStudy:
    """The same in PostgreSQL."""
    made = SmallStudy.make(tmp_path_factory.mktemp("roomy") / "study", cluster.create("roomy"), images=10)
    made.close()
    return made


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path, roomy: SmallStudy) -> Iterator[Site]:
    """The roomy study on a port; ``parametrize("site", ["postgres"], indirect=True)``: in PostgreSQL."""
    if vars(request).get("param") != "postgres":
        made = Site(WebStudy.copied(roomy, tmp_path / "study"))
    else:
        there, cluster = request.getfixturevalue("roomy_postgres"), request.getfixturevalue("cluster")
        url = cluster.create(f"web{next(_NUMBERS)}", "roomy")
        made = Site(WebStudy.copied(there, tmp_path / "study", url=url))
    yield made
    made.close()


@pytest.fixture
def enter(browser: Any, site: Site) -> Iterator[Callable[..., Any]]:
    """Opens a browser for a person; the test fails on any foreign request, script error or blocked content."""
    wrong: list[str] = []
    contexts: list[Any] = []

    def entered(person: int | None = None, width: int = 1280, consent: bool = True, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, base_url=site.base, **options)
        contexts.append(context)
        if person is not None:
            cookie = site.web.browser(person, consent=consent).client.cookies[site.web.service.cookie]
            where = {"url": site.base.replace("http:", "https:"), "secure": True, "httpOnly": True}
            context.add_cookies([{"name": site.web.service.cookie, "value": cookie, **where}])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda r: r.url.startswith(site.base) or wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: "Content Security Policy" in m.text and wrong.append(m.text))
        return page

    yield entered
    for context in contexts:
        context.close()
    assert wrong == []
