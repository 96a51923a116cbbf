"""A run that is stopped loses no answers, and resumes where it stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

from running import run_askew, write_questions

SLOW = """
import time
def answer(image, question):
    with open("asked.txt", "a") as file:
        file.write(question + "\\n")
    time.sleep(0.01)
    return "yes"
"""


def command(batch_size):
    words = "run --model python:slow:answer,blind=true --data q.jsonl --output out --quiet --batch-size"
    return [*words.split(), str(batch_size)]


def stop_after(folder, count, batch_size, how):
    """Start a run of 200 groups and stop it after so many questions; returns its exit code and output."""
    write_questions(folder / "q.jsonl", 200)
    (folder / "slow.py").write_text(SLOW)
    words = [sys.executable, "-m", "askew", *command(batch_size)]
    process = subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(asked(folder)) <= count and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def asked(folder):
    log = folder / "asked.txt"
    return log.read_text().splitlines() if log.exists() else []


def test_a_killed_run_resumes_where_it_was(tmp_path):
    """kill -9 in the middle: what was answered is on disk, and is not asked again."""
    stop_after(tmp_path, 60, batch_size=8, how=signal.SIGKILL)
    before = asked(tmp_path)
    assert 60 < len(before) < 400
    assert not (tmp_path / "out" / "results.json").exists()
    done = run_askew(*command(8), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    everything = asked(tmp_path)
    assert len(set(everything)) == 400
    assert len(everything) - len(set(everything)) <= 8, "only the batch that the kill cut off may be asked again"
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["time"]["asked"] + len(before) >= 400


def test_control_c_is_clean(tmp_path):
    code, said = stop_after(tmp_path, 10, batch_size=1, how=signal.SIGINT)
    assert code == 130
    assert "Traceback" not in said
    assert "the same command resumes" in said
