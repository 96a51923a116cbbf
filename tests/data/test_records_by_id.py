"""Records by their ids: repeated ones are refused, and those that belong together are gathered."""

from __future__ import annotations

import pytest

from askew.data.bad_records import Sieve, distinct
from askew.errors import BadRecord
from askew.types import Id


def test_number_and_text_ids_are_kept_apart_and_returned_unchanged() -> None:
    ids: list[Id] = ["1", 1, "01", -1, "-1", 10**20, "ï"]
    assert list(distinct(Sieve("f", skip=False), enumerate(ids), lambda key: key)) == [
        (place, key, key) for place, key in enumerate(ids)
    ]


def test_a_repeated_id_is_refused_with_its_first_record_and_the_others_are_read() -> None:
    sieve = Sieve("f.json", skip=True)
    assert [key for _, key, _ in distinct(sieve, enumerate([7, "7", 8, 7, 9], 1), lambda key: key)] == [7, "7", 8, 9]
    assert sieve.skipped == [
        "f.json: record 4: the id 7 occurs twice (first in record 1). Ids must be unique; remove or rename one."
    ]
    with pytest.raises(BadRecord, match=r"f\.json: record 4: the id 7 occurs twice \(first in record 1\)"):
        list(distinct(Sieve("f.json", skip=False), enumerate([7, "7", 8, 7], 1), lambda key: key))
