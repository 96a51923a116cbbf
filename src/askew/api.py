"""askew from Python: :func:`evaluate` and what it gives."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias, overload

from askew.engine.compare import compare_runs
from askew.engine.components import as_data, as_model, as_suite
from askew.engine.results import score_from
from askew.engine.run import run_models
from askew.engine.settings import settings_from
from askew.errors import UsageError
from askew.models.python_function import ONCE
from askew.report.caveats import WRONG, form_sentences
from askew.report.html import write_report
from askew.report.load import Run, labels, load_run, read_outcome
from askew.report.paper_tables import without_published
from askew.report.terminal import terminal_summary
from askew.types import Outcome, Question, Score
from askew.verbs import Dataset, Model, Streams, Suite

LISTED = 20
"""How many names an error message lists."""

AnyModel: TypeAlias = str | Model | Streams | Callable[..., Any]
"""A spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), or a function
``f(image, question) -> str``."""


@dataclass(frozen=True)
class Result:
    """What a run found: its scores, its samples, its report. ``print(result)`` shows the table."""

    folder: Path
    files: object = field(default=None, repr=False, compare=False)
    """Keeps a temporary folder alive as long as a result refers to it."""

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
        """One score, e.g. ``score("rad.forward", "test=Y/N←C")``; ``suite`` says whose, where several have it."""
        found = [s for s in self.scores if s.metric == metric and s.part == part and suite in (None, s.suite)]
        if len(found) > 1:
            suites = ", ".join(score.suite for score in found)
            raise UsageError(f"{metric!r} is a score of several suites: {suites}. Say which: suite={found[0].suite!r}.")
        if not found:
            raise UsageError(self._unknown(metric, part, suite))
        return found[0]

    def _unknown(self, metric: str, part: str, suite: str | None) -> str:
        """What there is in the place of a score that is not there."""
        near = [score for score in self.scores if suite in (None, score.suite)]
        if not near:
            return f"There is no suite {suite!r} in this run. Suites: {_listed(score.suite for score in self.scores)}."
        parts = [score.part for score in near if score.metric == metric]
        if not parts:
            return f"There is no score {metric!r}. Metrics: {_listed(score.metric for score in near)}."
        return f"{metric!r} has no part {part!r}. Parts, besides the whole: {_listed(filter(None, parts))}."

    def samples(self) -> Iterator[Outcome]:
        """The outcomes, streamed."""
        for number, (_, record) in enumerate(self.run.outcomes(), start=1):
            yield self._with_images(read_outcome(record, f"{self.run.samples}, sample {number}"))

    def _with_images(self, outcome: Outcome) -> Outcome:
        """The outcome with the paths of its images on this machine, where they are known."""
        group = outcome.group
        variants = tuple(replace(v, question=self._with_image(v.question)) for v in group.variants)
        return replace(outcome, group=replace(group, original=self._with_image(group.original), variants=variants))

    def _with_image(self, question: Question) -> Question:
        found = question.image and question.image.path and self.run.image(question.image.path)
        return (
            replace(question, image=replace(question.image, path=str(found))) if question.image and found else question
        )

    def report(self, path: str | Path, published: bool = True) -> Path:
        """Write the report page (and the tables beside it), without the papers' figures if so asked; gives its path."""
        write_report([self.run if published else without_published(self.run)], Path(path))
        return Path(path)

    def __str__(self) -> str:
        return terminal_summary([self.run])


@dataclass(frozen=True)
class Comparison:
    """What runs of several models on the same questions found. ``print(comparison)`` shows the joint table."""

    results: tuple[Result, ...]
    """One for each model, in order."""

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str | int) -> Result:
        """The result of a model, by the name that tables call it or by its place."""
        if isinstance(name, int):
            return self.results[name]
        named = dict(zip(labels([result.run for result in self.results]), self.results, strict=True))
        if name not in named:
            raise UsageError(f"There is no model {name!r}. Models: {_listed(named)}.")
        return named[name]

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """Every two models compared by every metric: paired differences with intervals and corrected p values."""
        return compare_runs([result.run for result in self.results]) if len(self.results) > 1 else []

    def report(self, path: str | Path, published: bool = True) -> Path:
        """Write the joint report page (and the tables beside it); gives its path."""
        runs = [result.run if published else without_published(result.run) for result in self.results]
        write_report(runs, Path(path), self.differences)
        return Path(path)

    def __str__(self) -> str:
        return terminal_summary([result.run for result in self.results], self.differences)


@overload
def evaluate(
    model: AnyModel,
    data: str | Path | Dataset | Iterable[Question],
    suite: str | Suite | Sequence[str | Suite] = "rad",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: str | None = None,
    **settings: Any,
) -> Result: ...


@overload
def evaluate(
    model: list[Any] | tuple[Any, ...],
    data: str | Path | Dataset | Iterable[Question],
    suite: str | Suite | Sequence[str | Suite] = "rad",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: Sequence[str] | None = None,
    **settings: Any,
) -> Comparison: ...


def evaluate(
    model: AnyModel | list[Any] | tuple[Any, ...],
    data: str | Path | Dataset | Iterable[Question],
    suite: str | Suite | Sequence[str | Suite] = "rad",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: str | Sequence[str] | None = None,
    **settings: Any,
) -> Result | Comparison:
    """Ask a model a suite's questions about data, and score the answers; of a list of models, ask and compare each.

    ``model`` is a spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), a function
    ``f(image, question) -> str``, or a list of these; ``data`` a path, a spec (``"world:split=val"``), a data set, or
    questions; ``suite`` a spec, a suite, or several; ``name`` what tables call the model, or a list of names.
    ``settings`` are those of :class:`askew.engine.settings.Settings` (``limit``, ...). Without ``output`` the files lie
    in a temporary folder as long as the result lives; with it, the same call after an interruption resumes.
    """
    several = isinstance(model, (list, tuple))
    given = list(model) if isinstance(model, (list, tuple)) else [model]
    names = [name] if isinstance(name, str) or name is None else list(name)
    suites = [suite] if isinstance(suite, str) or not isinstance(suite, Sequence) else suite
    _check_lists(given, names, suites)
    how = settings_from(settings)
    models = [as_model(one, called) for one, called in zip_longest(given, names)]
    for asked in models:
        if output is not None and ONCE in asked.spec:
            warnings.warn(
                f"{asked.name} holds state that cannot be compared, so no answers of an earlier call are reused. "
                "Give it an attribute 'version' that says when it changes.",
                stacklevel=2,
            )
    source, parts = as_data(data, images), [as_suite(part) for part in suites]
    folder = Path(output or tempfile.mkdtemp(prefix="askew-"))
    with ExitStack() as failed:
        if output is None:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
        runs = run_models(models, source, parts, folder, how, "askew.evaluate(...)", tell=_warn)
        for results in runs.results:
            for sentence in form_sentences(results, WRONG):
                warnings.warn(sentence, stacklevel=2)
        if runs.failures:
            raise runs.failures[0]
        files = _Files()
        weakref.finalize(files, failed.pop_all().close)
    found = tuple(Result(one, files) for one in runs.folders)
    return Comparison(found) if several else found[0]


class _Files:
    """The files of a run: a temporary folder is deleted when no result refers to this any more."""


def _warn(kind: str, sentence: str) -> None:
    """Warn the caller of :func:`evaluate`, which called ``run_models``, which called this."""
    if kind == "warning":
        warnings.warn(sentence, stacklevel=4)


def _check_lists(models: Sequence[Any], names: Sequence[str | None], suites: Sequence[Any]) -> None:
    if not models:
        raise UsageError("There is no model in the list: give at least one, e.g. 'constant:yes'.")
    if not suites:
        raise UsageError("There is no suite in the list: give at least one, e.g. suite='rad'.")
    if len(names) > len(models):
        raise UsageError(f"There are more names ({len(names)}) than models ({len(models)}). Give one for each.")


def _listed(names: Iterable[str]) -> str:
    found = sorted(set(names))
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return (", ".join(found[:LISTED]) or "none") + more
