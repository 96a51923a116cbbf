"""Worker processes do not outlive the process that started them, even when it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

SCRIPT = """
import os, time
from multiprocessing import get_context
from askew.files.read_write import end_with_parent

def work(pipe):
    end_with_parent()
    pipe.send(os.getpid())
    time.sleep(60)

if __name__ == "__main__":
    here, there = get_context("spawn").Pipe()
    get_context("spawn").Process(target=work, args=(there,)).start()
    print(here.recv(), flush=True)
    time.sleep(60)
"""


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"  # a zombie is dead
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc to look for the worker in")
def test_a_worker_ends_when_its_parent_is_killed(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    parent = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    with parent:
        worker = int(parent.stdout.readline())
        assert alive(worker)
        parent.kill()
    late = time.monotonic() + 10
    while alive(worker) and time.monotonic() < late:
        time.sleep(0.02)
    assert not alive(worker)
