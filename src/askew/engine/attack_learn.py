"""Learns the proposals of an attack from some questions and the model's answers; the others are then attacked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from askew.engine.attack_requests import Asking, Requests
from askew.engine.attack_task import AttackRules
from askew.types import Prediction, Question, Refusal
from askew.verbs import LearnsSwaps

Learned = tuple[AttackRules, list[Question], list[Refusal]]
"""The attack with what was learned, the questions left to attack, and a refusal for each it was learned from."""


def learned_first(
    rules: AttackRules, questions: Sequence[Question], requests: Requests, tell: Callable[[str, str], None]
) -> Learned:
    """Ask the originals of the training questions and what the learner wants to know, and attack the others."""
    attack = rules.attack
    learner = attack.proposals
    assert isinstance(learner, LearnsSwaps)
    training = [question for question in questions if learner.trains_on(question)]
    asked = _asked(requests, [(question, question.text) for question in training])
    before = {}
    for question, said in zip(training, asked, strict=True):
        answer, correct = rules.judge(question, said)
        if not said.failed and answer is not None and attack.goal.attacks(correct):
            before[question.id] = answer

    def fooled(pairs: Sequence[tuple[Question, str]]) -> list[bool]:
        found = []
        for (question, text), said in zip(pairs, _asked(requests, pairs), strict=True):
            after, correct = rules.judge(replace(question, text=text), said)
            reached = after is not None and attack.goal.reached(before[question.id], after, correct)
            found.append(not said.failed and reached)
        return found

    usable = [question for question in training if question.id in before]
    proposals = learner.learn(usable, fooled)
    tell("note", f"{attack.name}: learned from {len(usable):,} questions: {proposals!r}")
    left = [question for question in questions if not learner.trains_on(question)]
    used = [Refusal(question.id, attack.name, "the rules are learned from it") for question in training]
    return replace(rules, attack=replace(attack, proposals=proposals)), left, used


def _asked(requests: Requests, pairs: Sequence[tuple[Question, str]]) -> list[Prediction]:
    """The answer to each text about its question's image, each asked once."""
    askings = {question.id: Asking(requests, question) for question, _ in pairs}
    wanted = [askings[question.id].answer(text) for question, text in pairs]
    known = requests.want(wanted)
    while any(request.key not in known for request in wanted):
        known.update(requests.ask())
    return [known[request.key] for request in wanted]
