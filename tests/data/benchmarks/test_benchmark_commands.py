"""Every row of the table in docs/benchmarks.md, typed as a command on made-up files with images."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from benchmark_samples import SAMPLES
from PIL import Image
from release_samples import RELEASES

from askew.cli import main
from askew.data.benchmarks.amber import Amber
from askew.data.benchmarks.mm_upd import MmUpd
from askew.data.benchmarks.mmstar import MmStar
from askew.data.benchmarks.mmvp import Mmvp
from askew.data.benchmarks.naturalbench import NaturalBench
from askew.data.benchmarks.pope import Pope, PopeV2
from askew.data.benchmarks.sugarcrepe import SugarCrepe
from askew.data.benchmarks.vlmevalkit import VlmEvalKitCircular, VlmEvalKitTable
from askew.data.open_path import open_path
from askew.registry import BUILT_IN
from askew.verbs import HoldsGroups

PAGE = Path(__file__).parents[3] / "docs" / "benchmarks.md"
WRITERS = {**SAMPLES, **RELEASES}
SAME_NAME = {
    "MMBench": VlmEvalKitCircular,
    "other sets": VlmEvalKitTable,
}
"""The readers of rows whose command names a function that chooses between two readers."""


def commands() -> dict[str, str]:
    """What the first and the last column of each row say."""
    rows = [line.strip("|").split(" | ") for line in PAGE.read_text().splitlines() if "| `--data " in line]
    return {cells[0].strip(): re.findall(r"`(--data [^`]+)`", cells[-1])[0] for cells in rows}


def reader_of(row: str, command: str) -> type:
    named = next((reader for words, reader in SAME_NAME.items() if row.startswith(words)), None)
    if named is not None:
        return named
    path = BUILT_IN["reader"][re.findall(r"--data ([\w-]+):", command)[0]]
    (found,) = (reader for reader in WRITERS if f"{reader.__module__}:{reader.__name__}" == path)
    return found


def questions_of(data):
    for group in data.groups() if isinstance(data, HoldsGroups) else ():
        yield from (group.original, *(variant.question for variant in group.variants))
    if not isinstance(data, HoldsGroups):
        yield from data.questions()


def draw_images(path: Path, folder: Path) -> None:
    """An image for every name that the sample's questions have, under each of the names that files have."""
    folder.mkdir()
    images = {image.id for question in questions_of(open_path(path, skip_bad=True)) for image in question.images}
    for key in images:
        name = str(key).rpartition("/")[2]
        number = int(key) if str(key).isdecimal() else None
        long = [f"COCO_val2014_{number:012d}.jpg", f"{number:012d}.jpg"] if number is not None else []
        for file in {name if "." in name else f"{name}.jpg", *long}:
            Image.new("RGB", (4, 4), "red").save(folder / file)


def test_every_row_is_a_command_that_works(tmp_path, capsys):
    rows = commands()
    assert len(rows) >= len(WRITERS)
    for place, (row, command) in enumerate(rows.items()):
        home = tmp_path / str(place)
        (home / "data").mkdir(parents=True)
        path = WRITERS[reader_of(row, command)](home / "data", 24)
        draw_images(path, home / "images")
        asked = ["run", *typed(command, path, home), "--model", "constant:yes", "--skip-bad", "--quiet"]
        assert main([*asked, "--dry-run", "--limit", "2"]) == 0, row
        planned = capsys.readouterr().out
        assert re.search(r"\d+ calls? for 2 groups", planned), (row, planned)
        assert "reading stopped after" in planned, (row, planned)
        assert main(asked) == 0, (row, capsys.readouterr())
        printed = capsys.readouterr()
        results = json.loads((home / "run" / "results.json").read_text())
        assert results["data"]["remarks"], row
        for sentence in results["data"]["remarks"]:
            assert sentence.split(": ")[-1] in printed.err + printed.out, (row, sentence)
        assert not results["data"]["skipped"], row
        assert [one["value"] for one in results["scores"] if one["value"] is not None], row
        if "--images" in command:
            check_images(home, row)


def typed(command: str, path: Path, home: Path) -> list[str]:
    """The arguments of a row, its capitals replaced by paths."""
    data = path if re.search(r":FILE", command) else path if path.is_dir() else path.parent
    command = re.sub(r"(?<=:)(?:FOLDER|FILE(?:\.\w+)?|VQA)(?=,|\b)", str(data), command)
    command = re.sub(r"(?<=vqa=)VQA", str(data), command)
    command = re.sub(r"(?<=--images )[A-Z]+", str(home / "images"), command)
    return [*command.split(), "--output", str(home / "run")]


def check_images(home: Path, row: str) -> None:
    """Every question of the run has an image file."""
    for line in (home / "run" / "groups.jsonl").read_text().splitlines():
        group = json.loads(line)
        for one in (group["original"], *group["variants"]):
            if not one.get("same_image"):
                assert one.get("path") or one.get("image") is None, (row, one)


@pytest.mark.parametrize("reader", [*SAMPLES, *RELEASES], ids=lambda reader: reader.__name__)
def test_a_reading_that_stops_says_how_far_it_came(reader, tmp_path):
    data = open_path(WRITERS[reader](tmp_path, 24), skip_bad=True)
    stream = data.groups() if isinstance(data, HoldsGroups) else data.questions()
    next(stream)
    stream.close()
    assert any("reading stopped after" in sentence for sentence in data.remarks), data.remarks


REPLIES = (
    *("Yes, it is.", "No, there is not.", "yes", "A.", "(B)", "B. x", "The answer is A", "C", "a cat"),
    *("None of the above", "I cannot answer", "The image does not show that."),
)
CLOSED = (Amber, MmStar, MmUpd, Mmvp, NaturalBench, Pope, PopeV2, SugarCrepe, VlmEvalKitCircular)
"""Benchmarks whose replies are options, or yes and no."""


def numbers(folder: Path) -> list[tuple[object, ...]]:
    scores = json.loads((folder / "results.json").read_bytes())["scores"]
    return [tuple(one[name] for name in ("suite", "metric", "part", "value", "low", "high", "n")) for one in scores]


def test_the_same_replies_have_the_same_scores_in_run_and_score(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("talker.py").write_text(
        f"import hashlib\nREPLIES = {REPLIES}\n"
        "def reply(image, question):\n    return REPLIES[hashlib.md5(question.encode()).digest()[0] % len(REPLIES)]\n"
    )
    quiet = ("--quiet", "--no-audit")
    for reader in CLOSED:
        home = tmp_path / reader.__name__
        (home / "data").mkdir(parents=True)
        data = ("--data", f"{WRITERS[reader](home / 'data', 24)}", "--skip-bad")
        main(["run", *data, "--model", "python:talker:reply,blind=true", "--output", str(home / "run"), *quiet])
        run = json.loads((home / "run" / "results.json").read_bytes())
        parts = (
            part
            for line in (home / "run" / "samples.jsonl").read_text().splitlines()
            for group in [json.loads(line)]
            for part in (group["original"], *group["variants"])
        )
        said = {part["id"]: part["prediction"].get("raw") or part["prediction"]["answer"] for part in parts}
        answers = home / "answers.jsonl"
        answers.write_text("\n".join(json.dumps({"id": key, "answer": reply}) for key, reply in said.items()))
        (suite,) = (one["name"] for one in run["suites"])
        assert main(["build", suite, *data, "--output", str(home / "built"), *quiet]) == 0
        for asked in ([data[1], data[2]], [str(home / "built" / "groups.jsonl")]):
            words = ["score", asked[0], str(answers), *asked[1:], "--output", str(home / "scored"), "--overwrite"]
            assert main([*words, *quiet]) == 0
            assert numbers(home / "scored") == numbers(home / "run"), reader
