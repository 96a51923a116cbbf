"""A study's database as a source of statistics: two ordered streams, merged; nothing is held but numbers."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
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
from askew.collect.stats.told_examples import About, Answer, Drawn, Ended, Example

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
                verifiers: list[Answer] = []
                while waiting is not None and waiting[0] <= row[0]:
                    if waiting[0] == row[0]:
                        verifiers = [Answer(*one[1:]) for one in sorted(orjson.loads(waiting[1]))]
                    waiting = next(given, None)
                yield self._example(row, verifiers, models)

    def drawn(self) -> list[Drawn]:
        """What the models did, by image."""
        joined = draw.join(question, question.c.id == draw.c.question_id).join(image, image.c.id == question.c.image_id)
        failed = sa.func.sum(sa.case((draw.c.outcome == "FAILED", 1), else_=0))
        key = (image.c.round_id, question.c.image_id, draw.c.model_id)
        counted = sa.select(*key, sa.func.count(), failed, sa.func.sum(draw.c.attempts)).select_from(joined)
        models = dict(_pairs(self.tx, sa.select(model.c.id, model.c.name)))
        rounds = dict(_pairs(self.tx, sa.select(round_.c.id, round_.c.number)))
        rows = self.tx.rows(counted.group_by(*key).order_by(*key))
        return [Drawn(rounds[row[0]], row[1], models[row[2]], row[3], row[4], row[5]) for row in rows]

    def ended(self) -> list[Ended]:
        """What became of the leases of writers and verifiers, by image."""
        rounds = dict(_pairs(self.tx, sa.select(round_.c.id, round_.c.number)))
        over = sa.func.sum(sa.case((session.c.state == "EXPIRED", 1), else_=0))
        writing = (
            sa.select(image.c.round_id, image.c.id, sa.func.count(), over)
            .select_from(session.join(image, image.c.id == session.c.image_id))
            .where(session.c.state != "LEASED")
            .group_by(image.c.round_id, image.c.id)
        )
        late = sa.func.sum(sa.case((lease.c.outcome == "EXPIRED", 1), else_=0))
        verifying = (
            sa.select(image.c.round_id, image.c.id, sa.func.count(), late)
            .select_from(
                lease.join(question, question.c.id == lease.c.question_id).join(
                    image, image.c.id == question.c.image_id
                )
            )
            .where(lease.c.outcome.is_not(None))
            .group_by(image.c.round_id, image.c.id)
        )
        found = []
        for kind, statement in (("writing", writing), ("verifying", verifying)):
            found += [Ended(rounds[row[0]], row[1], kind, row[2], row[3]) for row in self.tx.rows(statement)]
        return found

    def _example(self, row: AnyRow, verifiers: list[Answer], models: dict[int, str]) -> Example:
        key, number, frozen, image_id, domain, session_id, try_no, text, state, kind, split, out, *others = row
        started, model_id, robot, latency, verdict, answer, normalised, confidence, judged = others
        author = None if answer is None else Answer(answer, normalised, confidence)
        if not frozen:
            kind = "U" if out or state not in ("CORRECT", "UNSURE", "VERIFIED") else None
        if kind is None:
            said = [one.normalised for one in verifiers]
            sure = [one.confidence or "" for one in verifiers]
            kind = example_type(
                Verdicts(verdict, robot or "", normalised or "", confidence, said, sure), self.tx.settings
            )
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
        columns = (
            verification.c.slot_n,
            verification.c.answer,
            verification.c.normalised,
            verification.c.confidence,
        )
        if self.tx.database.is_sqlite:
            together: sa.ColumnElement[Any] = sa.func.json_group_array(sa.func.json_array(*columns))
        else:
            together = sa.cast(sa.func.json_agg(sa.func.json_build_array(*columns)), sa.Text)
        statement = (
            sa.select(verification.c.question_id, together)
            .where(verification.c.slot_n.is_not(None))
            .group_by(verification.c.question_id)
            .order_by(verification.c.question_id)
        )
        return self._stream(statement)

    def _stream(self, statement: sa.Select[Any]) -> Generator[AnyRow, None, None]:
        options = {"yield_per": _AT_ONCE}
        with self.tx.connection.execute(statement, execution_options=options) as found:
            for page in found.partitions():
                yield from page


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
