"""Many people at once: one winner for each free slot, and nine verifications exactly when some leave."""

from __future__ import annotations

from claim_burst import make_burst_study, run_bursts
from leaving_people import verify_with_leavers


def test_a_burst_of_300_claims_has_one_winner_for_the_free_slot(tmp_path, database_url):
    made = make_burst_study(tmp_path / "study", database_url)
    run_bursts(made, 2)
    made.close()


def test_each_question_has_nine_verifications_though_a_fifth_of_the_people_leave(tmp_path, database_url):
    questions, people = 25, 15
    done = verify_with_leavers(tmp_path / "study", database_url, questions, people)
    assert done["left"] == people // 5
    assert done["verifications"] == questions * 9 + done["late and not counted"]
    assert done["late"] > 0
