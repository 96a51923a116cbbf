"""The database: revisions, constraints and triggers, on SQLite and PostgreSQL."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from small_study import SmallStudy

from askew.collect import migrations, schema
from askew.collect.database import Database, ServerClock, sqlite_url
from askew.collect.freeze import freeze
from askew.collect.invariants import violations
from askew.collect.leases import place_for
from askew.collect.protocol import PRESETS, DatabaseBusy
from askew.collect.rounds import change_round
from askew.collect.study import create_study, open_study
from askew.collect.verifying import claim_slot, slot_for, verify
from askew.collect.writing import claim_image
from askew.errors import DataError, UsageError


def test_the_revisions_make_the_schema(study):
    """Columns read from the SQL are those of both databases, with their types and whether they may be empty."""
    with study.study.database.read() as tx:
        made = sa.inspect(tx.connection)
        for table in schema.metadata.sorted_tables:
            columns = {row["name"]: row for row in made.get_columns(table.name)}
            assert columns.keys() == set(table.c.keys()), table.name
            for column in table.c:
                row = columns[column.name]
                assert row["type"]._type_affinity is column.type._type_affinity, str(column)
                assert row["nullable"] == column.nullable, str(column)
            assert made.get_pk_constraint(table.name)["constrained_columns"] == table.primary_key.columns.keys()
        assert {*made.get_table_names()} - {"alembic_version"} == schema.metadata.tables.keys()


def test_the_first_revision_is_never_edited():
    """A changed table or trigger needs a new revision: this is the hash of what the first revision runs."""
    versions = Path(migrations.__file__).parent / "versions"
    parts = (".sql", "_triggers.sql")
    found = hashlib.sha256(b"".join((versions / f"revision_0001{part}").read_bytes() for part in parts))
    assert found.hexdigest()[:12] == "daab9af16959"


def test_a_study_of_the_first_revision_is_upgraded(tmp_path, database_url):
    """Its people stay, and it takes surveys."""
    database = Database(database_url or sqlite_url(tmp_path / "study.sqlite"))
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with database.write() as tx:
        config.attributes["connection"] = tx.connection
        command.upgrade(config, "schema_0001")
        values = "('Ada', 'person-1', 'annotator', '{}', :no, 1)"
        insert = "INSERT INTO annotator (name, pseudonym, role, platform, simulated, created_at) VALUES "
        tx.execute(sa.text(insert + values), {"no": False})
    migrations.upgrade(database)
    with database.read() as tx:
        assert migrations.revision(database) == migrations.HEAD
        assert tx.rows(sa.select(schema.annotator.c.name, schema.annotator.c.attack)) == [("Ada", None)]
        assert tx.count(schema.survey) == 0
    database.close()


def test_a_database_at_the_last_revision_is_opened_without_alembic(tmp_path):
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    made = create_study(tmp_path / "study", PRESETS["small"])
    assert scripts.get_current_head() == migrations.HEAD == migrations.revision(made.database)
    made.close()
    lines = [
        "import sys, askew.collect.web.serve",
        "from pathlib import Path",
        "from askew.collect.study import open_study",
        f"open_study(Path({str(made.folder)!r})).close()",
        "print([name for name in ('alembic', 'numpy', 'askew.world') if name in sys.modules])",
    ]
    said = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n", "the service would take longer to start"


def test_a_study_of_another_format_is_refused_with_one_sentence(tmp_path):
    create_study(tmp_path / "s", PRESETS["small"]).close()
    (tmp_path / "s" / "study.json").write_text('{"format": 1, "database": null}')
    with pytest.raises(DataError, match=r"its format is 1, and this askew reads format 2\. Use the askew"):
        open_study(tmp_path / "s")


def test_a_database_of_a_newer_askew_is_refused(tmp_path):
    made = create_study(tmp_path / "s", PRESETS["small"])
    with made.database.write() as tx:
        tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    made.close()
    with pytest.raises(DataError, match="revision '9999'"):
        open_study(tmp_path / "s")


def test_only_the_owner_of_the_files_can_read_them(tmp_path):
    create_study(tmp_path / "s", PRESETS["small"]).close()
    for name in ("study.json", "study.sqlite"):
        assert stat.S_IMODE(os.stat(tmp_path / "s" / name).st_mode) == 0o600


def test_sqlite_is_durable(tmp_path):
    made = create_study(tmp_path / "s", PRESETS["small"])
    with made.database.write() as tx:
        asked = {name: tx.value(sa.text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous", "foreign_keys")}
    assert asked == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_an_exception_undoes_the_transaction(study):
    def fail(tx):
        claim_image(tx, study.people[0])
        raise KeyError

    with pytest.raises(KeyError):
        study.do(fail)
    assert study.look(lambda tx: tx.value(sa.select(sa.func.count()).select_from(schema.session))) == 0


def test_a_locked_database_is_reported_as_busy(tmp_path, monkeypatch):
    monkeypatch.setattr("askew.collect.database.BUSY_SECONDS", 0.2)
    create_study(tmp_path / "s", PRESETS["small"]).close()
    url = sqlite_url(tmp_path / "s" / "study.sqlite")
    first, second = Database(url), Database(url)
    with first.write(), pytest.raises(DatabaseBusy, match="stayed locked"), second.write():
        pass


def test_other_databases_are_refused():
    for url in ("mysql://x/y", "nonsense"):
        with pytest.raises(UsageError):
            Database(url)


def test_the_clock_is_independent_of_the_system_clock(monkeypatch):
    clock = ServerClock()
    before = clock.now()
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert 0 <= clock.now() - before < 60_000


RAW = {
    "an author takes a slot of the own question": "UPDATE slot SET state = 'LEASED', annotator_id = :author, "
    "lease_until = 1 WHERE n = 2",
    "one person takes both slots": "UPDATE slot SET state = 'LEASED', annotator_id = :verifier, lease_until = 1 "
    "WHERE n = 2",
    "a third slot": "INSERT INTO slot (question_id, n, state, extensions) VALUES (1, 3, 'OPEN', 0)",
    "a second writer place": "INSERT INTO place (image_id, n) VALUES (1, 2)",
    "a finished slot is opened": "UPDATE slot SET state = 'OPEN', annotator_id = NULL, lease_until = NULL WHERE n = 1",
    "a verification is deleted": "DELETE FROM verification",
    "a verification is changed": "UPDATE verification SET answer = 'yes'",
    "a second prediction": "INSERT INTO prediction (question_id, draw_n, model_id, raw, answer, normalised, seconds, "
    "at) VALUES (1, 1, 1, 'a', 'a', 'a', 0, 0)",
    "a prediction by another model": "UPDATE prediction SET model_id = 3 - model_id",
    "a judgement by somebody else": "UPDATE judgement SET annotator_id = :verifier",
    "a judgement is changed": "UPDATE judgement SET verdict = 'correct', answer = NULL, normalised = NULL",
    "a session that ended goes on": "UPDATE session SET state = 'LEASED', ended_at = NULL",
    "a question after success": "INSERT INTO question (session_id, image_id, annotator_id, text, normalised, state, "
    "standing, done, asked_at) VALUES (1, 1, :author, 'a', 'a', 'ASKED', 'OK', 0, 0)",
    "a sixth try": "UPDATE question SET try_no = 6",
    "an event is changed": "UPDATE event SET kind = 'x'",
    "events are deleted": "DELETE FROM event",
    "a round goes back": "UPDATE round SET state = 'DRAFT'",
    "a round is frozen without its hash": "UPDATE round SET state = 'FROZEN'",
    "an unknown state": "UPDATE question SET state = 'FINE'",
    "settings change in an open round": "UPDATE study SET settings = '{}'",
    "the seed of gold questions changes": "UPDATE study SET seed = seed + 1",
    "more verifiers in an open round": "UPDATE study SET verifiers = verifiers + 1",
    "a verifier becomes a writer of the image": "INSERT INTO session (image_id, annotator_id, state, extensions, "
    "reason, started_at, lease_until) VALUES (1, :verifier, 'LEASED', 0, '', 0, 0)",
    "a pseudonym changes": "UPDATE annotator SET pseudonym = 'x' WHERE id = :author",
    "two accounts of one identity": "UPDATE annotator SET identity = 'x'",
    "dev holds another type": "UPDATE question SET type = 'A', split = 'dev'",
}


def test_the_database_refuses_what_would_break_an_invariant(study):
    author, verifier = study.people[:2]
    study.attack(author)
    task = study.do(claim_slot, verifier)
    study.do(verify, verifier, task.question_id, "no", "yes")
    allowed = []
    for name, statement in RAW.items():
        values = {"author": author, "verifier": verifier}
        bound = sa.text(statement).bindparams(**{k: v for k, v in values.items() if f":{k}" in statement})
        try:
            study.do(lambda tx, bound=bound: tx.execute(bound))
            allowed.append(name)
        except sa.exc.IntegrityError:
            continue
    assert allowed == []
    study.check()


FROZEN = {
    "the seed": "UPDATE round SET freeze_seed = 7",
    "the hash": "UPDATE round SET snapshot = 'x'",
    "the time of the freeze": "UPDATE round SET frozen_at = frozen_at + 1",
    "the domain of an image": "UPDATE image SET domain = 'x'",
    "the name of an image": "UPDATE image SET name = 'x'",
    "the split of an image": "UPDATE image SET split = 'dev'",
    "a lease": "UPDATE lease SET reason = 'x'",
    "the hash of a question": "UPDATE question SET frozen_sha256 = NULL",
    "the type of a question that is blanked": "UPDATE question SET text = '', standing = 'REMOVED', type = 'A', "
    "split = NULL",
    "a text": "UPDATE question SET text = 'x'",
    "a pseudonym": "UPDATE annotator SET pseudonym = 'x' WHERE id = 1",
}


def test_the_database_refuses_any_change_of_a_frozen_round(study):
    study.attack(study.people[0])
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    allowed = []
    for name, statement in FROZEN.items():
        try:
            study.do(lambda tx, statement=statement: tx.execute(sa.text(statement)))
            allowed.append(name)
        except sa.exc.IntegrityError:
            continue
    assert allowed == []
    study.check()


def test_the_check_reports_a_missing_row_and_does_not_fail(tmp_path):
    """A row that somebody deleted by hand, without the foreign keys, ended the check with an exception."""
    for table in ("annotator", "session", "image"):
        study = SmallStudy.make(tmp_path / table)
        study.attack(study.people[0])
        study.verify_all()
        study.do(change_round, study.round_id, "DRAINING")
        study.do(freeze, study.round_id, 1)
        study.close()
        with closing(sqlite3.connect(tmp_path / table / "study.sqlite")) as raw:
            for name in (f"{table}_is_kept", "prediction_update_frozen"):
                raw.execute(f"DROP TRIGGER IF EXISTS {name}")
            raw.execute(f"DELETE FROM {table} WHERE id = 1")
            raw.commit()
        again = open_study(tmp_path / table)
        with again.database.read() as tx:
            assert violations(tx), table
        again.close()


def test_one_free_slot_has_one_winner(study):
    """Many people claim at once: each slot has one holder, whoever comes first."""
    study.attack(study.people[0])
    winners: list[int] = []

    def claim(person: int) -> None:
        with study.study.database.write() as tx:
            if claim_slot(tx, person) is not None:
                winners.append(person)

    threads = [threading.Thread(target=claim, args=(person,)) for person in study.people for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(winners)) == 2
    study.check()


def test_the_queries_of_claims_use_their_indexes(tmp_path):
    """A claim looks at a few rows, however many images and leases there are."""
    study = SmallStudy.make(tmp_path / "s", images=1, people=2)
    study.do(claim_image, study.people[1])
    statements = []
    sa.event.listen(study.study.database.engine, "before_cursor_execute", lambda *got: statements.append(got[2:4]))
    study.do(place_for, study.people[0], study.round_id)
    study.do(slot_for, study.people[0])
    with study.study.database.read() as tx:
        plans = [
            " ".join(row.detail for row in tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values))
            for text, values in list(statements)
            if "NOT (EXISTS" in text
        ]
    assert len(plans) == 3
    assert "ix_place_free" in plans[0]
    assert "ix_lease_question_id_annotator_id (question_id=?)" in plans[0]
    assert "FOR ORDER BY" not in plans[0]
    assert "ix_session_state_lease_until" in plans[1]
    assert "ix_question_work" in plans[2]
    assert not any("SCAN" in plan for plan in plans)
    study.close()
