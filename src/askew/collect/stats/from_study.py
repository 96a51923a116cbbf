"""A study's database as a source of statistics: two ordered streams, merged; nothing is held but numbers."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from operator import gt
from typing import Any

import orjson
import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.example_types import Verdicts, example_type
from askew.collect.schema import (
    annotator,
    draw,
    image,
    judgement,
    lease,
    model,
    prediction,
    question,
    round_,
    session,
    study,
    verification,
)
from askew.collect.stats.told_examples import About, Answer, Drawn, Ended, Example, VerifierAnswers

_AT_ONCE = 5000


@dataclass(frozen=True)
class FromStudy:
    """The questions of a study in one snapshot; rounds that are not frozen get the types they would have now."""

    tx: Tx

    def about(self) -> About:
        """The study; questions, successes and splits are counted a second time, by the database."""
        images = dict(_pairs(self.tx, sa.select(image.c.round_id, sa.func.count()).group_by(image.c.round_id)))
        rows = self.tx.rows(sa.select(round_).order_by(round_.c.number))
        rounds = {
            row.number: {
                "state": row.state,
                "images": images.get(row.id, 0),
                "seed": row.freeze_seed,
                "snapshot": row.snapshot,
            }
            for row in rows
        }
        name = self.tx.value(sa.select(study.c.name))
        return About(name, self.tx.settings, rounds, "study", self._claimed(rows))

    def _claimed(self, rows: Any) -> dict[int, dict[str, int]]:
        gone = question.c.text == ""
        kind, split = (
            sa.case((gone, out), else_=column) for column, out in ((question.c.type, "U"), (question.c.split, None))
        )
        counted = (
            sa.select(image.c.round_id, kind, split, sa.func.count())
            .select_from(question.join(image, image.c.id == question.c.image_id))
            .group_by(image.c.round_id, kind, split)
        )
        found: dict[int, dict[str, int]] = {row.number: {"questions": 0} for row in rows}
        numbers = {row.id: row for row in rows}
        for round_id, found_kind, found_split, count in self.tx.rows(counted):
            row = numbers[round_id]
            stated = found[row.number]
            stated["questions"] += count
            if row.state in ("FROZEN", "RELEASED"):
                stated[found_kind] = stated.get(found_kind, 0) + count
                if found_split is not None:
                    stated[found_split] = stated.get(found_split, 0) + count
        return found

    def examples(self) -> Generator[Example, None, None]:
        """All questions, with the answers of the verifiers that count."""
        models = dict(_pairs(self.tx, sa.select(model.c.id, model.c.name)))
        with closing(self._given()) as given, closing(self._stream(_questions())) as rows:
            waiting = next(given, None)
            for row in rows:
                verifiers = VerifierAnswers()
                while waiting is not None and waiting[0] <= row[0]:
                    if waiting[0] == row[0]:
                        verifiers = _by_slot(orjson.loads(waiting[1]))
                    waiting = next(given, None)
                yield self._example(row, verifiers, models)

    def drawn(self) -> list[Drawn]:
        """What the models did, by image."""
        joined = draw.join(question, question.c.id == draw.c.question_id)
        failed = sa.func.sum(sa.case((draw.c.outcome == "FAILED", 1), else_=0))
        key = (question.c.image_id, draw.c.model_id)
        counted = sa.select(*key, sa.func.count(), failed, sa.func.sum(draw.c.attempts)).select_from(joined)
        models, rounds = dict(_pairs(self.tx, sa.select(model.c.id, model.c.name))), self._round_of_image()
        with closing(self._stream(counted.group_by(*key).order_by(*key))) as rows:
            return [Drawn(rounds[at], at, models[which], *counts) for at, which, *counts in rows]

    def ended(self) -> list[Ended]:
        """What became of the leases of writers and verifiers, by image."""
        rounds = self._round_of_image()
        over = sa.func.sum(sa.case((session.c.state == "EXPIRED", 1), else_=0))
        writing = (
            sa.select(session.c.image_id, sa.func.count(), over)
            .where(session.c.state != "LEASED")
            .group_by(session.c.image_id)
        )
        late = sa.func.sum(sa.case((lease.c.outcome == "EXPIRED", 1), else_=0))
        by_question = (
            sa.select(lease.c.question_id, sa.func.count().label("ended"), late.label("late"))
            .where(lease.c.outcome.is_not(None))
            .group_by(lease.c.question_id)
            .subquery()
        )
        verifying = (
            sa.select(question.c.image_id, sa.func.sum(by_question.c.ended), sa.func.sum(by_question.c.late))
            .select_from(by_question.join(question, question.c.id == by_question.c.question_id))
            .group_by(question.c.image_id)
        )
        found = []
        for kind, statement in (("writing", writing), ("verifying", verifying)):
            found += [Ended(rounds[at], at, kind, int(n), int(m)) for at, n, m in self.tx.rows(statement)]
        return found

    def _round_of_image(self) -> dict[int, int]:
        joined = image.join(round_, round_.c.id == image.c.round_id)
        return dict(_pairs(self.tx, sa.select(image.c.id, round_.c.number).select_from(joined)))

    def _example(self, row: AnyRow, verifiers: VerifierAnswers, models: dict[int, str]) -> Example:
        key, number, frozen, image_id, domain, session_id, try_no, text, state, kind, split, out, *others = row
        started, model_id, robot, latency, verdict, answer, normalised, confidence, judged = others
        author = None if answer is None else Answer(answer, normalised, confidence)
        if not frozen:
            kind = "U" if out or state not in ("CORRECT", "UNSURE", "VERIFIED") else None
        if kind is None:
            said = Verdicts(verdict, robot or "", normalised or "", confidence, *verifiers[1:])
            kind = example_type(said, self.tx.settings)
        return Example(
            key,
            number,
            image_id,
            domain,
            session_id,
            try_no,
            text,
            kind,
            split,
            verdict,
            None if judged is None else (judged - started) / 1000,
            models.get(model_id, ""),
            robot or "",
            author,
            verifiers,
            latency,
            state,
        )

    def _given(self) -> Generator[AnyRow, None, None]:
        """For each question the slots, answers and confidences of its verifiers as JSON, in the order of questions."""
        row = verification.c
        columns = (row.slot_n, row.answer, row.normalised, row.confidence)
        if self.tx.database.is_sqlite:
            together: sa.ColumnElement[Any] = sa.func.json_array(*map(_json_list, columns))
        else:
            listed = map(sa.func.json_agg, columns)
            together = sa.cast(sa.func.json_build_array(*listed), sa.Text)
        statement = (
            sa.select(verification.c.question_id, together)
            .where(verification.c.slot_n.is_not(None))
            .group_by(verification.c.question_id)
            .order_by(verification.c.question_id)
        )
        return self._stream(statement)

    def _stream(self, statement: sa.Select[Any]) -> Generator[AnyRow, None, None]:
        """Rows as the driver gives them: plain tuples, read from the server page by page."""
        database, driver = self.tx.database, self.tx.connection.connection
        text = str(statement.compile(database.engine, compile_kwargs={"literal_binds": True}))
        with closing(driver.cursor() if database.is_sqlite else driver.cursor(f"stats{id(statement)}")) as cursor:
            cursor.execute(text)
            while page := cursor.fetchmany(_AT_ONCE):
                yield from page


def _json_list(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    return sa.func.json(sa.func.json_group_array(column))


def _by_slot(lists: list[list[Any]]) -> VerifierAnswers:
    """The answers in the order of their slots; a database groups them in any order."""
    slots, *columns = lists
    if any(map(gt, slots, slots[1:])):
        order = sorted(range(len(slots)), key=slots.__getitem__)
        columns = [[column[at] for at in order] for column in columns]
    return VerifierAnswers(*columns)


def _questions() -> sa.Select[Any]:
    joined = (
        question.join(image, image.c.id == question.c.image_id)
        .join(round_, round_.c.id == image.c.round_id)
        .join(session, session.c.id == question.c.session_id)
        .join(annotator, annotator.c.id == question.c.annotator_id)
        .outerjoin(prediction, prediction.c.question_id == question.c.id)
        .outerjoin(judgement, judgement.c.question_id == question.c.id)
    )
    gone = annotator.c.excluded_at.is_not(None) | image.c.hidden_at.is_not(None) | (question.c.standing != "OK")
    columns = (
        question.c.id,
        round_.c.number,
        round_.c.state.in_(("FROZEN", "RELEASED")),
        question.c.image_id,
        image.c.domain,
        question.c.session_id,
        question.c.try_no,
        question.c.text,
        question.c.state,
        question.c.type,
        question.c.split,
        gone,
        session.c.started_at,
        prediction.c.model_id,
        prediction.c.normalised,
        prediction.c.seconds,
        judgement.c.verdict,
        judgement.c.answer,
        judgement.c.normalised,
        judgement.c.confidence,
        judgement.c.at,
    )
    return sa.select(*columns).select_from(joined).order_by(question.c.id)


def _pairs(tx: Tx, statement: sa.Select[Any]) -> list[tuple[Any, Any]]:
    return [(row[0], row[1]) for row in tx.rows(statement)]
