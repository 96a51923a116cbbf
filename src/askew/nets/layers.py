"""Shared parts of the networks: input and output tensors, attention, and layers for questions and regions.

B questions, L words, K regions, D features, A answers, T steps, H hidden numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from askew.nets.net_config import NetConfig


class Batch(NamedTuple):
    """Questions about images, as tensors."""

    tokens: Tensor
    """(B, L) int64, 0 after the last word."""
    features: Tensor
    """(B, K, D) float32; with ``encoder=conv`` the pixels, (B, 3, S, S) from 0 to 1."""
    boxes: Tensor
    """(B, K, 4) float32: x, y, width, height as fractions of the image size."""
    mask: Tensor
    """(B, K) bool: True where there is a region."""
    answers: Tensor | None = None
    """(B, A) float32: how correct each answer is."""


class Output(NamedTuple):
    """The answers of a network and the steps that led to them, both from the same forward pass."""

    logits: Tensor
    """(B, A)."""
    weights: Tensor | None = None
    """(B, T, M): the controller's choice among M modules in each step, without Gumbel noise; each row sums to 1."""
    attention: Tensor | None = None
    """(B, T, K): attention over regions in each step."""
    words: Tensor | None = None
    """(B, T, L): which words it reads in each step; each row sums to 1."""


NOTHING = -1e9
"""The score of padding: no weight is left after a softmax."""


def masked_softmax(scores: Tensor, real: Tensor) -> Tensor:
    """Softmax over the last dimension without its padding.

    >>> masked_softmax(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([True, True, False])).tolist()
    [0.5, 0.5, 0.0]
    """
    return torch.softmax(scores.masked_fill(~real, NOTHING), dim=-1)


def weighted(weights: Tensor, vectors: Tensor) -> Tensor:
    """The weighted sum of vectors (B, N, H) by weights (B, N), as (B, H)."""
    return torch.bmm(weights.unsqueeze(1), vectors).squeeze(1)


def along(vectors: Tensor, direction: Tensor) -> Tensor:
    """The dot product of each vector (B, N, H) with a direction (B, H), as (B, N)."""
    return torch.bmm(vectors, direction.unsqueeze(2)).squeeze(2)


class QuestionEncoder(nn.Module):
    """A bidirectional GRU over word embeddings (Whitehead et al. 2020, App. D).

    Padding is masked rather than packed, which ONNX can express. The second direction starts at each question's own
    last word, so padding changes nothing: a question gets the same vectors in any batch.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        half = config.hidden // 2
        self.embed = nn.Embedding(config.words, config.embedding, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.onward = nn.GRU(config.embedding, half, batch_first=True)
        self.backward_ = nn.GRU(config.embedding, half, batch_first=True)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Words (B, L) to a vector per word (B, L, H), one for the question (B, H), and which words are real (B, L)."""
        real = tokens > 0  # (B, L)
        embedded = self.dropout(self.embed(tokens))  # (B, L, E)
        turned = reversal(real)  # (B, L)
        onward, _ = self.onward(embedded)  # (B, L, H/2)
        backward, _ = self.backward_(take(embedded, turned))  # (B, L, H/2), last word first
        states = torch.cat([onward, take(backward, turned)], dim=2)  # (B, L, H)
        last = last_word(real)  # (B, 1)
        whole = torch.cat([take(onward, last), take(backward, last)], dim=2).squeeze(1)  # (B, H)
        return states, whole, real


class Reader(nn.Module):
    """A one-way LSTM whose last state represents the question (Antol et al. 2015)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.embed = nn.Embedding(config.words, config.embedding, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(config.embedding, config.hidden, batch_first=True)

    def forward(self, tokens: Tensor) -> Tensor:
        """Words (B, L) to one vector per question (B, H)."""
        states, _ = self.lstm(self.dropout(self.embed(tokens)))  # (B, L, H)
        return take(states, last_word(tokens > 0)).squeeze(1)  # (B, H)


def last_word(real: Tensor) -> Tensor:
    """The position of each question's last word: (B, L) real words to (B, 1); 0 for a question without words.

    >>> last_word(torch.tensor([[True, True, False], [False, False, False]])).tolist()
    [[1], [0]]
    """
    return (real.sum(dim=1, keepdim=True) - 1).clamp(min=0)  # (B, 1)


def reversal(real: Tensor) -> Tensor:
    """Indices that reverse each question and leave its padding in place: (B, L) to (B, L).

    >>> reversal(torch.tensor([[True, True, True, False]])).tolist()
    [[2, 1, 0, 3]]
    """
    places = torch.ones_like(real, dtype=torch.int64).cumsum(dim=1) - 1  # (B, L): 0, 1, 2, ...
    turned = real.sum(dim=1, keepdim=True) - 1 - places  # (B, L)
    return torch.where(turned >= 0, turned, places)  # (B, L)


def take(states: Tensor, places: Tensor) -> Tensor:
    """The states (B, L, H) at these positions (B, N), as (B, N, H)."""
    return states.gather(1, places.unsqueeze(2).expand(-1, -1, states.shape[2]))


class RegionProjection(nn.Module):
    """Features and box of each region to one vector; padding becomes zeros.

    Dropout drops the same features of all regions of an image, which costs next to nothing.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.project = nn.Linear(config.features + 4, config.hidden)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, features: Tensor, boxes: Tensor, mask: Tensor) -> Tensor:
        """(B, K, D), (B, K, 4) and (B, K) to (B, K, H)."""
        x = torch.relu(self.project(torch.cat([features, boxes], dim=2)))  # (B, K, H)
        kept: Tensor = self.dropout(torch.ones_like(x[:, :1]))  # (B, 1, H)
        return x * (kept * mask.unsqueeze(2))


def mean(x: Tensor, real: Tensor) -> Tensor:
    """The mean over the real positions: (B, N, H) and (B, N) to (B, H)."""
    there = real.unsqueeze(2).to(x.dtype)  # (B, N, 1)
    return (x * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)


RARE = -4.0
"""Initial bias of every answer: few answers are correct, so that the first training steps need not learn this."""


def answer_head(config: NetConfig, inside: int) -> nn.Sequential:
    """A perceptron from (B, inside) to (B, A)."""
    last = nn.Linear(config.hidden, config.answers)
    nn.init.constant_(last.bias, RARE)
    return nn.Sequential(nn.Linear(inside, config.hidden), nn.ReLU(), nn.Dropout(config.dropout), last)
