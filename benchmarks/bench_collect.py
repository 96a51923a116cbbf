"""Time and memory of statistics and a release, for a study as large as Adversarial VQA.

    python benchmarks/bench_collect.py

227,400 questions, 1.1 million answers and 37,900 images in SQLite. Goals on a machine with two otherwise idle cores:
statistics within 5 s, the release within 60 s, each within 300 MB.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "collect"))

from large_study import make_large_study

GOALS = {"stats": (5, 300), "export": (60, 300)}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_large_study(folder / "study")
        missed = []
        for command, (most_seconds, most_memory) in GOALS.items():
            seconds, cpu, memory = run(["collect", command, str(folder / "study"), "--output", str(folder / command)])
            print(f"{command:8} {seconds:6.1f} s ({cpu:.1f} s of processor; goal {most_seconds}), {memory} MB")
            if cpu > most_seconds or memory > most_memory:
                missed.append(command)
        print(f"goals missed: {', '.join(missed)}" if missed else "goals met")


def run(arguments: list[str]) -> tuple[float, float, int]:
    """Seconds, processor seconds and peak megabytes of a command in a separate process."""
    start = time.perf_counter()
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    command = [sys.executable, "-m", "askew", *arguments]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"askew {' '.join(arguments[:2])} failed")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


if __name__ == "__main__":
    main()
