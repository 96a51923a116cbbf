"""A TSV for VLMEvalKit: one row per question, its image inside (base64) or by path."""

from __future__ import annotations

import csv
import io
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path

from askew.data.export.export_rows import IDS, ExportRow
from askew.files.images import image_bytes
from askew.files.read_write import write_joined
from askew.types import ImageRef


def write_vlmevalkit(asked: Sequence[ExportRow], folder: Path, name: str, prompt: str, inline: bool) -> list[Path]:
    """Write ``NAME.tsv``; gives its path.

    VLMEvalKit takes a file of that name in ``$LMUData`` as an open-ended data set, and keeps every column but the
    image in its prediction file. An image that came before is named by the index of that row, which it understands.
    """
    table = folder / f"{name}.tsv"
    write_joined(table, _lines(asked, prompt, inline))
    return [table]


def _lines(asked: Sequence[ExportRow], prompt: str, inline: bool) -> Iterator[bytes]:
    first_at: dict[str, int] = {}
    yield _line(["index", IDS, "image" if inline else "image_path", "question", "answer", "category"])
    for index, one in enumerate(asked):
        path = one.picture()
        picture = path
        if inline:
            before = first_at.setdefault(path, index)
            picture = (
                b64encode(image_bytes(ImageRef(one.question.id, path))).decode() if before == index else str(before)
            )
        yield _line([str(index), one.encoded_ids, picture, one.prompt + prompt, one.answer, one.category])


def _line(cells: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab", lineterminator="\r\n").writerow(cells)  # so that either sign is quoted
    return text.getvalue().removesuffix("\r\n").encode() + b"\n"
