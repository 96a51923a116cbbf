"""Every reader on every hostile file, in a separate process: prints each message, and the memory used so far.

Run as ``python hostile_files.py FOLDER``; the test in test_limits.py reads what it prints.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from askew.cli.options import add_shared, settled
from askew.data.benchmarks.gqa import Gqa
from askew.data.benchmarks.vqa import Vqa
from askew.data.groups import GroupFile
from askew.data.jsonl import Jsonl, Lines
from askew.data.open_path import open_path
from askew.data.read_predictions import read_ids, read_predictions
from askew.data.scene_graphs import SceneFile
from askew.errors import AskewError
from askew.experiments import ExperimentPlan
from askew.models.baselines import scripted
from askew.models.endpoint.request_limits import price_of
from askew.models.huggingface.folder import read_labels
from askew.rank.basic_question_data import read_header
from askew.report.load import Run, load_run

LONG = 200 << 20
"""Bytes of the first long file; the others have a fifth of them."""


def questions(reader: Callable[[str], object]) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        for _ in reader(str(path)).questions():  # type: ignore[attr-defined]
            pass

    return read


def results(path: Path) -> None:
    folder = path.with_suffix(".run")
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / "results.json")
    (folder / "samples.jsonl").touch()
    load_run(folder)


def samples(path: Path) -> None:
    folder = path.with_suffix(".samples")
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / "samples.jsonl")
    for _ in Run(folder, {"suites": []}).outcomes():
        pass


def options(path: Path) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", action="append")
    add_shared(parser, "config")
    settled(parser.parse_args(["--config", str(path)]), {})


def plan(path: Path) -> None:
    folder = path.with_suffix(".plan")
    (folder / "tests").mkdir(parents=True, exist_ok=True)
    shutil.copy(path, folder / "plan.json")
    ExperimentPlan(folder).begin("q3r")


def inspect_log(path: Path) -> None:
    with (
        zipfile.ZipFile(path.with_suffix(".eval"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("samples/1.json", "w") as member,
        gzip_or_not(path) as file,
    ):
        shutil.copyfileobj(file, member)
    for _ in read_predictions(path.with_suffix(".eval")):
        pass


def gzip_or_not(path: Path):  # type: ignore[no-untyped-def]
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")


def predictions(path: Path) -> None:
    for _ in read_predictions(path):
        pass


READERS: dict[str, Callable[[Path], object]] = {
    "open": lambda path: questions(open_path)(path),
    "vqa": questions(Vqa),
    "gqa": questions(Gqa),
    "jsonl": questions(Jsonl),
    "groups": questions(GroupFile),
    "scenes": questions(SceneFile),
    "lines": questions(Lines),
    "predictions": predictions,
    "ids": read_ids,
    "inspect": inspect_log,
    "results": results,
    "samples": samples,
    "options": options,
    "prices": lambda path: price_of("m", str(path)),
    "scripted": lambda path: scripted(str(path)),
    "labels": lambda path: read_labels(str(path)),
    "basic questions": lambda path: read_header(str(path)),
    "plan": plan,
}

ON_LONG = ("vqa", "scenes", "groups", "lines", "predictions", "inspect", "results", "samples", "options", "labels")
"""Those that try long files, which are slow: one for each way of reading."""


def record(**more: object) -> str:
    asked = {"id": 1, "question_id": 1, "image_id": 1, "image": "a", "question": "What?", "answer": "x"}
    return json.dumps({**asked, **more})


def with_raw(field: str, raw: str, **more: object) -> str:
    """A record with a field whose JSON is given as text."""
    return record(**{**more, field: "@"}).replace('"@"', raw)


def small_files() -> Iterator[tuple[str, str]]:
    for name, depth in (("200k", 200_000), ("300", 300)):
        nested = "[" * depth + "]" * depth
        yield f"brackets-{name}.json", "[" * depth
        yield f"nested-{name}.json", nested
        yield f"objects-{name}.json", '{"a":' * depth + "1" + "}" * depth
        for field in ("question", "answers", "note", "scene", "id", "filtered_resps"):
            deep = with_raw(field, nested, doc={"id": 1})
            yield f"{field}-{name}.json", f"[{deep}]"
            yield f"{field}-{name}.jsonl", f"{deep}\n{deep}\n"
        yield f"gqa-{name}.json", f'{{"1": {{"imageId": "1", "question": "Q", "objects": {nested}}}}}'
        yield f"groups-{name}.jsonl", f'{{"group": 1, "original": {record()}, "variants": {nested}}}\n'
        yield f"list-{name}.yaml", "- " * depth + "1"
    for number in ("1" * 5000, "1e400", "0x" + "f" * 5000, '"' + "7" * 5000 + '"'):
        for field in ("id", "question_id", "image_id", "size", "doc_id", "index"):
            line = with_raw(field, number)
            name = f"{field}-{len(number)}{number[0]}".replace('"', "text")
            yield f"number-{name}.json", f"[{line}]"
            yield f"number-{name}.jsonl", f"{line}\n{line}\n"
        yield f"price-{len(number)}{number[0]}.yaml".replace('"', "text"), f"m: {{read: {number}, written: 1}}"
    yield "rows.tsv", "index\tprediction\n" + "1" * 5000 + "\tyes\n"
    laughs = ["a0: &a0 [lol, lol]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    yield "laughs.yaml", "\n".join([*laughs, "m: *a29"])
    yield "merge.yaml", "a: &a {read: 1, written: 2}\nm:\n  <<: *a"
    yield "sixty.yaml", "m: " + ":".join(["1"] * 30_000)
    yield "long.yaml", "suite: " + "a" * 300_000


def long_files() -> Iterator[tuple[str, bytes, bytes, bytes]]:
    """Name, beginning, what is repeated, end."""
    start = record()[:-1].encode()
    yield "text.jsonl.gz", start + b', "note": "', b"a" * 1024, b'"}\n'
    yield "text.json.gz", b"[" + start + b', "note": "', b"a" * 1024, b'"}]'
    yield "escapes.json.gz", b"[" + start + b', "note": "', b"\\\\" * 512, b'"}]'
    yield "list.json.gz", b"[" + start + b', "note": [0', b",0" * 512, b"]}]"
    yield "lists.json.gz", b"[[0", b",0" * 512, b"]]"
    yield "number.json.gz", b"[1", b"1" * 1024, b"]"
    yield "map.json.gz", b'{"1": "', b"a" * 1024, b'"}'
    yield "table.tsv.gz", b"askew_ids\tprediction\n[1]\t", b"a" * 1024, b"\n"
    yield "names.tsv.gz", b"askew_ids\tprediction", b"\ta" * 512, b"\n"
    yield "blank.jsonl.gz", b"", b" " * 1024, b"\n"
    yield "lines.txt.gz", b"", b"a" * 1024, b"\n"


def written(folder: Path) -> Iterator[Path]:
    for name, content in small_files():
        (folder / name).write_text(content)
        yield folder / name
    for number, (name, start, middle, end) in enumerate(long_files()):
        with gzip.open(folder / name, "wb", compresslevel=1) as file:
            file.write(start)
            block = middle * 1024
            for _ in range((LONG // 5 if number else LONG) // len(block)):
                file.write(block)
            file.write(end)
        yield folder / name


def said(read: Callable[[Path], object], path: Path) -> str:
    try:
        read(path)
    except AskewError as error:
        return f"error: {error}"
    except BaseException as error:
        return f"traceback: {type(error).__name__}: {str(error)[:200]}"
    return "read"


def peak() -> int:
    """The most memory this program has used, in kB. Unlike ``ru_maxrss`` it leaves out what the parent used."""
    status = Path("/proc/self/status")
    if not status.is_file():  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))


def main(folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    for path in written(folder):
        for name in ON_LONG if path.name.endswith(".gz") else READERS:
            used = peak()
            print(json.dumps([name, path.name, said(READERS[name], path), used]))
    print(json.dumps(["", "", "read", peak()]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
