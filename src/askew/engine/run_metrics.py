"""The metrics of a run: those of its suites in the run's mode of accuracy, those named besides, and their JSON records.

Records in results.json let runs be compared without the suite that asked for the metrics. A record names a class and
its options and is data: a file never makes askew import anything but its own metrics, found by the name of their class
wherever it has moved, and registered entry points. A metric of any other class is found when its module is loaded
already, and is unknown otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import orjson

from askew.errors import AskewError, DataError, UsageError
from askew.metrics.bounds import rows_of_fillings
from askew.registry import BUILT_IN, factory, load_registered, make
from askew.report.load import Run
from askew.types import Group, Mode, Outcome, Prediction
from askew.verbs import Metric, Suite

OURS = "askew.metrics."


def with_more(metrics: Mapping[str, Metric], specs: Iterable[str], mode: Mode | None = None) -> dict[str, Metric]:
    """A suite's metrics, and those that a person named besides; what the suite has already keeps the suite's meaning.

    ``mode`` is that of the metrics which a person named without one.

    >>> from askew.metrics.accuracy import Accuracy
    >>> with_more({"worst": Accuracy()}, ["worst", "mu"])
    {'worst': Accuracy(of='all', mode='official'), 'mu': Mu(mode='official')}
    >>> with_more({}, ["mu", "gap:mode=exact"], "robust")
    {'mu': Mu(mode='robust'), 'gap:mode=exact': Gap(mode='exact', change=False)}
    """
    more = {spec: make("metric", spec) for spec in specs if spec not in metrics}
    if mode is not None:
        more = {
            spec: _in_mode(metric, "mode", mode) if "mode=" not in spec else metric for spec, metric in more.items()
        }
    return {**metrics, **more}


def with_mode(suite: Suite, mode: Mode) -> Suite:
    """The suite with another mode of accuracy; one without such an option stays as it is.

    >>> from askew.suites.accuracy import AccuracySuite
    >>> with_mode(AccuracySuite(), "robust")
    AccuracySuite(accuracy='robust')
    """
    made: Suite = _in_mode(suite, "accuracy", mode)
    return made


def measured_by(suite: Suite, mode: Mode, specs: Iterable[str]) -> dict[str, Metric]:
    """The metrics of a run with this suite, scored in this mode, and those named besides."""
    made = with_mode(suite, mode)
    return with_more(made.metrics, specs, None if made is suite else made.accuracy)


def refuse_meaningless(specs: Iterable[str], suites: Iterable[Suite], groups: Iterable[Group]) -> None:
    """Raise UsageError for a metric named by a person that no group of any suite says anything about.

    Whatever a model answers, such a metric is a dash: ``flips`` of RAD's questions, whose answers change by design.
    Only askew's own metrics are checked; on which answers another depends is not known here.
    """
    named, suites = list(dict.fromkeys(specs)), list(suites)
    metrics = {suite.name: measured_by(suite, suite.accuracy, named) for suite in suites}
    dashes = [
        spec
        for spec in named
        if not any(spec in suite.metrics for suite in suites)
        and all(type(found[spec]).__module__.startswith(OURS) for found in metrics.values())
    ]
    for group in groups if dashes else ():
        unanswered = Outcome(
            group,
            Prediction(group.original.id, None),
            tuple(Prediction(variant.question.id, None) for variant in group.variants),
        )
        dashes = [spec for spec in dashes if not rows_of_fillings(metrics[group.suite][spec], unanswered)]
        if not dashes:
            return
    if dashes:
        names = ", ".join(suite.name for suite in suites)
        raise UsageError(
            f"The metric {dashes[0]} says nothing about {names}, whatever is answered. Leave it out (--metric "
            f"{dashes[0]}; metrics=[...] in Python), or add a suite whose changes it measures."
        )


def metric_record(metric: Metric) -> dict[str, Any]:
    """A metric as a record.

    >>> from askew.metrics.accuracy import Mu
    >>> metric_record(Mu())
    {'class': 'askew.metrics.accuracy:Mu', 'options': {'mode': 'official'}, 'repr': "Mu(mode='official')"}
    """
    kind = type(metric)
    names: list[str] = [part.name for part in fields(kind) if part.init] if is_dataclass(kind) else []
    options = _plain({name: getattr(metric, name) for name in names})
    return {"class": f"{kind.__module__}:{kind.__qualname__}", "options": options, "repr": repr(metric)}


def metric_from(record: Mapping[str, Any]) -> Metric | None:
    """The metric of a record; None when its class is not known here, or makes another metric of these options.

    >>> metric_from({"class": "askew.metrics.accuracy:Mu", "options": {}, "repr": "Mu(mode='official')"})
    Mu(mode='official')
    >>> metric_from({"class": "subprocess:Popen", "options": {"args": "ls"}, "repr": ""}) is None
    True
    """
    found = _class(str(record.get("class", "")))
    if found is None:
        return None
    try:
        options = {name: _tuple(value) for name, value in record.get("options", {}).items()}
        made: Metric = found(**options)
    except (AskewError, AttributeError, TypeError, ValueError):
        return None
    return made if repr(made) == record.get("repr") else None


def metrics_of(run: Run, suite: Mapping[str, Any]) -> dict[str, Metric]:
    """The metrics that a run measured for one of its suites, by name; those of classes unknown here are left out."""
    if isinstance(records := suite.get("metrics"), Mapping):
        found = {name: metric_from(record) for name, record in records.items() if isinstance(record, Mapping)}
        return {name: metric for name, metric in found.items() if metric is not None}
    try:  # written before there were records
        return with_more(make("suite", suite["spec"]).metrics, run.results["config"]["metrics"])
    except AskewError as unknown:
        raise DataError(
            f"{run.folder}: its suite {suite['name']!r} cannot be made again from {suite['spec']!r} ({unknown}) "
            "Run it again with this version of askew; answers that are stored are not asked twice."
        ) from None


def unknown_metrics(suite: Mapping[str, Any]) -> dict[str, str]:
    """The metrics of a suite in results.json whose class is not known here, by name, with the class."""
    records = suite.get("metrics")
    return {
        name: str(record.get("class", "?")).replace(":", ".")
        for name, record in (records.items() if isinstance(records, Mapping) else ())
        if metric_from(record) is None
    }


def _class(path: str) -> type | None:
    """A class of metrics by its path, found without importing unregistered modules."""
    module, _, name = path.partition(":")
    if module.startswith(OURS):
        return next((found for found in map(_built_in, BUILT_IN["metric"]) if found.__qualname__ == name), None)
    if module not in sys.modules:
        load_registered(("metric", "suite"), module)
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    usable = isinstance(found, type) and all(callable(getattr(found, verb, None)) for verb in ("measure", "combine"))
    return found if usable else None


def _built_in(name: str) -> type:
    """The class of one of askew's own metrics."""
    return cast(type, factory("metric", name))


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """The options as they can be written to JSON; none where one of them cannot."""
    try:
        orjson.dumps(options)
    except TypeError:
        return {}
    return options


def _tuple(value: Any) -> Any:
    """A value as it was before JSON, which has no tuples."""
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _in_mode(part: Any, name: str, mode: Mode) -> Any:
    options = {option.name for option in fields(part) if option.init} if is_dataclass(part) else set()
    return replace(part, **{name: mode}) if name in options and getattr(part, name) != mode else part
