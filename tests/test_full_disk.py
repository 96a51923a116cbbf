"""A disk that is full, for real: a small file system where one can be mounted, and a limit of file sizes anywhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from askew.cli import main
from running import write_questions

FREE = (0, 40, 96, 112, 128, 160, 192, 224, 256, 288)
"""KiB that are free when a run begins that needs some 300: it fails at its groups, answers, results or page."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def run(questions: Path, output: Path) -> int:
    words = ["run", "--data", str(questions), "--suite", "accuracy", "--model", "constant:no", "--quiet"]
    return main([*words, "--output", str(output)])


def test_a_full_disk_is_reported_in_one_line_and_with_more_space_the_same_command_resumes(small_disk, tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 300)
    heard = []
    for free in FREE:
        room = shutil.disk_usage(small_disk).free - free * 1024
        (small_disk / "ballast").write_bytes(bytes(room))
        code, said = run(tmp_path / "q.jsonl", small_disk / "o"), capsys.readouterr().err
        (small_disk / "ballast").unlink()
        assert code in (0, 2)
        if code:
            heard.append(said)
            assert said.count("\n") == 1
            assert f"{small_disk}/o" in said
            assert "Make room there" in said
        assert run(tmp_path / "q.jsonl", small_disk / "o") == 0
        assert not list((small_disk / "o").rglob("*.part"))
        shutil.rmtree(small_disk / "o")
    assert len(heard) > 5
    assert any("answers cannot be kept" in said for said in heard)
    assert any(f"{small_disk}/o: No space left" in said for said in heard)


LIMITED = """
import resource, sys
from askew.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]) * 1024, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of file sizes")
def test_a_file_that_may_not_grow_is_reported_with_the_remedy(tmp_path):
    write_questions(tmp_path / "q.jsonl", 300)
    words = ["run", "--data", "q.jsonl", "--suite", "accuracy", "--model", "constant:no", "--quiet", "--output", "o"]
    for limit, file, remedy in ((8, "o: File too large", "ulimit -f"), (72, "o/answers.sqlite", "name another")):
        limited = [sys.executable, "-c", LIMITED, str(limit), *words]
        stopped = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert stopped.returncode == 2
        assert stopped.stderr.count("\n") == 1
        assert file in stopped.stderr
        assert remedy in stopped.stderr
    subprocess.run([sys.executable, "-m", "askew", *words], cwd=tmp_path, check=True, capture_output=True)
