"""A study: one folder with the images, and the database in it or elsewhere."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from askew.collect import schema
from askew.collect.database import Clock, Database, Tx, record_event, sqlite_url
from askew.collect.migrations import upgrade
from askew.collect.protocol import Refused, StudySettings, checked_text
from askew.errors import DataError
from askew.files.read_write import replaced

FORMAT = 2
FILE = "study.json"
SQLITE = "study.sqlite"


@dataclass(frozen=True)
class Study:
    """An open study."""

    folder: Path
    database: Database

    @property
    def settings(self) -> StudySettings:
        """How the study is run."""
        with self.database.read() as tx:
            return tx.settings

    def image_path(self, sha256: str, suffix: str) -> Path:
        """The path of an image's file."""
        return self.folder / "images" / f"{sha256}{suffix}"

    def close(self) -> None:
        """Close the database."""
        self.database.close()


def create_study(
    folder: Path,
    settings: StudySettings,
    name: str = "",
    database_url: str | None = None,
    *,
    seed: int | None = None,
    clock: Clock | None = None,
    durable: bool = True,
) -> Study:
    """Create a study in a new or empty folder. ``seed`` decides the splits (default: random)."""
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: the folder is not empty. Give a new one.")
    (folder / "images").mkdir(parents=True)
    if database_url is None:  # created first, so that SQLite's files beside it are equally private
        os.close(os.open(folder / SQLITE, os.O_CREAT | os.O_WRONLY, 0o600))
    url = database_url or sqlite_url((folder / SQLITE).absolute())
    database = Database(url, clock, durable=durable)
    upgrade(database)
    with database.write() as tx:
        if tx.first(sa.select(schema.study.c.id)):
            raise DataError(f"{database.engine.url.database}: the database has a study already. Give an empty one.")
        tx.insert(
            schema.study,
            id=1,
            name=name or folder.name,
            settings=settings.dumps(),
            writers=settings.writers_per_image,
            verifiers=settings.verifiers_per_question,
            max_tries=settings.max_tries,
            seed=secrets.randbits(32) if seed is None else seed,
            created_at=tx.now,
        )
    write_about(folder, database_url)
    return Study(folder, database)


def change_study(tx: Tx, name: str, settings: StudySettings, actor: int | None = None) -> None:
    """Change the name and the settings of a study that has no images yet: these have places by the settings."""
    if tx.first(sa.select(schema.image.c.id).limit(1)):
        raise Refused("The settings are fixed once the study has images.")
    name = checked_text(name, 100, "The study's name")
    numbers = {"writers": settings.writers_per_image, "verifiers": settings.verifiers_per_question}
    stored = settings.dumps()
    tx.change(schema.study, schema.study.c.id == 1, name=name, settings=stored, max_tries=settings.max_tries, **numbers)
    record_event(tx, "study.changed", "study", actor, {"preset": settings.preset})


def open_study(folder: Path, clock: Clock | None = None, *, durable: bool = True) -> Study:
    """The study in a folder; its tables are upgraded to the current revision."""
    about = _about(folder)
    file = (folder / SQLITE).absolute()
    if about["database"] is None and not file.is_file():
        raise DataError(f"{file}: the database is missing. Restore it from a backup.")
    database = Database(about["database"] or sqlite_url(file), clock, durable=durable)
    upgrade(database)
    return Study(folder, database)


def write_about(folder: Path, database_url: str | None) -> None:
    """Write ``study.json``, which says where the database is; only their owner may read it and an SQLite database."""
    about = {"format": FORMAT, "database": database_url}
    write_private(folder / FILE, json.dumps(about).encode() + b"\n")
    if (folder / SQLITE).exists():
        os.chmod(folder / SQLITE, 0o600)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, at no moment anybody else."""
    with replaced(path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)


def _about(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = about["format"] == FORMAT and "database" in about
    except FileNotFoundError:
        raise DataError(f"{folder}: there is no study here. Create one: askew collect init {folder}") from None
    except (OSError, ValueError, KeyError, TypeError) as trouble:
        raise DataError(f"{path}: cannot be read ({trouble}). Restore it from a backup.") from None
    if not known:
        raise DataError(
            f"{path}: its format is {about.get('format')!r}, and this askew reads format {FORMAT}. "
            "Use the askew that wrote it."
        )
    return about
