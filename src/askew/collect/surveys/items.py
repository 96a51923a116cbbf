"""What people see and answer in a survey: one item, its fields, and whether an answer passes as gold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askew.collect.database import AnyRow
from askew.collect.protocol import Refused, checked_text, same_answer

AMBIGUOUS = "ambiguous"
"""The option that every question of a baseline has; stored as null, so that it is never taken for an answer."""
Answer = dict[str, str | None]
"""Field to what was chosen or written."""


@dataclass(frozen=True)
class Field:
    """One thing that is asked about an item; without choices, people write."""

    name: str
    question: str
    choices: tuple[tuple[str, str], ...] = ()
    """Value and words of each."""


_JUDGED = (("yes", "Yes"), ("no", "No"), ("unclear", "Cannot say"))
AUDIT_FIELDS = {
    "grammatical": Field("grammatical", "Is the changed question grammatical?", _JUDGED),
    "meaning": Field("meaning", "Does it ask the same as the original question?", _JUDGED),
    "label": Field("label", "Is this answer to the changed question right?", _JUDGED),
}
"""What judges of a suite's variants say."""


@dataclass(frozen=True)
class Item:
    """What is shown and asked; nothing of it says whether it is gold."""

    question: str
    context: str = ""
    choices: tuple[str, ...] = ()
    """The answers to choose from, besides ambiguous."""
    asks: tuple[str, ...] = ()
    """The fields of an audit; none for a baseline."""
    original: str = ""
    answer: str = ""
    """The expected answer, which an audit shows."""
    key: str = ""
    """The id of the question in the data, for the file of judgements; not shown."""
    test: str = ""
    before: tuple[str, str] | None = None
    """Hash and suffix of the original's image, if the change was made to the image."""

    @property
    def fields(self) -> list[Field]:
        """What is asked."""
        if self.asks:
            return [AUDIT_FIELDS[name] for name in self.asks]
        capitals = {"yes": "Yes", "no": "No"}
        shown = [(str(place), capitals.get(text, text)) for place, text in enumerate(self.choices)]
        return [Field("answer", "Your answer", (*shown, (AMBIGUOUS, "Ambiguous")) if shown else ())]

    def dumps(self) -> str:
        """As JSON, for the database."""
        return json.dumps({name: value for name, value in vars(self).items() if value}, ensure_ascii=False)

    @staticmethod
    def loads(text: str) -> Item:
        """The item in such a text."""
        read = json.loads(text)
        lists = {name: tuple(read[name]) for name in ("choices", "asks", "before") if name in read}
        return Item(**{**read, **lists})

    def parse(self, sent: Mapping[str, str], longest: int) -> Answer | None:
        """The answer in a form; None if something is missing. A written answer that is too long is refused.

        >>> Item("Is it?", choices=("yes", "no")).parse({"answer": "1"}, 60)
        {'answer': 'no'}
        >>> Item("What is it?").parse({"answer": "", "ambiguous": "yes"}, 60)
        {'answer': None}
        """
        found: Answer = {}
        for one in self.fields:
            value = sent.get(one.name, "").strip()
            if not self.asks and (sent.get(AMBIGUOUS) if not one.choices else value == AMBIGUOUS):
                found[one.name] = None
            elif not value or (one.choices and value not in dict(one.choices)):
                return None
            elif self.asks:
                found[one.name] = value
            else:
                found[one.name] = self.choices[int(value)] if one.choices else checked_text(value, longest, "An answer")
        return found

    def typed(self, answer: Mapping[str, str | None]) -> dict[str, str]:
        """The form's fields for an answer that was stored."""
        if self.asks:
            return {name: value or "" for name, value in answer.items()}
        value = answer.get("answer")
        if not self.choices:
            return {"answer": value or "", AMBIGUOUS: "" if value else "yes"}
        return {"answer": AMBIGUOUS if value is None else str(self.choices.index(value))}


def passes(gold: str, answer: Mapping[str, str | None]) -> bool:
    """Whether an answer to a gold item is right in every field that the gold names.

    >>> passes('{"answer": ["yes"]}', {"answer": "Yes."}), passes('{"label": ["no"]}', {"label": "yes"})
    (True, False)
    """
    known: Mapping[str, list[str]] = json.loads(gold)
    return all(
        (said := answer.get(name)) is not None and same_answer(said) in accepted for name, accepted in known.items()
    )


@dataclass(frozen=True)
class BatchItem:
    """An item in somebody's batch."""

    n: int
    sha256: str
    suffix: str
    item: Item
    typed: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(row: AnyRow, sent: Mapping[str, str] | None = None) -> BatchItem:
        """The item of a row, with what was typed: in the form that was sent, or else what was stored."""
        item = Item.loads(row.content)
        stored: dict[str, Any] = item.typed(json.loads(row.last)) if row.last else {}
        return BatchItem(row.n, row.sha256, row.suffix, item, sent if sent is not None else stored)


def missing(numbers: list[int]) -> Refused:
    """The refusal of a batch in which these items have no answer."""
    left = "1 question has" if len(numbers) == 1 else f"{len(numbers)} questions have"
    return Refused(f"{left} no answer yet. Nothing was sent.")
