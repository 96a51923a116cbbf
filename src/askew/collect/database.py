"""The database of a study: SQLite by default, PostgreSQL if several hosts share it.

Writes are serialised on both: SQLite by ``BEGIN IMMEDIATE``, PostgreSQL by one advisory lock that each writing
transaction takes first. So a function may read, decide and write, and nothing changes in between. A reply is given
only after the commit, which waits for the disk (WAL with ``synchronous=FULL``; PostgreSQL's default).

Two things belong to a transaction: the events it logs, and the form that caused it, which takes effect once.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from askew.collect.protocol import DatabaseBusy, NotAllowed, StudySettings
from askew.errors import DataError, UsageError, need

need("sqlalchemy", "collect")

import sqlalchemy as sa  # noqa: E402
from sqlalchemy.engine import Connection, Engine  # noqa: E402
from sqlalchemy.exc import OperationalError  # noqa: E402

from askew.collect import schema  # noqa: E402

AnyRow: TypeAlias = Any
"""A row of a query: its columns are attributes."""
BUSY_SECONDS = 30
_WRITERS_LOCK = 0x61736B6577  # "askew"; the advisory lock of all writers, in the study's own database
_WRITES = "askew_writes"
_BY_INDEX = {
    **dict.fromkeys(("enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_material"), "off"),
    **dict.fromkeys(("enable_hashjoin", "enable_mergejoin"), "off"),
    "jit": "off",  # a plan that is penalised by the settings above looks costly enough to be compiled
    **dict.fromkeys(("join_collapse_limit", "from_collapse_limit"), "1"),  # joined as written
}
"""PostgreSQL's settings for queries that are written to follow an index. Its own plan relies on statistics, which do
not include the questions of the last minutes: it would read every open question."""


class ServerClock:
    """The server's time at the start in milliseconds since 1970, UTC, advanced by the monotonic clock: a change of the
    system's clock affects neither the order of events nor durations."""

    def __init__(self) -> None:
        self._start, self._mark = time.time(), time.monotonic()

    def now(self) -> int:
        """The time."""
        return int((self._start + time.monotonic() - self._mark) * 1000)


@dataclass
class SetClock:
    """A clock that is set by hand, for simulations and tests."""

    milliseconds: int = 1_600_000_000_000

    def now(self) -> int:
        """The time as it was set."""
        return self.milliseconds

    def pass_seconds(self, seconds: float) -> None:
        """Let time go by."""
        self.milliseconds += round(seconds * 1000)


Clock: TypeAlias = ServerClock | SetClock


@dataclass(frozen=True)
class Tx:
    """A transaction, in which the protocol's functions read and write."""

    connection: Connection
    now: int
    """The time of everything that happens in it, in milliseconds."""
    database: Database

    @property
    def settings(self) -> StudySettings:
        """The settings of the study."""
        return self.database.settings(self)

    def execute(self, statement: sa.Executable, values: Any = None) -> sa.CursorResult[Any]:
        """Run a statement."""
        result: sa.CursorResult[Any] = self.connection.execute(statement, values)
        return result

    def rows(self, statement: sa.Executable, **values: Any) -> Sequence[AnyRow]:
        """All rows."""
        return self.connection.execute(statement, values or None).all()

    def first(self, statement: sa.Executable, **values: Any) -> AnyRow | None:
        """The first row, if there is one; ``values`` are for the statement's parameters."""
        return self.connection.execute(statement, values or None).first()

    def row(self, table: sa.Table, key: int) -> AnyRow | None:
        """The row of a table with this id, if there is one."""
        return self.first(sa.select(table).where(table.c.id == key))

    def value(self, statement: sa.Executable) -> Any:
        """The first value of the first row, or None."""
        return self.connection.execute(statement).scalar()

    def count(self, source: sa.FromClause, *where: sa.ColumnElement[bool]) -> int:
        """How many rows of a table, or of joined tables, meet the conditions."""
        return int(self.value(sa.select(sa.func.count()).select_from(source).where(*where)))

    def insert(self, table: sa.Table, **values: Any) -> int:
        """Add a row; returns its id (or the first column of its key)."""
        key = self.connection.execute(sa.insert(table), values).inserted_primary_key
        assert key is not None
        return int(key[0]) if isinstance(key[0], int) else 0

    def follow_indexes(self) -> None:
        """For the rest of the transaction, read along indexes whatever PostgreSQL's statistics say; SQLite does so by
        itself. For queries that stop at the first row that fits."""
        if not self.database.is_sqlite:
            settings = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in _BY_INDEX.items())
            self.connection.exec_driver_sql(f"SELECT {settings}")

    def change(self, table: sa.Table, where: sa.ColumnElement[bool], **values: Any) -> int:
        """Change rows; returns how many were changed."""
        return int(self.connection.execute(sa.update(table).where(where).values(**values)).rowcount)


class Database:
    """The database at a URL: ``sqlite:///file`` or ``postgresql+psycopg://user@host/name``."""

    def __init__(self, url: str, clock: Clock | None = None, *, durable: bool = True) -> None:
        self.url = url
        self.clock = clock or ServerClock()
        self.engine = _engine(url, durable)
        self._turn = threading.Lock()
        self._latest = 0
        self._settings: StudySettings | None = None

    @property
    def is_sqlite(self) -> bool:
        """True for SQLite."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """A transaction that may write, one at a time; durable when the block ends, rolled back if it raises."""
        if not self._turn.acquire(timeout=BUSY_SECONDS):
            raise self._busy()
        try:
            with self._connected(writes=True) as connection:
                if not self.is_sqlite:
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _WRITERS_LOCK})
                yield Tx(connection, self._now(), self)
        finally:
            self._turn.release()

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A snapshot: everything read in the block is of one moment."""
        with self._connected(writes=False) as connection:
            yield Tx(connection, self._now(), self)

    def settings(self, tx: Tx) -> StudySettings:
        """The study's settings, which are kept from the moment its first round opens, since they are fixed then."""
        if self._settings is not None:
            return self._settings
        row = tx.first(sa.select(schema.study.c.settings, sa.exists().where(schema.round_.c.opened_at.is_not(None))))
        if row is None:
            raise DataError("The database has no study in it. Create one: askew collect init STUDY")
        settings = StudySettings.loads(row[0])
        if row[1]:
            self._settings = settings
        return settings

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    def _now(self) -> int:
        self._latest = max(self._latest, self.clock.now())
        return self._latest

    @contextmanager
    def _connected(self, *, writes: bool) -> Iterator[Connection]:
        options: dict[str, Any] = {_WRITES: writes}
        if not self.is_sqlite:
            options["isolation_level"] = "READ COMMITTED" if writes else "REPEATABLE READ"
        try:
            with self.engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except OperationalError as trouble:
            if "locked" in str(trouble.orig) or "lock timeout" in str(trouble.orig):
                raise self._busy() from None
            raise

    def _busy(self) -> DatabaseBusy:
        return DatabaseBusy(
            f"{self.engine.url.database}: the database stayed locked for {BUSY_SECONDS} seconds. Nothing was changed; "
            "try again. If this persists, look for another program that holds a transaction open."
        )


def _engine(url: str, durable: bool) -> Engine:
    try:
        kind = sa.make_url(url).drivername
    except sa.exc.ArgumentError:
        raise UsageError(
            f"{url!r} is not the URL of a database. Give e.g. postgresql+psycopg://user@host/name"
        ) from None
    if kind == "sqlite":
        return _sqlite(url, durable)
    if kind == "postgresql+psycopg":
        need("psycopg", "postgres")
        options = f"-c lock_timeout={BUSY_SECONDS}s" + ("" if durable else " -c synchronous_commit=off")
        ping = {"pool_pre_ping": True}  # a restarted server leaves dead connections in the pool
        return sa.create_engine(url, pool_size=10, max_overflow=30, connect_args={"options": options}, **ping)
    raise UsageError(f"A study cannot be kept in {kind!r}. Use SQLite (the default) or postgresql+psycopg://...")


def _sqlite(url: str, durable: bool) -> Engine:
    engine = sa.create_engine(url, pool_size=10, max_overflow=30, connect_args={"timeout": BUSY_SECONDS})

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not in the driver
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'OFF'}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA cache_size=-65536")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"sqlite:///{path}"


def record_event(
    tx: Tx, kind: str, subject: str, actor: int | None = None, data: Mapping[str, Any] | None = None
) -> None:
    """Log an event: what happened (``round.state``), to what (``round 2``), by whom (None: the command line)."""
    about = json.dumps(data or {}, sort_keys=True)
    tx.insert(schema.event, at=tx.now, actor_id=actor, kind=kind, subject=subject, data=about)


def once(tx: Tx, form_key: str, annotator_id: int, kind: str, act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run ``act`` for a form; if the form was sent before, only return its first result (invariant 9)."""
    earlier = tx.first(sa.select(schema.form).where(schema.form.c.form_key == form_key))
    if earlier is not None:
        if (earlier.annotator_id, earlier.kind) != (annotator_id, kind):
            raise NotAllowed("This form was sent by somebody else, or for something else. Open the page again.")
        first: dict[str, Any] = json.loads(earlier.result)
        return first
    result = act()
    stored = json.dumps(result)
    tx.insert(schema.form, form_key=form_key, annotator_id=annotator_id, kind=kind, result=stored, at=tx.now)
    return result
