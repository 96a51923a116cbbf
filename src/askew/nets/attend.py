"""Weights over things of which some are padding, and sums by weight."""

from __future__ import annotations

import torch
from torch import Tensor

NOTHING = -1e9
"""A score that leaves no weight."""


def masked_softmax(scores: Tensor, real: Tensor) -> Tensor:
    """Weights over the last dimension that sum to 1 over what is real.

    >>> masked_softmax(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([True, True, False])).tolist()
    [0.5, 0.5, 0.0]
    """
    return torch.softmax(scores.masked_fill(~real, NOTHING), dim=-1)


def weighted(weights: Tensor, vectors: Tensor) -> Tensor:
    """The sum of vectors (B, N, H) by weights (B, N), as (B, H)."""
    return torch.bmm(weights.unsqueeze(1), vectors).squeeze(1)


def along(vectors: Tensor, direction: Tensor) -> Tensor:
    """How far each vector (B, N, H) goes in a direction (B, H), as (B, N)."""
    return torch.bmm(vectors, direction.unsqueeze(2)).squeeze(2)
