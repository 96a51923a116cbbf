"""Questions as vectors: words read in both directions, padding masked rather than packed, so that ONNX can follow."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.config import NetConfig


class QuestionEncoder(nn.Module):
    """A bidirectional GRU over word embeddings (Whitehead et al. 2020, App. D).

    The second direction reads each question from its own last word, so padding changes nothing: a question gets the
    same vectors in any batch.
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
    """A one-way LSTM whose last state stands for the question (Antol et al. 2015)."""

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
    """Where each question ends: (B, L) real words to (B, 1) places; 0 for a question without words.

    >>> last_word(torch.tensor([[True, True, False], [False, False, False]])).tolist()
    [[1], [0]]
    """
    return (real.sum(dim=1, keepdim=True) - 1).clamp(min=0)  # (B, 1)


def reversal(real: Tensor) -> Tensor:
    """Places that turn each question round and leave its padding where it is: (B, L) to (B, L).

    >>> reversal(torch.tensor([[True, True, True, False]])).tolist()
    [[2, 1, 0, 3]]
    """
    places = torch.ones_like(real, dtype=torch.int64).cumsum(dim=1) - 1  # (B, L): 0, 1, 2, ...
    turned = real.sum(dim=1, keepdim=True) - 1 - places  # (B, L)
    return torch.where(turned >= 0, turned, places)  # (B, L)


def take(states: Tensor, places: Tensor) -> Tensor:
    """The states (B, L, H) at these places (B, N), as (B, N, H)."""
    return states.gather(1, places.unsqueeze(2).expand(-1, -1, states.shape[2]))
