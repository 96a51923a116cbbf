"""StackNMN, XNM and HybridNet: a controller, a stack of maps, and six modules (Whitehead et al. 2020, App. D)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from askew.nets.config import NetConfig
from askew.nets.controller import Controller, Plan
from askew.nets.head import answer_head
from askew.nets.modules import (
    FusionFind,
    GraphTransform,
    ProductDescribe,
    ProductFind,
    ProductTransform,
    SumDescribe,
    both,
)
from askew.nets.question import QuestionEncoder
from askew.nets.regions import Regions
from askew.nets.stack import Stack, blend
from askew.nets.types import Output

MODULES = ("find", "transform", "filter", "and", "describe", "noop")
"""The order of the module weights."""

_DESCRIBE = MODULES.index("describe")


class Parts(NamedTuple):
    """Which implementation of each module a network has."""

    find: type[ProductFind] | type[FusionFind]
    transform: type[ProductTransform] | type[GraphTransform]
    describe: type[ProductDescribe] | type[SumDescribe]


PARTS: Mapping[str, Parts] = {
    "stacknmn": Parts(ProductFind, ProductTransform, ProductDescribe),
    "xnm": Parts(FusionFind, GraphTransform, SumDescribe),
    "hybridnet": Parts(FusionFind, ProductTransform, SumDescribe),
}


class ModuleNetwork(nn.Module):
    """A network that answers in steps; in each, every module works and counts by the weight the controller gives it.

    ``config.name`` says which: ``stacknmn``, ``xnm`` or ``hybridnet``.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        parts = PARTS[config.name]
        self.config = config
        self.question = QuestionEncoder(config)
        self.regions = Regions(config)
        self.controller = Controller(config, len(MODULES))
        self.find = parts.find(config)
        self.transform = parts.transform(config)
        self.describe = parts.describe(config)
        self.answer = answer_head(config, 3 * config.hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers, with the weights, attention and words of every step."""
        states, question, real = self.question(tokens)  # (B, L, H), (B, H), (B, L)
        plan: Plan = self.controller(states, question, real)
        chosen = self._execution(plan.logits)  # (B, T, M)
        x, there = self.regions(features, boxes, mask), mask.to(features.dtype)  # (B, K, H), (B, K)
        to_find, to_move = self.find.prepare(x), self.transform.prepare(x, boxes, there)
        stack = Stack.empty(mask, self.config.steps + 1)
        seen = torch.zeros_like(question)  # (B, H)
        attention = []
        for step in range(self.config.steps):
            c, weights = plan.parameters[:, step], chosen[:, step]  # (B, H), (B, M)
            top = stack.top()  # (B, K)
            found = self.find(to_find, c, there)  # (B, K)
            moved = self.transform(to_move, c, top, there)  # (B, K)
            below = stack.popped()
            described = self.describe(x, c, top)  # (B, H)
            seen = seen + weights[:, _DESCRIBE].unsqueeze(1) * (described - seen)  # (B, H)
            stack = blend(
                weights,
                [
                    stack.pushed(found),  # find
                    below.pushed(moved),  # transform
                    below.pushed(both(found, top)),  # filter
                    below.popped().pushed(both(top, below.top())),  # and
                    stack,  # describe looks through the map and leaves it
                    stack,  # noop
                ],
            )
            attention.append(stack.top())
        logits = self.answer(torch.cat([seen, question, seen * question], dim=1))  # (B, A)
        return Output(logits, torch.softmax(plan.logits, dim=2), torch.stack(attention, dim=1), plan.words)

    def choose(self, tokens: Tensor) -> Tensor:
        """The module weights (B, T, M) of questions (B, L), without looking at any picture."""
        return torch.softmax(self.controller(*self.question(tokens)).logits, dim=2)

    def _execution(self, logits: Tensor) -> Tensor:
        """The weights modules are executed with: noisy in training where the configuration asks for it."""
        if not (self.training and self.config.gumbel):
            return torch.softmax(logits, dim=2)
        uniform = torch.rand_like(logits).clamp(1e-9, 1 - 1e-7)
        return torch.softmax((logits - torch.log(-torch.log(uniform))) / self.config.temperature, dim=2)
