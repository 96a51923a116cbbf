"""Which part of a picture a question is about: the boxes of the things it names, or boxes drawn by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from math import ceil, floor
from random import Random
from typing import TypeAlias

from askew.language.inflect import singular
from askew.shipped import shipped
from askew.text import modal_answer, tokens
from askew.types import Question, Scene, Thing

Box: TypeAlias = tuple[float, float, float, float]
"""x, y (top left), width, height, in pixels."""

Region: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in whole pixels, the last two just outside."""

SMALLEST = 32
"""Pixels a side that people recognise a scene from (Torralba et al. 2008), the least size of a box in CARETS."""


def named_boxes(question: Question) -> list[Box]:
    """The boxes of all things of the scene that the question or its most frequent answer names, in their order.

    A thing is named in the singular or the plural, and by its longest name: a *traffic light* is not a *light*. What a
    named thing rides, holds, wears or stands on (and what rides it, ...) belongs to it.

    >>> things = (Thing("1", "dog", box=(0, 0, 40, 40)), Thing("2", "hot dog", box=(50, 0, 40, 40)))
    >>> named_boxes(Question(1, None, "Are there any dogs?", scene=Scene("1", things)))
    [(0, 0, 40, 40)]
    >>> named_boxes(Question(1, None, "What is this?", ("hot dog",), scene=Scene("1", things)))
    [(50, 0, 40, 40)]
    """
    if question.scene is None:
        return []
    texts = (tokens(question.text), tokens(modal_answer(question.answers)))
    named = {name for words in texts for name in _names_in(words, question.scene.things)}
    found = {thing.id for thing in question.scene.things if thing.name in named}
    kept = found | set(_belonging(question.scene, found))
    return [thing.box for thing in question.scene.things if thing.box and thing.id in kept]


def asks_for_place(question: Question) -> bool:
    """Whether the question speaks of a place in the picture, e.g. *the man on the left*."""
    return not _words()["place"].isdisjoint(tokens(question.text))


def asks_for_surroundings(question: Question) -> bool:
    """Whether the question asks for what is around, e.g. *Where is the cat?*"""
    return tokens(question.text)[:1] != () and tokens(question.text)[0] in _words()["surroundings"]


def random_boxes(scene: Scene | None, size: tuple[int, int], rng: Random) -> list[Box]:
    """One or two boxes of things at least 32 pixels a side; a box anywhere when the scene has none so large."""
    large = [thing.box for thing in scene.things if thing.box and min(thing.box[2:]) >= SMALLEST] if scene else []
    boxes = list(dict.fromkeys(large))
    if boxes:
        return rng.sample(boxes, min(len(boxes), rng.choice((1, 2))))
    sides = [rng.randint(min(SMALLEST, side), max(SMALLEST, side // 2)) for side in size]
    width, height = (min(side, whole) for side, whole in zip(sides, size, strict=True))
    return [(rng.randint(0, size[0] - width), rng.randint(0, size[1] - height), width, height)]


def regions(boxes: Iterable[Box], drawn_on: tuple[int, int] | None, size: tuple[int, int]) -> list[Region]:
    """The boxes in the pixels of a picture of this size, each at least 32 a side where the picture has room.

    ``drawn_on`` is the size the boxes were drawn on, when it may be another. What lies outside the picture goes.

    >>> regions([(100, 100, 50, 40), (0, 0, 10, 10)], (200, 200), (400, 400))
    [(200, 200, 300, 280), (0, 0, 32, 32)]
    >>> regions([(500, 0, 40, 40)], None, (400, 400))
    []
    """
    across, down = (new / old for new, old in zip(size, drawn_on or size, strict=True))
    found = []
    for x, y, width, height in boxes:
        left, right = _side(x * across, (x + width) * across, size[0])
        top, bottom = _side(y * down, (y + height) * down, size[1])
        if left < right and top < bottom:
            found.append((left, top, right, bottom))
    return found


def hull(parts: Sequence[Region]) -> Region:
    """The smallest rectangle that holds all of them.

    >>> hull([(10, 20, 42, 52), (30, 0, 90, 40)])
    (10, 0, 90, 52)
    """
    lefts, tops, rights, bottoms = zip(*parts, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def as_boxes(parts: Iterable[Region]) -> list[list[int]]:
    """Regions as x, y, width and height again, for notes."""
    return [[left, top, right - left, bottom - top] for left, top, right, bottom in parts]


def _belonging(scene: Scene, found: Set[str]) -> Iterator[str]:
    """Things that a found one is related to other than by position."""
    for relation in scene.relations:
        if _words()["position"].isdisjoint(tokens(relation.name)):
            if relation.subject in found:
                yield relation.object
            if relation.object in found:
                yield relation.subject


@cache
def _words() -> Mapping[str, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in shipped("perturb/visual/words.yaml").items()}


def _side(start: float, stop: float, whole: int) -> tuple[int, int]:
    """A side in whole pixels inside the picture, grown about its middle where it is under 32."""
    first, last = max(0, floor(start)), min(whole, ceil(stop))
    missing = min(SMALLEST, whole) - (last - first)
    if first < last and missing > 0:
        first = min(max(0, first - missing // 2), whole - min(SMALLEST, whole))
        last = first + min(SMALLEST, whole)
    return first, last


def _names_in(words: Sequence[str], things: Iterable[Thing]) -> Iterator[str]:
    """Names of things that stand in these words; a word that belongs to a longer name is used up by it."""
    names = sorted({thing.name for thing in things}, key=lambda name: (-len(name.split()), name))
    free = list(words)
    for name in names:
        wanted = tokens(name)
        count = len(wanted)
        places = [place for place in range(len(free) - count + 1) if wanted and _stands(free, place, wanted)]
        if places:
            yield name
        for place in places:
            free[place : place + count] = [""] * count


def _stands(words: Sequence[str], place: int, wanted: Sequence[str]) -> bool:
    """Whether a name stands at this place, its last word in either number."""
    last = place + len(wanted) - 1
    return tuple(words[place:last]) == tuple(wanted[:-1]) and _same(words[last], wanted[-1])


def _same(word: str, other: str) -> bool:
    """The same noun, in the same or the other number.

    >>> _same("people", "person"), _same("bus", "buses"), _same("cat", "dog")
    (True, True, False)
    """
    return word == other or _is_plural_of(word, other) or _is_plural_of(other, word)


def _is_plural_of(word: str, noun: str) -> bool:
    if word.endswith("s"):
        return noun != "" and word in (noun + "s", noun + "es", noun[:-1] + "ies" if noun.endswith("y") else "")
    return word != "" and singular(word) == noun
