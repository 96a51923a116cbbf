"""The people of a study in lines for the terminal: what they did, gold questions, agreement."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from askew.collect.agreement import Agreement, agreements, counted_answers, krippendorff_alpha
from askew.collect.database import AnyRow, Tx
from askew.collect.gold import GoldCount, gold_counts
from askew.collect.quiz import needs_quiz
from askew.collect.schema import annotator


def people_lines(tx: Tx) -> Iterator[str]:
    """A line for each person, and how far all verifiers agree."""
    answers = counted_answers(tx)
    golds, agreed = gold_counts(tx), agreements(answers)
    for row in tx.rows(sa.select(annotator).order_by(annotator.c.id)):
        parts = [row.role, *_standing(tx, row), *_figures(golds.get(row.id), agreed.get(row.id))]
        yield f"{row.name} ({row.pseudonym}): {', '.join(parts)}"
    alpha = krippendorff_alpha(list(said.values()) for said in answers.values())
    if alpha is not None:
        yield f"Agreement of all verifiers (Krippendorff's alpha, nominal): {alpha:.3f} on {len(answers):,} questions."


def _standing(tx: Tx, row: AnyRow) -> list[str]:
    if row.excluded_at is not None:
        return [f"excluded ({row.excluded_reason or 'no reason given'})"]
    return ["quiz not passed"] if needs_quiz(tx, row.id) else []


def _figures(gold: GoldCount | None, agreement: Agreement | None) -> list[str]:
    found = []
    if gold is not None:
        found.append(f"gold {gold.right} of {gold.answered} right")
    if agreement is not None and agreement.share is not None:
        found.append(f"agrees with most others in {100 * agreement.share:.0f} % of {agreement.compared}")
    return found
