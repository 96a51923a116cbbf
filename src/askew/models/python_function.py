"""Any Python function as a model: ``python:package.module:function`` or ``python:folder/file.py:function``."""

from __future__ import annotations

import hashlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any
from uuid import uuid4

from askew.errors import AskewError, ModelError, did_you_mean
from askew.files.images import only_image, open_image
from askew.models.object_hash import ObjectHash, UnknownContent
from askew.types import Prediction, Question

ONCE = "once-"
"""Prefix of the hash of an object whose content is unknown; each such hash is used once."""


def python(
    function: str, batch: bool = False, version: str = "", blind: bool = False, several_images: bool = False
) -> CallableModel:
    """A function ``answer(image, question) -> str``, or with ``batch=true`` ``answer(images, questions) -> list[str]``.

    ``image`` is a Pillow image, or None for a question that names no image. An image that is named and missing is
    refused, unless ``blind=true`` says that the function never uses images: then ``image`` is always None. With
    ``several_images=true``, ``image`` is the list of the question's images, also if there is one or none. The
    signature holds a hash of the source files of the module and the function and of the function's state (arguments of
    a partial, attributes of an object), so that stored answers of an edited function are not reused. askew cannot see
    weights that the module loads: give ``version=...`` when they change.
    """
    found, (place, _, name) = load(function), function.rpartition(":")
    module = sys.modules.get(_module_name(place))
    source = source_hash(found, getattr(module, "__file__", None), vouched=True)
    # a moved file is the same model, identified by the hash of its source
    said = f"{os.path.basename(place)}:{name}" if place.endswith(".py") else function
    return CallableModel(found, batch, said, source, blind or says_blind(found), version, several_images)


@dataclass(frozen=True)
class CallableModel:
    """A Python function object as a model. Its signature has the function's name and a hash of its source.

    If a function holds an object whose content cannot be read (a tensor, a network, an open file), no answers of
    earlier runs are reused, unless the function, or the object it belongs to, has a ``version``. A ``blind`` function
    gets None instead of every image.
    """

    function: Callable[..., Any] = field(repr=False)
    batch: bool = False
    name: str = ""
    source: str = ""
    blind: bool = False
    version: str = ""
    several_images: bool = field(default=False, repr=False)
    """Whether it gets a list of images for each question, and so may be asked about several."""

    @classmethod
    def of(cls, function: Callable[..., Any], batch: bool = False, blind: bool = False) -> CallableModel:
        """A model with the function's name; it is blind too if the function has ``blind = True``."""
        named = function.func if isinstance(function, partial) else function
        name = getattr(named, "__qualname__", type(named).__name__)
        return cls(function, batch, name, source_hash(function), blind or says_blind(function))

    @property
    def opens_images(self) -> bool:
        """Whether every image file must exist."""
        return not self.blind

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The function's answers; an exception fails one question, not the rest of its batch."""
        if not self.batch:
            return [self._ask_one(question) for question in questions]
        try:
            return self._ask_batch(questions)
        except ModelError:
            raise
        except (Exception, SystemExit) as error:
            if len(questions) == 1:
                return [Prediction(questions[0].id, None, error=_describe(error))]
            return [prediction for question in questions for prediction in self.answer([question])]

    def _ask_one(self, question: Question) -> Prediction:
        start = time.perf_counter()
        try:
            result = self.function(self._image(question), question.text)
        except (Exception, SystemExit) as error:
            return Prediction(question.id, None, error=_describe(error), seconds=time.perf_counter() - start)
        return _prediction(question, result, time.perf_counter() - start)

    def _image(self, question: Question) -> Any:
        if self.several_images:
            return [] if self.blind else [open_image(image) for image in question.images]
        image = None if self.blind else only_image(question)
        return None if image is None else open_image(image)

    def _ask_batch(self, questions: Sequence[Question]) -> list[Prediction]:
        start = time.perf_counter()
        images = [self._image(question) for question in questions]
        result = self.function(images, [question.text for question in questions])
        each = (time.perf_counter() - start) / len(questions)
        answers = [result] if isinstance(result, str) else list(result)
        if len(answers) != len(questions):
            raise ModelError(
                f"The function was asked {len(questions)} questions and gave {len(answers)} answers. "
                "A batch function must return one answer for each question, in order."
            )
        return [_prediction(question, answer, each) for question, answer in zip(questions, answers, strict=True)]


def says_blind(function: Callable[..., Any]) -> bool:
    """Whether the function (a partial's function, a method's object) has ``blind = True``.

    >>> says_blind(len), says_blind(type("Blind", (), {"blind": True, "__call__": len})())
    (False, True)
    """
    function = function.func if isinstance(function, partial) else function
    return any(getattr(held, "blind", False) is True for held in (function, getattr(function, "__self__", None)))


def load(spec: str) -> Callable[..., Any]:
    """The function ``package.module:function`` or ``folder/file.py:function``; the current folder is searched too."""
    module, _, name = spec.rpartition(":")
    if not module or not name or name.endswith(".py"):
        raise ModelError(f"python:{spec}: write it as python:package.module:function or python:file.py:function.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    found: Any = _imported(spec, module)
    try:
        for part in name.split("."):
            holder = found
            found = getattr(holder, part)
    except AttributeError as error:
        hint = did_you_mean(part, [known for known in dir(holder) if not known.startswith("_")])
        raise ModelError(f"python:{spec}: there is no {part!r} in {module}.{hint} Check the name.") from error
    if not callable(found):
        raise ModelError(f"python:{spec}: {name} is not a function.")
    return found  # type: ignore[no-any-return]


def _imported(spec: str, module: str) -> ModuleType:
    try:
        return _from_file(spec, module) if module.endswith(".py") else import_module(module)
    except AskewError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            reason = f"{error}. Is the module on the path (or in this folder)?"
        else:
            reason = f"{_place(error) or module} cannot be imported: {_describe(error)}. Fix it there and run again."
        raise ModelError(f"python:{spec}: {reason}") from error


def _module_name(module: str) -> str:
    """The name in ``sys.modules`` of a module given by its name or by its file."""
    if not module.endswith(".py"):
        return module
    return f"askew_file_{hashlib.sha256(os.path.abspath(module).encode()).hexdigest()[:12]}"


def _from_file(spec: str, file: str) -> ModuleType:
    """The module in a file, imported once; modules in the same folder can be imported by it."""
    name = _module_name(file)
    if name in sys.modules:
        return sys.modules[name]
    if not os.path.isfile(file):
        raise ModelError(f"python:{spec}: there is no file {file}. Give its path from the current folder.")
    folder = os.path.dirname(os.path.abspath(file))
    if folder not in sys.path:
        sys.path.append(folder)
    found = spec_from_file_location(name, os.path.abspath(file))
    if found is None or found.loader is None:
        raise ModelError(f"python:{spec}: {file} cannot be imported as Python. Check the file.")
    module = sys.modules[name] = module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _place(error: BaseException) -> str:
    """File and line of the module that failed; for a syntax error, of the file that has it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if "importlib" not in frame.filename and frame.filename != __file__]
    return f"{outside[0].filename}, line {outside[0].lineno}" if outside else ""


def source_hash(function: Callable[..., Any], file: str | None = None, vouched: bool = False) -> str:
    """A short hash of a function's source and state: defaults, closure, bound arguments, its object's attributes.

    ``file`` is one more source file that it depends on. The same content has the same hash in every process. Unknown
    content gives a new hash each time, unless it is ``vouched`` for: see :class:`CallableModel`.
    """
    hasher = ObjectHash(vouched)
    try:
        return hasher.digest((hasher.file(file), function)).hex()[:12]
    except (UnknownContent, RecursionError):
        return f"{ONCE}{uuid4().hex[:12]}"


def _prediction(question: Question, result: Any, seconds: float) -> Prediction:
    if isinstance(result, str):
        return Prediction(question.id, result, seconds=seconds)
    hint = " (batch=true is for functions that answer many at once)" if isinstance(result, (list, tuple)) else ""
    error = f"the function returned {type(result).__name__}, not a string{hint}"
    return Prediction(question.id, None, error=error, seconds=seconds)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
