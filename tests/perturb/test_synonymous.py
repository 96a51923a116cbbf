"""Synonyms in questions: the right form, and never where the word means something else."""

import pytest

from askew.language.senses import WordCounts
from askew.language.tagger import Tagger
from askew.perturb.lexical.substitutions import Edit, drawn, edited
from askew.perturb.lexical.synonymous import Synonymous


def proposed(text, vocabulary=None):
    proposer = Synonymous(vocabulary=vocabulary or WordCounts())
    return list(proposer.propose(text, Tagger().tags([text])[0]))


def made(text):
    return [edited(text, [item]) for item in proposed(text) if isinstance(item, Edit)]


@pytest.mark.parametrize(
    ("text", "variants"),
    [
        ("Is there a car?", ["Is there an automobile?"]),
        ("Is it an automobile?", ["Is it a car?"]),
        ("Is there a red car here?", ["Is there a red automobile here?"]),
        ("How many people are there?", ["How many individuals are there?"]),
        ("Are the children happy?", ["Are the kids happy?"]),
        ("Is the man talking to the boy?", ["Is the man speaking to the boy?"]),
        ("Which dog is bigger?", ["Which dog is larger?"]),
        ("Who is trying to fly?", ["Who is attempting to fly?"]),
    ],
)
def test_the_form_stays(text, variants):
    assert made(text) == variants


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Is she taking a picture?", "inside a fixed phrase"),
        ("Is the phone case red?", "inside a compound"),
        ("Is the cake store-bought?", "inside a compound"),
        ("Is there carpet on the floor?", "the synonym does not fit the grammar"),
        ("Is red car here?", "the synonym does not fit the grammar"),
        ("Does the dog need to eat?", "the synonym does not fit the grammar"),
        ("What does the right sign say?", "the synonym does not fit the grammar"),
        ("Is the plane near the plane?", "the word occurs more than once"),
        ("Is the pizza whole?", "the synonym does not fit the grammar"),
        ("Is this in the country or in the city?", "the synonym does not fit the grammar"),
        ("Is there an odd number of chairs?", "inside a fixed phrase"),
        ("Is the man making a racket?", "another sense of the word"),
        ("Is the woman's hat by the women's hats?", "the synonym does not fit the grammar"),
        ("Is it a couch or a sofa?", "the synonym is already in the question"),
    ],
)
def test_what_is_left_alone_and_why(text, reason):
    assert reason in proposed(text)
    assert len([item for item in proposed(text) if isinstance(item, Edit)]) == ("woman's" in text)


def test_a_word_that_is_mentioned_is_left_alone():
    assert proposed("How many letters are in the word car?") == []
    assert proposed('Who wrote "car" on the wall?') == []


def test_only_words_of_the_vocabulary_come_in():
    text = "Is the car in the street?"
    assert proposed(text, WordCounts.of(["the car"])) == ["the synonym is not in the data's vocabulary"] * 2
    assert len([e for e in proposed(text, WordCounts.of(["automobile"])) if isinstance(e, Edit)]) == 1


def test_edits_keep_case_and_fix_articles():
    assert edited("A car is a car?", [Edit(2, 5, "automobile", ""), Edit(11, 14, "auto", "")]) == (
        "An automobile is an auto?"
    )
    assert edited("Cars?", [Edit(0, 4, "automobiles", "")]) == "Automobiles?"
    assert edited("TV on?", [Edit(0, 2, "television", "")]) == "Television on?"
    assert edited("Is the TV on?", [Edit(7, 9, "television", "")]) == "Is the television on?"


def test_drawn_edits_never_meet_and_do_not_depend_on_order_of_chance_alone():
    from random import Random

    edits = [Edit(0, 5, "a", "r1"), Edit(3, 8, "b", "r2"), Edit(9, 12, "c", "r3"), Edit(9, 12, "d", "r4")]
    for seed in range(50):
        chosen = drawn(edits, 3, Random(seed))
        assert 1 <= len(chosen) <= 2
        assert not any(one.overlaps(other) for one in chosen for other in chosen if one is not other)
        assert chosen == drawn(edits, 3, Random(seed))
    assert {edit.rule for seed in range(50) for edit in drawn(edits, 1, Random(seed))} == {"r1", "r2", "r3", "r4"}
