"""Every test of the protocol runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database."""
    return str(request.param)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, kind: str) -> str | None:
    """The URL of an empty database; None: SQLite in the study's folder."""
    if kind == "sqlite":
        return None
    made: str = request.getfixturevalue("cluster").create(f"study{next(_NUMBERS)}")
    return made


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], SmallStudy]:
    """Studies that were made once, by name and kind of database; tests get copies, which take a tenth of the time."""
    return {}


@pytest.fixture
def copy_of(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    templates: dict[tuple[str, str], SmallStudy],
    kind: str,
) -> Iterator[Callable[..., SmallStudy]]:
    """Copies what ``make(folder, url)`` returns, which is called once in a session for each kind of database."""
    copies: list[SmallStudy] = []

    def copy(make: Callable[[Path, str | None], SmallStudy]) -> SmallStudy:
        name = make.__name__
        cluster = request.getfixturevalue("cluster") if kind == "postgres" else None
        if (name, kind) not in templates:
            url = cluster.create(f"template_{name}") if cluster else None
            made = make(tmp_path_factory.mktemp(name) / "study", url)
            made.close()
            templates[name, kind] = made
        url = cluster.create(f"copy{next(_NUMBERS)}", f"template_{name}") if cluster else None
        copies.append(templates[name, kind].copied(tmp_path / "study", url))
        return copies[-1]

    yield copy
    for copied in copies:
        copied.close()


@pytest.fixture
def study(copy_of: Callable[..., SmallStudy]) -> SmallStudy:
    """An open round with three images, two robots and six people; one writer, two verifiers."""
    return copy_of(SmallStudy.make)
