"""How often a model says yes, says no, or says something else (CARETS Table 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from askew.answers.normalise import normalise
from askew.errors import BadOption
from askew.metrics.accuracy import summed
from askew.metrics.fillings import filled
from askew.metrics.ratio import ratio
from askew.types import Outcome, Row

Says: TypeAlias = Literal["yes", "no", "other"]
Among: TypeAlias = Literal["original", "variant", "both"]


@dataclass(frozen=True)
class AnswerRate:
    """Share of answers that are yes, no or other, among originals, variants or both; rightness is not looked at.

    A missing answer is none of them; where ``failed`` counts it, it is an answer of another kind (0) or of this (1).
    """

    says: Says = "yes"
    of: Among = "both"

    def __post_init__(self) -> None:
        if self.says not in get_args(Says) or self.of not in get_args(Among):
            raise BadOption(
                f"No rate of {self.says!r} among {self.of!r}. "
                f"Known: {', '.join(get_args(Says))} among {', '.join(get_args(Among))}."
            )

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers of this kind, answers)."""
        first = () if self.of == "variant" else (outcome.original,)
        predictions = first if self.of == "original" else (*first, *outcome.variants)
        found = (failed if p.answer is None else float(_kind(p.answer) == self.says) for p in predictions)
        return summed(value for value in found if value is not None)

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Every missing answer of this kind, and every one of another."""
        for kind in ("yes", "no", "other"):
            yield filled(outcome, kind, [kind] * len(outcome.variants))


def _kind(answer: str) -> str:
    word = normalise(answer)
    return word if word in ("yes", "no") else "other"
