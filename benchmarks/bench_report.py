"""Seconds and peak memory of writing a report, against the peer that only reads the same files with stdlib json.

    python benchmarks/bench_report.py [--models 5] [--groups 20000,200000]

Each measurement runs in a separate process; the runs are generated from a seed in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import orjson

from askew.files.records import outcome_from
from askew.metrics.pairs import Judgement
from askew.metrics.run_table import RunTable, save_tables

NOUNS = [f"{a}{b}" for a in ("ball", "cup", "cat", "tree", "man", "sign", "bus") for b in ("", "s", "man", "let", "y")]
ANSWERS = ["red", "blue", "white", "black", "green", "1", "2", "3", "4", "dog", "wood", "pizza"]
KINDS = [
    (
        "What color is the {0} near the {1}?",
        "Is the color of the {0} near the {1} {2}?",
        "what color is the",
        "Y/N←C",
        "rad/color",
    ),
    ("How many {0} are on the {1}?", "Are there {2} {0} on the {1}?", "how many", "Y/N←HM", "rad/how-many"),
    ("What kind of {0} is by the {1}?", "Is this {0} by the {1} a {2}?", "what kind of", "Y/N←WK", "rad/what-kind"),
]
SUITE = {
    "name": "rad",
    "title": "Counterfactual yes/no questions",
    "paper": "Rosenberg et al. 2021",
    "signature": "Rad()",
    "tests": ["Y/N←C", "Y/N←HM", "Y/N←WK"],
    "headline": {"metric": "rad.forward", "sentence": "of those it gets only {value} right when asked as yes/no"},
    "tables": [],
}


def make(folder: Path, model: int, groups: int) -> None:
    folder.mkdir(parents=True)
    rng, table, offset = Random(f"bench:{model}"), RunTable({}), 0
    with (folder / "samples.jsonl").open("wb") as file:
        for number in range(groups):
            made = record(number, rng)
            judged = [Judgement(part["accuracy"], part["right"]) for part in (made["original"], *made["variants"])]
            table.add(outcome_from(made), judged, offset)
            offset += file.write(orjson.dumps(made) + b"\n")
    save_tables(folder / "rows.npz", {"rad": table})
    score = {"suite": "rad", "part": "", "metric": "rad.forward", "value": 0.6, "low": 0.59, "high": 0.61, "n": groups}
    results = {"format": 2, "model": {"name": f"model-{model}"}, "data": {"name": "made-up", "questions": groups}}
    results |= {"suites": [SUITE | {"groups": groups, "accuracy": "official"}], "scores": [score], "failures": {}}
    (folder / "results.json").write_bytes(orjson.dumps(results))


def record(number: int, rng: Random) -> dict:
    chance = Random(number)
    old, new, question_type, test, rule = KINDS[number % 3]
    words = [chance.choice(NOUNS), chance.choice(NOUNS), chance.choice(ANSWERS)]
    question = {"question": old.format(*words), "answers": [words[2]] * 8 + ["x", "y"], "question_type": question_type}
    right, then = rng.random() < 0.7, rng.random() < 0.6
    return {
        "group": number,
        "suite": "rad",
        "original": {
            "id": number,
            "image": number // 3,
            "sha256": "0" * 64,
            "size": [640, 480],
            "answer_type": "other",
            **question,
        }
        | {
            "prediction": {"answer": words[2] if right else "x", "seconds": 0.01},
            "accuracy": float(right),
            "right": right,
        },
        "variants": [
            {"id": f"{number}/rad", "same_image": True, "question": new.format(*words), "answers": ["yes"] * 10}
            | {"expect": "given", "test": test, "made_by": rule, "note": {"drawn": words[2]}}
            | {"prediction": {"answer": "yes" if then else "no"}, "accuracy": float(then), "right": then}
        ],
    }


def ours(folders: list[Path]) -> float:
    from askew.report.html import write_report
    from askew.report.load import load_run

    write_report([load_run(folder) for folder in folders], folders[0].parent / "report.html")
    return (folders[0].parent / "report.html").stat().st_size / 1e6


def peer(folders: list[Path]) -> float:
    size = 0
    for folder in folders:
        with (folder / "samples.jsonl").open() as lines:
            for line in lines:
                size += len(json.loads(line))
    return size / 1e6


def child(which: str, folders: list[Path]) -> None:
    started = time.perf_counter()
    size = {"ours": ours, "peer": peer}[which](folders)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([time.perf_counter() - started, peak, size]))


def measure(which: str, folders: list[Path]) -> list[float]:
    command = [sys.executable, __file__, "--child", which, *map(str, folders)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--groups", default="20000,200000")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], [Path(folder) for folder in options.child[1:]])
        return
    print(f"{'groups':>8}  {'models':>6}  {'report':>8}  {'peak':>8}  {'page':>8}  {'json.loads':>10}  {'ratio':>6}")
    for groups in map(int, options.groups.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            folders = [Path(temporary) / f"run{model}" for model in range(options.models)]
            for model, folder in enumerate(folders):
                make(folder, model, groups)
            seconds, peak, size = measure("ours", folders)
            reading, _, _ = measure("peer", folders)
            print(
                f"{groups:>8,}  {options.models:>6}  {seconds:>6.1f} s  {peak:>5.0f} MB  {size:>5.2f} MB"
                f"  {reading:>8.1f} s  {seconds / reading:>6.2f}"
            )


if __name__ == "__main__":
    main()
