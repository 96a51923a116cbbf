"""askew from Python: :func:`evaluate` and :func:`attack_model`."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import fields
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias, overload

from askew.engine.attack_run import AttackRun, AttackSettings
from askew.engine.compare import Comparison, Result
from askew.engine.components import as_attack, as_data, as_model, as_suite
from askew.engine.run import run_models
from askew.engine.settings import settings_from
from askew.errors import UsageError
from askew.models.python_function import ONCE
from askew.report.caveats import WRONG, form_sentences
from askew.suites.attack_suite import AttackSuite
from askew.types import Question
from askew.verbs import Dataset, Model, Streams, Suite

AnyModel: TypeAlias = str | Model | Streams | Callable[..., Any]
"""A spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), or a function
``f(image, question) -> str``."""


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


def attack_model(
    model: AnyModel,
    data: str | Path | Dataset | Iterable[Question],
    attack: Any = "textfooler",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: str | None = None,
    **settings: Any,
) -> Result:
    """Reword questions until a model answers them incorrectly, and score what was found.

    ``attack`` is a spec (``"textfooler"``) or an :class:`askew.attack.recipe.Attack`. ``settings`` are those of
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


def _check_lists(models: Sequence[Any], names: Sequence[str | None], suites: Sequence[Any]) -> None:
    if not models:
        raise UsageError("There is no model in the list: give at least one, e.g. 'constant:yes'.")
    if not suites:
        raise UsageError("There is no suite in the list: give at least one, e.g. suite='rad'.")
    if len(names) > len(models):
        raise UsageError(f"There are more names ({len(names)}) than models ({len(models)}). Give one for each.")
