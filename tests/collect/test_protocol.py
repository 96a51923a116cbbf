"""The protocol step by step: who may do what, and with what effect. Each test runs on both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from small_study import SMALL, SmallStudy

from askew.collect import schema
from askew.collect.database import once
from askew.collect.freeze import freeze
from askew.collect.invariants import violations
from askew.collect.leases import expire
from askew.collect.moderation import (
    exclude,
    flag_question,
    preview_exclusion,
    quarantine,
    report_image,
    resolve,
    resolve_reports,
)
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.robots import pending_calls, record_reply
from askew.collect.rounds import blockers, change_round, round_counts, set_model_active
from askew.collect.verifying import claim_slot, extend_verifying, skip_slot, verify
from askew.collect.writing import ask, claim_image, extend_writing, judge, release_image, withdraw
from askew.types import Prediction

HOUR = 3600.0


def state_of(study, question_id):
    return study.look(
        lambda tx: tx.value(sa.select(schema.question.c.state).where(schema.question.c.id == question_id))
    )


def asked(study, person, text="Is it red?", **options):
    task = study.do(claim_image, person)
    return study.do(ask, person, task.session_id, text, **options)


def test_a_success_goes_to_the_verifiers_and_ends_the_session(study):
    judged = study.attack(study.people[0])
    assert (judged.session_state, judged.tries_left) == ("SUCCEEDED", 4)
    assert study.verify_all() == 2
    assert state_of(study, judged.question_id) == "VERIFIED"
    study.check()


def test_five_failed_tries_end_the_session(study):
    person = study.people[0]
    for number in range(1, 6):
        judged = study.attack(person, f"Is it number {number}?", verdict="correct" if number % 2 else "unsure")
        assert judged.tries_left == 5 - number
    assert judged.session_state == "EXHAUSTED"
    assert study.do(claim_image, study.people[1]).image_id == 2
    study.check()


def test_two_people_never_hold_one_place_and_nobody_gets_an_image_twice(study):
    images = [study.do(claim_image, person).image_id for person in study.people[:3]]
    assert images == [1, 2, 3]
    assert study.do(claim_image, study.people[3]) is None
    assert study.do(claim_image, study.people[0]).image_id == 1  # resumes
    task = study.do(claim_image, study.people[0])
    study.do(release_image, study.people[0], task.session_id, "too dark")
    assert study.do(claim_image, study.people[0]) is None
    assert study.do(claim_image, study.people[3]).image_id == 1
    study.check()


def test_a_duplicate_is_refused_without_using_a_try(study):
    person = study.people[0]
    study.attack(person, "Is it red?", verdict="correct")
    task = study.do(claim_image, person)
    with pytest.raises(Refused, match="asked this already"):
        study.do(ask, person, task.session_id, " is it  RED ")
    assert study.do(claim_image, person).tries_left == 4
    for text in ("", "?!", "x" * 121, "nul \0"):
        with pytest.raises(Refused):
            study.do(ask, person, task.session_id, text)


def test_a_question_waits_for_its_judgement(study):
    call = asked(study, study.people[0])
    with pytest.raises(Refused, match="Judge"):
        asked(study, study.people[0], "Another?")
    with pytest.raises(Gone, match="not answered yet"):
        study.do(judge, study.people[0], call.question_id, "correct")
    study.do(record_reply, call, Prediction(1, "yes"))
    with pytest.raises(NotAllowed):
        study.do(judge, study.people[1], call.question_id, "correct")
    with pytest.raises(Refused, match="correct answer"):
        study.do(judge, study.people[0], call.question_id, "wrong", "  ")
    study.do(judge, study.people[0], call.question_id, "unsure")
    with pytest.raises(Gone, match="already"):
        study.do(judge, study.people[0], call.question_id, "wrong", "no")
    study.check()


def test_a_model_that_fails_is_asked_again_then_another_is_drawn_and_no_try_is_used(study):
    call = asked(study, study.people[0], seed=4)
    broken = Prediction(1, None, error="timeout")
    drawn = [call.model_id]
    for _ in range(5):
        call = study.do(record_reply, call, broken)
        drawn.append(call.model_id)
    assert drawn[:3] == [drawn[0]] * 3
    assert set(drawn[3:]) == set(study.models) - {drawn[0]}
    assert study.do(record_reply, call, broken) is None
    assert state_of(study, call.question_id) == "MODEL_FAILED"
    study.check()
    again = asked(study, study.people[0], seed=4)
    assert again.question_id == call.question_id
    for said in ("yes", "no"):  # the second is a repeated reply
        assert study.do(record_reply, again, Prediction(1, said)) is None
        (only,) = study.do(claim_image, study.people[0]).tries
        assert (only.state, only.try_no, only.answer, only.raw) == ("ANSWERED", 1, "yes", "yes")
    study.check()


def test_after_a_crash_the_same_model_is_called_again(study):
    call = asked(study, study.people[0])
    assert study.look(pending_calls) == [call]
    study.do(record_reply, call, Prediction(1, "yes"))
    assert study.look(pending_calls) == []


def test_an_answer_that_comes_after_the_session_is_not_a_try(study):
    call = asked(study, study.people[0])
    task = study.do(claim_image, study.people[0])
    study.do(release_image, study.people[0], task.session_id)
    assert study.do(record_reply, call, Prediction(1, "yes")) is None
    assert state_of(study, call.question_id) == "ABANDONED"
    study.check()


def test_the_last_active_model_cannot_be_switched_off(study):
    study.do(set_model_active, study.round_id, study.models[0], False)
    with pytest.raises(Refused, match="last active"):
        study.do(set_model_active, study.round_id, study.models[1], False)
    assert {asked(study, person).model_id for person in study.people[:3]} == {study.models[1]}


def test_an_expired_image_goes_to_somebody_else_without_any_sweep(study):
    call = asked(study, study.people[0])
    study.do(record_reply, call, Prediction(1, "yes"))
    for person in study.people[1:3]:
        study.do(claim_image, person)
    study.clock.pass_seconds(HOUR)
    study.do(extend_writing, study.people[1], 2)
    study.do(extend_writing, study.people[2], 3)
    assert study.do(claim_image, study.people[3]).image_id == 1
    with pytest.raises(Gone, match="time for this image ended"):
        study.do(judge, study.people[0], call.question_id, "wrong", "no")
    study.check()


def test_a_late_judgement_counts_until_somebody_else_takes_the_image(study):
    call = asked(study, study.people[0])
    study.do(record_reply, call, Prediction(1, "yes"))
    study.clock.pass_seconds(HOUR)
    assert study.do(judge, study.people[0], call.question_id, "wrong", "no").session_state == "SUCCEEDED"
    study.check()


def test_writers_do_not_verify_questions_about_their_image(tmp_path, database_url):
    study = SmallStudy.make(tmp_path / "s", database_url, PRESET_TWO_WRITERS, images=1, people=4)
    study.attack(study.people[0], "Is it red?")
    study.attack(study.people[1], "Is it blue?")
    assert study.do(claim_slot, study.people[0]) is None
    assert study.do(claim_slot, study.people[1]) is None
    assert study.verify_all() == 4
    assert study.do(claim_image, study.people[2]) is None
    study.check()
    study.close()


PRESET_TWO_WRITERS = type(SMALL)("small", writers_per_image=2, verifiers_per_question=2)


def test_a_late_answer_counts_if_a_slot_is_free_else_it_is_kept_as_late(study):
    author, first, second, third = study.people[:4]
    question = study.attack(author).question_id
    study.do(claim_slot, first)
    study.do(claim_slot, second)
    study.clock.pass_seconds(HOUR)
    study.do(expire)
    assert study.look(lambda tx: round_counts(tx, tx.value(sa.select(schema.round_.c.id)))).slots == {"OPEN": 2}
    task = study.do(claim_slot, third)
    assert not study.do(verify, first, question, "no", "yes").late  # one slot was free
    study.do(verify, third, task.question_id, "no", "maybe")
    late = study.do(verify, second, question, "blue", "no")
    assert late.late
    with pytest.raises(Gone, match="already"):
        study.do(verify, second, question, "blue", "no")
    study.check()


def test_only_a_question_that_was_assigned_can_be_answered(study):
    question = study.attack(study.people[0]).question_id
    for person in study.people[:2]:
        with pytest.raises(NotAllowed, match="not given"):
            study.do(verify, person, question, "no", "yes")


def test_a_skipped_question_goes_to_somebody_else(study):
    question = study.attack(study.people[0]).question_id
    first = study.people[1]
    study.do(claim_slot, first)
    study.do(skip_slot, first, question, "cannot see the image")
    assert study.do(claim_slot, first) is None
    with pytest.raises(Gone, match="skipped"):
        study.do(verify, first, question, "no", "yes")
    assert study.verify_all() == 2
    study.check()


def test_started_questions_are_finished_first_and_pairs_alternate(tmp_path, database_url):
    study = SmallStudy.make(tmp_path / "s", database_url, people=8)
    for person, text in zip(study.people, ("Is it red?", "Is it blue?", "Is it big?"), strict=False):
        study.attack(person, text)
    given = [study.do(claim_slot, person).question_id for person in study.people[3:5]]
    assert given == [1, 1]
    study.do(verify, study.people[3], 1, "no", "yes")
    assert study.do(claim_slot, study.people[5]).question_id == 2
    study.do(verify, study.people[5], 2, "no", "yes")
    study.do(skip_slot, study.people[4], 1, "other")
    assert study.do(claim_slot, study.people[6]).question_id == 1  # of two with one answer each, the older one
    study.check()
    study.close()


def test_leases_can_be_extended_at_least_ten_times(study):
    task = study.do(claim_image, study.people[0])
    ends = [study.do(extend_writing, study.people[0], task.session_id) for _ in range(SMALL.max_extensions)]
    assert ends == sorted(set(ends))
    assert len(ends) >= 10
    with pytest.raises(Refused, match="extended"):
        study.do(extend_writing, study.people[0], task.session_id)
    question = study.attack(study.people[1]).question_id
    study.do(claim_slot, study.people[2])
    for _ in range(SMALL.max_extensions):
        study.do(extend_verifying, study.people[2], question)
    with pytest.raises(Refused, match="extended"):
        study.do(extend_verifying, study.people[2], question)


def test_exclusion_keeps_every_row_and_opens_what_was_held(study):
    author, bad = study.people[:2]
    question = study.attack(author).question_id
    study.verify_all()
    own = study.attack(bad).question_id
    before = study.do(preview_exclusion, bad)
    assert (before.verifications, before.questions, before.sessions) == (1, 1, 1)
    assert study.do(exclude, bad, "careless", study.owner) == before
    assert state_of(study, question) == "VERIFYING"
    for function in (claim_image, claim_slot):
        with pytest.raises(NotAllowed, match="no longer take part"):
            study.do(function, bad)
    study.people.remove(bad)
    assert study.verify_all() == 1  # the slot is done again; nobody verifies the excluded author's question
    assert study.look(lambda tx: tx.value(sa.select(sa.func.count()).select_from(schema.verification))) == 3
    study.check()
    study.do(change_round, study.round_id, "DRAINING")
    assert study.do(freeze, study.round_id, 1, drop_incomplete=True).types == {question: "E", own: "U"}
    study.check()


def test_two_flags_put_a_question_into_quarantine_until_an_owner_decides(study):
    question = study.attack(study.people[0]).question_id
    study.do(claim_slot, study.people[1])
    assert not study.do(flag_question, study.people[2], question, "private")
    assert not study.do(flag_question, study.people[2], question, "private")
    assert study.do(flag_question, study.people[3], question, "private")
    assert study.do(claim_slot, study.people[4]) is None
    with pytest.raises(NotAllowed, match="owner"):
        study.do(resolve, study.people[0], question, True)
    study.do(resolve, study.owner, question, True)
    assert study.verify_all() == 2
    study.do(quarantine, study.owner, question, "looks odd")
    study.do(resolve, study.owner, question, False)
    with pytest.raises(Gone):
        study.do(resolve, study.owner, question, True)
    study.check()


def test_two_reports_hide_an_image_at_once(study):
    task = study.do(claim_image, study.people[0])
    assert not study.do(report_image, study.people[1], task.image_id, "a face")
    assert study.do(report_image, study.people[2], task.image_id, "a face")
    with pytest.raises(Gone):
        study.do(ask, study.people[0], task.session_id, "Who is it?")
    assert study.do(claim_image, study.people[3]).image_id != task.image_id
    with pytest.raises(NotAllowed, match="owner"):
        study.do(resolve_reports, study.people[0], task.image_id, True)
    study.do(resolve_reports, study.owner, task.image_id, True)
    with pytest.raises(Gone, match="neither reported nor hidden"):
        study.do(resolve_reports, study.owner, task.image_id, True)
    assert study.do(claim_image, study.people[4]).image_id == task.image_id
    study.check()


def test_an_owner_keeps_or_hides_an_image_after_one_report(study):
    kept, hidden = (study.do(claim_image, study.people[n]).image_id for n in (0, 1))
    for shown in (kept, hidden):
        assert not study.do(report_image, study.people[2], shown, "a face")
    study.do(resolve_reports, study.owner, kept, True)
    study.do(resolve_reports, study.owner, hidden, False)
    with pytest.raises(Gone, match="hidden already"):
        study.do(resolve_reports, study.owner, hidden, False)
    for person in study.people[3:]:
        task = study.do(claim_image, person)
        assert task is None or task.image_id != hidden
    study.check()


def test_a_question_can_be_withdrawn_only_before_somebody_verifies_it(study):
    first = study.attack(study.people[0]).question_id
    study.do(withdraw, study.people[0], first)
    assert study.do(claim_slot, study.people[1]) is None
    second = study.attack(study.people[1]).question_id
    study.do(claim_slot, study.people[2])
    with pytest.raises(Gone):
        study.do(withdraw, study.people[1], second)
    study.check()


def test_a_request_that_is_repeated_has_one_effect(study):
    def send(tx, person=study.people[0], kind="claim"):
        return once(tx, "key", person, kind, lambda: {"image": claim_image(tx, person).image_id})

    assert study.do(send) == study.do(send) == {"image": 1}
    for other in ({"person": study.people[1]}, {"kind": "other"}):
        with pytest.raises(NotAllowed):
            study.do(send, **other)


def test_a_round_goes_forward_and_says_what_blocks_it(tmp_path, database_url):
    study = SmallStudy.make(tmp_path / "s", database_url, opened=False)
    assert "the next state is READY" in study.do(blockers, study.round_id, "OPEN")[0]
    with pytest.raises(Refused, match="the next state"):
        study.do(change_round, study.round_id, "OPEN")
    assert study.do(claim_image, study.people[0]) is None
    for state in ("READY", "OPEN"):
        study.do(change_round, study.round_id, state)
    study.do(claim_image, study.people[1])
    study.attack(study.people[0])
    study.do(change_round, study.round_id, "DRAINING")
    assert study.do(claim_image, study.people[2]) is None
    with pytest.raises(Refused, match="1 person is writing; 1 question is not verified"):
        study.do(freeze, study.round_id, 1)
    counts = study.do(round_counts, study.round_id)
    assert (counts.images, counts.places_taken, counts.slots) == (3, 2, {"OPEN": 2})
    study.do(freeze, study.round_id, 1, drop_incomplete=True)
    study.check()
    study.close()


def test_a_frozen_round_is_immutable(study):
    question = study.attack(study.people[0]).question_id
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    for statement in (
        "UPDATE question SET text = 'other'",
        "UPDATE question SET type = 'A'",
        "UPDATE image SET split = NULL",
        "UPDATE verification SET confidence = 'no'",
        "UPDATE slot SET extensions = 1",
        "INSERT INTO verification (question_id, annotator_id, answer, normalised, confidence, late, excluded, "
        f"leased_at, at) VALUES ({question}, {study.owner}, 'a', 'a', 'yes', TRUE, FALSE, 0, 0)",
    ):
        with pytest.raises(sa.exc.IntegrityError):
            study.do(lambda tx, statement=statement: tx.execute(sa.text(statement)))
    with pytest.raises(Gone, match="round is over"):
        study.do(flag_question, study.people[1], question, "late")
    study.check()


def test_the_checker_finds_broken_invariants(study):
    study.attack(study.people[0])
    study.verify_all()
    study.do(lambda tx: tx.execute(sa.text("UPDATE question SET done = 1")))
    found = study.look(violations)
    assert [line.split(":")[0] for line in found] == ["I3", "I15"]
