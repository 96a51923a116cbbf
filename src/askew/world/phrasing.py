"""What a question of the world means, and how it is put into words (``phrasings/*.yaml``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any, TypeAlias

from askew.files.read_write import resource, word_sets
from askew.world.world_data import classes

Point: TypeAlias = tuple[object, ...]
"""What a question is about, regardless of wording: within one scene no two questions share it."""


@dataclass(frozen=True, slots=True)
class Pick:
    """What a noun phrase refers to: *the brown dog on the left* is ``Pick("dog", ("brown",), "left")``."""

    noun: str
    """A class, or a hypernym such as ``animal``."""
    words: tuple[str, ...] = ()
    """Attributes it must have."""
    side: str = ""
    """``left`` or ``right``: it is the only such thing in that half of the image."""
    tie: str = ""
    """Its relation to another thing, or a passive: ``held by``, ``worn by``, ``ridden by``."""
    to: Pick | None = None
    """The other thing."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is asked: an operation over the scene. ``tests/independent_answers.py`` computes the answer to each."""

    op: str
    subject: Pick | None = None
    about: str = ""
    """A dimension (``colour``), a relation (``holding``) or a fact (``weather``)."""
    values: tuple[str, ...] = ()
    """The words or numbers that the question contains."""
    other: Pick | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it is put into words: its meaning, its true answer, and the words that fill its slots."""

    key: str
    """The key of its phrasings, e.g. ``exists/one``."""
    meaning: Meaning
    answer: str
    slots: dict[str, str] = field(default_factory=dict)
    of: str = ""
    """The id of the thing it is about, so that it is not asked again in other words."""

    @property
    def point(self) -> Point:
        """Drafts of one scene with the same point are the same question, whatever words they use for the thing."""
        meaning = self.meaning
        return (meaning.op, meaning.about, self.of) if self.of else (meaning,)


@dataclass(frozen=True, slots=True)
class Asked:
    """A phrased question with its true answer and what it means."""

    text: str
    answer: str
    meaning: Meaning
    kind: str
    """The kind of question, e.g. ``exists``; a key of ``mix.yaml``."""
    answer_type: str
    question_type: str


Choice = tuple[tuple[str, ...], tuple[float, ...]]


def data(name: str) -> Any:
    """One file of ``phrasings/``."""
    return resource(f"world/phrasings/{name}.yaml")


@cache
def phrasings() -> Mapping[str, Choice]:
    """The phrasings of each key with their cumulative weights.

    >>> min(len(texts) for texts, _ in phrasings().values())
    8
    """
    return {key: _choice(entries) for name in ("yes_no", "other") for key, entries in data(name).items()}


def phrase(draft: Draft, rng: Random) -> str:
    """One phrasing of a draft as a person would type it: mostly with a capital letter and a question mark."""
    texts, weights = phrasings()[draft.key]
    text = rng.choices(texts, cum_weights=weights)[0].format_map(draft.slots)
    return typed(text[0].upper() + text[1:], rng)


def typed(text: str, rng: Random) -> str:
    """The text as typed: a few questions have no capitals, a few no question mark, as in VQA."""
    odds = data("mix")["surface"]
    chance = rng.random()
    if chance < odds["lower"]:
        text = text.lower()
    elif chance < odds["lower"] + odds["no_capital"]:
        text = text[0].lower() + text[1:]
    chance = rng.random()
    if chance < odds["no_mark"]:
        return text[:-1]
    return text[:-1] + " ?" if chance < odds["no_mark"] + odds["space_before_mark"] else text


def question_type(text: str) -> str:
    """The question type of VQA: the longest known type that the question begins with.

    >>> question_type("What color is the dog?"), question_type("How many people are in the car?")
    ('what color is the', 'how many people are in')
    >>> question_type("Would you say it is sunny?")
    'none of the above'
    """
    words, known = text.lower().rstrip("? ").split(), word_sets("world/phrasings/types.yaml")["types"]
    starts = (" ".join(words[:length]) for length in range(min(len(words), 5), 0, -1))
    return next((start for start in starts if start in known), str(data("types")["other"]))


def agreement(many: bool, noun: str = "") -> dict[str, str]:
    """The slots of verbs and pronouns that agree with a subject.

    >>> agreement(False, "woman")
    {'is': 'is', 'do': 'does', 'it': 'she', 'its': 'her'}
    """
    if many:
        return {"is": "are", "do": "do", "it": "they", "its": "their"}
    it, its = {"man": ("he", "his"), "boy": ("he", "his"), "woman": ("she", "her"), "girl": ("she", "her")}.get(
        noun, ("they", "their") if noun in ("person", "child") else ("it", "its")
    )
    return {"is": "is", "do": "does", "it": it, "its": its}


def plural_of(noun: str) -> str:
    """The plural of a class or hypernym.

    >>> plural_of("person"), plural_of("bus"), plural_of("sheep")
    ('people', 'buses', 'sheep')
    """
    return classes()[noun].plural if noun in classes() else str(data("nouns")["wider"][noun]["plural"])


def said_word(word: str) -> str:
    """An attribute of a scene as it is worded in questions.

    >>> said_word("lying"), said_word("red")
    ('lying down', 'red')
    """
    return str(data("nouns")["words"].get(word, word))


@cache
def near(word: str) -> frozenset[str]:
    """The words too similar to this one for a definite "no", including itself.

    >>> "gray" in near("white"), "red" in near("white"), "walking" in near("standing")
    (True, False, True)
    """
    rows = [*data("nouns")["near"], *data("nouns")["near_poses"]]
    return frozenset({word}.union(*(row for row in rows if word in row)))


@cache
def alike(name: str) -> frozenset[str]:
    """The classes that can be mistaken for this one, including itself."""
    return frozenset({name}.union(*(row for row in data("nouns")["alike"] if name in row)))


def _choice(entries: Sequence[Any]) -> Choice:
    pairs = [(entry, 1.0) if isinstance(entry, str) else (str(entry[1]), float(entry[0])) for entry in entries]
    return tuple(text for text, _ in pairs), tuple(accumulate(weight for _, weight in pairs))
