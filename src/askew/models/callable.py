"""Any Python function as a model: ``python:package.module:function``."""

from __future__ import annotations

import hashlib
import inspect
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from askew.errors import ModelError
from askew.images import open_image
from askew.types import Prediction, Question


@dataclass(frozen=True)
class PythonModel:
    """A function ``answer(image, question) -> str``, or with ``batch=true`` ``answer(images, questions) -> list[str]``.

    ``image`` is a Pillow picture, or None when the data came without pictures. The signature holds a hash of the
    function's source file, so that answers of an edited function are not taken from the store; weights that the
    function loads are beyond what askew can see: give ``version=...`` when they change.
    """

    function: str
    batch: bool = False
    version: str = ""
    source: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", source_hash(load(self.function)))

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """What the function says."""
        return CallableModel(load(self.function), self.batch).answer(questions)


@dataclass(frozen=True)
class CallableModel:
    """A function that is at hand, as a model. ``name`` and the source's hash are its signature."""

    function: Callable[..., Any] = field(repr=False)
    batch: bool = False
    name: str = ""
    source: str = ""

    @classmethod
    def of(cls, function: Callable[..., Any], batch: bool = False) -> CallableModel:
        """The model of this function, named as the function is."""
        name = getattr(function, "__qualname__", type(function).__name__)
        return cls(function, batch, name, source_hash(function))

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """What the function says; an exception is a failed prediction, and costs a batch nothing else."""
        if not self.batch:
            return [self._ask_one(question) for question in questions]
        try:
            return self._ask_batch(questions)
        except ModelError:
            raise
        except Exception as error:
            if len(questions) == 1:
                return [Prediction(questions[0].id, None, error=_said(error))]
            return [prediction for question in questions for prediction in self.answer([question])]

    def _ask_one(self, question: Question) -> Prediction:
        start = time.perf_counter()
        try:
            said = self.function(_picture(question), question.text)
        except Exception as error:
            return Prediction(question.id, None, error=_said(error), seconds=time.perf_counter() - start)
        return _prediction(question, said, time.perf_counter() - start)

    def _ask_batch(self, questions: Sequence[Question]) -> list[Prediction]:
        start = time.perf_counter()
        said = self.function([_picture(question) for question in questions], [question.text for question in questions])
        each = (time.perf_counter() - start) / len(questions)
        answers = list(said)
        if len(answers) != len(questions):
            raise ModelError(
                f"The function was asked {len(questions)} questions and gave {len(answers)} answers. "
                "A batch function must return one answer for each question, in order."
            )
        return [_prediction(question, answer, each) for question, answer in zip(questions, answers, strict=True)]


def load(spec: str) -> Callable[..., Any]:
    """The function that ``package.module:function`` names; the current folder is searched too."""
    module, _, name = spec.rpartition(":")
    if not module or not name:
        raise ModelError(f"python:{spec}: write it as python:package.module:function.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ModelError(f"python:{spec}: {error}. Is the module on the path (or in this folder)?") from error
    if not callable(found):
        raise ModelError(f"python:{spec}: {name} is not a function.")
    return found  # type: ignore[no-any-return]


def source_hash(function: Callable[..., Any]) -> str:
    """A short hash of the file that defines the function and of what the function holds (defaults, closure)."""
    inner = inspect.unwrap(function)
    held = [
        getattr(inner, "__defaults__", None),
        [cell.cell_contents for cell in getattr(inner, "__closure__", None) or ()],
    ]
    digest = hashlib.sha256(repr(held).encode())
    with suppress(TypeError, OSError):  # a builtin, or typed at a prompt
        digest.update(Path(inspect.getsourcefile(inner) or "").read_bytes())
    return digest.hexdigest()[:12]


def _picture(question: Question) -> Any:
    image = question.image
    return open_image(image) if image is not None and (image.path or image.data) else None


def _prediction(question: Question, said: Any, seconds: float) -> Prediction:
    if isinstance(said, str):
        return Prediction(question.id, said, seconds=seconds)
    return Prediction(
        question.id, None, error=f"the function returned {type(said).__name__}, not a string", seconds=seconds
    )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
