"""Regions of a picture as vectors that know where they are."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.config import NetConfig


class Regions(nn.Module):
    """Features and boxes of each region to one vector; a region that is padding becomes zeros.

    Dropout takes the same numbers from all regions of a picture, which costs next to nothing.
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


def mean_region(x: Tensor, mask: Tensor) -> Tensor:
    """The mean vector of the regions that are there: (B, K, H) and (B, K) to (B, H)."""
    there = mask.to(x.dtype).sum(dim=1, keepdim=True).clamp(min=1)  # (B, 1)
    return x.sum(dim=1) / there
