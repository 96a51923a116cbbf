"""From a vector to answers."""

from __future__ import annotations

from torch import nn

from askew.nets.config import NetConfig

RARE = -4.0
"""Where the score of every answer begins: few answers are right, and the first steps need not learn that."""


def answer_head(config: NetConfig, inside: int) -> nn.Sequential:
    """A perceptron from (B, inside) to (B, A)."""
    last = nn.Linear(config.hidden, config.answers)
    nn.init.constant_(last.bias, RARE)
    return nn.Sequential(nn.Linear(inside, config.hidden), nn.ReLU(), nn.Dropout(config.dropout), last)
