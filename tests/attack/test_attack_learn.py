"""Rules learned in an attack: from one half of the images, tested on the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from encoders import BagOfWords

import askew
from askew.attack.attack_parts import Attack
from askew.attack.greedy import EachAlone
from askew.attack.learn_rules import LearnedRuleSwaps, RuleLearner, in_training_half
from askew.attack.recipes import sears
from askew.errors import BadOption, DataError, UsageError
from askew.types import ImageRef, Prediction, Question

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
    halves = [in_training_half(question) for question in questions]
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
