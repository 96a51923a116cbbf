"""Flat memory and speed of the VQA reader: peak memory at 20,000 and at 200,000 questions, each in its own process.

    python benchmarks/bench_memory_data.py

Prints one row per order of the annotations (as the questions, or shuffled: the index on disk) and exits with 1 if the
longer file takes over 20 % more memory than the shorter one. The peer for speed is ijson alone on the same two files.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import ijson

from askew.data.benchmarks.vqa import Vqa
from askew.data.write_questions import write_vqa
from askew.types import ImageRef, Kind, Question

SIZES = (20_000, 200_000)
LIMIT = 1.2


def questions(count: int) -> Iterator[Question]:
    """Synthetic questions of the usual length, with ten answers each."""
    for number in range(count):
        rng = Random(f"0:bench:{number}")
        answers = tuple(rng.choice(("yes", "no", "2", "a red car")) for _ in range(10))
        text = f"What is the colour of the thing number {number} on the left of the table?"
        kind = Kind("other", "what is the")
        yield Question(number * 1000, ImageRef(number // 3), text, answers, kind, confidences=("yes",) * 10)


def prepare(folder: str, size: int) -> None:
    """Write the files in a separate process, because a process inherits the peak memory of its parent."""
    write_vqa(questions(size), f"{folder}/same")
    write_vqa(questions(size), f"{folder}/shuffled")
    (path,) = Path(folder, "shuffled").glob("*annotations.json")
    content = json.loads(path.read_text())
    Random("0:bench").shuffle(content["annotations"])
    path.write_text(json.dumps(content))


def read(folder: str) -> None:
    """Read everything once and print time and memory."""
    start = time.perf_counter()
    count = sum(1 for _ in Vqa(folder).questions())
    seconds = time.perf_counter() - start
    print(json.dumps({"count": count, "seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


def peer_seconds(folder: Path) -> float:
    """How long ijson alone takes for the same files."""
    start = time.perf_counter()
    for key in ("questions", "annotations"):
        (path,) = folder.glob(f"*{key}.json")
        with path.open("rb") as file:
            for _ in ijson.items(file, f"{key}.item", use_float=True):
                pass
    return time.perf_counter() - start


def apart(*arguments: object) -> str:
    """The output of this script with these arguments in a separate process."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Measure, print, and compare with the goal."""
    peaks: dict[tuple[str, int], float] = {}
    print(f"{'order':10} {'questions':>10} {'peak MB':>8} {'per second':>11} {'time / ijson alone':>19}")
    with tempfile.TemporaryDirectory() as home:
        for size in SIZES:
            folder = Path(home) / str(size)
            apart("prepare", folder, size)
            for order in ("same", "shuffled"):
                took = json.loads(apart("read", folder / order))
                peaks[order, size] = took["peak"]
                ratio = took["seconds"] / peer_seconds(folder / order)
                speed = took["count"] / took["seconds"]
                print(f"{order:10} {size:>10,} {took['peak'] / 1024:>8.1f} {speed:>11,.0f} {ratio:>19.2f}")
    growth = {order: peaks[order, SIZES[1]] / peaks[order, SIZES[0]] for order in ("same", "shuffled")}
    print("memory at ten times the questions: " + ", ".join(f"{order} x {x:.2f}" for order, x in growth.items()))
    return int(max(growth.values()) > LIMIT)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", folder, size]:
            prepare(folder, int(size))
        case ["read", folder]:
            read(folder)
        case _:
            sys.exit(main())
