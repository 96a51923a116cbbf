"""A study behind the web application, on SQLite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from web_study import WebStudy


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebStudy]:
    made = WebStudy.make(tmp_path / "study")
    yield made
    made.close()
