"""Rules induced from pairs and chosen by what fools a model, on examples worked by hand."""

from __future__ import annotations

import pytest
from encoders import BagOfWords

from askew.attack.induce_rules import induced, pattern_counts, span_of_change
from askew.attack.learn_rules import RuleLearner, in_training_half
from askew.errors import BadOption, DataError
from askew.language.tagger import Tagger
from askew.types import ImageRef, Question

TAGGER = Tagger()


def rules(old, new):
    return [str(rule) for rule in induced(old, TAGGER.tags([old])[0], new, TAGGER.tags([new])[0])]


def test_the_span_covers_all_differences():
    for old, new, expected in (
        ("Is it a car?", "Is it a bus?", (3, 4, 3, 4)),
        ("Is it a big car?", "Is it a car?", (3, 4, 3, 3)),
        ("Is it a car?", "Was it a bus?", (0, 4, 0, 4)),
        ("Is it?", "is IT?", None),
    ):
        assert span_of_change(*TAGGER.tags([old, new])) == expected


def test_contexts_and_generalisations():
    found = rules("What color is it?", "What colour is it?")
    for rule in ("color → colour", "what color → what colour", "color is → colour is", "what color is → what colour is",
                 "WDT color VBZ → WDT colour VBZ", "DET NOUN VERB → DET colour VERB"):  # fmt: skip
        assert rule in found
    assert len(found) == 3 + 9 + 9 + 27, "bare, left, right, both, with three choices for each token"


def test_start_and_end_are_context():
    assert "^ what → so what" in rules("What is it?", "So what is it?")
    assert "bed $ → couch" in rules("Is it a bed?", "Is it a couch?")


def test_references_to_matched_tokens_keep_their_order():
    found = rules("What color is the bus?", "What is the color of the bus?")
    assert "NN is the → is the NN of the" in found
    assert "what NOUN is → what is the NOUN of" in found


def test_patterns_are_counted_once_per_text():
    tagged = TAGGER.tags(["Is the dog near the cat?", "Is the cat here?", "What is it?"])
    patterns = [("the",), ("DT", "NN"), ("^", "is"), ("NOUN", "$"), ("is", "it", "$")]
    assert [pattern_counts(patterns, tagged)[pattern] for pattern in patterns] == [2, 2, 2, 1, 1]


QUESTIONS = [
    *(
        Question(f"c{n}", ImageRef(n), f"What color is the {thing}?", ("red",))
        for n, thing in enumerate(("bus", "hat", "cup"))
    ),
    *(
        Question(f"k{n}", ImageRef(n), f"What kind of {thing} is in this old picture of a room?", ("x",))
        for n, thing in enumerate(("dog", "cat"))
    ),
    *(
        Question(f"n{n}", ImageRef(n), f"Is the {thing} red?", ("no",))
        for n, thing in enumerate(("wall", "door", "tree"))
    ),
]
LEARNER = RuleLearner(back_translation=False, least_fooled=2, encoder=BagOfWords())


def test_chosen_rules_fool_the_most_questions_together():
    asked = []

    def fooled(pairs):
        asked.extend(pairs)
        return ["type" in text or "color of" in text for _, text in pairs]

    found = LEARNER.learn(QUESTIONS, fooled)
    assert len({(question.id, text) for question, text in asked}) == len(asked), "nothing is asked twice"
    assert [(one.rewrites, one.fooled) for one in found] == [(3, 3), (2, 2)], "the second adds to the first, no third"
    assert "color" in str(found[0].rule) or "NN" in str(found[0].rule) or "NOUN" in str(found[0].rule)
    assert "type" in str(found[1].rule)
    assert (
        len(RuleLearner(1, back_translation=False, least_fooled=2, encoder=BagOfWords()).learn(QUESTIONS, fooled)) == 1
    )
    assert LEARNER.learn(QUESTIONS[::-1], fooled)[0].fooled == 3


def test_a_model_that_no_rule_fools_is_reported():
    with pytest.raises(DataError, match="No rule fools the model with 2 of the 8 training questions"):
        LEARNER.learn(QUESTIONS, lambda pairs: [False] * len(pairs))


def test_nine_of_ten_reviewed_paraphrases_are_similar_enough():
    from askew.language.paraphrases import reviewed

    pairs = [rule.good for rule in reviewed()]
    passed = sum(LEARNER._similarity.of(old, [new])[0] >= LEARNER.threshold for old, new in pairs)
    assert passed / len(pairs) == pytest.approx(0.9, abs=0.02)


def test_no_image_is_in_both_halves():
    for image in range(10):
        assert len({in_training_half(Question(n, ImageRef(image), "")) for n in range(5)}) == 1


def test_options_are_checked():
    for options in ({"most": 0}, {"least_share": 2.0}, {"worst_share": -1.0}, {"least_fooled": 0}):
        with pytest.raises(BadOption):
            RuleLearner(**options)
