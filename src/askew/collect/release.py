"""The release of frozen rounds: a folder that others can use, and that ``askew run --data FOLDER`` reads at once.

For each split the questions and answers as VQA v2 files and as JSONL, with the images; ``history.jsonl`` has all that
happened to every question, ``examples.csv`` a line of it, ``datasheet.md`` what it is, and ``release.json`` the
hash of every file. The same rounds give the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

import askew
from askew.answers.normalise import modal_answer, normalise
from askew.collect.database import AnyRow, Tx
from askew.collect.deletion import deleted_questions
from askew.collect.history import Record, encoded, history
from askew.collect.release_sheet import datasheet
from askew.collect.rounds import move_round
from askew.collect.schema import image, model, round_, snapshot
from askew.collect.schema import study as study_table
from askew.collect.schema_parts import SPLITS
from askew.collect.study import Study
from askew.collect.study_settings import StudySettings
from askew.data.write_questions import write_jsonl
from askew.errors import DataError, UsageError
from askew.files.locks import alone_in
from askew.files.read_write import file_sha256, write_joined
from askew.types import ImageRef, Kind, Question
from askew.world.phrasing import question_type

FORMAT = 1
MANIFEST = "release.json"
_NUMBERS = set("0123456789")


@dataclass(frozen=True)
class Released:
    """A question of a split: what its files say."""

    question: Question
    kind: str
    """A, C or E."""
    verified: bool


def release(study: Study, folder: Path, version: str = "1.0.0") -> dict[str, Any]:
    """Write the release of every frozen round to a new or empty folder; gives its manifest."""
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: the folder is not empty. Give a new one.")
    with alone_in(folder), study.database.read() as tx:
        rounds = tx.rows(sa.select(round_).where(round_.c.state.in_(("FROZEN", "RELEASED"))).order_by(round_.c.number))
        if not rounds:
            raise UsageError("No round is frozen yet. Freeze one: askew collect freeze STUDY --round 1")
        manifest = _write(tx, study, folder, rounds, version)
    _mark_released(study, rounds, version, folder)
    return manifest


def _write(tx: Tx, study: Study, folder: Path, rounds: Sequence[AnyRow], version: str) -> dict[str, Any]:
    keys = [row.id for row in rounds]
    files = {row.id: row for row in tx.rows(sa.select(image).where(image.c.round_id.in_(keys)))}
    settings = tx.settings
    write_joined(folder / "history.jsonl", (encoded(record) for record in history(tx, keys)))
    write_joined(folder / "examples.csv", _csv_lines(_written(folder)))
    for split in SPLITS:
        chosen = [_released(record, files, settings) for record in _in_split(folder, split)]
        _copy_images(study, folder, files, chosen)
        write_jsonl((_for_jsonl(folder, one) for one in chosen), str(folder / f"{split}.jsonl"))
        _write_vqa(folder, split, chosen)
    facts = _facts(tx, rounds, _written(folder))
    name = tx.value(sa.select(study_table.c.name))
    sheet = datasheet(name, version, facts, settings)
    write_joined(folder / "datasheet.md", [sheet.encode()])
    manifest = {
        "askew_release": FORMAT,
        "name": name,
        "version": version,
        "askew": askew.__version__,
        **facts,
        "settings": asdict(settings),
        "removed": deleted_questions(tx),
        "files": {
            path.relative_to(folder).as_posix(): file_sha256(str(path))
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        },
    }
    text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    write_joined(folder / MANIFEST, [text, b"\n"])
    return manifest


def _written(folder: Path) -> Iterator[Record]:
    """The records of ``history.jsonl``: reading them back is ten times as fast as putting them together again."""
    with open(folder / "history.jsonl", "rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def _in_split(folder: Path, split: str) -> Iterator[Record]:
    """The released questions of a split; what was deleted after the freeze is out."""
    return (one for one in _written(folder) if one["split"] == split and one["question"] is not None)


def _released(record: Record, files: dict[int, AnyRow], settings: StudySettings) -> Released:
    """A question of a split: its author's and its verifiers' answers, or for type A the robot's.

    Type A was never verified: the robot's answer counts for all, and everybody is ``maybe``.
    """
    row = files[record["image"]]
    picture = ImageRef(row.id, f"images/{row.id}{row.suffix}", None, row.sha256, (row.width, row.height))
    if record["type"] == "A":
        answers = [record["robot"]["answer"]] * (settings.verifiers_per_question + 1)
        sure = ["maybe"] * len(answers)
    else:
        counted = sorted((one for one in record["verifications"] if one["slot"]), key=lambda one: one["slot"])
        answers = [record["judgement"]["answer"], *(one["answer"] for one in counted)]
        own = record["judgement"]["confidence"] or "yes"
        sure = [own, *(one["confidence"] for one in counted)]
    tags = (("domain", record["domain"]), ("round", str(record["round"])))
    asked = Question(
        record["id"],
        picture,
        record["question"],
        tuple(answers),
        Kind(_answer_type(answers), question_type(record["question"])),
        confidences=tuple(sure),
        tags=tuple(pair for pair in tags if pair[1]),
    )
    return Released(asked, record["type"], record["type"] != "A")


def _answer_type(answers: Sequence[str]) -> str:
    """yes/no, number or other, by the most frequent answer.

    >>> _answer_type(["Yes.", "yes", "2"]), _answer_type(["two", "2", "red"]), _answer_type(["red"])
    ('yes/no', 'number', 'other')
    """
    answer = modal_answer(answers, normalise)
    if answer in ("yes", "no"):
        return "yes/no"
    return "number" if answer and set(answer) <= _NUMBERS else "other"


def _for_jsonl(folder: Path, one: Released) -> Question:
    """With the image's path in the folder; a type A answer stands once, since one robot gave it."""
    assert one.question.image is not None
    place = replace(one.question.image, path=str(folder / (one.question.image.path or "")))
    if one.verified:
        return replace(one.question, image=place)
    return replace(one.question, image=place, answers=one.question.answers[:1], confidences=("maybe",))


def _write_vqa(folder: Path, split: str, chosen: Iterable[Released]) -> None:
    """The VQA v2 pair of files; annotations say of each question whether people verified it, and its type."""
    asked, answered = [], []
    for one in chosen:
        question = one.question
        assert question.image is not None
        asked.append({"question_id": question.id, "image_id": question.image.id, "question": question.text})
        pairs = zip(question.answers, question.confidences, strict=True)
        answered.append(
            {
                "question_id": question.id,
                "image_id": question.image.id,
                "question_type": question.kind.question_type,
                "answer_type": question.kind.answer_type,
                "multiple_choice_answer": modal_answer(question.answers, str),
                "answers": [
                    {"answer": answer, "answer_confidence": sure, "answer_id": place}
                    for place, (answer, sure) in enumerate(pairs, 1)
                ],
                "verified": one.verified,
                "type": one.kind,
                **dict(question.tags),
            }
        )
    about = {"info": {"description": "collected with askew"}, "data_type": "askew", "data_subtype": split}
    for name, key, records in (("questions", "questions", asked), ("annotations", "annotations", answered)):
        whole = orjson.dumps({**about, key: records}) + b"\n"
        write_joined(folder / "vqa" / f"{split}_{name}.json", [whole])


def _copy_images(study: Study, folder: Path, files: dict[int, AnyRow], chosen: Iterable[Released]) -> None:
    (folder / "images").mkdir(exist_ok=True)
    for key in sorted({one.question.image.id for one in chosen if one.question.image is not None}):
        row = files[int(key)]
        target = folder / "images" / f"{row.id}{row.suffix}"
        shutil.copyfile(study.image_path(row.sha256, row.suffix), target)


COLUMNS = (
    *("id", "round", "image", "domain", "split", "type", "author", "try", "question", "robot_model", "robot_answer"),
    *("verdict", "correct_answer", "seconds", "verifications", "text_rule_removed"),
)
"""Of examples.csv."""


def _csv_lines(records: Iterable[Record]) -> Iterator[bytes]:
    """One line for each question; a cell that a spreadsheet would run as a formula gets an apostrophe."""
    yield _csv_row(COLUMNS)
    for record in records:
        robot, judged = record["robot"] or {}, record["judgement"] or {}
        said = "; ".join(f"{one['answer']} ({one['confidence']})" for one in record["verifications"] if one["slot"])
        cells = {
            **record,
            "robot_model": robot.get("model"),
            "robot_answer": robot.get("answer"),
            "verdict": judged.get("verdict"),
            "correct_answer": judged.get("answer"),
            "seconds": judged.get("seconds"),
            "verifications": said,
        }
        yield _csv_row([cells[name] for name in COLUMNS])


def _csv_row(values: Iterable[Any]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([csv_cell(value) for value in values])
    return buffer.getvalue().encode("utf-8", "replace")


def csv_cell(value: Any) -> str:
    """A value as a cell that no spreadsheet runs.

    >>> csv_cell("=1+1"), csv_cell(None), csv_cell(-1)
    ("'=1+1", '', '-1')
    """
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    return "" if value is None else str(value)


def _facts(tx: Tx, rounds: Sequence[AnyRow], records: Iterable[Record]) -> dict[str, Any]:
    """Counts and hashes of each round, for the manifest and the datasheet."""
    types: Counter[tuple[int, str]] = Counter()
    splits: Counter[tuple[int, str]] = Counter()
    authors: Counter[tuple[int, str]] = Counter()
    over_cap: Counter[int] = Counter()
    people: set[str] = set()
    for record in records:
        authors[record["round"], record["author"]] += record["split"] == "train"
        over_cap[record["round"]] += _is_over_cap(record)
        is_out = record["question"] is None  # removed before the freeze, or deleted afterwards
        types[record["round"], "U" if is_out else record["type"]] += 1
        if record["split"] and not is_out:
            splits[record["round"], record["split"]] += 1
        people |= {record["author"], *(one["annotator"] for one in record["verifications"])}
    images = dict(
        tuple(row) for row in tx.rows(sa.select(image.c.round_id, sa.func.count()).group_by(image.c.round_id))
    )
    models = [{"name": row.name, "spec": row.spec} for row in tx.rows(sa.select(model).order_by(model.c.id))]
    return {
        "people": len(people),
        "models": models,
        "rounds": [
            {
                "round": row.number,
                "images": images.get(row.id, 0),
                "seed": row.freeze_seed,
                "snapshot": row.snapshot,
                "types": {kind: types[row.number, kind] for kind in "ABCDEU"},
                "splits": {split: splits[row.number, split] for split in SPLITS},
                "train_over_cap": over_cap[row.number],
                "train_largest_author_percent": _largest_percent(authors, row.number),
            }
            for row in rounds
        ],
    }


def _is_over_cap(record: Record) -> bool:
    """Whether a question would be in train, had its author not too large a share of it."""
    return record["image_split"] == "train" and record["split"] is None and record["type"] in "ACE"


def _largest_percent(authors: Counter[tuple[int, str]], number: int) -> float:
    """The share of a round's train questions that one author wrote, when the round was frozen."""
    counts = [count for (round_number, _), count in authors.items() if round_number == number]
    return round(100 * max(counts, default=0) / (sum(counts) or 1), 3)


def _mark_released(study: Study, rounds: Sequence[AnyRow], version: str, folder: Path) -> None:
    """Move frozen rounds on, and keep the hash of the manifest."""
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    with study.database.write() as tx:
        for row in rounds:
            if row.state == "FROZEN":
                move_round(tx, row.id, "FROZEN", "RELEASED", None)
        if tx.first(sa.select(snapshot.c.id).where(snapshot.c.version == version)) is None:
            numbers = json.dumps([row.number for row in rounds])
            tx.insert(snapshot, version=version, rounds=numbers, manifest_sha256=digest, removed="[]", at=tx.now)
