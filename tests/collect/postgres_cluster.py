"""A PostgreSQL server for the tests: in a temporary folder, on a socket there, from Debian's packages."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

KEPT = 10
"""Copies of databases that are kept: the newest; tests are done with the others."""


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, of the newest version if there are several."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def why_not() -> str:
    """Why a cluster cannot be started here; empty if it can."""
    if binaries() is None:
        return "PostgreSQL is not installed (Debian's package postgresql)"
    if os.name == "posix" and os.getuid() == 0 and not shutil.which("runuser"):
        return "PostgreSQL does not run as root, and there is no runuser"
    return ""


def _memory() -> str | None:
    """A file system in memory with room for hundreds of databases, where there is one: each is a thousand files."""
    place = "/dev/shm"
    return place if os.path.isdir(place) and shutil.disk_usage(place).free > 4 << 30 else None


class Cluster:
    """A running server; ``url(name)`` is a database in it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="askew-postgres-", dir=_memory()))
        self._copies: list[str] = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-U", "askew", "-A", "trust", "-E", "UTF8", "--locale=C")
        settings = (
            f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off -c max_connections=300"
        )
        self._run(
            "pg_ctl",
            "-D",
            data,
            "-l",
            str(self.folder / "log"),
            "-w",
            "-o",
            f"{settings} -c max_connections=300",
            "start",
        )

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://askew@/{name}?host={self.folder}"

    def create(self, name: str, template: str = "template0") -> str:
        """Create a database and return its URL."""
        import psycopg

        with psycopg.connect(f"host={self.folder} user=askew dbname=postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
            if template != "template0":
                self._copies.append(name)
            if len(self._copies) > KEPT:  # each takes 8 MB, and tests make hundreds
                oldest = self._copies.pop(0)
                with contextlib.suppress(psycopg.errors.ObjectInUse):
                    connection.execute(f'DROP DATABASE "{oldest}"')
        return self.url(name)

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        folder = binaries()
        assert folder is not None
        command = [str(folder / program), *arguments]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(command, cwd="/", capture_output=program != "pg_ctl", text=True)
        assert done.returncode == 0, done.stderr or f"{program} failed"
