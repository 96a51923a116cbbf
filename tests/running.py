"""Running askew as a user does: in a process of its own, on a small file of questions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LETTERS = "abcdefgh"


def run_askew(*words, cwd=None, **options):
    return subprocess.run([sys.executable, "-m", "askew", *words], cwd=cwd, capture_output=True, text=True, **options)


def write_questions(path: Path, count: int) -> None:
    colors = ["white", "black", "red", "blue", "green"]
    with path.open("w") as file:
        for number in range(count):
            thing = f"{LETTERS[number % 8]}{LETTERS[number // 8 % 8]}{LETTERS[number // 64]} car"
            record = {"id": number, "image": number, "question": f"What color is the {thing}?"}
            file.write(json.dumps({**record, "answers": [colors[number % 5]] * 10}) + "\n")
