"""What a question means, apart from its words: which things it speaks of, and what it asks of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Point: TypeAlias = tuple[object, ...]
"""What a question is about, however it is said: within one scene no two questions share it."""


@dataclass(frozen=True, slots=True)
class Pick:
    """What a noun phrase says: *the brown dog on the left* is ``Pick("dog", ("brown",), "left")``."""

    noun: str
    """A class, or a wider word such as ``animal``."""
    words: tuple[str, ...] = ()
    """Attributes it must have."""
    side: str = ""
    """``left`` or ``right``: it is the only such thing in that half of the picture."""
    tie: str = ""
    """How it is tied to another thing: a relation, or ``held by``, ``worn by``, ``ridden by``."""
    to: Pick | None = None
    """The other thing."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is asked: an operation over the scene. ``askew.world.truth`` says what each operation gives."""

    op: str
    subject: Pick | None = None
    about: str = ""
    """A dimension (``colour``), a relation (``holding``) or a fact (``weather``)."""
    values: tuple[str, ...] = ()
    """The words or numbers that the question names."""
    other: Pick | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A question to be phrased: what it means, its true answer, and the words for the slots of its phrasings."""

    key: str
    """Which phrasings, e.g. ``exists/one``."""
    meaning: Meaning
    answer: str
    slots: dict[str, str] = field(default_factory=dict)
    of: str = ""
    """The id of the thing it is about, so that it is not asked twice in other words."""

    @property
    def point(self) -> Point:
        """What makes two drafts of one scene the same question, however they call the thing."""
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
