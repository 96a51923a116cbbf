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


def test_five_thousand_random_sequences():
    soak = settings(
        max_examples=5000, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(OnSqlite, settings=soak)


def test_a_thousand_random_sequences_with_quiz_and_gold():
    soak = settings(
        max_examples=1000, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(QualityOnSqlite, settings=soak)


def test_500_copies_at_random_instants_hold_what_was_acknowledged(tmp_path):
    print(f"{check_copies(tmp_path, 500)} writes were acknowledged")
