"""askew changes questions and images in known ways and measures whether a VQA model's answers change as they should.

Evaluate
    evaluate       run one or several models on the questions of a suite, and score the answers
    attack_model   reword questions until a model answers them incorrectly
    load           load one finished run, or several, from a folder
    compare        compare runs, with paired differences
    Result         the scores, samples, pairs, data frames and report of a run
    Comparison     the same for several models

Components by name
    make           a suite, model, reader, metric, ... from its spec, e.g. make("suite", "rad")
    open_data      a data set from a spec or a path

Data types
    Question, ImageRef, Kind, Scene     what the model is asked
    Variant, Group, Expect              a changed question, a question with its variants, the effect it should have
    Prediction, Outcome, Score          a model's answer, the answers to a group, a metric's value
    AskewError                          the base class of askew's errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askew.errors import AskewError
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Scene, Score, Variant

if TYPE_CHECKING:
    from askew.api import attack_model, compare, evaluate, load
    from askew.engine.result import Comparison, Result
    from askew.registry import make, open_data

__version__ = "0.1.0"

__all__ = [
    "AskewError",
    "Comparison",
    "Expect",
    "Group",
    "ImageRef",
    "Kind",
    "Outcome",
    "Prediction",
    "Question",
    "Result",
    "Scene",
    "Score",
    "Variant",
    "attack_model",
    "compare",
    "evaluate",
    "load",
    "make",
    "open_data",
]

_LATE = {
    "Comparison": "engine.result",
    "Result": "engine.result",
    "attack_model": "api",
    "compare": "api",
    "evaluate": "api",
    "load": "api",
    "make": "registry",
    "open_data": "registry",
}
"""Public names whose modules are imported on first use, so that ``import askew`` is quick."""


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'askew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"askew.{_LATE[name]}"), name)
