"""A killed ranking resumes where it stopped, and its files are byte-equal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

BUILD = """
import sys
from pathlib import Path
import askew.rank.ranking as ranking
ranking.BATCH = 4
import askew.suites.basic as basic
from askew.data.jsonl import Lines
from askew.engine.publish import publish
from askew.engine.settings import Named, Settings
from askew.types import ImageRef
from dataclasses import replace
from word_ranker import Words

class Pictured(Lines):
    def questions(self):
        return (replace(q, image=ImageRef(q.id % 7)) for q in super().questions())

if __name__ == "__main__":
    log, seconds, workers, output = sys.argv[1:]
    suite = basic.BasicSuite(Words(log, float(seconds)), top=3)
    data = Pictured("q.txt")
    settings = Settings(executor=f"local:workers={workers}")
    publish(Named(suite, "basic"), Named(data, "q.txt"), Path(output), settings, "build")
"""


def start(folder, cache, output, seconds, workers=1):
    environment = {**os.environ, "ASKEW_CACHE": str(folder / cache), "PYTHONPATH": str(TESTS)}
    words = [sys.executable, "build.py", "log.txt", str(seconds), str(workers), output]
    return subprocess.Popen(words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def finish(process):
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said


def ranked(folder):
    log = folder / "log.txt"
    return [int(count) for count in log.read_text().split()] if log.exists() else []


def test_a_killed_ranking_resumes_and_gives_the_same_bytes(tmp_path):
    colors, things = ("red", "blue", "green"), ("car", "cat", "cup", "hat")
    texts = [f"Is the {color} {thing} {state}?" for color in colors for thing in things for state in ("old", "wet")]
    (tmp_path / "q.txt").write_text("\n".join([*texts, *texts[:5]]))
    (tmp_path / "build.py").write_text(BUILD)
    process = start(tmp_path, "killed", "resumed", seconds=0.3)
    deadline = time.monotonic() + 60
    while len(ranked(tmp_path)) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    before = sum(ranked(tmp_path))
    assert 8 < before < len(texts)
    assert not (tmp_path / "resumed" / "bqd.jsonl").exists()

    finish(start(tmp_path, "killed", "resumed", seconds=0))
    after = sum(ranked(tmp_path))
    assert len(texts) <= after <= len(texts) + 4, "at most the batch that the kill cut off is ranked again"
    finish(start(tmp_path, "fresh", "whole", seconds=0))
    finish(start(tmp_path, "spread", "spread", seconds=0, workers=2))
    for name in ("bqd.jsonl", "bqd.parquet", "groups.jsonl"):
        whole = (tmp_path / "whole" / name).read_bytes()
        assert (tmp_path / "resumed" / name).read_bytes() == whole, name
        assert (tmp_path / "spread" / name).read_bytes() == whole, name
    assert len((tmp_path / "whole" / "bqd.jsonl").read_text().splitlines()) == 1 + len(texts) + 5


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")
def test_workers_end_with_a_killed_parent(tmp_path):
    (tmp_path / "q.txt").write_text("\n".join(f"Is the {n} car old?" for n in range(40)))
    (tmp_path / "build.py").write_text(BUILD)
    process = start(tmp_path, "cache", "out", seconds=0.3, workers=2)
    deadline = time.monotonic() + 60
    while not ranked(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    assert len(children) >= 2
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    while any(map(alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in children if alive(pid)]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
