"""Every test of the protocol runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from postgres_cluster import Cluster, why_not
from small_study import SmallStudy

_NUMBERS = count()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    running = Cluster()
    yield running
    running.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """The URL of an empty database; None: SQLite in the study's folder."""
    if request.param == "sqlite":
        return None
    made: str = request.getfixturevalue("cluster").create(f"study{next(_NUMBERS)}")
    return made


@pytest.fixture
def study(tmp_path: Path, database_url: str | None) -> Iterator[SmallStudy]:
    """An open round with three images, two robots and six people; one writer, two verifiers."""
    made = SmallStudy.make(tmp_path / "study", database_url)
    yield made
    made.close()
