"""The basic questions of one main question, as the data sets of basic questions have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askew.errors import BadRecord
from askew.types import Ranked


@dataclass(frozen=True, slots=True)
class Nearest:
    """A question of the data, the questions of the pool that are nearest to it, and the proof that they are."""

    text: str
    questions: tuple[str, ...]
    """Nearest first."""
    scores: tuple[float, ...]
    proof: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, ranked: Ranked, pool: Sequence[str]) -> Nearest:
        """What a ranker found, with the pool's texts in place of their numbers.

        >>> Nearest.of(Ranked("Is it hot?", (1,), (0.5,)), ["Why?", "Is it warm?"]).questions
        ('Is it warm?',)
        """
        return cls(ranked.text, tuple(pool[index] for index in ranked.indices), ranked.scores, ranked.proof)

    def record(self) -> dict[str, Any]:
        """The fields that lines of a file have."""
        basic = [list(pair) for pair in zip(self.questions, self.scores, strict=True)]
        return {"question": self.text, "basic": basic, "proof": dict(self.proof)}


def nearest_from(record: object) -> Nearest:
    """What a record has, as ``Nearest.record`` writes it.

    >>> nearest_from({"question": "Is it hot?", "basic": [["Is it warm?", 0.5]]}).scores
    (0.5,)
    >>> nearest_from({"question": "Is it hot?", "basic": ["Is it warm?"]})
    Traceback (most recent call last):
    askew.errors.BadRecord: this is no record of basic questions: it needs 'question', and 'basic' as a list of \
[question, score]. Make the file again with askew build basic.
    """
    try:
        text, basic, proof = record["question"], record["basic"], record.get("proof", {})  # type: ignore[index, attr-defined]
        questions = tuple(question for question, _ in basic)
        scores = tuple(float(score) for _, score in basic)
        if all(isinstance(part, str) for part in (text, *questions)) and isinstance(proof, dict):
            return Nearest(text, questions, scores, proof)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise BadRecord(
        "this is no record of basic questions: it needs 'question', and 'basic' as a list of [question, score]. "
        "Make the file again with askew build basic."
    )
