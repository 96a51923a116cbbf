"""Files as bytes: each kind of unreadable file has its own error, and partial files are never visible."""

from __future__ import annotations

import errno
import gzip
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from askew.cli import _describe_os_error
from askew.errors import DataError, RunError
from askew.files.read_write import FOLDER_LOCK, alone_in, clear_parts, fingerprint, opened, replaced, write_joined


def content(path: Path) -> bytes:
    with opened(str(path)) as file:
        return file.read()


def test_gzip_is_recognised_by_its_first_bytes_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(gzip.compress(b"[1]", mtime=0))
    (tmp_path / "b.json.gz").write_bytes(b"[2]")
    assert content(tmp_path / "a.json") == b"[1]"
    assert content(tmp_path / "b.json.gz") == b"[2]"


def test_a_utf8_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf[1]")
    (tmp_path / "b").write_bytes(gzip.compress(b"\xef\xbb\xbf[1]", mtime=0))
    assert content(tmp_path / "a") == content(tmp_path / "b") == b"[1]"


@pytest.mark.parametrize(
    ("written", "said", "remedy"),
    [
        (None, "no such file", "Put it there"),
        (b"", "the file is empty", "download it again"),
        (gzip.compress(b"", mtime=0), "the file is empty", "download it again"),
        ("[1]".encode("utf-16"), "UTF-16, not UTF-8", "iconv"),
        (gzip.compress(bytes(range(256)) * 50, mtime=0)[:-20], "truncated or damaged", "gzip -t"),
        (gzip.compress(b"hello" * 50, mtime=0)[:-8] + b"\0" * 8, "truncated or damaged", "gzip -t"),
    ],
)
def test_unreadable_files_are_reported_with_the_remedy(
    tmp_path: Path, written: bytes | None, said: str, remedy: str
) -> None:
    path = tmp_path / "a.json"
    if written is not None:
        path.write_bytes(written)
    with pytest.raises(DataError) as error:
        content(path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)
    assert remedy in str(error.value)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this is a folder, not a file"):
        content(tmp_path)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def parts():
        yield b"new"
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        write_joined(str(path), parts())
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


def test_the_old_file_is_seen_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    with replaced(str(path)) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_compressed_files_have_the_same_bytes_every_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a.gz", tmp_path / "sub" / "b.gz"
    for path in (first, second):
        assert write_joined(str(path), [b"1", b"2"], b"[", b",", b"]") == 2
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()) == b"[1,2]"


def test_a_fingerprint_depends_on_content_not_on_location(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("same")
    (tmp_path / "b").write_text("same")
    (tmp_path / "c").write_text("other")
    a, b, c = (fingerprint(str(tmp_path / name)) for name in "abc")
    assert a == b != c
    (tmp_path / "a").write_text("changed")
    assert fingerprint(str(tmp_path / "a")) != a


def test_only_partial_files_of_killed_writers_are_deleted(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    left = tmp_path / f".groups.jsonl.{'0a' * 16}.part"
    just_now = tmp_path / f".groups.jsonl.{'0b' * 16}.part"
    theirs = tmp_path / ".notes.part"
    for path in (left, just_now, theirs):
        path.write_bytes(b"half")
    with replaced(tmp_path / "a.json") as file:
        (live,) = tmp_path.glob(".a.json.*.part")
        for path in (left, theirs, live):
            os.utime(path, (0, 0))
        clear_parts(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([live, just_now, theirs])
        file.write(b"whole")
    assert content(tmp_path / "a.json") == b"whole"


def test_a_full_disk_is_reported_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space") as error, replaced(tmp_path / "a.json"):
        raise OSError(errno.ENOSPC, "No space left on device")  # as write() raises it: without a file name
    assert Path(error.value.filename).parent == tmp_path
    assert _describe_os_error(error.value).startswith(f"{tmp_path}: No space left on device. Make room")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_has_one_writer_at_a_time_and_is_released_after_an_error(tmp_path: Path) -> None:
    with alone_in(tmp_path, tmp_path, tmp_path / "member"):
        for folder in (tmp_path, tmp_path / "member"):
            with pytest.raises(RunError, match="another askew is writing to this folder"), alone_in(folder):
                pass
    with pytest.raises(ValueError, match="mine"), alone_in(tmp_path):
        raise ValueError("mine")
    with alone_in(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["member"]


def test_without_file_locks_nobody_is_locked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(place: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", none)
    with alone_in(tmp_path), alone_in(tmp_path):
        (tmp_path / "mine").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Windows does differently: no fcntl, locks of bytes, folders that do not open, open files that stay."""
    fcntl = pytest.importorskip("fcntl")
    real_open, real_unlink = os.open, Path.unlink

    def locking(file: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        assert os.lseek(file, 0, os.SEEK_CUR) > 1 << 30  # nobody else can read a locked byte
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    def open_file(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real_open(path, flags, *more, **named)

    def unlink(path: Path, missing_ok: bool = False) -> None:
        for file in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                if os.path.samefile(file, path):
                    raise AssertionError(f"{path} is open")
        real_unlink(path, missing_ok)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    monkeypatch.setattr(os, "open", open_file)
    monkeypatch.setattr(Path, "unlink", unlink)


@pytest.mark.usefixtures("windows")
def test_a_folder_has_one_writer_at_a_time_on_windows_too(tmp_path: Path) -> None:
    for _ in range(2):
        with alone_in(tmp_path), pytest.raises(RunError, match="another askew is writing"), alone_in(tmp_path):
            pass
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER_LOCK]


@pytest.mark.usefixtures("windows")
def test_only_partial_files_of_killed_writers_are_deleted_on_windows_too(tmp_path: Path) -> None:
    left = tmp_path / f".groups.jsonl.{'0a' * 16}.part"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    with replaced(tmp_path / "a.json") as file:
        (live,) = tmp_path.glob(".a.json.*.part")
        os.utime(live, (0, 0))
        clear_parts(tmp_path)
        assert list(tmp_path.iterdir()) == [live]
        file.write(b"whole")
    assert content(tmp_path / "a.json") == b"whole"


def test_a_system_with_neither_kind_of_lock_locks_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fcntl", "msvcrt"):
        monkeypatch.setitem(sys.modules, module, None)
    with alone_in(tmp_path), alone_in(tmp_path), replaced(tmp_path / "a") as file:
        file.write(b"x")
    assert content(tmp_path / "a") == b"x"
