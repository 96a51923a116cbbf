"""askew from Python: :func:`evaluate` and what it gives."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from askew.build import prepare
from askew.errors import UsageError
from askew.models.callable import CallableModel
from askew.records import outcome_from
from askew.registry import make, open_data
from askew.report.html import write_report
from askew.report.load import Run, load_run
from askew.report.terminal import terminal_summary
from askew.run import check_failures, run, score_from
from askew.settings import Named, Settings
from askew.types import Outcome, Question, Score
from askew.verbs import Dataset, Model, Suite


@dataclass(frozen=True)
class Result:
    """What a run found: its scores, its samples, its report. ``print(result)`` shows the table."""

    folder: Path

    @cached_property
    def run(self) -> Run:
        """The run's files."""
        return load_run(self.folder)

    @property
    def results(self) -> dict[str, Any]:
        """All of results.json."""
        return dict(self.run.results)

    @cached_property
    def scores(self) -> list[Score]:
        """Every score of the run."""
        return [score_from(record) for record in self.run.results["scores"]]

    def score(self, metric: str, part: str = "", suite: str | None = None) -> Score:
        """One score, e.g. ``score("rad.forward", "test=Y/N←C")``."""
        for score in self.scores:
            if score.metric == metric and score.part == part and suite in (None, score.suite):
                return score
        known = sorted({score.metric for score in self.scores if score.part == part})
        raise UsageError(
            f"There is no score {metric!r} for part {part!r}. Metrics there: {', '.join(known) or 'none'}."
        )

    def samples(self) -> Iterator[Outcome]:
        """The outcomes, streamed."""
        with (self.folder / "samples.jsonl").open("rb") as lines:
            for line in lines:
                yield outcome_from(orjson.loads(line))

    def report(self, path: str | Path) -> Path:
        """Write the report page (and the tables beside it); gives its path."""
        write_report([self.run], Path(path))
        return Path(path)

    def __str__(self) -> str:
        return terminal_summary([self.run])


def evaluate(
    model: str | Model | Callable[..., Any],
    data: str | Path | Dataset | Iterable[Question],
    suite: str | Suite | Sequence[str | Suite] = "rad",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: str | None = None,
    **settings: Any,
) -> Result:
    """Ask a model a suite's questions about data, and score the answers.

    ``model`` is a spec (``"constant:yes"``), a model, or a function ``f(image, question) -> str``; ``data`` a path, a
    spec (``"world:split=val"``), a data set, or questions; ``suite`` a spec, a suite, or several. ``settings`` are
    those of :class:`askew.settings.Settings` (``limit``, ``seed``, ...). Without ``output`` the files lie in a
    temporary folder as long as the result lives; with it, the same call after an interruption goes on.
    """
    parts = [suite] if isinstance(suite, str) or not isinstance(suite, Sequence) else suite
    how = Settings(**settings)
    folder = Path(output or tempfile.mkdtemp(prefix="askew-"))
    with ExitStack() as failed:
        if output is None:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
        prepared = prepare(as_data(data, images), [as_suite(part) for part in parts], folder, how)
        check_failures(run(as_model(model, name), prepared, folder, how, "askew.evaluate(...)"))
        result = Result(folder)
        weakref.finalize(result, failed.pop_all().close)
    return result


def as_model(model: str | Model | Callable[..., Any] | None, name: str | None = None, **given: Any) -> Named:
    """A model from what a person gives; ``given`` are options for models that take them, where the spec is silent."""
    if isinstance(model, str):
        return Named(make("model", model, **given), model, name or short_name(model))
    if isinstance(model, Model):
        return Named(model, repr(model), name or type(model).__name__.lower())
    if callable(model):
        made = CallableModel.of(model)
        return Named(made, repr(made), name or made.name)
    raise UsageError(f"{model!r} is no model: give a spec, an object with .answer(questions), or a function.")


def short_name(spec: str) -> str:
    """What tables call a model: its spec without folders.

    >>> short_name("predictions:runs/answers.json")
    'predictions:answers.json'
    """
    return re.sub(r"[^:=,]*/", "", spec)


def as_data(
    data: str | Path | Dataset | Iterable[Question], images: str | None = None, skip_bad: bool = False
) -> Named:
    """A data set from what a person gives."""
    if isinstance(data, (str, Path)):
        return Named(open_data(str(data), images=images, skip_bad=skip_bad), str(data))
    if hasattr(data, "questions"):
        return Named(data, repr(data))
    questions = Questions(tuple(data))
    return Named(questions, repr(questions))


def as_suite(suite: str | Suite, **given: Any) -> Named:
    """A suite from what a person gives; ``given`` are options where the spec is silent."""
    return Named(make("suite", suite, **given), suite) if isinstance(suite, str) else Named(suite, repr(suite))


@dataclass(frozen=True)
class Questions:
    """Questions that are in memory, as a data set."""

    items: tuple[Question, ...] = field(repr=False)
    name: str = "questions"
    skipped: tuple[str, ...] = ()

    def questions(self) -> Iterator[Question]:
        """The questions."""
        return iter(self.items)
