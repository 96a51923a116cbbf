"""The modules of the module networks (Whitehead et al. 2020, Table 5). Maps a, â over K regions lie between 0 and 1.

x are the regions (B, K, H), c is the textual parameter (B, H). A 1x1 convolution to one channel after a product is a
dot product, so no (B, K, H) array is computed where the table's formula does not need one.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.layers import along, weighted
from askew.nets.net_config import NetConfig

RELATIONS = 6
"""How two boxes can lie to each other: left, right, above, below, touching, distance."""


class ProductFind(nn.Module):
    """StackNMN's Find: conv2(conv1(x) ⊙ W c)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.first = nn.Linear(config.hidden, config.hidden)
        self.word = nn.Linear(config.hidden, config.hidden)
        self.second = nn.Linear(config.hidden, 1)

    def prepare(self, x: Tensor) -> tuple[Tensor, ...]:
        """What does not depend on the words, once for all steps: conv1(x), (B, K, H)."""
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
        """The regions (B, K, H), how each lies to each other and which edges there are (B, K, K, R + 1)."""
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
        said: Tensor = self.out(self.seen(weighted(normalised(a), x)) * self.word(c))
        return said


class SumDescribe(nn.Module):
    """XNM's Describe: Σ a ⊙ x. Not a mean, so that two objects differ from one."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()

    def forward(self, x: Tensor, c: Tensor, a: Tensor) -> Tensor:
        """The attended features, (B, H)."""
        return weighted(a, x)


def intersection(a: Tensor, b: Tensor) -> Tensor:
    """And: min(a1, a2).

    >>> intersection(torch.tensor([0.2, 0.9]), torch.tensor([0.5, 0.1])).tolist() == torch.tensor([0.2, 0.1]).tolist()
    True
    """
    return torch.minimum(a, b)


def normalised(a: Tensor) -> Tensor:
    """A map (B, K) whose values sum to 1, or to less where it is nearly zero everywhere; input of StackNMN's modules.

    >>> normalised(torch.tensor([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    return a / a.sum(dim=1, keepdim=True).clamp(min=1e-3)


def relations_of(boxes: Tensor) -> Tensor:
    """How box i lies to box j, (B, K, 4) to (B, K, K, 6): left of it, right, above, below, touching, distance.

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
