"""Success of attacks: how often the answer becomes wrong, after how many tries (Li et al. 2021, Tables 1 and 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from askew.metrics.accuracy import ModeMetric, soft
from askew.metrics.correct import Correct, CorrectMetric, judged_pairs
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric

_Note: TypeAlias = tuple[str, str, Literal["%", ""]]
_NOTES: Mapping[str, _Note] = {
    "changed_share": ("Words changed", "share of a question's words, if the attack succeeded", "%"),
    "similarity": ("Similarity", "of the rewordings found to the originals, by a sentence encoder", ""),
    "grammar": ("Grammar errors added", "per rewording found, by askew's grammar rules", ""),
}
"""The title of a number in the notes, what it is, and its unit."""
_OTHER: _Note = ("", "", "%")


@dataclass(frozen=True)
class AttackErrorRate(CorrectMetric):
    """Share of attacked examples whose answer became wrong: correct on the original, wrong on some variant.

    The attacked examples are those with a variant and a correct original; with ``all_attacked`` also those that were
    wrong from the start, and every one with a wrong variant counts (the model error rate of Table 1).
    A missing answer counted as wrong is an error.
    """

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Attack success"
    sentence: ClassVar[str] = (
        "of the attacked questions it answers correctly, those answered incorrectly after the rewording"
    )

    correct: Correct = "modal"
    mode: Mode = "official"
    all_attacked: bool = False

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(became wrong, attacked)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        if not pairs:
            return None
        attacked = 1.0 if self.all_attacked else pairs[0][0]
        return attacked * (1.0 - min(variant for _, variant in pairs)), attacked


@dataclass(frozen=True)
class AttackTries(Metric):
    """Model calls per attacked example: the mean over groups of the ``tries`` in the variants' notes."""

    share: ClassVar[bool] = False
    better: ClassVar[Literal[0]] = 0
    title: ClassVar[str] = "Tries"
    sentence: ClassVar[str] = "texts asked about an attacked question"
    unit: ClassVar[Literal[""]] = ""

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(tries, 1); failed attempts count too."""
        tries = [_number(variant.note["tries"]) for variant in outcome.group.variants if "tries" in variant.note]
        return (sum(tries), 1.0) if tries else None


@dataclass(frozen=True)
class ValidAttackRate(CorrectMetric):
    """Share of attacked examples whose answer became wrong by a rewording that passes the strict checks of validity.

    Examples whose rewording was not checked (no ``valid`` in its note) are left out.
    """

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Strictly valid success"
    sentence: ClassVar[str] = "the same, but only with rewordings that pass the strict checks of validity"

    correct: Correct = "modal"
    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(became wrong by a valid rewording, attacked)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        checked = [variant.note.get("valid") for variant in outcome.group.variants]
        if not pairs or len(pairs) != len(checked) or not all(isinstance(valid, bool) for valid in checked):
            return None
        wrong = any(valid and after == 0.0 for (_, after), valid in zip(pairs, checked, strict=True))
        return pairs[0][0] * float(wrong), pairs[0][0]


@dataclass(frozen=True)
class AttackAccuracy(ModeMetric):
    """VQA accuracy over all questions under an attack with this budget of texts for each.

    A rewording counts if the attack reached its goal within the budget (``fooled_at`` in its note); for every other
    question the original counts. One attack with a large budget gives the whole curve.
    """

    title: ClassVar[str] = "Accuracy, budget {self.budget}"
    sentence: ClassVar[str] = "all questions, with an attack that asks at most {self.budget} texts about each"

    budget: int = 100
    mode: Mode = "official"

    @property
    def detail(self) -> bool:
        """Only powers of ten are in every table."""
        return str(self.budget).rstrip("0") != "1"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy, 1)."""
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        for variant, prediction in outcome.pairs():
            if 0 < _number(variant.note.get("fooled_at")) <= self.budget:
                value = soft(variant.question, prediction, failed, self.mode)
        return None if value is None else (value, 1.0)


@dataclass(frozen=True)
class AttackNote(Metric):
    """The mean of a number in the notes of rewordings that were found, e.g. ``similarity``."""

    key: str = "similarity"

    share: ClassVar[bool] = False
    better: ClassVar[Literal[0]] = 0

    @property
    def title(self) -> str:
        """Its name in tables."""
        return _NOTES.get(self.key, _OTHER)[0]

    @property
    def sentence(self) -> str:
        """What it counts."""
        return _NOTES.get(self.key, _OTHER)[1]

    @property
    def unit(self) -> Literal["%", ""]:
        """Per cent for shares only."""
        return _NOTES.get(self.key, _OTHER)[2]

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum, how many); failures do not matter."""
        notes = [variant.note for variant in outcome.group.variants if variant.note.get("status") == "found"]
        values = [_number(note[self.key]) for note in notes if isinstance(note.get(self.key), (int, float))]
        return (sum(values), float(len(values))) if values else None


def _number(value: Any) -> float:
    """A number in a note, which may come from any source; 0 if it is not a number."""
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else 0.0
