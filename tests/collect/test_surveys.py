"""Surveys: batches with gold, exactly as many different people as wanted, and what ends, expires and is excluded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa
from small_study import SmallStudy
from survey_study import answers, careless, pairs, places, right, survey, work

from askew.answers.krippendorff import krippendorff_alpha
from askew.collect.invariants import violations
from askew.collect.moderation import exclude, forget, preview_exclusion
from askew.collect.payments import parse_rates, work_of_all
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.schema import batch, batch_answer, survey_item
from askew.collect.schema import survey as survey_table
from askew.collect.surveys.create import SurveyPlan, baseline_drafts, sampled_groups
from askew.collect.surveys.human_run import peoples_answers, survey_groups
from askew.collect.surveys.results import alpha, majority, progress, survey_items
from askew.collect.surveys.survey_batches import (
    claim_batch,
    close_survey,
    extend_batch,
    has_batch,
    open_batch,
    report_item,
    return_batch,
    save_batch,
    send_batch,
)
from askew.errors import UsageError


@pytest.fixture
def small(copy_of: Callable[..., SmallStudy]) -> SmallStudy:
    """A study without images or rounds in use, and six people."""
    return copy_of(SmallStudy.make)


def row_of(small: SmallStudy, number: int):
    return small.look(lambda tx: tx.row(survey_table, number))


def test_each_question_is_answered_by_exactly_as_many_different_people_as_wanted(small: SmallStudy) -> None:
    survey(small, count=8, plan=SurveyPlan(5, 6, 2), golden=24)
    sent = work(small, small.people)
    assert set(places(small).values()) == {5}
    assert sent == 16 * 5 // 4, "16 questions, five times, four in a batch: all batches were full"
    rows = small.look(
        lambda tx: tx.rows(
            sa.select(batch_answer.c.item_id, batch_answer.c.annotator_id).where(batch_answer.c.place > 0)
        )
    )
    assert len({tuple(row) for row in rows}) == len(rows) == 80
    assert all(small.do(claim_batch, person) is None for person in small.people)
    small.check()


def test_the_two_sides_of_a_pair_are_never_in_one_batch(small: SmallStudy) -> None:
    survey(small, count=3, plan=SurveyPlan(2, 6, 0))
    number = small.do(claim_batch, small.people[0])
    shown = small.look(lambda tx: open_batch(tx, small.people[0], number))
    things = [one.item.question.split()[2] for one in shown.items]
    assert sorted(things) == ["0", "1", "2"], "three pairs, so three questions, though a batch has room for six"


def test_questions_that_groups_share_are_asked_once_and_join_their_pairs(tmp_path: Path) -> None:
    first, second = pairs(tmp_path, 2)
    shared = [first, type(first)("again", "p2", first.original, second.variants)]
    drafts = baseline_drafts([*shared, second])
    assert len(drafts) == 4, "six questions in three groups, of which two pairs are the same"
    assert {draft.pair for draft in drafts} == {1}
    assert sorted(len(draft.members) for draft in drafts) == [1, 1, 2, 2]


def test_gold_must_be_right_before_sending_and_the_first_answers_are_kept(small: SmallStudy) -> None:
    number = survey(small)
    me = small.people[0]
    mine = small.do(claim_batch, me)
    wrong = lambda text: {"yes": "no", "no": "yes"}[right(text)] if "gold" in text else "ambiguous"  # noqa: E731
    done = small.do(send_batch, me, mine, answers(small, me, mine, wrong))
    assert (done.gold_wrong, small.look(lambda tx: tx.row(batch, mine)).state) == (2, "LEASED")
    assert small.do(send_batch, me, mine, answers(small, me, mine)).gold_wrong == 0
    with pytest.raises(Gone, match="already"):
        small.do(send_batch, me, mine, answers(small, me, mine))
    done = small.look(lambda tx: progress(tx, row_of(small, number)))
    assert (done.gold_first_right, done.gold_shown, done.changed, done.answers) == (0, 2, 4, 4)
    stored = small.look(lambda tx: tx.rows(sa.select(batch_answer).where(batch_answer.c.place > 0)))
    assert {row.first for row in stored} == {'{"answer": null}'}
    assert all(json.loads(row.last)["answer"] in ("yes", "no") for row in stored)
    small.check()


def test_nobody_gets_the_same_gold_twice(small: SmallStudy) -> None:
    survey(small, count=8, plan=SurveyPlan(1, 4, 2), golden=6)
    assert work(small, small.people[:1]) == 3, "six gold questions are enough for three batches"
    assert small.do(claim_batch, small.people[0]) is None
    assert not small.look(lambda tx: has_batch(tx, small.people[0]))
    assert small.do(claim_batch, small.people[1]) is not None
    small.check()


def test_three_people_without_gold(small: SmallStudy) -> None:
    """Six people are in the study; three are enough, and they must all be different."""
    number = survey(small, count=5, plan=SurveyPlan(3, 24, 0))
    assert work(small, small.people[:3]) == 6, "five pairs: two batches of five for each"
    done = small.look(lambda tx: progress(tx, row_of(small, number)))
    assert done.is_complete
    assert (done.complete, done.people, done.batches, done.answers) == (10, 3, 6, 30)
    assert done.seconds_median == 91, "ninety seconds of work, and the one that every step takes"
    assert small.do(claim_batch, small.people[3]) is None


def test_the_majority_decides_and_anything_else_is_wrong(small: SmallStudy) -> None:
    """Three people: all say yes to the originals; their variants have a majority, ambiguous, and none."""
    number = survey(small, count=3, plan=SurveyPlan(3, 24, 0))
    said = {"0": ("no", "no", "yes"), "1": ("ambiguous", "ambiguous", "no"), "2": ("yes", "no", "ambiguous")}
    for place, person in enumerate(small.people[:3]):
        work(small, [person], lambda text, place=place: said[text.split()[2]][place] if " not " in text else "yes")
    items = small.look(lambda tx: survey_items(tx, number))
    groups = small.look(lambda tx: survey_groups(tx, small.study, number, items))
    answered = peoples_answers(groups, items, 3)
    texts = {group.id: answered.answers[group.variants[0].question.id] for group in groups}
    assert texts["0"] == "no"
    assert texts["1"].startswith("ambiguous (question ")
    assert texts["2"].startswith("no majority (question ")
    assert {answered.answers[group.original.id] for group in groups} == {"yes"}
    # By hand: 18 answers: yes 9 + 1 + 1 = 11, no 2 + 1 + 1 = 4, ambiguous 2 + 1 = 3. Ordered pairs that differ, over
    # n - 1 = 2: question 0: 4, question 1: 4, question 2: 6, so 14 / 2 = 7. Expected: 11 * 7 + 4 * 14 + 3 * 15 = 178.
    # alpha = 1 - 17 * 7 / 178.
    assert alpha(items) == pytest.approx(1 - 17 * 7 / 178)
    assert alpha(items) == krippendorff_alpha([item.said() for item in items])
    assert majority(["a", "a"], 5) is None, "two of five are no majority"


def test_an_expired_batch_goes_to_others_and_what_comes_late_counts_if_there_is_room(small: SmallStudy) -> None:
    survey(small, count=2, plan=SurveyPlan(1, 4, 0))
    slow, quick, third = small.people[:3]
    first = small.do(claim_batch, slow)
    second = small.do(claim_batch, third)
    assert small.do(claim_batch, quick) is None, "the others hold all places"
    kept = answers(small, slow, first)
    small.clock.pass_seconds(2 * 3600)
    assert small.look(lambda tx: has_batch(tx, quick))
    taken = small.do(claim_batch, quick)
    assert taken is not None
    assert [small.look(lambda tx, n=n: tx.row(batch, n)).state for n in (first, second)] == ["EXPIRED", "EXPIRED"]
    small.do(send_batch, quick, taken, answers(small, quick, taken))
    done = small.do(send_batch, slow, first, kept)
    other = small.do(send_batch, third, second, answers(small, third, second))
    assert done.late + other.late == 2, "two of the four questions were answered meanwhile"
    assert set(places(small).values()) == {1}
    small.check()


def test_a_person_whose_batch_expired_gets_its_questions_again(small: SmallStudy) -> None:
    """With three people for three places, nobody can be replaced."""
    survey(small, count=2, plan=SurveyPlan(3, 4, 0))
    slow = small.people[0]
    mine = small.do(claim_batch, slow)
    small.do(save_batch, slow, mine, answers(small, slow, mine))
    small.clock.pass_seconds(2 * 3600)
    assert small.do(claim_batch, slow) == mine, "nobody else wanted it"
    small.clock.pass_seconds(2 * 3600)
    work(small, small.people[1:3])
    assert work(small, small.people[:1]) == 2
    assert set(places(small).values()) == {3}
    small.check()


def test_what_is_given_back_or_reported(small: SmallStudy) -> None:
    survey(small, count=3, plan=SurveyPlan(2, 4, 0))
    one, two, three = small.people[:3]
    mine = small.do(claim_batch, one)
    small.do(return_batch, one, mine)
    assert set(places(small).values()) == {0}
    with pytest.raises(Gone, match="gave these questions back"):
        small.do(send_batch, one, mine, {})
    for person in (one, two):
        mine = small.do(claim_batch, person)
        bad = next(
            item
            for item in small.look(lambda tx, p=person, n=mine: open_batch(tx, p, n)).items
            if item.item.question == "Is thing 1 red?" or person == two
        )
        small.do(report_item, person, mine, bad.n, "offensive")
        assert bad.n not in answers(small, person, mine)
        small.do(send_batch, person, mine, answers(small, person, mine))
        small.check()
    hidden = small.look(lambda tx: tx.count(survey_item, survey_item.c.hidden_at.is_not(None)))
    assert hidden <= 1
    work(small, [one, two, three])
    small.check()


def test_two_reports_hide_a_question(small: SmallStudy) -> None:
    number = survey(small, count=1, plan=SurveyPlan(3, 4, 0))
    for person in small.people[:2]:
        mine = small.do(claim_batch, person)
        shown = small.look(lambda tx, p=person, n=mine: open_batch(tx, p, n))
        small.do(report_item, person, mine, shown.items[0].n, "offensive")
        small.do(send_batch, person, mine, {})
    done = small.look(lambda tx: progress(tx, row_of(small, number)))
    assert done.hidden == 1
    work(small, small.people[:5])
    done = small.look(lambda tx: progress(tx, row_of(small, number)))
    assert done.is_complete
    assert done.complete == 1
    small.check()


def test_excluding_a_person_opens_the_places_again_until_the_survey_is_closed(small: SmallStudy) -> None:
    number = survey(small, count=2, plan=SurveyPlan(2, 4, 0))
    work(small, small.people[:2])
    assert small.look(lambda tx: preview_exclusion(tx, small.people[0])).surveyed == 4
    small.do(exclude, small.people[0], "careless")
    assert set(places(small).values()) == {1}
    with pytest.raises(NotAllowed):
        small.do(claim_batch, small.people[0])
    work(small, small.people[2:3])
    assert small.look(lambda tx: progress(tx, row_of(small, number))).is_complete
    small.do(close_survey, number)
    small.do(exclude, small.people[1], "later")
    small.do(forget, small.people[2], remove_work=True)
    assert small.look(lambda tx: progress(tx, row_of(small, number))).is_complete, "as in a frozen round"
    small.check()
    with pytest.raises(Refused, match="no open survey"):
        small.do(close_survey, number)


def test_closing_ends_the_batches_that_people_hold(small: SmallStudy) -> None:
    number = survey(small, count=2, plan=SurveyPlan(2, 4, 0))
    mine = small.do(claim_batch, small.people[0])
    small.do(close_survey, number)
    with pytest.raises(Gone, match="survey is over"):
        small.do(send_batch, small.people[0], mine, {})
    assert small.do(claim_batch, small.people[1]) is None
    small.check()


def test_batches_are_paid_once_and_not_if_their_person_is_excluded(small: SmallStudy) -> None:
    survey(small, count=4, plan=SurveyPlan(2, 4, 0))
    work(small, small.people[:2])
    rates = parse_rates(["batch=0.50"])
    paid = {one.id: one for one in small.look(work_of_all)}
    assert [str(paid[person].pay(rates)) for person in small.people[:3]] == ["1.00", "1.00", "0.00"]
    small.do(exclude, small.people[0], "careless")
    gone = next(one for one in small.look(work_of_all) if one.id == small.people[0])
    assert (gone.batches, str(gone.pay(rates))) == ({"rejected": 2}, "0.00")
    small.check()


def test_extensions_end(small: SmallStudy) -> None:
    survey(small)
    me = small.people[0]
    mine = small.do(claim_batch, me)
    for _ in range(small.study.settings.max_extensions):
        small.do(extend_batch, me, mine)
    with pytest.raises(Refused, match="cannot be extended"):
        small.do(extend_batch, me, mine)
    with pytest.raises(NotAllowed, match="not given to you"):
        small.do(open_batch, small.people[1], mine)


RAW = {
    "a fourth person": "UPDATE batch_answer SET place = 4 WHERE place = 1",
    "two people in one place": "UPDATE batch_answer SET place = 2 WHERE place = 1",
    "another first answer": "UPDATE batch_answer SET first = '{}'",
    "another answer after sending": "UPDATE batch_answer SET last = '{}'",
    "a finished batch begins again": "UPDATE batch SET state = 'LEASED', ended_at = NULL",
    "an answer is deleted": "DELETE FROM batch_answer",
    "gold with a place": "UPDATE survey_item SET taken = 1 WHERE gold IS NOT NULL",
}


def test_the_database_refuses_what_no_step_may_do(small: SmallStudy) -> None:
    survey(small)
    work(small, small.people[:3])
    for what, statement in RAW.items():
        with pytest.raises(sa.exc.DBAPIError, match=r"\w"):
            small.do(lambda tx, statement=statement: tx.execute(sa.text(statement)))
        assert small.look(violations) == [], what
    small.check()


BREAKING = {
    "I24": "UPDATE survey_item SET taken = taken - 1 WHERE gold IS NULL",
    "I25": "UPDATE survey_item SET pair = 1",
    "I26": "UPDATE batch SET state = 'DONE', ended_at = leased_at WHERE state = 'LEASED'",
}


@pytest.mark.parametrize("name", ["I24", "I25", "I26"])
def test_the_checker_finds_broken_surveys(small: SmallStudy, name: str) -> None:
    survey(small)
    work(small, small.people[:1])
    small.do(claim_batch, small.people[1])
    assert small.look(violations) == []
    with small.study.database.write() as tx:
        tx.execute(sa.text(BREAKING[name]))
    assert any(found.startswith(name) for found in small.look(violations))


@pytest.mark.parametrize("seed", range(2))
def test_any_sequence_of_steps_keeps_every_invariant(small: SmallStudy, seed: int) -> None:
    """People come, save, send, return, report, vanish and are excluded in a random order."""
    rng = Random(seed)
    number = survey(small, count=6, plan=SurveyPlan(2, 5, 1), golden=12, seed=seed)
    gone: set[int] = set()
    for step_no in range(40):
        me = rng.choice([one for one in small.people if one not in gone])
        mine = small.do(claim_batch, me)
        if mine is None:
            small.clock.pass_seconds(600)
            continue
        step = rng.choice(["send", "send", "send", "save", "return", "report", "vanish", "exclude"])
        if step == "send":
            small.do(send_batch, me, mine, answers(small, me, mine, careless(seed)))
        elif step == "save":
            small.do(save_batch, me, mine, {})
        elif step == "return":
            small.do(return_batch, me, mine)
        elif step == "report" and len(gone) < 3:
            shown = small.look(lambda tx, p=me, n=mine: open_batch(tx, p, n)).items
            if shown:
                small.do(report_item, me, mine, rng.choice(shown).n, "odd")
        elif step == "vanish":
            small.clock.pass_seconds(4000)
        elif step == "exclude" and len(gone) < 2:
            small.do(exclude, me, "test")
            gone.add(me)
        if small.study.database.is_sqlite or step_no % 10 == 0:
            assert small.look(violations) == []
    places(small)
    work(small, [one for one in small.people if one not in gone])
    assert small.look(lambda tx: progress(tx, row_of(small, number))).is_complete
    small.check()


def test_the_sample_has_so_many_pairs_of_each_test_whatever_the_order(tmp_path: Path) -> None:
    groups = pairs(tmp_path, 30)
    drawn = sampled_groups(groups, 7, seed=1)
    assert len(drawn) == 7
    assert {one.id for one in sampled_groups(reversed(groups), 7, seed=1)} == {one.id for one in drawn}
    assert {one.id for one in sampled_groups(groups, 7, seed=2)} != {one.id for one in drawn}
    assert sampled_groups(groups, 100, seed=1) == groups


def test_sizes_that_make_no_sense_are_refused() -> None:
    for sizes in ((0, 24, 4), (5, 4, 4), (5, 41, 4), (5, 24, -1)):
        with pytest.raises(UsageError, match="a batch more questions than gold"):
            SurveyPlan(*sizes)
