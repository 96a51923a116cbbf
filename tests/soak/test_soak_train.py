"""A training that is killed repeatedly ends with the same weights."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import sys
import time

import pytest

WORDS = ["--net", "xnm:hidden=32", "--data", "world:train,scenes=200", "--features", "grid", "--loss", "q3r:rate=0.5"]


def command(folder):
    return [
        *(sys.executable, "-m", "askew", "train", *WORDS),
        *("--epochs", "6", "--batch-size", "32", "--threads", "1", "--quiet", "--output", str(folder)),
    ]


@pytest.mark.soak
def test_killed_trainings_resume_to_the_same_weights_as_uninterrupted_ones(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(command(whole), check=True, capture_output=True)
    rng = random.Random(0)
    for epochs in (1, 3, 4):
        process = subprocess.Popen(command(killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and done(killed) < epochs:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        assert process.poll() is None, "it ended before it could be killed"
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command(killed), check=True, capture_output=True)
    digests = [hashlib.sha256((folder / "weights.pt").read_bytes()).hexdigest() for folder in (whole, killed)]
    assert digests[0] == digests[1]


def done(folder):
    """Epochs saved on disk."""
    history = folder / "history.json"
    return len(json.loads(history.read_bytes())) if history.is_file() else 0
