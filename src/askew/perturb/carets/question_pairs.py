"""Pairs of questions for each test of CARETS: what the second question changes (section 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from askew.perturb.carets.arguments import NO, QuestionArguments, Template
from askew.perturb.carets.balance import Entry
from askew.perturb.carets.ontology import lemma, number, plural, wider
from askew.perturb.carets.plausibility import EMPTY, Plausibility, pick
from askew.perturb.carets.question_types import (
    action_choice,
    antonym_question,
    attribute_choice,
    attribute_question,
    conjunction,
    disjunction,
    false_noun,
    object_choice,
    object_question,
)
from askew.perturb.carets.scene_view import SceneView, misread
from askew.types import Expect

REPHRASE, ORDER, ONTOLOGICAL = "REPHRASE-INV", "ORDER-INV", "ONTOLOGICAL-INV"
VISUAL, NEGATION, ANTONYM = "VISUAL-INV", "NEGATION-DIR", "ANTONYM-DIR"

TESTS: tuple[str, ...] = (REPHRASE, ORDER, ONTOLOGICAL, VISUAL, NEGATION, ANTONYM)
"""The tests of CARETS."""

EXPECT: Mapping[str, Expect] = {test: Expect.DIFFERENT if test.endswith("-DIR") else Expect.SAME for test in TESTS}

KINDS: Mapping[str, tuple[str, ...]] = {
    REPHRASE: ("Q1", "Q2", "Q3", "Q5", "Q6", "Q7"),
    ORDER: ("Q2", "Q3", "Q5", "Q6", "Q7"),
    ONTOLOGICAL: ("Q1",),
    VISUAL: ("Q1", "Q2", "Q3", "Q5", "Q6", "Q7"),
    NEGATION: ("Q1", "Q2", "Q3"),
    ANTONYM: ("Q4",),
}
"""The question types of each test."""


class QuestionPair(NamedTuple):
    """The arguments of both questions of a pair, and what changed."""

    first: QuestionArguments
    second: QuestionArguments
    changed: str
    """A description for people: ``dog → animal``."""
    category: str
    """What the pairs of a test are balanced over: the class, the category, or the pair of opposites."""
    direction: str = ""
    """For ONTOLOGICAL-INV: ``hypernym`` if the second name is the wider one, otherwise ``hyponym``."""


class PairDraft(NamedTuple):
    """A pair of a scene's pool before it becomes text, with the random numbers that select it and its templates."""

    test: str
    place: int
    """The number of the draw within the scene."""
    pair: QuestionPair
    chance: float
    """Between 0 and 1; used for balancing."""
    spin: float
    """Between 0 and 1; selects the templates."""

    def entry(self) -> Entry:
        """The entry for balancing."""
        first = self.pair.first
        return Entry(self.test, len(first.options), self.pair.category, first.answer, self.chance)


def ask(type_: str, view: SceneView, model: Plausibility, rng: Random, true: bool) -> QuestionArguments | None:
    """The arguments of a question of a type; ``true`` is for yes/no questions."""
    if type_ in _BINARY:
        return _BINARY[type_](view, model, rng, true)
    return _CHOICES[type_](view, model, rng)


def make_pair(
    test: str, type_: str, view: SceneView, model: Plausibility, rng: Random, true: bool
) -> QuestionPair | None:
    """A pair of this test from a scene, or None if there is none."""
    if test == ANTONYM:
        found = antonym_question(view, rng, true)
        return antonym_pair(*found) if found else None
    if test == ONTOLOGICAL:
        return _wider(view, model, rng) if true else _narrower(view, model, rng)
    asked = ask(type_, view, model, rng, true)
    return vary(test, asked, rng) if asked else None


def vary(test: str, asked: QuestionArguments, rng: Random) -> QuestionPair:
    """The pair of a question and its rephrased, reordered or negated form; for VISUAL-INV, of itself."""
    category = asked.category or asked.type
    if test == ORDER:
        other = asked._replace(nouns=asked.nouns[::-1]) if asked.binary else _permuted(asked, rng)
        return QuestionPair(asked, other, "order", category)
    if test == NEGATION:
        return QuestionPair(asked, asked._replace(answer=asked.wrong), "negated", category)
    return QuestionPair(asked, asked, "template" if test == REPHRASE else "picture", category)


def templates_of(test: str, pair: QuestionPair, spin: float) -> tuple[Template, Template] | None:
    """The templates of both questions: different ones to rephrase, a negated second one to negate, otherwise the same.

    ``spin``, a number between 0 and 1, selects uniformly among all possibilities.
    """
    ways = pair.first.ways()
    others = len(ways) - 1 if test == REPHRASE else 1
    if not ways or not others:
        return None
    place, step = divmod(int(spin * len(ways) * others), others)
    first = ways[place]
    if test == REPHRASE:
        return first, ways[(place + 1 + step) % len(ways)]
    return first, first.negation if test == NEGATION else first


def _wider(view: SceneView, model: Plausibility, rng: Random) -> QuestionPair | None:
    """A true question about a thing, then about its class."""
    asked = object_question(view, model, rng, True, related=0.0, absolute=True)
    words = wider(lemma(asked.nouns[0].name)) if asked else ()
    if asked is None or not words:
        return None
    word = pick(words, rng)
    return _renamed(asked, _in_number(word, asked.nouns[0].name), word, "hypernym")


def _narrower(view: SceneView, model: Plausibility, rng: Random) -> QuestionPair | None:
    """A false question about a class, then about one of its members."""
    for _ in range(6):
        name = model.false_name(view, rng)
        words = [word for word in wider(lemma(name)) if view.lacked[word]] if name else []
        if not name or not words:
            continue
        word = pick(words, rng)
        member = model.kinds.get(word, EMPTY).draw(rng)
        narrow = member if member and view.lacked[member] and rng.random() < 0.5 else name
        noun = false_noun(model, narrow, rng, absolute=True)
        asked = QuestionArguments("Q1", (noun._replace(name=_in_number(word, narrow)),), NO)
        return _renamed(asked, narrow, word, "hyponym")
    return None


def _in_number(word: str, name: str) -> str:
    """A class in the plural if the name of its member is one."""
    return plural(word) if number(name) == "many" and number(word) == "one" else word


def _renamed(asked: QuestionArguments, name: str, category: str, direction: str) -> QuestionPair:
    noun = asked.nouns[0]
    if any(misread(value.before, each) for value in noun.values for each in (noun.name, name)):
        noun = noun._replace(values=())
        asked = asked._replace(nouns=(noun,))
    other = asked._replace(nouns=(noun._replace(name=name),))
    return QuestionPair(asked, other, f"{noun.name} → {name}", category, direction)


def antonym_pair(first: QuestionArguments, second: QuestionArguments) -> QuestionPair:
    """The pair of a question about an attribute and the one about its opposite."""
    words = [asked.value.word for asked in (first, second) if asked.value]
    return QuestionPair(first, second, " → ".join(words), "/".join(sorted(words)))


def _permuted(asked: QuestionArguments, rng: Random) -> QuestionArguments:
    """The choices in a different random order."""
    options = list(asked.options)
    while tuple(options) == asked.options:
        rng.shuffle(options)
    return asked._replace(options=tuple(options))


_BINARY: Mapping[str, Callable[[SceneView, Plausibility, Random, bool], QuestionArguments | None]] = {
    "Q1": object_question,
    "Q2": conjunction,
    "Q3": disjunction,
    "Q4": attribute_question,
}
_CHOICES: Mapping[str, Callable[[SceneView, Plausibility, Random], QuestionArguments | None]] = {
    "Q5": object_choice,
    "Q6": attribute_choice,
    "Q7": action_choice,
}
