"""How well people agree: each verifier with the majority of the others, and all together by Krippendorff's alpha.

``people_lines`` lists the people of a study with their agreement and their answers to gold questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from askew.answers.krippendorff import krippendorff_alpha
from askew.collect.database import Tx
from askew.collect.gold import gold_counts
from askew.collect.quiz import needs_quiz
from askew.collect.schema import annotator, verification

Answers = Mapping[int, Mapping[int, str]]
"""Question to person to normalised answer."""


@dataclass(frozen=True)
class Agreement:
    """How often a person gave the answer that most others gave to the same question."""

    agreed: int
    compared: int
    """Questions with a most frequent answer among the others."""

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None if nothing could be compared."""
        return self.agreed / self.compared if self.compared else None


def counted_answers(tx: Tx, latest: int | None = None, annotator_id: int | None = None) -> dict[int, dict[int, str]]:
    """The verifications that count: all, the ``latest`` ones, or those of questions that one person verified."""
    row = verification.c
    wanted = sa.select(row.question_id, row.annotator_id, row.normalised).where(row.slot_n.is_not(None))
    if annotator_id is not None:
        mine = verification.alias("mine")
        own = sa.select(mine.c.question_id).where(mine.c.annotator_id == annotator_id, mine.c.slot_n.is_not(None))
        wanted = wanted.where(row.question_id.in_(own))
    if latest is not None:
        wanted = wanted.order_by(row.id.desc()).limit(latest)
    found: dict[int, dict[int, str]] = {}
    for one in tx.rows(wanted):
        found.setdefault(one.question_id, {})[one.annotator_id] = one.normalised
    return found


def agreements(answers: Answers) -> dict[int, Agreement]:
    """Each person's agreement with the majority of the others; ties among the others are left out.

    >>> agreements({1: {7: "red", 8: "red", 9: "blue"}, 2: {7: "2", 8: "3"}})[7]
    Agreement(agreed=0, compared=1)
    >>> agreements({1: {7: "red", 8: "red", 9: "red"}})[7]
    Agreement(agreed=1, compared=1)
    """
    agreed: Counter[int] = Counter()
    compared: Counter[int] = Counter()
    for given in answers.values():
        counts = Counter(given.values())
        for who, answer in given.items():
            ranked = [*(counts - Counter([answer])).most_common(2), ("", 0), ("", 0)]
            if ranked[0][1] > ranked[1][1]:  # others answered, and not equally often two ways
                compared[who] += 1
                agreed[who] += ranked[0][0] == answer
    return {who: Agreement(agreed[who], compared[who]) for given in answers.values() for who in given}


def agreement_of(tx: Tx, annotator_id: int) -> Agreement:
    """One person's agreement with the others."""
    return agreements(counted_answers(tx, annotator_id=annotator_id)).get(annotator_id, Agreement(0, 0))


def people_lines(tx: Tx) -> Iterator[str]:
    """A line for each person, and one with the agreement of all verifiers."""
    answers = counted_answers(tx)
    golds, agreed = gold_counts(tx), agreements(answers)
    for row in tx.rows(sa.select(annotator).where(annotator.c.attack.is_(None)).order_by(annotator.c.id)):
        parts = [row.role]
        if row.excluded_at is not None:
            parts.append(f"excluded ({row.excluded_reason or 'no reason given'})")
        elif needs_quiz(tx, row.id):
            parts.append("quiz not passed")
        if (gold := golds.get(row.id)) is not None:
            parts.append(f"gold {gold.right} of {gold.answered} correct")
        if (one := agreed.get(row.id)) is not None and one.share is not None:
            parts.append(f"agrees with most others in {100 * one.share:.0f} % of {one.compared}")
        yield f"{row.name} ({row.pseudonym}): {', '.join(parts)}"
    alpha = krippendorff_alpha(list(given.values()) for given in answers.values())
    if alpha is not None:
        yield f"Agreement of all verifiers (Krippendorff's alpha, nominal): {alpha:.3f} on {len(answers):,} questions."
