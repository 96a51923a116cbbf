"""A whole run, from questions to report: seconds and peak memory at 20,000 and 200,000 questions; and askew --help.

The peer of the run is the smallest script that asks the same questions and counts the answers, without a store, samples
or intervals; the peer of ``--help`` is ``python -c pass``.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THINGS = ["car", "dog", "cat", "shirt", "bus", "plate", "umbrella", "horse", "boat", "sofa", "lamp", "truck", "bird"]
COLORS = ["white", "black", "red", "blue", "green", "brown", "yellow", "gray"]

NAIVE = """
import json, sys
right = total = 0
for line in open(sys.argv[1]):
    record = json.loads(line)
    right += min(1.0, record["answers"].count("yes") / 3)
    total += 1
print(right / total)
"""


def write_questions(path: Path, count: int) -> None:
    with path.open("w") as file:
        for number in range(count):
            rng = random.Random(number)
            thing = rng.choice(THINGS)
            question, answer = rng.choice(
                [
                    (f"What color is the {thing}?", rng.choice(COLORS)),
                    (f"How many {thing}s are there?", str(rng.randint(0, 6))),
                    (f"Is there a {thing}?", rng.choice(["yes", "no"])),
                    (f"Where is the {thing}?", rng.choice(["street", "table", "park"])),
                    (f"What is the {thing} doing?", "standing"),
                ]
            )
            answers = [answer] * 8 + [rng.choice(COLORS), "maybe"]
            record = {"id": number, "image": number // 5, "question": question, "answers": answers}
            file.write(json.dumps(record) + "\n")


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds and peak memory (MB) of a command."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'questions':>10} {'askew run':>10} {'peak MB':>8} {'naive':>7} {'ratio':>6}")
        peaks = []
        for count in (20_000, 200_000):
            data = folder / f"{count}.jsonl"
            write_questions(data, count)
            run = [sys.executable, "-m", "askew", "run", "--model", "constant:yes", "--data", str(data)]
            run += ["--suite", "rad:originals=all", "--output", str(folder / f"run{count}"), "--quiet"]
            seconds, peak = timed(run)
            naive, _ = timed([sys.executable, "-c", NAIVE, str(data)])
            peaks.append(peak)
            print(f"{count:>10,} {seconds:>9.1f}s {peak:>8.0f} {naive:>6.1f}s {seconds / naive:>6.1f}")
        print(f"memory, 200,000 against 20,000 questions: x{peaks[1] / peaks[0]:.2f}")
    help_times = [timed([sys.executable, "-m", "askew", "--help"])[0] for _ in range(10)]
    bare_times = [timed([sys.executable, "-c", "pass"])[0] for _ in range(10)]
    ours, bare = statistics.median(help_times), statistics.median(bare_times)
    print(f"askew --help: {ours:.3f} s; python -c pass: {bare:.3f} s; ratio {ours / bare:.1f}")


if __name__ == "__main__":
    main()
