"""Speed and memory of the readers: our own JSONL and text, and every benchmark, on made-up files.

    python benchmarks/bench_readers.py [--million] [READER ...]

Each file is read in a process of its own, with 20,000 and with 200,000 questions (``--million``: with 1,000,000, which
takes half an hour for all readers). Exits with 1 if JSON lines or a table without images are read at less than 100,000
questions a second (processor time), or if any reader takes more than 500 MB for 200,000 questions, or 1 kB for each.
The peer is parsing alone: orjson or csv on the same file.
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import chain
from pathlib import Path

import orjson

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "data" / "benchmarks"))

from benchmark_samples import SAMPLES, keyed, lines, table, vqa_v2  # noqa: E402
from release_samples import RELEASES  # noqa: E402

from askew.data.groups import write_groups  # noqa: E402
from askew.data.open_path import open_path  # noqa: E402
from askew.types import Expect, Group, ImageRef, Question, Variant  # noqa: E402
from askew.verbs import HoldsGroups  # noqa: E402

SMALL, LARGE, MILLION = 20_000, 200_000, 1_000_000
LEAST = 100_000
MEGABYTES = 500


def jsonl(folder: Path, count: int) -> Path:
    """Our own questions, with options."""
    asked = {"question": "What color is the thing on the left?", "choices": ["red", "green", "blue"], "answer": "blue"}
    records = ({"id": n, "image": f"{n // 3}.jpg", **asked} for n in range(count))
    return lines(folder / "mine.jsonl", records)


def csv_table(folder: Path, count: int) -> Path:
    """Our own questions in a table, with options."""
    asked = "What color is the thing on the left?,red|green|blue,blue"
    return table(
        folder / "mine.csv", "id,image,question,choices,answer", (f"{n},{n // 3}.jpg,{asked}" for n in range(count))
    )


def text(folder: Path, count: int) -> Path:
    """One question a line."""
    return table(folder / "mine.txt", "Is it red?", (f"What is on the left of thing {n}?" for n in range(count)))


def groups(folder: Path, count: int) -> Path:
    """Groups of a question and three variants, as ``askew build`` writes them."""
    path = folder / "groups.jsonl"
    write_groups(map(group, range(count // 4)), str(path))
    return path


def group(number: int) -> Group:
    """A question with three variants."""
    asked = Question(number, ImageRef(number), "Is it red?", ("yes",) * 10)
    variants = (replace(asked, id=f"{number}/{n}", text=f"Is it red {n}?") for n in range(3))
    return Group(number, "p2", asked, tuple(Variant(one, Expect.SAME, "syn", "syn") for one in variants))


def gqa(folder: Path, count: int) -> Path:
    """GQA's own questions."""
    asked = {"question": "Is it red?", "answer": "no"}
    return keyed(folder / "val_balanced_questions.json", ((str(n), {**asked, "imageId": str(n)}) for n in range(count)))


def rotated(folder: Path, count: int) -> Path:
    """A table with rotated options and without images."""
    base = (f"{n}\tWhat {n}?\tx\ty\tA" for n in range(count // 2))
    rotations = (f"{n + 1_000_000}\tWhat {n}?\ty\tx\tB" for n in range(count // 2))
    return table(folder / "circular.tsv", "index\tquestion\tA\tB\tanswer", chain(base, rotations))


WRITERS = {
    "Jsonl": jsonl,
    "QuestionTable": csv_table,
    "Lines": text,
    "GroupFile": groups,
    "Gqa": gqa,
    "Vqa": lambda folder, count: vqa_v2(folder, count),
    "Rotated": rotated,
    **{reader.__name__: write for reader, write in {**SAMPLES, **RELEASES}.items()},
}
FAST = ("Jsonl", "QuestionTable", "Lines", "GroupFile", "Mmvp", "VlmEvalKitTable", "Rotated", "Winoground")
"""JSON lines and tables without images."""


def read(path: str, times: int) -> None:
    """Read everything and print the shortest time and the peak of memory."""
    data = open_path(path, skip_bad=True)
    seconds = []
    for _ in range(times):
        start = time.process_time()
        for _ in data.groups() if isinstance(data, HoldsGroups) else data.questions():
            pass
        seconds.append(time.process_time() - start)
    print(json.dumps({"seconds": min(seconds), "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


def parse(path: Path) -> float:
    """How long parsing alone takes, as processor time."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    start = time.process_time()
    for file in files:
        with open(file, "rb") as opened:
            if file.suffix in (".tsv", ".csv"):
                for _ in csv.reader(line.decode() for line in opened):
                    pass
            elif file.suffix == ".txt":
                for line in opened:
                    line.decode()
            elif opened.read(1) == b"{":
                opened.seek(0)
                for line in opened:
                    orjson.loads(line)
            else:
                opened.seek(0)
                orjson.loads(opened.read())
    return time.process_time() - start


def measured(name: str, count: int) -> dict[str, float]:
    """One reader on one size."""
    with tempfile.TemporaryDirectory() as folder:
        command = f"import bench_readers as b, pathlib; print(b.WRITERS[{name!r}](pathlib.Path({folder!r}), {count}))"
        path = subprocess.run([sys.executable, "-c", command], cwd=ROOT / "benchmarks", capture_output=True, check=True)
        where = path.stdout.decode().strip()
        parts = (
            subprocess.run([sys.executable, __file__, *what, where], capture_output=True, check=True).stdout
            for what in (["--read", "1" if count == MILLION else "2"], ["--parse"])  # peak memory is inherited
        )
        return {**json.loads(next(parts)), "peer": float(next(parts))}


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[3], int(sys.argv[2]))
        return
    if sys.argv[1:2] == ["--parse"]:
        print(parse(Path(sys.argv[2])))
        return
    failed = False
    names = [name for name in sys.argv[1:] if name != "--million"]
    most = LARGE if len(names) == len(sys.argv[1:]) else MILLION
    print(f"{'reader':20s} {'questions/s':>12s} {'× parsing':>10s} {'MiB at 20k':>11s} {'at ' + f'{most:,}':>13s}")
    for name in names or WRITERS:
        small, large = (measured(name, count) for count in (SMALL, most))
        speed = most / large["seconds"]
        slow, heavy = name in FAST and speed < LEAST, large["peak"] / 1024 > max(MEGABYTES, most / 1024)
        failed = failed or slow or heavy
        marks = " too slow" * slow + " too much memory" * heavy
        ratio = large["seconds"] / large["peer"]
        print(
            f"{name:20s} {speed:12,.0f} {ratio:10.1f} {small['peak'] / 1024:11.0f} {large['peak'] / 1024:13.0f}{marks}",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()
