"""A study behind the web application, on SQLite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from small_study import SmallStudy
from web_study import WebStudy


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
