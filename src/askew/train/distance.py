"""How far distributions lie apart: d of Q3R (Whitehead et al. 2020, eq. 1), for any network that has some."""

from __future__ import annotations

from typing import Literal, TypeAlias

from torch import Tensor

Distance: TypeAlias = Literal["l1", "l2", "kl"]
Reduce: TypeAlias = Literal["mean", "sum"]

_LEAST = 1e-8
"""Below this a probability counts as this in a logarithm."""


def distance(w: Tensor, other: Tensor, kind: Distance = "l1", reduce: Reduce = "mean") -> Tensor:
    """The distance of distributions (B, T, M) over M modules in T steps, as one number.

    ``mean`` is over questions, steps and modules, as in the authors' code; ``sum`` adds up steps and modules and takes
    the mean over questions, as eq. 1 has it. ``l1`` is |w - w̃|, ``l2`` its square, ``kl`` w log(w / w̃).

    >>> import torch
    >>> w, other = torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]), torch.tensor([[[0.75, 0.25], [0.5, 0.5]]])
    >>> distance(w, other).item(), distance(w, other, reduce="sum").item(), distance(w, other, "l2", "sum").item()
    (0.125, 0.5, 0.125)
    """
    if kind == "l1":
        apart = (w - other).abs()
    elif kind == "l2":
        apart = (w - other).square()
    else:
        apart = w * (w.clamp(min=_LEAST).log() - other.clamp(min=_LEAST).log())
    return apart.mean() if reduce == "mean" else apart.sum() / w.shape[0]
