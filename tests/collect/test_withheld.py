"""Withdrawn, deleted, removed and excluded work: in no file of a release, and in no payment."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa
from small_study import SMALL, SmallStudy

from askew.collect import history, invariants, schema
from askew.collect.freeze import freeze
from askew.collect.invariants import violations
from askew.collect.leases import place_for
from askew.collect.moderation import exclude, flag_question, forget, quarantine, report_image, resolve
from askew.collect.payments import Rates, work_of_all
from askew.collect.protocol import Gone
from askew.collect.release import release
from askew.collect.rounds import change_round
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import withdraw

RATES = Rates(Decimal("0.50"), Decimal("0.05"), Decimal("0.25"))


@pytest.fixture
def leaving(tmp_path, database_url):
    """Twelve images and ten people."""
    study = SmallStudy.make(tmp_path / "study", database_url, images=12, people=10)
    yield study
    study.close()


def everything(folder: Path) -> bytes:
    """All bytes of a release, except those of the images."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".png"]
    return b"\n".join(path.read_bytes() for path in files)


def frozen_release(study: SmallStudy, folder: Path, version: str = "1.0.0") -> bytes:
    if study.look(lambda tx: tx.value(sa.select(schema.round_.c.state))) == "OPEN":
        study.do(change_round, study.round_id, "DRAINING")
        study.do(freeze, study.round_id, 1, drop_incomplete=True)
    release(study.study, folder, version)
    study.check()
    return everything(folder)


def pseudonym(study: SmallStudy, person: int) -> bytes:
    chosen = sa.select(schema.annotator.c.pseudonym).where(schema.annotator.c.id == person)
    return str(study.look(lambda tx: tx.value(chosen))).encode()


def verified(study: SmallStudy, question: int, answers: dict[int, str]) -> None:
    for person, answer in answers.items():
        task = study.do(claim_slot, person)
        assert task.question_id == question
        study.do(verify, person, question, answer, "yes")


def test_withdrawn_removed_and_excluded_work_is_in_no_byte_of_a_release(leaving, tmp_path):
    """A question of each kind, each with words of its own; what stays is there, so the search can find something."""
    study = leaving
    people = study.people
    study.attack(people[0], "Is the stayer visible?", robot="stayrobot", answer="stayanswer")
    verified(study, 1, {people[1]: "stayverdict", people[2]: "careless"})
    kinds = ("withdrawn", "removed", "held", "hidden", "excluded", "left")
    for number, kind in enumerate(kinds):
        study.attack(people[2 + number], f"Is the {kind} thing visible?", robot=f"{kind}robot", answer=f"{kind}truth")
    image = study.look(
        lambda tx: dict(map(tuple, tx.rows(sa.select(schema.question.c.id, schema.question.c.image_id))))
    )
    study.do(withdraw, people[2], 2)
    study.do(quarantine, study.owner, 3, "spam")
    study.do(resolve, study.owner, 3, keep=False)
    study.do(quarantine, study.owner, 4, "spam")
    study.do(report_image, study.owner, image[5], "private")
    study.do(exclude, people[6], "careless")
    study.do(forget, people[7], remove_work=True)
    study.do(exclude, people[2], "careless")  # who verified the first question too
    verified(study, 1, {people[9]: "stayverdict"})
    found = frozen_release(study, tmp_path / "release")
    for text in (b"stayer", b"stayrobot", b"stayanswer", b"stayverdict", pseudonym(study, people[0])):
        assert text in found
    for kind in kinds:
        for text in (f"the {kind} thing", f"{kind}robot", f"{kind}truth"):
            assert text.encode() not in found, text
    assert b"careless" not in found
    for person in (people[2], people[6], people[7]):
        assert pseudonym(study, person) not in found
    assert {b'"id":%d,' % key in found for key in range(2, 8)} == {False}


def test_an_account_deleted_after_the_release_is_in_no_byte_of_the_patch(leaving, tmp_path):
    study = leaving
    author, other = study.people[:2]
    study.attack(author, "Is my question here?", robot="myrobot", answer="myanswer")
    verified(study, 1, {study.people[2]: "x", study.people[3]: "x"})
    study.attack(other, "Is this one here?")
    verified(study, 2, {author: "authors", study.people[4]: "authors"})
    assert b"Is my question here?" in frozen_release(study, tmp_path / "release")
    study.do(forget, author, remove_work=True)
    patch = frozen_release(study, tmp_path / "patch", "1.0.1")
    for text in (b"Is my question here?", b"myrobot", b"myanswer", b"Person 0"):
        assert text not in patch
    assert b"Is this one here?" in patch
    assert b"authors" in patch, "answers to others' questions stay in frozen rounds, as the page says"


def test_an_equal_question_does_not_name_the_withdrawn_one(tmp_path):
    study = SmallStudy.make(tmp_path / "study", settings=replace(SMALL, writers_per_image=2), images=1)
    first, second = study.people[:2]
    study.attack(first, "Is it red?")
    study.attack(second, "Is it red?")
    chosen = sa.select(schema.question.c.same_as).where(schema.question.c.id == 2)
    assert study.look(lambda tx: tx.value(chosen)) == 1
    study.do(withdraw, first, 1)
    verified(study, 2, {study.people[2]: "x", study.people[3]: "x"})
    assert b'"same_as":null' in frozen_release(study, tmp_path / "release")
    study.close()


def test_the_checker_states_what_a_release_would_publish(leaving, monkeypatch):
    """Invariant 21 is checked without the function that leaves work out."""
    study = leaving
    study.attack(study.people[0])
    study.do(withdraw, study.people[0], 1)
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    assert study.look(violations) == []
    monkeypatch.setattr(invariants, "withheld_questions", lambda tx, rounds: set())
    (said,) = study.look(violations)
    assert said.startswith("I21: no release has withdrawn, deleted, excluded or quarantined work: broken 1 times")
    assert history.withheld_questions is not invariants.withheld_questions


def sessions(study: SmallStudy, person: int) -> tuple[int, ...]:
    work = next(one for one in study.look(work_of_all) if one.id == person)
    return tuple(work.sessions[state] for state in ("accepted", "rejected", "pending"))


def test_a_withdrawn_success_frees_the_place_and_pays_nothing(leaving):
    """Judge the robot wrong, withdraw, and take the next image: this was paid, and used up the place."""
    study = leaving
    person = study.people[0]
    for _ in range(3):
        study.attack(person)
        study.do(withdraw, person, study.look(lambda tx: tx.value(sa.select(sa.func.max(schema.question.c.id)))))
        study.check()
    assert sessions(study, person) == (0, 0, 0)
    other = study.look(lambda tx: place_for(tx, study.people[1], study.round_id))
    assert (other.image_id, other.n) == (1, 1), "somebody else gets the place"
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    study.check()
    assert sessions(study, person) == (0, 0, 0)
    (work,) = (one for one in study.look(work_of_all) if one.id == person)
    assert work.pay(RATES) + work.bonus(RATES) == 0
    with pytest.raises(Gone):
        study.do(withdraw, person, 1)


def test_a_session_that_used_all_tries_counts_until_one_is_withdrawn(leaving):
    study = leaving
    person = study.people[0]
    for n in range(1, 6):
        study.attack(person, f"Is it number {n}?", verdict="correct")
    assert sessions(study, person) == (1, 0, 0)
    study.do(withdraw, person, 3)
    assert sessions(study, person) == (0, 0, 0)
    study.check()


def test_a_try_withdrawn_before_the_success_changes_nothing(leaving):
    study = leaving
    person = study.people[0]
    study.attack(person, "Is it one?", verdict="correct")
    study.attack(person, "Is it two?")
    study.do(withdraw, person, 1)
    assert sessions(study, person) == (0, 0, 1)
    study.check()


def test_a_deleted_question_earns_no_bonus_and_its_session_nothing(leaving, tmp_path):
    study = leaving
    author = study.people[0]
    study.attack(author)
    verified(study, 1, {study.people[1]: "no", study.people[2]: "no"})
    study.do(flag_question, study.people[3], 1, "odd")
    frozen_release(study, tmp_path / "release")
    (work,) = (one for one in study.look(work_of_all) if one.id == author)
    assert (work.bonus(RATES), sessions(study, author)) == (Decimal("0.25"), (1, 0, 0))
    study.do(forget, author, remove_work=True)
    (work,) = (one for one in study.look(work_of_all) if one.id == author)
    assert work.bonus(RATES) == work.pay(RATES) == 0
    study.check()
