"""Rules induced from pairs, chosen by what fools a model, and learned in an attack on half of the images."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from encoders import BagOfWords

import askew
from askew.attack.attack_parts import Attack
from askew.attack.learn_rules import LearnedRuleSwaps, RuleLearner
from askew.attack.recipes import sears
from askew.attack.rewrite_rules import induced, pattern_counts, span_of_change
from askew.attack.search import EachAlone
from askew.errors import BadOption, DataError, UsageError
from askew.language.tagger import Tagger
from askew.types import ImageRef, Prediction, Question

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
        assert len({LearnedRuleSwaps().trains_on(Question(n, ImageRef(image), "")) for n in range(5)}) == 1


def test_options_are_checked():
    for options in ({"most": 0}, {"least_share": 2.0}, {"worst_share": -1.0}, {"least_fooled": 0}):
        with pytest.raises(BadOption):
            RuleLearner(**options)


THINGS = ("bus", "hat", "cup", "dog", "cat", "car", "box", "bag", "bed", "tie", "bike", "boat")


@dataclass
class Typed:
    """Answers correctly unless the question contains "type"; always wrong about one object."""

    fooled_by: str = "type"
    asked: list[str] = field(default_factory=list, repr=False)
    free_text = False
    blind = True

    def answer(self, questions):
        self.asked += [question.text for question in questions]
        return [
            Prediction(one.id, "no" if self.fooled_by in one.text or "bus" in one.text else "yes") for one in questions
        ]


def learning():
    learner = RuleLearner(least_fooled=2, back_translation=False, encoder=BagOfWords())
    return Attack("sears", LearnedRuleSwaps(learner), EachAlone(repair=False))


def test_rules_are_learned_from_half_of_the_images_and_tested_on_the_others(tmp_path):
    questions = [Question(n, ImageRef(n), f"What kind of {thing} is this?", ("yes",)) for n, thing in enumerate(THINGS)]
    halves = [LearnedRuleSwaps().trains_on(question) for question in questions]
    assert 3 < sum(halves) < 9
    model = Typed()
    result = askew.attack_model(model, questions, learning(), output=tmp_path / "a")
    groups = [outcome.group for outcome in result.samples()]
    assert [group.original.id for group in groups] == [n for n, half in enumerate(halves) if not half]
    for group in groups:
        assert [v.question.text.replace("type", "kind") for v in group.variants] == [group.original.text] * len(
            group.variants
        )
        assert bool(group.variants) == ("bus" not in group.original.text)
    assert result.score("attack.success").value == 1.0
    assert len(model.asked) == len(set(model.asked)), "nothing is asked twice"


def test_a_model_that_no_rule_fools_is_reported_in_one_line(tmp_path):
    questions = [Question(n, ImageRef(n), f"What kind of {thing} is this?", ("yes",)) for n, thing in enumerate(THINGS)]
    with pytest.raises(DataError, match="No rule fools the model") as caught:
        askew.attack_model(Typed("xyz"), questions, learning(), output=tmp_path / "a")
    assert "\n" not in str(caught.value)


def test_options_of_learning_are_checked():
    assert "RuleLearner(most=3" in repr(sears("learn", rules=3))
    for options in ({"mode": "teach"}, {"mode": "learn", "faithful": True}, {"mode": "learn", "rules": 0}):
        with pytest.raises(BadOption):
            sears(**options)
    with pytest.raises(UsageError, match="--max-calls"):
        sears("learn").proposals.places([Question(1, None, "Is it?")])
