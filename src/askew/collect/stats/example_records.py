"""One question, in the same form from a study's database and from a release."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from askew.collect.protocol import StudySettings


class Answer(NamedTuple):
    """What one person answered."""

    text: str
    normalised: str
    confidence: str | None


class VerifierAnswers(NamedTuple):
    """What the verifiers of one question answered, by slot: a list for each part, since a study can have a million."""

    texts: Sequence[str] = ()
    normalised: Sequence[str] = ()
    confidences: Sequence[str] = ()


class Example(NamedTuple):
    """A question with its judgement and all answers to it."""

    id: int
    round: int
    image: int
    domain: str
    session: int
    try_no: int | None
    text: str
    type: str
    """A to E, or U for a question that does not count; its texts may be missing."""
    split: str | None
    verdict: str | None
    seconds: float | None
    """From showing the image to the judgement."""
    model: str
    robot: str
    """The robot's answer, normalised."""
    author: Answer | None
    verifiers: VerifierAnswers
    """The answers that count."""
    latency: float | None
    """Seconds that the model took; None if the source does not say."""
    state: str


class Drawn(NamedTuple):
    """How often a model was drawn for questions about an image, and with what result."""

    round: int
    image: int
    model: str
    draws: int
    failed: int
    attempts: int


class Ended(NamedTuple):
    """How many leases on an image ended, and how many of them expired."""

    round: int
    image: int
    kind: str
    """``writing`` or ``verifying``."""
    ended: int
    expired: int


@dataclass(frozen=True)
class About:
    """The study itself."""

    name: str
    settings: StudySettings
    rounds: Mapping[int, Mapping[str, Any]]
    """Round to its state, images, seed and snapshot."""
    source: str
    """What was read: ``study`` or ``release``, for the page."""
    claimed: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """Round to counts that another part of the source states; they must be the same as those counted here."""


class Source(Protocol):
    """Where the statistics come from."""

    def about(self) -> About:
        """The study."""
        ...

    def examples(self) -> Generator[Example, None, None]:
        """All questions, in the order they were asked."""
        ...

    def drawn(self) -> list[Drawn]:
        """What the models did; complete only after the examples have been read."""
        ...

    def ended(self) -> list[Ended] | None:
        """How leases ended; None if the source does not say."""
        ...
