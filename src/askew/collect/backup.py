"""Backup of a study while the service runs, and restore.

A backup is one tar file: ``study.json``, the database as of one moment (``VACUUM INTO`` for SQLite, ``pg_dump`` for
PostgreSQL), the images, the robots that were trained for the study, and the service's key. Images and trained robots
never change and are stored before the database refers to them, so all of that moment are included. Like the study,
the file is readable only by its owner.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import sqlalchemy as sa

from askew.collect.database import Database
from askew.collect.invariants import violations
from askew.collect.robots import TRAINED_ROBOTS
from askew.collect.schema import gold_item, image, quiz_item, survey_item
from askew.collect.study import FILE, SQLITE, Study, open_study, write_about
from askew.errors import DataError, UsageError

DUMP = "study.dump"
EXTRA = ("secret.key", "consent.txt", "world.json")
"""Files of the service that are included if they exist."""
_IN_ROBOTS = re.compile(rf"{TRAINED_ROBOTS}(/(?!\.\.?/)[^/\0]+)+(?<!\.part)(?<!/\.)(?<!/\.\.)")
"""The names of files of trained robots, also hidden ones, but for those that are half written."""
_SECONDS = 3600


def back_up(study: Study, file: Path) -> int:
    """Write a backup; returns the number of images in it. An existing file is not overwritten."""
    if file.exists():
        raise UsageError(f"{file}: the file exists already. Give a new name, so that no backup is lost.")
    with tempfile.TemporaryDirectory(dir=file.absolute().parent, prefix=".backup-") as scratch:
        part = Path(scratch) / "backup.tar"
        copy = Path(scratch) / (SQLITE if study.database.is_sqlite else DUMP)
        _copy_database(study.database, copy)
        stored = sorted((study.folder / "images").iterdir())
        images = [path for path in stored if path.is_file() and not path.name.startswith(".")]  # else half written
        with (
            open(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as out,
            tarfile.open(fileobj=out, mode="w", dereference=True) as tar,
        ):
            tar.add(study.folder / FILE, FILE)
            tar.add(copy, copy.name)
            for name in EXTRA:
                if (study.folder / name).is_file():
                    tar.add(study.folder / name, name)
            for path in images:
                tar.add(path, f"images/{path.name}")
            for path in sorted((study.folder / TRAINED_ROBOTS).rglob("*")):
                name = path.relative_to(study.folder).as_posix()
                if path.is_file() and _IN_ROBOTS.fullmatch(name):
                    with path.open("rb") as content:  # a training may replace the file meanwhile
                        tar.addfile(tar.gettarinfo(arcname=name, fileobj=content), content)
        with part.open("rb+") as done:
            os.fsync(done.fileno())
        os.link(part, file)  # unlike a rename, it never replaces a file that appeared in the meantime
    return len(images)


def restore(file: Path, folder: Path, database_url: str | None = None) -> Study:
    """Create a study in a new folder from a backup, and check its invariants and images.

    A backup of a PostgreSQL study needs the URL of an empty database.
    """
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: the folder is not empty. Give a new one.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _unpack(file, folder)
        dump = folder / DUMP
        if dump.exists() and database_url is None:
            raise UsageError(
                f"{file}: a backup of a PostgreSQL study. Give --database with the URL of an empty database."
            )
        if database_url is not None and not dump.exists():
            raise UsageError(f"{file}: a backup of an SQLite study is restored into its folder. Leave --database out.")
        if database_url is not None:
            _fill_database(database_url, dump)
            dump.unlink()
        write_about(folder, database_url)
        study = open_study(folder)
        if found := _damage(study):
            study.close()
            raise DataError(f"{file}: the backup is damaged: {found[0]} ({len(found)} problems). Take an earlier one.")
        return study
    except BaseException:
        shutil.rmtree(folder)  # it was empty before
        raise


def _copy_database(database: Database, path: Path) -> None:
    if not database.is_sqlite:
        _pg(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={path}"], database.url)
    else:
        with database.engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute("VACUUM INTO ?", (str(path),))  # reads one snapshot and does not block writers
    os.chmod(path, 0o600)


def _fill_database(url: str, dump: Path) -> None:
    database = Database(url)
    try:
        with database.read() as tx:
            tables = sa.inspect(tx.connection).get_table_names()
    finally:
        database.close()
    if tables:
        raise UsageError(
            f"The database is not empty: it has {len(tables)} tables, e.g. {tables[0]}. Give an empty one."
        )
    _pg(["pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", str(dump)], url)


def _pg(command: list[str], url: str) -> None:
    """Run a program of PostgreSQL on a database; passwords are passed in the environment, not on the command line."""
    from psycopg.conninfo import make_conninfo  # of the extra "postgres", which such a study needs

    program = shutil.which(command[0])
    if program is None:
        raise UsageError(
            f"{command[0]} is not installed, and a PostgreSQL study needs it. Install PostgreSQL's client programs, "
            "e.g. apt install postgresql-client, of the server's version or a later one."
        )
    parts = sa.make_url(url)
    known = {**parts.translate_connect_args(username="user", database="dbname"), **parts.query}
    password = known.pop("password", None)
    environment = {**os.environ, **({"PGPASSWORD": password} if password else {})}
    words = [program, f"--dbname={make_conninfo(**known)}", *command[1:]]
    try:
        done = subprocess.run(words, env=environment, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise DataError(f"{command[0]} took longer than {_SECONDS} seconds and was stopped.") from None
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DataError(f"{command[0]} failed: {errors[0] if errors else f'exit code {done.returncode}'}")


def _unpack(file: Path, folder: Path) -> None:
    """Unpack the files of a backup; any other file is refused."""
    try:
        with tarfile.open(file, "r:") as tar:
            for member in tar:
                name = member.name
                plain = (
                    name in (FILE, SQLITE, DUMP, *EXTRA)
                    or (name.startswith("images/") and name.count("/") == 1 and name[7:].replace(".", "").isalnum())
                    or _IN_ROBOTS.fullmatch(name)
                )
                if not member.isfile() or not plain:
                    raise DataError(
                        f"{file}: {name!r} is not a file of a backup. Give a file that 'askew collect backup' wrote."
                    )
                content = tar.extractfile(member)
                assert content is not None
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                    shutil.copyfileobj(content, out)
    except FileNotFoundError:
        raise DataError(f"{file}: there is no such file. Give the path of a backup.") from None
    except (tarfile.TarError, EOFError, FileExistsError, NotADirectoryError) as trouble:
        raise DataError(f"{file}: not a complete backup ({trouble}). Copy it again, or take an earlier one.") from None
    (folder / "images").mkdir(exist_ok=True)
    if not any((folder / name).is_file() for name in (SQLITE, DUMP)):
        raise DataError(f"{file}: there is no database in it, so it is not a complete backup. Take an earlier one.")


def _damage(study: Study) -> list[str]:
    """What is wrong with a study: broken invariants, and images that are missing or changed."""
    with study.database.read() as tx:
        found = violations(tx)
        wanted = {
            (row.sha256, row.suffix)
            for table in (image, gold_item, quiz_item, survey_item)
            for row in tx.rows(sa.select(table.c.sha256, table.c.suffix))
        }
    for sha256, suffix in sorted(wanted):
        path = study.image_path(sha256, suffix)
        if not path.is_file():
            found.append(f"the image {path.name} is missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            found.append(f"the image {path.name} has changed")
    return found
