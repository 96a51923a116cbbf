"""Finds, for each question, other scenes in which the same text has another answer (``balance=text``).

As in VQA v2's balanced pairs, a text is then as often answered yes as no, and each choice of a list is as often
correct as the others, always in different scenes. What is matched depends on content alone: neither on the order of
the scenes nor on the number of processes.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np

from askew.perturb.carets.attributes import Value, apart, opposites
from askew.perturb.carets.balance import PairCount, capped
from askew.perturb.carets.offers import Offers
from askew.perturb.carets.ontology import exclusive
from askew.perturb.carets.pair_writer import CLAIM, OWN, TWIN, WORD_CLAIM, PlanRow
from askew.perturb.carets.question_pairs import ANTONYM
from askew.perturb.carets.question_types import ONE_TRUE

STEPS = 64
"""How many scenes that offer one key are searched for one that offers the others too."""
FEW_SETS = 25
"""With fewer sets than this, antonyms are also matched by word alone: the dog is wet, the street is dry."""
Member = tuple[int, int, str]
"""A claim of a set: its scene, its place there, and its value."""


class Lead(NamedTuple):
    """A yes/no question of a scene that needs another scene with the other answer."""

    test: str
    type: str
    category: str
    scene: int
    place: int
    """Its place among the drafts of the scene."""
    keys: tuple[int, ...]
    content: int
    """A hash of its text's arguments."""
    chance: float


class OfferIndex:
    """The scenes that offer a key, in an order that depends on the ids of the scenes alone."""

    def __init__(self, offers: Offers, hashes: Sequence[int]) -> None:
        self.scenes = np.argsort(np.asarray(hashes, dtype=np.uint64), kind="stable")
        rank = np.empty(len(hashes), dtype=np.uint32)
        rank[self.scenes] = np.arange(len(hashes), dtype=np.uint32)
        plain = np.asarray(offers.values) < 0
        keys, ranks = np.asarray(offers.keys)[plain], rank[np.asarray(offers.scenes)[plain]]
        order = np.lexsort((ranks, keys))
        self._ranks = array("I", ranks[order].tobytes())
        found, starts = np.unique(keys[order], return_index=True)
        self._starts = dict(zip(found.tolist(), starts.tolist(), strict=True))
        self._ends = dict(zip(found.tolist(), [*starts.tolist()[1:], len(keys)], strict=True))

    def offering(self, keys: Sequence[int], start: float) -> Iterator[int]:
        """The scenes that offer all the keys, in their order from a place between 0 and 1, wrapping around."""
        spans = [(self._starts.get(key, 0), self._ends.get(key, 0)) for key in keys]
        low, high = min(spans, key=lambda span: span[1] - span[0])
        other_spans = [span for span in spans if span != (low, high)]
        first = bisect_left(self._ranks, int(start * len(self.scenes)), low, high)
        for step in range(min(high - low, STEPS)):
            rank = self._ranks[low + (first - low + step) % (high - low)]
            if all(self._among(rank, *span) for span in other_spans):
                yield int(self.scenes[rank])

    def _among(self, rank: int, low: int, high: int) -> bool:
        place = bisect_left(self._ranks, rank, low, high)
        return place < high and self._ranks[place] == rank


@dataclass
class Load:
    """How many questions of a test each scene has, and which; a scene has at most ``most``."""

    most: int
    counts: Counter[int] = field(default_factory=Counter)
    asked: set[tuple[int, int]] = field(default_factory=set)

    def room(self, scenes: Iterable[int]) -> bool:
        """True if each of these scenes can have one more."""
        return all(self.counts[scene] < self.most for scene in scenes)


def alternatives(lead: Lead) -> Iterator[tuple[int, ...]]:
    """The keys of a scene in which the lead has the other answer, the preferred ones first.

    A conjunction is false if one of its things is absent; the other one is mostly present. A disjunction is true if one
    is present.
    """
    if lead.type not in ("Q2", "Q3"):
        yield lead.keys
        return
    swap = lead.content % 2
    one, other = (lead.keys[1], lead.keys[0]) if swap else (lead.keys[0], lead.keys[1])
    both: list[tuple[int, ...]] = [(one, other)]
    single: list[tuple[int, ...]] = [(one,), (other,)]
    if lead.type == "Q2":
        has_one, has_other = (lead.keys[3], lead.keys[2]) if swap else (lead.keys[2], lead.keys[3])
        single = [(one, has_other), (other, has_one), *single]
    mixed = (lead.content >> 8) % 100 < 100 * ONE_TRUE
    yield from [*single, *both] if mixed else [*both, *single]


def match_leads(
    leads: Sequence[Lead], index: OfferIndex, size: PairCount, most: int
) -> tuple[list[PlanRow], list[Lead]]:
    """The leads of one test with their twins in other scenes, and the leads without a twin.

    Leads are taken in a random order in which each type has the same chance, until there are enough.
    """
    weights = Counter(lead.category for lead in leads)
    ordered = sorted(
        leads, key=lambda lead: (-math.log(max(lead.chance, 1e-300)) * weights[lead.category], lead.content)
    )
    load, rows, alone = Load(most), list[PlanRow](), list[Lead]()
    wanted = math.inf if size.binary is None else size.binary // 2 * 2
    for lead in ordered:
        if len(rows) >= wanted:
            break
        if not load.room((lead.scene,)) or (lead.scene, lead.content) in load.asked:
            continue
        twin = _twin(lead, index, load)
        if twin is None:
            alone.append(lead)
            continue
        mark = (lead.content ^ int(lead.chance * (1 << 53))) & ((1 << 64) - 1)
        rows.append(PlanRow(lead.scene, lead.test, OWN, lead.place, lead.scene, (), mark))
        rows.append(PlanRow(twin, lead.test, TWIN, lead.place, lead.scene, (), mark))
        for scene in (lead.scene, twin):
            load.counts[scene] += 1
            load.asked.add((scene, lead.content))
    return rows, alone


def _twin(lead: Lead, index: OfferIndex, load: Load) -> int | None:
    for keys in alternatives(lead):
        for scene in index.offering(keys, lead.chance):
            if scene != lead.scene and load.room((scene,)) and (scene, lead.content) not in load.asked:
                return scene
    return None


class ClaimSet(NamedTuple):
    """Claims of different scenes with the same description and different values."""

    category: str
    words: tuple[str, ...]
    members: tuple[Member, ...]
    chance: float
    mark: int
    kind: int = CLAIM


def match_claims(test: str, sets: Sequence[ClaimSet], size: PairCount, most: int) -> Iterator[PlanRow]:
    """Questions of one test about claims, each choice as often correct as the others in its list."""
    for each in _capped_sets(sets, size, most) if test == ANTONYM else _even_sets(sets, size, most):
        for scene, claim, _ in each.members:
            yield PlanRow(scene, test, each.kind, claim, scene, each.words, each.mark)


def claim_sets(
    test: str, types: Sequence[str], offers: Offers, hashes: Sequence[int], seed: int
) -> tuple[list[ClaimSet], list[tuple[int, str]]]:
    """The sets of matching claims of these types, and each scene and value without a matching description."""
    words = list(offers.words)
    suits = np.asarray([word[0] in types for word in words] or [False])
    values, keys = np.asarray(offers.values), np.asarray(offers.keys)
    places = np.flatnonzero((values >= 0) & suits[np.maximum(values, 0)])
    places = places[np.argsort(keys[places], kind="stable")]
    bounds = [0, *(np.flatnonzero(np.diff(keys[places])) + 1).tolist(), len(places)]
    sets, single = list[ClaimSet](), list[int]()
    for low, high in pairwise(bounds):
        run = sorted(places[low:high].tolist(), key=lambda place: hashes[offers.scenes[place]])
        found = list(_matched(test, [(place, *words[offers.values[place]]) for place in run], offers, seed))
        sets += found
        single += [] if found else run
    if test == ANTONYM and len(sets) < FEW_SETS:
        sets += _by_word(single, words, offers, hashes, seed)
    found_in = {(scene, value) for each in sets for scene, _, value in each.members}
    stated = ((offers.scenes[place], words[offers.values[place]][2]) for place in single)
    return sets, [each for each in dict.fromkeys(stated) if each not in found_in]


def _by_word(
    places: Sequence[int], words: Sequence[tuple[str, str, str]], offers: Offers, hashes: Sequence[int], seed: int
) -> Iterator[ClaimSet]:
    """Opposite claims about different descriptions, one claim per scene: only the words are balanced."""
    runs: dict[str, dict[int, Member]] = {}
    for place in sorted(places, key=lambda place: (hashes[offers.scenes[place]], offers.keys[place])):
        _, category, word = words[offers.values[place]]
        scene = offers.scenes[place]
        runs.setdefault(category, {}).setdefault(scene, (scene, offers.claims[place], word))
    for category, run in sorted(runs.items()):
        by_value: dict[str, list[Member]] = {}
        for member in run.values():
            by_value.setdefault(member[2], []).append(member)
        for each in _opposed(category, by_value, Random(f"{seed}:{category}")):
            yield each._replace(kind=WORD_CLAIM)


def _matched(test: str, run: Sequence[tuple[int, str, str, str]], offers: Offers, seed: int) -> Iterator[ClaimSet]:
    """The sets of claims with the same key."""
    if len({value for _, _, _, value in run}) < 2:
        return
    place, type_, category, _ = run[0]
    rng = Random(f"{seed}:{test}:{offers.keys[place]}")
    by_value: dict[str, list[Member]] = {}
    for place, _, _, word in rng.sample(run, len(run)):
        by_value.setdefault(word, []).append((offers.scenes[place], offers.claims[place], word))
    yield from _opposed(category, by_value, rng) if test == ANTONYM else _choices(type_, category, by_value, rng)


def _opposed(category: str, by_value: dict[str, list[Member]], rng: Random) -> Iterator[ClaimSet]:
    """Pairs of claims with opposite values; either value may be asked for first."""
    loose = "/" in category
    for word in sorted(by_value):
        for other in opposites(Value("" if loose else category, word)):
            if word < other.word and other.word in by_value:
                while by_value[word] and by_value[other.word]:
                    pair = (word, other.word) if rng.random() < 0.5 else (other.word, word)
                    members = by_value[word].pop(), by_value[other.word].pop()
                    yield ClaimSet(f"{word}/{other.word}", pair, members, rng.random(), rng.getrandbits(64))


def _choices(type_: str, category: str, by_value: dict[str, list[Member]], rng: Random) -> Iterator[ClaimSet]:
    """Claims with two or three values that exclude each other."""
    while True:
        chosen: list[str] = []
        for _ in range(3 if rng.random() < 0.5 else 2):
            left = {
                word: len(members)
                for word, members in sorted(by_value.items())
                if members
                and all(exclusive(word, each) if type_ == "Q5" else apart(category, word, each) for each in chosen)
            }
            if left:
                chosen += rng.choices(list(left), list(left.values()))
        if len(chosen) < 2:
            return
        members = tuple(by_value[word].pop() for word in chosen)
        yield ClaimSet(category, tuple(sorted(chosen)), members, rng.random(), rng.getrandbits(64))


def _capped_sets(sets: Sequence[ClaimSet], size: PairCount, most: int) -> Iterator[ClaimSet]:
    """Sets of opposites in random order, no pair of words above its cap."""
    counts = Counter(each.category for each in sets)
    wanted = len(sets) if size.binary is None else min(len(sets), size.binary // 2)
    wanted, (cap,) = capped(ANTONYM, wanted, counts)
    load, found = Load(most), Counter[str]()
    for each in _weighted(sets, lambda each: 1 / counts[each.category]):
        if sum(found.values()) < wanted and found[each.category] < cap and _take(each, load):
            found[each.category] += 1
            yield each


def _even_sets(sets: Sequence[ClaimSet], size: PairCount, most: int) -> Iterator[ClaimSet]:
    """Sets of choices, rare categories and values first, as many questions with two choices as with three."""
    categories = Counter(each.category for each in sets)
    answers = Counter(word for each in sets for word in each.words)

    def weight(each: ClaimSet) -> float:
        return len(each.words) / categories[each.category] / sum(answers[word] for word in each.words)

    ordered = _weighted(sets, weight)
    load = Load(most)
    threes = [each for each in ordered if len(each.words) == 3]
    twos = [each for each in ordered if len(each.words) == 2]
    wanted = 6 * min(len(threes) // 2, len(twos) // 3) if size.choices is None else size.choices
    half = round(wanted / 6)
    found: Counter[int] = Counter()
    for each in threes:
        if found[3] < half - (wanted - half) % 2 and _take(each, load):  # so that the rest is even
            found[3] += 1
            yield each
    for each in twos:
        if 3 * found[3] + 2 * found[2] + 2 <= wanted and _take(each, load):
            found[2] += 1
            yield each


def _take(each: ClaimSet, load: Load) -> bool:
    """Count the members of a set; False if one of their scenes has no room."""
    scenes = [scene for scene, _, _ in each.members]
    if not load.room(scenes):
        return False
    load.counts.update(scenes)
    return True


def _weighted(sets: Sequence[ClaimSet], weight: Callable[[ClaimSet], float]) -> list[ClaimSet]:
    """The sets in a random order in which those of greater weight come first (Efraimidis and Spirakis 2006)."""
    return sorted(sets, key=lambda each: (-math.log(max(each.chance, 1e-300)) / weight(each), each.mark))
