"""The searches of attacks.

Greedy searches replace the words that matter most first (TextFooler, PWWS, typos); a particle swarm combines words
(Sememe+PSO, Zang et al. 2020).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp
from random import Random
from typing import Literal, TypeAlias, TypeVar

from askew.attack.word_places import UNKNOWN, alone, reworded, without
from askew.errors import BadOption
from askew.types import Candidate, CandidateValue, Place, Question, Swap

Result = TypeVar("Result")
Queries: TypeAlias = Generator[Sequence[Candidate], Sequence[CandidateValue | None], Result]
"""Yields candidates, is sent their values (None for those that were not tried), and returns a result."""
Steps: TypeAlias = Queries[Candidate | None]
Chosen: TypeAlias = dict[Place, Swap]

_PARTS = ("NN", "VB", "JJ", "RB")
"""Penn tags of nouns, verbs, adjectives and adverbs: equally important words are tried in this order."""


def part_rank(tag: str) -> int:
    """The rank of a tag's part of speech; equally important words are tried by rank.

    >>> part_rank("NNS"), part_rank("VBZ"), part_rank("DT")
    (0, 1, 4)
    """
    return next((rank for rank, start in enumerate(_PARTS) if tag.startswith(start)), len(_PARTS))


def best_reached(candidates: Sequence[Candidate], values: Sequence[CandidateValue | None]) -> Candidate | None:
    """The most similar candidate that reaches the goal; the first one on ties."""
    reached = [(value.similarity, c) for c, value in zip(candidates, values, strict=True) if value and value.reached]
    return max(reached, key=lambda item: item[0])[1] if reached else None


def highest(values: Sequence[CandidateValue | None]) -> tuple[int, float] | None:
    """The index of the greatest loss, and that loss; the first one on ties, None if there are no values."""
    losses = [(place, value.loss) for place, value in enumerate(values) if value is not None]
    return max(losses, key=lambda item: item[1], default=None)


@dataclass(frozen=True)
class GreedySearch:
    """Weigh each word by deleting it, then replace the most important word by its best swap, then the next, and so on.

    This is TextFooler's search (Jin et al. 2020, algorithm 1). With ``released`` it follows the authors' code: every
    word is weighed, including words without swaps; the word is not deleted but replaced by ``<oov>``; when the answer
    changes, the increase of the new answer's probability counts too; and a swap is accepted when the probability is
    below that of the *original* text, even if it is above that of the current one.

    When losses are only 0 or 1 (the model gives no probabilities), swaps that fail are all equal, so every single swap
    is tried, and then pairs of swaps.
    """

    weigh: Literal["delete", "unknown"] = "delete"
    released: bool = False
    pairs: bool = True
    """Try pairs of swaps when losses are only 0 or 1."""
    repair: bool = True
    """Adapt articles to the new words."""

    @property
    def wants_rise(self) -> bool:
        """Whether probes whose answer changed must report how much the new answer's probability rose."""
        return self.released

    def run(self, question: Question, places: Sequence[Place], rng: Random) -> Steps:
        """Weigh, order, replace; returns the rewording that reaches the goal, or the one with the greatest loss."""
        first = (yield [Candidate(question.text, probe=True)])[0]
        start = first.loss if first else 0.0
        order = yield from self._order(question, places, start)
        seen = {start}
        best, best_loss, chosen = None, start, Chosen()
        for place in order:
            base = best.text if best else question.text
            tried = [reworded(question, {**chosen, place: swap}, base, self.repair) for swap in place.swaps]
            values = yield tried
            if found := best_reached(tried, values):
                return found
            seen.update(value.loss for value in values if value)
            top = highest(values)
            if top is not None and top[1] > (start if self.released else best_loss):
                chosen[place], best, best_loss = place.swaps[top[0]], tried[top[0]], top[1]
        if self.pairs and not chosen and seen <= {0.0, 1.0}:
            best = yield from self._pairs(question, order)
        return best

    def _order(self, question: Question, places: Sequence[Place], start: float) -> Queries[list[Place]]:
        """Places with swaps, the most important first."""
        weighed = list(places) if self.released else [place for place in places if place.swaps]
        filler = UNKNOWN if self.weigh == "unknown" else ""
        values = yield [without(question, place, filler) for place in weighed]
        importance = {
            place: value.loss - start + value.rise if value else 0.0
            for place, value in zip(weighed, values, strict=True)
        }
        swappable = [place for place in weighed if place.swaps]
        return sorted(swappable, key=lambda place: (-importance[place], part_rank(place.tag), place.start))

    def _pairs(self, question: Question, order: Sequence[Place]) -> Steps:
        for one, other in combinations(order, 2):
            tried = [
                reworded(question, {one: left, other: right}, repair=self.repair)
                for left in one.swaps
                for right in other.swaps
            ]
            if found := best_reached(tried, (yield tried)):
                return found
        return None


@dataclass(frozen=True)
class SaliencySearch:
    """Probability-weighted word saliency (PWWS, Ren et al. 2019, algorithm 1).

    Every swap is tried alone; a word is weighted by how much its best swap lowers the probability, times the softmax of
    its saliency (how much the probability falls when the word is unknown). The best swaps are then made in that order.
    The search stops at the first single swap that reaches the goal, unless ``released``.
    """

    released: bool = False
    repair: bool = True

    def run(self, question: Question, places: Sequence[Place], rng: Random) -> Steps:
        """Weigh the words, try each swap alone, then add the best swaps one by one."""
        first = (yield [Candidate(question.text, probe=True)])[0]
        start = first.loss if first else 0.0
        used = [place for place in places if place.swaps]
        weights = yield [without(question, place, UNKNOWN) for place in used]
        ranked: list[tuple[float, Place, Swap]] = []
        best, best_loss = None, start
        for place, weight in zip(used, weights, strict=True):
            tried = [reworded(question, {place: swap}, repair=self.repair) for swap in place.swaps]
            values = yield tried
            found = best_reached(tried, values)
            if found and not self.released:
                return found
            top = highest(values)
            if top is None:
                continue
            which, loss = top
            best, best_loss = (tried[which], loss) if loss > best_loss else (best, best_loss)
            saliency = weight.loss - start if weight else 0.0
            ranked.append((exp(saliency) * (loss - start), place, place.swaps[which]))
        ranked.sort(key=lambda item: (-item[0], part_rank(item[1].tag), item[1].start))
        chosen, text = Chosen(), question.text
        for _, place, swap in ranked:
            chosen[place] = swap
            candidate = reworded(question, chosen, text, self.repair)
            value = (yield [candidate])[0]
            if value is None:
                del chosen[place]
                continue
            text = candidate.text
            if value.reached:
                return candidate
            best, best_loss = (candidate, value.loss) if value.loss > best_loss else (best, best_loss)
        return best


@dataclass(frozen=True)
class EachAlone:
    """Try every swap alone, in one batch; the most similar that reaches the goal wins (SEARs, Ribeiro et al. 2018)."""

    repair: bool = True

    def run(self, question: Question, places: Sequence[Place], rng: Random) -> Steps:
        """Try all swaps; returns the rewording that reaches the goal, or the one with the greatest loss."""
        tried = alone(question, places, self.repair)
        values = yield tried
        top = highest(values)
        return best_reached(tried, values) or (tried[top[0]] if top else None)


Words: TypeAlias = tuple[int, ...]
"""A position in the space of rewordings: for each place the index of a swap, or -1 for the original word."""
V_MAX = 3.0
COUNTED = 10
"""When a place is drawn, its weight counts at most this many of its swaps."""


@dataclass
class Particle:
    """A particle of the swarm: its position, its velocity, and the best position it has visited."""

    words: Words
    velocity: list[float]
    best: Words
    best_loss: float


@dataclass(frozen=True)
class Space:
    """The rewordings of one question."""

    question: Question
    places: Sequence[Place]
    length: int
    """The number of words in the question."""
    repair: bool = True
    known: dict[Words, CandidateValue | None] = field(default_factory=dict)
    """The value of each position tried so far."""

    @property
    def original(self) -> Words:
        """The position of the question itself."""
        return (-1,) * len(self.places)

    def candidate(self, words: Words) -> Candidate:
        """The rewording at a position."""
        chosen = {place: place.swaps[word] for place, word in zip(self.places, words, strict=True) if word >= 0}
        made = reworded(self.question, chosen, repair=self.repair)
        return made if chosen else Candidate(self.question.text, probe=True)

    def ask(self, positions: Sequence[Words]) -> Queries[list[CandidateValue | None]]:
        """The values of positions; each position is sent to the model once."""
        new = [words for words in dict.fromkeys(positions) if words not in self.known]
        if new:
            self.known.update(zip(new, (yield [self.candidate(words) for words in new]), strict=True))
        return [self.known[words] for words in positions]

    def best_at(self, words: Words, place: int) -> Queries[tuple[Words, CandidateValue | None]]:
        """The position with the best swap at a place, and its value; ``words`` itself if no swap is better."""
        tried = [(*words[:place], swap, *words[place + 1 :]) for swap in range(len(self.places[place].swaps))]
        values = yield from self.ask([words, *tried])
        best, worth = words, values[0]
        for position, value in zip(tried, values[1:], strict=True):
            if value is not None and (worth is None or value.loss > worth.loss or value.reached > worth.reached):
                best, worth = position, value
        return best, worth


@dataclass(frozen=True)
class SwarmSearch:
    """Particles move word by word toward their own best and the swarm's best position, and mutate.

    As in the authors' code, the maximum velocity only sets a particle's initial velocity (one draw for all its words)
    and never clips it. The goal is untargeted: the loss is 1 minus the probability of the original's answer.
    """

    particles: int = 60
    rounds: int = 20
    repair: bool = True

    def __post_init__(self) -> None:
        if self.particles < 1 or self.rounds < 0:
            raise BadOption("A swarm needs at least one particle, and at least 0 rounds.")

    def run(self, question: Question, places: Sequence[Place], rng: Random) -> Steps:
        """Move the swarm; returns the rewording that reaches the goal, or the best one found."""
        space = Space(question, [place for place in places if place.swaps], max(1, len(places)), self.repair)
        weights = [min(len(place.swaps), COUNTED) for place in space.places]
        swarm: list[Particle] = []
        for _ in range(self.particles):
            words, value = yield from space.best_at(space.original, rng.choices(range(len(weights)), weights)[0])
            if value is not None and value.reached:
                return space.candidate(words)
            swarm.append(Particle(words, [], words, value.loss if value else 0.0))
        for particle in swarm:
            particle.velocity = [rng.uniform(-V_MAX, V_MAX)] * len(weights)
        top = max(swarm, key=lambda particle: particle.best_loss)
        best, best_loss = top.best, top.best_loss
        for number in range(self.rounds):
            for particle in swarm:
                move(particle, best, number / self.rounds, rng)
            values = yield from space.ask([particle.words for particle in swarm])
            for particle, value in zip(swarm, values, strict=True):
                if value is not None and value.reached:
                    return space.candidate(particle.words)
            for particle in swarm:
                value = yield from mutate(particle, space, weights, rng)
                if value is not None and value.reached:
                    return space.candidate(particle.words)
            for particle in swarm:
                loss = worth.loss if (worth := space.known[particle.words]) else 0.0
                if loss > particle.best_loss:
                    particle.best, particle.best_loss = particle.words, loss
                if loss > best_loss:
                    best, best_loss = particle.words, loss
        return space.candidate(best) if best != space.original else None


def move(particle: Particle, best: Words, passed: float, rng: Random) -> None:
    """Move a particle toward its own best and toward the swarm's; ``passed`` is the share of rounds completed.

    Each word takes its value from the better position with probability sigmoid(velocity).
    """
    inertia = 0.2 + 0.6 * (1 - passed)
    particle.velocity = [
        inertia * speed + (1 - inertia) * (_pull(word, own) + _pull(word, top))
        for speed, word, own, top in zip(particle.velocity, particle.words, particle.best, best, strict=True)
    ]
    chances = [1 / (1 + exp(-speed)) for speed in particle.velocity]
    for goal, likely in ((particle.best, 0.8 - 0.6 * passed), (best, 0.2 + 0.6 * passed)):
        if rng.random() < likely:
            particle.words = tuple(
                better if rng.random() < chance else word
                for word, better, chance in zip(particle.words, goal, chances, strict=True)
            )


def _pull(word: int, better: int) -> float:
    return -V_MAX if word == better else V_MAX


def mutate(particle: Particle, space: Space, weights: Sequence[int], rng: Random) -> Queries[CandidateValue | None]:
    """Replace one unchanged word by its best swap; the more words are changed already, the less likely this is."""
    changed = {place for place, word in enumerate(particle.words) if word >= 0}
    if rng.random() >= 1 - 2 * len(changed) / space.length:
        return None
    free = [place for place in range(len(weights)) if place not in changed] or list(range(len(weights)))
    place = rng.choices(free, [weights[one] for one in free])[0]
    particle.words, value = yield from space.best_at(particle.words, place)
    return value
