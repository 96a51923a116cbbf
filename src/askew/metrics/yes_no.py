"""Precision, recall and F1 of yes/no answers, as benchmarks of object hallucination report them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from askew.answers.normalise import modal_answer, normalise
from askew.errors import BadOption
from askew.metrics.bounds import filled
from askew.metrics.consistency import kind_of
from askew.metrics.group_accuracy import members
from askew.metrics.sums import ratio
from askew.types import Outcome, Prediction, Question, Row
from askew.verbs import Metric

Figure: TypeAlias = Literal["precision", "recall", "f1"]
Label: TypeAlias = Literal["yes", "no"]


@dataclass(frozen=True)
class YesNo(Metric):
    """Precision, recall or F1 over the yes/no questions of all groups, originals and variants alike.

    ``positive`` is the answer that counts as found: yes in POPE (Li et al. 2023), no in AMBER (Wang et al. 2023), where
    it denies a hallucination. An answer that is neither yes nor no is not positive. From the table tp = 3, fp = 1,
    fn = 2 the precision is 3/4, the recall 3/5 and F1 = 6/(6 + 1 + 2) = 2/3. A missing answer is left out. With
    ``paired`` an original counts once for each of its variants, as in the files of POPE, which repeat it.
    """

    figure: Figure = "f1"
    positive: Label = "yes"
    paired: bool = False

    def __post_init__(self) -> None:
        if self.figure not in get_args(Figure) or self.positive not in get_args(Label):
            raise BadOption(
                f"No {self.figure!r} of {self.positive!r}. Known: {', '.join(get_args(Figure))} of yes or no."
            )

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(positive and found, not positive and taken for it, positive and missed)."""
        cells = [self._cell(question, prediction, failed) for question, prediction in members(outcome)]
        if self.paired:
            cells = cells[:1] * len(outcome.variants) + cells[1:]
        known = [cell for cell in cells if cell is not None]
        return tuple(map(sum, zip(*known, strict=True))) if known else None

    def combine(self, sums: Any) -> Any:
        """The figure."""
        return ratio(*self.fraction(sums))

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """The figure as one fraction; for intervals and bounds."""
        found, wrongly, missed = sums[0], sums[1], sums[2]
        if self.figure == "precision":
            return found, found + wrongly
        if self.figure == "recall":
            return found, found + missed
        return 2 * found, 2 * found + wrongly + missed

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """All missing answers to positive questions positive or not, and all those to the others."""
        asked = [_label(question) == self.positive for question, _ in members(outcome)]
        other = "no" if self.positive == "yes" else "yes"
        for to_positive, to_others in product((self.positive, other), repeat=2):
            first, *rest = (to_positive if one else to_others for one in asked)
            yield filled(outcome, first, rest)

    def _cell(self, question: Question, prediction: Prediction, failed: float | None) -> Row | None:
        label = _label(question)
        if label not in ("yes", "no") or (prediction.answer is None and failed is None):
            return None
        positive = label == self.positive
        said = prediction.answer
        answered = kind_of(said) == self.positive if said is not None else positive == bool(failed)
        return float(positive and answered), float(answered and not positive), float(positive and not answered)


def _label(question: Question) -> str:
    return modal_answer(question.answers, normalise)
