"""Read a run's folder: ``results.json`` and ``rows.npz`` at once, ``samples.jsonl`` line by line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from askew.errors import BadRecord, DataError, plural
from askew.files.limits import bounded_lines, bounded_read, load_json
from askew.files.paths import ImageFolders, remembered
from askew.metrics.break_rates import still_correct
from askew.metrics.run_table import RunTable, load_tables
from askew.types import NAN, MetricFacts, Score

FORMAT = 2
"""The format of a run's files."""

_AGAIN = "Run 'askew run' with this --output again; answers that are stored are not asked twice."
_ADDED = re.compile(r"; (references|bounds|interval)=.*")
"""The part of a signature after the metric; runs that differ only in it are comparable."""


NOTHING = Score("", NAN)
"""A score that was not measured."""


@dataclass(frozen=True)
class Run:
    """One model on one data set: the content of ``results.json``, and where the samples are."""

    folder: Path
    results: Mapping[str, Any] = field(repr=False)
    images: Path | None = None
    """The folder of images, if one was given."""

    @property
    def model(self) -> str:
        """The name of the model in tables."""
        return str(self.results["model"]["name"])

    @property
    def is_human(self) -> bool:
        """Whether the answers are people's, given as a model called human: the reference for the models."""
        return self.model.strip().lower() in ("human", "humans", "people")

    @property
    def is_blind(self) -> bool:
        """Whether the model never sees the image: a reference that shows what can be answered from text alone."""
        return self.results["model"].get("blind") is True

    @property
    def data(self) -> str:
        """The name of the data in tables."""
        return str((self.results.get("data") or {}).get("name") or "")

    @property
    def suites(self) -> Sequence[Mapping[str, Any]]:
        """The suites of this run, in its order."""
        suites: Sequence[Mapping[str, Any]] = self.results["suites"]
        return suites

    @property
    def samples(self) -> Path:
        """The file with one line for each group."""
        return self.folder / "samples.jsonl"

    def image(self, name: str) -> Path | None:
        """The file of an image named in the samples: in the given folder, in a remembered folder, or in this one.

        A run of one of several models has its images beside the ``groups.jsonl`` that they share, one folder above.
        """
        known = None if os.path.isabs(name) else self._image_folders.find(name)
        below = [self.images / name, self.images / os.path.basename(name)] if self.images else []
        found = [*below, *([Path(known)] if known else [self.folder / name, self.folder.parent / name])]
        return next((path for path in found if path.is_file()), None)

    @cached_property
    def _image_folders(self) -> ImageFolders:
        return ImageFolders(str(self.folder), None, remembered(str(self.results.get("groups", ""))))

    @cached_property
    def _facts(self) -> dict[tuple[str, str], MetricFacts]:
        return {
            (suite["name"], metric): facts_of(suite, metric)
            for suite in self.suites
            for metric in suite.get("metrics") or ()
        }

    def facts(self, suite: str, metric: str) -> MetricFacts:
        """What a metric of a suite says about itself."""
        return self._facts.get((suite, metric)) or MetricFacts(metric)

    @cached_property
    def _scores(self) -> dict[tuple[str, str, str], Score]:
        scores = (
            Score.from_record(record, self.facts(record.get("suite") or "", record["metric"]))
            for record in self.results["scores"]
        )
        return {(score.suite, score.metric, score.part): score for score in scores}

    def score(self, suite: str, metric: str, part: str = "") -> Score:
        """A score of this run; ``NOTHING`` if it was not measured."""
        return self._scores.get((suite, metric, part), NOTHING)

    def scores(self) -> Iterable[Score]:
        """Every score, in the order of the file."""
        return self._scores.values()

    @cached_property
    def tagged_parts(self) -> Sequence[tuple[str, str, str]]:
        """Suite, metric and part of the scores by round and by domain, which few runs have."""
        return [key for key in self._scores if key[2].startswith(("round=", "domain="))]

    @cached_property
    def tables(self) -> Mapping[str, RunTable]:
        """What was measured, by suite."""
        tables, path = load_tables(self.folder / "rows.npz"), self.folder / "rows.npz"
        groups = {suite["name"]: suite.get("groups") for suite in self.suites}
        if any(len(tables[name].column("key")) != count for name, count in groups.items() if name in tables):
            raise DataError(f"{path}: it belongs to another run than results.json. {_AGAIN}")
        return {name: tables[name] for name in groups if name in tables}

    def still_correct(self, suite: str) -> Score:
        """Of the questions of a suite that were answered correctly, the share still correct after the change."""
        if suite not in self._still_correct:
            self._still_correct[suite] = still_correct(self.tables[suite]) if suite in self.tables else NOTHING
        return self._still_correct[suite]

    @cached_property
    def _still_correct(self) -> dict[str, Score]:
        return {}

    def outcomes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The samples, streamed: the offset of the line in the file, and its record."""
        offset = count = 0
        with _open(self.samples) as lines:
            for count, line in enumerate(bounded_lines(lines, self.samples), start=1):
                yield offset, _record(line, self.samples, count)
                offset += len(line)
        expected = sum(suite["groups"] for suite in self.suites)
        if count != expected:
            raise DataError(
                f"{self.samples}: {plural(count, 'group')}, but results.json says {expected:,}, so the file is "
                "truncated or belongs to another run. Run 'askew run' with this --output again; it resumes."
            )

    def lines_at(self, offsets: Sequence[int]) -> Iterator[bytes]:
        """The lines at these offsets, as JSON: decoded, many of them would take several times the memory."""
        with _open(self.samples) as lines:
            for offset in offsets:
                lines.seek(offset)
                line = lines.readline()
                if not (line.startswith(b'{"group":') and line.endswith(b"}\n")):
                    raise BadRecord(
                        f"{self.samples}: no group begins at byte {offset:,}; the file is damaged. {_AGAIN}"
                    )
                yield line

    def group_at(self, offset: int) -> Any:
        """The id of the group whose line in the samples begins here."""
        (line,) = self.lines_at([offset])
        return _record(line, self.samples, 0)["group"]


def load_run(folder: Path, images: Path | None = None) -> Run:
    """Read a run's folder, or say what is missing and what to do."""
    folder = Path(folder)
    results = _results(folder / "results.json")
    for name in ("samples.jsonl", "rows.npz"):
        if not (folder / name).is_file():
            raise DataError(f"{folder}: there is no {name} beside results.json. {_AGAIN}")
    return Run(folder, results, images)


def labels(runs: Sequence[Run]) -> list[str]:
    """The label of each run: the model, with data, folder or a number added if that is ambiguous.

    Runs of a model on two data sets are distinguished by the data, two runs on the same data by their folders, or
    else by a number.
    """
    names = [run.model for run in runs]
    if len(set(names)) < len(names):
        names = [f"{run.model} on {run.data}" if names.count(run.model) > 1 else run.model for run in runs]
    seen: list[object] = [names[: index + 1].count(name) for index, name in enumerate(names)]
    folders: list[object] = [run.folder.name for run in runs]
    for marks in (folders, seen):
        unique = [
            name if names.count(name) == 1 else f"{name} ({mark})" for name, mark in zip(names, marks, strict=True)
        ]
        if len(set(unique)) == len(unique):
            break
    return unique


def facts_of(suite: Mapping[str, Any], metric: str) -> MetricFacts:
    """What a metric says about itself, as recorded with its suite."""
    return MetricFacts.from_record(metric, (suite.get("metrics") or {}).get(metric) or {})


def suites_of(runs: Sequence[Run]) -> list[Mapping[str, Any]]:
    """The suites of all runs, in the order of the first run, then of the others; each as in the first that has it."""
    found: dict[str, Mapping[str, Any]] = {}
    for suite in (suite for run in runs for suite in run.suites):
        found.setdefault(suite["name"], suite)
    return list(found.values())


def widest_suite(runs: Sequence[Run], metric: str) -> str:
    """The suite that asks most questions, of those for which most runs have this metric; empty if none has it."""
    sizes: dict[str, tuple[int, int]] = {}
    for run in runs:
        for suite in run.suites:
            if run.score(suite["name"], metric).metric:
                having, groups = sizes.get(suite["name"], (0, 0))
                sizes[suite["name"]] = having + 1, max(groups, suite.get("groups") or 0)
    return min(sizes, key=lambda name: (-sizes[name][0], -sizes[name][1], name), default="")


def references(runs: Sequence[Run]) -> list[int]:
    """The runs that others are only compared with: of people, and of models that see no image unless all are such."""
    models = [number for number, run in enumerate(runs) if not run.is_human]
    blind = [number for number in models if runs[number].is_blind]
    return [number for number, run in enumerate(runs) if run.is_human or (run.is_blind and len(blind) < len(models))]


def tag_parts(runs: Sequence[Run], suite: str, metric: str) -> list[str]:
    """The parts by round and by domain for which some run has this metric, e.g. ``round=1``, in order."""
    tags = ("round=", "domain=")
    tagged = {key for run in runs for key in run.tagged_parts if key[:2] == (suite, metric)}
    parts = sorted(part for _, _, part in tagged)
    return [part for tag in tags for part in parts if part.startswith(tag)]


def measured_apart(runs: Sequence[Run]) -> list[str]:
    """The scores that these runs measured in different ways, e.g. with another rule for correct answers."""
    ways: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        for score in run.scores():
            ways.setdefault((score.suite, score.facts.title), set()).add(_ADDED.sub("", score.signature))
    return [f"{title} ({suite})" for (suite, title), signatures in ways.items() if len(signatures) > 1]


def _results(path: Path) -> Mapping[str, Any]:
    try:
        results = load_json(bounded_read(path))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"{path}: no such file. {_instead(path.parent)}") from None
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path}: not JSON ({error}). Was the run stopped while writing? Run it again.") from None
    check_results(path, results)
    return results  # type: ignore[no-any-return]


def _instead(folder: Path) -> str:
    """What to do about a folder without results."""
    if within := sorted(str(found.parent) for found in folder.glob("*/results.json")):
        return f"This folder contains several runs; name them, or one of them: {' '.join(within)}."
    if (folder / "answers.sqlite").is_file():
        return "The run is not finished. Run 'askew run' with this --output again; it resumes."
    return "Give the folder that 'askew run --output' wrote; it has a results.json and a samples.jsonl."


def _open(path: Path) -> Any:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file. Run 'askew run' with this --output again.") from None


def _record(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        record = load_json(line)
    except orjson.JSONDecodeError as error:
        raise BadRecord(
            f"{path}, line {number}: not JSON ({error}). Was the run stopped while writing? Run it again; it resumes."
        ) from None
    if not isinstance(record, dict) or not {"group", "original", "variants"} <= record.keys():
        raise BadRecord(f"{path}, line {number}: not an outcome (it needs 'group', 'original' and 'variants').")
    return record


def check_results(path: Path, results: Any) -> None:
    """Refuse a file that is not a results.json of this format, or lacks what every command reads."""
    if not isinstance(results, dict) or "format" not in results:
        raise DataError(f"{path}: this is not a results.json of askew (no 'format' in it). {_AGAIN}")
    if results["format"] != FORMAT:
        raise DataError(
            f"{path}: format {str(results['format'])[:40]}, but this version of askew reads format {FORMAT}. {_AGAIN}"
        )
    for part, kind in _PARTS.items():
        if not isinstance(results.get(part), kind):
            raise DataError(f"{path}: {part!r} is missing, or not as askew writes it. {_AGAIN}")


_PARTS = {"model": dict, "data": dict, "suites": list, "scores": list, "failures": dict}
"""The parts of results.json that every command reads."""
