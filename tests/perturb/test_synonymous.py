"""Synonyms in questions: the correct form, and never where the word means something else."""

from collections import Counter

import pytest

from askew.language.senses import WordCounts, words_of
from askew.language.tagger import Tagger
from askew.perturb.lexical.substitutions import Edit, edited
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
        ("How many people are there?", ["How many individuals are there?", "How many folks are there?"]),
        ("Are the children happy?", ["Are the kids happy?"]),
        ("Is it talking to the boy?", ["Is it speaking to the boy?"]),
        ("Which dog is bigger?", ["Which dog is larger?"]),
        ("Who is trying to fly?", ["Who is attempting to fly?"]),
    ],
)
def test_the_inflection_is_kept(text, variants):
    assert made(text) == variants


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Is she taking a picture?", "inside a fixed phrase"),
        ("Is the phone case red?", "inside a compound"),
        ("Is the cake store-bought?", "inside a compound"),
        ("Is there drink on the floor?", "the synonym does not fit the grammar"),
        ("Is red car here?", "the synonym does not fit the grammar"),
        ("Is the plane near the plane?", "the word occurs more than once"),
        ("Is there an odd number of chairs?", "inside a fixed phrase"),
        ("Is this an extra large pizza?", "inside a fixed phrase"),
        ("Is the dog making a racket?", "another sense of the word"),
        ("Is the woman's hat by the women's hats?", "the synonym does not fit the grammar"),
        ("Is it a couch or a sofa?", "the synonym is already in the question"),
    ],
)
def test_words_that_are_left_alone_and_why(text, reason):
    assert reason in proposed(text)
    assert len([item for item in proposed(text) if isinstance(item, Edit)]) == ("woman's" in text)


def test_the_context_of_a_word_must_fit_its_rule():
    """Verbs whose frame would change, and words that are synonyms in some contexts only."""
    for text in (
        "Does the dog need to eat?",
        "Does the bus need cleaned?",
        "What would happen to the dog?",
        "Is the dog close to the door?",
        "What does the right sign say?",
        "Is the pizza whole?",
        "Is this in the country or in the city?",
        "Is he doing his job?",
        "Is the boy small enough to fit?",
        "Is it a stuffed animal?",
        "Is the cup half full?",
        "What is the white thing and the black thing?",
        "What color are the stones in her earrings?",
        "Does the bear need to be dangerous?",
        "Are the round buns warm?",
        "Is this an individual or group sized meal?",
        "Why is the meal so messy?",
        "What can cook food here?",
        "How many monitors are there?",
        "How many faucets are there?",
        "What state is it located in?",
    ):
        assert made(text) == [], text
    assert made("What kind of dog is it?") == ["What type of dog is it?"]
    assert made("What is the white thing?") == ["What is the white object?", "What is the white item?"]
    assert made("Is the window closed?") == ["Is the window shut?"]
    assert made("Does the dog need a bath?") == ["Does the dog require a bath?"]
    assert made("What is happening?") == ["What is occurring?"]
    assert made("Is it an expensive hotel?") == ["Is it a pricey hotel?"]
    assert made("Why is the room so messy?") == ["Why is the room so untidy?"]
    assert made("Is the monitor off?") == ["Is the screen off?"]
    assert made("Is this pizza round?") == ["Is this pizza circular?"]
    assert made("Is she wearing glasses?") == ["Is she wearing eyeglasses?"]


def test_a_word_that_is_mentioned_is_left_alone():
    assert proposed("How many letters are in the word car?") == []
    assert proposed('Who wrote "car" on the wall?') == []


def test_only_words_of_the_vocabulary_are_inserted():
    text = "Is the car in the street?"
    assert (
        proposed(text, WordCounts(Counter(words_of("the car")))) == ["the synonym is not in the data's vocabulary"] * 2
    )
    assert len(proposed(text, WordCounts({"the": 1}, everyday=frozenset({"automobile", "road"})))) == 2
    assert made("Is the car in the street?") == ["Is the automobile in the street?", "Is the car in the road?"]
    assert len([e for e in proposed(text, WordCounts(Counter(words_of("automobile")))) if isinstance(e, Edit)]) == 1


def test_replacements_keep_case_and_fix_articles():
    assert edited("A car is a car?", [Edit(2, 5, "automobile", ""), Edit(11, 14, "auto", "")]) == (
        "An automobile is an auto?"
    )
    assert edited("Cars?", [Edit(0, 4, "automobiles", "")]) == "Automobiles?"
    assert edited("TV on?", [Edit(0, 2, "television", "")]) == "Television on?"
    assert edited("Is the TV on?", [Edit(7, 9, "television", "")]) == "Is the television on?"
