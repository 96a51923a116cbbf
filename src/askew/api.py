"""askew from Python: :func:`evaluate` and what it gives."""

from __future__ import annotations

import re
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from askew.data.bad_records import short
from askew.engine.build import prepare
from askew.engine.run import begin, check_failures, claim_folder, empty_suites, run, score_from
from askew.engine.settings import Named, settings_from
from askew.errors import ModelError, UsageError
from askew.files.locks import alone_in
from askew.models.callable import ONCE, CallableModel, source_hash
from askew.registry import make, open_data
from askew.report.caveats import WRONG, form_sentences
from askew.report.html import write_report
from askew.report.load import Run, load_run, read_outcome
from askew.report.paper_tables import without_published
from askew.report.terminal import terminal_summary
from askew.types import Id, ImageRef, Outcome, Prediction, Question, Score
from askew.verbs import Dataset, Model, Streams, Suite

SUITE = ("name", "title", "paper", "tests", "metrics", "tables", "accuracy", "correct", "headline", "groups")
"""What every suite has: see :class:`askew.verbs.Suite`."""
MUST_GIVE = "A model must give one askew.Prediction(question.id, answer) for each question, in order."
LISTED = 20
"""How many names an error message lists."""


@dataclass(frozen=True)
class Result:
    """What a run found: its scores, its samples, its report. ``print(result)`` shows the table."""

    folder: Path

    @cached_property
    def run(self) -> Run:
        """The run's files."""
        return load_run(self.folder)

    @property
    def results(self) -> dict[str, Any]:
        """All of results.json."""
        return dict(self.run.results)

    @cached_property
    def scores(self) -> list[Score]:
        """Every score of the run."""
        return [score_from(record) for record in self.run.results["scores"]]

    def score(self, metric: str, part: str = "", suite: str | None = None) -> Score:
        """One score, e.g. ``score("rad.forward", "test=Y/N←C")``; ``suite`` says whose, where several have it."""
        found = [s for s in self.scores if s.metric == metric and s.part == part and suite in (None, s.suite)]
        if len(found) > 1:
            suites = ", ".join(score.suite for score in found)
            raise UsageError(f"{metric!r} is a score of several suites: {suites}. Say which: suite={found[0].suite!r}.")
        if not found:
            raise UsageError(self._unknown(metric, part, suite))
        return found[0]

    def _unknown(self, metric: str, part: str, suite: str | None) -> str:
        """What there is in the place of a score that is not there."""
        near = [score for score in self.scores if suite in (None, score.suite)]
        if not near:
            return f"There is no suite {suite!r} in this run. Suites: {_listed(score.suite for score in self.scores)}."
        parts = [score.part for score in near if score.metric == metric]
        if not parts:
            return f"There is no score {metric!r}. Metrics: {_listed(score.metric for score in near)}."
        return f"{metric!r} has no part {part!r}. Parts, besides the whole: {_listed(filter(None, parts))}."

    def samples(self) -> Iterator[Outcome]:
        """The outcomes, streamed."""
        for number, (_, record) in enumerate(self.run.outcomes(), start=1):
            yield self._with_images(read_outcome(record, f"{self.run.samples}, sample {number}"))

    def _with_images(self, outcome: Outcome) -> Outcome:
        """The outcome with the paths of its images on this machine, where they are known."""
        group = outcome.group
        variants = tuple(replace(v, question=self._with_image(v.question)) for v in group.variants)
        return replace(outcome, group=replace(group, original=self._with_image(group.original), variants=variants))

    def _with_image(self, question: Question) -> Question:
        found = question.image and question.image.path and self.run.image(question.image.path)
        return (
            replace(question, image=replace(question.image, path=str(found))) if question.image and found else question
        )

    def report(self, path: str | Path, published: bool = True) -> Path:
        """Write the report page (and the tables beside it), without the papers' figures if so asked; gives its path."""
        write_report([self.run if published else without_published(self.run)], Path(path))
        return Path(path)

    def __str__(self) -> str:
        return terminal_summary([self.run])


def evaluate(
    model: str | Model | Streams | Callable[..., Any],
    data: str | Path | Dataset | Iterable[Question],
    suite: str | Suite | Sequence[str | Suite] = "rad",
    *,
    output: str | Path | None = None,
    images: str | None = None,
    name: str | None = None,
    **settings: Any,
) -> Result:
    """Ask a model a suite's questions about data, and score the answers.

    ``model`` is a spec (``"constant:yes"``), a model (an object with ``answer`` or ``stream``), or a function
    ``f(image, question) -> str``; ``data`` a path, a spec (``"world:split=val"``), a data set, or questions; ``suite``
    a spec, a suite, or several. ``settings`` are those of :class:`askew.engine.settings.Settings` (``limit``, ...).
    Without ``output`` the files lie in a temporary folder as long as the result lives; with it, the same call after an
    interruption goes on.
    """
    parts = [suite] if isinstance(suite, str) or not isinstance(suite, Sequence) else suite
    if not parts:
        raise UsageError("There is no suite in the list: give at least one, e.g. suite='rad'.")
    how, asked = settings_from(settings), as_model(model, name)
    if output is not None and ONCE in asked.spec:
        warnings.warn(
            f"{asked.name} holds what cannot be told from outside, so no answers of an earlier call are taken. Give it "
            "an attribute 'version' that says when it changes.",
            stacklevel=2,
        )
    source, suites = as_data(data, images), [as_suite(part) for part in parts]
    folder = Path(output or tempfile.mkdtemp(prefix="askew-"))
    with ExitStack() as failed:
        if output is None:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
        with alone_in(folder):
            if output is not None:
                claim_folder(folder, [asked], source, suites, how)
            begin(folder)
            prepared = prepare(source, suites, folder, how)
            for told in empty_suites(prepared):
                warnings.warn(told, stacklevel=2)
            results = run(asked, prepared, folder, how, "askew.evaluate(...)")
            for told in form_sentences(results, WRONG):
                warnings.warn(told, stacklevel=2)
            check_failures(results)
        result = Result(folder)
        weakref.finalize(result, failed.pop_all().close)
    return result


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


def _listed(names: Iterable[str]) -> str:
    found = sorted(set(names))
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return (", ".join(found[:LISTED]) or "none") + more


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
