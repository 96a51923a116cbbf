"""Metrics of single benchmarks: CV-Bench's mean over parts, MME's score, AMBER's descriptions, multiple
choice; and answers that are a given wrong one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from askew.answers.choices import LETTERS, letter_of
from askew.answers.extract_phrase import known_nouns
from askew.answers.normalise import modal_answer, normalise
from askew.errors import BadOption
from askew.metrics.accuracy import ModeMetric, check_mode, soft, summed
from askew.metrics.bounds import Fillable, filled, unsaid
from askew.metrics.correct import Correct, check_correct, judged, members
from askew.significance import ratio
from askew.types import Mode, Outcome, Prediction, Question, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class PartMean(ModeMetric):
    """The mean over halves of the mean accuracy of their parts, however many questions each has.

    CV-Bench (Tong et al. 2024) is ``tag=source,of=ADE20K+COCO|Omni3D``: the mean of its two 2D sources, and of that
    and the 3D source. With accuracies 1, 1/2 and 1/4 it is ((1 + 1/2) / 2 + 1/4) / 2 = 1/2. nan if a part is missing.
    """

    tag: str = "source"
    of: str = "ADE20K+COCO|Omni3D"
    mode: Mode = "official"

    @property
    def _names(self) -> list[str]:
        return self.of.replace("|", "+").split("+")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """For each part: (sum of accuracies, how many)."""
        part = dict(outcome.group.original.tags).get(self.tag)
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        if value is None or part not in self._names:
            return None
        row = np.zeros((len(self._names), 2))
        row[self._names.index(part)] = value, 1.0
        return tuple(row.ravel())

    def combine(self, sums: Any) -> Any:
        """The mean of the means."""
        found = np.asarray(sums, dtype=float)
        accuracy = {name: ratio(found[2 * at], found[2 * at + 1]) for at, name in enumerate(self._names)}
        halves = [half.split("+") for half in self.of.split("|")]
        return sum(sum(accuracy[name] for name in half) / len(half) for half in halves) / len(halves)


@dataclass(frozen=True)
class TaggedAnswer(Metric):
    """Share of answers that are what a tag of the question says: the bias rate of VLMs Are Biased (Vo et al. 2025)."""

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Bias"
    sentence: ClassVar[str] = "answers that are the expected wrong one"

    tag: str = "expected_bias"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers that are it, answers)."""
        expected = dict(outcome.group.original.tags).get(self.tag)
        said = outcome.original.answer
        if expected is None or (said is None and failed is None):
            return None
        return float(failed or 0.0) if said is None else float(normalise(said) == normalise(expected)), 1.0


@dataclass(frozen=True)
class ClaimRate(Metric):
    """Share of answers that are the wrong answer claimed in the variant: before the claim (``original``), or after it.

    What a claim adds is the difference of the two: some models give that answer anyway. The claim is in the note of a
    variant whose ``level`` is 1, so that true claims do not count.
    """

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Claimed, {self.of}"
    sentence: ClassVar[str] = "answers that are the claimed wrong one, to the {self.of}"

    of: Literal["original", "variant"] = "variant"

    def __post_init__(self) -> None:
        if self.of not in ("original", "variant"):
            raise BadOption(f"claim-rate: of is {self.of!r}. Give original or variant.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers that are the claim, answers), counting each variant with a wrong claim."""
        pairs = ((v, outcome.original if self.of == "original" else p) for v, p in outcome.pairs())
        claims = ((v.note["claim"], said.answer) for v, said in pairs if "claim" in v.note and v.note.get("level"))
        values = (failed if said is None else float(normalise(said) == normalise(claim)) for claim, said in claims)
        return summed(value for value in values if value is not None)


ABILITIES: Mapping[str, tuple[str, ...]] = {
    "perception": (
        *("existence", "count", "position", "color", "posters", "celebrity", "scene", "landmark", "artwork", "OCR"),
    ),
    "cognition": ("commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning"),
}
"""The categories of MME by what they test."""
CATEGORIES = tuple(category for categories in ABILITIES.values() for category in categories)


@dataclass(frozen=True)
class MmeScore(Metric):
    """MME's score of a category, or the sum over those of ``perception`` or ``cognition`` (Fu et al. 2023).

    A group is the two questions about an image. The score of a category is 100 × (share of correct answers + share of
    images with both answers correct), at most 200: with one image of two fully correct and one question of the other,
    100 × (3/4 + 1/2) = 125. A group with a missing answer is left out.
    """

    share: ClassVar[bool] = False
    unit: ClassVar[Literal[""]] = ""
    digits: ClassVar[int] = 1

    of: str = "perception"
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        check_correct(self.correct, self.mode)
        if self.of not in (*ABILITIES, *CATEGORIES):
            raise BadOption(f"MME has no category {self.of!r}. Known: {', '.join((*ABILITIES, *CATEGORIES))}.")

    @property
    def title(self) -> str:
        """The category, or the ability."""
        return self.of.replace("_", " ").capitalize() if self.of.islower() else self.of

    @property
    def sentence(self) -> str:
        """The largest score."""
        return f"accuracy plus images with both answers correct, of {200 * len(self._categories)}"

    @property
    def _categories(self) -> tuple[str, ...]:
        return ABILITIES.get(self.of, (self.of,))

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """For each category: (correct answers, answers, images with both correct, images)."""
        category = outcome.group.original.kind.question_type
        found = [judged(question, said, failed, self.correct, self.mode) for question, said in members(outcome)]
        known = [value for value in found if value is not None]
        if category not in self._categories or len(known) < len(found):
            return None
        row = np.zeros((len(self._categories), 4))
        row[self._categories.index(category)] = sum(known), len(known), min(known), 1.0
        return tuple(row.ravel())

    def combine(self, sums: Any) -> Any:
        """The sum over the categories that there are."""
        parts = np.asarray(sums, dtype=float).reshape(len(self._categories), 4, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 100 * (ratio(parts[:, 0], parts[:, 1]) + ratio(parts[:, 2], parts[:, 3]))
        there = (parts[:, 1] > 0).any(axis=0)
        total = np.where(there, np.nansum(scores, axis=0), np.nan)
        return total if np.ndim(sums) > 1 else total[0]


@dataclass(frozen=True)
class OptionAccuracy(Metric):
    """Accuracy on the multiple-choice questions whose correct option has this letter, originals and variants alike.

    A model that prefers a position is better on questions whose answer is in that position.
    """

    letter: str = "A"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        _check_letter(self.letter)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum of accuracies, how many)."""
        here = ((q, p) for q, p in members(outcome) if _correct_letter(q) == self.letter)
        values = (soft(question, prediction, failed, self.mode) for question, prediction in here)
        return summed(value for value in values if value is not None)


@dataclass(frozen=True)
class WrongOption(Metric):
    """Position bias: of the wrong answers to multiple-choice questions, the share that is the option of this letter.

    Without a preference for a position every letter has about the same share in all rotations of the options. A wrong
    answer that is not an option counts for no letter. A missing answer is left out, or counts as correct (``failed=1``)
    or as a wrong answer with another letter (``failed=0``).
    """

    better: ClassVar[Literal[0]] = 0

    letter: str = "A"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        _check_letter(self.letter)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(wrong answers with this letter, wrong answers)."""
        judged_any, wrong, picked = False, 0, 0
        for question, prediction in members(outcome):
            value = judged(question, prediction, failed, "modal", self.mode) if question.choices else None
            judged_any = judged_any or value is not None
            if value == 0.0:
                wrong += 1
                picked += letter_of(question.choices, prediction.answer) == self.letter
        return (float(picked), float(wrong)) if judged_any else None

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """All missing answers correct, all with this letter, and all wrong with none."""
        place = LETTERS.index(self.letter)
        asked = [question for question, _ in members(outcome)]
        correct = [modal_answer(question.answers, str) for question in asked]
        other = [unsaid((*question.answers, *question.choices)) for question in asked]
        lettered = [q.choices[place] if place < len(q.choices) else o for q, o in zip(asked, other, strict=True)]
        for first, *rest in (correct, lettered, other):
            yield filled(outcome, first, rest)


def _correct_letter(question: Question) -> str:
    return letter_of(question.choices, modal_answer(question.answers, str)) if question.choices else ""


def _check_letter(letter: str) -> None:
    if len(letter) != 1 or letter not in LETTERS:
        raise BadOption(f"No option has the letter {letter!r}. Give one of A to Z.")


Figure: TypeAlias = Literal["chair", "cover", "hal", "cog"]
_FIGURES: Mapping[str, tuple[str, str, str]] = {
    "chair": ("CHAIR", "caption hallucination", "of the objects named, those that are not there"),
    "cover": ("Cover", "", "of the objects that are there, those named"),
    "hal": ("Hal", "hallucination", "descriptions that name an object that is not there"),
    "cog": ("Cog", "cognition", "of the objects that people would expect and that are not there, those named"),
}
"""For each figure its title, what it stands for, and what it counts."""


@dataclass(frozen=True)
class Description(Metric):
    """CHAIR, Cover, Hal or Cog of AMBER's generative part (Wang et al. 2023), over all descriptions together.

    Only nouns that the tag ``objects`` explains count (``amber_generative.py``). A description of an image with two
    true objects, one of them named, and two expected ones, that also names one of these and a third object: CHAIR 2/3,
    Cover 1/2, Hal 1/1, Cog 1/2. The full reply counts, whatever answer was extracted from it.
    """

    figure: Figure = "chair"

    def __post_init__(self) -> None:
        if self.figure not in get_args(Figure):
            raise BadOption(f"Descriptions have no figure {self.figure!r}. Known: {', '.join(get_args(Figure))}.")

    @property
    def better(self) -> Literal[-1, 0, 1]:
        """Naming objects that are there is better, naming others is worse."""
        return 1 if self.figure == "cover" else -1

    @property
    def title(self) -> str:
        """As in the paper."""
        return _FIGURES[self.figure][0]

    @property
    def stands_for(self) -> str:
        """The paper's words."""
        return _FIGURES[self.figure][1]

    @property
    def sentence(self) -> str:
        """What it counts."""
        return _FIGURES[self.figure][2]

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(objects or descriptions that count, all of them)."""
        tags = dict(outcome.group.original.tags)
        words = _reply(outcome.original)
        if "objects" not in tags or (words is None and failed is None):
            return None
        of = {"chair": 1, "hal": 1, "cover": _count(tags["truth"]), "cog": _count(tags["hallu"])}
        if words is None:
            return float(failed or 0.0) * of[self.figure], float(of[self.figure])
        meanings = dict(word.partition("=")[::2] for word in tags["objects"].split("|"))
        said = [meanings[noun].split(",") for noun in known_nouns(words, meanings.keys())]
        wrong = sum("x" in meant for meant in said)
        if self.figure == "chair":
            return float(wrong), float(len(said))
        if self.figure == "hal":
            return float(wrong > 0), 1.0
        first = "t" if self.figure == "cover" else "h"
        return float(len({one for meant in said for one in meant if one.startswith(first)})), float(of[self.figure])

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """CHAIR can be anything if a description is missing, since it may name any number of objects."""
        if self.figure == "chair" and len(fillable.rows):
            return 0.0, 1.0
        sums = fillable.extremes(lambda columns: (columns[0], columns[1]))
        if sums is None:
            return float("nan"), float("nan")
        low, high = (float(self.combine(end)) for end in sums)
        return low, high


def _reply(prediction: Prediction) -> str | None:
    """The whole reply, also if it was taken for a refusal."""
    return prediction.answer if prediction.raw is None else prediction.raw


def _count(names: str) -> int:
    return len(names.split("|")) if names else 0
