"""Plain JSONL for a program of one's own: ``{"id", "image", "question"}``, one line per id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from askew.data.export.rows import Asked, picture_name
from askew.data.write import line
from askew.files.read_write import write_joined


def write_plain(asked: Iterable[Asked], folder: Path, name: str) -> list[Path]:
    """Write ``NAME.jsonl``; gives its path. Answer with ``{"id", "answer"}`` lines, the ids as they are."""
    path = folder / f"{name}.jsonl"
    write_joined(path, (line(_row(one)) for one in asked))
    return [path]


def _row(asked: Asked) -> dict[str, Any]:
    question = asked.question
    row = {
        "id": question.id,
        "image": picture_name(question.image),
        "question": question.text,
        "context": question.context or None,
    }
    return {key: value for key, value in row.items() if value is not None}
