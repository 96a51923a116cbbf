"""Two files with the same questions give the same variants, whatever their format, and with or without ids."""

from __future__ import annotations

import csv

import orjson
import pytest

from askew.data.jsonl import Jsonl, QuestionTable
from askew.registry import make
from askew.types import Group

NOUNS = ("dog", "cat", "vase", "car", "coat", "house")
COLORS = ("red", "blue", "white", "black")
RECORDS = [
    {"image": place, "question": f"What color is the {noun}?", "answers": [COLORS[(place + at) % 4]] * 3}
    for place in range(12)
    for at, noun in enumerate(NOUNS)
] + [
    {"image": place, "question": f"Is the {noun} big?", "answers": ["yes" if place % 2 else "no"] * 3}
    for place in range(12)
    for noun in NOUNS
]


def written_as_jsonl(path, ids):
    records = ({"id": number, **record} if ids else record for number, record in enumerate(RECORDS))
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return Jsonl(str(path))


def written_as_csv(path, ids):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*(["id"] if ids else []), *RECORDS[0]])
        table.writeheader()
        for number, record in enumerate(RECORDS):
            row = {**record, "answers": "|".join(record["answers"])}
            table.writerow({"id": f"row {number}", **row} if ids else row)
    return QuestionTable(str(path))


@pytest.mark.parametrize("suite", ["rad", "p2"])
def test_the_format_and_the_ids_of_a_file_change_no_variant(suite, tmp_path):
    pytest.importorskip("spacy", reason="RAD and P2 need the extra language")
    data = [
        write(tmp_path / f"{write.__name__}{ids}", ids)
        for write in (written_as_jsonl, written_as_csv)
        for ids in (False, True)
    ]
    first, *others = (
        [
            (group.original.text, [(variant.question.text, variant.question.answers) for variant in group.variants])
            for group in make("suite", suite).groups(one, 0)
            if isinstance(group, Group)
        ]
        for one in data
    )
    assert len(first) > 20
    assert all(made == first for made in others)
