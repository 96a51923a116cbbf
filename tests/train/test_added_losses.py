"""The laws of all losses, and numbers by hand of those in a file of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log
from random import Random
from types import SimpleNamespace

import pytest
import torch
from tiny import NET, Colored, Stops, groups, questions
from torch import nn

from askew.errors import BadOption, DataError
from askew.nets.branches import GroupShares, LearnedMixin
from askew.nets.layers import Batch, Output
from askew.nets.net_config import NetConfig, QuestionWords
from askew.nets.networks import NETWORKS, build_net
from askew.registry import factory, make, names, option_types
from askew.train import loop
from askew.train.adversarial import Villa, word_embedding
from askew.train.batches import Answers, Encoding, Pairs, build_table
from askew.train.css import CSS
from askew.train.lmh import LMH
from askew.train.loop import train
from askew.train.losses import AnswerLoss, HasBranch, Step
from askew.train.rubi import RUBi
from askew.train.worst_groups import GroupDRO, WorstVariant

LOSSES = [name for name in names("loss") if name != "answer"]


def spec(name, **options):
    """The loss in every step, where it has a rate, and without the answers to variants, where they are an option."""
    known = option_types(factory("loss", name))
    options |= {option: value for option, value in (("rate", 1), ("ce", "false")) if option in known}
    return f"{name}:" + ",".join(f"{option}={value}" for option, value in options.items())


def needed(name):
    """The answer loss that a loss needs to take its place."""
    kinds = getattr(make("loss", name), "replaces_answer", ("bce",))
    return [AnswerLoss(kinds[0])]


def tiny(output, losses=(), net=NET, **settings):
    asked = questions(32)
    options = {"epochs": 1, "batch_size": 16, "least_answers": 1, "rate": 0.01, "groups": groups(asked)} | settings
    return train(net, asked, questions(8, 1000), Colored(), losses, output=output, **options)


def weights(folder, name="weights.pt"):
    return torch.load(folder / name, weights_only=True)


@dataclass(frozen=True)
class OnlyWords:
    """A loss that adds nothing: the network knows the words of the variants with and without other losses."""

    groups: str = ""
    types: str = ""

    def term(self, step):
        return None


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The weights of plain training with each answer loss."""
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in ("bce", "ce")}
    return {kind: weights(tiny(folder, [AnswerLoss(kind), OnlyWords()]).folder) for kind, folder in folders.items()}


@pytest.mark.parametrize("name", LOSSES)
def test_a_weight_of_zero_is_plain_training_and_any_other_is_not(tmp_path, plain, name):
    tiny(tmp_path / "zero", [*needed(name), spec(name, weight=0), OnlyWords()])
    same, expected = weights(tmp_path / "zero"), plain[needed(name)[0].kind]
    assert expected.keys() == same.keys()
    for key, values in expected.items():
        torch.testing.assert_close(same[key], values, rtol=1e-4, atol=1e-4)
    done = tiny(tmp_path / "one", [*needed(name), spec(name, weight=1), OnlyWords()])
    assert name in done.history[0]["loss"]
    changed = weights(tmp_path / "one")
    assert any((changed[key] - expected[key]).abs().max() > 1e-3 for key in expected)


@pytest.mark.parametrize("name", [name for name in LOSSES if isinstance(make("loss", name), HasBranch)])
def test_what_a_loss_trains_beside_the_network_resumes_with_it(tmp_path, monkeypatch, name):
    monkeypatch.setattr(loop, "SAVE_EVERY", -1.0)  # after every step
    tiny(tmp_path / "whole", [*needed(name), name, Stops([0])], epochs=2)
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "broken", [*needed(name), name, Stops([4])], epochs=2)
    done = tiny(tmp_path / "broken", [*needed(name), name, Stops([0])], epochs=2)
    one, other = (weights(tmp_path / folder, "state.pt") for folder in ("whole", "broken"))
    assert one["branches"]
    for part in ("net", "branches"):
        assert all(torch.equal(one[part][key], other[part][key]) for key in one[part])
    assert weights(tmp_path / "broken").keys() == done.net.state_dict().keys(), "the branch does not answer"


class Fixed(nn.Module):
    """Gives the same logits to every question, from a fused vector of zeros."""

    def __init__(self, logits):
        super().__init__()
        self.logits = torch.tensor(logits)
        self.answer = nn.Sequential(nn.Linear(2, 2))

    def forward(self, tokens, features, boxes, mask):
        self.answer(torch.zeros(len(tokens), 2))
        return Output(self.logits.expand(len(tokens), -1))


def step_of(net, answers, **parts):
    count = len(answers)
    batch = Batch(
        torch.ones(count, 1, dtype=torch.int64),
        torch.zeros(count, 1, 1),
        torch.zeros(count, 1, 4),
        torch.ones(count, 1, dtype=torch.bool),
        torch.tensor(answers),
    )
    return Step(net, batch, Random(0), which=torch.arange(count), **{"answer": AnswerLoss()} | parts)


def softplus(x):
    return log(1 + exp(x))


def lmh_branch(bias):
    branch = LearnedMixin(2, torch.tensor([bias]), torch.tensor([0]))
    nn.init.zeros_(branch.factor.bias)  # g = softplus(0) = log 2
    return branch


def test_lmh_by_hand():
    smooth = 1 / (1 + exp(1))
    added = log(2) * log((0.75 + smooth) / (0.25 + smooth))  # b = 3/4: the log odds, times g
    spread = softplus(added) - added / (1 + exp(-added))  # the entropy of σ(added), which is that of σ(-added)
    step = step_of(Fixed([0.0, 0.0]), [[1.0, 0.0]], branch=lmh_branch([0.75, 0.25]))
    assert LMH(entropy=2.0).term(step).item() == pytest.approx(2 * softplus(-added) + 2 * spread)
    assert LMH(weight=0.5, entropy=2.0).term(step).item() == pytest.approx(softplus(-added) + spread + log(2))
    first, second = (log(2) * log(share + smooth) for share in (0.75, 0.25))
    chance = 1 / (1 + exp(second - first))
    spread = -chance * log(chance) - (1 - chance) * log(1 - chance)
    step = replace(step, answer=AnswerLoss("ce"))
    assert LMH(entropy=2.0).term(step).item() == pytest.approx(-log(chance) + 2 * spread)


def test_lmh_counts_answers_by_the_type_of_the_question():
    training = SimpleNamespace(
        types=["is it", "what", "is it"],
        train=SimpleNamespace(
            answers=2,
            numbers=torch.tensor([[0, 2], [1, 2], [0, 1]]),
            values=torch.tensor([[1.0, 0.0], [0.9, 0.0], [0.6, 0.4]]),
        ),
    )
    branch = LMH().branch(training, Fixed([0.0, 0.0]))
    torch.testing.assert_close(branch.bias, torch.tensor([[0.8, 0.2], [0.0, 0.9]]))
    assert branch.types.tolist() == [0, 1, 0]


class Branch(nn.Module):
    """A question-only branch with a mask of 3/4 and 1/4, and no opinion of its own."""

    def forward(self, batch):
        return torch.tensor([[0.75, 0.25]]), torch.zeros(1, 2)


def test_rubi_by_hand():
    step = step_of(Fixed([4.0, -4.0]), [[1.0, 0.0]], answer=AnswerLoss("ce"), branch=Branch())
    masked, alone = softplus(-1 - 3), log(2)
    assert RUBi().term(step).item() == pytest.approx(masked + alone)
    assert RUBi(weight=0.5, branch_weight=0.0).term(step).item() == pytest.approx(
        0.5 * masked + 0.5 * softplus(-8), rel=1e-4
    )


def test_group_dro_by_hand():
    branch = GroupShares(3, torch.tensor([0, 1, 1, 2]))
    errors, which = torch.tensor([1.0, 4.0, 2.0]), torch.tensor([0, 1, 2])  # mean errors 1, 3 and none
    shares = [2 / 11, 8 / 11, 1 / 11]  # 1/3 each, times 2^1, 2^3 and 2^0
    assert branch(errors, which, log(2)).item() == pytest.approx(shares[0] + 3 * shares[1])
    torch.testing.assert_close(branch.shares, torch.tensor(shares))
    step = step_of(Fixed([0.0, 0.0]), [[1.0, 0.0], [1.0, 0.0]], branch=GroupShares(2, torch.tensor([0, 1])))
    step = replace(step, weights=torch.tensor([1.0, 3.0]))
    assert GroupDRO(weight=0.5, step_size=0.0).term(step).item() == pytest.approx(4 * log(2))


def test_group_dro_needs_two_kinds(tmp_path):
    asked = [question for question in questions(32) if question.kind.answer_type == "yes/no"]
    with pytest.raises(DataError, match="there is no worst"):
        train(NET, asked, questions(8, 1000), Colored(), ["group-dro:by=answer_type"], output=tmp_path, least_answers=1)


def test_worst_variant_by_hand():
    class Scripted(nn.Module):
        def forward(self, tokens, features, boxes, mask):
            return Output(torch.tensor([[0.0, 0.0], [-2.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))

    step = step_of(Scripted(), [[1.0, 0.0]] * 4)
    rows = SimpleNamespace(batch=lambda which: step.batch)
    pairs = Pairs(rows, rows, {"syn": [0, 1]}, torch.tensor([True] * 2), torch.tensor([False] * 2), [0, 1])
    step = replace(step, pairs=pairs)
    worst = (softplus(2) + log(2) + softplus(-1) + log(2)) / 2
    assert WorstVariant(weight=3.0, rate=1.0, k=2).term(step).item() == pytest.approx(3 * worst)


def test_variants_are_drawn_together_from_the_tests_that_are_named():
    asked = questions(24)
    encoding = Encoding(QuestionWords.of([]), Answers.of(asked), build_table(Colored(), (q.image for q in asked)))
    pairs = encoding.pairs(groups(asked))
    for tests in (["syn"], ["ant"], ["syn", "ant"]):
        drawn = pairs.draw_together(tests, 5, 3, Random(0)).view(5, 3).tolist()
        assert all(len({pairs.groups[number] for number in together}) == 1 for together in drawn)
        assert {number for together in drawn for number in together} <= {n for test in tests for n in pairs.tests[test]}
        assert len({pairs.groups[together[0]] for together in drawn}) > 1


class FirstNumber(nn.Module):
    """The logit of the first answer is the first number of the only word and of the only region, added up."""

    def __init__(self, word):
        super().__init__()
        self.embed = nn.Embedding(2, 2, padding_idx=0)
        self.embed.weight.data[1] = torch.tensor(word)

    def forward(self, tokens, features, boxes, mask):
        first = (self.embed(tokens) + features).sum(dim=1)[:, :1]
        return Output(torch.cat([first, 0 * first], dim=1))


@pytest.mark.parametrize("part", ["words", "regions"])
def test_villa_by_hand(part):
    vector = [3.0, 4.0]  # of norm 5: within a tenth of that the worst first number is 2.5
    step = step_of(FirstNumber(vector if part == "words" else [0.0, 0.0]), [[1.0, 0.0]])
    if part == "regions":
        step = replace(step, batch=step.batch._replace(features=torch.tensor([[vector]])))
    before, after = 1 / (1 + exp(-3)), 1 / (1 + exp(-2.5))
    apart = before * log(before / after) + (1 - before) * log((1 - before) / (1 - after))
    error = softplus(-2.5) + log(2)
    made = Villa(weight=2.0, radius=0.1, divergence=3.0, part=part).term(step)
    assert made.item() == pytest.approx(2 * (error + 3 * apart), rel=1e-4)
    assert step.ask(step.batch).logits[0, 0].item() == 3.0, "the network is as it was"


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_has_words_to_change(name):
    config = NetConfig(name, hidden=8, embedding=6).sized(20, 5, 6)
    assert word_embedding(build_net(config)).num_embeddings == 20


class TwoParts(nn.Module):
    """The logit of the first answer is one more than a weighted sum over two regions and two words."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 1, padding_idx=0)
        self.embed.weight.data[1:] = torch.tensor([[0.0], [1.0], [1.0]])  # unknown, and two words

    def forward(self, tokens, features, boxes, mask):
        words = self.embed(tokens).squeeze(2) @ torch.tensor([0.5, 3.0])
        regions = features.squeeze(2) @ torch.tensor([2.0, 0.0])
        first = (words + regions + 1).unsqueeze(1)
        return Output(torch.cat([first, 0 * first], dim=1))


def two_parts(tokens, regions):
    step = step_of(TwoParts(), [[1.0, 0.0]])
    batch = step.batch._replace(
        tokens=torch.tensor([tokens]),
        features=torch.tensor([regions]).unsqueeze(2),
        boxes=torch.zeros(1, 2, 4),
        mask=torch.ones(1, 2, dtype=torch.bool),
    )
    return replace(step, batch=batch)


def test_css_by_hand():
    regions = CSS(weight=2.0, regions=1.0, top=1)  # e² / (e² + 1) = 0.88 of the softmax is the first region's
    answered = regions.term(two_parts([1, 1], [3.0, 5.0])).item()
    assert answered == pytest.approx(2 * (softplus(1) + log(2))), "that region alone gives the answer: it is left out"
    kept = regions.term(two_parts([1, 1], [-3.0, 5.0])).item()
    assert kept == pytest.approx(2 * (softplus(-1) + log(2))), "that region alone does not give it"
    words = CSS(regions=0.0, top=1).term(two_parts([2, 3], [0.0, 0.0])).item()
    assert words == pytest.approx(softplus(1.5) + log(2)), "the second word is unknown: 1 + 0.5 is left"


def test_css_needs_regions():
    step = two_parts([2, 3], [0.0, 0.0])
    pixels = replace(step, batch=step.batch._replace(features=torch.zeros(1, 3, 4, 4)))
    with pytest.raises(BadOption, match="css:regions=0"):
        CSS().term(pixels)


def test_one_loss_at_most_takes_the_place_of_the_answer_loss(tmp_path):
    with pytest.raises(BadOption, match="name one of them"):
        tiny(tmp_path, ["lmh", "rubi"])
    with pytest.raises(BadOption, match="also name the loss answer:kind=ce"):
        tiny(tmp_path, ["rubi"])
    for wrong in (
        "lmh:weight=2",
        "lmh:entropy=-1",
        "rubi:branch_weight=-1",
        "group-dro:step_size=-1",
        "worst-variant:k=1",
        "css:eta=1",
        "css:top=0",
        "villa:steps=0",
        "villa:part=x",
    ):
        with pytest.raises(BadOption):
            make("loss", wrong)
