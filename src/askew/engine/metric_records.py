"""Metrics as plain JSON records, so that a run's scores can be compared without the suite that asked for them.

A record names a class and its options and is data: nothing is imported because a file says so, but for askew's own
metrics and what is registered here as an entry point. A metric of any other class is found when its module is loaded
already, and is unknown otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import orjson

from askew.errors import AskewError, DataError
from askew.registry import load_registered, make
from askew.report.load import Run
from askew.suites.measures import with_more
from askew.verbs import Metric

OURS = "askew.metrics."


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
    """A class of metrics by its path, found without importing what nobody here asked for."""
    module, _, name = path.partition(":")
    if module.startswith(OURS):
        try:
            import_module(module)
        except ImportError:
            return None
    elif module not in sys.modules:
        load_registered(("metric", "suite"), module)
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    usable = isinstance(found, type) and all(callable(getattr(found, verb, None)) for verb in ("measure", "combine"))
    return found if usable else None


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
