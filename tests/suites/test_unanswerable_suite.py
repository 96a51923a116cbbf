"""The suite ``unanswerable``: twins without an answer, and replies that say so."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import askew
from askew.answers.abstain import UNANSWERABLE, abstention
from askew.answers.extract import extract
from askew.answers.no_option import NO_OPTION
from askew.data.groups import read_groups, write_groups
from askew.engine.components import Questions
from askew.metrics.consistency import consistent
from askew.suites.unanswerable_suite import UnanswerableSuite
from askew.types import Expect, Group, ImageRef, Prediction, Question, Refusal, Variant

pytest.importorskip("spacy", reason="the suite needs the extra language")

SAMPLE = Path(__file__).parents[1] / "answers" / "abstaining_replies.yaml"
BUS = Question(1, ImageRef("a"), "What color is the bus?", ("red",))
CAT = Question(2, ImageRef("b"), "What is the cat holding?", ("bus ticket",))
DOG = Question(3, ImageRef("c"), "What is the dog eating?", ("cat",))
CHOICE = Question(4, ImageRef("d"), "Which is it?", ("a cat",), choices=("a cat", "a dog", "a cow"))
DATA = Questions((BUS, CAT, DOG, Question(5, ImageRef("e"), "What is on the bus?", ("dog",)), CHOICE))


class Says:
    """The same reply to everything."""

    blind = True

    def __init__(self, reply):
        self.reply = reply

    def answer(self, questions):
        return [Prediction(question.id, self.reply) for question in questions]


def test_what_counts_as_abstaining_is_measured_on_labelled_replies():
    """70 replies: how many of each kind are read as their label says. Better rules may raise these figures."""
    labelled = yaml.safe_load(SAMPLE.read_text())
    read = {label: [abstention(BUS, reply) == UNANSWERABLE for reply in replies] for label, replies in labelled.items()}
    missed = [reply for reply, found in zip(labelled[True], read[True], strict=True) if not found]
    wrong = [reply for reply, found in zip(labelled[False], read[False], strict=True) if found]
    assert (len(read[True]), len(read[False])) == (35, 35)
    assert len(missed) <= 3, missed
    assert len(wrong) <= 1, wrong


def test_twins():
    made = list(UnanswerableSuite().groups(DATA, 0))
    groups = {one.id: one for one in made if isinstance(one, Group)}
    option = groups[4].variants[0]
    assert (option.question.choices, option.question.answers) == (("a dog", "a cow"), (NO_OPTION,))
    image = groups[1].variants[0]
    assert image.question.image.id in "cd", "b speaks of a bus ticket, e of a bus"
    assert (image.question.text, image.question.answers) == (BUS.text, (UNANSWERABLE,))
    assert {v.expect for g in groups.values() for v in g.variants} == {Expect.ABSTAIN}
    for group in groups.values():
        assert dict(group.original.tags)["answerable"] == "yes"
        assert [dict(v.question.tags)["answerable"] for v in group.variants] == ["no"]
    (told, *_) = (one for one in UnanswerableSuite(instruction=True).groups(DATA, 0) if isinstance(one, Group))
    assert all(q.text.endswith("say: unanswerable.") for q in (told.original, told.variants[0].question))


def test_refusals():
    asked = (
        (
            Question(6, ImageRef("f"), "Is the bus red?", ("yes",)),
            "yes, no or a number may be the answer with any image",
        ),
        (Question(6, ImageRef("f"), "How many buses?", ("2",)), "yes, no or a number may be the answer with any image"),
        (Question(6, ImageRef("f"), "What is the mood?", ("sad",)), "it names nothing that another image might lack"),
        (Question(6, ImageRef("f"), "What is on the bus?", ("nothing",)), "people say that it has no answer"),
        (Question(6, None, "What is on the bus?", ("a dog",)), "it is not about one image"),
        (Question(6, ImageRef("f"), "Which?", ("a",), choices=("a", "b")), "it has fewer than 3 options"),
        (
            Question(6, None, "Which?", ("a",), choices=("a", "b", "all of the above")),
            "an option speaks of other options",
        ),
    )
    for question, reason in asked:
        made = UnanswerableSuite().groups(Questions((*DATA.questions(), question)), 0)
        assert [one.reason for one in made if isinstance(one, Refusal) and one.question_id == 6] == [reason]


@pytest.mark.parametrize(
    ("reply", "original", "variant", "dual", "abstains"),
    [("There is no such thing in the image.", 0.0, 1.0, 0.0, 1.0), ("red", 0.25, 0.0, 0.0, 0.0)],
)
def test_neither_always_declining_nor_always_answering_wins(reply, original, variant, dual, abstains):
    """Four open questions, one of which is answered by "red"."""
    data = Questions(tuple(DATA.questions())[:4])
    result = askew.evaluate(Says(reply), data, "unanswerable", quiet=True)
    found = [
        result.score(name).value for name in ("accuracy.original", "accuracy.variant", "dual", "abstains.original")
    ]
    assert found == pytest.approx([original, variant, dual, abstains])
    assert result.score("dual").failed == 0


def test_abstaining_is_consistent_only_beside_an_answer():
    variant = Variant(BUS, Expect.ABSTAIN, "other image", "unanswerable/other-image")
    none, red, blue = (Prediction(1, said) for said in (UNANSWERABLE, "red", "blue"))
    pairs = {(red, none): 1.0, (none, none): 0.0, (red, blue): 0.0, (none, red): 0.0}
    assert {pair: consistent(BUS, pair[0], variant, pair[1], None) for pair in pairs} == pairs
    said = Prediction(1, "There is no bus.")
    assert extract("short", BUS, said).answer != UNANSWERABLE, "only where a suite expects it"


def test_groups_are_read_again(tmp_path):
    groups = [one for one in UnanswerableSuite().groups(DATA, 0) if isinstance(one, Group)]
    write_groups(groups, str(tmp_path / "groups.jsonl"))
    again = list(read_groups(str(tmp_path / "groups.jsonl")))
    assert [v.question.answers for g in again for v in g.variants] == [
        v.question.answers for g in groups for v in g.variants
    ]
    assert {v.expect for group in again for v in group.variants} == {Expect.ABSTAIN}
