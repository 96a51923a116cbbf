"""A model of a study in plain dictionaries: images, sessions and questions."""

from __future__ import annotations

from dataclasses import dataclass, field

from small_study import SmallStudy

from askew.collect.protocol import Gone, NotAllowed, Refused, StudySettings
from askew.collect.robots import Call

IMAGES, PEOPLE, WRITERS, VERIFIERS, TRIES = 2, 6, 2, 2, 2
SETTINGS = StudySettings(
    "small", writers_per_image=WRITERS, verifiers_per_question=VERIFIERS, max_tries=TRIES, model_retries=0
)
WRITING, VERIFYING = SETTINGS.writing_minutes * 60, SETTINGS.verifying_minutes * 60


@dataclass
class Session:
    image: int
    person: int
    until: float
    state: str = "LEASED"
    holds: bool = True


@dataclass
class Asked:
    session: int
    text: str
    state: str = "ASKED"
    standing: str = "OK"
    robot: str = ""
    verdict: str = ""
    answer: str = ""
    held: dict[int, float] = field(default_factory=dict)
    """Person to the end of the lease."""
    given: set[int] = field(default_factory=set)
    said: dict[int, str] = field(default_factory=dict)
    """Answers that count."""
    uncounted: set[int] = field(default_factory=set)
    skipped: set[int] = field(default_factory=set)
    flags: set[int] = field(default_factory=set)


class StudyModel:
    """A study, and its model in dictionaries."""

    def start(self, study: SmallStudy) -> None:
        self.study = study
        self.sessions: dict[int, Session] = {}
        self.asked: dict[int, Asked] = {}
        self.calls: dict[int, Call] = {}
        self.excluded: set[int] = set()
        self.unqualified: set[int] = set()
        self.hidden: set[int] = set()
        self.reports: dict[int, set[int]] = {image: set() for image in range(1, IMAGES + 1)}
        self.round = "OPEN"
        self.types: dict[int, str] = {}

    @property
    def now(self) -> float:
        return self.study.clock.milliseconds / 1000

    def expects(self, error: type[Exception] | None, function, *arguments):
        """Call the protocol; it must refuse exactly when the model does."""
        try:
            result = self.study.do(function, *arguments)
        except (Gone, NotAllowed, Refused) as refusal:
            if error is None or not isinstance(refusal, error):
                raise
            return None
        assert error is None, f"{function.__name__}{arguments} was not refused"
        return result

    def person(self, index: int) -> int:
        return self.study.people[index]

    def current(self, index: int) -> int | None:
        mine = (key for key, s in self.sessions.items() if s.person == index and s.state == "LEASED")
        return next(mine, None)

    def waiting(self, key: int) -> int | None:
        mine = (q for q, a in self.asked.items() if a.session == key and a.state in ("ASKED", "ANSWERED"))
        return next(mine, None)

    def tries(self, key: int) -> int:
        return sum(a.session == key and bool(a.robot) for a in self.asked.values())

    def image_of(self, question: int) -> int:
        return self.sessions[self.asked[question].session].image

    def wrote(self, index: int, image: int) -> bool:
        return any(s.person == index and s.image == image for s in self.sessions.values())

    def was_given(self, index: int, image: int) -> bool:
        return any(index in a.given and self.image_of(q) == image for q, a in self.asked.items())

    def end(self, key: int, state: str) -> None:
        session = self.sessions[key]
        session.state = state
        session.holds = self.counts(key)
        for one in self.asked.values():
            if one.session == key and one.state in ("ASKED", "ANSWERED", "MODEL_FAILED"):
                one.state = "ABANDONED"

    def counts(self, key: int) -> bool:
        """Whether a session that ended stands on questions that were not withdrawn."""
        own = [one for one in self.asked.values() if one.session == key]
        if self.sessions[key].state == "SUCCEEDED":
            return any(one.verdict == "wrong" and one.state != "WITHDRAWN" for one in own)
        return self.sessions[key].state == "EXHAUSTED" and not any(one.state == "WITHDRAWN" for one in own)

    def free_image(self, index: int) -> tuple[int, int | None] | None:
        """The image this person gets, and the session that loses it."""
        fits = [
            image
            for image in range(1, IMAGES + 1)
            if image not in self.hidden and not self.wrote(index, image) and not self.was_given(index, image)
        ]
        for image in fits:
            if sum(s.image == image and s.holds for s in self.sessions.values()) < WRITERS:
                return image, None
        over = [
            (s.until, key)
            for key, s in self.sessions.items()
            if s.state == "LEASED" and s.until < self.now and s.image in fits
        ]
        if over:
            return self.sessions[min(over)[1]].image, min(over)[1]
        return None

    def works(self) -> bool:
        return self.round in ("OPEN", "DRAINING")
