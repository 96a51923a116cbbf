"""Lists decoded many records at a time: the same records and errors as the event parser gives."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from random import Random

import pytest

import askew.data.json_batches
import askew.data.json_stream
from askew.data.json_batches import _DEEPEST, Undecided, _is_deep, batches
from askew.data.json_stream import items
from askew.errors import DataError

WORDS = ("yes", 'a "quoted" one', "back\\slash", "\\\\", "[{", "}]", ", {", "ünï\u2028", "", '\\"', "tab\t", '}, {"id"')


@pytest.mark.parametrize("inside", ['"x"', '"]}[{"', r'"a\"]\\", "{"', "1"])
@pytest.mark.parametrize("deep", [1, 4, _DEEPEST - 1, _DEEPEST, _DEEPEST + 1, _DEEPEST + 4])
def test_depth_is_exact_with_and_without_brackets_in_texts(inside: str, deep: int) -> None:
    for opening, closing in (("[", "]"), ('{"a": ', "}")):
        text = opening * (deep - 1) + f"[{inside}]" + closing * (deep - 1)
        assert json.loads(text)
        assert _is_deep(f'{{"text": "", "list": [{{}}, []]}}, {text}, {{"b": [1]}}'.encode()) == (deep > _DEEPEST)


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of 64 bytes, so that every kind of position falls on a chunk boundary."""
    monkeypatch.setattr(askew.data.json_batches, "CHUNK", 64)
    monkeypatch.setattr(askew.data.json_batches, "_ENDS", 64)


def value(rng: Random, depth: int = 0) -> object:
    kind = rng.randrange(4 if depth < 3 else 2)
    if kind == 0:
        return rng.choice((1, -2.5, None, True, 10**15))
    if kind == 1:
        return rng.choice(WORDS)
    inner = [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return inner if kind == 2 else {rng.choice(WORDS) + str(n): part for n, part in enumerate(inner)}


def test_any_list_gives_its_records(tmp_path, small_chunks):
    whole = 0
    for seed in range(150):
        rng = Random(seed)
        records = [value(rng) if seed % 3 else {"id": n, "more": value(rng)} for n in range(rng.randrange(12))]
        bare = seed % 2 == 0
        content = records if bare else {"info": value(rng), "list": records, "after": value(rng)}
        layout = {"indent": rng.choice((None, 1))} | ({"ensure_ascii": False} if seed % 5 else {})
        text = json.dumps(content, **layout).encode()
        path = tmp_path / "list.json"
        path.write_bytes(gzip.compress(text) if seed % 7 == 0 else b" \n" + text)
        assert [record for _, record in items(str(path), "list")] == records, seed
        with suppress(Undecided):
            whole += [record for batch in batches(str(path), None if bare else "list") for record in batch] == records
    assert whole > 75  # long heads and tails are left to the other parser with chunks as short as these


BROKEN = (
    b'[{"id": 1},]',
    b'[,{"id": 1}]',
    b'[{"id": 1}{"id": 2}]',
    b'[{"id": 1}, {"id": 2}',
    b'[{"id": 1}, {"id": 2}}',
    b'[{"id": 1}, {"id": 2}] []',
    b'[{"id": 1}, {"id": nope}]',
    b'[{"id": 1}, {"id": "\xff"}]',
    b'[{"id": 1}, {"id": ' + b"[" * 120 + b"]" * 120 + b"}]",
    b'{"a": 1, "list": [{"id": 1}, {"id": 2}], "b": }',
    b'{"a": 1, "list": [{"id": 1}, {"id": 2}]',
    b'{"a": 1 "list": [{"id": 1}]}',
)


def error(path: str) -> str:
    with pytest.raises(DataError) as refused:
        list(items(path, "list"))
    return str(refused.value)


def test_broken_files_are_refused_like_the_event_parser_does(tmp_path, small_chunks, monkeypatch):
    for more in (0, 300):
        for place, text in enumerate(BROKEN):
            first = text.index(b'{"id": 1}')
            path = tmp_path / f"{more}-{place}.json"
            path.write_bytes(text[:first] + b'{"id": 0},\n' * more + text[first:])
            with pytest.raises(Undecided):
                list(batches(str(path), None if text.startswith(b"[") else "list"))
    found = {path: error(str(path)) for path in tmp_path.iterdir()}
    monkeypatch.setattr(askew.data.json_stream, "batches", undecided)
    assert found == {path: error(str(path)) for path in found}


def undecided(path, key):
    raise Undecided


def test_a_list_of_the_same_name_elsewhere_is_not_confused_with_it(tmp_path, small_chunks):
    path = tmp_path / "nested.json"
    inner = {"list": [{"id": 9}], "text": '"list": [ {"id": 8}'}
    path.write_text(json.dumps({"before": inner, "list": [{"id": 1}, inner, {"id": 2}], "after": inner}))
    assert [record for _, record in items(str(path), "list")] == [{"id": 1}, inner, {"id": 2}]
    path.write_text('{"list": [{"id": 1}], "more": 1, "list": [{"id": 2}]}')
    assert [record["id"] for _, record in items(str(path), "list")] == [1, 2]
