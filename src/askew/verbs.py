"""The verbs of askew: what each kind of component does with the nouns of ``types.py``. Protocols; no I/O.

Every method and attribute of components that askew uses is declared here. What a component *must* have is in
``Dataset``, ``Suite``, ``Model``, ``Metric``, ``Ranker``, ``Encoder``, ``Loss``, ``Proposals``, ``Constraint`` and
``Search``. What it *may* have is defined in ``optional_verbs.py`` and imported from here too.
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
    CandidateValue,
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
    "WantsRise",
    "WrapsDataset",
]


class Dataset(Protocol):
    """A source of questions that can be read again and again. Its ``repr`` is its signature."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    @property
    def skipped(self) -> Sequence[str]:
        """What the last reading skipped under ``--skip-bad``, one sentence each."""
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
        """Its name in specs."""
        ...

    @property
    def title(self) -> str:
        """Its name in headings."""
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
        """Its metrics by name, e.g. ``rad.forward``."""
        ...

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's tables."""
        ...

    @property
    def accuracy(self) -> Mode:
        """The mode of VQA accuracy in which its samples are judged."""
        ...

    @property
    def correct(self) -> str:
        """When an answer counts as correct: modal, any, or a threshold on the accuracy."""
        ...

    @property
    def headline(self) -> tuple[str, str]:
        """The metric that sums up the suite, and a sentence that states it.

        The sentence continues "The model correctly answers 81 % of the questions, but ..." and has a ``{value}``,
        e.g. ``of those it answers only {value} correctly when asked as yes/no``.
        """
        ...

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """The groups made from this data, streamed, with refusals that say what was left out and why."""
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
        """Rank the pool for each question of the data and write the rankings; returns their number and the files."""
        ...


@runtime_checkable
class Perturbation(Protocol):
    """Makes variants of one question. ``rng`` is seeded by content, so order and workers do not matter."""

    def vary(self, question: Question, rng: Random) -> Iterable[Variant | Refusal]:
        """The variants of this question; nothing if no rule matches it."""
        ...


@runtime_checkable
class Model(Protocol):
    """Answers questions, many at a time. Its ``repr`` is its signature."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """One prediction for each question, in order; a failure is a prediction with an error."""
        ...


@runtime_checkable
class Metric(Protocol):
    """A score as a function of summed rows, so that every metric can use the same interval and the same paired test.

    Subclass it and write ``measure``, and ``combine`` if the score is not the ratio of two columns; the attributes have
    defaults, and further methods are optional (the protocols ``TellsFraction``, ``FillsMissing``, ...). Its ``repr`` is
    printed as a footnote to the score.
    """

    least: ClassVar[float] = 0.0
    """The lowest value that it (or its fraction, see ``TellsFraction``) can have; the highest is 1."""
    share: ClassVar[bool] = True
    """Whether it lies between ``least`` and 1. If not (a mean number of tries), its interval is not clipped."""
    pairwise: ClassVar[bool] = False
    """Whether a row is (successful pairs, pairs): McNemar's test then compares groups in which all pairs succeed."""
    outer_bounds: ClassVar[bool] = False
    """Whether its bounds for missing answers may be wider than necessary; the signature says so."""
    zero_is_best: ClassVar[bool] = False
    """Whether zero is the best value (a gap): values on the better side of zero count as zero."""

    signed: ClassVar[bool] = False
    """Whether it may be negative, so that its values are printed with a sign."""
    conditional: ClassVar[bool] = False
    """Whether a perfectly consistent model scores 1 regardless of its accuracy."""
    consistency: ClassVar[bool] = False
    """Whether it says how consistent answers are: a report shows the first such metric of a suite test by test."""

    @property
    def better(self) -> Literal[-1, 0, 1]:
        """1 if higher is better, -1 if lower is, 0 if neither; the gate ignores metrics with 0."""
        return 1

    @property
    def title(self) -> str:
        """Its name in tables; if empty, its name in the suite."""
        return ""

    @property
    def stands_for(self) -> str:
        """What an abbreviation in the title stands for."""
        return ""

    @property
    def sentence(self) -> str:
        """What it counts, in a few words; the report shows it beside the title."""
        return ""

    @property
    def unit(self) -> Literal["%", ""]:
        """``%``, or empty for values that are printed as they are."""
        return "%"

    @property
    def digits(self) -> int | None:
        """How many decimals of its values are printed; by default one in per cent, otherwise two."""
        return None

    @property
    def detail(self) -> bool:
        """Whether it is one of many similar metrics of a suite, which only the page of a report shows."""
        return False

    @property
    def parts(self) -> tuple[str, ...]:
        """The scores of its suite before and after the change that it compares, if it is not a share itself."""
        return ()

    @abstractmethod
    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """The row of this group, or None if the metric does not apply to it.

        ``failed`` says how missing answers count: None leaves them out (the result is None if the metric needs them),
        0.0 counts them as wrong, 1.0 as correct.
        """
        ...

    def combine(self, sums: Any) -> Any:
        """The score from column sums of shape (columns,) or, vectorised, (columns, many); nan for no data.

        By default the first column over the second.
        """
        import numpy as np  # askew collect serve starts without it

        with np.errstate(divide="ignore", invalid="ignore"):
            return np.divide(sums[0], sums[1])


class FittedRanker(Protocol):
    """A ranker fitted to a pool."""

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` best texts of the pool for each text, never the text itself; independent of batches and order."""
        ...


class Ranker(Protocol):
    """Orders a pool of texts by their similarity to a text. Its ``repr`` is its signature."""

    def fit(self, pool: Sequence[str]) -> FittedRanker:
        """Process the pool once: index it, or turn it into vectors."""
        ...


@runtime_checkable
class FitsByExecutor(Protocol):
    """A ranker that several workers fit to its pool; they then receive the fitted ranker."""

    def fit_by(self, pool: Sequence[str], executor: Executor) -> FittedRanker:
        """Like ``fit``, with the work shared by workers."""
        ...


class Encoder(Protocol):
    """Turns texts into vectors of unit length. Its ``repr`` is its signature."""

    def encode(self, texts: Sequence[str]) -> Any:
        """One float32 row per text."""
        ...


@runtime_checkable
class EncodesByExecutor(Protocol):
    """An encoder that can encode texts with several workers."""

    def encode_by(self, texts: Sequence[str], executor: Executor) -> Any:
        """Like ``encode``, with the work shared by workers."""
        ...


@runtime_checkable
class Loss(Protocol):
    """A term added to the answer loss in training. Its ``repr`` is its signature."""

    needs_modules: ClassVar[bool] = False
    """Whether it compares module weights, so that it can only train networks that choose among modules."""

    def term(self, step: Any) -> Any:
        """A scalar torch tensor, or None if this step has no term; ``step`` is a ``train.losses.Step``."""
        ...


class Executor(Protocol):
    """Runs work in this process, in several, or on several hosts. Use it in a ``with`` statement.

    Results must not depend on it, so it is not part of any signature. The work is a picklable function that gets
    everything as arguments and does not write files or store answers; only the calling process does.
    """

    @property
    def width(self) -> int:
        """How many items are processed at the same time."""
        ...

    def map(self, work: Callable[[Item], Made], items: Iterable[Item], chunk: int = 1) -> Iterator[Made]:
        """The results in order, computed a few items ahead; ``chunk`` items are sent at a time, ``work`` only once."""
        ...

    def each(
        self, start: Callable[[], Callable[[Item], Made]], items: Iterable[Item]
    ) -> Iterator[tuple[int, Made | LostWorker]]:
        """The position and the result of each item, in any order. ``start`` is called once in each worker, e.g. to load
        a model, and returns the function that processes an item. Items of lost workers are not repeated here.
        """
        ...

    def __enter__(self) -> Executor: ...

    def __exit__(self, *error: Any) -> None: ...


@runtime_checkable
class BuildsByExecutor(Protocol):
    """A suite that can build its groups with several workers."""

    def groups_by(self, data: Dataset, seed: int, executor: Executor) -> Iterator[Group | Refusal]:
        """Like ``groups``, with the work shared by workers."""
        ...


@runtime_checkable
class SeesFiles(Protocol):
    """An executor on other hosts, which may lack the files of this host."""

    def sees(self, image: ImageRef) -> bool:
        """Whether every worker finds the same image file at its path."""
        ...


class Proposals(Protocol):
    """What an attack may replace in a question, and by what. Its ``repr`` is its signature."""

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """The places of each question, in text order; they do not depend on the other questions."""
        ...


@runtime_checkable
class Constraint(Protocol):
    """Decides which rewordings still ask the same question. Subclass it; its ``repr`` is its signature."""

    by_word: ClassVar[bool] = False
    """True if it judges each change independently of the rest of the text. It is then applied to every swap before the
    model is queried, and words that are left without swaps are not considered further."""

    @abstractmethod
    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate is allowed; independent of the other candidates."""
        ...


class Search(Protocol):
    """Searches for a rewording that fools a model it has no access to. Its ``repr`` is its signature."""

    def run(
        self, question: Question, places: Sequence[Place], rng: Random
    ) -> Generator[Sequence[Candidate], Sequence[CandidateValue | None], Candidate | None]:
        """Yield candidates and receive the value of each; None for one that was not tried (a constraint rejected it,
        the budget is spent) or whose request failed. Returns the rewording found, otherwise the best try, or None.
        """
        ...


@runtime_checkable
class WantsRise(Protocol):
    """A search that ranks words by importance as TextFooler's code does."""

    @property
    def wants_rise(self) -> bool:
        """Whether it needs ``CandidateValue.rise``: how much the probability of a probe's new answer rose."""
        ...
