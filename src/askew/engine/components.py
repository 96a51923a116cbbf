"""Components from what people give: specs, paths, objects, functions and lists of questions.

The command line, :func:`askew.evaluate`, training and the experiments all turn what a person wrote into components here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from askew.data.faults import short
from askew.engine.settings import Named
from askew.errors import ModelError, UsageError
from askew.models.callable import CallableModel, source_hash
from askew.registry import make, open_data
from askew.types import Id, ImageRef, Prediction, Question
from askew.verbs import Dataset, Model, Streams, Suite

SUITE = ("name", "title", "paper", "tests", "metrics", "tables", "accuracy", "correct", "headline", "groups")
"""What every suite has: see :class:`askew.verbs.Suite`."""
MUST_GIVE = "A model must give one askew.Prediction(question.id, answer) for each question, in order."


def as_model(model: str | Model | Streams | Callable[..., Any] | None, name: str | None = None, **given: Any) -> Named:
    """A model from what a person gives; ``given`` are options for models that take them, where the spec is silent."""
    if isinstance(model, str):
        made_model = make("model", model, **given)
        spec = getattr(made_model, "hide", str)(model)
        return Named(made_model, spec, name or short_name(spec))
    if isinstance(model, (Model, Streams)):
        _refuse_class(model, "model")
        given_model = (GivenStream if isinstance(model, Streams) else GivenModel)(model, _signature(model))
        return Named(given_model, repr(given_model), name or type(model).__name__.lower())
    if callable(model):
        made = CallableModel.of(model)
        return Named(made, repr(made), name or made.name)
    raise UsageError(
        f"{model!r} is no model: give a spec, an object with .answer(questions) or .stream(questions), or a function."
    )


def short_name(spec: str) -> str:
    """What tables call a model: its spec without folders.

    >>> short_name("predictions:runs/answers.json")
    'predictions:answers.json'
    """
    return re.sub(r"[^:=,]*/", "", spec)


def as_data(
    data: str | Path | Dataset | Iterable[Question], images: str | None = None, skip_bad: bool = False
) -> Named:
    """A data set from what a person gives."""
    if isinstance(data, (str, Path)):
        return Named(open_data(str(data), images=images, skip_bad=skip_bad), str(data))
    if hasattr(data, "questions"):
        _check_shape(data, "data set", ("name", "skipped", "questions"))
        return Named(data, repr(data))
    questions = Questions(tuple(data) if isinstance(data, Iterable) else ())
    wrong = [item for item in questions.items if not isinstance(item, Question)]
    if wrong or not isinstance(data, Iterable):
        raise UsageError(
            f"{_shown(wrong[0] if wrong else data)} is no {'question' if wrong else 'data'}: give a path, a spec "
            "('world:val'), a data set (an object with .questions()), or askew.Question objects."
        )
    _check_questions(questions.items)
    return Named(questions, repr(questions))


def _check_questions(questions: Iterable[Question]) -> None:
    """Refuse questions that somebody made with parts of the wrong kind, or with one id for two."""
    seen: set[Id] = set()
    for question in questions:
        kinds = (
            ("id", _is_id(question.id), "text or a whole number below 2⁶³"),
            ("image", question.image is None or isinstance(question.image, ImageRef), "an askew.ImageRef or None"),
            ("text", isinstance(question.text, str) and question.text.strip(), "text, and not blank"),
            ("answers", _are_texts(question.answers), "a tuple of texts"),
        )
        for name, right, wanted in kinds:
            if not right:
                value = _shown(getattr(question, name))
                raise UsageError(f"The {name} of {_shown(question)} is {value}: it must be {wanted}.")
        if question.id in seen:
            raise UsageError(f"The id {question.id!r} is that of two questions. Ids must differ; rename one.")
        seen.add(question.id)


def _is_id(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return whole or (isinstance(value, str) and value != "")


def _are_texts(values: Any) -> bool:
    return isinstance(values, (tuple, list)) and all(isinstance(value, str) for value in values)


def as_suite(suite: str | Suite, **given: Any) -> Named:
    """A suite from what a person gives; ``given`` are options where the spec is silent."""
    if isinstance(suite, str):
        return Named(make("suite", suite, **given), suite)
    _check_shape(suite, "suite", SUITE)
    return Named(suite, repr(suite))


def _signature(model: Any) -> str:
    """The model's ``repr``; what it is made of, where that tells only its place in memory."""
    said = repr(model)
    return said if not re.search(r" at 0x[0-9a-fA-F]+", said) else f"{type(model).__name__}({source_hash(model)})"


def _check_shape(given: Any, what: str, wanted: Sequence[str]) -> None:
    _refuse_class(given, what)
    missing = [name for name in wanted if not hasattr(given, name)]
    if missing:
        raise UsageError(
            f"{_shown(given)} is no {what}: it has no {', '.join(f'.{name}' for name in missing)}. Give the name of "
            f"one (a text), or an object with {', '.join(f'.{name}' for name in wanted)}."
        )


def _refuse_class(given: Any, what: str) -> None:
    if isinstance(given, type):
        raise UsageError(f"{given.__name__} is a class: give a {what} made by it, {given.__name__}(...).")


def _shown(value: Any) -> str:
    """A value that is not as it should be, for an error message.

    >>> _shown(None), _shown(5)
    ('None', '5 (int)')
    """
    return short(value) if value is None else f"{short(value)} ({type(value).__name__})"


@dataclass(frozen=True)
class Questions:
    """Questions that are in memory, as a data set."""

    items: tuple[Question, ...] = field(repr=False)
    name: str = "questions"
    skipped: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """The content of the questions, in 16 digits."""
        digest = sha256()
        for question in self.items:
            image = question.image and question.image.data
            digest.update(repr(question).encode("utf-8", "surrogatepass") + (image or b""))
        return digest.hexdigest()[:16]

    def questions(self) -> Iterator[Question]:
        """The questions."""
        return iter(self.items)


@dataclass(frozen=True, repr=False)
class _Given:
    """A model object that somebody wrote: what it gives is checked to be predictions."""

    model: Any
    signature: str

    def __repr__(self) -> str:
        return self.signature

    def __getattr__(self, name: str) -> Any:
        if name == "model" or (name.startswith("__") and name.endswith("__")):  # asked by copy and pickle, before it is
            raise AttributeError(name)
        return getattr(self.model, name)


class GivenModel(_Given):
    """One that gives the answers of a batch together."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """What the model says."""
        said = self.model.answer(questions)
        return [_prediction(self.model, "answer", item) for item in _iterable(self.model, "answer", said)]


class GivenStream(_Given):
    """One that gives each answer as it comes."""

    def stream(self, questions: Sequence[Question]) -> Iterator[Prediction]:
        """What the model says."""
        for item in _iterable(self.model, "stream", self.model.stream(questions)):
            yield _prediction(self.model, "stream", item)


def _iterable(model: Any, verb: str, said: Any) -> Iterable[Any]:
    if isinstance(said, Iterable) and not isinstance(said, (str, bytes, Mapping)):
        return said
    raise ModelError(f"{type(model).__name__}.{verb}() gave {_shown(said)}. {MUST_GIVE}")


def _prediction(model: Any, verb: str, item: Any) -> Prediction:
    if isinstance(item, Prediction):
        return item
    raise ModelError(f"{type(model).__name__}.{verb}() gave {_shown(item)} for a question. {MUST_GIVE}")
