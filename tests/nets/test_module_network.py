from __future__ import annotations

import torch

from askew.nets.module_network import Stack, blend

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
