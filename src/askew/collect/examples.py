"""The questions of a study with their judgements and all answers, each with the type that follows from them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.protocol import Verdicts, example_type, text_rule_removes
from askew.collect.rounds import CLOSED
from askew.collect.schema import (
    annotator,
    draw,
    image,
    in_rounds,
    judgement,
    model,
    prediction,
    question,
    round_,
    session,
    verification,
)

AT_ONCE = 5000
"""Rows read at a time."""


class Answer(NamedTuple):
    """What one person answered."""

    text: str
    normalised: str
    confidence: str | None


class Example(NamedTuple):
    """A question with its judgement and all answers to it."""

    id: int
    round: int
    image: int
    domain: str
    session: int
    try_no: int | None
    text: str
    type: str
    """A to E, or U for a question that does not count; its texts may be missing."""
    text_rule_removed: bool | None
    split: str | None
    verdict: str | None
    seconds: float | None
    """From showing the image to the judgement."""
    model: str
    robot: str
    """The robot's answer, normalised."""
    latency: float | None
    """Seconds that the model took; None if the source does not say."""
    state: str
    author: Answer | None = None
    verifiers: Sequence[Answer] = ()
    """The answers that count, by slot."""
    attack: str = ""
    """The automatic attack that wrote it; empty for people."""
    attack_tries: int | None = None
    """The texts that the attack asked until it succeeded."""


def examples(tx: Tx, round_id: int | None = None) -> Generator[Example, None, None]:
    """All questions, with the answers of the verifiers that count.

    Those of frozen rounds have the types that were stored, others those that they would have now. With ``round_id``,
    only the questions of this round, and every type is derived anew.
    """
    row = verification.c
    statement = sa.select(row.question_id, row.answer, row.normalised, row.confidence)
    statement = statement.where(row.slot_n.is_not(None)).order_by(row.question_id, row.slot_n)
    questions = _question_columns(stored=round_id is None)
    if round_id is not None:
        mine = sa.select(question.c.id).join(image)
        statement = statement.where(row.question_id.in_(mine.where(image.c.round_id == round_id)))
        questions = questions.where(image.c.round_id == round_id)
    settings = tx.settings
    with closing(stream(tx, statement)) as given, closing(stream(tx, questions)) as rows:
        groups = groupby(given, itemgetter(0))
        key, answers = next(groups, (None, iter(())))
        for *columns, attack, tries, text, normalised, confidence in rows:
            author = None if text is None else Answer(text, normalised, confidence)
            verifiers: Sequence[Answer] = ()
            if key == columns[0]:
                verifiers = [Answer._make(one[1:]) for one in answers]
                key, answers = next(groups, (None, iter(())))
            one = Example._make((*columns, author, verifiers, attack, tries))
            if not one.type:
                verdicts = _verdicts(one)
                kind = example_type(verdicts, settings)
                removed = kind in "CDE" and text_rule_removes(verdicts, settings)
                one = one._replace(type=kind, text_rule_removed=removed)
            yield one


def _verdicts(one: Example) -> Verdicts:
    author = one.author or Answer("", "", None)
    answers = [given.normalised for given in one.verifiers]
    sure = [given.confidence or "" for given in one.verifiers]
    return Verdicts(one.verdict, one.robot, author.normalised, author.confidence, answers, sure)


def stream(tx: Tx, statement: sa.Select[Any]) -> Generator[AnyRow, None, None]:
    """Rows, read from the server page by page."""
    with closing(tx.connection.execute(statement, execution_options={"yield_per": AT_ONCE})) as rows:
        yield from rows


def _question_columns(stored: bool) -> sa.Select[Any]:
    """The fields of ``Example`` in their order, with three columns for the author and none for the verifiers; the
    type is empty if it still has to be derived from what people said: always, unless those ``stored`` are wanted."""
    joined = (
        in_rounds.join(session, session.c.id == question.c.session_id)
        .join(annotator, annotator.c.id == question.c.annotator_id)
        .outerjoin(prediction)
        .outerjoin(model)
        .outerjoin(judgement)
    )
    gone = annotator.c.excluded_at.is_not(None) | image.c.hidden_at.is_not(None) | (question.c.standing != "OK")
    unfinished = question.c.state.not_in(("CORRECT", "UNSURE", "VERIFIED"))
    asked = sa.select(draw.c.attempts).where(draw.c.question_id == question.c.id).correlate(question).scalar_subquery()
    columns = (
        question.c.id,
        round_.c.number,
        question.c.image_id,
        image.c.domain,
        *question.c["session_id", "try_no", "text"],
        sa.case((round_.c.state.in_(CLOSED if stored else ()), question.c.type), (gone | unfinished, "U"), else_=""),
        *question.c["text_rule_removed", "split"],
        judgement.c.verdict,
        sa.cast(judgement.c.at - session.c.started_at, sa.Float) / 1000.0,
        sa.func.coalesce(model.c.name, ""),
        sa.func.coalesce(prediction.c.normalised, ""),
        prediction.c.seconds,
        question.c.state,
        sa.func.coalesce(annotator.c.attack, ""),
        sa.case((annotator.c.attack.is_not(None), asked)),
        *judgement.c["answer", "normalised", "confidence"],
    )
    return sa.select(*columns).select_from(joined).order_by(question.c.id)
