"""What a component may have besides what its kind must have; import these from ``askew.verbs``.

Optional methods are small protocols of their own (``Streams``, ``Releases``, ...), checked with ``isinstance``. Plain
facts (``blind = True``) are fields that ``ModelFacts``, ``SuiteFacts`` and ``DatasetFacts`` read, with a default for
components that do not have them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from askew.types import (
    AttentionStep,
    Candidate,
    Group,
    Id,
    Mode,
    Outcome,
    Prediction,
    Question,
    TokenEstimate,
)

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the network addresses to connect to for a host and port, or raises what refuses them."""


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

    @property
    def suites(self) -> Sequence[str]:
        """The suites that are measured where a person names none. Default: none."""
        return tuple(getattr(self.data, "suites", ()))

    @property
    def remarks(self) -> Sequence[str]:
        """What the last reading has to tell besides what it left out, one sentence each: fields that were not read,
        counts against published sizes. Default: none.
        """
        return tuple(getattr(self.data, "remarks", ()))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


@runtime_checkable
class Releases(Protocol):
    """A suite that writes its benchmark in its paper's own format too (``askew build``)."""

    def release(self, groups: Iterable[Group], folder: Path) -> Iterable[str | Path] | None:
        """Write the groups into the folder; gives the paths of the files."""
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

    @property
    def readers(self) -> Sequence[str]:
        """The readers of a published benchmark, whose groups are always ready-made. Default: none."""
        return tuple(getattr(self.suite, "readers", ()))


@runtime_checkable
class Prepares(Protocol):
    """A perturbation that works faster when it sees many questions first (a tagger's batch)."""

    def prepare(self, questions: Sequence[Question]) -> None:
        """Look at these questions; ``vary`` is called on each of them next, and gives the same without this."""
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
class ShowsSteps(Protocol):
    """A model that can show how it gets to an answer: modules and attention, step by step (``askew play``)."""

    def steps(self, question: Question) -> Sequence[AttentionStep]:
        """The steps for this question; none if the network has no modules."""
        ...


@runtime_checkable
class Estimates(Protocol):
    """A model that can say what asking will take (``askew run --dry-run``)."""

    def estimate(self, questions: Iterable[Question]) -> TokenEstimate:
        """Calls and tokens for these questions, without asking."""
        ...


@runtime_checkable
class Previews(Protocol):
    """A model that can show what it reads for a question (``askew run --try``)."""

    def preview(self, question: Question) -> str:
        """The exact prompt or request, with a word instead of the pixels of the image."""
        ...


@runtime_checkable
class TakesBatches(Protocol):
    """A model that can be asked by batch files (``askew batch``): requests in, replies out, without a connection."""

    def request(self, question: Question, image_url: str = "") -> bytes:
        """The JSON of the request; ``image_url`` names the image instead of including it. BadImage if it cannot be."""
        ...

    def from_reply(self, status: int, body: bytes) -> Prediction:
        """What a reply with this HTTP status says; the question's id is not known here and is 0."""
        ...


@runtime_checkable
class Prices(Protocol):
    """A model that knows what tokens cost."""

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
    """A model behind a network address (an endpoint)."""

    @property
    def url(self) -> str:
        """Where its requests go."""
        ...

    def connecting(self, resolve: Resolver) -> Any:
        """The same model, which connects only to the addresses that ``resolve`` gives for its host."""
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
    def recorded(self) -> bool:
        """Whether its answers, by id, exist already, e.g. in a file: they are looked up while groups are made, and not
        stored again. Default: False.
        """
        return bool(getattr(self.model, "recorded", False))

    @property
    def blind(self) -> bool:
        """Whether it never looks at the image, so that no image file is read. Default: False."""
        return bool(getattr(self.model, "blind", False))

    @property
    def text_only(self) -> bool:
        """Whether its answers come from the text alone: it is blind, and not a file of answers that others gave.
        Default: False.
        """
        return self.blind and not self.by_id

    @property
    def opens_images(self) -> bool:
        """Whether it opens image files itself: a question whose image file is not known is refused before anything is
        asked. Default: False.
        """
        return bool(getattr(self.model, "opens_images", False))


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


@runtime_checkable
class LearnsSwaps(Protocol):
    """Proposals of an attack that are learned from some of the questions before the others are attacked."""

    def trains_on(self, question: Question) -> bool:
        """Whether it learns from this question, which is then not attacked."""
        ...

    def learn(
        self, questions: Sequence[Question], fooled: Callable[[Sequence[tuple[Question, str]]], Sequence[bool]]
    ) -> Any:
        """The ``Proposals`` learned; ``fooled`` asks the model rewordings and says which reach the attack's goal."""
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
