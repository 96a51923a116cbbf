"""What some losses train beside a network; it is saved with a training's state and plays no part in answering."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn

from askew.nets.layers import RARE, Batch
from askew.nets.net_config import NetConfig
from askew.nets.networks import LanguageOnly, PixelNet


def answer_head_of(net: nn.Module) -> nn.Sequential:
    """The last layers of a network, which read the answers from the fused question and image."""
    return cast(nn.Sequential, cast(Any, net.inside if isinstance(net, PixelNet) else net).answer)


@contextmanager
def fused_vectors(net: nn.Module) -> Iterator[list[Tensor]]:
    """The vectors (B, F) that reach the answer head, one tensor for each forward pass within the context."""
    seen: list[Tensor] = []

    def note(head: nn.Module, given: tuple[Tensor, ...]) -> None:
        seen.append(given[0])

    handle = answer_head_of(net).register_forward_pre_hook(note)
    try:
        yield seen
    finally:
        handle.remove()


class LearnedMixin(nn.Module):
    """How far the frequencies of answers already explain an answer: g and the smoothing of Clark et al. (2019)."""

    bias: Tensor
    types: Tensor

    def __init__(self, width: int, bias: Tensor, types: Tensor) -> None:
        """``width`` of the fused vectors, the frequency of each answer (T, A) and the type of each question (N,)."""
        super().__init__()
        self.factor = nn.Linear(width, 1)
        self.smooth = nn.Parameter(torch.tensor(-1.0))
        self.register_buffer("bias", bias, persistent=False)
        self.register_buffer("types", types, persistent=False)

    def forward(self, fused: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """g (B, 1), and the smoothed frequencies of the answers (B, A), before they are normalised."""
        bias = self.bias.index_select(0, self.types.index_select(0, which))
        return nn.functional.softplus(self.factor(fused)), torch.stack([bias, 1 - bias]) + self.smooth.sigmoid()


class QuestionOnly(nn.Module):
    """Answers from the question alone, twice: as a mask of a network's logits, and on its own (Cadene et al. 2019)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.asked = LanguageOnly(config)
        self.answer = nn.Linear(config.answers, config.answers)
        nn.init.zeros_(cast(nn.Linear, self.asked.answer[-1]).bias)  # masks are a half at first
        nn.init.constant_(self.answer.bias, RARE)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The mask and the logits of the question alone, (B, A) each."""
        asked = self.asked(batch.tokens, batch.features, batch.boxes, batch.mask).logits
        return asked.sigmoid(), self.answer(asked)


class GroupShares(nn.Module):
    """How much each kind of question counts: q of Sagawa et al. (2020)."""

    shares: Tensor
    kinds: Tensor

    def __init__(self, count: int, kinds: Tensor) -> None:
        """The number of kinds, and the kind of each question (N,)."""
        super().__init__()
        self.register_buffer("shares", torch.full((count,), 1 / count))
        self.register_buffer("kinds", kinds, persistent=False)

    def forward(self, errors: Tensor, which: Tensor, step_size: float) -> Tensor:
        """The mean error (B,) of each kind, weighted by its share after this step."""
        kinds = self.kinds.index_select(0, which)
        counts = torch.bincount(kinds, minlength=len(self.shares))
        means = torch.zeros_like(self.shares).index_add(0, kinds, errors) / counts.clamp(min=1)
        grown = self.shares * (step_size * means.detach()).exp()
        self.shares.copy_(grown / grown.sum())
        return (self.shares.clone() * means).sum()
