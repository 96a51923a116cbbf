"""The type of an example: A to E as in Adversarial VQA (Li et al. 2021, Fig. 8), for any number of verifiers.

U is for a question that never became an example. All answers are normalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askew.collect.study_settings import StudySettings


@dataclass(frozen=True)
class Verdicts:
    """The judgement and the normalised answers to one question."""

    verdict: str | None
    """The author's judgement of the robot's answer; None if there is none."""
    robot: str
    """The robot's answer."""
    author: str = ""
    """The author's correct answer, if the robot was wrong."""
    author_confidence: str | None = None
    verifiers: Sequence[str] = ()
    """The verifiers' answers."""
    confidences: Sequence[str] = ()
    """yes, maybe or no for each verifier."""


def example_type(verdicts: Verdicts, settings: StudySettings) -> str:
    """A: the robot was correct; B: the author was not sure; C: verifiers overrule the author; E: two verifiers agree;
    D: no two do; U: no judgement, or verifiers are missing.

    C is decided before E, since those who agree with the robot also agree with each other. Under the rule ``text``
    a D that section 3.1's text would keep is an E.

    >>> from askew.collect.study_settings import PRESETS
    >>> nine = PRESETS["paper"]
    >>> example_type(Verdicts("wrong", "red", "blue", None, ["red"] * 4 + list("abcde"), ["yes"] * 9), nine)
    'C'
    >>> example_type(Verdicts("wrong", "red", "blue", None, ["red"] * 3 + list("abcdef"), ["yes"] * 9), nine)
    'E'
    """
    if verdicts.verdict is None:
        return "U"
    if verdicts.verdict != "wrong":
        return "A" if verdicts.verdict == "correct" else "B"
    if len(verdicts.verifiers) != settings.verifiers_per_question:
        return "U"
    if 3 * verdicts.verifiers.count(verdicts.robot) > len(verdicts.verifiers):
        return "C"
    if agreement(verdicts.verifiers) >= 2:
        return "E"
    if settings.low_quality_rule == "text" and not text_rule_removes(verdicts, settings):
        return "E"
    return "D"


def text_rule_removes(verdicts: Verdicts, settings: StudySettings) -> bool:
    """Section 3.1's text: fewer than 6 of 10 are confident, and no two of the 10 answers agree.

    For v verifiers: fewer than 0.6 (v + 1). The author counts as confident, having called the robot *definitely* wrong,
    unless the study asked (``ask``) or leaves the author out (``exclude``).
    """
    confident = list(verdicts.confidences).count("yes")
    if settings.author_confidence == "implicit_yes" or (
        settings.author_confidence == "ask" and verdicts.author_confidence == "yes"
    ):
        confident += 1
    answers = [verdicts.author, *verdicts.verifiers]
    return 10 * confident < 6 * len(answers) and agreement(answers) < 2


def agreement(answers: Sequence[str]) -> int:
    """The size of the largest group of equal answers.

    >>> agreement(["red", "blue", "red"]), agreement([])
    (2, 0)
    """
    return max(map(answers.count, answers), default=0)  # for ten answers, faster than a Counter
