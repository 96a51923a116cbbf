"""Backup while people work, and restore: the restored study has every acknowledged row and passes the checker."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import threading

import pytest
import sqlalchemy as sa
from small_study import SmallStudy

from askew.collect.backup import back_up, restore
from askew.collect.schema import metadata
from askew.collect.verifying import claim_slot
from askew.collect.writing import claim_image
from askew.errors import DataError, UsageError


def rows(study) -> dict[str, int]:
    with study.database.read() as tx:
        return {
            name: int(tx.value(sa.select(sa.func.count()).select_from(table)))
            for name, table in metadata.tables.items()
        }


@pytest.fixture
def empty_url(request, database_url):
    """Another empty database of the same kind."""
    return (
        None if database_url is None else request.getfixturevalue("cluster").create(f"restored-{os.urandom(4).hex()}")
    )


def test_backup_and_restore(tmp_path, study: SmallStudy, empty_url):
    study.attack(study.people[0])
    study.verify_all()
    study.attack(study.people[1], "How many?")
    (study.study.folder / "secret.key").write_text("k" * 64)
    held = study.do(claim_slot, study.people[2])
    before = rows(study.study)
    file = tmp_path / "backup.tar"
    (study.study.folder / "images" / ".half-written.png").write_bytes(b"\x89PNG")
    assert back_up(study.study, file) == 3
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    study.do(claim_image, study.people[3])
    assert rows(study.study) != before
    if empty_url is not None:
        with pytest.raises(UsageError, match="--database"):
            restore(file, tmp_path / "restored")
        with pytest.raises(UsageError, match="not empty"):
            restore(file, tmp_path / "second", str(study.study.database.engine.url))
    restored = restore(file, tmp_path / "restored", empty_url)
    assert rows(restored) == before
    for name in ("study.json", "secret.key"):
        assert stat.S_IMODE(os.stat(tmp_path / "restored" / name).st_mode) == 0o600
    with restored.database.write() as tx:
        assert claim_slot(tx, study.people[2]).question_id == held.question_id, "work goes on where it was"
    restored.close()
    with pytest.raises(DataError, match="not empty"):
        restore(file, tmp_path / "restored", empty_url)
    with pytest.raises(UsageError, match="exists"):
        back_up(study.study, file)
    assert not list(tmp_path.glob(".backup-*"))


def test_backups_while_people_work(tmp_path):
    """Each copy is of one moment: the checker finds nothing, and what was acknowledged before is in it."""
    made = SmallStudy.make(tmp_path / "study", images=40, people=6)
    acknowledged: list[int] = []
    stop = threading.Event()

    def work() -> None:
        n = 0
        while not stop.is_set() and n < 40:
            made.attack(made.people[n % 6], f"Question {n}?")
            n += 1
            acknowledged.append(n)

    thread = threading.Thread(target=work)
    thread.start()
    for copy in range(5):
        known = len(acknowledged)
        file = tmp_path / f"{copy}.tar"
        back_up(made.study, file)
        restored = restore(file, tmp_path / f"restored-{copy}")
        assert rows(restored)["judgement"] >= known
        restored.close()
    stop.set()
    thread.join()
    made.check()
    made.close()


def test_damaged_and_foreign_files_are_refused(tmp_path, monkeypatch):
    made = SmallStudy.make(tmp_path / "study")
    back_up(made.study, tmp_path / "good.tar")
    made.close()
    whole = (tmp_path / "good.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.tar").write_bytes(b"hello")
    names = ("../evil", "/evil", "images/../../evil", "images/a/b", "study.py", "images/.hidden/x")
    names += ("robots", "robots/../study.json", "robots/a/..", "robots/./a", "robots//a", "robots/a/.weights.pt.0.part")
    for number, name in enumerate(names):
        with tarfile.open(tmp_path / f"evil-{number}.tar", "w") as tar:
            entry = tarfile.TarInfo(name)
            entry.size = 1
            tar.addfile(entry, io.BytesIO(b"x"))
    with tarfile.open(tmp_path / "below.tar", "w") as tar:
        for name in ("robots/a", "robots/a/b/c"):
            tar.addfile(tarfile.TarInfo(name))
    with tarfile.open(tmp_path / "link.tar", "w") as tar:
        entry = tarfile.TarInfo("study.sqlite")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(entry)
    bad = ["cut", "text", "link", "below", "missing", *(f"evil-{number}" for number in range(len(names)))]
    for name in bad:
        with pytest.raises(DataError):
            restore(tmp_path / f"{name}.tar", tmp_path / f"into-{name}")
    assert not list(tmp_path.glob("**/evil"))
    with tarfile.open(tmp_path / "good.tar") as tar, tarfile.open(tmp_path / "few.tar", "w") as few:
        for member in tar:
            if not member.name.endswith(".png"):
                few.addfile(member, tar.extractfile(member))
    with pytest.raises(DataError, match=r"is missing \(3 problems\)"):
        restore(tmp_path / "few.tar", tmp_path / "into-few")
    assert not list(tmp_path.glob("into-*")), "nothing is left of a restore that failed"
    with pytest.raises(UsageError, match="Leave --database out"):
        restore(tmp_path / "good.tar", tmp_path / "into", "postgresql+psycopg:///x")


def test_a_postgres_study_needs_pg_dump(tmp_path, cluster, monkeypatch):
    made = SmallStudy.make(tmp_path / "study", cluster.create("dumpless"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="pg_dump is not installed"):
        back_up(made.study, tmp_path / "backup.tar")
    assert not (tmp_path / "backup.tar").exists()
    made.close()
