"""Module networks: StackNMN, XNM and HybridNet (Whitehead et al. 2020, App. D).

A controller chooses among six modules (Table 5) and a stack keeps attention maps. Maps a, â over K regions lie between
0 and 1. x are the regions (B, K, H), c is the textual parameter (B, H). A 1x1 convolution to one channel after a
product is a dot product, so no (B, K, H) array is computed where the table's formula does not need one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from askew.nets.layers import Output, QuestionEncoder, RegionProjection, along, answer_head, masked_softmax, weighted
from askew.nets.net_config import MODULES, NetConfig

RELATIONS = 6
"""The number of spatial relations of two boxes: left, right, above, below, touching, distance."""


class ProductFind(nn.Module):
    """StackNMN's Find: conv2(conv1(x) ⊙ W c)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.first = nn.Linear(config.hidden, config.hidden)
        self.word = nn.Linear(config.hidden, config.hidden)
        self.second = nn.Linear(config.hidden, 1)

    def prepare(self, x: Tensor) -> tuple[Tensor, ...]:
        """Computed once for all steps, since it does not depend on the words: conv1(x), (B, K, H)."""
        return (self.first(x),)

    def forward(self, prepared: tuple[Tensor, ...], c: Tensor, mask: Tensor) -> Tensor:
        """A map (B, K)."""
        scores = along(prepared[0], self.word(c) * self.second.weight)  # (B, K)
        return torch.sigmoid(scores + self.second.bias) * mask


class FusionFind(nn.Module):
    """XNM's Find: conv(g(x, W c)) with g(x, y) = ReLU(x + y) - (x - y)² (Zhang et al. 2018).

    The square is taken apart into x² - 2xy + y²: the first part is the same in all steps, the others are dot products.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.first = nn.Linear(config.hidden, config.hidden)
        self.word = nn.Linear(config.hidden, config.hidden)
        self.second = nn.Linear(config.hidden, 1)

    def prepare(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The regions where they meet words, (B, K, H), and their squares as scores, (B, K)."""
        met = self.first(x)
        return met, torch.matmul(met.square(), self.second.weight[0])

    def forward(self, prepared: tuple[Tensor, Tensor], c: Tensor, mask: Tensor) -> Tensor:
        """A map (B, K)."""
        met, squares = prepared
        word, scored = self.word(c), self.second.weight  # (B, H), (1, H)
        sums = self.second(torch.relu(met + word.unsqueeze(1))).squeeze(2)  # (B, K)
        words = torch.matmul(word.square(), scored[0]).unsqueeze(1)  # (B, 1)
        return torch.sigmoid(sums - squares + 2 * along(met, word * scored) - words) * mask


class ProductTransform(nn.Module):
    """StackNMN's Transform: conv2(conv1(x) ⊙ W1 Σ(a ⊙ x) ⊙ W2 c), from the attended regions to others."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.first = nn.Linear(config.hidden, config.hidden)
        self.seen = nn.Linear(config.hidden, config.hidden)
        self.word = nn.Linear(config.hidden, config.hidden)
        self.second = nn.Linear(config.hidden, 1)

    def prepare(self, x: Tensor, boxes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """conv1(x) and x, (B, K, H) each."""
        return self.first(x), x

    def forward(self, prepared: tuple[Tensor, Tensor], c: Tensor, a: Tensor, mask: Tensor) -> Tensor:
        """A map (B, K)."""
        first, x = prepared
        seen = self.seen(weighted(normalised(a), x))  # (B, H)
        scores = along(first, seen * self.word(c) * self.second.weight)  # (B, K)
        return torch.sigmoid(scores + self.second.bias) * mask


class GraphTransform(nn.Module):
    """XNM's Transform: norm((σ(R W c) ⊙ M) a), which moves attention along the edges of a graph of regions.

    An edge has the features of both its ends and the spatial relation of their boxes. R W c is then a sum over both
    ends and over the relations, so R itself, (B, K, K, 2H), is never computed. M allows all edges, or (``near``) those
    between boxes that touch.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.near = config.graph == "near"
        self.goal = nn.Linear(config.hidden, config.hidden, bias=False)
        self.origin = nn.Linear(config.hidden, config.hidden, bias=False)
        self.relate = nn.Linear(config.hidden, RELATIONS + 1)

    def prepare(self, x: Tensor, boxes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The regions (B, K, H), and their spatial relations and edges (B, K, K, R + 1)."""
        relations = relations_of(boxes)  # (B, K, K, R)
        touching = relations[..., 4] if self.near else torch.ones_like(relations[..., 4])  # (B, K, K)
        edges = touching * mask.unsqueeze(1) * mask.unsqueeze(2)  # (B, K, K)
        return x, torch.cat([relations, edges.unsqueeze(3)], dim=3)

    def forward(self, prepared: tuple[Tensor, Tensor], c: Tensor, a: Tensor, mask: Tensor) -> Tensor:
        """A map (B, K)."""
        x, graph = prepared
        goal, origin = along(x, self.goal(c)), along(x, self.origin(c))  # (B, K) each
        relate = self.relate(c)  # (B, R + 1)
        scale = x.shape[2] ** -0.5
        lying = torch.matmul(graph[..., :RELATIONS], relate[:, None, :RELATIONS, None]).squeeze(3)  # (B, K, K)
        logits = (
            lying + (scale * goal + relate[:, RELATIONS:]).unsqueeze(2) + (scale * origin).unsqueeze(1)
        )  # (B, K, K)
        moved = along(torch.sigmoid(logits) * graph[..., RELATIONS], a)  # (B, K)
        return moved / moved.amax(dim=1, keepdim=True).clamp(min=1.0)  # (B, K), at most 1


class ProductDescribe(nn.Module):
    """StackNMN's Describe: W1ᵀ(W2 Σ(a ⊙ x) ⊙ W3 c)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.seen = nn.Linear(config.hidden, config.hidden)
        self.word = nn.Linear(config.hidden, config.hidden)
        self.out = nn.Linear(config.hidden, config.hidden)

    def forward(self, x: Tensor, c: Tensor, a: Tensor) -> Tensor:
        """The attended features, (B, H)."""
        described: Tensor = self.out(self.seen(weighted(normalised(a), x)) * self.word(c))
        return described


class SumDescribe(nn.Module):
    """XNM's Describe: Σ a ⊙ x. Not a mean, so that two objects differ from one."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()

    def forward(self, x: Tensor, c: Tensor, a: Tensor) -> Tensor:
        """The attended features, (B, H)."""
        return weighted(a, x)


def normalised(a: Tensor) -> Tensor:
    """A map (B, K) whose values sum to 1, or to less if it is nearly zero everywhere; input of StackNMN's modules.

    >>> normalised(torch.tensor([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    return a / a.sum(dim=1, keepdim=True).clamp(min=1e-3)


def relations_of(boxes: Tensor) -> Tensor:
    """Spatial relations of box i to box j, (B, K, 4) to (B, K, K, 6): left, right, above, below, touching, distance.

    The first four are how far, as shares of the image, and 0 on the other side.

    >>> two = torch.tensor([[[0.0, 0.0, 0.25, 0.25], [0.5, 0.0, 0.25, 0.25]]])
    >>> relations_of(two)[0, 0, 1].abs().tolist()
    [0.5, 0.0, 0.0, 0.0, 0.0, 0.5]
    """
    size = boxes[..., 2:]  # (B, K, 2)
    centre = boxes[..., :2] + size / 2  # (B, K, 2)
    apart = centre.unsqueeze(1) - centre.unsqueeze(2)  # (B, K, K, 2): from i to j
    reach = (size.unsqueeze(1) + size.unsqueeze(2)) / 2 + 1e-4  # (B, K, K, 2)
    touching = (apart.abs() <= reach).to(boxes.dtype).prod(dim=3, keepdim=True)  # (B, K, K, 1)
    sides = torch.relu(torch.stack([apart[..., 0], -apart[..., 0], apart[..., 1], -apart[..., 1]], dim=3))
    return torch.cat([sides, touching, apart.square().sum(dim=3, keepdim=True).sqrt()], dim=3)  # (B, K, K, 6)


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
    """A stack of S attention maps over K regions, with a soft pointer to its top (Hu et al. 2018).

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
        """The stack with a map (B, K) pushed on top."""
        first, last = self.pointer[:, :-1], self.pointer[:, -1:]
        pointer = torch.cat([torch.zeros_like(last), first[:, :-1], first[:, -1:] + last], dim=1)  # (B, S)
        there = pointer.unsqueeze(2)  # (B, S, 1)
        return Stack(self.maps * (1 - there) + attention.unsqueeze(1) * there, pointer)

    def popped(self) -> Stack:
        """The stack without its top map, which stays in memory until another map is pushed there."""
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
                    below.pushed(torch.minimum(found, top)),  # filter
                    below.popped().pushed(torch.minimum(top, below.top())),  # and
                    stack,  # describe reads the map and leaves it
                    stack,  # noop
                ],
            )
            attention.append(stack.top())
        logits = self.answer(torch.cat([seen, question, seen * question], dim=1))  # (B, A)
        return Output(logits, torch.softmax(plan.logits, dim=2), torch.stack(attention, dim=1), plan.words)

    def choose(self, tokens: Tensor) -> Tensor:
        """The module weights (B, T, M) of questions (B, L), from the question alone, so that Q3R needs no images."""
        return torch.softmax(self.controller(*self.question(tokens)).logits, dim=2)

    def _execution(self, logits: Tensor) -> Tensor:
        """The weights by which modules are executed: with Gumbel noise in training if the configuration says so."""
        if not (self.training and self.config.gumbel):
            return torch.softmax(logits, dim=2)
        uniform = torch.rand_like(logits).clamp(1e-9, 1 - 1e-7)
        return torch.softmax((logits - torch.log(-torch.log(uniform))) / self.config.temperature, dim=2)
