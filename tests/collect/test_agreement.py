"""Agreement: by hand, against a published figure, and on the rows of a study."""

from __future__ import annotations

import pytest
from small_study import SmallStudy

from askew.answers.krippendorff import krippendorff_alpha
from askew.collect.agreement import Agreement, agreement_of, agreements, counted_answers
from askew.collect.moderation import exclude
from askew.collect.verifying import claim_slot, verify


def test_alpha_of_krippendorffs_own_example():
    """Four coders, twelve units, missing data: 0.743 (Krippendorff 2011, "Computing alpha-reliability", example C)."""
    coders = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    columns = zip(*(coder.split() for coder in coders), strict=True)
    units = [[said for said in column if said != "."] for column in columns]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=0.0005)


def test_alpha_is_undefined_without_pairs():
    for units in ([], [["a"]], [["a"], ["b"]], [["a", "a"]]):
        assert krippendorff_alpha(units) is None
    assert krippendorff_alpha([["a", "b"], ["a", "b"]]) < 0
    assert krippendorff_alpha([["a", "a"], ["b", "b"]]) == 1


def test_agreement_by_hand():
    said = {1: {1: "x", 2: "x", 3: "y"}, 2: {1: "x", 2: "y", 3: "y", 4: "y"}, 3: {1: "x"}}
    # Question 1: the others of 1 and 2 are tied, those of 3 say x. Question 2: the others of 1 say y, of the rest y.
    assert agreements(said) == {1: Agreement(0, 1), 2: Agreement(1, 1), 3: Agreement(1, 2), 4: Agreement(1, 1)}
    assert Agreement(0, 0).share is None


def test_only_answers_that_count_are_compared(study: SmallStudy):
    author, first, second, third = study.people[:4]
    study.attack(author)
    for person, answer in ((first, "no"), (second, "The no.")):
        task = study.do(claim_slot, person)
        study.do(verify, person, task.question_id, answer, "yes")
    assert study.look(lambda tx: agreement_of(tx, first)) == Agreement(1, 1)
    assert study.look(lambda tx: agreement_of(tx, third)) == Agreement(0, 0)
    study.do(exclude, second, "test")
    assert study.look(lambda tx: agreement_of(tx, first)) == Agreement(0, 0)
    task = study.do(claim_slot, third)
    study.do(verify, third, task.question_id, "blue", "yes")
    assert study.look(lambda tx: agreements(counted_answers(tx, latest=10))) == {
        first: Agreement(0, 1),
        third: Agreement(0, 1),
    }
