"""Finished runs for Python users: the scores, samples, pairs and report of one or several runs.

In a notebook they show the first screen of the report; with pandas, scores and samples are DataFrames.
Runs are compared by paired differences on the same groups, in one mode of accuracy, Holm-corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from askew.engine.run_pairs import RunPairs
from askew.errors import BadOption, UsageError, did_you_mean, need
from askew.files.paths import with_images
from askew.files.records import outcome_from
from askew.metrics.accuracy import ACCURACY
from askew.metrics.paired_difference import Difference, compare, corrected, uncompared_metrics
from askew.metrics.run_table import RunTable
from askew.report.html import standalone, write_report
from askew.report.load import Run, labels, load_run, references, widest_suite
from askew.report.markup import el
from askew.report.table_formats import without_published
from askew.report.terminal import terminal_headlines
from askew.types import ImageRef, Outcome, Score

LISTED = 20
"""How many names an error message lists."""
HEIGHT = 640
"""The height of the frame in pixels; longer content scrolls."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_HEAD = f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
_STYLE = f"width:100%;height:{HEIGHT}px;border:1px solid rgba(128,128,128,.4);border-radius:6px"


@dataclass(frozen=True)
class Result:
    """The scores, samples and report of a run. ``print(result)`` shows the table."""

    folder: Path
    files: object = field(default=None, repr=False, compare=False)
    """Keeps a temporary folder alive as long as a result refers to it."""
    images: Path | None = None
    """The folder of the images, if they have been moved since the run."""

    @cached_property
    def run(self) -> Run:
        """The run's files."""
        return load_run(self.folder, self.images)

    @property
    def results(self) -> dict[str, Any]:
        """All of results.json."""
        return dict(self.run.results)

    @cached_property
    def scores(self) -> list[Score]:
        """Every score of the run."""
        return [Score.from_record(record) for record in self.run.results["scores"]]

    def score(self, metric: str, part: str = "", suite: str | None = None) -> Score:
        """One score, e.g. ``score("rad.forward", "test=Y/N←C")``; ``suite`` says whose, where several have it."""
        found = [s for s in self.scores if s.metric == metric and s.part == part and suite in (None, s.suite)]
        if len(found) > 1:
            suites = ", ".join(score.suite for score in found)
            raise UsageError(f"{metric!r} is a score of several suites: {suites}. Say which: suite={found[0].suite!r}.")
        if not found:
            raise UsageError(self._unknown(metric, part, suite))
        return found[0]

    def _unknown(self, metric: str, part: str, suite: str | None) -> str:
        """The error for a score that does not exist, with the names that do."""
        near = [score for score in self.scores if suite in (None, score.suite)]
        if not near:
            return f"There is no suite {suite!r} in this run. Suites: {_listed(score.suite for score in self.scores)}."
        parts = [score.part for score in near if score.metric == metric]
        if not parts:
            return f"There is no score {metric!r}. Metrics: {_listed(score.metric for score in near)}."
        return f"{metric!r} has no part {part!r}. Parts, besides the whole: {_listed(filter(None, parts))}."

    def samples(self) -> Iterator[Outcome]:
        """The outcomes, streamed, with the paths of their images on this machine, where they are known."""
        for _, record in self.run.outcomes():
            outcome = outcome_from(record)
            yield replace(outcome, group=with_images(outcome.group, self._found))

    def _found(self, image: ImageRef) -> ImageRef:
        path = image.path and self.run.image(image.path)
        return replace(image, path=str(path)) if path else image

    def pairs(
        self, outcome: str = "", *, suite: str | None = None, test: str | None = None, limit: int | None = None
    ) -> RunPairs:
        """Questions with one of their variants each, and both answers; in a notebook, the first of them with images.

        ``outcome`` keeps only ``"broke"`` (correct, then wrong), ``"fixed"``, ``"held"`` (both correct), ``"stayed"``
        (both wrong) or ``"failed"`` (an answer is missing).
        """
        return RunPairs(self.run, outcome, suite, test, limit)

    def to_frame(self, what: str = "scores") -> Any:
        """The scores as a pandas DataFrame, one a row; or the ``"samples"``, one row for each original and variant."""
        return frame_of([self.run], what)

    def report(self, path: str | Path, published: bool = True) -> Path:
        """Write the report page and the tables beside it; returns its path. ``published``: with the papers' figures."""
        write_report([self.run if published else without_published(self.run)], Path(path))
        return Path(path)

    def __str__(self) -> str:
        return terminal_headlines([self.run])

    def _repr_html_(self) -> str:
        return notebook_page([self.run])


@dataclass(frozen=True)
class Comparison:
    """The results of several models on the same questions. ``print(comparison)`` shows the joint table."""

    results: tuple[Result, ...]
    """One for each model, in order."""

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str | int) -> Result:
        """The result of a model, by its name in tables or by its index."""
        if isinstance(name, int):
            return self.results[name]
        named = dict(zip(labels([result.run for result in self.results]), self.results, strict=True))
        if name not in named:
            raise UsageError(f"There is no model {name!r}.{did_you_mean(name, named)} Models: {_listed(named)}.")
        return named[name]

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """Every two models compared by every metric: paired differences with intervals and corrected p values."""
        return compare_runs([result.run for result in self.results]) if len(self.results) > 1 else []

    def to_frame(self, what: str = "scores") -> Any:
        """The scores of every model as one pandas DataFrame; or the ``"samples"``, or the ``"differences"``."""
        if what == "differences":
            return as_frame(self.differences)
        return frame_of([result.run for result in self.results], what)

    def report(self, path: str | Path, published: bool = True) -> Path:
        """Write the joint report page (and the tables beside it); returns its path."""
        runs = [result.run if published else without_published(result.run) for result in self.results]
        write_report(runs, Path(path), self.differences)
        return Path(path)

    def __str__(self) -> str:
        return terminal_headlines([result.run for result in self.results], self.differences)

    def _repr_html_(self) -> str:
        return notebook_page([result.run for result in self.results], self.differences)


def _listed(names: Iterable[str]) -> str:
    found = sorted(set(names))
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return (", ".join(found[:LISTED]) or "none") + more


def notebook_page(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = ()) -> str:
    """The first screen in a frame of its own, so that its style and the notebook's do not interfere."""
    page = _HEAD + standalone(runs, differences)
    return str(el("iframe", srcdoc=page, title="The first screen of askew's report", sandbox="", style=_STYLE))


def frame_of(runs: Sequence[Run], what: str = "scores") -> Any:
    """The ``scores`` or the ``samples`` of runs as one DataFrame."""
    if what not in _ROWS:
        raise BadOption(f"There is no frame of {what!r}. Give one of: {', '.join(_ROWS)}.")
    columns, rows = _ROWS[what]
    return as_frame([row for run, label in zip(runs, labels(runs), strict=True) for row in rows(run, label)], columns)


def as_frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """A DataFrame of records; MissingExtra without pandas."""
    return need("pandas", "notebook").DataFrame(list(rows), columns=columns)


def _scores(run: Run, label: str) -> Iterator[dict[str, Any]]:
    for score in run.results["scores"]:
        yield {"model": label, **score}


def _samples(run: Run, label: str) -> Iterator[dict[str, Any]]:
    for _, record in run.outcomes():
        common = {"model": label, "suite": record.get("suite", ""), "group": record["group"]}
        original = record["original"]
        yield {**common, "role": "original", **_sample(original), "image": original.get("image")}
        for variant in record.get("variants") or ():
            image = variant.get("image", original.get("image"))
            yield {**common, "role": "variant", **_sample(variant), "image": image}


def _sample(part: Mapping[str, Any]) -> dict[str, Any]:
    prediction = part.get("prediction") or {}
    return {
        "id": part.get("id"),
        "test": part.get("test", ""),
        "rule": part.get("made_by", ""),
        "expect": part.get("expect", ""),
        "question": part.get("question", ""),
        "answers": part.get("answers") or [],
        "answer": prediction.get("answer"),
        "correct": part.get("right"),
        "accuracy": part.get("accuracy"),
        "score": prediction.get("score"),
        "error": prediction.get("error"),
    }


SAMPLE_COLUMNS = (
    *("model", "suite", "group", "role", "id", "test", "rule", "expect", "image", "question", "answers", "answer"),
    *("correct", "accuracy", "score", "error"),
)
"""The columns of a frame of samples; ``role`` is original or variant."""
SCORE_COLUMNS = (
    *("model", "suite", "metric", "part", "value", "low", "high", "n", "images", "failed", "lowest", "highest"),
    "signature",
)
"""The columns of a frame of scores, as fields of :class:`askew.types.Score` are called."""
_ROWS = {"scores": (SCORE_COLUMNS, _scores), "samples": (SAMPLE_COLUMNS, _samples)}


AGAINST_REFERENCES = "against references"
"""What is added to the families of comparisons with people and with models that see no image."""


def compare_runs(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The records of ``paired_differences``."""
    return [difference.record() for difference in paired_differences(runs)]


def paired_differences(runs: Sequence[Run], estimates: bool = False) -> list[Difference]:
    """Compare every two runs by every metric of the suites they share.

    The suites' headline metrics, and accuracy over all questions, are one family of Holm's correction. Comparisons with
    references are families of their own, so that a reference more changes nothing about the others. Runs that were
    scored in different modes of accuracy are compared in mode ``robust``. ``estimates``: keep the estimates.
    """
    differences: list[Difference] = []
    counted = headlines(runs)
    for name, tables in _shared(runs).items():
        of_suite = {metric for suite, metric in counted if suite == name}
        differences += compare(tables, name, of_suite, _in_several_modes(runs, name), estimates=estimates)
    names = labels(runs)
    aside = {names[number] for number in references(runs)}
    return corrected(
        [
            replace(one, family=f"{one.family} {AGAINST_REFERENCES}") if {one.a, one.b} & aside else one
            for one in differences
        ]
    )


def headlines(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Suite and metric of the headlines of the suites these runs share; accuracy over all questions is one, once."""
    shared, wide = _shared(runs), widest_suite(runs, ACCURACY)
    has_accuracy = wide in shared and all(ACCURACY in table.metrics for table in shared[wide].values())
    found = [(wide, ACCURACY)] if has_accuracy else []
    for suite in shared:
        own = next(one for run in runs for one in run.suites if one["name"] == suite)
        found.append((suite, str((own.get("headline") or {}).get("metric", ""))))
    return list(dict.fromkeys(found))


def not_compared(runs: Sequence[Run]) -> dict[str, str]:
    """The metrics by which some of these runs are not compared, each with the reason and what to do."""
    found: dict[str, str] = {}
    for suite, tables in _shared(runs).items():
        found = uncompared_metrics(tables, _in_several_modes(runs, suite)) | found
    return found


def _shared(runs: Sequence[Run]) -> dict[str, dict[str, RunTable]]:
    """The tables of each suite that several runs have, by the labels of the runs."""
    tables: dict[str, dict[str, RunTable]] = {}
    for label, run in zip(labels(runs), runs, strict=True):
        for suite in run.suites:
            tables.setdefault(suite["name"], {})[label] = run.tables[suite["name"]]
    return {suite: found for suite, found in tables.items() if len(found) > 1}


def _in_several_modes(runs: Sequence[Run], suite: str) -> bool:
    return len({one["accuracy"] for run in runs for one in run.suites if one["name"] == suite}) > 1
