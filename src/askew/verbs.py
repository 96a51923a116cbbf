"""The verbs of askew: what each kind of component does with the nouns of ``types.py``. Protocols; no I/O.

Everything that askew may ask of a component stands here. What a component *must* have is in ``Dataset``, ``Suite``,
``Model``, ``Metric``, ``Ranker``, ``Encoder``, ``Loss``, ``Proposals``, ``Constraint`` and ``Search``. What it *may*
have is defined in ``optional_verbs.py`` and imported from here too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, Protocol, TypeVar, runtime_checkable

from askew.optional_verbs import (
    ComparesAnswers,
    Connects,
    CountsCorrect,
    DatasetFacts,
    Estimates,
    FillsMissing,
    FindsById,
    Fingerprints,
    GivesBounds,
    GivesInterval,
    HidesSecrets,
    HoldsGroups,
    LearnsSwaps,
    MapsFraction,
    ModelFacts,
    Prepares,
    Previews,
    Prices,
    ReadsAhead,
    Releases,
    Resolver,
    Scores,
    ShowsSteps,
    Similar,
    Streams,
    SuiteFacts,
    TakesBatches,
    TellsFraction,
)
from askew.types import (
    Candidate,
    Group,
    ImageRef,
    LostWorker,
    Mode,
    Outcome,
    Place,
    Prediction,
    Question,
    Ranked,
    Refusal,
    Row,
    Table,
    Value,
    Variant,
)

Item = TypeVar("Item")
Made = TypeVar("Made")

__all__ = [
    "BuildsByExecutor",
    "ComparesAnswers",
    "Connects",
    "Constraint",
    "CountsCorrect",
    "Dataset",
    "DatasetFacts",
    "Encoder",
    "EncodesByExecutor",
    "Estimates",
    "Executor",
    "FillsMissing",
    "FindsById",
    "Fingerprints",
    "FitsByExecutor",
    "FittedRanker",
    "GivesBounds",
    "GivesInterval",
    "HidesSecrets",
    "HoldsGroups",
    "LearnsSwaps",
    "Loss",
    "MakesRankings",
    "MakesTraining",
    "MapsFraction",
    "Metric",
    "Model",
    "ModelFacts",
    "Perturbation",
    "Prepares",
    "Previews",
    "Prices",
    "Proposals",
    "Ranker",
    "ReadsAhead",
    "Releases",
    "Resolver",
    "Scores",
    "Search",
    "SeesFiles",
    "ShowsSteps",
    "Similar",
    "Streams",
    "Suite",
    "SuiteFacts",
    "TakesBatches",
    "TellsFraction",
    "WrapsDataset",
]


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


@runtime_checkable
class WrapsDataset(Protocol):
    """A data set that reads another one, e.g. to count its questions."""

    @property
    def source(self) -> Dataset:
        """The data set that is read."""
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
        """When an answer counts as correct: modal, any, or a threshold on the accuracy."""
        ...

    @property
    def headline(self) -> tuple[str, str]:
        """The metric that sums the suite up, and how a sentence says it.

        The sentence continues "The model correctly answers 81 % of the questions, but ..." and has a ``{value}``,
        e.g. ``of those it answers only {value} correctly when asked as yes/no``.
        """
        ...

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """The groups made from this data, streamed; refusals say what was left out and why."""
        ...


@runtime_checkable
class MakesTraining(Protocol):
    """A suite that makes questions to train on (``askew build --for training``)."""

    def training(self, data: Dataset, seed: int) -> Iterator[Question]:
        """The questions made from this data, streamed."""
        ...


@runtime_checkable
class MakesRankings(Protocol):
    """A suite that ranks a pool of questions for each question (``askew build --for ranking``)."""

    def write_rankings(
        self, data: Dataset, folder: Path, limit: int | None, executor: Executor | None
    ) -> tuple[int, Sequence[Path]]:
        """Rank for the questions of the data and write the rankings; returns how many they are, and the files."""
        ...


@runtime_checkable
class Perturbation(Protocol):
    """Makes variants of one question. ``Random`` is seeded by content, so order and workers do not matter."""

    def vary(self, question: Question, rng: Random) -> Iterable[Variant | Refusal]:
        """The variants of this question; nothing at all when no rule matches it."""
        ...


@runtime_checkable
class Model(Protocol):
    """Answers questions, many at a time. Its ``repr`` is its signature."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """One prediction for each question, in order; a failure is a prediction with an error."""
        ...


@runtime_checkable
class Metric(Protocol):
    """A score as a function of summed rows, so one interval and one paired test serve every metric.

    Subclass it: ``measure`` and ``combine`` must be written, plain facts have defaults, and what else a metric can do
    are the protocols below (``TellsFraction``, ``FillsMissing``, ...). Its ``repr`` is the footnote under its number.
    """

    least: ClassVar[float] = 0.0
    """The lowest value that it (or its fraction, see ``TellsFraction``) can have; the highest is 1."""
    share: ClassVar[bool] = True
    """Whether it lies between ``least`` and 1. If not (a mean number of tries), its interval has no ends to keep to."""
    pairwise: ClassVar[bool] = False
    """Whether a row is (pairs that succeeded, pairs): McNemar's test then compares groups that succeed as a whole."""
    outer_bounds: ClassVar[bool] = False
    """Whether its bounds for missing answers may be wider than what can be reached; the signature says so."""
    zero_is_best: ClassVar[bool] = False
    """Whether values on the better side of zero are no better than zero (a gap): only the other side costs anything."""

    @property
    def better(self) -> Literal[-1, 0, 1]:
        """1 when higher is better, -1 when lower is, 0 when neither is; the gate leaves the last out."""
        return 1

    @abstractmethod
    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """A few numbers for this group, or None when it has nothing to say here.

        ``failed`` says what a missing answer counts as: None leaves it out (the group gives None when the
        metric cannot do without it), 0.0 takes it as wrong, 1.0 as correct.
        """
        ...

    @abstractmethod
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


@runtime_checkable
class FitsByExecutor(Protocol):
    """A ranker whose pool is read once, with the work shared by workers; they then get the fitted ranker."""

    def fit_by(self, pool: Sequence[str], executor: Executor) -> FittedRanker:
        """The same as ``fit``."""
        ...


class Encoder(Protocol):
    """Turns texts into vectors of unit length. Its ``repr`` is its signature."""

    def encode(self, texts: Sequence[str]) -> Any:
        """One float32 row per text."""
        ...


@runtime_checkable
class EncodesByExecutor(Protocol):
    """An encoder whose texts may be encoded by several workers."""

    def encode_by(self, texts: Sequence[str], executor: Executor) -> Any:
        """The same as ``encode``."""
        ...


@runtime_checkable
class Loss(Protocol):
    """Adds a term to the answer loss in training. Its ``repr`` is its signature."""

    needs_modules: ClassVar[bool] = False
    """True when it compares module weights, so that only networks that choose among modules can be trained with it."""

    def term(self, step: Any) -> Any:
        """One number as a torch tensor, or None when this step has no term; ``step`` is a ``train.losses.Step``."""
        ...


class Executor(Protocol):
    """Where work is done: in this process, in several, or on several hosts. Use it in a ``with`` statement.

    Results may not depend on it, so it is part of no signature. Work gets everything as an argument, can be pickled,
    and neither writes files nor answers: only the process that gave the work does.
    """

    @property
    def width(self) -> int:
        """How many items are worked on at the same time."""
        ...

    def map(self, work: Callable[[Item], Made], items: Iterable[Item], chunk: int = 1) -> Iterator[Made]:
        """The results in order, computed a few items ahead; ``chunk`` items are sent at once, ``work`` only once."""
        ...

    def each(
        self, start: Callable[[], Callable[[Item], Made]], items: Iterable[Item]
    ) -> Iterator[tuple[int, Made | LostWorker]]:
        """The place and the result of each item, in any order; ``start`` is called once in each worker, e.g. to load a
        model, and returns what does the work. An item whose worker was lost is not repeated here.
        """
        ...

    def __enter__(self) -> Executor: ...

    def __exit__(self, *error: Any) -> None: ...


@runtime_checkable
class BuildsByExecutor(Protocol):
    """A suite whose groups several workers can build."""

    def groups_by(self, data: Dataset, seed: int, executor: Executor) -> Iterator[Group | Refusal]:
        """The same as ``groups``, with the work shared by workers."""
        ...


@runtime_checkable
class SeesFiles(Protocol):
    """An executor on other hosts, which may not have the files of this one."""

    def sees(self, image: ImageRef) -> bool:
        """Whether every worker finds the same image at its path."""
        ...


class Proposals(Protocol):
    """What an attack may replace in a question, and by what. Its ``repr`` is its signature."""

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """The places of each question, in the order of its text; they do not depend on the other questions."""
        ...


@runtime_checkable
class Constraint(Protocol):
    """Says which rewordings still ask the same question. Subclass it; its ``repr`` is its signature."""

    by_word: ClassVar[bool] = False
    """True when it judges each change by itself, whatever the rest of the text: it is then applied to every swap
    before anything is asked, and a word without swaps is not weighed either."""

    @abstractmethod
    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate may be asked; the same whatever the other candidates."""
        ...


class Search(Protocol):
    """Looks for a rewording that fools a model; it knows no model, batch or store. Its ``repr`` is its signature."""

    def run(
        self, question: Question, places: Sequence[Place], rng: Random
    ) -> Generator[Sequence[Candidate], Sequence[Value | None], Candidate | None]:
        """Yield candidates and receive what each is worth; None for one that was not asked (a constraint dropped it,
        the budget is spent) or whose request failed. Returns the rewording found, or the best try, or None.
        """
        ...


@runtime_checkable
class WantsRise(Protocol):
    """A search that weighs words as TextFooler's code does."""

    @property
    def wants_rise(self) -> bool:
        """Whether a probe with another answer must say how much that answer's probability rose (``Value.rise``)."""
        ...
