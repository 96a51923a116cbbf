"""askew from Python: :func:`evaluate`, :func:`attack_model`, :func:`load` and :func:`compare`."""

from __future__ import annotations

import inspect
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from askew.engine.ask import described
from askew.engine.components import as_attack, as_data, as_model, as_models, as_suite, suites_in
from askew.engine.events import finished
from askew.engine.result import Comparison, Result
from askew.engine.run import run_models
from askew.engine.settings import Keywords, Named, Settings, is_watched, setting_names, settings_from
from askew.errors import UsageError
from askew.models.python_function import ONCE
from askew.registry import accepted
from askew.report.caveats import WRONG, form_sentences
from askew.report.load import load_run
from askew.types import Question
from askew.verbs import Dataset, Model, Streams, Suite

if TYPE_CHECKING:
    from typing_extensions import Unpack

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
    **settings: Unpack[Keywords],
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
    **settings: Unpack[Keywords],
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
    **settings: Unpack[Keywords],
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
    **settings: Unpack[Keywords],
) -> Result | Comparison:
    """Run one or several models on the questions that a suite makes from data, score their answers and compare them.

    ``model`` is a spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), or a function
    ``f(image, question) -> str``; ``models`` is a list of these. ``data`` is a path, a spec (``"world:split=val"``), a
    data set, or questions; ``suite`` a spec, a suite, or several (default: the suites of prebuilt groups, otherwise
    ``"rad"``); ``name`` is the model's name in tables, or a list of names. ``settings`` have the names of the options
    of ``askew run``: ``limit``, ``seed``, ``metric``, ... (see :class:`askew.engine.settings.Settings`), and options of
    the models such as ``base_url``. Progress bars are shown on a terminal and in a notebook unless ``quiet=True``.
    Without ``output``, the files are kept in a temporary folder until the result is garbage-collected; with it, an
    interrupted run is resumed by the same call.
    """
    several = models is not None or isinstance(model, (list, tuple))
    given = _one_list(model, models)
    names = [name] if isinstance(name, str) or name is None else list(name)
    run_settings, model_options = _settings(settings, [one for one in given if isinstance(one, str)])
    named_models = as_models(given, names, **model_options)
    for one in named_models:
        if output is not None and ONCE in one.spec:
            warnings.warn(
                f"{one.name} holds state that cannot be compared, so answers of earlier calls are not reused. "
                "Give it an attribute 'version' that says when it changes.",
                stacklevel=2,
            )
    source = as_data(data, images, skip_bad)  # type: ignore[arg-type]  # None is refused there
    named_suites = [as_suite(named_suite) for named_suite in _suites(suite, source)]
    with _kept_folder(output) as (folder, files):
        events = run_models(named_models, source, named_suites, folder, run_settings, "askew.evaluate(...)")
        runs = finished(events, run_settings.progress)
        for results in runs.results:
            for sentence in form_sentences(results, WRONG):
                warnings.warn(sentence, stacklevel=2)
        if runs.failures:
            raise runs.failures[0]
    loaded = tuple(Result(one, files) for one in runs.folders)
    return Comparison(loaded) if several else loaded[0]


def _with_keywords(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function with the names in ``**settings``, for completion and help in a notebook."""
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=kind.__forward_arg__)
        for name, kind in Keywords.__annotations__.items()
    ]
    return signature.replace(parameters=[*own, *named])


vars(evaluate)["__signature__"] = _with_keywords(evaluate)


def load(path: str | Path, images: str | Path | None = None) -> Result | Comparison:
    """Load a finished run from its folder, or the comparison of the runs in a folder of several.

    ``images`` is the folder of the images, if they have been moved since the run.
    """
    folder, run_folders = Path(path), sorted(file.parent for file in Path(path).glob("*/results.json"))
    images = Path(images) if images else None
    if (folder / "results.json").is_file() or not run_folders:
        load_run(folder, images)  # raises an error that says what is missing
        return Result(folder, images=images)
    return Comparison(tuple(Result(run_folder, images=images) for run_folder in run_folders))


def compare(*runs: str | Path | Result | Comparison) -> Comparison:
    """Compare runs (results, comparisons or folders), with paired differences on the groups they share."""
    results: list[Result] = []
    for run in runs:
        loaded = load(run) if isinstance(run, (str, Path)) else run
        if not isinstance(loaded, (Result, Comparison)):
            raise UsageError(f"{described(run)} is not a run: give a result of askew.evaluate, or the folder of a run.")
        results.extend([loaded] if isinstance(loaded, Result) else loaded)
    if len(results) < 2:
        raise UsageError(f"Two runs or more are needed, but {len(results)} {'was' if results else 'were'} given.")
    for result in results:
        load_run(result.folder)  # fails before anything is computed
    return Comparison(tuple(results))


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
    """Reword questions until a model answers them incorrectly, and score the attack.

    ``attack`` is a spec (``"textfooler"``) or an :class:`askew.attack.attack_parts.Attack`. ``settings`` are those of
    :class:`askew.engine.attack_run.AttackSettings` (``budget``, ``max_calls``, ``scores``, ``confirm``) and of
    :class:`askew.engine.settings.Settings`. Returns the result of a run, whose folder can be given to :func:`evaluate`
    as data, to run other models on the same rewordings.
    """
    from askew.engine.attack_run import AttackRun, AttackSettings
    from askew.suites.attack_suite import AttackSuite

    attack_options = {field.name for field in fields(AttackSettings)}
    attack_settings = AttackSettings(**{key: value for key, value in settings.items() if key in attack_options})
    run_settings, _ = _settings({key: value for key, value in settings.items() if key not in attack_options}, ())
    named_model, source = as_model(model, name), as_data(data, images)
    with _kept_folder(output) as (folder, files):
        run = AttackRun(named_model, source, as_attack(attack), AttackSuite(), folder, attack_settings, run_settings)
        runs = finished(run.run("askew.attack_model(...)"), run_settings.progress)
        if runs.failures:
            raise runs.failures[0]
    return Result(folder, files)


class _Files:
    """Held by the results of a run: when the last of them is gone, a temporary folder is deleted."""


@contextmanager
def _kept_folder(output: str | Path | None) -> Iterator[tuple[Path, _Files]]:
    """The folder of a run; a temporary one is deleted at once if the run fails, otherwise with the ``_Files``."""
    folder, files = Path(output or tempfile.mkdtemp(prefix="askew-")), _Files()
    with ExitStack() as on_failure:
        if output is None:
            on_failure.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder, files
        weakref.finalize(files, on_failure.pop_all().close)


NOT_IN_PYTHON = {
    "config": "Give its settings by name.",
    "dry_run": "Use askew run --dry-run.",
    "full": "Every score: result.to_frame().",
    "power": "Use askew run --dry-run --power POINTS.",
    "json": "The same is in result.results.",
    "no_published": "Write the report with result.report(path, published=False).",
    "try": "Use askew run --try N.",
}
"""Options of ``askew run`` that are not settings of ``evaluate``, and what to do instead."""


def _settings(given: Mapping[str, Any], specs: Sequence[str]) -> tuple[Settings, dict[str, Any]]:
    """Split keyword arguments into the settings of the run and options of the models with these specs."""
    for name, instead in NOT_IN_PYTHON.items():
        if name in given:
            raise UsageError(f"{name!r} is an option of the command line. {instead}")
    known = {*setting_names(), *(one.name for one in fields(Settings))}
    accepted_options = {name for spec in specs for name in accepted("model", spec)}
    model_options = {name: value for name, value in given.items() if name in accepted_options - known}
    said = {"quiet": not is_watched()} if "progress" not in given else {}
    said |= {name: value for name, value in given.items() if name not in model_options}
    return settings_from(said), model_options


def _one_list(model: Any, models: Sequence[Any] | None) -> list[Any]:
    """The models of a call as a list, whether it names one or several."""
    if models is not None and model is not None:
        raise UsageError("Both model and models are given: put all of them in models=[...].")
    found = model if models is None else models
    given = list(found) if isinstance(found, (list, tuple)) else [found]
    if found is None or not given:
        where = "" if found is None else " in the list"
        raise UsageError(f"There is no model{where}: give one, e.g. model='constant:yes', or several, models=[...].")
    return given


def _suites(suite: AnySuites, data: Named) -> Sequence[str | Suite]:
    """The suites of a call; by default those of the prebuilt groups, otherwise RAD."""
    if suite is None:
        return suites_in(data, "rad")
    suites = [suite] if isinstance(suite, str) or not isinstance(suite, Sequence) else suite
    if not suites:
        raise UsageError("There is no suite in the list: give at least one, e.g. suite='rad'.")
    return suites
