"""The pipeline at the size of VQA v2, from files to report: reading, scoring and running, and how they grow.

    python benchmarks/bench_scale.py [--sizes 20000,214354] [--only read,score,run]

The peer of ``askew score`` is the public evaluator's algorithm (see bench_accuracy.py) on the same files, measured in
the same run: it reads them and prints the accuracy, and writes neither samples nor a report. All times are processor
seconds of a separate process. Growth compares seconds per question and memory at the largest size with the smallest.
The default takes three minutes. ``--sizes 20000,200000,2000000`` takes a quarter of an hour and 8 GB of disk (TMPDIR
says where); 2 million questions are measured without the peer.

It fails if a goal is missed: see ``check``. The goals in seconds are for one core of a common server that does nothing
else; the others hold on any machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TypeAlias

import questions
from bench_accuracy import Peer, made_up_one_by_one

ASKED, ANSWERED = "v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"
READ_PER_SECOND = 100_000
RUN_SECONDS = 60 / 200_000
"""Per question, for ``askew run`` with a model that takes no time."""
SCORE_AGAINST_EVALUATOR = 1 / 3
MEGABYTES, KILOBYTES = 500, 1
"""The most memory of a command: this many megabytes, or this many kilobytes for each question if that is more."""
SLOWER_PER_QUESTION = 1.0
"""At the largest size compared with the smallest, whose time includes startup."""
PEER_AT_MOST = 300_000
"""The peer holds everything in memory, several kilobytes per question."""


Took: TypeAlias = dict[tuple[str, int], tuple[float, float]]
"""Seconds and megabytes, by what was measured and for how many questions."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="20000,214354")
    parser.add_argument("--only", default="read,score,run")
    options = parser.parse_args()
    sizes, parts = [int(size) for size in options.sizes.split(",")], options.only.split(",")
    took: Took = {}
    print(f"{'':28}{'questions':>11}{'seconds':>9}{'per second':>12}{'peak MB':>9}")
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            folder = Path(name) / str(size)
            folder.mkdir()
            child("write", folder, size)
            for what, command in commands(folder, size, parts).items():
                took[what, size] = seconds, peak = measured(command)
                print(f"{what:28}{size:>11,}{seconds:>9.1f}{size / seconds:>12,.0f}{peak:>9.0f}", flush=True)
            if ("evaluator", size) in took:
                check_accuracy(folder)
                ours, peer = took["askew score", size][0], took["evaluator", size][0]
                print(f"{'score against evaluator':28}{size:>11,}{ours / peer:>8.2f}x")
    for what in dict.fromkeys(what for what, _ in took):
        show_growth(what, {size: took[what, size] for size in sizes if (what, size) in took})
    if missed := list(check(took)):
        raise SystemExit("missed: " + "; ".join(missed))


def check(took: Took) -> Iterator[str]:
    """The goals that were missed. For sizes below 100,000 only the growth counts: startup is most of their time."""
    for (what, size), (seconds, _) in took.items():
        if size < 100_000:
            continue
        if what.startswith("read") and size / seconds < READ_PER_SECOND:
            yield f"{what}: {size / seconds:,.0f} questions a second, goal {READ_PER_SECOND:,}"
        if what.startswith("askew run") and seconds / size > RUN_SECONDS:
            yield f"{what}: {seconds:.0f} s, goal {RUN_SECONDS * size:.0f}"
        if what == "evaluator" and took["askew score", size][0] > seconds * SCORE_AGAINST_EVALUATOR:
            yield f"askew score of {size:,}: more than {SCORE_AGAINST_EVALUATOR:.2f} of the evaluator's time"
    for what in dict.fromkeys(what for what, _ in took if what != "evaluator"):
        sizes = sorted((n, took[name, n]) for name, n in took if name == what)
        (least, (first, _)), (most, (last, high)) = sizes[0], sizes[-1]
        if least < most and last / most > SLOWER_PER_QUESTION * first / least:
            yield f"{what}: slower for each of {most:,} questions than for each of {least:,}"
        if high > (goal := max(MEGABYTES, KILOBYTES * most / 1000)):
            yield f"{what}: {high:.0f} MB for {most:,} questions, goal {goal:.0f}"


def commands(folder: Path, size: int, parts: list[str]) -> dict[str, list[str]]:
    """What is measured, by name."""
    askew, here = [sys.executable, "-m", "askew"], [sys.executable, __file__]
    asked, shuffled = str(folder / ASKED), str(folder / "shuffled" / ASKED)
    found: dict[str, list[str]] = {}
    if "read" in parts:
        found["read VQA"] = [*here, "read", asked]
        found["read VQA, another order"] = [*here, "read", shuffled]
    if "score" in parts:
        out = str(folder / "scored")
        found["askew score"] = [*askew, "score", asked, str(folder / "predictions.json"), "--output", out, "--quiet"]
        if size <= PEER_AT_MOST:
            found["evaluator"] = [*here, "evaluate", str(folder)]
    if "run" in parts:
        run = ["run", "--model", "constant:yes", "--data", asked, "--suite", "rad:originals=all"]
        found["askew run, rad"] = [*askew, *run, "--output", str(folder / "run"), "--quiet"]
    return found


def measured(command: list[str]) -> tuple[float, float]:
    """Processor seconds and peak memory (MB) of a command."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def show_growth(what: str, took: dict[int, tuple[float, float]]) -> None:
    if len(took) > 1:
        (least, (first, low)), *_, (most, (last, high)) = sorted(took.items())
        times = (last / most) / (first / least)
        each = (high - low) * 1e6 / (most - least)
        print(f"{what}: x{most / least:.0f} questions, x{times:.2f} seconds a question, {each:.0f} bytes a question")


def write(folder: Path, size: int) -> None:
    """Write the files of VQA v2 and predictions, one record after another; and the annotations in another order."""
    starts, line = array("q"), folder / "annotations.lines"
    with (
        (folder / ASKED).open("w") as asked,
        (folder / ANSWERED).open("w") as answered,
        (folder / "predictions.json").open("w") as predicted,
        line.open("wb") as lines,
    ):
        asked.write('{"data_subtype": "val2014", "questions": [')
        answered.write('{"data_subtype": "val2014", "annotations": [')
        predicted.write("[")
        for number, (annotation, prediction) in enumerate(made_up_one_by_one(size)):
            image, comma = number // 5 + 1, ", " if number else ""
            key = image * 1000 + number % 5
            text = questions.text(number)
            record = json.dumps({**annotation, "image_id": image, "question_id": key})
            asked.write(comma + json.dumps({"image_id": image, "question": text, "question_id": key}))
            answered.write(comma + record)
            predicted.write(comma + json.dumps({"question_id": key, "answer": prediction}))
            starts.append(lines.tell())
            lines.write(record.encode() + b"\n")
        asked.write("]}")
        answered.write("]}")
        predicted.write("]")
    order = list(range(size))
    Random("bench_scale").shuffle(order)
    (folder / "shuffled").mkdir()
    (folder / "shuffled" / ASKED).symlink_to(folder / ASKED)
    with line.open("rb") as lines, (folder / "shuffled" / ANSWERED).open("wb") as shuffled:
        shuffled.write(b'{"annotations": [')
        for place, number in enumerate(order):
            lines.seek(starts[number])
            shuffled.write((b", " if place else b"") + lines.readline().rstrip())
        shuffled.write(b"]}")
    line.unlink()


def read(path: str) -> None:
    """Read all questions with their answers."""
    from askew.data.benchmarks.vqa import Vqa

    start, count = time.process_time(), sum(1 for _ in Vqa(path).questions())
    print(
        f"    {count / (time.process_time() - start):,.0f} questions a second without starting Python", file=sys.stderr
    )


def evaluate(folder: Path) -> None:
    """What the public evaluator does with the three files."""
    asked, answered, predicted = (
        json.loads((folder / name).read_text()) for name in (ASKED, ANSWERED, "predictions.json")
    )
    answers = {record["question_id"]: record["answer"] for record in predicted}
    assert answers.keys() == {record["question_id"] for record in asked["questions"]}
    figures = Peer().evaluate(answered["annotations"], answers)
    (folder / "evaluated.json").write_text(json.dumps(figures))


def check_accuracy(folder: Path) -> None:
    """Both must give the same accuracy."""
    scores = json.loads((folder / "scored" / "results.json").read_text())["scores"]
    ours = next(score["value"] for score in scores if not score["part"])
    peer = json.loads((folder / "evaluated.json").read_text())["overall"]
    assert abs(100 * ours - peer) < 0.011, (ours, peer)


def child(*arguments: object) -> None:
    """Run this script with these arguments in a separate process, whose memory is not inherited."""
    subprocess.run([sys.executable, __file__, *map(str, arguments)], check=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder, size]:
            write(Path(folder), int(size))
        case ["read", path]:
            read(path)
        case ["evaluate", folder]:
            evaluate(Path(folder))
        case _:
            main()
