"""CARETS pairs in the format of the authors' release: one JSON list for each test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import orjson

from askew.files.read_write import replaced
from askew.types import Group, Question, Variant

SUFFIXES = {
    "REPHRASE-INV": "t",
    "ORDER-INV": "s",
    "ONTOLOGICAL-INV": "h",
    "NEGATION-DIR": "n",
    "ANTONYM-DIR": "a",
    "VISUAL-INV": "v",
}
"""The suffix of the id of a changed question. The release has none for changed images; ``v1``, ... is an addition."""


def write_release(groups: Iterable[Group], folder: str | Path) -> list[str]:
    """Write ``rephrase_inv.json``, ``order_inv.json``, ... into a folder; returns their paths.

    A file lists ``{"img_id", "label": {answer: 1.0}, "question_id", "sent", "question_type", "assignment"}``, an
    original before its variants. An id is ``IMAGE-CANDIDATE-TEMPLATE``; a changed question has the id of its
    original and a suffix (``-t`` rephrased, ``-s`` swapped, ``-h`` ontology, ``-n`` negated, ``-a`` antonym), and
    ``new_template_number``. Changed images (``-v1``, ...) have an ``img_id`` of their own.
    """
    paths: list[str] = []
    candidates: Counter[tuple[str, object]] = Counter()
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for group in groups:
            test = group.variants[0].test
            if test not in files:
                path = Path(folder) / f"{test.lower().replace('-', '_')}.json"
                paths.append(str(path))
                files[test] = stack.enter_context(replaced(path))
            image = _image(group.original)
            candidates[test, image] += 1
            for record in _records(group, f"{image}-{candidates[test, image]}"):
                files[test].write((b",\n" if files[test].tell() else b"[\n") + orjson.dumps(record))
        for file in files.values():
            file.write(b"\n]\n")
    return paths


def _records(group: Group, candidate: str) -> Iterator[dict[str, Any]]:
    """The original, then its variants."""
    first = group.variants[0].note.get("template", [0])[0]
    key = f"{candidate}-{first}"
    yield _record(group.original, key, group.variants[0])
    for place, variant in enumerate(group.variants, 1):
        letter = SUFFIXES[variant.test]
        suffix = f"{letter}{place}" if variant.test == "VISUAL-INV" else letter
        record = _record(variant.question, f"{key}-{suffix}", variant)
        yield record | {"new_template_number": variant.note.get("template", [first, first])[-1]}


def _record(question: Question, key: str, variant: Variant) -> dict[str, Any]:
    return {
        "img_id": _image(question),
        "label": dict.fromkeys(question.answers, 1.0),
        "question_id": key,
        "sent": question.text,
        "question_type": question.kind.question_type,
        "assignment": variant.note.get("arguments", {}),
    }


def _image(question: Question) -> object:
    return question.image.id if question.image else question.id
