"""Strict validity, on examples worked by hand."""

from __future__ import annotations

from functools import partial

from encoders import BagOfWords

from askew.attack.constraints import StrictlyValid
from askew.attack.recipes import bert_attack, pso, pwws, sears, textfooler, typos
from askew.attack.rewrite_rules import RuleSwaps
from askew.attack.validity import StrictChecks
from askew.attack.word_places import alone, reworded
from askew.language.tagger import Tagger
from askew.types import Candidate, Place, Question, Swap

STRICT = StrictChecks(least=0.0, encoder=BagOfWords())


def faults(text, changed, answers=("maybe",), checks=STRICT):
    """What is wrong with a text, or with a question in which words are replaced (``{old: new}``)."""
    question = Question(1, None, text, answers)
    if isinstance(changed, str):
        candidate = Candidate(changed)
    else:
        tokens = {token.text: token for token in Tagger().tags([text])[0]}
        places = {
            Place(tokens[old].start, tokens[old].end, old, tokens[old].tag): Swap(changed[old]) for old in changed
        }
        candidate = reworded(question, places)
    return checks.check([(question, candidate)])[0].faults


def test_each_fault_has_its_name():
    for text, changed, expected in (
        ("Is the car red?", {"car": "automobile"}, ()),
        ("Are the cars red?", {"cars": "automobiles"}, ()),
        ("Is the dog big?", {"dog": "cat"}, ("meaning",)),
        ("Is the dog big?", {"dog": "cad"}, ("meaning",)),
        ("Is the door open?", {"open": "closed"}, ("opposite", "meaning")),
        ("Is there a dog?", "Is there no dog?", ("a small word that matters",)),
        ("Are there two dogs?", "Are there three dogs?", ("number",)),
        ("Is it a car or a bus?", {"car": "automobile"}, ("option",)),
        ("Is it on the bed?", "Is it in the bed?", ("a small word that matters",)),
        ("Is it a hot dog?", {"dog": "hound"}, ("meaning",)),
        ("Is it the big car?", "Is it the car?", ("a word is lost",)),
        ("Is it the car?", "Is it the old car?", ("meaning",)),
        ("Is it a car?", "Is it a automobile?", ("grammar: a or an",)),
        ("Is it a car?", "Is it a automobiles?", ("meaning", "grammar: a or an", "grammar: number")),
        ("What color is it?", "Which colour is it?", ()),
        ("Is it the small car?", {"small": "smaller"}, ("meaning",)),
        ("Is it the little car?", {"little": "smaller"}, ("meaning",)),
        ("Does it appear often?", {"appear": "seem"}, ("meaning",)),
        ("Does it appear to be wet?", {"appear": "seem"}, ()),
        ("Is the person here?", {"person": "mortal"}, ("meaning",)),
        ("How many people are here?", {"people": "someones"}, ("meaning",)),
        ("Is the wall blue?", {"blue": "bluish"}, ("meaning",)),
        ("Is the plane flying?", {"flying": "winging"}, ("meaning",)),
        ("Who wears a hat?", "Who's a hat?", ("a word is lost",)),
    ):
        assert faults(text, changed) == expected, (text, changed)


def test_words_of_the_answers_stay():
    assert faults("Is the car red?", {"car": "automobile"}, ("cars",)) == ("answer",)
    assert faults("Is the car red?", {"car": "automobile"}, ("the automobile",)) == ("answer",)


def test_too_little_similarity_is_a_fault():
    assert faults("Is the car red?", {"car": "automobile"}, checks=StrictChecks(encoder=BagOfWords())) == (
        "similarity",
    )
    question = Question(1, None, "Is the car red?")
    found = STRICT.check([(question, Candidate(question.text))])[0]
    assert (found.similarity, found.grammar, found.valid) == (1.0, (), True)


def test_typing_errors_are_judged_as_the_words_they_come_from():
    typing = StrictChecks(least=0.0, encoder=BagOfWords(), spelling=False)
    assert faults("Is the horse brown?", {"horse": "hrose"}, checks=typing) == ()
    assert faults("Is the horse brown?", {"horse": "hrose"}) == ("meaning", "grammar: unknown word")
    assert faults("Is the horse brown?", {"horse": "house"}, checks=typing) == ("meaning",)
    assert faults("Is it with him?", "Is it wtih him?", checks=typing) == ()


def test_examples_of_the_reviewed_rules_are_valid():
    for text in (
        *("What is next to the bed?", "Is there a dog on the bed?", "How many people are there?", "Is anyone here?"),
        *("What color is the bus?", "What kind of dog is in the picture?", "Does the man have a hat?"),
    ):
        question = Question(1, None, text, ("maybe",))
        candidates = alone(question, RuleSwaps().places([question])[0])
        assert candidates
        for candidate, found in zip(candidates, STRICT.check([(question, c) for c in candidates]), strict=True):
            assert found.valid, (candidate.text, found)


def test_rewordings_are_judged_independently():
    question = Question(1, None, "Is the car near the open door?", ("yes",))
    pairs = [(question, Candidate(question.text.replace("car", new))) for new in ("automobile", "dog", "cars", "xyz")]
    assert STRICT.check(pairs) == [STRICT.check([pair])[0] for pair in pairs]
    assert STRICT.check([]) == []
    tight = StrictChecks(least=0.99, encoder=BagOfWords())
    found = tight.check([pairs[0], (question, Candidate(question.text))])
    assert [one.valid for one in found] == [False, True]


def test_every_recipe_can_ask_for_strict_validity():
    for recipe in (sears, textfooler, pso, pwws, typos, partial(bert_attack, "folder")):
        plain, strict = recipe(), recipe(strict=True)
        assert strict.constraints[:-1] == plain.constraints
        assert strict.constraints[-1] == StrictlyValid(StrictChecks(spelling=recipe is not typos))
