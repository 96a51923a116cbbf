"""Particle swarm search over words (Sememe+PSO, Zang et al. 2020)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from math import exp
from random import Random
from typing import TypeAlias

from askew.attack.greedy import Steps
from askew.attack.rewording import reworded
from askew.errors import BadOption
from askew.types import Candidate, Place, Question, Value

Words: TypeAlias = tuple[int, ...]
"""A position in the space of rewordings: for each place the number of a swap, or -1 for the word that was there."""
Asked: TypeAlias = Generator[Sequence[Candidate], Sequence[Value | None], list[Value | None]]
Moved: TypeAlias = Generator[Sequence[Candidate], Sequence[Value | None], tuple[Words, Value | None]]
V_MAX = 3.0
COUNTED = 10
"""Swaps of a place that count when a place is drawn."""


@dataclass
class Particle:
    """A particle: its position, its velocity, and the best position it has been at."""

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
    """Words of the question."""
    repair: bool = True
    known: dict[Words, Value | None] = field(default_factory=dict)
    """What each position asked so far is worth."""

    @property
    def original(self) -> Words:
        """The position of the question itself."""
        return (-1,) * len(self.places)

    def candidate(self, words: Words) -> Candidate:
        """The rewording at a position."""
        chosen = {place: place.swaps[word] for place, word in zip(self.places, words, strict=True) if word >= 0}
        made = reworded(self.question, chosen, repair=self.repair)
        return made if chosen else Candidate(self.question.text, probe=True)

    def ask(self, positions: Sequence[Words]) -> Asked:
        """What positions are worth; each is asked once."""
        new = [words for words in dict.fromkeys(positions) if words not in self.known]
        if new:
            self.known.update(zip(new, (yield [self.candidate(words) for words in new]), strict=True))
        return [self.known[words] for words in positions]

    def best_at(self, words: Words, place: int) -> Moved:
        """The position with the best swap at a place, and what it is worth; ``words`` where no swap is better."""
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

    As in the authors' code, with a maximal velocity that starts a particle (one draw for all its words) but never clips
    it, and an untargeted goal: the loss is 1 minus the probability of the original's answer.
    """

    particles: int = 60
    rounds: int = 20
    repair: bool = True

    def __post_init__(self) -> None:
        if self.particles < 1 or self.rounds < 0:
            raise BadOption("A swarm needs at least one particle, and at least 0 rounds.")

    def run(self, question: Question, places: Sequence[Place], rng: Random) -> Steps:
        """Gives the rewording that reaches the goal, or the best of the swarm."""
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
    """Move a particle toward its own best and toward the swarm's; ``passed`` is the share of rounds that are over.

    Each word becomes the better position's with probability sigmoid(velocity).
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


def mutate(
    particle: Particle, space: Space, weights: Sequence[int], rng: Random
) -> Generator[Sequence[Candidate], Sequence[Value | None], Value | None]:
    """Replace one word that is unchanged by its best swap, the less likely the more words are changed."""
    changed = {place for place, word in enumerate(particle.words) if word >= 0}
    if rng.random() >= 1 - 2 * len(changed) / space.length:
        return None
    free = [place for place in range(len(weights)) if place not in changed] or list(range(len(weights)))
    place = rng.choices(free, [weights[one] for one in free])[0]
    particle.words, value = yield from space.best_at(particle.words, place)
    return value
