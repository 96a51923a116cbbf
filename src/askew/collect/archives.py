"""Releases as one file each, in the study's folder, for owners who export in the browser or by the API."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import sqlalchemy as sa

from askew.collect.database import Tx, record_event
from askew.collect.moderation import deleted_after_release
from askew.collect.protocol import Refused
from askew.collect.rounds import CLOSED
from askew.collect.schema import round_, snapshot
from askew.collect.study import Study
from askew.errors import UsageError
from askew.files.read_write import replaced

VERSION = re.compile(r"\d{1,6}\.\d{1,6}\.\d{1,6}")
_WRITING = threading.Lock()


@dataclass(frozen=True)
class Archive:
    """A release in one file."""

    version: str
    bytes: int
    at: int
    """When it was written, in milliseconds."""


def archive_path(study: Study, version: str) -> Path:
    """The file of a version; other texts than versions are refused, so that no path leads out of the folder."""
    if VERSION.fullmatch(version) is None:
        raise Refused(f"A version is written as 1.0.0; this one is {version[:40]!r}.")
    return study.folder / "releases" / f"{version}.zip"


def archives(study: Study) -> list[Archive]:
    """Every release that was exported in the browser or by the API, the latest version first."""
    files = [path for path in (study.folder / "releases").glob("*.zip") if VERSION.fullmatch(path.stem)]
    files.sort(key=lambda path: [int(part) for part in path.stem.split(".")], reverse=True)
    return [Archive(path.stem, (state := path.stat()).st_size, int(1000 * state.st_mtime)) for path in files]


def next_version(tx: Tx) -> str:
    """The version after the latest; 1.0.0 for the first release.

    A version of another form, which the command accepts, does not count.
    """
    known = [row.version for row in tx.rows(sa.select(snapshot.c.version)) if VERSION.fullmatch(row.version)]
    latest = max(([int(part) for part in version.split(".")] for version in known), default=[1, 0, -1])
    return f"{latest[0]}.{latest[1]}.{latest[2] + 1}"


def write_archive(study: Study, version: str) -> Path:
    """Export every frozen round as this version, as ``askew collect export`` does; returns the file."""
    from askew.collect.release import release  # imports the world: the service would take longer to start

    target = archive_path(study, version)
    with _WRITING:
        with study.database.read() as tx:
            before = tx.value(sa.select(snapshot.c.rounds).where(snapshot.c.version == version))
            frozen = sa.select(round_.c.number).where(round_.c.state.in_(CLOSED)).order_by(round_.c.number)
            if before is not None and json.loads(before) != [row.number for row in tx.rows(frozen)]:
                raise Refused(f"Version {version} was exported with other rounds ({before}). Give a new version.")
            deleted = deleted_after_release(tx, unpatched=True)
        if target.exists() and not deleted:
            return target
        target.parent.mkdir(mode=0o700, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".") as scratch:
            folder = Path(scratch) / f"release-{version}"
            try:
                release(study, folder, version)
            except UsageError as error:  # without the option of the command that it names
                raise Refused(str(error).partition(", e.g. --version")[0] + ".") from None
            with replaced(target) as file, ZipFile(file, "w", ZIP_DEFLATED) as packed:
                for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                    about = ZipInfo(path.relative_to(scratch).as_posix())  # without a time: equal releases, equal bytes
                    about.compress_type = ZIP_DEFLATED
                    with path.open("rb") as source, packed.open(about, "w") as copy:
                        while part := source.read(1 << 20):
                            copy.write(part)
    return target


def delete_archive(study: Study, version: str, actor: int) -> None:
    """Delete the file of a version, if there is one, e.g. because it has text that was deleted since."""
    archive_path(study, version).unlink(missing_ok=True)
    with study.database.write() as tx:
        record_event(tx, "release.file_deleted", f"release {version}", actor)
