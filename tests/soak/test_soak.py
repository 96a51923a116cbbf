"""Long runs: ``make soak``. What the other tests check, for longer."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from askew.answers.normalise import modal_answer, normalise
from askew.world.ask import asked_and_answered
from askew.world.scenes import make_scene
from independent_answers import true_answer

pytestmark = pytest.mark.soak


def test_a_run_that_is_killed_again_and_again_ends_with_every_answer(tmp_path):
    """Twelve kills at random moments: only the batch in flight is asked again."""
    rng = random.Random(0)
    colors = ["white", "black", "red", "blue", "green"]
    with (tmp_path / "q.jsonl").open("w") as file:
        for number in range(600):
            text = f"What color is the car with the number {number:04}?"
            file.write(
                json.dumps({"id": number, "image": number, "question": text, "answers": [colors[number % 5]] * 10})
                + "\n"
            )
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "def answer(image, question):\n"
        "    with open('asked.txt', 'a') as file:\n"
        "        file.write(question + '\\n')\n"
        "    time.sleep(0.004)\n"
        "    return 'yes'\n"
    )
    command = [sys.executable, "-m", "askew", "run", "--model", "python:slow:answer,blind=true", "--data", "q.jsonl"]
    command += ["--output", "out", "--batch-size", "16", "--quiet"]
    kills = 0
    for _ in range(12):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(1.5, 4.0))
        if process.poll() is not None:
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    assert subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL).returncode == 0
    log = (tmp_path / "asked.txt").read_text().splitlines()
    assert kills > 0
    assert len(set(log)) == 1200
    assert len(log) - len(set(log)) <= 16 * kills
    assert len((tmp_path / "out" / "samples.jsonl").read_text().splitlines()) == 600


@pytest.mark.parametrize("seed", [101, 202, 303])
def test_every_answer_of_the_world_is_correct(seed):
    """The evaluator and the people's modal answer agree on every question of 1,000 scenes."""
    for index in range(1000):
        scene = make_scene(seed, index)
        for one, question in asked_and_answered(scene, seed):
            truth = true_answer(scene, one.meaning)
            assert normalise(truth) == modal_answer(question.answers, normalise), (seed, index, question.text)
