"""The controller of a module network: in each step it reads some words of the question and chooses among modules."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from askew.nets.attend import along, masked_softmax, weighted
from askew.nets.config import NetConfig


class Plan(NamedTuple):
    """What the controller decides, from the question alone."""

    logits: Tensor
    """(B, T, M): scores of the modules."""
    parameters: Tensor
    """(B, T, H): the textual parameter of each step."""
    words: Tensor
    """(B, T, L): the words it was read from."""


class Controller(nn.Module):
    """History and question to module weights and a textual parameter (Whitehead et al. 2020, Fig. 6).

    The history is the parameter of the step before; the question is seen through a projection of its own in each step.
    """

    def __init__(self, config: NetConfig, modules: int) -> None:
        super().__init__()
        hidden = config.hidden
        self.start = nn.Parameter(torch.zeros(hidden))
        self.views = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(config.steps))
        self.think = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ELU(), nn.Linear(hidden, hidden), nn.ELU())
        self.choose = nn.Linear(hidden, modules)
        self.read = nn.Linear(hidden, hidden, bias=False)

    def forward(self, states: Tensor, question: Tensor, real: Tensor) -> Plan:
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
        return Plan(torch.stack(logits, dim=1), torch.stack(parameters, dim=1), torch.stack(words, dim=1))
