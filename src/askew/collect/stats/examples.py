"""The questions of a study, from its database in one snapshot, or from the history of a release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import orjson
import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.protocol import StudySettings, Verdicts, example_type, same_answer, text_rule_removes
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
from askew.errors import DataError
from askew.files.limits import bounded_lines, read_object
from askew.files.read_write import file_sha256


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


class Drawn(NamedTuple):
    """How often a model was drawn for questions about an image, and with what result."""

    round: int
    image: int
    model: str
    draws: int
    failed: int
    attempts: int


class Ended(NamedTuple):
    """How many leases on an image ended, and how many of them expired."""

    round: int
    image: int
    kind: str
    """``writing`` or ``verifying``."""
    ended: int
    expired: int


@dataclass(frozen=True)
class About:
    """The study itself."""

    name: str
    settings: StudySettings
    rounds: Mapping[int, Mapping[str, Any]]
    """Round to its state, images, seed and snapshot."""
    source: str
    """What was read: ``study`` or ``release``, for the page."""
    claimed: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """Round to counts that a release states; they must be the same as those counted here."""


class Source(Protocol):
    """Where the statistics come from."""

    def about(self) -> About:
        """The study."""
        ...

    def examples(self) -> Generator[Example, None, None]:
        """All questions, in the order they were asked."""
        ...

    def drawn(self) -> list[Drawn]:
        """What the models did; complete only after the examples have been read."""
        ...

    def ended(self) -> list[Ended] | None:
        """How leases ended; None if the source does not say."""
        ...


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
        """All questions, in the order they were asked; those that a release only counts follow."""
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
            for kind, count in (("A", one["deleted"]), ("U", one["withheld"] - one["deleted"])):  # deleted: had a type
                gone = (0, "", 0, None, "", kind, None, None, None, None, "", "", None, "WITHDRAWN")
                yield from [Example(0, one["round"], *gone)] * count

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
    counted = sorted((one for one in record["verifications"] if one["slot"] is not None), key=itemgetter("slot"))
    given = [*([judged] if judged.get("answer") is not None else []), *counted]
    answers = [Answer(one["answer"], same_answer(one["answer"]), one["confidence"]) for one in given]
    return Example(
        id=record["id"],
        round=record["round"],
        image=record["image"],
        domain=record["domain"],
        session=record["session"],
        try_no=record["try"],
        text=record["question"],
        type=record["type"],
        text_rule_removed=record["text_rule_removed"],
        split=record["split"],
        verdict=judged.get("verdict"),
        seconds=judged.get("seconds"),
        model=robot.get("model") or "",
        robot=same_answer(robot.get("answer") or ""),
        latency=None,
        state=record["state"],
        author=answers[0] if answers else None,
        verifiers=answers[1:],
    )


_AT_ONCE = 5000
"""Rows read at a time."""


@dataclass(frozen=True)
class FromStudy:
    """The questions of a study in one snapshot; rounds that are not frozen get the types they would have now."""

    tx: Tx

    def about(self) -> About:
        """The study."""
        counted = sa.select(image.c.round_id, sa.func.count()).group_by(image.c.round_id)
        images = {row[0]: row[1] for row in self.tx.rows(counted)}
        rounds = {
            row.number: {
                "state": row.state,
                "images": images.get(row.id, 0),
                "seed": row.freeze_seed,
                "snapshot": row.snapshot,
            }
            for row in self.tx.rows(sa.select(round_).order_by(round_.c.number))
        }
        return About(self.tx.value(sa.select(study.c.name)), self.tx.settings, rounds, "study")

    def examples(self) -> Generator[Example, None, None]:
        """All questions, with the answers of the verifiers that count."""
        row = verification.c
        statement = sa.select(row.question_id, row.answer, row.normalised, row.confidence)
        statement = statement.where(row.slot_n.is_not(None)).order_by(row.question_id, row.slot_n)
        with closing(self._stream(statement)) as given, closing(self._stream(_question_columns())) as rows:
            groups = groupby(given, itemgetter(0))
            key, answers = next(groups, (None, iter(())))
            for *columns, text, normalised, confidence in rows:
                author = None if text is None else Answer(text, normalised, confidence)
                verifiers: Sequence[Answer] = ()
                if key == columns[0]:
                    verifiers = [Answer._make(one[1:]) for one in answers]
                    key, answers = next(groups, (None, iter(())))
                one = Example._make((*columns, author, verifiers))
                yield one if one.type else self._typed(one)

    def drawn(self) -> list[Drawn]:
        """What the models did, by image."""
        joined = draw.join(question, question.c.id == draw.c.question_id)
        failed = sa.func.sum(sa.case((draw.c.outcome == "FAILED", 1), else_=0))
        key = (question.c.image_id, draw.c.model_id)
        counted = sa.select(*key, sa.func.count(), failed, sa.func.sum(draw.c.attempts)).select_from(joined)
        models = {row.id: row.name for row in self.tx.rows(sa.select(model.c.id, model.c.name))}
        rounds = self._round_of_image()
        with closing(self._stream(counted.group_by(*key).order_by(*key))) as rows:
            return [Drawn(rounds[at], at, models[which], *counts) for at, which, *counts in rows]

    def ended(self) -> list[Ended]:
        """How the leases of writers and verifiers ended, by image."""
        over = sa.func.sum(sa.case((session.c.state == "EXPIRED", 1), else_=0))
        writing = sa.select(session.c.image_id, sa.func.count(), over).where(session.c.state != "LEASED")
        late = sa.func.sum(sa.case((lease.c.outcome == "EXPIRED", 1), else_=0))
        joined = lease.join(question, question.c.id == lease.c.question_id)
        verifying = sa.select(question.c.image_id, sa.func.count(), late).select_from(joined)
        statements = {
            "writing": writing.group_by(session.c.image_id),
            "verifying": verifying.where(lease.c.outcome.is_not(None)).group_by(question.c.image_id),
        }
        rounds, found = self._round_of_image(), []
        for kind, statement in statements.items():
            with closing(self._stream(statement)) as rows:
                found += [Ended(rounds[at], at, kind, int(n), int(m)) for at, n, m in rows]
        return found

    def _round_of_image(self) -> dict[int, int]:
        joined = image.join(round_, round_.c.id == image.c.round_id)
        with closing(self._stream(sa.select(image.c.id, round_.c.number).select_from(joined))) as rows:
            return dict(rows)

    def _typed(self, one: Example) -> Example:
        """A question of a round that is not frozen, with the type it would have now."""
        author = one.author or Answer("", "", None)
        answers = [given.normalised for given in one.verifiers]
        sure = [given.confidence or "" for given in one.verifiers]
        verdicts = Verdicts(one.verdict, one.robot, author.normalised, author.confidence, answers, sure)
        kind, settings = example_type(verdicts, self.tx.settings), self.tx.settings
        return one._replace(type=kind, text_rule_removed=kind in "CDE" and text_rule_removes(verdicts, settings))

    def _stream(self, statement: sa.Select[Any]) -> Generator[AnyRow, None, None]:
        """Rows as the driver returns them: plain tuples, read from the server page by page."""
        database, driver = self.tx.database, self.tx.connection.connection
        text = str(statement.compile(database.engine, compile_kwargs={"literal_binds": True}))
        with closing(driver.cursor() if database.is_sqlite else driver.cursor(f"stats{id(statement)}")) as cursor:
            cursor.execute(text)
            while page := cursor.fetchmany(_AT_ONCE):
                yield from page


def _question_columns() -> sa.Select[Any]:
    """The fields of ``Example`` in their order, with three columns for the author and none for the verifiers; the
    type is empty if it still has to be derived from what people said."""
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
        sa.case((round_.c.state.in_(CLOSED), question.c.type), (gone | unfinished, "U"), else_=""),
        question.c.text_rule_removed,
        question.c.split,
        judgement.c.verdict,
        sa.cast(judgement.c.at - session.c.started_at, sa.Float) / 1000.0,
        sa.func.coalesce(model.c.name, ""),
        sa.func.coalesce(prediction.c.normalised, ""),
        prediction.c.seconds,
        question.c.state,
        judgement.c.answer,
        judgement.c.normalised,
        judgement.c.confidence,
    )
    return sa.select(*columns).select_from(joined).order_by(question.c.id)
