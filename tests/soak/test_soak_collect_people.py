"""Many people at once, in full: 200 bursts of 300 claims, and 10,000 questions for 200 people of whom a fifth leave."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "collect"))

from claim_burst import make_burst_study, run_bursts
from leaving_people import verify_with_leavers
from postgres_cluster import Cluster, why_not

pytestmark = pytest.mark.soak

SHARE = float(os.environ.get("ASKEW_SOAK_SHARE", "1"))
"""A smaller share of the work, to try these tests out."""


def test_200_bursts_on_sqlite(tmp_path):
    _burst(tmp_path, None)


def test_200_bursts_on_postgres(tmp_path):
    if why_not():
        pytest.skip(why_not())
    cluster = Cluster()
    try:
        _burst(tmp_path, cluster.create("bursts"))
    finally:
        cluster.stop()


def _burst(folder: Path, url: str | None) -> None:
    made = make_burst_study(folder / "study", url)
    run_bursts(made, max(1, round(200 * SHARE)))
    made.close()


def test_ten_thousand_questions_have_nine_verifications(tmp_path):
    questions = round(10_000 * SHARE)
    done = verify_with_leavers(tmp_path / "study", None, questions, people=200)
    print(done)
    assert done["left"] == 40
    assert done["verifications"] == 9 * questions + done["late and not counted"]
