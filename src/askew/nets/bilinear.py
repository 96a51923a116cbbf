"""BAN (Kim et al. 2018): attention over all pairs of a region and a word, in several glimpses."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.layers import Output, QuestionEncoder, RegionProjection, answer_head, masked_softmax
from askew.nets.net_config import NetConfig


class Ban(nn.Module):
    """Bilinear attention network: each glimpse adds what its pairs of regions and words say to every word's vector.

    All maps come from one low-rank form of rank H (the authors': 3 H), and their detector's counts of boxes are left
    out. The question is the sum of its words' vectors, as in the paper.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.question = QuestionEncoder(config)
        self.regions = RegionProjection(config)
        self.seen = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.read = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.score = nn.Linear(hidden, config.glimpses, bias=False)
        self.glimpses = nn.ModuleList(BilinearGlimpse(config) for _ in range(config.glimpses))
        self.answer = answer_head(config, hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A), and each glimpse's attention on regions (B, G, K) and on words (B, G, L)."""
        words, _, real = self.question(tokens)  # (B, L, H), (B, L)
        regions = self.regions(features, boxes, mask)  # (B, K, H)
        scored = self.seen(regions).unsqueeze(1) * self.score.weight[:, None]  # (B, G, K, H)
        scores = torch.matmul(scored, self.read(words).transpose(1, 2).unsqueeze(1))  # (B, G, K, L)
        pairs = (mask.unsqueeze(2) & real.unsqueeze(1)).unsqueeze(1)  # (B, 1, K, L)
        maps = masked_softmax(scores.flatten(2), pairs.flatten(2)).view(scores.shape)
        for glimpse, attention in zip(self.glimpses, maps.unbind(dim=1), strict=True):
            words = words + glimpse(attention, regions, words).unsqueeze(1)  # (B, L, H)
        whole = (words * real.unsqueeze(2)).sum(dim=1)  # (B, H)
        return Output(self.answer(whole), attention=maps.sum(dim=3), words=maps.sum(dim=2))


class BilinearGlimpse(nn.Module):
    """One glimpse: the pairs of its map, pooled and projected."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.region = nn.Sequential(nn.Linear(config.hidden, config.hidden), nn.ReLU())
        self.word = nn.Sequential(nn.Linear(config.hidden, config.hidden), nn.ReLU())
        self.out = nn.Sequential(nn.Dropout(config.dropout), nn.Linear(config.hidden, config.hidden))

    def forward(self, attention: Tensor, regions: Tensor, words: Tensor) -> Tensor:
        """A map (B, K, L), regions (B, K, H) and words (B, L, H) to (B, H)."""
        pooled: Tensor = self.out(bilinear_pooling(attention, self.region(regions), self.word(words)))
        return pooled


def bilinear_pooling(attention: Tensor, regions: Tensor, words: Tensor) -> Tensor:
    """The sum of the products of region and word (B, H) over all pairs, weighted by a map (B, K, L).

    >>> regions, words = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), torch.tensor([[[10.0, 1.0], [0.0, 5.0]]])
    >>> bilinear_pooling(torch.tensor([[[0.5, 0.0], [0.25, 0.25]]]), regions, words).tolist()
    [[12.5, 7.0]]

    since 0.5 · 1 · 10 + 0.25 · 3 · 10 + 0.25 · 3 · 0 = 12.5, and 0.5 · 2 · 1 + 0.25 · 4 · 1 + 0.25 · 4 · 5 = 7.
    """
    return (regions * torch.matmul(attention, words)).sum(dim=1)
