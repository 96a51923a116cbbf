"""The verbs of askew: what each kind of component does with the nouns of ``types.py``. Protocols; no I/O.

Every method and attribute of components that askew uses is declared here. What a component *must* have comes first:
``Dataset``, ``Suite``, ``Model``, ``Metric``, ``Ranker``, ``Encoder``, ``Loss``, ``Proposals``, ``Constraint`` and
``Search``. What it *may* have follows: optional methods are small protocols of their own (``Streams``, ``Releases``),
checked with ``isinstance``; plain attributes (``blind = True``) are read through ``ModelFacts``, ``SuiteFacts`` and
``DatasetFacts``, which have a default for components without them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from askew.types import (
    AttentionStep,
    Candidate,
    CandidateValue,
    Group,
    Id,
    ImageRef,
    LostWorker,
    MetricFacts,
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
    Variant,
)

Item = TypeVar("Item")
Made = TypeVar("Made")

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the network addresses to connect to for a host and port, or raises an error to refuse the connection."""


class Dataset(Protocol):
    """A source of questions that can be read again and again. Its ``repr`` is its signature."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    @property
    def skipped(self) -> Sequence[str]:
        """What the last reading skipped under ``--skip-bad``, one sentence each."""

    def questions(self) -> Iterator[Question]:
        """The questions, streamed, in the order of the file."""


@runtime_checkable
class WrapsDataset(Protocol):
    """A data set that reads another one, e.g. to count its questions."""

    @property
    def source(self) -> Dataset:
        """The data set that is read."""


class Suite(Protocol):
    """A published robustness evaluation: how groups are made from data, what is measured, which tables it prints.

    Its ``repr`` is its signature.
    """

    @property
    def name(self) -> str:
        """Its name in specs."""

    @property
    def title(self) -> str:
        """Its name in headings."""

    @property
    def paper(self) -> str:
        """Where it was published."""

    @property
    def tests(self) -> Sequence[str]:
        """The names that variants carry as ``test``, in the paper's order."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Its metrics by name, e.g. ``rad.forward``."""

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's tables."""

    @property
    def accuracy(self) -> Mode:
        """The mode of VQA accuracy in which its samples are judged."""

    @property
    def correct(self) -> str:
        """When an answer counts as correct: modal, any, or a threshold on the accuracy."""

    @property
    def headline(self) -> tuple[str, str]:
        """The metric that sums up the suite, and a sentence that states it.

        The sentence continues "The model correctly answers 81 % of the questions, but ..." and has a ``{value}``,
        e.g. ``of those it answers only {value} correctly when asked as yes/no``.
        """

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """The groups made from this data, streamed, with refusals that say what was left out and why."""


@runtime_checkable
class MakesTraining(Protocol):
    """A suite that makes questions to train on (``askew build --for training``)."""

    def training(self, data: Dataset, seed: int) -> Iterator[Question]:
        """The questions made from this data, streamed."""


@runtime_checkable
class MakesRankings(Protocol):
    """A suite that ranks a pool of questions for each question (``askew build --for ranking``)."""

    def write_rankings(
        self, data: Dataset, folder: Path, limit: int | None, executor: Executor | None
    ) -> tuple[int, Sequence[Path]]:
        """Rank the pool for each question of the data and write the rankings; returns their number and the files."""


@runtime_checkable
class Perturbation(Protocol):
    """Makes variants of one question. ``rng`` is seeded by content, so order and workers do not matter."""

    def vary(self, question: Question, rng: Random) -> Iterable[Variant | Refusal]:
        """The variants of this question; nothing if no rule matches it."""


@runtime_checkable
class Model(Protocol):
    """Answers questions, many at a time. Its ``repr`` is its signature."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """One prediction for each question, in order; a failure is a prediction with an error."""


@runtime_checkable
class Trainable(Protocol):
    """Something that learns from questions: a network, or a model with an adapter."""

    def train(
        self,
        data: Sequence[Dataset],
        val: Sequence[Question],
        output: Path,
        settings: Mapping[str, str],
        progress: bool,
    ) -> str:
        """Learn from all data sets together, keep the state that answers ``val`` best in the folder, and return the
        spec of the trained model. After a kill the same call resumes."""


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
    def limited_by_labels(self) -> bool:
        """Whether true answers score at most the share of variants whose label is right, if people's labels are."""
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


class Ranker(Protocol):
    """Orders a pool of texts by their similarity to a text. Its ``repr`` is its signature."""

    def fit(self, pool: Sequence[str]) -> FittedRanker:
        """Process the pool once: index it, or turn it into vectors."""


@runtime_checkable
class FitsByExecutor(Protocol):
    """A ranker that several workers fit to its pool; they then receive the fitted ranker."""

    def fit_by(self, pool: Sequence[str], executor: Executor) -> FittedRanker:
        """Like ``fit``, with the work shared by workers."""


class Encoder(Protocol):
    """Turns texts into vectors of unit length. Its ``repr`` is its signature."""

    def encode(self, texts: Sequence[str]) -> Any:
        """One float32 row per text."""


class Backbone(Protocol):
    """A vision network that finds regions in images. Its ``repr`` is its signature."""

    batch_size: int
    """The number of images that it takes at once."""

    def encode(self, images: Sequence[ImageRef]) -> Sequence[tuple[Any, Any]]:
        """For each image, features (K, D) and boxes (K, 4): x, y, width and height as shares of the image."""


@runtime_checkable
class EncodesByExecutor(Protocol):
    """An encoder that can encode texts with several workers."""

    def encode_by(self, texts: Sequence[str], executor: Executor) -> Any:
        """Like ``encode``, with the work shared by workers."""


@runtime_checkable
class Loss(Protocol):
    """A term added to the answer loss in training, or a loss in its place. Its ``repr`` is its signature."""

    needs_modules: ClassVar[bool] = False
    """Whether it compares module weights, so that it can only train networks that choose among modules."""

    def term(self, step: Any) -> Any:
        """A scalar torch tensor, or None if this step has no term; ``step`` is a ``train.losses.Step``."""


class Executor(Protocol):
    """Runs work in this process, in several, or on several hosts. Use it in a ``with`` statement.

    Results must not depend on it, so it is not part of any signature. The work is a picklable function that gets
    everything as arguments and does not write files or store answers; only the calling process does.
    """

    @property
    def width(self) -> int:
        """How many items are processed at the same time."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item], chunk: int = 1) -> Iterator[Made]:
        """The results in order, computed a few items ahead; ``chunk`` items are sent at a time, ``work`` only once."""

    def each(
        self, start: Callable[[], Callable[[Item], Made]], items: Iterable[Item]
    ) -> Iterator[tuple[int, Made | LostWorker]]:
        """The position and the result of each item, in any order. ``start`` is called once in each worker, e.g. to load
        a model, and returns the function that processes an item. Items of lost workers are not repeated here.
        """

    def __enter__(self) -> Executor: ...

    def __exit__(self, *error: Any) -> None: ...


@runtime_checkable
class BuildsByExecutor(Protocol):
    """A suite that can build its groups with several workers. Subclass it and write ``groups_by``."""

    @abstractmethod
    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """Like ``groups``, with the work shared by workers, if there are any."""

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """The groups made by this process alone."""
        return self.groups_by(data, seed, None)


@runtime_checkable
class SeesFiles(Protocol):
    """An executor on other hosts, which may lack the files of this host."""

    def sees(self, image: ImageRef) -> bool:
        """Whether every worker finds the same image file at its path."""


class Proposals(Protocol):
    """What an attack may replace in a question, and by what. Its ``repr`` is its signature."""

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """The places of each question, in text order; they do not depend on the other questions."""


@runtime_checkable
class Constraint(Protocol):
    """Decides which rewordings still ask the same question. Subclass it; its ``repr`` is its signature."""

    by_word: ClassVar[bool] = False
    """True if it judges each change independently of the rest of the text. It is then applied to every swap before the
    model is queried, and words that are left without swaps are not considered further."""

    @abstractmethod
    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate is allowed; independent of the other candidates."""


class Search(Protocol):
    """Searches for a rewording that fools a model it has no access to. Its ``repr`` is its signature."""

    def run(
        self, question: Question, places: Sequence[Place], rng: Random
    ) -> Generator[Sequence[Candidate], Sequence[CandidateValue | None], Candidate | None]:
        """Yield candidates and receive the value of each; None for one that was not tried (a constraint rejected it,
        the budget is spent) or whose request failed. Returns the rewording found, otherwise the best try, or None.
        """


@runtime_checkable
class WantsRise(Protocol):
    """A search that ranks words by importance as TextFooler's code does."""

    @property
    def wants_rise(self) -> bool:
        """Whether it needs ``CandidateValue.rise``: how much the probability of a probe's new answer rose."""


@runtime_checkable
class HoldsGroups(Protocol):
    """A data set of ready-made groups, which are used as they are: suites do not make groups from its questions."""

    def groups(self) -> Iterator[Group]:
        """The groups, streamed, in the order of the file."""


@runtime_checkable
class NamesQuestions(Protocol):
    """A data set whose questions have other names in files of predictions than their ids."""

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """The ids of the questions that a record of predictions in this file answers; None if it does not say."""

    def in_order(self) -> Mapping[str, Sequence[Question]]:
        """The questions in the order of each of its files, if there are several; otherwise nothing."""


@runtime_checkable
class Fingerprints(Protocol):
    """A data set with a fingerprint of its contents, by which results of other contents are recognised."""

    def fingerprint(self) -> str:
        """A short hash: equal for equal contents, wherever the files are."""


class Fact(Generic[Item]):
    """An attribute that a component may have; the value is that of components without it."""

    def __init__(self, otherwise: Item) -> None:
        self._otherwise = otherwise

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, facts: Any, owner: type) -> Item:
        found: Item = getattr(facts.component, self._name, self._otherwise)
        return found


@dataclass(frozen=True)
class DatasetFacts:
    """Attributes of a data set: those it has under these names, otherwise the defaults."""

    component: object

    counted = Fact("question")
    """What datasheets call one item of the data."""
    images = Fact[str | None](None)
    """The folder of its images; in files that askew writes, image names are relative to it."""
    path = Fact[str | None](None)
    """Its file; images are looked up relative to the folder of that file if ``images`` is None."""
    suites = Fact[Sequence[str]](())
    """The suites to run if the user names none."""
    extract = Fact("none")
    """How the benchmark's evaluator reads replies: used where the user does not say."""
    remarks = Fact[Sequence[str]](())
    """Remarks on the last reading, one sentence each: fields that were not read, counts that differ from published
    sizes. Skipped records are not among them."""


@runtime_checkable
class Releases(Protocol):
    """A suite that can also write its benchmark in the format of its paper (``askew build``)."""

    def release(self, groups: Iterable[Group], folder: Path) -> Iterable[str | Path] | None:
        """Write the groups into the folder; returns the paths of the files."""


@dataclass(frozen=True)
class SuiteFacts:
    """Attributes of a suite: those it has under these names, otherwise the defaults."""

    component: object

    slices = Fact[Sequence[str] | None](None)
    """What scores are broken down by: ``test``, ``answer_type``, a key of notes, ... By default askew's own list."""
    notes = Fact[Sequence[str]](())
    """Sentences for results and datasheets on how the groups were made, e.g. versions in use."""
    titles = Fact[Mapping[str, tuple[str, str]]]({})
    """Titles and sentences of its metrics, by name, where its paper calls them otherwise."""
    readers = Fact[Sequence[str]](())
    """The readers of its published benchmark, which always return ready-made groups."""
    english = Fact(False)
    """Whether its rules only fit English questions; a run says so if the questions do not seem to be English."""

    def metric_facts(self, metrics: Mapping[str, Any]) -> dict[str, MetricFacts]:
        """What these metrics of the suite say about themselves; no two have the same title."""
        found: dict[str, MetricFacts] = {}
        for name, metric in metrics.items():
            facts = MetricFacts.of(metric)
            if name in self.titles:
                title, sentence = self.titles[name]
                facts = replace(facts, title=title, stands_for="", sentence=sentence)
            elif not facts.title or ":" in name or any(facts.title == other.title for other in found.values()):
                facts = replace(facts, title=name)
            found[name] = facts
        return found


@runtime_checkable
class Prepares(Protocol):
    """A perturbation that is faster if it sees many questions in advance (to tag them in batches)."""

    def prepare(self, questions: Sequence[Question]) -> None:
        """Process these questions in advance; ``vary`` is called on each next, and does not depend on this."""


@runtime_checkable
class Streams(Protocol):
    """A model that answers many questions concurrently and yields each answer as it arrives (an endpoint)."""

    def stream(self, questions: Sequence[Question]) -> Iterator[Prediction]:
        """One prediction for each question, in any order. The ids of the questions are distinct."""


@runtime_checkable
class ChoosesBatches(Protocol):
    """A model that says which of many questions it is asked together, e.g. those of equal length."""

    def batches(self, questions: Sequence[Question], size: int) -> list[list[int]]:
        """The places of the questions of each batch, each place once, at most ``size`` in a batch."""


@runtime_checkable
class Scores(Protocol):
    """A model that can give the probability of any answer, its own or another (attacks use it to search)."""

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The probability (0 to 1) of each answer to the question at the same position; nan where it is not known.

        For the model's own answer it is ``Prediction.score``; for an answer that the model can never give, 0.
        """


@runtime_checkable
class ShowsSteps(Protocol):
    """A model that can show how it reaches an answer: modules and attention, step by step (``askew play``)."""

    def steps(self, question: Question) -> Sequence[AttentionStep]:
        """The steps for this question; none if the network has no modules."""


@runtime_checkable
class Estimates(Protocol):
    """A model that can estimate the cost of a run (``askew run --dry-run``)."""

    def estimate(self, questions: Iterable[Question]) -> TokenEstimate:
        """Calls and tokens that these questions would take; sends no request."""


@runtime_checkable
class Previews(Protocol):
    """A model that can show its input for a question (``askew run --try``)."""

    def preview(self, question: Question) -> str:
        """The exact prompt or request, with a placeholder for the image."""


@runtime_checkable
class TakesBatches(Protocol):
    """A model that can be run offline with batch files of requests and replies (``askew batch``)."""

    def request(self, question: Question, image_urls: Sequence[str] = ()) -> bytes:
        """The request as JSON; with ``image_urls``, images are linked, not included. BadImage for unreadable ones."""

    def from_reply(self, status: int, body: bytes) -> Prediction:
        """The prediction in a reply with this HTTP status; its question id, which is not known here, is 0."""


@runtime_checkable
class Prices(Protocol):
    """A model with a known price per token."""

    def price(self, read: int, written: int) -> float | None:
        """The cost of these tokens; None if no price is known."""


@runtime_checkable
class HidesSecrets(Protocol):
    """A model whose spec may hold a key or a password."""

    def hide(self, text: str) -> str:
        """The text (a spec, a command, a signature) without its secrets."""


@runtime_checkable
class Connects(Protocol):
    """A model behind a URL (an endpoint)."""

    @property
    def url(self) -> str:
        """The URL that requests are sent to."""

    def connecting(self, resolve: Resolver) -> Any:
        """The same model, but connecting only to the addresses that ``resolve`` returns for its host."""


@runtime_checkable
class FindsById(Protocol):
    """A model ``by_id`` whose question ids differ from those of the data."""

    def key(self, question_id: Id) -> Id:
        """The model's id for this question."""


@dataclass(frozen=True)
class ModelFacts:
    """Attributes of a model: those it has under these names, otherwise the defaults."""

    component: object

    free_text = Fact(True)
    """Whether it answers in free text: a short answer is extracted and compared after normalisation. False for
    classifiers, whose answers are compared in the suite's mode."""
    by_id = Fact(False)
    """Whether answers belong to question ids, as in a file, not to what the questions say."""
    recorded = Fact(False)
    """Whether its answers, by id, already exist, e.g. in a file: they are looked up while groups are made and are not
    stored again."""
    blind = Fact(False)
    """Whether it never looks at the image, so that no image file is read."""
    opens_images = Fact(False)
    """Whether it opens image files itself: questions without a known image file are refused before the run begins."""
    several_images = Fact(False)
    """Whether it takes questions about several images (``Question.images``). Others are not asked such a question,
    unless they are blind or find answers by id: it counts as failed."""

    @property
    def text_only(self) -> bool:
        """Whether its answers are computed from the text alone: it is blind, and not a file of recorded answers."""
        return self.blind and not self.by_id

    def takes(self, question: Question) -> bool:
        """Whether it can be asked this question, which may be about several images."""
        return not question.more_images or self.several_images or self.blind or self.by_id


@runtime_checkable
class TellsFraction(Protocol):
    """A metric that is a ratio of two linear functions of its sums, other than the first column over the second.

    Intervals and bounds for missing answers are exact for fractions. Without this method, a metric of two columns is
    taken to be their ratio; one of more columns is linearised image by image and has no bounds.
    """

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """Numerator and denominator from column sums, of shape (columns,) or (columns, many)."""


@runtime_checkable
class MapsFraction(TellsFraction, Protocol):
    """A metric that is a function of its fraction (R_score: of the accuracy lost). Runs are not compared by it."""

    def of_fraction(self, low: float, high: float) -> tuple[float, float]:
        """The lowest and highest value of the metric if its fraction is in this range."""


@runtime_checkable
class GivesInterval(Protocol):
    """A metric that computes its own interval."""

    def interval(self, images: Any, tails: float) -> tuple[float, float]:
        """The interval with probability ``tails`` outside it; ``images`` are rows summed by image."""


@runtime_checkable
class ComparesSamples(Protocol):
    """A metric that compares two samples of images, such as two parts of the data; an interval needs enough in each."""

    def samples(self, images: Any) -> tuple[int, int]:
        """The number of images in each sample; ``images`` are rows summed by image."""


@runtime_checkable
class GivesBounds(Protocol):
    """A metric that computes its own bounds for missing answers."""

    def bounds(self, fillable: Any) -> tuple[float, float]:
        """The lowest and highest value over all possible sums; ``fillable`` is an ``askew.metrics.bounds.Fillable``."""


@runtime_checkable
class FillsMissing(Protocol):
    """A metric that says which replacements of missing answers to try: its extremes are among them.

    Without this method, correct and wrong answers are filled in for a metric that ``ComparesAnswers``; any other is
    measured with ``failed`` as 0.0 and as 1.0.
    """

    def fillings(self, outcome: Outcome) -> Iterable[Outcome]:
        """Copies of the outcome with missing answers filled in in different ways."""


@runtime_checkable
class ComparesAnswers(Protocol):
    """A metric that compares answers with people's answers, in a mode of VQA accuracy."""

    @property
    def mode(self) -> Mode:
        """The mode: ``official``, ``robust``, ``simple`` or ``exact``."""


@runtime_checkable
class CountsCorrect(ComparesAnswers, Protocol):
    """A metric that counts answers as either correct or wrong, by a rule."""

    @property
    def correct(self) -> str:
        """The rule: ``modal``, ``any``, or a threshold on the accuracy such as ``>=0.5``."""


@runtime_checkable
class LearnsSwaps(Protocol):
    """Proposals of an attack that are learned from some of the questions before the rest are attacked."""

    def trains_on(self, question: Question) -> bool:
        """Whether this question is learned from, and so not attacked."""

    def learn(
        self, questions: Sequence[Question], fooled: Callable[[Sequence[tuple[Question, str]]], Sequence[bool]]
    ) -> Any:
        """The learned ``Proposals``; ``fooled`` tries rewordings on the model and says which reach the goal."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A constraint that is faster if it sees the texts of many questions in advance (a tagger, an encoder)."""

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Process these texts in advance; ``keep`` is called on them next, and does not depend on this."""


@runtime_checkable
class Similar(Protocol):
    """A constraint that measures how similar a rewording is to its original."""

    def similarity(self, original: Question, candidates: Sequence[Candidate]) -> list[float]:
        """A similarity from 0 to 1 for each candidate."""
