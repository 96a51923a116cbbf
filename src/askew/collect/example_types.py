"""The type of an example: A to E as in Adversarial VQA (Li et al. 2021, Fig. 8), for any number of verifiers.

U is for a question that never became an example. Answers come normalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askew.collect.study_settings import StudySettings


@dataclass(frozen=True)
class Verdicts:
    """What was said about one question, normalised."""

    verdict: str | None
    """The author's judgement of the robot's answer; None when there is none."""
    robot: str
    """The robot's answer."""
    author: str = ""
    """The author's correct answer, when the robot was wrong."""
    author_confidence: str | None = None
    verifiers: Sequence[str] = ()
    """The verifiers' answers."""
    confidences: Sequence[str] = ()
    """yes, maybe or no for each verifier."""


def example_type(said: Verdicts, settings: StudySettings) -> str:
    """A: the robot was right; B: the author was not sure; C: verifiers overrule the author; E: two verifiers agree;
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
    if said.verdict is None:
        return "U"
    if said.verdict != "wrong":
        return "A" if said.verdict == "correct" else "B"
    if len(said.verifiers) != settings.verifiers_per_question:
        return "U"
    if 3 * said.verifiers.count(said.robot) > len(said.verifiers):
        return "C"
    if agreement(said.verifiers) >= 2:
        return "E"
    if settings.low_quality_rule == "text" and not text_rule_removes(said, settings):
        return "E"
    return "D"


def text_rule_removes(said: Verdicts, settings: StudySettings) -> bool:
    """Section 3.1's text: fewer than 6 of 10 are confident, and no two of the 10 answers agree.

    For v verifiers: fewer than 0.6 (v + 1). The author counts as confident, having called the robot *definitely* wrong,
    unless the study asked (``ask``) or leaves the author out (``exclude``).
    """
    confident = list(said.confidences).count("yes")
    if settings.author_confidence == "implicit_yes" or (
        settings.author_confidence == "ask" and said.author_confidence == "yes"
    ):
        confident += 1
    answers = [said.author, *said.verifiers]
    return 10 * confident < 6 * len(answers) and agreement(answers) < 2


def agreement(answers: Sequence[str]) -> int:
    """The size of the largest group of equal answers.

    >>> agreement(["red", "blue", "red"]), agreement([])
    (2, 0)
    """
    return max(map(answers.count, answers), default=0)  # of ten answers, faster than a Counter
