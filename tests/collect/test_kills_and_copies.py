"""A writer is killed, and its files are copied, at random instants: nothing that was acknowledged is lost.

The server under load is killed by ``make soak``; these are the same promises of the database alone.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import acknowledging_writer
from acknowledging_writer import check_acknowledged
from small_study import SmallStudy

KILLS = COPIES = 20


@contextmanager
def writer(folder: Path, *options: str, images: int = 40) -> Iterator[subprocess.Popen[bytes]]:
    made = SmallStudy.make(folder, images=images, durable=True)
    made.close()
    command = [sys.executable, acknowledging_writer.__file__, str(folder), json.dumps(made.people), *options]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def test_20_kills_lose_nothing_that_was_acknowledged(tmp_path):
    rng, folder = Random(1), tmp_path / "study"
    lines: list[bytes] = []
    with writer(folder, "--again") as parent:
        for _ in range(KILLS):
            parent.stdin.write(b"again\n")
            parent.stdin.flush()
            child, early = _child(parent)
            lines += early + [parent.stdout.readline() for _ in range(rng.randrange(30))]
            time.sleep(rng.choice((0, rng.uniform(0, 0.01))))  # at once, during the next commit
            os.kill(child, signal.SIGKILL)
            lines += iter(parent.stdout.readline, b"over\n")
            check_acknowledged(folder, lines)
    kinds = {json.loads(line)[0] for line in lines}
    assert {"session", "question", "prediction", "judgement", "lease", "verification"} <= kinds


def _child(parent: subprocess.Popen[bytes]) -> tuple[int, list[bytes]]:
    """The child's process id, and what the child wrote before its parent reported it."""
    early = []
    while not (line := parent.stdout.readline()).strip().isdigit():
        early.append(line)
    return int(line), early


def test_20_copies_at_random_instants_contain_what_was_acknowledged(tmp_path):
    assert check_copies(tmp_path, COPIES) > COPIES


def check_copies(place: Path, copies: int) -> int:
    """Copy the files of a working writer, and open each copy; returns the number of acknowledged writes.

    The writer is stopped for the time of a copy, so that both files are of one instant, as when power fails.
    """
    rng, folder = Random(2), place / "study"
    lines: list[bytes] = []
    with writer(folder, images=2 * copies) as process:
        lines.append(process.stdout.readline())
        os.set_blocking(process.stdout.fileno(), False)
        for _ in range(copies):
            time.sleep(rng.uniform(0, 0.05))
            os.kill(process.pid, signal.SIGSTOP)
            os.waitpid(process.pid, os.WUNTRACED)
            lines += (process.stdout.read() or b"").splitlines()  # each line is complete
            copy = _copy(folder, place / "copy")
            os.kill(process.pid, signal.SIGCONT)
            check_acknowledged(copy, lines)
            shutil.rmtree(copy)
    return len(lines)


def _copy(folder: Path, copy: Path) -> Path:
    """The files as they are on disk, without SQLite's shared-memory index, which does not survive a power failure."""
    copy.mkdir()
    for name in ("study.json", "study.sqlite", "study.sqlite-wal"):
        shutil.copyfile(folder / name, copy / name)
    return copy
