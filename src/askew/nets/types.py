"""What goes into a network and comes out of it. B questions, L words, K regions, D features, A answers, T steps."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from torch import Tensor

from askew.nets.config import NetConfig

__all__ = ["Batch", "ChoosesModules", "Net", "NetConfig", "Output"]


class Batch(NamedTuple):
    """Questions about pictures, as tensors."""

    tokens: Tensor
    """(B, L) int64, 0 after the last word."""
    features: Tensor
    """(B, K, D) float32; with ``encoder=conv`` the pixels, (B, 3, S, S) from 0 to 1."""
    boxes: Tensor
    """(B, K, 4) float32: x, y, width, height as shares of the picture."""
    mask: Tensor
    """(B, K) bool: True where there is a region."""
    answers: Tensor | None = None
    """(B, A) float32: how right each answer is."""


class Output(NamedTuple):
    """What a network says, and how it came to it: the same code gives both."""

    logits: Tensor
    """(B, A)."""
    weights: Tensor | None = None
    """(B, T, M): the controller's choice among M modules in each step, without Gumbel noise; each row sums to 1."""
    attention: Tensor | None = None
    """(B, T, K): where it looks in each step."""
    words: Tensor | None = None
    """(B, T, L): which words it reads in each step; each row sums to 1."""


class Net(Protocol):
    """A network: ``X(config)`` is a torch module with this forward."""

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Shapes as in :class:`Batch`."""
        ...


@runtime_checkable
class ChoosesModules(Protocol):
    """A network whose choice of modules depends on the question alone, so that Q3R need not look at pictures."""

    def choose(self, tokens: Tensor) -> Tensor:
        """(B, L) words to (B, T, M) module weights, each row summing to 1."""
        ...
