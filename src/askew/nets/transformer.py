"""A small cross-modal transformer like LXMERT (Tan and Bansal 2019), written out so that it can be exported to ONNX."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.layers import Output, RegionProjection, answer_head, last_word, masked_softmax, take
from askew.nets.net_config import NetConfig

LONGEST = 64
"""Words beyond this share the last place."""


class Transformer(nn.Module):
    """Words attend to words; then in each layer words attend to regions, regions to words, and each to its own kind."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.embed = nn.Embedding(config.words, hidden, padding_idx=0)
        self.place = nn.Embedding(LONGEST, hidden)
        self.regions = RegionProjection(config)
        self.reading = SelfAttentionLayer(config)
        self.layers = nn.ModuleList(CrossLayer(config) for _ in range(config.layers))
        self.answer = answer_head(config, 3 * hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A), and the mean attention of the words on regions in each layer (B, layers, K)."""
        real = tokens > 0  # (B, L)
        places = (torch.ones_like(tokens).cumsum(dim=1) - 1).clamp(max=LONGEST - 1)  # (B, L)
        words = self.reading(self.embed(tokens) + self.place(places), real)  # (B, L, H)
        regions = self.regions(features, boxes, mask)  # (B, K, H)
        attention = []
        for layer in self.layers:
            words, regions, looked = layer(words, regions, real, mask)
            attention.append(_mean(looked, real))  # (B, K)
        ends = [take(words, last_word(real)).squeeze(1), _mean(words, real), _mean(regions, mask)]  # (B, H) each
        return Output(self.answer(torch.cat(ends, dim=1)), attention=torch.stack(attention, dim=1))


class CrossLayer(nn.Module):
    """One cross-modal layer."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.look, self.listen = Attention(config), Attention(config)
        self.words, self.regions = SelfAttentionLayer(config), SelfAttentionLayer(config)

    def forward(self, words: Tensor, regions: Tensor, real: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Words (B, L, H) and regions (B, K, H), changed; and the attention of words on regions (B, L, K)."""
        seen, looked = self.look(words, regions, mask)
        heard, _ = self.listen(regions, words, real)
        return self.words(seen, real), self.regions(heard, mask), looked


class SelfAttentionLayer(nn.Module):
    """Self-attention, then a perceptron, each added to what came in and normed."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.attend = Attention(config)
        self.think = nn.Sequential(
            nn.Linear(hidden, 2 * hidden), nn.GELU(), nn.Linear(2 * hidden, hidden), nn.Dropout(config.dropout)
        )
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """(B, N, H) to (B, N, H)."""
        x, _ = self.attend(x, x, real)
        normed: Tensor = self.norm(x + self.think(x))
        return normed


class Attention(nn.Module):
    """Multi-head attention of x on y, added to x and normed."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.ask, self.key, self.value, self.out = (nn.Linear(config.hidden, config.hidden) for _ in range(4))
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.hidden)

    def forward(self, x: Tensor, y: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, N, H) and y (B, M, H) to x (B, N, H) and the attention, a mean over heads, (B, N, M)."""
        ask, key, value = self._split(self.ask(x)), self._split(self.key(y)), self._split(self.value(y))
        scores = torch.matmul(ask, key.transpose(2, 3)) * ask.shape[3] ** -0.5  # (B, heads, N, M)
        weights = masked_softmax(scores, real[:, None, None, :])  # (B, heads, N, M)
        taken = torch.matmul(weights, value).transpose(1, 2).flatten(2)  # (B, N, H)
        return self.norm(x + self.dropout(self.out(taken))), weights.mean(dim=1)

    def _split(self, x: Tensor) -> Tensor:
        """(B, N, H) to (B, heads, N, H / heads)."""
        return x.view(x.shape[0], -1, self.heads, x.shape[2] // self.heads).transpose(1, 2)


def _mean(x: Tensor, real: Tensor) -> Tensor:
    """The mean over the real ones: (B, N, H) and (B, N) to (B, H)."""
    there = real.unsqueeze(2).to(x.dtype)  # (B, N, 1)
    return (x * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)
