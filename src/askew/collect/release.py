"""A release: the folder that is published, and its datasheet.

The files that have a line or an entry for each question are written together, one question at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
from jinja2 import Environment, PackageLoader, StrictUndefined

import askew
from askew.answers.normalise import answer_type, modal_answer, normalise
from askew.collect.database import AnyRow, Tx
from askew.collect.form_fields import fields_of
from askew.collect.history import Record, encoded, history, published, withheld_questions
from askew.collect.moderation import deleted_after_release
from askew.collect.protocol import StudySettings, differences
from askew.collect.robots import usable_spec, without_secrets
from askew.collect.rounds import CLOSED, move_round, trainings
from askew.collect.schema import SPLITS, annotator, gold_result, image, model, round_, snapshot
from askew.collect.schema import study as study_table
from askew.collect.study import Study
from askew.errors import DataError, UsageError
from askew.files.paths import public_word
from askew.files.read_write import alone_in, csv_line, file_sha256, replaced, write_joined
from askew.files.records import line, question_record
from askew.types import ImageRef, Kind, Question
from askew.world.phrasing import question_type

RELEASE_FORMAT = 2
MANIFEST = "release.json"
COLUMNS = (
    *("id", "round", "image", "domain", "split", "type", "author", "try", "question", "robot_model", "robot_answer"),
    *("verdict", "correct_answer", "seconds", "verifications", "text_rule_removed"),
    *(f"author_{one.name}" for one in fields_of("judgement")),
)
"""The columns of examples.csv."""


def release(study: Study, folder: Path, version: str = "1.0.0") -> dict[str, Any]:
    """Write the release of every frozen round to a new or empty folder; returns its manifest."""
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: the folder is not empty. Give a new one.")
    with alone_in(folder), study.database.read() as tx:
        rounds = tx.rows(sa.select(round_).where(round_.c.state.in_(CLOSED)).order_by(round_.c.number))
        if not rounds:
            raise UsageError("No round is frozen yet. Freeze one: askew collect freeze STUDY --round 1")
        same = tx.first(sa.select(snapshot.c.id).where(snapshot.c.version == version))
        if same is not None and (gone := deleted_after_release(tx, unpatched=True)):
            raise UsageError(
                f"Version {version} was exported with {len(gone)} questions that were deleted since. Give the patch a "
                "new version, e.g. --version 1.0.1"
            )
        manifest = _write_release(tx, study, folder, rounds, version)
    _mark_released(study, rounds, version, folder, manifest["removed"])
    return manifest


def _write_release(tx: Tx, study: Study, folder: Path, rounds: Sequence[AnyRow], version: str) -> dict[str, Any]:
    counts, images = _write_questions(tx, study, folder, [row.id for row in rounds])
    facts, settings = _facts(tx, rounds, counts), tx.settings
    name = tx.value(sa.select(study_table.c.name))
    write_joined(folder / "datasheet.md", [datasheet(name, version, facts, settings).encode()])
    manifest = {
        "askew_release": RELEASE_FORMAT,
        "name": name,
        "version": version,
        "askew": askew.__version__,
        **facts,
        "settings": asdict(settings),
        "removed": deleted_after_release(tx),
        "files": _hashes(folder, images),
    }
    text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    write_joined(folder / MANIFEST, [text, b"\n"])
    return manifest


def _write_questions(
    tx: Tx, study: Study, folder: Path, round_ids: Sequence[int]
) -> tuple[ReleaseCounts, dict[str, str]]:
    """Write history, examples.csv, the files of each split and their images; returns the counts, and the hashes of
    the images by their paths. The files appear when everything has been written."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    rows = {row.id: row for row in tx.rows(sa.select(image).where(image.c.round_id.in_(round_ids)))}
    settings, counts, withheld = tx.settings, ReleaseCounts(), withheld_questions(tx, round_ids)
    images: dict[str, str] = {}
    commas = dict.fromkeys(SPLITS, b"")
    vqa = [(split, part, f"vqa/{split}_{part}.json") for split in SPLITS for part in ("questions", "annotations")]
    names = ["history.jsonl", "examples.csv", *(f"{split}.jsonl" for split in SPLITS), *(name for *_, name in vqa)]
    with ExitStack() as stack:
        files = {name: stack.enter_context(replaced(folder / name)) for name in names}
        files["examples.csv"].write(csv_line(COLUMNS))
        for split, part, name in vqa:
            about = {"info": {"description": "collected with askew"}, "data_type": "askew", "data_subtype": split}
            files[name].write(orjson.dumps(about)[:-1] + f',"{part}":['.encode())
        for record in history(tx, round_ids):
            counts.add(record, record["id"] in withheld)
            shown = published(record, withheld)
            if shown is None:
                continue
            files["history.jsonl"].write(encoded(shown))
            files["examples.csv"].write(_csv_line(shown))
            if (split := shown["split"]) is None:
                continue
            row = rows[shown["image"]]
            if _image_path(row) not in images:
                images[_image_path(row)] = _copy_image(study, row, folder)
            question = released_question(shown, row, settings)
            asked = {"question_id": question.id, "image_id": row.id, "question": question.text}
            files[f"{split}.jsonl"].write(_jsonl(question, shown["type"]))
            files[f"vqa/{split}_questions.json"].write(commas[split] + orjson.dumps(asked))
            annotation = orjson.dumps(_annotation(question, shown["type"]))
            files[f"vqa/{split}_annotations.json"].write(commas[split] + annotation)
            commas[split] = b","
        for *_, name in vqa:
            files[name].write(b"]}\n")
    return counts, images


def _copy_image(study: Study, row: AnyRow, folder: Path) -> str:
    """Copy an image into the release; returns its hash."""
    source = study.image_path(row.sha256, row.suffix)
    content = source.read_bytes()
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise DataError(
            f"{source}: the file of image {row.id} ({row.name!r}) is not the one that people saw: its hash "
            "differs. Restore it from a backup, then export again."
        )
    (folder / _image_path(row)).write_bytes(content)
    return str(row.sha256)


def _jsonl(question: Question, kind: str) -> bytes:
    """A question as a line; the robot's answer to a question of type A, which nobody verified, is there once."""
    record = question_record(question)
    if kind == "A":
        record |= {"answers": question.answers[:1], "confidences": question.confidences[:1]}
    return line(record)


def _hashes(folder: Path, images: Mapping[str, str]) -> dict[str, str]:
    """The hash of every file; those of images are known already."""
    names = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return {name: images.get(name) or file_sha256(str(folder / name)) for name in names}


def _mark_released(study: Study, rounds: Sequence[AnyRow], version: str, folder: Path, removed: Sequence[int]) -> None:
    """Mark frozen rounds as released, and store the hash of the manifest."""
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    with study.database.write() as tx:
        for row in rounds:
            if row.state == "FROZEN":
                move_round(tx, row.id, "FROZEN", "RELEASED", None)
        if tx.first(sa.select(snapshot.c.id).where(snapshot.c.version == version)) is None:
            numbers = json.dumps([row.number for row in rounds])
            gone = json.dumps(list(removed))
            tx.insert(snapshot, version=version, rounds=numbers, manifest_sha256=digest, removed=gone, at=tx.now)


def questions_to_ask(folder: Path) -> Path | None:
    """The data for ``askew run``: the release, or a split if it has no test questions; None if it has no questions."""
    filled = [split for split in ("test", "dev", "train") if (folder / f"{split}.jsonl").stat().st_size]
    if not filled:
        return None
    return folder if filled[0] == "test" else folder / f"{filled[0]}.jsonl"


class ReleaseCounts:
    """The counts of each round for the manifest and the datasheet, taken while questions are written."""

    def __init__(self) -> None:
        self.types: Counter[tuple[int, str]] = Counter()
        self.splits: Counter[tuple[int, str]] = Counter()
        self.authors: Counter[tuple[int, str]] = Counter()
        """Train questions by round and author."""
        self.over_cap: Counter[int] = Counter()
        self.withheld: Counter[int] = Counter()
        """Questions that no file contains."""
        self.deleted: Counter[int] = Counter()
        """Of these, questions that were deleted after the freeze."""
        self.people: set[str] = set()

    def add(self, record: Record, withheld: bool) -> None:
        """Count a question; one that is withheld is only a number, of type U."""
        number = record["round"]
        self.authors[number, record["author"]] += record["split"] == "train"
        is_left_out = record["image_split"] == "train" and record["split"] is None and record["type"] in "ACE"
        self.over_cap[number] += is_left_out  # its author has too large a share of train
        self.types[number, "U" if withheld else record["type"]] += 1
        if withheld:
            self.withheld[number] += 1
            self.deleted[number] += record["type"] != "U"
            return
        if record["split"]:
            self.splits[number, record["split"]] += 1
        self.people.add(record["author"])
        self.people.update(one["annotator"] for one in record["verifications"] if not one["excluded"])


def _facts(tx: Tx, rounds: Sequence[AnyRow], counts: ReleaseCounts) -> dict[str, Any]:
    """Counts and hashes of each round, for the manifest and the datasheet."""
    images = dict(
        tuple(row) for row in tx.rows(sa.select(image.c.round_id, sa.func.count()).group_by(image.c.round_id))
    )
    models = [
        {"name": row.name, "spec": public_word(without_secrets(usable_spec(row.spec, Path("/study"))))}  # and no folder
        for row in tx.rows(sa.select(model).order_by(model.c.id))
    ]
    largest = {}
    for row in rounds:
        wrote = [count for (number, _), count in counts.authors.items() if number == row.number]
        largest[row.number] = round(100 * max(wrote, default=0) / (sum(wrote) or 1), 3)
    simulated = {row.pseudonym for row in tx.rows(sa.select(annotator.c.pseudonym).where(annotator.c.simulated))}
    return {
        "people": len(counts.people),
        "simulated": len(counts.people & simulated),
        "gold": tx.count(gold_result),
        "models": models,
        "trainings": trainings(tx, [row.number for row in rounds]),
        "rounds": [
            {
                "round": row.number,
                "images": images.get(row.id, 0),
                "seed": row.freeze_seed,
                "snapshot": row.snapshot,
                "types": {kind: counts.types[row.number, kind] for kind in "ABCDEU"},
                "withheld": counts.withheld[row.number],
                "deleted": counts.deleted[row.number],
                "splits": {split: counts.splits[row.number, split] for split in SPLITS},
                "train_over_cap": counts.over_cap[row.number],
                "train_largest_author_percent": largest[row.number],
            }
            for row in rounds
        ],
    }


def _csv_line(record: Record) -> bytes:
    """One line for each question; no cell is run as a formula by a spreadsheet."""
    robot, judged = record["robot"] or {}, record["judgement"] or {}
    answers = "; ".join(
        f"{one['answer']} ({', '.join(str(one[field.name]) for field in fields_of('verification'))})"
        for one in record["verifications"]
        if one["slot"]
    )
    cells = {
        **record,
        "robot_model": robot.get("model"),
        "robot_answer": robot.get("answer"),
        "verdict": judged.get("verdict"),
        "correct_answer": judged.get("answer"),
        "seconds": judged.get("seconds"),
        "verifications": answers,
        **{f"author_{one.name}": judged.get(one.name) for one in fields_of("judgement")},
    }
    return csv_line([cells[name] for name in COLUMNS])


def _annotation(question: Question, kind: str) -> dict[str, Any]:
    assert question.image is not None
    pairs = zip(question.answers, question.confidences, strict=True)
    return {
        "question_id": question.id,
        "image_id": question.image.id,
        "question_type": question.kind.question_type,
        "answer_type": question.kind.answer_type,
        "multiple_choice_answer": modal_answer(question.answers, str),
        "answers": [
            {"answer": answer, "answer_confidence": sure, "answer_id": place}
            for place, (answer, sure) in enumerate(pairs, 1)
        ],
        "verified": kind != "A",
        "type": kind,
        **dict(question.tags),
    }


def released_question(record: Record, row: AnyRow, settings: StudySettings) -> Question:
    """A question of a split: its author's and its verifiers' answers, or for type A the robot's.

    Type A was never verified: the robot's answer is given for everybody, with the confidence ``maybe``.
    """
    if record["type"] == "A":
        answers = [record["robot"]["answer"]] * (settings.verifiers_per_question + 1)
        sure = ["maybe"] * len(answers)
    else:
        counted = sorted((one for one in record["verifications"] if one["slot"]), key=lambda one: one["slot"])
        answers = [record["judgement"]["answer"], *(one["answer"] for one in counted)]
        sure = [record["judgement"]["confidence"] or "yes", *(one["confidence"] for one in counted)]
    tags = (("attack", record.get("attack", "")), ("domain", record["domain"]), ("round", str(record["round"])))
    return Question(
        record["id"],
        ImageRef(row.id, _image_path(row), None, row.sha256, (row.width, row.height)),
        record["question"],
        tuple(answers),
        Kind(answer_type(modal_answer(answers, normalise)) or "other", question_type(record["question"])),
        confidences=tuple(sure),
        tags=tuple(pair for pair in tags if pair[1]),
    )


def _image_path(row: AnyRow) -> str:
    return f"images/{row.id}{row.suffix}"


def datasheet(name: str, version: str, facts: Mapping[str, Any], settings: StudySettings) -> str:
    """The datasheet as Markdown."""
    environment = Environment(
        loader=PackageLoader("askew.collect"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["percent"] = lambda count, of: f"{100 * count / of:.1f} %" if of else "—"
    values = {"settings": settings, "all_settings": asdict(settings), "differences": differences(settings)}
    return environment.get_template("datasheet.md").render(name=name, version=version, **facts, **values)
