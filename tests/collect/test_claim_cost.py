"""The cost of a claim: the same with a hundred open questions as with ten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from leaving_people import VERIFIERS, write_questions
from small_study import SMALL, SmallStudy

from askew.collect.database import Tx
from askew.collect.leases import place_for
from askew.collect.verifying import claim_slot, slot_for


def steps(tx: Tx, call: Callable[[], object]) -> int:
    """The number of steps of SQLite's virtual machine, in tens."""
    connection = tx.connection.connection.dbapi_connection
    count = 0

    def one_more() -> int:
        nonlocal count
        count += 1
        return 0

    connection.set_progress_handler(one_more, 10)
    call()
    connection.set_progress_handler(None, 0)
    return count


def rows(tx: Tx, call: Callable[[], object]) -> int:
    """How many rows PostgreSQL looks at, in all parts of the plan."""
    statements: list[Any] = []

    def note(*got: Any) -> None:
        statements.append(got[2:4])

    sa.event.listen(tx.connection, "before_cursor_execute", note)
    call()
    sa.event.remove(tx.connection, "before_cursor_execute", note)
    plans = [
        tx.connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}", values).scalar()[0]["Plan"]
        for text, values in statements
    ]
    return sum(map(_rows_of, plans))


def _rows_of(plan: dict[str, Any]) -> int:
    looked = sum(value for name, value in plan.items() if name == "Actual Rows" or name.startswith("Rows Removed"))
    return int(looked * plan["Actual Loops"]) + sum(map(_rows_of, plan.get("Plans", [])))


def test_claims_cost_the_same_however_many_questions_and_images_there_are(tmp_path, database_url):
    """PostgreSQL has no statistics at first and later those of a small study; its plan must not depend on them."""
    settings = replace(SMALL, verifiers_per_question=VERIFIERS, stop_at_first_success=False)
    study = SmallStudy.make(tmp_path / "study", database_url, settings, images=40, people=8)
    author, *others, last = study.people
    measure = steps if database_url is None else rows

    def costs(tx: Tx) -> tuple[int, int]:
        return measure(tx, lambda: slot_for(tx, last)), measure(tx, lambda: place_for(tx, last, study.round_id))

    study.do(write_questions, author, 10)
    for person in others:
        study.do(claim_slot, person)
    few = study.do(costs)
    study.do(write_questions, author, 100)
    many = study.do(costs)
    study.do(lambda tx: tx.execute(sa.text("ANALYZE")))
    for found in (many, study.do(costs)):
        assert found == pytest.approx(few, rel=0.2, abs=3)
    assert max(few) < 100
    study.close()
