"""What people answer in a form beside their text, each defined once: its column, its question, its check, its export.

A new one is an entry in ``FIELDS`` and a revision that adds the columns; ``docs/collect-internals.md`` has the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from askew.collect.protocol import Refused, StudySettings

CONFIDENCES = ("yes", "maybe", "no")
Form = Literal["judgement", "verification"]
"""The author's, after the verdict that the robot is wrong, or a verifier's; each is named after its table."""


@dataclass(frozen=True)
class ChoiceField:
    """A question of a form with a few choices."""

    name: str
    """Of its column and its form field, and in ``history.jsonl``."""
    form: Form
    question: str
    choices: tuple[str, ...]
    missing: str
    """What people are told who chose nothing."""
    asked: Callable[[StudySettings], bool] = lambda settings: True
    """Whether a study asks it."""


FIELDS = (
    ChoiceField(
        "confidence",
        "judgement",
        "Do you think you were able to answer the question correctly?",
        CONFIDENCES,
        "Say whether you could answer the question: yes, maybe or no.",
        lambda settings: settings.author_confidence == "ask",
    ),
    ChoiceField(
        "confidence",
        "verification",
        "Do you think you were able to answer the question correctly?",
        CONFIDENCES,
        "Say whether you were able to answer the question: yes, maybe or no.",
    ),
)


def fields_of(form: Form, settings: StudySettings | None = None) -> list[ChoiceField]:
    """The fields of a form; with settings, those that the study asks."""
    return [one for one in FIELDS if one.form == form and (settings is None or one.asked(settings))]


def checked_fields(form: Form, settings: StudySettings, values: Mapping[str, str | None]) -> dict[str, str]:
    """The columns' values, of the fields that the study asks; a missing or unknown choice is refused.

    >>> checked_fields("verification", StudySettings(), {"confidence": "maybe", "other": "x"})
    {'confidence': 'maybe'}
    >>> checked_fields("judgement", StudySettings(), {"confidence": "yes"})
    {}
    """
    found = {}
    for one in fields_of(form, settings):
        value = values.get(one.name)
        if value not in one.choices:
            raise Refused(one.missing)
        found[one.name] = value
    return found
