"""askew from Python: :func:`evaluate`, :func:`attack_model`, :func:`load` and :func:`compare`."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias, overload

from askew.engine.ask import described
from askew.engine.attack_run import AttackRun, AttackSettings
from askew.engine.compare import Comparison, Result
from askew.engine.components import as_attack, as_data, as_model, as_suite, suites_in
from askew.engine.run import run_models
from askew.engine.settings import Named, Settings, setting_names, settings_from
from askew.errors import UsageError
from askew.models.python_function import ONCE
from askew.registry import accepted
from askew.report.caveats import WRONG, form_sentences
from askew.report.load import load_run
from askew.suites.attack_suite import AttackSuite
from askew.types import Question
from askew.verbs import Dataset, Model, Streams, Suite

AnyModel: TypeAlias = str | Model | Streams | Callable[..., Any]
"""A spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), or a function
``f(image, question) -> str``."""
AnyData: TypeAlias = str | Path | Dataset | Iterable[Question]
"""A path, a spec (``"world:val"``), a data set (an object with ``questions``), or questions."""
AnySuites: TypeAlias = str | Suite | Sequence[str | Suite] | None
"""A spec, a suite, or several."""


@overload
def evaluate(
    model: AnyModel,
    data: AnyData | None = None,
    suite: AnySuites = None,
    *,
    models: None = None,
    output: str | Path | None = None,
    images: str | None = None,
    skip_bad: bool = False,
    name: str | None = None,
    **settings: Any,
) -> Result: ...


@overload
def evaluate(
    model: list[Any] | tuple[Any, ...],
    data: AnyData | None = None,
    suite: AnySuites = None,
    *,
    models: None = None,
    output: str | Path | None = None,
    images: str | None = None,
    skip_bad: bool = False,
    name: Sequence[str] | None = None,
    **settings: Any,
) -> Comparison: ...


@overload
def evaluate(
    model: None = None,
    data: AnyData | None = None,
    suite: AnySuites = None,
    *,
    models: Sequence[Any],
    output: str | Path | None = None,
    images: str | None = None,
    skip_bad: bool = False,
    name: Sequence[str] | None = None,
    **settings: Any,
) -> Comparison: ...


def evaluate(
    model: AnyModel | list[Any] | tuple[Any, ...] | None = None,
    data: AnyData | None = None,
    suite: AnySuites = None,
    *,
    models: Sequence[Any] | None = None,
    output: str | Path | None = None,
    images: str | None = None,
    skip_bad: bool = False,
    name: str | Sequence[str] | None = None,
    **settings: Any,
) -> Result | Comparison:
    """Ask a model a suite's questions about data, and score the answers; of several models, ask and compare each.

    ``model`` is a spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), or a function
    ``f(image, question) -> str``; ``models`` is a list of these. ``data`` is a path, a spec (``"world:split=val"``), a
    data set, or questions; ``suite`` a spec, a suite, or several (default: the suites of prebuilt groups, otherwise
    ``"rad"``); ``name`` what tables call the model, or a list of names. ``settings`` are called as the options of
    ``askew run``: ``limit``, ``seed``, ``metric``, ``quiet=False`` for progress bars, ... (see
    :class:`askew.engine.settings.Settings`), and options of the models such as ``base_url``. Without ``output`` the
    files lie in a temporary folder as long as the result lives; with it, the same call after an interruption resumes.
    """
    several = models is not None or isinstance(model, (list, tuple))
    given = _one_list(model, models)
    names = [name] if isinstance(name, str) or name is None else list(name)
    how, beside = _settings(settings, [one for one in given if isinstance(one, str)])
    _check_names(given, names)
    asked = [
        as_model(one, called, **(beside if isinstance(one, str) else {})) for one, called in zip_longest(given, names)
    ]
    for one in asked:
        if output is not None and ONCE in one.spec:
            warnings.warn(
                f"{one.name} holds state that cannot be compared, so no answers of an earlier call are reused. "
                "Give it an attribute 'version' that says when it changes.",
                stacklevel=2,
            )
    source = as_data(data, images, skip_bad)  # type: ignore[arg-type]  # None is refused there
    parts = [as_suite(part) for part in _suites(suite, source)]
    folder = Path(output or tempfile.mkdtemp(prefix="askew-"))
    with ExitStack() as failed:
        if output is None:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
        runs = run_models(asked, source, parts, folder, how, "askew.evaluate(...)", tell=_warn)
        for results in runs.results:
            for sentence in form_sentences(results, WRONG):
                warnings.warn(sentence, stacklevel=2)
        if runs.failures:
            raise runs.failures[0]
        files = _Files()
        weakref.finalize(files, failed.pop_all().close)
    found = tuple(Result(one, files) for one in runs.folders)
    return Comparison(found) if several else found[0]


def load(path: str | Path, images: str | Path | None = None) -> Result | Comparison:
    """A finished run from its folder; of a folder of several runs, their comparison.

    ``images`` is the folder of the images, where that is not where the run found them.
    """
    folder, within = Path(path), sorted(found.parent for found in Path(path).glob("*/results.json"))
    images = Path(images) if images else None
    if (folder / "results.json").is_file() or not within:
        load_run(folder, images)  # says what is missing
        return Result(folder, images=images)
    return Comparison(tuple(Result(one, images=images) for one in within))


def compare(*runs: str | Path | Result | Comparison) -> Comparison:
    """Runs side by side, with paired differences on the groups they share: results, comparisons or their folders."""
    found: list[Result] = []
    for run in runs:
        opened = load(run) if isinstance(run, (str, Path)) else run
        if not isinstance(opened, (Result, Comparison)):
            raise UsageError(f"{described(run)} is not a run: give a result of askew.evaluate, or a run's folder.")
        found.extend([opened] if isinstance(opened, Result) else opened)
    if len(found) < 2:
        raise UsageError(f"Two runs or more are needed, and {len(found)} {'was' if found else 'were'} given.")
    for one in found:
        load_run(one.folder)  # before anything is computed
    return Comparison(tuple(found))


def attack_model(
    model: AnyModel,
    data: AnyData,
    attack: Any = "textfooler",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: str | None = None,
    **settings: Any,
) -> Result:
    """Reword questions until a model answers them incorrectly, and score what was found.

    ``attack`` is a spec (``"textfooler"``) or an :class:`askew.attack.attack_parts.Attack`. ``settings`` are those of
    :class:`askew.engine.attack_run.AttackSettings` (``budget``, ``max_calls``, ``scores``, ``confirm``) and of
    :class:`askew.engine.settings.Settings`. The result is that of a run; its folder can be given to :func:`evaluate` as
    data, to ask other models the same rewordings.
    """
    own = {one.name for one in fields(AttackSettings)}
    how = AttackSettings(**{key: value for key, value in settings.items() if key in own})
    rest = settings_from({key: value for key, value in settings.items() if key not in own})
    asked, source = as_model(model, name), as_data(data, images)
    folder = Path(output or tempfile.mkdtemp(prefix="askew-"))
    with ExitStack() as failed:
        if output is None:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
        run = AttackRun(asked, source, as_attack(attack), AttackSuite(), folder, how, rest)
        runs = run.run("askew.attack_model(...)", tell=_warn)
        if runs.failures:
            raise runs.failures[0]
        files = _Files()
        weakref.finalize(files, failed.pop_all().close)
    return Result(folder, files)


class _Files:
    """The files of a run: a temporary folder is deleted when no result refers to this any more."""


def _warn(kind: str, sentence: str) -> None:
    """Warn the caller of :func:`evaluate`, which called ``run_models``, which called this."""
    if kind == "warning":
        warnings.warn(sentence, stacklevel=4)


NOT_IN_PYTHON = {
    "config": "Give its settings by name.",
    "dry_run": "Use askew run --dry-run.",
    "no_published": "Write the report with result.report(path, published=False).",
    "try": "Use askew run --try N.",
}
"""Options of ``askew run`` that are not settings of ``evaluate``, and what to do instead."""


def _settings(given: Mapping[str, Any], specs: Sequence[str]) -> tuple[Settings, dict[str, Any]]:
    """The settings of a run, and options for the models of these specs."""
    for name, instead in NOT_IN_PYTHON.items():
        if name in given:
            raise UsageError(f"{name!r} is an option of the command line. {instead}")
    known = {*setting_names(), *(one.name for one in fields(Settings))}
    options = {name for spec in specs for name in accepted("model", spec)}
    beside = {name: value for name, value in given.items() if name in options - known}
    return settings_from({name: value for name, value in given.items() if name not in beside}), beside


def _one_list(model: Any, models: Sequence[Any] | None) -> list[Any]:
    """The models of a call, which names either one or several."""
    if models is not None and model is not None:
        raise UsageError("Both model and models are given: put all of them in models=[...].")
    found = model if models is None else models
    given = list(found) if isinstance(found, (list, tuple)) else [found]
    if found is None or not given:
        where = "" if found is None else " in the list"
        raise UsageError(f"There is no model{where}: give one, e.g. model='constant:yes', or several, models=[...].")
    return given


def _suites(suite: AnySuites, data: Named) -> Sequence[str | Suite]:
    """The suites of a call; where it names none, those of prebuilt groups, or RAD."""
    if suite is None:
        return suites_in(data, "rad")
    suites = [suite] if isinstance(suite, str) or not isinstance(suite, Sequence) else suite
    if not suites:
        raise UsageError("There is no suite in the list: give at least one, e.g. suite='rad'.")
    return suites


def _check_names(models: Sequence[Any], names: Sequence[str | None]) -> None:
    if len(names) > len(models):
        raise UsageError(f"There are more names ({len(names)}) than models ({len(models)}). Give one for each.")
