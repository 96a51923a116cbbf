"""The pairs the page shows: a stratified sample, the same every time, with what every model said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from askew.report.breaks import BROKE
from askew.report.census import ABSENT, FAILED, Census, became, changed_words, common_answer, words
from askew.report.diff import word_diff
from askew.report.pictures import Album

Record = dict[str, Any]

STRATA = "suite, test, rule and what became of the pair"
"""What the sample is balanced over, as the page says it."""

NOTE_LENGTH = 300
"""Characters of one note that are shown."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs as the page's script reads them, and how many of how many."""

    pairs: list[Record]
    total: int
    album: Album


def choose(census: Census, most: int, wanted: Iterable[int] = ()) -> list[int]:
    """Numbers of at most ``most`` pairs: first those wanted, then from each suite in turn, in it from each test in
    turn, in it from each rule, in it from each pattern of outcomes (those with a break first).
    """
    chosen = list(dict.fromkeys(wanted))[:most]
    tree: dict[int, dict[int, dict[int, dict[int, list[int]]]]] = {}
    for pair, suite, test, rule, pattern in _drawn(census):
        leaf = tree.setdefault(suite, {}).setdefault(test, {}).setdefault(rule, {}).setdefault(pattern, [])
        if len(leaf) < most:
            leaf.append(pair)
    taken = set(chosen)
    for pair in _in_turn(tree):
        if len(chosen) >= most:
            break
        if pair not in taken:
            chosen.append(pair)
    return chosen


def draw_sample(census: Census, numbers: Sequence[int], album: Album) -> Sample:
    """The chosen pairs with their texts, pictures and answers, read from the places the census remembers."""
    lines = [_lines(census, run, numbers) for run in range(len(census.runs))]
    several = len({run.data for run in census.runs}) > 1
    pairs, used = [], set()
    for pair in numbers:
        group, index = int(census.group_of[pair]), int(census.variant_of[pair])
        found = [by_group.get(group) for by_group in lines]
        first = next(number for number, line in enumerate(found) if line is not None)
        record = _pair(found[first] or {}, index, album, census.runs[first].image)
        if several:
            record["data"] = census.runs[first].data
        while record["key"] in used:
            record["key"] += "′"
        used.add(record["key"])
        record["models"] = [line and _answers(line, index) for line in found]
        pairs.append(record)
    return Sample(pairs, census.pairs, album)


def _drawn(census: Census) -> Iterator[list[int]]:
    """Every pair with its suite, test, rule and pattern, in the order of the draw; some at a time, to save memory."""
    columns = np.column_stack([np.arange(census.pairs), census.heads(), _patterns(census)])
    order = np.argsort(census.priority, kind="stable")
    for start in range(0, census.pairs, 50_000):
        yield from columns[order[start : start + 50_000]].tolist()


def _patterns(census: Census) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Which outcomes the models had between them, as bits; negative, so that it goes first, with a break in it."""
    patterns = np.zeros(census.pairs, np.int64)
    broke = np.zeros(census.pairs, bool)
    for codes in census.codes:
        present = codes != ABSENT
        patterns[present] |= np.left_shift(1, codes[present].astype(np.int64))
        broke |= codes == BROKE
    return np.where(broke, -patterns, patterns)


def _in_turn(tree: Any) -> Iterator[int]:
    """One from each branch in turn, each branch doing the same within.

    >>> list(_in_turn({0: {0: [1, 2, 3], 1: [4]}, 1: [5, 6]}))
    [1, 5, 4, 6, 2, 3]
    """
    if isinstance(tree, list):
        yield from tree
        return
    branches = [_in_turn(tree[key]) for key in sorted(tree)]
    while branches:
        alive = []
        for branch in branches:
            for pair in branch:
                yield pair
                alive.append(branch)
                break
        branches = alive


def _lines(census: Census, run: int, numbers: Sequence[int]) -> dict[int, Record]:
    offsets = census.offsets[run]
    groups = sorted({int(census.group_of[pair]) for pair in numbers}, key=lambda group: int(offsets[group]))
    groups = [group for group in groups if offsets[group] >= 0]
    records = census.runs[run].outcomes_at([int(offsets[group]) for group in groups])
    return dict(zip(groups, records, strict=True))


def _pair(line: Record, index: int, album: Album, find: Callable[[str], Path | None]) -> Record:
    original, variant, suite = line["original"], line["variants"][index], line.get("suite", "")
    old, new = word_diff(original.get("question", ""), variant.get("question", ""))
    note = variant.get("note") or {}
    pictures = [album.add(original, find)]
    if not variant.get("same_image"):
        pictures.append(album.add(variant, find))
    return {
        "key": f"{suite}:{line.get('group')}" + (f"#{index + 1}" if index else ""),
        "suite": suite,
        "test": variant.get("test", ""),
        "made_by": variant.get("made_by", ""),
        "question_type": original.get("question_type", ""),
        "answer_type": original.get("answer_type", ""),
        "answer": common_answer(original.get("answers") or ()),
        "changed": changed_words(original.get("question", ""), variant.get("question", "")),
        "word": list(dict.fromkeys(words(original.get("question", "")))),
        "expect": variant.get("expect", ""),
        "image": original.get("image"),
        "old": {"text": old, "people": _people(original), "context": original.get("context", "")},
        "new": {"text": new, "people": _people(variant), "context": variant.get("context", "")},
        "pictures": pictures,
        "boxes": list(_boxes(note.get("boxes"), original, pictures[0], album)),
        "note": [[str(name), _brief(value)] for name, value in note.items() if name != "boxes"],
    }


def _answers(line: Record, index: int) -> Record:
    return {"old": _said(line["original"]), "new": _said(line["variants"][index])}


def _said(record: Record) -> Record:
    prediction = record.get("prediction") or {}
    outcome = became(record)
    said: Record = {"is": outcome, "accuracy": record.get("accuracy")}
    if outcome == FAILED and prediction.get("answer") is None:
        said["error"] = _brief(prediction.get("error") or "no answer")
    else:
        said["answer"] = _brief(prediction.get("answer"))
    return said


def _people(record: Record) -> list[tuple[str, int]]:
    return Counter(str(answer) for answer in record.get("answers") or ()).most_common()


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= NOTE_LENGTH else text[: NOTE_LENGTH - 1] + "…"


def _boxes(boxes: Any, record: Record, picture: int | None, album: Album) -> Iterator[list[Any]]:
    """Boxes as fractions of the picture with a name: x, y, width, height and a name, if any was given."""
    size = record.get("size") or (album.sizes[picture] if picture is not None else None)
    if not size or not isinstance(boxes, list | tuple | dict):
        return
    named = boxes.items() if isinstance(boxes, dict) else (("", box) for box in boxes)
    for name, box in named:
        if isinstance(box, Mapping):
            name, box = box.get("name", name), box.get("box")
        if isinstance(box, list | tuple) and len(box) == 4 and all(isinstance(side, int | float) for side in box):
            x, y, width, height = box
            yield [x / size[0], y / size[1], width / size[0], height / size[1], str(name)]
