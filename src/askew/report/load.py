"""Read a run's folder: ``results.json`` at once, ``samples.jsonl`` line by line.

The shape of ``results.json`` is data: a file with a field of another type is refused before it is shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from askew.errors import BadRecord, DataError
from askew.files.limits import MAX_RECORD, bounded_lines, bounded_read, load_json
from askew.files.paths import ImageFolders, remembered
from askew.files.records import outcome_from
from askew.types import NAN, MetricFacts, Outcome, Score

FORMAT = 1
"""The format of results.json that this version reads."""

_AGAIN = "Run 'askew run' with this --output again; answers that are stored are not asked twice."
_WITHOUT_VARIANTS = b'"variants":[]}\n'
"""The end of the line of a group without variants. No text in a record ends like this, as its quotes are escaped."""
_ADDED = re.compile(r"; (references|bounds|interval)=.*")
"""The part of a signature after the metric. Older files lack it; their values are comparable anyway."""


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
        found += [] if "groups" in self.results else [Path(name)]  # as earlier versions wrote it
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

    def outcomes(self, with_variants: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
        """The samples, streamed: the offset of the line in the file, and its record.

        ``with_variants``: only those with variants; lines that end without any are counted, not decoded.
        """
        offset = count = 0
        path = self.samples
        with _open(path) as lines:
            for number, line in enumerate(bounded_lines(lines, path), start=1):
                if with_variants and line.endswith(_WITHOUT_VARIANTS):
                    count += 1
                elif not line.isspace():
                    yield offset, _record(line, path, number)
                    count += 1
                offset += len(line)
        expected = [suite.get("groups") for suite in self.results.get("suites", ())]
        if None not in expected and count != sum(expected):
            raise DataError(
                f"{self.samples}: {count:,} groups, but results.json says {sum(expected):,}, so the file is "
                "truncated or belongs to another run. Run 'askew run' with this --output again; it resumes."
            )

    def lines_at(self, offsets: Sequence[int]) -> Iterator[bytes]:
        """The lines at these offsets, as JSON: decoded, many of them would take several times the memory."""
        with _open(self.samples) as lines:
            for offset in offsets:
                lines.seek(offset)
                yield lines.readline(MAX_RECORD)  # checked when its offset was found

    def outcomes_of(self, suite: str) -> Iterator[Outcome]:
        """The samples of one suite as outcomes, streamed."""
        for number, (_, record) in enumerate(self.outcomes(), start=1):
            if record.get("suite") == suite:
                yield read_outcome(record, f"{self.samples}, sample {number}")


def read_outcome(record: Mapping[str, Any], where: str) -> Outcome:
    """The outcome of a line of samples.jsonl; raises BadRecord if a field is missing or has the wrong type."""
    try:
        return outcome_from(record)
    except (AttributeError, KeyError, TypeError, ValueError) as trouble:
        raise BadRecord(f"{where}: cannot be read ({trouble!r}). Run 'askew run' again; it resumes.") from None


def load_run(folder: Path, images: Path | None = None) -> Run:
    """Read a run's folder, or say what is missing and what to do."""
    folder = Path(folder)
    results = _results(folder / "results.json")
    if not (folder / "samples.jsonl").is_file():
        raise DataError(
            f"{folder}: there is no samples.jsonl beside results.json, so there are no pairs to show. {_AGAIN}"
        )
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
        variants = record.get("variants", [])
        members = [record["original"], *variants] if isinstance(variants, list) else [variants]
        if "group" in record and all(isinstance(member["prediction"], dict) for member in members):
            return record  # type: ignore[no-any-return]
    except orjson.JSONDecodeError as error:
        raise BadRecord(
            f"{path}, line {number}: not JSON ({error}). Was the run stopped while writing? Run it again; it resumes."
        ) from None
    except (AttributeError, KeyError, TypeError):
        pass
    raise BadRecord(
        f"{path}, line {number}: not an outcome (it needs 'group', and 'original' and 'variants' with a 'prediction')."
    )


def check_results(path: Path, results: Any) -> None:
    """Refuse a file that is not a results.json, or has fields of the wrong type.

    Null and absent fields are allowed, as older versions wrote fewer, except for the few that every report needs;
    unknown fields are ignored.
    """
    if not isinstance(results, dict) or "format" not in results:
        raise DataError(f"{path}: this is not a results.json of askew (no 'format' in it). {_AGAIN}")
    if results["format"] is True or results["format"] != FORMAT:
        raise DataError(
            f"{path}: format {str(results['format'])[:40]}, but this version of askew reads format {FORMAT}. "
            "Make the report with the version that wrote it, or run 'askew run' again."
        )
    for name in ("model", "suites", "scores"):
        if results.get(name) is None:
            raise DataError(f"{path}: {name!r} is missing. {_AGAIN}")
    if wrong := _misshapen(results, _TOP, ""):
        raise DataError(f"{path}: {wrong}. {_AGAIN}")
    if results["model"].get("name") is None:
        raise DataError(f"{path}: the model has no name. {_AGAIN}")
    for part, name in (("suites", "name"), ("scores", "metric")):
        if any(entry is None or entry.get(name) is None for entry in results[part]):
            raise DataError(f"{path}: {part!r} has an entry without {name!r}. {_AGAIN}")


def _misshapen(value: Any, shape: Shape, where: str) -> str:
    """What is wrong with the first part of a value that does not have its shape; empty if all parts do.

    >>> _misshapen({"n": 3, "parts": [1, "x"]}, {"n": WHOLE, "parts": [WHOLE]}, "")
    "'parts.1' is not a whole number"
    """
    if value is None:
        return ""
    if isinstance(shape, str):
        fits = isinstance(value, _PLAIN[shape]) and isinstance(value, bool) == (shape == FLAG)
        return "" if fits else f"{where!r} is not {shape}"
    inside: list[tuple[Any, Any, Shape]]
    if isinstance(shape, (list, tuple)):
        if not isinstance(value, list) or (isinstance(shape, tuple) and len(value) != len(shape)):
            return f"{where!r} is not a list" + (f" of {len(shape)}" if isinstance(shape, tuple) else "")
        inside = [(n, part, shape[0] if isinstance(shape, list) else shape[n]) for n, part in enumerate(value)]
    elif not isinstance(value, dict):
        return f"{where!r} is not an object"
    elif isinstance(shape, Values):
        inside = [(name, part, shape.shape) for name, part in value.items()]
    else:
        inside = [(name, value.get(name), part) for name, part in shape.items()]
    for name, part, part_shape in inside:
        if wrong := _misshapen(part, part_shape, f"{where}.{name}" if where else str(name)):
            return wrong
    return ""


@dataclass(frozen=True)
class Values:
    """An object whose keys are free and whose values have one shape."""

    shape: Shape


Shape: TypeAlias = str | Mapping[str, "Shape"] | tuple["Shape", ...] | list["Shape"] | Values
"""A name of a plain type, an object, a list of a fixed length, a list of one shape, or :class:`Values`."""

_PLAIN: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "a whole number": (int,),
    "a number": (int, float),
    "true or false": (bool,),
    "an object": (dict,),
    "text or a whole number": (str, int),
}
TEXT, WHOLE, NUMBER, FLAG, OBJECT, ID = _PLAIN
_COUNTS = Values(WHOLE)
_TABLE: Shape = {
    **dict.fromkeys(("id", "title", "rows"), TEXT),
    "columns": [dict.fromkeys(("label", "metric", "part", "show"), TEXT)],
    "published": Values([NUMBER]),
}
_COVERAGE: Shape = {
    "test": TEXT,
    **dict.fromkeys(("matched", "made", "cut"), WHOLE),
    **dict.fromkeys(("made_by", "refused", "answers", "drawn", "balanced"), _COUNTS),
    "examples": Values(ID),
    "doubtful": [WHOLE],
}
_SHARE: Shape = dict.fromkeys(("value", "low", "high"), NUMBER)
_TEXT_SCORE: Shape = {
    **dict.fromkeys(("task", "suite", "test", "answer_type", "rule"), TEXT),
    **dict.fromkeys(("n", "images", "seen"), WHOLE),
    **dict.fromkeys(("accuracy", "rule_accuracy"), _SHARE),
    **dict.fromkeys(("majority", "chance"), NUMBER),
    "revealing": [OBJECT],
    "far_above_chance": FLAG,
}
_SUITE: Shape = {
    **dict.fromkeys(("name", "title", "paper", "spec", "signature", "accuracy"), TEXT),
    **dict.fromkeys(("groups", "variants", "changed", "images"), WHOLE),
    **{key: [TEXT] for key in ("notes", "tests")},
    "headline": {"metric": TEXT, "sentence": TEXT},
    "metrics": Values(
        {
            **dict.fromkeys(("class", "repr", "title", "stands_for", "sentence", "unit"), TEXT),
            **dict.fromkeys(("signed", "conditional", "consistency", "detail", "zero_is_best"), FLAG),
            **{"options": OBJECT, "better": WHOLE, "parts": [TEXT]},
        }
    ),
    "coverage": [_COVERAGE],
    "text_alone": [_TEXT_SCORE],
    "tables": [_TABLE],
}
_SCORE: Shape = {
    **dict.fromkeys(("suite", "metric", "part", "signature"), TEXT),
    **dict.fromkeys(("value", "low", "high", "lowest", "highest"), NUMBER),
    **dict.fromkeys(("n", "failed", "images"), WHOLE),
}
_TOP: Shape = {
    **dict.fromkeys(("askew", "groups", "command"), TEXT),
    "seed": WHOLE,
    "model": {**dict.fromkeys(("name", "spec", "signature", "extract"), TEXT), "blind": FLAG},
    "data": {
        **dict.fromkeys(("name", "spec", "signature", "fingerprint", "counted"), TEXT),
        **dict.fromkeys(("questions", "images"), WHOLE),
        **{key: [TEXT] for key in ("skipped", "remarks")},
        "ready": FLAG,
    },
    "suites": [_SUITE],
    "scores": [_SCORE],
    "answer_forms": {"scored": WHOLE, "counts": _COUNTS, "examples": OBJECT},
    "calibration": Values(OBJECT),
    "failures": {"count": WHOLE, "asked": WHOLE, "limit": NUMBER, "by_error": _COUNTS},
    "usage": {"now": (WHOLE, WHOLE), "store": (WHOLE, WHOLE), "cost": Values(NUMBER)},
    "config": {"metrics": [TEXT], "suite": [TEXT], "model": TEXT, "data": TEXT},
    "versions": Values(TEXT),
    "time": {"started": TEXT, "seconds": NUMBER, "asked": WHOLE, "reused": WHOLE},
}
