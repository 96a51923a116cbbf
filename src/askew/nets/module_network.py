"""StackNMN, XNM and HybridNet: controller, stack of attention maps, six modules (Whitehead et al. 2020, App. D)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from askew.nets.layers import Output, QuestionEncoder, RegionProjection, along, answer_head, masked_softmax, weighted
from askew.nets.net_config import MODULES, NetConfig
from askew.nets.neural_modules import (
    FusionFind,
    GraphTransform,
    ProductDescribe,
    ProductFind,
    ProductTransform,
    SumDescribe,
    intersection,
)


class ModulePlan(NamedTuple):
    """What the controller decides, from the question alone."""

    logits: Tensor
    """(B, T, M): scores of the modules."""
    parameters: Tensor
    """(B, T, H): the textual parameter of each step."""
    words: Tensor
    """(B, T, L): the words it was read from."""


class Controller(nn.Module):
    """History and question to module weights and a textual parameter (Whitehead et al. 2020, Fig. 6).

    The history is the parameter of the step before; each step has its own projection of the question.
    """

    def __init__(self, config: NetConfig, modules: int) -> None:
        super().__init__()
        hidden = config.hidden
        self.start = nn.Parameter(torch.zeros(hidden))
        self.views = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(config.steps))
        self.think = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ELU(), nn.Linear(hidden, hidden), nn.ELU())
        self.choose = nn.Linear(hidden, modules)
        self.read = nn.Linear(hidden, hidden, bias=False)

    def forward(self, states: Tensor, question: Tensor, real: Tensor) -> ModulePlan:
        """Word vectors (B, L, H), the question (B, H) and which words are real (B, L) to a plan of T steps."""
        history = self.start.expand_as(question)  # (B, H)
        logits, parameters, words = [], [], []
        for view in self.views:
            thought = self.think(torch.cat([view(question), history], dim=1))  # (B, H)
            reading = masked_softmax(along(states, self.read(thought)), real)  # (B, L)
            history = weighted(reading, states)  # (B, H)
            logits.append(self.choose(thought))  # (B, M)
            parameters.append(history)
            words.append(reading)
        return ModulePlan(torch.stack(logits, dim=1), torch.stack(parameters, dim=1), torch.stack(words, dim=1))


class Stack(NamedTuple):
    """Attention maps over K regions at S places, and a soft pointer to a place (Hu et al. 2018).

    The lowest map covers everything, so that modules that take a map have one in the first step. A push beyond the
    last place overwrites it, a pop at the lowest leaves it.
    """

    maps: Tensor
    """(B, S, K)."""
    pointer: Tensor
    """(B, S), summing to 1."""

    @classmethod
    def empty(cls, mask: Tensor, places: int) -> Stack:
        """Only the lowest map, with the pointer at it; ``mask`` (B, K) says which regions there are."""
        everything = mask.to(torch.float32).unsqueeze(1)  # (B, 1, K)
        maps = torch.cat([everything, *[torch.zeros_like(everything)] * (places - 1)], dim=1)  # (B, S, K)
        at_start = torch.ones_like(everything[:, :, 0])  # (B, 1)
        pointer = torch.cat([at_start, *[torch.zeros_like(at_start)] * (places - 1)], dim=1)  # (B, S)
        return cls(maps, pointer)

    def top(self) -> Tensor:
        """The map under the pointer, (B, K)."""
        return torch.bmm(self.pointer.unsqueeze(1), self.maps).squeeze(1)

    def pushed(self, attention: Tensor) -> Stack:
        """With a map (B, K) on top."""
        first, last = self.pointer[:, :-1], self.pointer[:, -1:]
        pointer = torch.cat([torch.zeros_like(last), first[:, :-1], first[:, -1:] + last], dim=1)  # (B, S)
        there = pointer.unsqueeze(2)  # (B, S, 1)
        return Stack(self.maps * (1 - there) + attention.unsqueeze(1) * there, pointer)

    def popped(self) -> Stack:
        """Without the map on top; the map stays in its place until something is pushed there."""
        first, second, rest = self.pointer[:, :1], self.pointer[:, 1:2], self.pointer[:, 2:]
        pointer = torch.cat([first + second, rest, torch.zeros_like(first)], dim=1)  # (B, S)
        return Stack(self.maps, pointer)


def blend(weights: Tensor, stacks: list[Stack]) -> Stack:
    """The average of N stacks by their weights (B, N)."""
    maps = torch.stack([stack.maps for stack in stacks], dim=1)  # (B, N, S, K)
    pointers = torch.stack([stack.pointer for stack in stacks], dim=1)  # (B, N, S)
    mixed = torch.bmm(weights.unsqueeze(1), maps.flatten(2)).view_as(maps[:, 0])  # (B, S, K)
    return Stack(mixed, torch.bmm(weights.unsqueeze(1), pointers).squeeze(1))


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
    """Answers in steps; in each step all modules run, and their results are averaged by the controller's weights.

    ``config.name`` says which: ``stacknmn``, ``xnm`` or ``hybridnet``.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        parts = PARTS[config.name]
        self.config = config
        self.question = QuestionEncoder(config)
        self.regions = RegionProjection(config)
        self.controller = Controller(config, len(MODULES))
        self.find = parts.find(config)
        self.transform = parts.transform(config)
        self.describe = parts.describe(config)
        self.answer = answer_head(config, 3 * config.hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers, with the weights, attention and words of every step."""
        states, question, real = self.question(tokens)  # (B, L, H), (B, H), (B, L)
        plan: ModulePlan = self.controller(states, question, real)
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
                    below.pushed(intersection(found, top)),  # filter
                    below.popped().pushed(intersection(top, below.top())),  # and
                    stack,  # describe reads the map and leaves it
                    stack,  # noop
                ],
            )
            attention.append(stack.top())
        logits = self.answer(torch.cat([seen, question, seen * question], dim=1))  # (B, A)
        return Output(logits, torch.softmax(plan.logits, dim=2), torch.stack(attention, dim=1), plan.words)

    def choose(self, tokens: Tensor) -> Tensor:
        """The module weights (B, T, M) of questions (B, L), from the question alone."""
        return torch.softmax(self.controller(*self.question(tokens)).logits, dim=2)

    def _execution(self, logits: Tensor) -> Tensor:
        """The weights by which modules are executed: with Gumbel noise in training if the configuration says so."""
        if not (self.training and self.config.gumbel):
            return torch.softmax(logits, dim=2)
        uniform = torch.rand_like(logits).clamp(1e-9, 1 - 1e-7)
        return torch.softmax((logits - torch.log(-torch.log(uniform))) / self.config.temperature, dim=2)
