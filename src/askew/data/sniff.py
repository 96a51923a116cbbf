"""What a JSON file is, from its beginning."""

from __future__ import annotations

from askew.data.stream import Glimpse, glimpse
from askew.errors import DataError


def format_of(path: str) -> str:
    """``vqa``, ``gqa``, ``jsonl``, ``groups``; or what else it is: ``annotations``, ``scenes``, ``results``, ``""``."""
    return _format(glimpse(path))


def may_be(path: str, kind: str) -> bool:
    """Whether a file is of this kind, or cannot be told (reading it then says why)."""
    try:
        return format_of(path) in (kind, "")
    except DataError:
        return True


def _format(shape: Glimpse) -> str:
    keys, inner = set(shape.keys), set(shape.inner)
    if {"group", "original"} <= keys:
        return "groups"
    if "question" in keys:
        return "vqa" if shape.top == "[" and "question_id" in keys and "image" not in keys else "jsonl"
    if {"question_id", "answers"} <= keys or "annotations" in keys:
        return "annotations"
    if keys & {"id", "question_id", "questionId"} and keys & {"answer", "prediction"}:
        return "results"
    if "questions" in keys:
        return "vqa"
    if "imageId" in inner:
        return "gqa"
    return "scenes" if "objects" in inner else ""
