"""askew asks a VQA model askew: it changes questions in known ways and measures whether the answers follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askew.errors import AskewError
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Scene, Score, Variant

if TYPE_CHECKING:
    from askew.api import attack_model, evaluate
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
    "evaluate",
    "make",
    "open_data",
]

_LATE = {
    "Comparison": "engine.compare",
    "Result": "engine.compare",
    "attack_model": "api",
    "evaluate": "api",
    "make": "registry",
    "open_data": "registry",
}
"""Names whose modules are imported when first used, so that ``import askew`` is quick."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'askew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"askew.{_LATE[name]}"), name)
