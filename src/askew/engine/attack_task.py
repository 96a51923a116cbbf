"""One question under attack: its search, its requests, the values of its candidates, and its result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

from askew.answers.normalise import normalise
from askew.attack.attack_parts import Attack
from askew.engine.resume import Keys
from askew.errors import first_line
from askew.types import Candidate, CandidateValue, Place, Prediction, Question
from askew.verbs import WantsRise


class AttackRequest(NamedTuple):
    """One request: for the model's answer, or for the probability of a given answer."""

    key: bytes
    question: Question
    answer: str | None = None
    """The answer whose probability is requested; None for the model's own answer."""


class QuestionRequests:
    """Creates the requests about one question; its image and each text are hashed only once."""

    def __init__(self, keys: Keys, question: Question) -> None:
        self._keys, self.question = keys, question
        self._image = keys.image(question)
        self._answers: dict[str, AttackRequest] = {}

    def answer(self, text: str, repeat: int = 0) -> AttackRequest:
        """A request for the answer to this text; ``repeat`` numbers repeated requests for the same text."""
        if repeat:
            return self._request(text, f"repeat:{repeat}")
        if text not in self._answers:
            self._answers[text] = self._request(text)
        return self._answers[text]

    def score(self, text: str, answer: str) -> AttackRequest:
        """A request for the probability of this answer to the text."""
        return self._request(text, f"score:{answer}")._replace(answer=answer)

    def _request(self, text: str, by: str = "") -> AttackRequest:
        asked = replace(self.question, text=text)
        return AttackRequest(self._keys.with_image(asked, self._image, by), asked)


ScoreMode: TypeAlias = Literal["score", "confidence", "label"]
"""What guides a search: the probability of the original's answer; the model's confidence in its own answer (0 once the
answer has changed); or the answer alone. Query counts are comparable only within one mode."""
Judge: TypeAlias = Callable[[Question, Prediction], tuple[str | None, bool]]
"""Returns the answer of a prediction as it is scored (None if there is none), and whether it is correct."""
Status: TypeAlias = Literal["found", "unconfirmed", "failed", "skipped", "refused"]


@dataclass(frozen=True)
class AttackRules:
    """Settings that are the same for every question of an attack."""

    attack: Attack
    mode: ScoreMode
    budget: int
    """The maximum number of distinct texts for one question, including the original."""
    seed: int
    judge: Judge
    confirm: int = 0
    """The number of repeated requests in which a rewording must also fool the model."""
    against: str = ""
    """The name of the attacked model in tables."""


class NeedsPlaces(NamedTuple):
    """A task waits for the places of its question: send it the places, and the reason if the question is refused."""


class NeedsChecks(NamedTuple):
    """A task waits for the constraints: send it which of the candidates they keep, and how similar each is."""

    candidates: Sequence[Candidate]


Need: TypeAlias = list[AttackRequest] | NeedsPlaces | NeedsChecks
"""What a task waits for; a list of requests until all of them are in its ``known``."""


@dataclass
class AttackTask:
    """A question under attack, from its original to the result. It waits for ``need``; ``proceed`` continues."""

    rules: AttackRules
    requests: QuestionRequests
    need: Need | None = None
    """None when the task is finished."""
    status: Status = "failed"
    reason: str = ""
    """Why it was skipped or refused."""
    original: Prediction | None = None
    result: Candidate | None = None
    """The rewording found, or the best try."""
    known: dict[bytes, Prediction] = field(default_factory=dict)
    """The model's predictions, by request."""
    requested: set[bytes] = field(default_factory=set)
    """Distinct requests, including those for scores."""
    texts: dict[str, int] = field(default_factory=dict)
    """Distinct texts sent to the model, each with its number."""
    similar: dict[str, float] = field(default_factory=dict)
    dropped: int = 0
    """Candidates that a constraint rejected."""
    confirmed: int = 0
    fooled_at: int = 0
    """The number of the first text that reached the goal, i.e. the smallest budget that suffices; 0 if none did."""
    _worth: dict[Candidate, CandidateValue | None] = field(default_factory=dict)
    _best: tuple[float, Candidate] | None = None

    def __post_init__(self) -> None:
        self._steps = self._run()
        self.proceed()

    def proceed(self, given: object = None) -> None:
        """Continue with what it needed, up to its next need or the end."""
        try:
            self.need = self._steps.send(given)
        except StopIteration:
            self.need = None

    @property
    def question(self) -> Question:
        """The original question."""
        return self.requests.question

    @property
    def before(self) -> str:
        """The answer to the original, as it is scored."""
        said = self.original and self._judged(self.question.text, self.original)[0]
        return said or ""

    def said(self, text: str) -> Prediction | None:
        """The model's prediction for a text."""
        return self.known.get(self.requests.answer(text).key)

    def loss(self, candidate: Candidate) -> float:
        """The value of a candidate that was tried; 0 if it is not known."""
        value = self._value(candidate) if self.said(candidate.text) else None
        return value.loss if value else 0.0

    def _run(self) -> Generator[Need, Any, None]:
        """Ask the original, search for a rewording, and confirm it. If requests failed, the search is run once more."""
        first = self.requests.answer(self.question.text)
        yield from self._asked([first])
        self.original = self.known[first.key]
        self.texts[self.question.text] = 1
        answer, correct = self._judged(self.question.text, self.original)
        if answer is None:
            error = first_line(self.original.error or "failed", 80)
            self.status, self.reason = "skipped", f"no answer to the original ({error})"
            return
        if not self.rules.attack.goal.attacks(correct):
            self.status, self.reason = "skipped", "the original is answered incorrectly"
            return
        places, self.reason = yield NeedsPlaces()
        if self.reason:
            self.status = "refused"
            return
        found = yield from self._search(places)
        if failed := [key for key, said in self.known.items() if said.failed]:
            for key in failed:
                del self.known[key]
            self._best, self.dropped, self.fooled_at = None, 0, 0
            self.texts, self.requested = {self.question.text: 1}, {first.key}
            self._worth.clear()
            found = yield from self._search(places)
        self.result = found or (self._best and self._best[1])
        if self.result is not None:
            yield from self._confirm(self.result.text)

    def _asked(self, wanted: Sequence[AttackRequest]) -> Iterator[list[AttackRequest]]:
        """Wait until all these requests are answered."""
        self.requested.update(one.key for one in wanted)
        if missing := {one.key: one for one in wanted if one.key not in self.known}:
            yield list(missing.values())

    def _search(self, places: Sequence[Place]) -> Generator[Need, Any, Candidate | None]:
        """Run the search; returns its result, or None if the budget is spent before."""
        rng = Random(f"{self.rules.seed}:{self.rules.attack!r}:{self.question.content}")
        steps = self.rules.attack.search.run(self.question, places, rng)
        values: list[CandidateValue | None] | None = None
        while True:
            spent = values is not None and len(self.texts) >= self.rules.budget
            try:
                wanted = next(steps) if values is None else steps.send(values)
            except StopIteration as end:
                found: Candidate | None = end.value
                return found
            if spent and any(candidate.text not in self.texts for candidate in wanted):
                steps.close()
                return None
            kept = self._admitted(wanted, *(yield NeedsChecks(wanted)))
            asked = [candidate for candidate, keep in zip(wanted, kept, strict=True) if keep]
            while requests := [one for candidate in asked if (one := self._next_request(candidate)) is not None]:
                yield from self._asked(requests)
            values = [self._value(candidate) if keep else None for candidate, keep in zip(wanted, kept, strict=True)]
            for candidate, value in zip(wanted, values, strict=True):
                if value is not None and not candidate.probe:
                    self._note_try(candidate, value)

    def _admitted(self, wanted: Sequence[Candidate], kept: Sequence[bool], similarities: Sequence[float]) -> list[bool]:
        """Which of the candidates that the constraints keep are within the budget."""
        allowed: list[bool] = []
        for candidate, keep, similarity in zip(wanted, kept, similarities, strict=True):
            self.dropped += not keep
            keep = keep and (candidate.text in self.texts or len(self.texts) < self.rules.budget)
            if keep:
                self.texts.setdefault(candidate.text, len(self.texts) + 1)
                self.similar.setdefault(candidate.text, similarity)
            allowed.append(keep)
        return allowed

    def _note_try(self, candidate: Candidate, value: CandidateValue) -> None:
        """Remember the best candidate, and the first that reached the goal."""
        if self._best is None or value.loss > self._best[0]:
            self._best = (value.loss, candidate)
        if not self.fooled_at and self._is_reached(
            candidate.text, self.known[self.requests.answer(candidate.text).key]
        ):
            self.fooled_at = self.texts[candidate.text]

    def _confirm(self, text: str) -> Generator[Need, Any, None]:
        """Whether the result fools the model, also in repeated requests."""
        said = self.said(text)
        if said is None or not self._is_reached(text, said):
            return
        again = [self.requests.answer(text, number + 1) for number in range(self.rules.confirm)]
        yield from self._asked(again)
        self.confirmed = sum(self._is_reached(text, self.known[one.key]) for one in again)
        self.status = "found" if self.confirmed == self.rules.confirm else "unconfirmed"

    def _next_request(self, candidate: Candidate) -> AttackRequest | None:
        """The next unanswered request about a candidate."""
        for one in self._requests_about(candidate):
            self.requested.add(one.key)
            if one.key not in self.known:
                return one
        return None

    def _requests_about(self, candidate: Candidate) -> Iterator[AttackRequest]:
        """Requests for the model's answer; in score mode, if the answer changed, also for the old answer's score.

        For a probe in score mode, the score is enough.
        """
        if self._is_scored(candidate):
            yield self._old_score(candidate.text)
            return
        first = self.requests.answer(candidate.text)
        yield first
        said, original = self.known.get(first.key), self.original
        if said is None or said.failed or original is None or self.rules.mode != "score":
            return
        if said.answer != original.answer and (candidate.probe or not self._is_enough(candidate.text, said)):
            yield self._old_score(candidate.text)
            if candidate.probe and self._wants_rise:
                yield self.requests.score(candidate.text, str(said.answer))
                yield self.requests.score(self.question.text, str(said.answer))

    def _is_scored(self, candidate: Candidate) -> bool:
        """Whether only the score of the original's answer is requested for a candidate."""
        probe = candidate.probe and candidate.text != self.question.text
        return probe and self.rules.mode == "score" and not self._wants_rise

    @cached_property
    def _wants_rise(self) -> bool:
        search = self.rules.attack.search
        return isinstance(search, WantsRise) and search.wants_rise

    def _judged(self, text: str, said: Prediction) -> tuple[str | None, bool]:
        return self.rules.judge(self.requests.answer(text).question, said)

    def _is_reached(self, text: str, said: Prediction) -> bool:
        after, correct = self._judged(text, said)
        return after is not None and self.rules.attack.goal.reached(self.before, after, correct)

    def _is_enough(self, text: str, said: Prediction) -> bool:
        """Whether the search may end here. With the goal ``score`` it goes on, to lower the score further."""
        return self.rules.attack.goal.kind != "score" and self._is_reached(text, said)

    def _value(self, candidate: Candidate) -> CandidateValue | None:
        """The value of a candidate; None if there is no answer to it."""
        if candidate not in self._worth:
            self._worth[candidate] = self._valued(candidate)
        return self._worth[candidate]

    def _valued(self, candidate: Candidate) -> CandidateValue | None:
        if self._is_scored(candidate):
            found = self.known[self._old_score(candidate.text).key]
            return None if found.score is None else CandidateValue(1.0 - found.score, False)
        said, original = self.known[self.requests.answer(candidate.text).key], self.original
        after = self._judged(candidate.text, said)[0]
        if after is None or original is None:
            return None
        reached = self._is_enough(candidate.text, said)
        similarity = self.similar.get(candidate.text, 1.0)
        if self.rules.mode == "score" and said.answer != original.answer and (candidate.probe or not reached):
            loss, rise = 1.0 - self._score(self._old_score(candidate.text)), 0.0
            if candidate.probe and self._wants_rise:
                new, old = (self.requests.score(t, str(said.answer)) for t in (candidate.text, self.question.text))
                rise = self._score(new) - self._score(old)
            return CandidateValue(loss, reached, similarity, rise)
        if normalise(after) != normalise(self.before):
            return CandidateValue(1.0, reached, similarity)
        confidence = 1.0 if self.rules.mode == "label" or said.score is None else said.score
        return CandidateValue(1.0 - confidence, reached, similarity)

    def _old_score(self, text: str) -> AttackRequest:
        """A request for the probability of the original's answer to a text."""
        return self.requests.score(text, str(self.original and self.original.answer))

    def _score(self, request: AttackRequest) -> float:
        found = self.known.get(request.key)
        return found.score if found is not None and found.score is not None else 0.0
