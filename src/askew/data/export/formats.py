"""Export groups: which format writes which files, and the two plain ones, JSONL for programs and CSV for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from askew.data.export.export_rows import ANSWER_PROMPT, IDS, ExportRow, distinct_questions, each_question, image_name
from askew.data.export.lmms_eval import write_lmms_eval
from askew.data.export.vlmevalkit import write_vlmevalkit
from askew.data.write_questions import line
from askew.errors import DataError, UsageError
from askew.files.read_write import csv_line, write_joined
from askew.types import Group

Format: TypeAlias = Literal["lmms-eval", "vlmevalkit", "jsonl", "csv"]
FORMATS: tuple[str, ...] = get_args(Format)
_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Exported:
    """What was written."""

    questions: int
    ids: int
    """As many as the questions, or more where questions that read alike are asked once."""
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

    ``name`` is what the harness calls the task; ``prompt`` is said after each question (by default
    ``ANSWER_PROMPT``; not in plain JSONL and CSV); ``inline`` puts images into VLMEvalKit's table, not their paths.
    Files of another export, or of others, are replaced only when told to ``overwrite`` them.
    """
    folder = Path(folder)
    if format not in FORMATS:
        raise UsageError(f"No format is called {format!r}. Known: {', '.join(FORMATS)}.")
    if not _NAME.fullmatch(name):
        raise UsageError(f"The name {name!r} must be letters, digits, - and _ alone: it becomes a file and a task.")
    said = ANSWER_PROMPT if prompt is None else prompt
    asked: list[ExportRow] = list(each_question(groups)) if format == "jsonl" else distinct_questions(groups)
    if not asked:
        raise DataError("There are no groups to export. Check the file.")
    ids = folder / "ids.jsonl"
    rows = [line({"index": index, "ids": one.ids}) for index, one in enumerate(asked)]
    if not overwrite:
        _refuse_others(folder, name, ids, rows)
    if format in ("jsonl", "csv"):
        if prompt:
            raise UsageError("Plain JSONL and CSV have the questions alone; say the prompt where you ask them.")
        files = (write_plain if format == "jsonl" else write_sheet)(asked, folder, name)
    elif format == "lmms-eval":
        files = write_lmms_eval(asked, folder, name, said)
    else:
        files = write_vlmevalkit(asked, folder, name, said, inline)
    write_joined(ids, rows)
    return Exported(len(asked), sum(len(one.ids) for one in asked), (*files, ids))


def _refuse_others(folder: Path, name: str, ids: Path, rows: Sequence[bytes]) -> None:
    """Refuse to replace files that are not of an earlier export of the same questions, which ``ids.jsonl`` tells."""
    instead = "Give another folder as --output, or add --overwrite to replace it."
    if ids.exists():
        if not ids.is_file() or ids.read_bytes() != b"".join(rows):
            raise UsageError(f"{ids}: this is of an export of other questions. {instead}")
        return
    for file in (
        f"{name}.jsonl",
        f"{name}.csv",
        f"{name}.tsv",
        f"{name}.csv",
        f"{name}.yaml",
        "questions.jsonl",
        "utils.py",
    ):
        if (folder / file).exists():
            raise UsageError(f"{folder / file}: this file is not of an export. {instead}")


def write_plain(asked: Iterable[ExportRow], folder: Path, name: str) -> list[Path]:
    """Write ``NAME.jsonl``; gives its path. Answer with ``{"id", "answer"}`` lines, the ids as they are."""
    path = folder / f"{name}.jsonl"
    write_joined(path, (line(_row(one)) for one in asked))
    return [path]


def _row(asked: ExportRow) -> dict[str, Any]:
    question = asked.question
    row = {
        "id": question.id,
        "image": image_name(question.image),
        "question": question.text,
        "context": question.context or None,
    }
    return {key: value for key, value in row.items() if value is not None}


_MARK = b"\xef\xbb\xbf"
"""By which Excel knows UTF-8."""


def write_sheet(asked: Sequence[ExportRow], folder: Path, name: str) -> list[Path]:
    """Write ``NAME.csv``; gives its path. Filled in, ``askew score`` takes it; what is left empty has no answer."""
    path = folder / f"{name}.csv"
    write_joined(path, _lines(asked), _MARK)
    return [path]


def _lines(asked: Sequence[ExportRow]) -> Iterator[bytes]:
    yield csv_line([IDS, "image", "question", "answer"])
    for one in asked:
        yield csv_line([one.encoded_ids, str(image_name(one.question.image) or ""), one.prompt, ""])
