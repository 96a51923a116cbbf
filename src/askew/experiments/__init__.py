"""Replications of the papers' main tables with newly trained networks: each is one function and one command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from askew.errors import UnknownName, need_extras
from askew.experiments.plan import ExperimentFinding, ExperimentPlan

EXPERIMENTS: Mapping[str, str] = {
    "q3r": "does training to reason alike make networks consistent? (VQA P2, Tables 2–4)",
    "rad-regression": "does RAD predict how a model generalises? (RAD, Table 4)",
    "carets-augmentation": "do generated training questions help on CARETS? (CARETS, Table 5)",
    "language-only": "how far does a model get without the image? (Adversarial VQA, Table 4a)",
}
"""The experiments by name, with the question that each answers."""


def experiment(name: str) -> Callable[[ExperimentPlan], ExperimentFinding]:
    """The experiment of that name.

    >>> experiment("q4r")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    askew.errors.UnknownName: No experiment is called 'q4r'. Known: ...
    """
    if name not in EXPERIMENTS:
        raise UnknownName(f"No experiment is called {name!r}. Known: {', '.join(EXPERIMENTS)}.")
    suites = () if name == "language-only" else ("language",)
    need_extras(f"The experiment {name}", "bundled", *suites, "train")
    found: Callable[[ExperimentPlan], ExperimentFinding] = import_module(
        f"askew.experiments.{name.replace('-', '_')}"
    ).run
    return found
