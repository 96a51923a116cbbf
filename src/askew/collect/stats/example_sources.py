"""Where statistics come from: a study's database, or the folder of a release.

A study is read as two ordered streams, merged; a release by its manifest and ``history.jsonl``, line by line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from operator import gt
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.protocol import StudySettings, Verdicts, example_type, same_answer
from askew.collect.release import MANIFEST, RELEASE_FORMAT
from askew.collect.rounds import CLOSED
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
from askew.collect.stats.example_records import About, Answer, Drawn, Ended, Example, VerifierAnswers
from askew.errors import DataError
from askew.files.limits import bounded_lines, read_object
from askew.files.read_write import file_sha256

HISTORY = "history.jsonl"
_REMEDY = "Download or write the release again."


class FromRelease:
    """The questions of a release; it has no data about leases or about how long models took."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifest = read_object(folder / MANIFEST, _REMEDY)
        self._draws: defaultdict[tuple[int, int, str], list[int]] = defaultdict(lambda: [0, 0, 0])

    def about(self) -> About:
        """The study, after a check that the history is the released one; its claims are the manifest's counts."""
        manifest = self._manifest
        path = self._folder / HISTORY
        if manifest.get("askew_release") != RELEASE_FORMAT:
            raise DataError(f"{self._folder / MANIFEST}: not a release of format {RELEASE_FORMAT}. Write it again.")
        try:
            stated = manifest["files"][HISTORY]
            settings = StudySettings(**manifest["settings"])
            rounds = {
                one["round"]: {"state": "RELEASED", **{key: one[key] for key in ("images", "seed", "snapshot")}}
                for one in manifest["rounds"]
            }
            claimed = {one["round"]: {**one["types"], **one["splits"]} for one in manifest["rounds"]}
            name = f"{manifest.get('name') or self._folder.name} {manifest['version']}"
        except (KeyError, TypeError, AttributeError) as trouble:
            raise DataError(f"{self._folder / MANIFEST}: not a release's manifest ({trouble!r}). {_REMEDY}") from None
        if not path.is_file():
            raise DataError(f"{path}: the file is missing. {_REMEDY}")
        if file_sha256(str(path)) != stated:
            raise DataError(f"{path}: its hash is not the one in {MANIFEST}: it has been changed. {_REMEDY}")
        return About(name, settings, rounds, "release", claimed)

    def examples(self) -> Generator[Example, None, None]:
        """All questions, in the order they were asked."""
        path = self._folder / HISTORY
        self._draws.clear()
        with open(path, "rb") as file:
            for number, line in enumerate(bounded_lines(file, path), 1):
                try:
                    record = orjson.loads(line)
                    self._count_draws(record)
                    yield _released_example(record)
                except (ValueError, KeyError, TypeError, AttributeError) as trouble:
                    raise DataError(f"{path}: line {number} is damaged ({trouble!r}). {_REMEDY}") from None
        for one in self._manifest["rounds"]:
            yield from [_withheld_example(one["round"], "A")] * one["deleted"]
            yield from [_withheld_example(one["round"], "U")] * (one["withheld"] - one["deleted"])

    def drawn(self) -> list[Drawn]:
        """What the models did in the examples read so far."""
        return [Drawn(*key, *counts) for key, counts in sorted(self._draws.items())]

    def ended(self) -> list[Ended] | None:
        """None: a release has no data about leases."""
        return None

    def _count_draws(self, record: Mapping[str, Any]) -> None:
        for one in record["draws"]:
            counts = self._draws[record["round"], record["image"], one["model"]]
            counts[0] += 1
            counts[1] += one["outcome"] == "FAILED"
            counts[2] += one["attempts"]


def _released_example(record: Mapping[str, Any]) -> Example:
    robot, judged = record["robot"] or {}, record["judgement"] or {}
    author_answer = judged.get("answer")
    counted = sorted((one for one in record["verifications"] if one["slot"] is not None), key=lambda one: one["slot"])
    is_out = record["type"] == "U"
    return Example(
        record["id"],
        record["round"],
        record["image"],
        record["domain"],
        record["session"],
        record["try"],
        record["question"],
        record["type"],
        record["split"],
        judged.get("verdict"),
        judged.get("seconds"),
        robot.get("model") or "",
        same_answer(robot.get("answer") or ""),
        None if author_answer is None else Answer(author_answer, same_answer(author_answer), judged["confidence"]),
        VerifierAnswers() if is_out else _verifier_answers(counted),
        None,
        record["state"],
    )


def _withheld_example(number: int, kind: str) -> Example:
    """A question that a release only counts; one that was deleted after the freeze had a type."""
    nothing = (None, "", kind, None, None, None, "", "", None, VerifierAnswers(), None, "WITHDRAWN")
    return Example(0, number, 0, "", 0, *nothing)


def _verifier_answers(counted: Sequence[Mapping[str, Any]]) -> VerifierAnswers:
    texts = [one["answer"] for one in counted]
    return VerifierAnswers(texts, list(map(same_answer, texts)), [one["confidence"] for one in counted])


_AT_ONCE = 5000
_AUTHOR = Example._fields.index("author")
_NOBODY = VerifierAnswers()


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
            if row.state in CLOSED:
                stated[found_kind] = stated.get(found_kind, 0) + count
                if found_split is not None:
                    stated[found_split] = stated.get(found_split, 0) + count
        return found

    def examples(self) -> Generator[Example, None, None]:
        """All questions, with the answers of the verifiers that count."""
        with closing(self._given()) as given, closing(self._stream(_question_columns())) as rows:
            waiting = next(given, None)
            for row in rows:
                verifiers = _NOBODY
                while waiting is not None and waiting[0] <= row[0]:
                    if waiting[0] == row[0]:
                        verifiers = _by_slot(orjson.loads(waiting[1]))
                    waiting = next(given, None)
                author = None if row[_AUTHOR] is None else Answer._make(row[_AUTHOR : _AUTHOR + 3])
                one = Example._make((*row[:_AUTHOR], author, verifiers, *row[_AUTHOR + 3 :]))
                yield one if one.type is not None else self._typed(one)

    def drawn(self) -> list[Drawn]:
        """What the models did, by image."""
        joined = draw.join(question, question.c.id == draw.c.question_id)
        failed = sa.func.sum(sa.case((draw.c.outcome == "FAILED", 1), else_=0))
        key = (question.c.image_id, draw.c.model_id)
        counted = sa.select(*key, sa.func.count(), failed, sa.func.sum(draw.c.attempts)).select_from(joined)
        models, rounds = dict(_pairs(self.tx, sa.select(model.c.id, model.c.name))), self._round_of_image
        with closing(self._stream(counted.group_by(*key).order_by(*key))) as rows:
            return [Drawn(rounds[at], at, models[which], *counts) for at, which, *counts in rows]

    def ended(self) -> list[Ended]:
        """How the leases of writers and verifiers ended, by image."""
        rounds = self._round_of_image
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
            with closing(self._stream(statement)) as rows:
                found += [Ended(rounds[at], at, kind, int(n), int(m)) for at, n, m in rows]
        return found

    @cached_property
    def _round_of_image(self) -> dict[int, int]:
        joined = image.join(round_, round_.c.id == image.c.round_id)
        with closing(self._stream(sa.select(image.c.id, round_.c.number).select_from(joined))) as rows:
            return dict(rows)

    def _typed(self, one: Example) -> Example:
        """A question of a round that is not frozen, with the type it would have now."""
        author = one.author or Answer("", "", None)
        verdicts = Verdicts(one.verdict, one.robot, author.normalised, author.confidence, *one.verifiers[1:])
        return one._replace(type=example_type(verdicts, self.tx.settings))

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
        """Rows as the driver returns them: plain tuples, read from the server page by page."""
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


def _question_columns() -> sa.Select[Any]:
    """The fields of ``Example`` in their order, with three columns for the author and none for the verifiers; the
    type is NULL if it still has to be derived from what people said."""
    joined = (
        question.join(image, image.c.id == question.c.image_id)
        .join(round_, round_.c.id == image.c.round_id)
        .join(session, session.c.id == question.c.session_id)
        .join(annotator, annotator.c.id == question.c.annotator_id)
        .outerjoin(prediction, prediction.c.question_id == question.c.id)
        .outerjoin(model, model.c.id == prediction.c.model_id)
        .outerjoin(judgement, judgement.c.question_id == question.c.id)
    )
    gone = annotator.c.excluded_at.is_not(None) | image.c.hidden_at.is_not(None) | (question.c.standing != "OK")
    unfinished = question.c.state.not_in(("CORRECT", "UNSURE", "VERIFIED"))
    columns = (
        question.c.id,
        round_.c.number,
        question.c.image_id,
        image.c.domain,
        question.c.session_id,
        question.c.try_no,
        question.c.text,
        sa.case((round_.c.state.in_(CLOSED), question.c.type), (gone | unfinished, "U")),
        question.c.split,
        judgement.c.verdict,
        sa.cast(judgement.c.at - session.c.started_at, sa.Float) / 1000.0,
        sa.func.coalesce(model.c.name, ""),
        sa.func.coalesce(prediction.c.normalised, ""),
        judgement.c.answer,
        judgement.c.normalised,
        judgement.c.confidence,
        prediction.c.seconds,
        question.c.state,
    )
    return sa.select(*columns).select_from(joined).order_by(question.c.id)


def _pairs(tx: Tx, statement: sa.Select[Any]) -> list[tuple[Any, Any]]:
    return [(row[0], row[1]) for row in tx.rows(statement)]
