"""Blocks in a temporary file."""

from __future__ import annotations

from random import Random

import pytest

from askew.errors import DataError
from askew.files import temp_blocks
from askew.files.temp_blocks import DistinctNumbers, TempBlocks


def test_distinct_numbers_are_the_same_in_memory_and_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random("distinct")
    added = [rng.choice((rng.randrange(90), rng.randrange(-(2**63), 2**63))) for _ in range(500)] * 2
    monkeypatch.setattr(temp_blocks, "_RECENT", 32)
    numbers = DistinctNumbers()
    for count, number in enumerate(added, 1):
        numbers.add(number)
        if count % 250 == 1:  # may be asked at any time
            assert len(numbers) == len(set(added[:count]))
    parts = [part.tolist() for part in numbers.parts()]
    assert sorted(number for part in parts for number in part) == sorted(set(added))
    assert all(part == sorted(part) for part in parts)
    assert max(map(len, parts)) < len(set(added)) / 4, "memory holds one part at a time"


def test_a_full_disk_is_reported_with_what_to_do() -> None:
    blocks = TempBlocks()
    blocks.append(b"abc")
    with open("/dev/full", "wb", buffering=0) as full:
        blocks._file = full
        with pytest.raises(DataError, match=r"temporary folder \(No space left on device\). Free some disk space"):
            blocks.append(b"def")
