"""Where statistics come from: a study in one snapshot, or the files of a release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import orjson
import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.examples import Answer, Example, examples, stream
from askew.collect.protocol import StudySettings, same_answer
from askew.collect.release import MANIFEST, RELEASE_FORMAT
from askew.collect.schema import annotator, draw, image, lease, model, question, round_, session, study
from askew.errors import DataError
from askew.files.limits import bounded_lines, read_object
from askew.files.read_write import file_sha256


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
        for one in () if "attack" in record else record["draws"]:
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
        attack=record.get("attack", ""),
        attack_tries=record["draws"][0]["attempts"] if "attack" in record else None,
    )


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
        return examples(self.tx)

    def drawn(self) -> list[Drawn]:
        """What the models did, by image."""
        joined = draw.join(question).join(annotator, annotator.c.id == question.c.annotator_id)
        failed = sa.func.sum(sa.case((draw.c.outcome == "FAILED", 1), else_=0))
        key = (question.c.image_id, draw.c.model_id)
        counted = (
            sa.select(*key, sa.func.count(), failed, sa.func.sum(draw.c.attempts))
            .select_from(joined)
            .where(annotator.c.attack.is_(None))
        )
        models = {row.id: row.name for row in self.tx.rows(sa.select(model.c.id, model.c.name))}
        rounds = self._round_of_image()
        with closing(stream(self.tx, counted.group_by(*key).order_by(*key))) as rows:
            return [Drawn(rounds[at], at, models[which], *counts) for at, which, *counts in rows]

    def ended(self) -> list[Ended]:
        """How the leases of writers and verifiers ended, by image."""
        over = sa.func.sum(sa.case((session.c.state == "EXPIRED", 1), else_=0))
        by_people = session.join(annotator)
        writing = sa.select(session.c.image_id, sa.func.count(), over).select_from(by_people)
        writing = writing.where(session.c.state != "LEASED", annotator.c.attack.is_(None))
        late = sa.func.sum(sa.case((lease.c.outcome == "EXPIRED", 1), else_=0))
        joined = lease.join(question)
        verifying = sa.select(question.c.image_id, sa.func.count(), late).select_from(joined)
        statements = {
            "writing": writing.group_by(session.c.image_id),
            "verifying": verifying.where(lease.c.outcome.is_not(None)).group_by(question.c.image_id),
        }
        rounds, found = self._round_of_image(), []
        for kind, statement in statements.items():
            with closing(stream(self.tx, statement)) as rows:
                found += [Ended(rounds[at], at, kind, int(n), int(m)) for at, n, m in rows]
        return found

    def _round_of_image(self) -> dict[int, int]:
        joined = image.join(round_)
        with closing(stream(self.tx, sa.select(image.c.id, round_.c.number).select_from(joined))) as rows:
            return dict(rows)


Source: TypeAlias = FromRelease | FromStudy
"""Where statistics come from; what ``drawn`` says is complete only after the examples have been read."""
