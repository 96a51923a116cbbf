"""Laws for every network."""

from __future__ import annotations

import pytest
import torch

from askew.errors import BadOption, UnknownName
from askew.nets.module_network import ModuleNetwork
from askew.nets.net_config import MODULES, NetConfig
from askew.nets.networks import NETWORKS, build_net
from askew.registry import make, names

WORDS, ANSWERS, D, K = 20, 5, 6, 4
MODULAR = ("hybridnet", "stacknmn", "xnm")


def net_of(name, **options):
    torch.manual_seed(0)
    config = NetConfig(name, hidden=8, embedding=6, heads=2, **options).sized(WORDS, ANSWERS, D)
    return build_net(config).eval()


def batch(count=3):
    torch.manual_seed(1)
    tokens = torch.tensor([[2, 3, 4, 5], [6, 7, 0, 0], [8, 0, 0, 0]])[:count]
    mask = torch.tensor([[True] * 4, [True, True, False, False], [True, False, False, False]])[:count]
    return tokens, torch.randn(3, K, D)[:count], torch.rand(3, K, 4)[:count], mask


def test_every_network_can_be_named():
    assert names("net") == sorted(NETWORKS)
    for name in NETWORKS:
        assert make("net", name).name == name
    with pytest.raises(UnknownName, match="butd"):
        build_net(NetConfig("nothing"))


@pytest.mark.parametrize("name", NETWORKS)
def test_shapes(name):
    net, (tokens, features, boxes, mask) = net_of(name), batch()
    said = net(tokens, features, boxes, mask)
    assert said.logits.shape == (3, ANSWERS)
    assert (said.weights is not None) == (name in MODULAR)
    if said.weights is not None:
        assert said.weights.shape == (3, 3, len(MODULES))
        assert said.words.shape == (3, 3, 4)
        assert torch.allclose(said.weights.sum(dim=2), torch.ones(3, 3), atol=1e-6)
        assert torch.allclose(said.words.sum(dim=2), torch.ones(3, 3), atol=1e-6)
        assert (said.words[2, :, 1:] < 1e-6).all(), "padding is read"
    if said.attention is not None:
        assert said.attention.shape[2] == K
        assert (said.attention[2, :, 1:] == 0).all(), "padding is looked at"


@pytest.mark.parametrize("name", NETWORKS)
def test_padding_changes_nothing(name):
    net, (tokens, features, boxes, mask) = net_of(name), batch()
    whole = net(tokens, features, boxes, mask).logits
    alone = net(tokens[1:2, :2], features[1:2, :2], boxes[1:2, :2], mask[1:2, :2]).logits
    assert torch.allclose(whole[1:2], alone, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_weight_gets_a_gradient(name):
    net = net_of(name).train()
    net(*batch()).logits.square().sum().backward()
    still = [key for key, weights in net.named_parameters() if weights.grad is None or not weights.grad.abs().any()]
    assert still == []


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "language"])
def test_the_image_matters(name):
    net, (tokens, features, boxes, mask) = net_of(name), batch()
    assert not torch.allclose(net(tokens, features, boxes, mask).logits, net(tokens, -features, boxes, mask).logits)


def test_the_language_network_ignores_the_image():
    net, (tokens, features, boxes, mask) = net_of("language"), batch()
    assert torch.equal(net(tokens, features, boxes, mask).logits, net(tokens, -features, boxes, mask).logits)


@pytest.mark.parametrize("name", MODULAR)
def test_the_choice_of_modules_depends_on_the_question_alone(name):
    net, (tokens, features, boxes, mask) = net_of(name), batch()
    assert torch.allclose(net.choose(tokens), net(tokens, features, boxes, mask).weights, atol=1e-6)


def test_gumbel_noise_is_there_in_training_and_gone_in_evaluation():
    net, given = net_of("xnm", gumbel=True, dropout=0.0), batch()
    assert torch.equal(net(*given).logits, net(*given).logits)
    net.train()
    first, second = net(*given), net(*given)
    assert not torch.allclose(first.logits, second.logits)
    assert torch.equal(first.weights, second.weights), "the distribution itself has no noise"


def test_with_all_weight_on_noop_no_region_is_read():
    net = net_of("xnm")
    assert isinstance(net, ModuleNetwork)
    with torch.no_grad():
        net.controller.choose.weight.zero_()
        net.controller.choose.bias.copy_(torch.tensor([-99.0 if name != "noop" else 99.0 for name in MODULES]))
    tokens, features, boxes, mask = batch()
    said = net(tokens, features, boxes, mask)
    assert torch.equal(said.attention[:, 0], mask.float()), "the stack stays as it began"
    assert torch.allclose(said.logits, net(tokens, -features, boxes, mask).logits)


@pytest.mark.parametrize("name", ["xnm", "cnn-lstm"])
def test_pixels(name):
    net, tokens = net_of(name, encoder="conv"), batch()[0]
    said = net(tokens, torch.rand(3, 3, 64, 64), torch.zeros(3, 1, 4), torch.zeros(3, 1, dtype=torch.bool))
    assert said.logits.shape == (3, ANSWERS)
    if name == "xnm":
        assert said.attention.shape == (3, 3, 64)
        assert net.choose(tokens).shape == (3, 3, len(MODULES))


@pytest.mark.parametrize("options", [{"hidden": 7}, {"steps": 0}, {"dropout": 1.0}, {"temperature": 0}])
def test_bad_options_are_refused(options):
    with pytest.raises(BadOption, match=next(iter(options))):
        NetConfig("xnm", **options)
