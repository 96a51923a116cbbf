"""The modules by hand: one region, one number at a time, as Table 5 of Whitehead et al. has them."""

from __future__ import annotations

import pytest
import torch

from askew.nets.module_network import (
    FusionFind,
    GraphTransform,
    ProductDescribe,
    ProductFind,
    ProductTransform,
    Stack,
    SumDescribe,
    blend,
    relations_of,
)
from askew.nets.net_config import NetConfig

CONFIG = NetConfig("xnm", hidden=2, heads=1)
HERE = torch.ones(1, 2)


def simple(module):
    """Weights for calculation by hand: identity where square, ones elsewhere, no bias."""
    for name, weights in module.named_parameters():
        with torch.no_grad():
            if name.endswith("bias"):
                weights.zero_()
            else:
                weights.copy_(torch.eye(2) if weights.shape == (2, 2) else torch.ones_like(weights))
    return module


def test_product_find_is_a_product():
    find = simple(ProductFind(CONFIG))
    x = torch.tensor([[[1.0, 2.0], [0.0, -1.0]]])
    c = torch.tensor([[3.0, 0.5]])
    # 1*3 + 2*0.5 = 4; 0*3 - 1*0.5 = -0.5
    assert torch.allclose(find(find.prepare(x), c, HERE), torch.sigmoid(torch.tensor([[4.0, -0.5]])))


def test_fusion_find_computes_the_formula_of_the_paper_in_parts():
    torch.manual_seed(0)
    config = NetConfig("xnm", hidden=6, heads=1)
    find = FusionFind(config)
    x, c, here = torch.randn(3, 4, 6), torch.randn(3, 6), torch.ones(3, 4)
    y = find.word(c).unsqueeze(1)
    met = find.first(x)
    fused = torch.relu(met + y) - (met - y).square()
    wanted = torch.sigmoid(find.second(fused).squeeze(2))
    assert torch.allclose(find(find.prepare(x), c, here), wanted, atol=1e-6)


def test_fusion_find_by_hand():
    find = simple(FusionFind(CONFIG))
    x, c = torch.tensor([[[1.0, 2.0], [0.0, -1.0]]]), torch.tensor([[1.0, 0.0]])
    # region 1: ReLU(2) + ReLU(2) - (0 + 4) = 0; region 2: ReLU(1) + ReLU(-1) - (1 + 1) = -1
    assert torch.allclose(find(find.prepare(x), c, HERE), torch.sigmoid(torch.tensor([[0.0, -1.0]])))


def test_padding_is_never_attended():
    there = torch.tensor([[1.0, 0.0]])
    find, transform = simple(FusionFind(CONFIG)), simple(GraphTransform(CONFIG))
    x, c, boxes = torch.ones(1, 2, 2), torch.ones(1, 2), torch.zeros(1, 2, 4)
    assert find(find.prepare(x), c, there)[0, 1] == 0
    assert transform(transform.prepare(x, boxes, there), c, torch.ones(1, 2), there)[0, 1] == 0


def test_product_transform_uses_the_attended_regions():
    transform = simple(ProductTransform(CONFIG))
    x, c = torch.tensor([[[1.0, 2.0], [4.0, 0.0]]]), torch.tensor([[1.0, 1.0]])
    a = torch.tensor([[1.0, 0.0]])  # sees (1, 2): scores 1*1 + 2*2 = 5 and 4*1 + 0*2 = 4
    moved = transform(transform.prepare(x, torch.zeros(1, 2, 4), HERE), c, a, HERE)
    assert torch.allclose(moved, torch.sigmoid(torch.tensor([[5.0, 4.0]])))


def test_graph_transform_moves_attention_along_the_relation_that_the_words_name():
    transform = GraphTransform(CONFIG)
    with torch.no_grad():
        for weights in transform.parameters():
            weights.zero_()
        transform.relate.bias[1] = 100.0  # right of, and far
        transform.relate.bias[6] = -20.0
    boxes = torch.tensor([[[0.0, 0.0, 0.2, 0.2], [0.7, 0.0, 0.2, 0.2]]])
    prepared = transform.prepare(torch.zeros(1, 2, 2), boxes, HERE)
    moved = transform(prepared, torch.zeros(1, 2), torch.tensor([[1.0, 0.0]]), HERE)
    assert moved[0, 1] > 0.99, "what lies to the right of the first box is the second"
    assert moved[0, 0] < 0.01


def test_graph_transform_is_divided_by_its_largest_value_when_that_is_above_one():
    transform = GraphTransform(CONFIG)
    with torch.no_grad():
        for weights in transform.parameters():
            weights.zero_()
    prepared = transform.prepare(torch.zeros(1, 2, 2), torch.zeros(1, 2, 4), HERE)
    small = transform(prepared, torch.zeros(1, 2), torch.tensor([[0.5, 0.5]]), HERE)  # sigmoid(0) * (0.5 + 0.5)
    assert torch.allclose(small, torch.full((1, 2), 0.5))
    large = transform(prepared, torch.zeros(1, 2), torch.tensor([[2.0, 2.0]]), HERE)  # 2, so divided by 2
    assert torch.allclose(large, torch.ones(1, 2))


def test_near_graphs_have_edges_only_between_boxes_that_touch():
    transform = GraphTransform(NetConfig("xnm", hidden=2, heads=1, graph="near"))
    boxes = torch.tensor([[[0.0, 0.0, 0.2, 0.2], [0.2, 0.0, 0.2, 0.2], [0.8, 0.8, 0.1, 0.1]]])
    _, graph = transform.prepare(torch.zeros(1, 3, 2), boxes, torch.ones(1, 3))
    assert graph[0, :, :, -1].tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_describe_by_hand():
    x = torch.tensor([[[1.0, 2.0], [4.0, 0.0]]])
    a, c = torch.tensor([[1.0, 0.5]]), torch.tensor([[2.0, 3.0]])
    assert SumDescribe(CONFIG)(x, c, a).tolist() == [[3.0, 2.0]]
    # as shares 2/3 and 1/3: (2, 4/3), times the words
    assert torch.allclose(simple(ProductDescribe(CONFIG))(x, c, a), torch.tensor([[4.0, 4.0]]))


def test_two_objects_are_described_differently_from_one():
    x, c = torch.ones(1, 2, 2), torch.ones(1, 2)
    one, two = (SumDescribe(CONFIG)(x, c, torch.tensor([a])) for a in ([1.0, 0.0], [1.0, 1.0]))
    assert not torch.allclose(one, two)


@pytest.mark.parametrize(("i", "j", "wanted"), [(0, 1, [0.5, 0, 0, 0, 0, 0.5]), (1, 0, [0, 0.5, 0, 0, 0, 0.5])])
def test_relations_are_reversed_from_the_other_box(i, j, wanted):
    boxes = torch.tensor([[[0.0, 0.0, 0.25, 0.25], [0.5, 0.0, 0.25, 0.25]]])
    assert relations_of(boxes)[0, i, j].tolist() == wanted


MASK = torch.tensor([[True, True, False]])


def test_an_empty_stack_attends_to_every_region():
    assert Stack.empty(MASK, 3).top().tolist() == [[1, 1, 0]]


def test_a_pushed_map_is_on_top_and_popping_restores_the_one_before():
    first, second = torch.tensor([[0.1, 0.2, 0.0]]), torch.tensor([[0.5, 0.6, 0.0]])
    stack = Stack.empty(MASK, 3).pushed(first).pushed(second)
    assert torch.equal(stack.top(), second)
    assert torch.equal(stack.popped().top(), first)
    assert stack.popped().popped().top().tolist() == [[1, 1, 0]]


def test_popping_the_bottom_keeps_it_and_pushing_beyond_the_top_overwrites_it():
    bottom = Stack.empty(MASK, 2).popped()
    assert bottom.pointer.tolist() == [[1, 0]]
    maps = [torch.full((1, 3), value) for value in (0.1, 0.2)]
    full = Stack.empty(MASK, 2).pushed(maps[0]).pushed(maps[1])
    assert full.pointer.tolist() == [[0, 1]]
    assert torch.equal(full.top(), maps[1])


def test_half_a_push_is_halfway_between_the_two_stacks():
    before = Stack.empty(MASK, 2)
    after = blend(torch.tensor([[0.5, 0.5]]), [before, before.pushed(torch.zeros(1, 3))])
    assert after.pointer.tolist() == [[0.5, 0.5]]
    assert after.top().tolist() == [[0.5, 0.5, 0.0]]
