"""Indexes on disk: records by id, and repeated ids."""

from __future__ import annotations

import tracemalloc
from contextlib import closing
from random import Random
from threading import Thread

import pytest

from askew.data.bad_records import Sieve
from askew.data.disk_index import Index, RecordFile, SeenIds, distinct
from askew.types import Id


def test_number_and_text_ids_are_kept_apart_and_returned_unchanged() -> None:
    ids: list[Id] = ["1", 1, "01", -1, "-1", 10**20, "ï"]
    with Index() as index:
        assert all(index.add(key, number, {"n": number}) for number, key in enumerate(ids))
        assert not any(index.add(key) for key in ids)
        assert index.pop(1) == (1, {"n": 1})
        assert [key for _, key in index.numbers()] == ["1", "01", -1, "-1", 10**20, "ï"]


def test_reading_may_continue_in_another_thread() -> None:
    reading = distinct(Sieve("f", skip=False), enumerate("abc"), str)
    got = [next(reading)]
    thread = Thread(target=lambda: got.extend(reading))
    thread.start()
    thread.join()
    assert [key for _, key, _ in got] == ["a", "b", "c"]


def test_repeated_ids_are_found_whatever_their_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askew.data.disk_index._BITS", 64)  # most ids share a bit
    monkeypatch.setattr("askew.data.disk_index._BATCH", 7)
    with SeenIds() as seen:
        keys = [key for number in range(200) for key in (number, str(number))]
        assert [seen.add(key, place) for place, key in enumerate(keys)] == [None] * 400
        assert [seen.add(key, 999) for key in keys] == list(range(400))


def test_repeated_numbers_are_found_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askew.data.disk_index._BITS", 64)
    monkeypatch.setattr("askew.data.disk_index._RECENT", 5)
    keys = Random(2).sample([-(2**63) + 1, -2, -1, *range(400), 2**63 - 1, 2**63, 2**70], 380)
    with SeenIds() as seen:
        assert [seen.add(key, place) for place, key in enumerate(keys)] == [None] * 380
        assert [seen.add(key, 999) for key in reversed(keys)] == list(reversed(range(380)))


def test_records_come_back_in_any_order_whatever_their_hashes() -> None:
    same_hash = [-1, -2, 0, 2**61 - 1]
    keys: list[Id] = [*same_hash, *range(5, 90), *map(str, range(50)), "i5", "with\nline", "\ud800"]
    with closing(RecordFile((key, place, {"at": place}) for place, key in enumerate(keys))) as records:
        order = Random(1).sample(keys, len(keys))
        places = {key: keys.index(key) for key in order}
        assert [records.pop(key) for key in order[:50]] == [(places[key], {"at": places[key]}) for key in order[:50]]
        together = records.pop_all([*order[40:100], "x"])
        assert together == {key: (places[key], {"at": places[key]}) for key in order[50:100]}
        assert [records.pop(key) for key in [*order[:100], 1000, "x"]] == [None] * 102
        assert list(records.numbers()) == sorted((keys.index(key), key) for key in order[100:])


def test_a_record_on_disk_takes_25_bytes_of_memory() -> None:
    count = 20_000
    tracemalloc.start()
    try:
        with closing(RecordFile((7919 * n % count, n, {"text": f"of {n}"}) for n in range(count))) as records:
            held, _ = tracemalloc.get_traced_memory()
            assert held < 25 * count + 80_000
            assert records.pop_all([7919, 15_838]) == {7919: (1, {"text": "of 1"}), 15_838: (2, {"text": "of 2"})}
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("mixed", [False, True])
def test_a_new_number_takes_sixteen_bytes_of_memory(mixed: bool) -> None:
    count = 100_000
    with SeenIds() as seen:
        tracemalloc.start()
        try:
            for n in range(count):
                seen.add(3 * (7919 * n % count if mixed else n), n + 1)
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    recent = 32_768 * 110 if mixed else 0  # numbers in no order that are not yet in a block
    assert held < 16 * 1.13 * count + recent + 20_000  # arrays grow by an eighth


@pytest.mark.parametrize("recent", [5, 1 << 15])
def test_numbers_in_runs_gaps_and_any_order_are_found_with_their_first_record(
    monkeypatch: pytest.MonkeyPatch, recent: int
) -> None:
    """Of numbers that follow one another only the first is kept; a dictionary says what must come out."""
    monkeypatch.setattr("askew.data.disk_index._RECENT", recent)
    rng = Random("runs")
    for _ in range(30):
        known: dict[Id, int] = {}
        with SeenIds() as seen:
            key, number = 0, 0
            for _ in range(200):
                number += rng.choice((1, 1, 1, 2))
                key = rng.choice((key + 1, key + 1, key + 1, key + rng.randrange(1, 9), rng.randrange(-3, key + 2)))
                assert seen.add(key, number) == known.get(key), (key, number)
                known.setdefault(key, number)


def test_consecutive_numbers_need_no_memory() -> None:
    with SeenIds() as seen:
        for number in range(1000):
            seen.add(number, number + 1)
        assert len(seen._starts) == 1
        assert seen.add(999, 5000) == 1000
