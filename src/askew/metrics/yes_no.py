"""Yes/no answers in benchmarks of hallucination: precision, recall and F1, and why wrong answers are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from askew.answers.normalise import modal_answer, normalise, yes_no_other
from askew.errors import BadOption
from askew.metrics.bounds import filled
from askew.metrics.correct import has_tag, members
from askew.significance import ratio
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
    ``only``, just groups whose original has that tag count (``grouping=single``), as in ``all-correct``.
    """

    figure: Figure = "f1"
    positive: Label = "yes"
    only: str = ""

    def __post_init__(self) -> None:
        if self.figure not in get_args(Figure) or self.positive not in get_args(Label):
            raise BadOption(
                f"No {self.figure!r} of {self.positive!r}. Known: {', '.join(get_args(Figure))} of yes or no."
            )

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(true positives, false positives, false negatives)."""
        if not has_tag(outcome, self.only):
            return None
        cells = [self._cell(question, prediction, failed) for question, prediction in members(outcome)]
        known = [cell for cell in cells if cell is not None]
        return tuple(map(sum, zip(*known, strict=True))) if known else None

    def combine(self, sums: Any) -> Any:
        """The figure."""
        return ratio(*self.fraction(sums))

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """The figure as one fraction; for intervals and bounds."""
        found, false, missed = sums[0], sums[1], sums[2]
        if self.figure == "precision":
            return found, found + false
        if self.figure == "recall":
            return found, found + missed
        return 2 * found, 2 * found + false + missed

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """All missing answers to positive questions positive or not, and all those to the others."""
        asked = [_label(question) == self.positive for question, _ in members(outcome)]
        other = "no" if self.positive == "yes" else "yes"
        for to_positive, to_others in product((self.positive, other), repeat=2):
            first, *rest = (to_positive if positive else to_others for positive in asked)
            yield filled(outcome, first, rest)

    def _cell(self, question: Question, prediction: Prediction, failed: float | None) -> Row | None:
        label = _label(question)
        if label not in ("yes", "no") or (prediction.answer is None and failed is None):
            return None
        positive = label == self.positive
        answer = prediction.answer
        answered = yes_no_other(answer) == self.positive if answer is not None else positive == bool(failed)
        return float(positive and answered), float(answered and not positive), float(positive and not answered)


def _label(question: Question) -> str:
    return modal_answer(question.answers, normalise)


Failure: TypeAlias = Literal["language", "vision", "mixed"]
_State: TypeAlias = Literal["right", "wrong", "unsure"]


@dataclass(frozen=True)
class FailureKind(Metric):
    """The share of wrong answers that are due to language hallucination, to visual illusion, or to either.

    The decision tree of HallusionBench (Guan et al. 2024, Fig. 3), as in its evaluator. A group is a question about an
    unchanged figure or none (tag ``figure`` 0) and about other figures. Whether an answer that is wrong on a changed
    figure repeats the one to the original distinguishes language from vision. ``category`` is VD (cannot be answered
    without the figure) or VS (can be), ``visual_input`` 2 marks a changed figure. An answer that is neither yes nor no
    is unsure, which is not a failure if there is no figure. Groups with a missing answer are left out.

    Two answers of a group are wrong, one by language and one by vision: each share is 1/2.
    """

    better: ClassVar[Literal[0]] = 0

    kind: Failure = "language"
    only: str = "grouping=question"

    def __post_init__(self) -> None:
        if self.kind not in get_args(Failure):
            raise BadOption(f"No failure is called {self.kind!r}. Known: {', '.join(get_args(Failure))}.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(failures of this kind, failures)."""
        tags = dict(outcome.group.original.tags)
        if not has_tag(outcome, self.only) or tags.get("figure") != "0" or tags.get("category") not in ("VD", "VS"):
            return None
        everything = list(members(outcome))
        states = [_state(question, prediction, failed) for question, prediction in everything]
        if None in states:
            return None
        first = everything[0][1].answer or ""
        failures = [
            _failure(tags["category"], question, state, None if place == 0 else states[0], _same(prediction, first))
            for place, ((question, prediction), state) in enumerate(zip(everything, states, strict=True))
        ]
        return float(failures.count(self.kind)), float(sum(failure is not None for failure in failures))

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Every missing answer yes, no or neither."""
        missing = [prediction.answer is None for _, prediction in members(outcome)]
        for first, *rest in product(*(("yes", "no", "unsure") if is_missing else ("",) for is_missing in missing)):
            yield filled(outcome, first, rest)


def _failure(
    category: str, question: Question, state: _State | None, before: _State | None, same: bool
) -> Failure | None:
    """Why an answer failed; ``before`` is the state of the answer to the original, None for the original itself."""
    if state == "right":
        return None
    if before is None:
        if category == "VD":
            return "vision"
        return "language" if state == "wrong" else None
    if category == "VD":
        return "mixed" if before == "right" and state == "wrong" and same else "vision"
    if before == "wrong":
        return "language" if state == "wrong" and same else "mixed"
    changed = dict(question.tags).get("visual_input") == "2"
    return "language" if before == "right" and state == "wrong" and changed and same else "vision"


def _same(prediction: Prediction, first: str) -> bool:
    return yes_no_other(prediction.answer or "") == yes_no_other(first)


def _state(question: Question, prediction: Prediction, failed: float | None) -> _State | None:
    """Whether an answer is right, wrong, or neither yes nor no; None for a missing one."""
    if prediction.answer is None:
        return None if failed is None else "right" if failed else "wrong"
    label = yes_no_other(prediction.answer)
    if label == "other":
        return "unsure"
    return "right" if label == _label(question) else "wrong"
