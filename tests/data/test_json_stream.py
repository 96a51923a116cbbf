"""JSON read as a stream: its records, and the place that is reported for a broken file."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from askew.data import json_stream
from askew.data.json_stream import Glimpse, glimpse, items, lines, nested_items, pairs, scalar
from askew.errors import DataError


def write(path: Path, content: bytes | str) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_a_list_is_found_at_the_top_level_or_under_its_key_anywhere(tmp_path: Path) -> None:
    for number, text in enumerate(
        ('[{"a":1},2]', '{"x":{"q":[9]},"q":[{"a":1},2]}', '{"q":[{"a":1},2],"x":[{"q":[9]}]}')
    ):
        assert list(items(write(tmp_path / f"{number}.json", text), "q")) == [(1, {"a": 1}), (2, 2)]


def test_an_empty_list_has_no_records_but_a_missing_list_is_an_error(tmp_path: Path) -> None:
    assert list(items(write(tmp_path / "a.json", '{"q": []}'), "q")) == []
    with pytest.raises(DataError, match=r"no list 'q' in it \(its keys: info, annotations\)"):
        list(items(write(tmp_path / "b.json", '{"info": {}, "annotations": []}'), "q"))
    with pytest.raises(DataError, match="'q' must be a list"):
        list(items(write(tmp_path / "c.json", '{"q": {"a": 1}}'), "q"))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'[{"a": 1},\n{"a": 2},\n{"a" ?}]', r"line 3, column 6 \(byte 27\), after record 2"),
        (b'[{"a": 1},\n{"a": 2}', r"its end \(line 2, byte 19\), after record 2: the file ends too early"),
        (b'[{"a": 1}] x', r"line 1, column 12 \(byte 12\), after record 1"),
        (b"[" + b"1,\n" * 60_000 + b"?]", r"line 60001, column 1 \(byte 180002\), after record 60000"),
    ],
)
def test_broken_json_says_where(tmp_path: Path, content: bytes, place: str) -> None:
    path = write(tmp_path / "a.json", content)
    with pytest.raises(DataError) as error:
        list(items(path, "q"))
    assert re.search(place, str(error.value)), str(error.value)
    assert str(error.value).startswith(f"{path}: broken JSON near ")
    assert "download it again" in str(error.value)
    assert "cannot be read past that place" in str(error.value)


def test_records_before_the_break_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", b"[" + b'{"a": 1},' * 30_000 + b"?]")
    got = 0
    with pytest.raises(DataError):
        for got, _ in items(path, "q"):  # noqa: B007
            pass
    assert got > 20_000


def test_latin1_is_distinguished_from_other_damage(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"not UTF-8 near line 1, column 11 .*Save the file as UTF-8"):
        list(items(write(tmp_path / "a.json", b'[{"a":"caf\xe9"}]'), "q"))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("NaN", "NaN is not JSON"),
        ("1e999", "the number 1e999 is too large"),
        ("1" * 5000, "exceeds the limit"),
        (r'"\ud83d"', "half of a surrogate pair"),
        ('"a\tb"', "invalid control character"),
        ("tru", "expecting value"),
        ("01", "expecting ','"),
    ],
)
def test_values_that_are_not_json_are_refused(tmp_path: Path, value: str, reason: str) -> None:
    with pytest.raises(DataError, match=f"broken JSON near line 1, .*, after record 1: .*{reason}"):
        list(items(write(tmp_path / "a.json", f'[{{"a": 1}}, {{"a": {value}}}, {{}}]'), "q"))
    assert list(items(write(tmp_path / "b.json", r'["\ud83d\ude00", 1.5, 12345678901234567890123]'), "q")) == [
        (1, "😀"),
        (2, 1.5),
        (3, 12345678901234567890123),
    ]


def test_large_values_under_other_keys_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_RECORD", 10_000)
    monkeypatch.setattr(json_stream, "_CHUNK", 100)
    others = [{"id": n, "box": [n] * 4} for n in range(3000)]
    text = json.dumps({"images": others, "info": {"more": others}, "q": [{"a": 1}], "after": others})
    assert list(items(write(tmp_path / "a.json", text), "q")) == [(1, {"a": 1})]
    assert list(nested_items(write(tmp_path / "a.json", text), "info", "more")) == list(enumerate(others, 1))
    with pytest.raises(DataError, match=r"a record before byte .* is longer than"):
        list(items(write(tmp_path / "b.json", json.dumps({"q": [{"a": others}]})), "q"))


WORDS = ("yes", 'a "quoted" one', "back\\slash", "\\\\", "[{", "}]", ", {", "ünï\u2028", "", '\\"', "tab\t", '}, {"id"')


def value(rng: Random, depth: int = 0) -> object:
    kind = rng.randrange(4 if depth < 3 else 2)
    if kind == 0:
        return rng.choice((1, -2.5, None, True, 10**15))
    if kind == 1:
        return rng.choice(WORDS)
    inner = [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return inner if kind == 2 else {rng.choice(WORDS) + str(n): part for n, part in enumerate(inner)}


def test_any_list_gives_its_records_wherever_a_chunk_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(150):
        rng = Random(seed)
        monkeypatch.setattr(json_stream, "_CHUNK", rng.choice((1, 7, 64)))
        records = [value(rng) if seed % 3 else {"id": n, "more": value(rng)} for n in range(rng.randrange(12))]
        content = {"info": value(rng), "list": records, "after": value(rng)} if seed % 2 else records
        layout: dict[str, Any] = {"indent": rng.choice((None, 1)), "ensure_ascii": seed % 5 == 0}
        text = json.dumps(content, **layout).encode()
        path = write(tmp_path / "list.json", gzip.compress(text) if seed % 7 == 0 else b" \n" + text)
        assert [record for _, record in items(path, "list")] == records, seed


@pytest.mark.parametrize(
    "text",
    [
        b'[{"id": 1},]',
        b'[,{"id": 1}]',
        b'[{"id": 1}{"id": 2}]',
        b'[{"id": 1}, {"id": 2}',
        b'[{"id": 1}, {"id": 2}}',
        b'[{"id": 1}, {"id": 2}] []',
        b'[{"id": 1}, {"id": nope}]',
        b'[{"id": 1}, {"id": "\xff"}]',
        b'{"a": 1, "list": [{"id": 1}, {"id": 2}], "b": }',
        b'{"a": 1, "list": [{"id": 1}, {"id": 2}]',
        b'{"list": [{"id": 1}], ',
        b'{"a": 1 "list": [{"id": 1}]}',
    ],
)
def test_broken_text_is_refused_at_the_same_place_wherever_a_chunk_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    said = set()
    for size in (1, 2, 5, 64, 1 << 16):
        monkeypatch.setattr(json_stream, "_CHUNK", size)
        with pytest.raises(DataError) as refused:
            list(items(write(tmp_path / "a.json", text), "list"))
        said.add(str(refused.value))
    assert len(said) == 1
    assert re.search(r"(broken JSON|not UTF-8) near (line|its end)", said.pop())


def test_a_list_of_the_same_name_elsewhere_is_not_confused_with_it(tmp_path: Path) -> None:
    inner = {"list": [{"id": 9}], "text": '"list": [ {"id": 8}'}
    text = json.dumps({"before": inner, "list": [{"id": 1}, inner, {"id": 2}], "after": inner})
    assert [record for _, record in items(write(tmp_path / "a.json", text), "list")] == [{"id": 1}, inner, {"id": 2}]
    twice = write(tmp_path / "b.json", '{"list": [{"id": 1}], "more": 1, "list": [{"id": 2}]}')
    assert [record["id"] for _, record in items(twice, "list")] == [1, 2]


def test_something_else_is_not_json(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not JSON: it begins with '<'"):
        list(items(write(tmp_path / "a.json", "<html>"), "q"))
    with pytest.raises(DataError, match="contains only whitespace"):
        list(items(write(tmp_path / "b.json", " \n\n "), "q"))


def test_pairs_keep_keys_and_order_and_repeats(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{"01": {"a": 1}, "1": [2.5], "01": "again"}')
    assert list(pairs(path)) == [(1, ("01", {"a": 1})), (2, ("1", [2.5])), (3, ("01", "again"))]
    with pytest.raises(DataError, match=r"must be a JSON object .*but is a list"):
        list(pairs(write(tmp_path / "b.json", "[]")))


def test_lines_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a":1}\r\n\r\n  \n{"a":"\xe2\x80\xa8"}')
    assert list(lines(path)) == [(1, b'{"a":1}'), (4, b'{"a":"\xe2\x80\xa8"}')]


def test_a_scalar_is_found_before_and_after_the_list(tmp_path: Path) -> None:
    inner = '"questions": [{"data_subtype": "no"}]'
    assert scalar(write(tmp_path / "a", f'{{"data_subtype": "val2014", {inner}}}'), "data_subtype") == "val2014"
    assert scalar(write(tmp_path / "b", f'{{{inner}, "data_subtype": "val2014"}}'), "data_subtype") == "val2014"
    assert scalar(write(tmp_path / "c", f"{{{inner}}}"), "data_subtype") is None


def test_peeking_gives_the_keys_of_the_first_value_and_of_the_first_object_in_it(tmp_path: Path) -> None:
    gqa = '{"1": {"semantic": [{"operation": "x", "argument": "y"}], "question": "Q", "imageId": "2"}, "3": {"z": 1}}'
    assert glimpse(write(tmp_path / "a", gqa)) == Glimpse("{", ("1", "3"), ("semantic", "question", "imageId"))
    wrapped = '{"info": {}, "questions": [{"image_id": 1, "question_id": 2}, {"other": 1}]}'
    assert glimpse(write(tmp_path / "b", wrapped)) == Glimpse("{", ("info", "questions"), ("image_id", "question_id"))
    bare = '[{"image_id": 1, "x": {"deep": 1}}, {"other": 1}]'
    assert glimpse(write(tmp_path / "c", bare)) == Glimpse("[", ("image_id", "x"), ("deep",))
    jsonl = '{"image": "a.jpg"}\n{"other": 1}\nbroken'
    assert glimpse(write(tmp_path / "d", jsonl)) == Glimpse("{", ("image",), ())
    assert glimpse(write(tmp_path / "e", "[]")) == Glimpse("[", (), ())
