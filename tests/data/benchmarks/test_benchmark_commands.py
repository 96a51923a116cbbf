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
