"""The optional methods and attributes of components; import them from ``askew.verbs``.

Optional methods are small protocols of their own (``Streams``, ``Releases``, ...), checked with ``isinstance``. Plain
attributes (``blind = True``) are read through ``ModelFacts``, ``SuiteFacts`` and ``DatasetFacts``, which have a default
for components without them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from askew.types import (
    AttentionStep,
    Candidate,
    Group,
    Id,
    MetricFacts,
    Mode,
    Outcome,
    Prediction,
    Question,
    TokenEstimate,
)

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the network addresses to connect to for a host and port, or raises an error to refuse the connection."""


@runtime_checkable
class HoldsGroups(Protocol):
    """A data set of ready-made groups, which are used as they are: suites do not make groups from its questions."""

    def groups(self) -> Iterator[Group]:
        """The groups, streamed, in the order of the file."""
        ...


@runtime_checkable
class Fingerprints(Protocol):
    """A data set with a fingerprint of its contents, by which results of other contents are recognised."""

    def fingerprint(self) -> str:
        """A short hash: equal for equal contents, wherever the files are."""
        ...


@dataclass(frozen=True)
class DatasetFacts:
    """Attributes of a data set: those it has under these names, otherwise the defaults."""

    data: object

    @property
    def counted(self) -> str:
        """What datasheets call one item of the data. Default: ``question``."""
        return str(getattr(self.data, "counted", "question"))

    @property
    def images(self) -> str | None:
        """The folder of its images; in files that askew writes, image names are relative to it. Default: None."""
        return _text(getattr(self.data, "images", None))

    @property
    def path(self) -> str | None:
        """Its file; images are looked up relative to the folder of that file if ``images`` is None. Default: None."""
        return _text(getattr(self.data, "path", None))

    @property
    def suites(self) -> Sequence[str]:
        """The suites to run if the user names none. Default: none."""
        return tuple(getattr(self.data, "suites", ()))

    @property
    def remarks(self) -> Sequence[str]:
        """Remarks on the last reading, one sentence each: fields that were not read, counts that differ from published
        sizes. Skipped records are not among them. Default: none.
        """
        return tuple(getattr(self.data, "remarks", ()))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


@runtime_checkable
class Releases(Protocol):
    """A suite that can also write its benchmark in the format of its paper (``askew build``)."""

    def release(self, groups: Iterable[Group], folder: Path) -> Iterable[str | Path] | None:
        """Write the groups into the folder; returns the paths of the files."""
        ...


@dataclass(frozen=True)
class SuiteFacts:
    """Attributes of a suite: those it has under these names, otherwise the defaults."""

    suite: object

    @property
    def slices(self) -> Sequence[str] | None:
        """What scores are broken down by: ``test``, ``answer_type``, a key of a variant's note, ...

        Default: None, which means askew's own list.
        """
        found: Sequence[str] | None = getattr(self.suite, "slices", None)
        return found

    @property
    def notes(self) -> Sequence[str]:
        """Sentences for results and datasheets on how the groups were made, e.g. versions in use. Default: none."""
        return tuple(getattr(self.suite, "notes", ()))

    @property
    def titles(self) -> Mapping[str, tuple[str, str]]:
        """Titles and sentences of its metrics, by name, where its paper calls them otherwise. Default: none."""
        found: Mapping[str, tuple[str, str]] = getattr(self.suite, "titles", {})
        return found

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

    @property
    def readers(self) -> Sequence[str]:
        """The readers of its published benchmark, which always return ready-made groups. Default: none."""
        return tuple(getattr(self.suite, "readers", ()))


@runtime_checkable
class Prepares(Protocol):
    """A perturbation that is faster if it sees many questions in advance (to tag them in batches)."""

    def prepare(self, questions: Sequence[Question]) -> None:
        """Process these questions in advance; ``vary`` is called on each next, and does not depend on this."""
        ...


@runtime_checkable
class Streams(Protocol):
    """A model that answers many questions concurrently and yields each answer as it arrives (an endpoint)."""

    def stream(self, questions: Sequence[Question]) -> Iterator[Prediction]:
        """One prediction for each question, in any order. The ids of the questions are distinct."""
        ...


@runtime_checkable
class Scores(Protocol):
    """A model that can give the probability of any answer, its own or another (attacks use it to search)."""

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The probability (0 to 1) of each answer to the question at the same position; nan where it cannot be
        computed.

        For the model's own answer it is ``Prediction.score``; for an answer that the model can never give, 0.
        """
        ...


@runtime_checkable
class ShowsSteps(Protocol):
    """A model that can show how it reaches an answer: modules and attention, step by step (``askew play``)."""

    def steps(self, question: Question) -> Sequence[AttentionStep]:
        """The steps for this question; none if the network has no modules."""
        ...


@runtime_checkable
class Estimates(Protocol):
    """A model that can estimate the cost of a run (``askew run --dry-run``)."""

    def estimate(self, questions: Iterable[Question]) -> TokenEstimate:
        """Calls and tokens that these questions would take; sends no request."""
        ...


@runtime_checkable
class Previews(Protocol):
    """A model that can show its input for a question (``askew run --try``)."""

    def preview(self, question: Question) -> str:
        """The exact prompt or request, with a placeholder for the image."""
        ...


@runtime_checkable
class TakesBatches(Protocol):
    """A model that can be run offline with batch files of requests and replies (``askew batch``)."""

    def request(self, question: Question, image_url: str = "") -> bytes:
        """The request as JSON; with ``image_url``, the image is linked, not included. BadImage if it cannot be read."""
        ...

    def from_reply(self, status: int, body: bytes) -> Prediction:
        """The prediction in a reply with this HTTP status; its question id, which is not known here, is 0."""
        ...


@runtime_checkable
class Prices(Protocol):
    """A model with a known price per token."""

    def price(self, read: int, written: int) -> float | None:
        """The cost of these tokens; None if no price is known."""
        ...


@runtime_checkable
class HidesSecrets(Protocol):
    """A model whose spec may hold a key or a password."""

    def hide(self, text: str) -> str:
        """The text (a spec, a command, a signature) without its secrets."""
        ...


@runtime_checkable
class Connects(Protocol):
    """A model behind a URL (an endpoint)."""

    @property
    def url(self) -> str:
        """The URL that requests are sent to."""
        ...

    def connecting(self, resolve: Resolver) -> Any:
        """The same model, but connecting only to the addresses that ``resolve`` returns for its host."""
        ...


@runtime_checkable
class FindsById(Protocol):
    """A model ``by_id`` whose question ids differ from those of the data."""

    def key(self, question_id: Id) -> Id:
        """The model's id for this question."""
        ...


@dataclass(frozen=True)
class ModelFacts:
    """Attributes of a model: those it has under these names, otherwise the defaults."""

    model: object

    @property
    def free_text(self) -> bool:
        """Whether it answers in free text: a short answer is extracted and compared after normalisation. False for
        classifiers, whose answers are compared in the suite's mode. Default: True.
        """
        return bool(getattr(self.model, "free_text", True))

    @property
    def by_id(self) -> bool:
        """Whether answers belong to question ids, as in a file, not to what the questions say. Default: False."""
        return bool(getattr(self.model, "by_id", False))

    @property
    def recorded(self) -> bool:
        """Whether its answers, by id, already exist, e.g. in a file: they are looked up while groups are made and are
        not stored again. Default: False.
        """
        return bool(getattr(self.model, "recorded", False))

    @property
    def blind(self) -> bool:
        """Whether it never looks at the image, so that no image file is read. Default: False."""
        return bool(getattr(self.model, "blind", False))

    @property
    def text_only(self) -> bool:
        """Whether its answers are computed from the text alone: it is blind, and not a file of recorded answers.
        Default: False.
        """
        return self.blind and not self.by_id

    @property
    def opens_images(self) -> bool:
        """Whether it opens image files itself: questions without a known image file are refused before the run begins.
        Default: False.
        """
        return bool(getattr(self.model, "opens_images", False))


@runtime_checkable
class TellsFraction(Protocol):
    """A metric that is a ratio of two linear functions of its sums, other than the first column over the second.

    Intervals and bounds for missing answers are exact for fractions. Without this method, a metric of two columns is
    taken to be their ratio; one of more columns is linearised image by image and has no bounds.
    """

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """Numerator and denominator from column sums, of shape (columns,) or (columns, many)."""
        ...


@runtime_checkable
class MapsFraction(TellsFraction, Protocol):
    """A metric that is a function of its fraction (R_score is one of the accuracy lost)."""

    def of_fraction(self, low: float, high: float) -> tuple[float, float]:
        """The lowest and highest value of the metric if its fraction is in this range."""
        ...


@runtime_checkable
class GivesInterval(Protocol):
    """A metric that computes its own interval."""

    def interval(self, images: Any, tails: float) -> tuple[float, float]:
        """The interval with probability ``tails`` outside it; ``images`` are rows summed by image."""
        ...


@runtime_checkable
class GivesBounds(Protocol):
    """A metric that computes its own bounds for missing answers."""

    def bounds(self, fillable: Any) -> tuple[float, float]:
        """The lowest and highest value over all possible sums; ``fillable`` is an ``askew.metrics.bounds.Fillable``."""
        ...


@runtime_checkable
class FillsMissing(Protocol):
    """A metric that says which replacements of missing answers to try: its extremes are among them.

    Without this method, correct and wrong answers are filled in for a metric that ``ComparesAnswers``; any other is
    measured with ``failed`` as 0.0 and as 1.0.
    """

    def fillings(self, outcome: Outcome) -> Iterable[Outcome]:
        """Copies of the outcome with missing answers filled in in different ways."""
        ...


@runtime_checkable
class ComparesAnswers(Protocol):
    """A metric that compares answers with people's answers, in a mode of VQA accuracy."""

    @property
    def mode(self) -> Mode:
        """The mode: ``official``, ``robust``, ``simple`` or ``exact``."""
        ...


@runtime_checkable
class CountsCorrect(ComparesAnswers, Protocol):
    """A metric that counts answers as either correct or wrong, by a rule."""

    @property
    def correct(self) -> str:
        """The rule: ``modal``, ``any``, or a threshold on the accuracy such as ``>=0.5``."""
        ...


@runtime_checkable
class LearnsSwaps(Protocol):
    """Proposals of an attack that are learned from some of the questions before the rest are attacked."""

    def trains_on(self, question: Question) -> bool:
        """Whether this question is learned from, and so not attacked."""
        ...

    def learn(
        self, questions: Sequence[Question], fooled: Callable[[Sequence[tuple[Question, str]]], Sequence[bool]]
    ) -> Any:
        """The learned ``Proposals``; ``fooled`` tries rewordings on the model and says which reach the goal."""
        ...


@runtime_checkable
class ReadsAhead(Protocol):
    """A constraint that is faster if it sees the texts of many questions in advance (a tagger, an encoder)."""

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Process these texts in advance; ``keep`` is called on them next, and does not depend on this."""
        ...


@runtime_checkable
class Similar(Protocol):
    """A constraint that measures how similar a rewording is to its original."""

    def similarity(self, original: Question, candidates: Sequence[Candidate]) -> list[float]:
        """A similarity from 0 to 1 for each candidate."""
        ...
