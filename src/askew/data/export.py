"""Export groups as questions for other harnesses: lmms-eval, VLMEvalKit, plain JSONL for programs and CSV for people.

A row is a distinct question of the groups, with all ids that its answer belongs to; ``ids.jsonl`` maps the rows of an
export to these ids. ``lmms_eval_task.py`` is copied beside a task for lmms-eval.
"""

from __future__ import annotations

import csv
import io
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import orjson

from askew.answers.choices import as_asked
from askew.answers.normalise import modal_answer
from askew.errors import DataError, UsageError
from askew.files.images import content_hashes, image_bytes
from askew.files.read_write import csv_line, write_joined
from askew.files.records import line
from askew.types import Group, Id, ImageRef, Question

ANSWER_PROMPT = "\nAnswer the question using a single word or phrase."
"""The prompt after every question, so that models answer as briefly as people did."""

IDS = "askew_ids"
"""The column with the ids of a row as JSON, so that 7 stays 7 and "7" stays "7"."""

Format: TypeAlias = Literal["lmms-eval", "vlmevalkit", "jsonl", "csv"]
FORMATS: tuple[str, ...] = get_args(Format)
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_MARK = b"\xef\xbb\xbf"
"""The byte order mark by which Excel recognises UTF-8."""
_Content = tuple[str, str, str]
"""A hash of the images, the text and the context of a question."""


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One question of an export."""

    question: Question
    ids: tuple[Id, ...]
    """The ids of the questions with this text and image."""
    category: str
    """``original``, or the test of the variant that it occurred as first."""

    @property
    def encoded_ids(self) -> str:
        """The ids as a string for a cell of a table.

        >>> ExportRow(Question(7, None, "Is it?"), (7, "7/rad"), "original").encoded_ids
        '[7,"7/rad"]'
        """
        return orjson.dumps(self.ids).decode()

    @property
    def answer(self) -> str:
        """People's most frequent answer."""
        return modal_answer(self.question.answers, str)

    @property
    def prompt(self) -> str:
        """The context and the question.

        >>> ExportRow(Question(7, None, "Is it red?", context="There is a bus."), (7,), "original").prompt
        'There is a bus.\\nIs it red?'
        """
        return "\n".join(part for part in (self.question.context, self.question.text) if part)

    def image_files(self) -> list[str]:
        """The full paths of its image files, in order."""
        images = self.question.images
        if not images or not all(image.path for image in images):
            raise DataError(
                f"question {self.question.id!r} has no image, and a harness needs one. "
                "Give the folder of images (--images)."
            )
        return [os.path.abspath(str(image.path)) for image in images]


def each_question(groups: Iterable[Group]) -> Iterator[ExportRow]:
    """Every id once, in the order of the groups."""
    seen: dict[Id, _Content] = {}
    for question, category in _members(groups):
        if _is_new(seen, question, _content(question)):
            yield ExportRow(question, (question.id,), category)


def distinct_questions(groups: Iterable[Group]) -> list[ExportRow]:
    """Every distinct image, question and context once, in the order of the groups.

    >>> cat = Question(1, ImageRef("a"), "Is it a cat?")
    >>> groups = [Group(1, "x", cat), Group(2, "x", replace(cat, id="1")), Group(3, "y", cat)]
    >>> [row.ids for row in distinct_questions(groups)]
    [(1, '1')]
    """
    seen: dict[Id, _Content] = {}
    found: dict[_Content, ExportRow] = {}
    for question, category in _members(groups):
        content = _content(question)
        if not _is_new(seen, question, content):
            continue
        first = found.get(content)
        if first is None:
            found[content] = ExportRow(question, (question.id,), category)
        else:
            found[content] = replace(first, ids=(*first.ids, question.id))
    return list(found.values())


def _members(groups: Iterable[Group]) -> Iterator[tuple[Question, str]]:
    for group in groups:
        yield replace(as_asked(group.original), scene=None), "original"
        for variant in group.variants:
            yield replace(as_asked(variant.question), scene=None), variant.test or "variant"


def _content(question: Question) -> _Content:
    return content_hashes(question.images), question.text, question.context


def _is_new(seen: dict[Id, _Content], question: Question, content: _Content) -> bool:
    """Whether this id is new; an id must always belong to the same question."""
    before = seen.setdefault(question.id, content)
    if before is content:
        return True
    if before != content:
        raise DataError(
            f"the id {question.id!r} belongs to two questions: {before[1]!r} and {question.text!r} (or one question "
            "about two images), so an answer to it would be ambiguous. Give questions different ids."
        )
    return False


def _image_names(question: Question) -> list[Id]:
    """The paths of a question's images, or the id of one whose path is unknown."""
    return [image.id if image.path is None else os.path.abspath(image.path) for image in question.images]


@dataclass(frozen=True)
class Exported:
    """The result of an export."""

    questions: int
    ids: int
    """The number of ids: more than questions if several questions have the same text and image."""
    files: tuple[Path, ...]


def export(
    groups: Iterable[Group],
    folder: str | Path,
    format: Format,  # noqa: A002
    name: str = "askew",
    prompt: str | None = None,
    inline: bool = True,
    overwrite: bool = False,
) -> Exported:
    """Write the questions of groups for another harness, and ``ids.jsonl``, the map from its rows to our ids.

    ``name`` is what the harness calls the task; ``prompt`` follows each question (by default
    ``ANSWER_PROMPT``; not in plain JSONL and CSV); ``inline`` puts images into VLMEvalKit's table instead of their
    paths. Other files, including those of another export, are only replaced with ``overwrite``.
    """
    folder = Path(folder)
    if format not in FORMATS:
        raise UsageError(f"No format is called {format!r}. Known: {', '.join(FORMATS)}.")
    if not _NAME.fullmatch(name):
        raise UsageError(f"The name {name!r} may only have letters, digits, - and _: it names a file and a task.")
    suffix = ANSWER_PROMPT if prompt is None else prompt
    rows: list[ExportRow] = list(each_question(groups)) if format == "jsonl" else distinct_questions(groups)
    if not rows:
        raise DataError("There are no groups to export. Check the file.")
    ids = folder / "ids.jsonl"
    id_lines = [line({"index": index, "ids": row.ids}) for index, row in enumerate(rows)]
    if not overwrite:
        _refuse_others(folder, name, ids, id_lines)
    if format in ("jsonl", "csv"):
        if prompt:
            raise UsageError("Plain JSONL and CSV contain only the questions; add the prompt where you ask them.")
        written = (_write_plain if format == "jsonl" else _write_sheet)(rows, folder, name)
    elif format == "lmms-eval":
        written = _write_lmms_eval(rows, folder, name, suffix)
    else:
        written = _write_vlmevalkit(rows, folder, name, suffix, inline)
    write_joined(ids, id_lines)
    return Exported(len(rows), sum(len(row.ids) for row in rows), (*written, ids))


def _refuse_others(folder: Path, name: str, ids: Path, id_lines: Sequence[bytes]) -> None:
    """Refuse to replace files, except those of an earlier export of the same questions (by ``ids.jsonl``)."""
    instead = "Give another folder as --output, or add --overwrite to replace it."
    if ids.exists():
        if not ids.is_file() or ids.read_bytes() != b"".join(id_lines):
            raise UsageError(f"{ids}: this file belongs to an export of other questions. {instead}")
        return
    for file in (f"{name}.jsonl", f"{name}.csv", f"{name}.tsv", f"{name}.yaml", "questions.jsonl", "utils.py"):
        if (folder / file).exists():
            raise UsageError(f"{folder / file}: this file does not belong to an export. {instead}")


def _write_plain(rows: Iterable[ExportRow], folder: Path, name: str) -> list[Path]:
    """Write ``NAME.jsonl``; returns its path. Answers are lines of ``{"id", "answer"}`` with the same ids."""
    path = folder / f"{name}.jsonl"
    write_joined(path, (line(_plain_row(row)) for row in rows))
    return [path]


def _plain_row(row: ExportRow) -> dict[str, Any]:
    question, images = row.question, _image_names(row.question)
    fields = {
        "id": question.id,
        "image": images[0] if len(images) == 1 else None,
        "images": images if len(images) > 1 else None,
        "question": question.text,
        "context": question.context or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _write_sheet(rows: Sequence[ExportRow], folder: Path, name: str) -> list[Path]:
    """Write ``NAME.csv``; returns its path. ``askew score`` reads it filled in; an empty cell is a missing answer."""
    path = folder / f"{name}.csv"
    write_joined(path, _sheet_lines(rows), _MARK)
    return [path]


def _sheet_lines(rows: Sequence[ExportRow]) -> Iterator[bytes]:
    yield csv_line([IDS, "image", "question", "answer"])
    for row in rows:
        yield csv_line([row.encoded_ids, "|".join(map(str, _image_names(row.question))), row.prompt, ""])


def _write_lmms_eval(rows: Sequence[ExportRow], folder: Path, name: str, prompt: str) -> list[Path]:
    """Write ``NAME.yaml``, ``utils.py`` and ``questions.jsonl``; returns their paths.

    All columns are strings, and the paths a list, since a column of a dataset must have one type.
    """
    questions, task, functions = folder / "questions.jsonl", folder / f"{name}.yaml", folder / "utils.py"
    write_joined(questions, (line(_lmms_eval_row(row)) for row in rows))
    here = files("askew.data")
    template = here.joinpath("lmms_eval_task.yaml").read_text(encoding="utf-8")
    text = template.format(task=name, questions=_quoted(str(questions.resolve())), prompt=_quoted(prompt))
    write_joined(task, [text.encode()])
    write_joined(functions, [here.joinpath("lmms_eval_task.py").read_bytes()])
    return [task, functions, questions]


def _quoted(text: str) -> str:
    """A JSON string, which is also a valid YAML string."""
    return orjson.dumps(text).decode()


def _lmms_eval_row(row: ExportRow) -> dict[str, Any]:
    return {
        IDS: row.encoded_ids,
        "question": row.prompt,
        "answer": row.answer,
        "category": row.category,
        "image_paths": row.image_files(),
    }


def _write_vlmevalkit(rows: Sequence[ExportRow], folder: Path, name: str, prompt: str, inline: bool) -> list[Path]:
    """Write ``NAME.tsv``; returns its path.

    VLMEvalKit reads a file of that name in ``$LMUData`` as an open-ended data set, and keeps every column except the
    image in its prediction file. A repeated image is replaced by the index of its first row, as VLMEvalKit expects.
    Several images are a list in a cell, which needs another column with their names.
    """
    table = folder / f"{name}.tsv"
    write_joined(table, _table_lines(rows, prompt, inline))
    return [table]


def _table_lines(rows: Sequence[ExportRow], prompt: str, inline: bool) -> Iterator[bytes]:
    names, first_at = inline and any(row.question.more_images for row in rows), dict[tuple[str, ...], int]()
    columns = ["image" if inline else "image_path", *(["image_path"] if names else [])]
    yield _table_line(["index", IDS, *columns, "question", "answer", "category"])
    for index, row in enumerate(rows):
        paths = row.image_files()
        cells = [_listed(paths)]
        if inline:
            before = first_at.setdefault(tuple(paths), index)
            contents = (b64encode(image_bytes(ImageRef(row.question.id, path))).decode() for path in paths)
            cells = [_listed(list(contents)) if before == index else str(before)]
        if names:
            cells.append(_listed([f"{index}_{place}.jpg" for place in range(1, len(paths) + 1)]))
        yield _table_line([str(index), row.encoded_ids, *cells, row.prompt + prompt, row.answer, row.category])


def _listed(items: list[str]) -> str:
    """A cell with the only item, or with the text of a list."""
    return items[0] if len(items) == 1 else orjson.dumps(items).decode()


def _table_line(cells: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab", lineterminator="\r\n").writerow(cells)  # so that cells with either are quoted
    return text.getvalue().removesuffix("\r\n").encode() + b"\n"
