"""Which regions of an image a question is about: the boxes of the things it names, or random boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from math import ceil, floor
from random import Random
from typing import TypeAlias

from askew.answers.normalise import modal_answer, normalise, tokens
from askew.files.resources import resource
from askew.language.inflect import singular
from askew.types import Question, Scene, Thing

Box: TypeAlias = tuple[float, float, float, float]
"""x, y (top left), width, height, in pixels."""

Region: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in whole pixels; right and bottom are exclusive."""

SMALLEST = 32
"""The smallest side of a box in CARETS: people recognise a scene from 32 × 32 pixels (Torralba et al. 2008)."""


def named_boxes(question: Question) -> list[Box]:
    """The boxes of all things in the scene that the question or its most frequent answer names, in scene order.

    Names match in the singular and the plural, the longest name first: a *traffic light* is not a *light*. Things that
    a named thing rides, holds, wears or stands on (or that ride it, ...) are kept as well.

    >>> things = (Thing("1", "dog", box=(0, 0, 40, 40)), Thing("2", "hot dog", box=(50, 0, 40, 40)))
    >>> named_boxes(Question(1, None, "Are there any dogs?", scene=Scene("1", things)))
    [(0, 0, 40, 40)]
    >>> named_boxes(Question(1, None, "What is this?", ("hot dog",), scene=Scene("1", things)))
    [(50, 0, 40, 40)]
    """
    if question.scene is None:
        return []
    texts = (tokens(question.text), tokens(modal_answer(question.answers, normalise)))
    names = {name for words in texts for name in _names_in(words, question.scene.things)}
    named = {thing.id for thing in question.scene.things if thing.name in names}
    kept = named | set(_belonging(question.scene, named))
    return [thing.box for thing in question.scene.things if thing.box and thing.id in kept]


def asks_for_place(question: Question) -> bool:
    """Whether the question mentions a position in the image, e.g. *the man on the left*."""
    return not _words()["place"].isdisjoint(tokens(question.text))


def asks_for_surroundings(question: Question) -> bool:
    """Whether the question asks about the surroundings, e.g. *Where is the cat?*"""
    return tokens(question.text)[:1] != () and tokens(question.text)[0] in _words()["surroundings"]


def random_boxes(scene: Scene | None, size: tuple[int, int], rng: Random) -> list[Box]:
    """One or two boxes of things with sides of at least 32 pixels; a box anywhere if the scene has none."""
    large = [thing.box for thing in scene.things if thing.box and min(thing.box[2:]) >= SMALLEST] if scene else []
    boxes = list(dict.fromkeys(large))
    if boxes:
        return rng.sample(boxes, min(len(boxes), rng.choice((1, 2))))
    sides = [rng.randint(min(SMALLEST, side), max(SMALLEST, side // 2)) for side in size]
    width, height = (min(side, whole) for side, whole in zip(sides, size, strict=True))
    return [(rng.randint(0, size[0] - width), rng.randint(0, size[1] - height), width, height)]


def regions(boxes: Iterable[Box], drawn_on: tuple[int, int] | None, size: tuple[int, int]) -> list[Region]:
    """The boxes in the pixels of an image of this size, enlarged to sides of at least 32 if the image has room.

    ``drawn_on`` is the image size that the boxes refer to, if different. Parts outside the image are cut off.

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
    """The smallest rectangle that contains all regions.

    >>> hull([(10, 20, 42, 52), (30, 0, 90, 40)])
    (10, 0, 90, 52)
    """
    lefts, tops, rights, bottoms = zip(*parts, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def as_boxes(parts: Iterable[Region]) -> list[list[int]]:
    """Regions as x, y, width and height, for notes."""
    return [[left, top, right - left, bottom - top] for left, top, right, bottom in parts]


def _belonging(scene: Scene, named: Set[str]) -> Iterator[str]:
    """The ids of things related to a named thing other than by position."""
    for relation in scene.relations:
        if _words()["position"].isdisjoint(tokens(relation.name)):
            if relation.subject in named:
                yield relation.object
            if relation.object in named:
                yield relation.subject


@cache
def _words() -> Mapping[str, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in resource("perturb/visual/place_words.yaml").items()}


def _side(start: float, stop: float, whole: int) -> tuple[int, int]:
    """An interval in whole pixels inside the image, enlarged around its middle if shorter than 32."""
    first, last = max(0, floor(start)), min(whole, ceil(stop))
    missing = min(SMALLEST, whole) - (last - first)
    if first < last and missing > 0:
        first = min(max(0, first - missing // 2), whole - min(SMALLEST, whole))
        last = first + min(SMALLEST, whole)
    return first, last


def _names_in(words: Sequence[str], things: Iterable[Thing]) -> Iterator[str]:
    """Names of things that occur in these words; the words of a longer name do not count for shorter ones."""
    names = sorted({thing.name for thing in things}, key=lambda name: (-len(name.split()), name))
    free = list(words)
    for name in names:
        wanted = tokens(name)
        count = len(wanted)
        places = [place for place in range(len(free) - count + 1) if wanted and _occurs(free, place, wanted)]
        if places:
            yield name
        for place in places:
            free[place : place + count] = [""] * count


def _occurs(words: Sequence[str], place: int, wanted: Sequence[str]) -> bool:
    """Whether a name occurs at this place, its last word in the singular or plural."""
    last = place + len(wanted) - 1
    return tuple(words[place:last]) == tuple(wanted[:-1]) and _same(words[last], wanted[-1])


def _same(word: str, other: str) -> bool:
    """Whether two words are the same noun, in the singular or plural.

    >>> _same("people", "person"), _same("bus", "buses"), _same("cat", "dog")
    (True, True, False)
    """
    return word == other or _is_plural_of(word, other) or _is_plural_of(other, word)


def _is_plural_of(word: str, noun: str) -> bool:
    if word.endswith("s"):
        return noun != "" and word in (noun + "s", noun + "es", noun[:-1] + "ies" if noun.endswith("y") else "")
    return word != "" and singular(word) == noun
