"""The files of a release that have a line or an entry for each question: written together, one question at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import orjson

from askew.answers.normalise import answer_type, modal_answer, normalise
from askew.collect.database import AnyRow
from askew.collect.history import Record, encoded
from askew.collect.schema_parts import SPLITS
from askew.collect.study import Study
from askew.collect.study_settings import StudySettings
from askew.data.write_questions import line
from askew.errors import DataError
from askew.files.read_write import csv_line, replaced
from askew.files.records import question_record
from askew.types import ImageRef, Kind, Question
from askew.world.phrasing import question_type

COLUMNS = (
    *("id", "round", "image", "domain", "split", "type", "author", "try", "question", "robot_model", "robot_answer"),
    *("verdict", "correct_answer", "seconds", "verifications", "text_rule_removed"),
)
"""The columns of examples.csv."""


@dataclass
class ReleaseFiles:
    """History, examples.csv, and the files of each split; ``images`` has the hashes of copied images."""

    study: Study
    folder: Path
    settings: StudySettings
    rows: Mapping[int, AnyRow]
    """Image id to its row."""
    history: IO[bytes]
    examples: IO[bytes]
    splits: Mapping[str, SplitFiles]
    images: dict[str, str] = field(default_factory=dict)
    """Path in the release to SHA-256."""

    def add(self, record: Record) -> None:
        """Write what happened to one question, and the question itself if it is released."""
        self.history.write(encoded(record))
        self.examples.write(_csv_line(record))
        if record["split"] is not None and record["question"] is not None:  # None: deleted after the freeze
            row = self.rows[record["image"]]
            self._copy_image(row)
            self.splits[record["split"]].add(released_question(record, row, self.settings), record["type"])

    def _copy_image(self, row: AnyRow) -> None:
        place = _image_path(row)
        if place in self.images:
            return
        source = self.study.image_path(row.sha256, row.suffix)
        content = source.read_bytes()
        self.images[place] = hashlib.sha256(content).hexdigest()
        if self.images[place] != row.sha256:
            raise DataError(
                f"{source}: the file of image {row.id} ({row.name!r}) is not the one that people saw: its hash "
                "differs. Restore it from a backup, then export again."
            )
        (self.folder / place).write_bytes(content)


@contextmanager
def release_files(
    study: Study, folder: Path, settings: StudySettings, rows: Mapping[int, AnyRow]
) -> Iterator[ReleaseFiles]:
    """All files, open for writing; they appear when everything has been written."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        history, examples = (stack.enter_context(replaced(folder / name)) for name in ("history.jsonl", "examples.csv"))
        splits = {split: stack.enter_context(_split_files(folder, split)) for split in SPLITS}
        examples.write(csv_line(COLUMNS))
        yield ReleaseFiles(study, folder, settings, rows, history, examples, splits)


@dataclass
class SplitFiles:
    """The questions of a split: as JSONL, and as the VQA v2 pair of files."""

    lines: IO[bytes]
    questions: IO[bytes]
    annotations: IO[bytes]
    count: int = 0

    def add(self, question: Question, kind: str) -> None:
        """Write a question; its annotation says whether people verified it, and its type.

        Type A was never verified: the VQA files repeat the robot's answer for everybody, JSONL has it once.
        """
        assert question.image is not None
        comma = b"," if self.count else b""
        self.count += 1
        record = question_record(question)
        if kind == "A":
            record |= {"answers": question.answers[:1], "confidences": question.confidences[:1]}
        self.lines.write(line(record))
        asked = {"question_id": question.id, "image_id": question.image.id, "question": question.text}
        self.questions.write(comma + orjson.dumps(asked))
        self.annotations.write(comma + orjson.dumps(_annotation(question, kind)))


@contextmanager
def _split_files(folder: Path, split: str) -> Iterator[SplitFiles]:
    about = {"info": {"description": "collected with askew"}, "data_type": "askew", "data_subtype": split}
    start = orjson.dumps(about)[:-1]
    with ExitStack() as stack:
        lines = stack.enter_context(replaced(folder / f"{split}.jsonl"))
        asked, answered = (
            stack.enter_context(replaced(folder / "vqa" / f"{split}_{name}.json"))
            for name in ("questions", "annotations")
        )
        asked.write(start + b',"questions":[')
        answered.write(start + b',"annotations":[')
        yield SplitFiles(lines, asked, answered)
        asked.write(b"]}\n")
        answered.write(b"]}\n")


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
    tags = (("domain", record["domain"]), ("round", str(record["round"])))
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


def _csv_line(record: Record) -> bytes:
    """One line for each question; no cell is run as a formula by a spreadsheet."""
    robot, judged = record["robot"] or {}, record["judgement"] or {}
    answers = "; ".join(f"{one['answer']} ({one['confidence']})" for one in record["verifications"] if one["slot"])
    cells = {
        **record,
        "robot_model": robot.get("model"),
        "robot_answer": robot.get("answer"),
        "verdict": judged.get("verdict"),
        "correct_answer": judged.get("answer"),
        "seconds": judged.get("seconds"),
        "verifications": answers,
    }
    return csv_line([cells[name] for name in COLUMNS])
