"""Constraints on rewordings, on examples worked by hand."""

from __future__ import annotations

from math import acos, pi

import pytest
from encoders import BagOfWords

from askew.attack.constraints import (
    ContentWords,
    FewChanges,
    FewLetters,
    Grammatical,
    HarmlessWords,
    ProtectedWords,
    SamePartOfSpeech,
    SimilarQuestion,
    SimilarWindow,
    StrictlyValid,
)
from askew.attack.validity import StrictChecks
from askew.attack.word_places import reworded
from askew.errors import BadOption
from askew.language.tagger import Tagger
from askew.types import Candidate, Place, Question, Swap


def asked(text, *answers):
    return Question(1, None, text, answers)


def swapped(question, old, new):
    """The candidate in which one word is replaced."""
    token = next(token for token in Tagger().tags([question.text])[0] if token.text == old)
    return reworded(question, {Place(token.start, token.end, token.text, token.tag): Swap(new)})


def kept(constraint, text, changes, answers=("yes",)):
    question = asked(text, *answers)
    return constraint.keep(question, [swapped(question, old, new) for old, new in changes])


def test_function_words_stay():
    changes = [("Does", "Makes"), ("many", "numerous"), ("dogs", "hounds")]
    assert kept(ContentWords(), "Does the man have many dogs?", changes) == [False, False, True]


def test_words_that_determine_the_answer_stay():
    constraint = ProtectedWords()
    text = "Is the dog on the left near two cats?"
    changes = [("dog", "hound"), ("left", "port"), ("two", "three"), ("cats", "felines")]
    assert kept(constraint, text, changes, ("dogs", "cat food")) == [False, False, False, False]
    assert kept(constraint, text, changes) == [True, False, False, True]
    assert kept(constraint, "Is the dog not red?", [("not", "truly"), ("red", "ruddy")]) == [False, True]
    assert kept(constraint, "What color is the red bus?", [("red", "ruddy"), ("bus", "coach")], ("blue",)) == [
        False,
        True,
    ]
    options = [("dog", "hound"), ("cat", "feline"), ("animal", "creature")]
    assert kept(constraint, "What animal is it, a dog or a cat?", options, ("bird",)) == [False, False, True]
    verbs = [("standing", "rising"), ("sitting", "posing")]
    assert kept(constraint, "Is the man standing or sitting?", verbs, ("neither",)) == [False, False]


def test_new_words_are_not_opposites_numbers_or_answers():
    changes = [("open", "closed"), ("open", "wide"), ("man", "woman"), ("man", "door"), ("man", "three"), ("man", "no")]
    assert kept(HarmlessWords(), "Is the man at the open door?", changes) == [False, True, False, False, False, False]
    assert kept(HarmlessWords(), "Are people here?", [("people", "someones"), ("people", "individuals")]) == [
        False,
        True,
    ]
    assert kept(HarmlessWords(), "What is the animal?", [("animal", "dog"), ("animal", "beast")], ("dogs",)) == [
        False,
        True,
    ]


def test_the_part_of_speech_stays_the_same_in_context():
    changes = [("bus", "coach"), ("bus", "quickly"), ("large", "big"), ("large", "bus"), ("large", "runs")]
    assert kept(SamePartOfSpeech(), "Is the bus very large?", changes) == [True, False, True, False, False]
    noun = [("bus", "runs")]
    assert kept(SamePartOfSpeech(), "Is the truck very bus?", noun) == [False]
    assert kept(SamePartOfSpeech(window=4), "Is the truck very bus?", noun) == [True], (
        "the code lets a noun become a verb"
    )


def test_similarity_is_that_of_the_whole_question():
    question = asked("Is the dog big?")
    candidates = [swapped(question, "dog", "hound")]
    constraint = SimilarQuestion(encoder=BagOfWords())
    expected = 1 - acos(3 / 4) / pi  # three of four words stay: 0.77
    assert constraint.similarity(question, candidates) == [pytest.approx(expected, abs=1e-5)]
    assert constraint.keep(question, candidates) == [False]
    assert SimilarQuestion(0.76, BagOfWords()).keep(question, candidates) == [True]
    assert constraint.similarity(question, [Candidate(question.text)]) == [1.0]


def test_similarity_as_in_textfooler():
    short = asked("Is the dog big?")
    assert SimilarWindow(0.99, BagOfWords()).keep(short, [swapped(short, "dog", "cat")]) == [True], "under 15 words"
    long = asked("Is b c d e f g h i j k l m n o p?")
    one = Candidate(long.text.replace(" d ", " z "), (), long.text)
    changed = reworded(long, {Place(7, 8, "d"): Swap("z")})
    assert SimilarWindow(0.99, BagOfWords()).keep(long, [one]) == [True], "nothing changed"
    cosine = 14 / 15  # of the first 15 words
    assert 1 - acos(cosine) == pytest.approx(0.6329, abs=1e-3)
    assert SimilarWindow(0.63, BagOfWords()).keep(long, [changed]) == [True]
    assert SimilarWindow(0.64, BagOfWords()).keep(long, [changed]) == [False]


def test_grammar_errors_are_counted_against_the_original():
    question = asked("Is this an old cars?")
    texts = ["Is this an aged cars?", "Is this an aged car?", "Is this a old cars?", "Is this an old carz?"]
    assert Grammatical().keep(question, [Candidate(text) for text in texts]) == [True, True, False, False]
    assert Grammatical(spelling=False).keep(asked("Is it red?"), [Candidate("Is it rde?")]) == [True]
    verb = asked("Are the people happy?")
    assert Grammatical().keep(verb, [Candidate("Are the person happy?"), Candidate("Are the men happy?")]) == [
        False,
        True,
    ]


def test_only_a_share_of_the_words_may_change():
    question = asked("Is the big dog brown?")
    two = reworded(question, {Place(7, 10, "big"): Swap("large"), Place(11, 14, "dog"): Swap("hound")})
    three = reworded(
        question,
        {Place(7, 10, "big"): Swap("large"), Place(11, 14, "dog"): Swap("hound"), Place(15, 20, "brown"): Swap("tan")},
    )
    assert FewChanges().keep(question, [two, three]) == [True, False]


def test_options_are_checked():
    for make in (
        lambda: SimilarQuestion(1.5),
        lambda: FewChanges(0.0),
        lambda: SamePartOfSpeech(-1),
    ):
        with pytest.raises(BadOption):
            make()


def test_constraints_judge_each_candidate_independently():
    question = asked("Is the big dog near two open doors?", "yes")
    pairs = (
        ("big", "large"),
        ("big", "small"),
        ("dog", "hound"),
        ("two", "three"),
        ("open", "closed"),
        ("doors", "door"),
    )
    candidates = [swapped(question, old, new) for old, new in pairs]
    encoder = BagOfWords()
    for constraint in (
        *(ContentWords(), ProtectedWords(), HarmlessWords(), SamePartOfSpeech(), SamePartOfSpeech(4), Grammatical()),
        *(SimilarQuestion(encoder=encoder), SimilarWindow(encoder=encoder), FewChanges(), FewLetters()),
        StrictlyValid(StrictChecks(least=0.7, encoder=encoder)),
    ):
        together = constraint.keep(question, candidates)
        alone = [constraint.keep(question, [candidate])[0] for candidate in candidates]
        assert together == alone, constraint
        assert constraint.keep(question, candidates[::-1]) == together[::-1], constraint
        assert constraint.keep(question, []) == [], constraint
