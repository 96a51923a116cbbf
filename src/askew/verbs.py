"""The verbs of askew: what each kind of component does with the nouns of ``types.py``. Protocols; no I/O.

Everything that askew may ask of a component stands here. What a component *must* have is in ``Dataset``, ``Suite``,
``Model``, ``Metric``, ``Ranker``, ``Encoder`` and ``Loss``. What it *may* have is of two sorts: optional methods are
small protocols of their own (``Streams``, ``Releases``, ...), checked with ``isinstance``; plain facts
(``blind = True``) are fields that ``ModelFacts``, ``SuiteFacts`` and ``DatasetFacts`` read, with a default for
components that do not have them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from askew.types import (
    Candidate,
    Group,
    Id,
    Mode,
    Outcome,
    Place,
    Prediction,
    Question,
    Ranked,
    Refusal,
    Row,
    Table,
    TokenEstimate,
    Value,
    Variant,
)


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
class HoldsGroups(Protocol):
    """A data set of ready-made groups: they are asked as they are, and suites make none from its questions."""

    def groups(self) -> Iterator[Group]:
        """The groups, streamed, in the order of the file."""
        ...


@runtime_checkable
class Fingerprints(Protocol):
    """A data set that can say what it contains, so that a folder with results of other contents is recognised."""

    def fingerprint(self) -> str:
        """A few digits: the same for the same contents, wherever they lie."""
        ...


@runtime_checkable
class WrapsDataset(Protocol):
    """A data set that reads another one, e.g. to count its questions."""

    @property
    def source(self) -> Dataset:
        """The data set that is read."""
        ...


@dataclass(frozen=True)
class DatasetFacts:
    """Plain facts about a data set: its own fields of these names, or the defaults."""

    data: object

    @property
    def counted(self) -> str:
        """What one item of the data is called in datasheets. Default: ``question``."""
        return str(getattr(self.data, "counted", "question"))

    @property
    def images(self) -> str | None:
        """The folder of its images, which file names in what askew writes are relative to. Default: None."""
        return _text(getattr(self.data, "images", None))

    @property
    def path(self) -> str | None:
        """Its file; images are looked for relative to that file's folder where ``images`` is None. Default: None."""
        return _text(getattr(self.data, "path", None))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


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
class Releases(Protocol):
    """A suite that writes its benchmark in its paper's own format too (``askew build``)."""

    def release(self, groups: Iterable[Group], folder: Path) -> Iterable[str | Path] | None:
        """Write the groups into the folder; gives the paths of the files."""
        ...


@runtime_checkable
class MakesTraining(Protocol):
    """A suite that makes questions to train on (``askew build --for training``)."""

    def training(self, data: Dataset, seed: int) -> Iterator[Question]:
        """The questions made from this data, streamed."""
        ...


@dataclass(frozen=True)
class SuiteFacts:
    """Plain facts about a suite: its own fields of these names, or the defaults."""

    suite: object

    @property
    def slices(self) -> Sequence[str] | None:
        """What scores are broken down by: ``test``, ``answer_type``, a key of a variant's note, ...

        Default: None, which stands for askew's own list.
        """
        found: Sequence[str] | None = getattr(self.suite, "slices", None)
        return found

    @property
    def notes(self) -> Sequence[str]:
        """Sentences on how the groups were made, for results and datasheets: versions it rests on. Default: none."""
        return tuple(getattr(self.suite, "notes", ()))


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
class Scores(Protocol):
    """A model that can say how probable a given answer is, its own or another one (attacks search by it)."""

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The probability, from 0 to 1, of each answer to the question at its place; nan where it cannot be asked.

        For the model's own answer it is ``Prediction.score``; for one that the model can never give, 0.
        """
        ...


@runtime_checkable
class Estimates(Protocol):
    """A model that can say what asking will take (``askew run --dry-run``)."""

    def estimate(self, questions: Iterable[Question]) -> TokenEstimate:
        """Calls and tokens for these questions, without asking."""
        ...


@runtime_checkable
class Prices(Protocol):
    """A model that knows what tokens cost."""

    def price(self, read: int, written: int) -> float | None:
        """The cost of so many tokens; None where no price is known."""
        ...


@runtime_checkable
class HidesSecrets(Protocol):
    """A model whose spec may hold a key or a password."""

    def hide(self, text: str) -> str:
        """The text (a spec, a command, a signature) without its secrets."""
        ...


@runtime_checkable
class FindsById(Protocol):
    """A model ``by_id`` that calls questions by other ids than the data does."""

    def key(self, question_id: Id) -> Id:
        """The id under which the answer to this question is found."""
        ...


@dataclass(frozen=True)
class ModelFacts:
    """Plain facts about a model: its own fields of these names, or the defaults."""

    model: object

    @property
    def free_text(self) -> bool:
        """Whether it answers in words of its own: a short answer is extracted and compared after normalisation. False
        for classifiers, whose answers are compared as the suite says. Default: True.
        """
        return bool(getattr(self.model, "free_text", True))

    @property
    def by_id(self) -> bool:
        """Whether an answer belongs to a question's id, as in a file, not to what was asked. Default: False."""
        return bool(getattr(self.model, "by_id", False))

    @property
    def blind(self) -> bool:
        """Whether it never looks at the image, so that no image file is read. Default: False."""
        return bool(getattr(self.model, "blind", False))

    @property
    def opens_images(self) -> bool:
        """Whether it opens image files itself: a question whose image file is not known is refused before anything is
        asked. Default: False.
        """
        return bool(getattr(self.model, "opens_images", False))


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


@runtime_checkable
class TellsFraction(Protocol):
    """A metric that is one fraction of linear functions of its sums, other than the first column over the second.

    Intervals and bounds for missing answers are exact for fractions. Without it, a metric of two columns is taken as
    their ratio; one of more columns is linearised image by image, and has no bounds.
    """

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """Numerator and denominator from column sums, of shape (columns,) or (columns, many)."""
        ...


@runtime_checkable
class MapsFraction(TellsFraction, Protocol):
    """A metric that is a function of its fraction (R_score of the accuracy lost)."""

    def of_fraction(self, low: float, high: float) -> tuple[float, float]:
        """The lowest and highest value of the metric when its fraction is between these."""
        ...


@runtime_checkable
class GivesInterval(Protocol):
    """A metric with an interval of its own."""

    def interval(self, images: Any, tails: float) -> tuple[float, float]:
        """The interval that leaves out the probability ``tails``; ``images`` are rows summed by image."""
        ...


@runtime_checkable
class GivesBounds(Protocol):
    """A metric with bounds for missing answers of its own."""

    def bounds(self, fillable: Any) -> tuple[float, float]:
        """The lowest and highest value over all sums that are possible, an ``askew.metrics.bounds.Fillable``."""
        ...


@runtime_checkable
class FillsMissing(Protocol):
    """A metric that says which answers in the place of missing ones its extremes are among.

    Without it, one that ``ComparesAnswers`` gets answers that are correct or wrong; any other is measured with
    ``failed`` as 0.0 and as 1.0.
    """

    def fillings(self, outcome: Outcome) -> Iterable[Outcome]:
        """The outcome with answers filled in, in a few ways."""
        ...


@runtime_checkable
class ComparesAnswers(Protocol):
    """A metric that compares answers with people's, in a mode of VQA accuracy."""

    @property
    def mode(self) -> Mode:
        """The mode."""
        ...


@runtime_checkable
class CountsCorrect(ComparesAnswers, Protocol):
    """A metric that takes an answer as correct or wrong, by a rule."""

    @property
    def correct(self) -> str:
        """The rule: ``modal``, ``any``, or a threshold on the accuracy such as ``>=0.5``."""
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


@runtime_checkable
class ReadsAhead(Protocol):
    """A constraint that works faster when it sees the texts of many questions first (a tagger, an encoder)."""

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Look at these texts; ``keep`` is called on them next, and gives the same without this."""
        ...


@runtime_checkable
class Similar(Protocol):
    """A constraint that measures how similar a rewording is to its original."""

    def similarity(self, original: Question, candidates: Sequence[Candidate]) -> list[float]:
        """From 0 to 1 for each candidate."""
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
