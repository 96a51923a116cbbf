"""All answers of a group correct, or of each named part of it: what paired benchmarks count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from askew.metrics.correct import Correct, check_correct, judged
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Prediction, Question, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class AllCorrect(Metric):
    """Share of groups whose questions are all answered correctly, the original and every variant.

    It is G-Acc of NaturalBench, qAcc and fAcc of HallusionBench, circular accuracy of MMBench, pair accuracy of MMVP
    and Perf-Con of ConVQA. With ``by`` the questions of a group are divided by that tag of theirs first, and each
    part counts: Q-Acc of NaturalBench by ``question``, I-Acc by ``image``. A group (or part) with a missing answer is
    left out, even if another answer is wrong: keeping only such groups would bias the share. With ``only`` just the
    groups count whose original has that tag (``grouping=figure``), for benchmarks that group their questions twice.

    A group of four with one wrong answer counts 0 of 1; in two parts of two it counts 1 of 2.
    """

    by: str = ""
    correct: Correct = "modal"
    mode: Mode = "official"
    only: str = ""

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(groups or parts that are all correct, groups or parts)."""
        name, _, value = self.only.partition("=")
        if name and _tag(outcome.group.original, name) != value:
            return None
        parts: dict[str, list[float | None]] = {}
        for question, prediction in members(outcome):
            found = judged(question, prediction, failed, self.correct, self.mode)
            parts.setdefault(_tag(question, self.by), []).append(found)
        known = [min(values) for values in map(_complete, parts.values()) if values]
        return (sum(known), float(len(known))) if known else None

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class AverageCorrect(Metric):
    """The share of correctly answered questions of a group, mean over groups: Avg-Con of ConVQA (Ray et al. 2019).

    Groups count alike, however many questions they have. A group with a missing answer is left out. A group of four
    with one wrong answer and a group of two with one wrong answer give (3/4 + 1/2) / 2.
    """

    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(share of correct answers, 1)."""
        found = [judged(question, said, failed, self.correct, self.mode) for question, said in members(outcome)]
        known = _complete(found)
        return (sum(known) / len(known), 1.0) if known else None

    def combine(self, sums: Any) -> Any:
        """The mean over groups."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class CorrectGivenParts(Metric):
    """Share of composed questions answered correctly among those whose parts are all answered correctly.

    For compositions such as *Is it red and is it round?* (VQA-LOL, Gokhale et al. 2020): the parts are the original and
    the variants whose test is ``part``; the other variants are composed of them. A composition with a missing answer,
    and a group with a missing answer to a part, is left out. A group whose parts are not all correct has a row of
    zeros: it adds nothing. With two compositions, one correct, of correct parts: 1/2.
    """

    part: str = "part"
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(correct compositions of correct parts, compositions of correct parts)."""
        parts = [judged(outcome.group.original, outcome.original, failed, self.correct, self.mode)]
        composed: list[float] = []
        for variant, prediction in outcome.pairs():
            found = judged(variant.question, prediction, failed, self.correct, self.mode)
            if variant.test == self.part:
                parts.append(found)
            elif found is not None:
                composed.append(found)
        known = _complete(parts)
        if not known or not composed:
            return None
        return min(known) * sum(composed), min(known) * len(composed)

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


def members(outcome: Outcome) -> Iterable[tuple[Question, Prediction]]:
    """Every question of a group with its answer, the original first."""
    yield outcome.group.original, outcome.original
    for variant, prediction in outcome.pairs():
        yield variant.question, prediction


def _complete(values: list[float | None]) -> list[float]:
    """The values if none is missing, else nothing."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def _tag(question: Question, name: str) -> str:
    return dict(question.tags).get(name, "") if name else ""
