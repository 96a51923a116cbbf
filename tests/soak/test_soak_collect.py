"""The collection protocol: thousands of random sequences against the dictionary model, and hundreds of copies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

sys.path.insert(0, str(Path(__file__).parents[1] / "collect"))

from quality_machine import QualityOnSqlite
from study_machine import OnSqlite
from test_kills_and_copies import check_copies

pytestmark = pytest.mark.soak


PART = 500
"""Sequences in one run: Hypothesis remembers all of a run, and becomes slower with them."""


def play(machine: type, sequences: int, steps: int) -> None:
    for done in range(0, sequences, PART):
        options = settings(
            max_examples=PART,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        run_state_machine_as_test(machine, settings=options)
        print(f"{done + PART} sequences", flush=True)


def test_five_thousand_random_sequences():
    play(OnSqlite, 5000, 30)


def test_a_thousand_random_sequences_with_quiz_and_gold():
    play(QualityOnSqlite, 1000, 40)


def test_500_copies_at_random_instants_hold_what_was_acknowledged(tmp_path):
    print(f"{check_copies(tmp_path, 500)} writes were acknowledged")
