"""askew asks a VQA model askew: it changes questions in known ways and measures whether the answers follow.

Ask and score
    evaluate       ask one model or several a suite's questions, and score the answers
    attack_model   reword questions until a model answers them incorrectly
    load           a finished run, or several, from their folder
    compare        runs side by side, with paired differences
    Result         what a run found: scores, samples, pairs, frames, the report
    Comparison     the same for several models

Components by name
    make           a suite, model, reader, metric, ... from its spec, e.g. make("suite", "rad")
    open_data      a data set from a spec or a path

What everything is made of
    Question, ImageRef, Kind, Scene     what is asked
    Variant, Group, Expect              a changed question, a question with its variants, what should happen
    Prediction, Outcome, Score          what a model said, and what that is worth
    AskewError                          the base of every error with an explanation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askew.errors import AskewError
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Scene, Score, Variant

if TYPE_CHECKING:
    from askew.api import attack_model, compare, evaluate, load
    from askew.engine.compare import Comparison, Result
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
    "Comparison": "engine.compare",
    "Result": "engine.compare",
    "attack_model": "api",
    "compare": "api",
    "evaluate": "api",
    "load": "api",
    "make": "registry",
    "open_data": "registry",
}
"""Names whose modules are imported when first used, so that ``import askew`` is quick."""


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'askew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"askew.{_LATE[name]}"), name)
