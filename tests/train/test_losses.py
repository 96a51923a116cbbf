"""Distances and terms by hand."""

from __future__ import annotations

from math import log
from random import Random

import pytest
import torch
from tiny import NET, Colored, groups, questions
from torch import nn

from askew.errors import BadOption, DataError
from askew.nets.layers import Output
from askew.nets.net_config import QuestionWords
from askew.nets.networks import build_net
from askew.registry import make
from askew.train.batches import Answers, Encoding, build_table
from askew.train.losses import Q3R, AnswerLoss, Augment, Consistency, RandomImage, Step, check_types, distance

W = torch.tensor([[[0.5, 0.5], [1.0, 0.0]], [[0.2, 0.8], [0.0, 1.0]]])  # two questions, two steps, two modules
V = torch.tensor([[[0.25, 0.75], [1.0, 0.0]], [[0.2, 0.8], [1.0, 0.0]]])


@pytest.mark.parametrize(
    ("kind", "total"),
    [
        ("l1", 0.25 + 0.25 + 1 + 1),
        ("l2", 0.0625 + 0.0625 + 1 + 1),
        ("kl", 0.5 * log(0.5 / 0.25) + 0.5 * log(0.5 / 0.75) + log(1 / 1e-8)),
    ],
)
def test_distances_by_hand(kind, total):
    assert distance(W, V, kind, "mean").item() == pytest.approx(total / 8)  # 2 questions x 2 steps x 2 modules
    assert distance(W, V, kind, "sum").item() == pytest.approx(total / 2)  # eq. 1, mean over questions
    assert distance(W, W, kind).item() == 0


def test_answer_loss_by_hand():
    logits, targets = torch.zeros(1, 2), torch.tensor([[1.0, 0.3]])
    assert AnswerLoss("bce")(logits, targets).item() == pytest.approx(2 * log(2))
    assert AnswerLoss("ce")(logits, targets).item() == pytest.approx(log(2))
    sure = torch.tensor([[9.0, -9.0]])
    assert AnswerLoss("bce")(sure, torch.tensor([[1.0, 0.0]])).item() < 0.001


class Always(nn.Module):
    """Answers and chooses modules as scripted by the first word of the question."""

    def __init__(self, logits, weights):
        super().__init__()
        self.logits, self.weights = logits, weights

    def forward(self, tokens, features, boxes, mask):
        return Output(torch.stack([self.logits[int(t)] for t in tokens[:, 0]]), self.choose(tokens))

    def choose(self, tokens):
        return torch.stack([self.weights[int(t)] for t in tokens[:, 0]])


def step_of(net, size=4, rng=None, answer=None):
    asked = questions(24)
    answers = Answers.of(asked)
    encoding = Encoding(
        QuestionWords.of(q.text for q in asked), answers, build_table(Colored(), (q.image for q in asked))
    )
    pairs = encoding.pairs(groups(asked))
    batch = encoding.rows(asked).batch(torch.arange(size))
    both = (answers.find("yes"), answers.find("no"))
    return Step(net, batch, rng or Random(0), answer or AnswerLoss(), pairs, both)


def tiny_net():
    torch.manual_seed(0)
    asked = questions(24)
    return build_net(NET.sized(len(QuestionWords.of(q.text for q in asked)), len(Answers.of(asked)), 6)).eval()


def test_q3r_is_the_distance_of_the_two_choices_and_the_answer_loss():
    net = tiny_net()
    step = step_of(net)
    assert step.pairs is not None
    rng = Random(0)
    rng.random()
    which = (
        step.pairs.draw(["syn"], 4, rng) if rng.choice(["syn", "ant"]) == "syn" else step.pairs.draw(["ant"], 4, rng)
    )
    variants = step.pairs.variants.batch(which)
    apart = distance(net.choose(step.pairs.originals.words(which)), net.choose(variants.tokens), "l1", "sum")
    learned = AnswerLoss()(step.ask(variants).logits, variants.answers)
    assert Q3R(weight=2.0, rate=1.0, reduce="sum", ce=False).term(step).item() == pytest.approx(
        2 * apart.item(), abs=1e-6
    )
    again = Q3R(weight=2.0, rate=1.0, reduce="sum").term(step_of(net))
    assert again.item() == pytest.approx((2 * apart + learned).item(), abs=1e-5)


@pytest.mark.parametrize("loss", [Q3R(rate=0.2), Consistency(rate=0.2), Augment(rate=0.2), RandomImage(rate=0.2)])
def test_the_rate_is_the_share_of_steps_with_the_extra_term(loss):
    step = step_of(tiny_net())
    had = sum(loss.term(_with(step, Random(number))) is not None for number in range(200))
    assert 20 <= had <= 60


def _with(step, rng):
    return Step(step.net, step.batch, rng, step.answer, step.pairs, step.yes_no)


def test_consistency_wants_the_same_answer_or_its_opposite():
    asked = questions(24)
    answers = Answers.of(asked)
    yes, no = answers.find("yes"), answers.find("no")
    said_yes = torch.full((len(answers),), -20.0)
    said_yes[yes] = 20.0
    said_no = torch.full((len(answers),), -20.0)
    said_no[no] = 20.0

    class Says(nn.Module):
        def __init__(self, first, second):
            super().__init__()
            self.turn = [first, second]

        def forward(self, tokens, features, boxes, mask):
            return Output(self.turn.pop(0).expand(len(tokens), -1))

    def term(types, first, second):
        step = step_of(None)
        step = Step(Says(first, second), step.batch, Random(0), step.answer, step.pairs, step.yes_no)
        return Consistency(rate=1.0, distance="l1", types=types, ce=False).term(step).item()

    assert term("syn", said_yes, said_yes) == pytest.approx(0, abs=1e-6)
    assert term("syn", said_yes, said_no) == pytest.approx(2, abs=1e-6)
    assert term("ant", said_yes, said_no) == pytest.approx(0, abs=1e-6)
    assert term("ant", said_yes, said_yes) == pytest.approx(2, abs=1e-6)


def test_random_image_is_the_probability_of_the_correct_answer_with_another_image():
    net = tiny_net()
    step = step_of(net, size=2)
    other = net(step.batch.tokens, step.batch.features.flip(0), step.batch.boxes, step.batch.mask)
    wanted = (other.logits.sigmoid() * step.batch.answers).sum() / 2
    assert RandomImage().term(step).item() == pytest.approx(wanted.item(), abs=1e-6)
    assert RandomImage().term(step_of(net, size=1)) is None, "there is no other image"


def test_losses_are_made_from_specs_like_other_components():
    assert make("loss", "q3r:weight=1,rate=0.2,distance=kl,types=syn,ant") == Q3R(distance="kl", types="syn,ant")
    assert make("loss", "augment:groups=p2:synonymous,rate=0.5").groups == "p2:synonymous"
    for wrong in ("q3r:rate=2", "q3r:distance=l3", "consistency:weight=-1", "q3r:reduce=max"):
        with pytest.raises(BadOption):
            make("loss", wrong)


def test_a_test_that_no_group_has_is_refused():
    pairs = step_of(None).pairs
    check_types(Q3R(), pairs)
    with pytest.raises(DataError, match=r"'para'.*syn, ant"):
        check_types(Q3R(types="syn,para"), pairs)
