"""What a survey found: counted answers, majorities, agreement, and what batches took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Any

import sqlalchemy as sa

from askew.answers.krippendorff import krippendorff_alpha
from askew.collect.database import AnyRow, Tx
from askew.collect.protocol import Refused, same_answer
from askew.collect.schema import batch, batch_answer, survey, survey_item
from askew.collect.surveys.items import AMBIGUOUS, Answer, Item, passes
from askew.collect.surveys.places import ANSWERS, COUNTS
from askew.significance import wilson

UNDECIDED = "no majority"


@dataclass(frozen=True)
class SurveyItem:
    """A question of a survey with the answers that count."""

    id: int
    sha256: str
    suffix: str
    content: str
    members: tuple[tuple[int, int], ...]
    hidden: bool
    answers: tuple[Answer, ...]

    def said(self, name: str = "answer") -> list[str]:
        """What people said in a field, in a form that is the same for equal answers."""
        return [AMBIGUOUS if one[name] is None else same_answer(str(one[name])) for one in self.answers]


@dataclass(frozen=True)
class SurveyProgress:
    """How far a survey is, and what its batches took."""

    id: int
    kind: str
    name: str
    state: str
    people_per_question: int
    questions: int
    complete: int
    """Questions with as many answers as the survey wants people."""
    hidden: int
    """Questions that people reported, and nobody gets any more."""
    answers: int
    people: int
    batches: int
    """Finished batches."""
    seconds_mean: float | None
    """From getting a batch to sending it."""
    seconds_median: float | None
    gold_first_right: int
    """Gold questions that were right when a batch was first sent."""
    gold_shown: int
    changed: int
    """Answers that counted, and that were changed after the batch was first sent."""

    @property
    def is_complete(self) -> bool:
        """Whether every question that is shown has all its answers."""
        return self.complete == self.questions - self.hidden

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def survey_row(tx: Tx, survey_id: int | None, kind: str) -> AnyRow:
    """The row of a survey of this kind: the one with this id, or the last."""
    of_kind = sa.select(survey).where(survey.c.kind == kind).order_by(survey.c.id.desc())
    row = tx.first(of_kind if survey_id is None else of_kind.where(survey.c.id == survey_id))
    if row is None:
        which = f"{kind} {survey_id}" if survey_id else kind
        raise Refused(f"The study has no {which}. Make one with --groups, or list them: askew collect {kind} STUDY")
    return row


def survey_items(tx: Tx, survey_id: int) -> list[SurveyItem]:
    """The questions of a survey, in the order in which they are given, with their answers."""
    given: dict[int, list[Answer]] = {}
    counted = sa.select(batch_answer.c.item_id, batch_answer.c.last).select_from(ANSWERS)
    for row in tx.rows(
        counted.where(COUNTS, survey.c.id == survey_id).order_by(batch_answer.c.item_id, batch_answer.c.place)
    ):
        given.setdefault(row.item_id, []).append(json.loads(row.last))
    mine = (survey_item.c.survey_id == survey_id) & survey_item.c.gold.is_(None)
    return [
        SurveyItem(
            row.id,
            row.sha256,
            row.suffix,
            row.content,
            tuple((n, place) for n, place in json.loads(row.members)),
            row.hidden_at is not None,
            tuple(given.get(row.id, ())),
        )
        for row in tx.rows(sa.select(survey_item).where(mine).order_by(survey_item.c.position))
    ]


def majority(said: Sequence[str], people: int) -> str | None:
    """The answer that more than half of the people gave; None if there is none.

    >>> majority(["yes", "yes", "no", "yes", "ambiguous"], 5), majority(["yes", "yes", "no", "no", "ambiguous"], 5)
    ('yes', None)
    """
    answer, count = Counter(said).most_common(1)[0] if said else ("", 0)
    return answer if 2 * count > people else None


def alpha(items: Sequence[SurveyItem], name: str = "answer") -> float | None:
    """Krippendorff's alpha (nominal) over the answers that count; *ambiguous* is an answer like any other."""
    return krippendorff_alpha([one.said(name) for one in items if not one.hidden])


def progress(tx: Tx, row: AnyRow) -> SurveyProgress:
    """How far a survey is."""
    items = survey_items(tx, row.id)
    shown = [one for one in items if not one.hidden]
    done = tx.rows(sa.select(batch).where(batch.c.survey_id == row.id, batch.c.state == "DONE"))
    seconds = [(one.ended_at - one.leased_at) / 1000 for one in done]
    gold = [passes(one.gold, json.loads(one.first)) for one in _sent_gold(tx, row.id)]
    different = (batch_answer.c.first != batch_answer.c.last) & COUNTS & (survey.c.id == row.id)
    return SurveyProgress(
        id=row.id,
        kind=row.kind,
        name=row.name,
        state=row.state,
        people_per_question=row.people,
        questions=len(items),
        complete=sum(len(one.answers) == row.people for one in shown),
        hidden=len(items) - len(shown),
        answers=sum(len(one.answers) for one in items),
        people=len({one.annotator_id for one in done}),
        batches=len(done),
        seconds_mean=round(mean(seconds), 1) if seconds else None,
        seconds_median=round(median(seconds), 1) if seconds else None,
        gold_first_right=sum(gold),
        gold_shown=len(gold),
        changed=tx.count(ANSWERS, different),
    )


def _sent_gold(tx: Tx, survey_id: int) -> Sequence[AnyRow]:
    """The first answers to gold questions."""
    asked = sa.select(batch_answer.c.first, survey_item.c.gold).join(survey_item)
    mine = (survey_item.c.survey_id == survey_id) & survey_item.c.gold.is_not(None) & batch_answer.c.first.is_not(None)
    return tx.rows(asked.where(mine))


def progress_lines(one: SurveyProgress, found: float | None, rate: float | None = None) -> list[str]:
    """What an owner reads about a survey; ``rate``: what a batch costs."""
    state = f"{one.complete:,} of {one.questions:,} questions have all {one.people_per_question} answers"
    work = f"{one.answers:,} answers by {one.people:,} people in {one.batches:,} batches"
    lines = [f"{one.kind.capitalize()} {one.id} of {one.name} ({one.state}): {state}; {work}."]
    if one.hidden:
        lines.append(f"  {one.hidden:,} questions were reported, and are no longer shown or counted.")
    if found is not None:
        lines.append(f"  Agreement (Krippendorff's alpha, nominal): {found:.3f}.")
    if one.seconds_median is not None and one.seconds_mean is not None:
        lines.append(
            f"  A batch takes {one.seconds_median / 60:.1f} minutes (median; mean {one.seconds_mean / 60:.1f})."
        )
        if rate is not None:
            hourly = f", {3600 * rate / one.seconds_mean:.2f} an hour" if one.seconds_mean else ""
            lines.append(f"  Cost: {rate:.2f} a batch{hourly}, {rate * one.batches:.2f} so far.")
    if one.gold_shown:
        right = f"{one.gold_first_right:,} of {one.gold_shown:,} right when first sent"
        lines.append(f"  Gold: {right}; then {one.changed:,} of the counted answers were changed.")
    return lines


def answers_by_member(items: Sequence[SurveyItem]) -> Mapping[tuple[int, int], SurveyItem]:
    """Group number and place in it to the item that stands for the question."""
    return {member: one for one in items for member in one.members}


_BAD = {"grammatical": "not grammatical", "meaning": "do not ask the same", "label": "wrong label"}
"""What *no* means in each field of an audit."""


def judgement_lines(items: Sequence[SurveyItem]) -> list[str]:
    """For each field of an audit: how many variants most people judged so, and how well they agree."""
    lines = []
    for name, words in _BAD.items():
        asked = [one for one in items if not one.hidden and one.answers and name in Item.loads(one.content).asks]
        said = [one.said(name) for one in asked]
        clear = [votes for votes in said if votes.count("yes") != votes.count("no")]
        bad = sum(votes.count("no") > votes.count("yes") for votes in clear)
        if clear:
            low, high = wilson(bad, len(clear))
            found = krippendorff_alpha(said)
            agreed = "" if found is None else f"; alpha {found:.3f}"
            share = f"{100 * bad / len(clear):.1f} % ({100 * low:.1f}–{100 * high:.1f})"
            lines.append(f"  {words}: {share} of {len(clear):,}, {len(said) - len(clear):,} unclear{agreed}.")
    return lines
