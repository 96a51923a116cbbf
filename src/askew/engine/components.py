"""Components from user input: specs, paths, objects, functions and lists of questions.

The command line, :func:`askew.evaluate`, training and the experiments all turn user input into components here.
Options of a suite that only matter when groups are built are refused for ready-made groups, and left out of the
signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any

from askew.engine.ask import described
from askew.engine.settings import Named
from askew.errors import AskewError, BadOption, DataError, UsageError
from askew.models.python_function import CallableModel, source_hash
from askew.registry import make, open_data
from askew.types import Id, ImageRef, Question
from askew.verbs import Dataset, DatasetFacts, HidesSecrets, HoldsGroups, Model, Streams, Suite, SuiteFacts

SUITE = ("name", "title", "paper", "tests", "metrics", "tables", "accuracy", "correct", "headline", "groups")
"""What every suite has: see :class:`askew.verbs.Suite`."""
ATTACK = ("name", "proposals", "search", "constraints", "goal", "least_words")
"""What every attack has: see :class:`askew.attack.attack_parts.Attack`."""
NO_SUITE = 'a group names no suite. Add it to the line: "suite": "rad".'


def as_model(model: str | Model | Streams | Callable[..., Any] | None, name: str | None = None, **given: Any) -> Named:
    """A model from user input; ``given`` are options that apply where the spec does not set them."""
    if isinstance(model, str):
        made_model = make("model", model, **given)
        spec = made_model.hide(model) if isinstance(made_model, HidesSecrets) else model
        return Named(made_model, spec, name or short_name(spec), typed=model, given=given)
    if isinstance(model, (Model, Streams)):
        _refuse_class(model, "model")
        signature = _signature(model)
        return Named(model, signature, name or type(model).__name__.lower(), signature)
    if callable(model):
        made = CallableModel.of(model)
        return Named(made, repr(made), name or made.name)
    raise UsageError(
        f"{model!r} is not a model: give a spec, an object with .answer(questions) or .stream(questions), or a "
        "function."
    )


def as_models(models: Sequence[Any], names: Sequence[str | None] = (), **given: Any) -> list[Named]:
    """Several models from user input, with a name for each or for the first of them."""
    if len(names) > len(models):
        raise UsageError(
            f"There are more names ({len(names)}) than models ({len(models)}). Give one (--name) for each model."
        )
    return [as_model(model, name, **given) for model, name in zip_longest(models, names)]


def short_name(spec: str) -> str:
    """The name of a model in tables: its spec without folders.

    >>> short_name("predictions:runs/answers.json")
    'predictions:answers.json'
    """
    return re.sub(r"[^:=,]*/", "", spec)


def as_data(
    data: str | Path | Dataset | Iterable[Question], images: str | None = None, skip_bad: bool = False
) -> Named:
    """A data set from user input."""
    if isinstance(data, (str, Path)):
        return Named(open_data(str(data), images=images, skip_bad=skip_bad), str(data))
    if hasattr(data, "questions"):
        _check_shape(data, "data set", ("name", "skipped", "questions"))
        return Named(data, repr(data))
    questions = Questions(tuple(data) if isinstance(data, Iterable) else ())
    wrong = [item for item in questions.items if not isinstance(item, Question)]
    if wrong or not isinstance(data, Iterable):
        raise UsageError(
            f"{described(wrong[0] if wrong else data)} is not {'a question' if wrong else 'data'}: give a path, a spec "
            "('world:val'), a data set (an object with .questions()), or askew.Question objects."
        )
    _check_questions(questions.items)
    return Named(questions, repr(questions))


def _check_questions(questions: Iterable[Question]) -> None:
    """Refuse questions with parts of the wrong type, or with one id for two questions."""
    seen: set[Id] = set()
    for question in questions:
        answers: Any = question.answers
        are_texts = isinstance(answers, (tuple, list)) and all(isinstance(answer, str) for answer in answers)
        kinds = (
            ("id", _is_id(question.id), "text or a whole number below 2⁶³"),
            ("image", question.image is None or isinstance(question.image, ImageRef), "an askew.ImageRef or None"),
            (
                "more_images",
                all(isinstance(image, ImageRef) for image in question.more_images)
                and (question.image is not None or not question.more_images),
                "a tuple of askew.ImageRef, after the first image",
            ),
            ("text", isinstance(question.text, str) and question.text.strip(), "text, and not blank"),
            ("answers", are_texts, "a tuple of texts"),
        )
        for name, right, wanted in kinds:
            if not right:
                value = described(getattr(question, name))
                raise UsageError(f"The {name} of {described(question)} is {value}: it must be {wanted}.")
        if question.id in seen:
            raise UsageError(f"The id {question.id!r} belongs to two questions. Ids must differ; rename one.")
        seen.add(question.id)


def _is_id(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return whole or (isinstance(value, str) and value != "")


def as_suite(suite: str | Suite, **given: Any) -> Named:
    """A suite from user input; ``given`` are options that apply where the spec does not set them."""
    if isinstance(suite, str):
        return Named(make("suite", suite, **given), suite)
    _check_shape(suite, "suite", SUITE)
    return Named(suite, repr(suite))


def as_attack(attack: Any) -> Named:
    """An attack from user input: a spec (``"textfooler"``) or an ``askew.attack.attack_parts.Attack``."""
    made = make("attack", attack) if isinstance(attack, str) else attack
    _check_shape(made, "attack", ATTACK)
    return Named(made, attack if isinstance(attack, str) else attack.name)


def suites_in(data: Named, otherwise: str) -> list[str]:
    """The suites of ready-made groups, in order of appearance; for other data, ``otherwise``."""
    if own := DatasetFacts(data.what).suites:
        return list(own)
    if not isinstance(data.what, HoldsGroups):
        return [otherwise]
    found = list(dict.fromkeys(group.suite for group in data.what.groups()))
    if "" in found:
        raise DataError(f"{data.spec}: {NO_SUITE}")
    return found


def refuse_build_options(suite: Suite, source: str) -> None:
    """Refuse an option that only matters when groups are built: it would be ignored.

    >>> from askew.suites.rad import RadSuite
    >>> refuse_build_options(RadSuite(correct="any"), "groups.jsonl")
    >>> refuse_build_options(RadSuite(yes=0.0), "groups.jsonl")
    Traceback (most recent call last):
    askew.errors.BadOption: rad: yes=0.0 is for making groups, and those of groups.jsonl are made already. Leave it \
out, or give the questions they were made from.
    """
    for name, without in _options_set(suite).items():
        if without is not None and _scored_as(without) == _scored_as(suite):
            raise BadOption(
                f"{suite.name}: {name}={getattr(suite, name)!r} is for making groups, and those of {source} are made "
                "already. Leave it out, or give the questions they were made from."
            )


def to_score(suite: Suite) -> Suite:
    """The suite without the options that only matter when groups are built.

    >>> from askew.suites.rad import RadSuite
    >>> to_score(RadSuite(yes=0.0, balance="paper", correct="any")) == RadSuite(correct="any")
    True
    """
    for without in _options_set(suite).values():
        if without is not None and _scored_as(without) == _scored_as(suite):
            return to_score(without)
    return suite


def ready_made_signature(suite: Suite) -> str:
    """The suite with the options that were set; the options that the groups were built with are unknown.

    >>> from askew.suites.rad import RadSuite
    >>> ready_made_signature(RadSuite(correct="any"))
    "RadSuite(correct='any') on ready-made groups"
    """
    options = ", ".join(f"{name}={getattr(suite, name)!r}" for name in _options_set(suite))
    known = f"{type(suite).__name__}({options})" if is_dataclass(suite) else repr(suite)
    return f"{known} on ready-made groups"


def _options_set(suite: Any) -> dict[str, Suite | None]:
    """The options that differ from their defaults, each with the suite without it (None if it needs the option)."""
    found: dict[str, Suite | None] = {}
    for option in fields(suite) if is_dataclass(suite) else ():
        if option.init and option.repr and option.default is not MISSING:
            try:
                without = replace(suite, **{option.name: option.default})
            except AskewError:
                without = None
            if without != suite:
                found[option.name] = without
    return found


def _scored_as(suite: Suite) -> str:
    """Everything that determines how a suite scores existing groups."""
    parts = (suite.tests, suite.metrics, suite.tables, suite.headline, suite.accuracy, suite.correct)
    return repr([*parts, SuiteFacts(suite).slices])


def _signature(model: Any) -> str:
    """The model's ``repr``; a hash of its source if the ``repr`` is only a memory address."""
    said = repr(model)
    return said if not re.search(r" at 0x[0-9a-fA-F]+", said) else f"{type(model).__name__}({source_hash(model)})"


def _check_shape(given: Any, what: str, wanted: Sequence[str]) -> None:
    _refuse_class(given, what)
    missing = [name for name in wanted if not hasattr(given, name)]
    if missing:
        raise UsageError(
            f"{described(given)} is not a {what}: it has no {', '.join(f'.{name}' for name in missing)}. Give the name "
            f"of one (a text), or an object with {', '.join(f'.{name}' for name in wanted)}."
        )


def _refuse_class(given: Any, what: str) -> None:
    if isinstance(given, type):
        raise UsageError(f"{given.__name__} is a class: give a {what} made by it, {given.__name__}(...).")


@dataclass(frozen=True)
class Questions:
    """A data set of questions in memory."""

    items: tuple[Question, ...] = field(repr=False)
    name: str = "questions"
    skipped: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """A hash of the questions, 16 digits."""
        digest = sha256()
        for question in self.items:
            digest.update(repr(question).encode("utf-8", "surrogatepass"))
            for image in question.images:
                digest.update(image.data or b"")
        return digest.hexdigest()[:16]

    def questions(self) -> Iterator[Question]:
        """The questions."""
        return iter(self.items)
