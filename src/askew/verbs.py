"""The verbs of askew: what each kind of component does with the nouns of ``types.py``. Protocols; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Protocol, runtime_checkable

from askew.types import Group, Mode, Outcome, Prediction, Question, Ranked, Refusal, Row, Table, Variant


class Dataset(Protocol):
    """A source of questions that can be read again and again. Its ``repr`` is its signature."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    @property
    def skipped(self) -> Sequence[str]:
        """What the last reading left out under ``--skip-bad``, one sentence each."""
        ...

    def questions(self) -> Iterator[Question]:
        """The questions, streamed, in the order of the file."""
        ...


class Suite(Protocol):
    """A published robustness evaluation: how groups are made from data, what is measured, which tables it prints.

    Its ``repr`` is its signature.
    """

    @property
    def name(self) -> str:
        """What people type."""
        ...

    @property
    def title(self) -> str:
        """What a heading calls it."""
        ...

    @property
    def paper(self) -> str:
        """Where it was published."""
        ...

    @property
    def tests(self) -> Sequence[str]:
        """The names that variants carry as ``test``, in the paper's order."""
        ...

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Names such as ``rad.forward`` and what measures them."""
        ...

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's tables."""
        ...

    @property
    def accuracy(self) -> Mode:
        """The mode of VQA accuracy that its samples are judged by."""
        ...

    @property
    def correct(self) -> str:
        """When an answer counts as right: modal, any, or a threshold on the accuracy."""
        ...

    @property
    def headline(self) -> tuple[str, str]:
        """The metric that sums the suite up, and how a sentence says it.

        The sentence continues "The model correctly answers 81 % of the questions, but ..." and has a ``{value}``,
        e.g. ``of those it gets only {value} right when asked as yes/no``.
        """
        ...

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """The groups made from this data, streamed; refusals say what was left out and why."""
        ...


@runtime_checkable
class Perturbation(Protocol):
    """Makes variants of one question. ``Random`` is seeded by content, so order and workers do not matter."""

    def vary(self, question: Question, rng: Random) -> Iterable[Variant | Refusal]:
        """The variants of this question; nothing at all when no rule matches it."""
        ...


@runtime_checkable
class Prepares(Protocol):
    """A perturbation that works faster when it sees many questions first (a tagger's batch)."""

    def prepare(self, questions: Sequence[Question]) -> None:
        """Look at these questions; ``vary`` is called on each of them next, and gives the same without this."""
        ...


@runtime_checkable
class Model(Protocol):
    """Answers questions, many at a time. Its ``repr`` is its signature."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """One prediction for each question, in order; a failure is a prediction with an error."""
        ...


@runtime_checkable
class Streams(Protocol):
    """A model that answers many questions at once and gives each answer as it comes (an endpoint)."""

    def stream(self, questions: Sequence[Question]) -> Iterator[Prediction]:
        """One prediction for each question, in any order. Ids of the questions are all different."""
        ...


@runtime_checkable
class Metric(Protocol):
    """A score as a function of summed rows, so one interval and one paired test serve every metric.

    Its ``repr`` is the footnote under its number.
    """

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """A few numbers for this group, or None when it has nothing to say here.

        ``failed`` says what a missing answer counts as: None leaves it out (the group gives None when the
        metric cannot do without it), 0.0 takes it as wrong, 1.0 as right.
        """
        ...

    def combine(self, sums: Any) -> Any:
        """The score from column sums of shape (columns,) or, vectorised, (columns, many); nan for no data."""
        ...


class FittedRanker(Protocol):
    """A ranker that has read its pool."""

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` best of the pool for each text, never the text itself; the same in any batch and any order."""
        ...


class Ranker(Protocol):
    """Orders a pool of texts by how near they are to a text. Its ``repr`` is its signature."""

    def fit(self, pool: Sequence[str]) -> FittedRanker:
        """Read the pool once: index it, or turn it into vectors."""
        ...


class Encoder(Protocol):
    """Turns texts into vectors of unit length. Its ``repr`` is its signature."""

    def encode(self, texts: Sequence[str]) -> Any:
        """One float32 row per text."""
        ...


@runtime_checkable
class Loss(Protocol):
    """Adds a term to the answer loss in training. Its ``repr`` is its signature."""

    needs_modules: ClassVar[bool] = False
    """True when it compares module weights, so that only networks that choose among modules can be trained with it."""

    def term(self, step: Any) -> Any:
        """One number as a torch tensor, or None when this step has no term; ``step`` is a ``train.losses.Step``."""
        ...
