"""CSS: counterfactual samples, in which what the answer rests on is missing, and so is the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from askew.errors import BadOption, need
from askew.nets.net_config import PADDING, UNKNOWN
from askew.train.adversarial import words_changed
from askew.train.losses import check_share, check_weight
from askew.verbs import Loss

if TYPE_CHECKING:
    from torch import Tensor

    from askew.nets.layers import Batch
    from askew.train.losses import Step


@dataclass(frozen=True)
class CSS(Loss):
    """The answer loss on counterfactual samples (Chen et al. 2020): questions without their critical words or regions.

    Critical is what the gradient of the correct answers' logits points to, summed over a vector: the regions that hold
    a share ``eta`` of the softmax of these sums, or the ``words`` with the highest ones. A sample without them keeps
    only those of its answers that the network does not rank among its ``top`` ones for the sample that has nothing
    else.

    Differences: the paper has the gradient of the answers' probability, which is so small at first that the softmax
    would make all regions alike; it first looks for objects whose annotated names the question has, which few data sets
    allow, so here the gradient chooses among all regions; critical words may be those that make the type of the
    question; a missing word is an unknown word; and the samples have the plain answer loss, with LMH too.
    """

    weight: float = 1.0
    rate: float = 1.0
    """The share of steps with this term."""
    regions: float = 0.5
    """The share of these steps in which regions are missing; in the others it is words."""
    eta: float = 0.65
    """η: the critical regions are as many as it takes to exceed this share."""
    words: int = 1
    """How many words of a question are critical."""
    top: int = 5
    """N: how many answers the network gives for the critical part alone."""

    def __post_init__(self) -> None:
        check_weight("css", self.weight, self.rate)
        check_share("css", "regions", self.regions)
        if not 0 < self.eta < 1:
            raise BadOption(f"css: eta is {self.eta}; give a share between 0 and 1.")
        for name in ("words", "top"):
            if getattr(self, name) < 1:
                raise BadOption(f"css: {name} is {getattr(self, name)}; at least 1 is needed.")

    def term(self, step: Step) -> Tensor | None:
        """The weighted answer loss on the samples without their critical part."""
        if step.rng.random() >= self.rate:
            return None
        if self.regions and step.batch.features.dim() != 3:
            raise BadOption(f"{self!r}: encoder=conv has pixels, not regions. Give css:regions=0, or other features.")
        torch = need("torch", "train")
        without, alone = self._regions(step) if step.rng.random() < self.regions else self._words(step)
        targets = step.batch.answers
        assert targets is not None
        with torch.no_grad():
            given = step.ask(alone).logits.topk(min(self.top, targets.shape[1]), dim=1).indices  # (B, top)
        left = targets.scatter(1, given, 0.0)  # (B, A)
        return self.weight * step.answer(step.ask(without).logits, left, step.weights)

    def _regions(self, step: Step) -> tuple[Batch, Batch]:
        """The batch without its critical regions, and with no others."""
        torch = need("torch", "train")
        batch = step.batch
        features = batch.features.detach().requires_grad_()
        total = _correct(step, batch._replace(features=features))
        (slope,) = torch.autograd.grad(total, features, allow_unused=True, materialize_grads=True)
        critical = critical_regions(slope.sum(dim=2), batch.mask, self.eta)  # (B, K)
        without, alone = batch.mask & ~critical, batch.mask & critical
        return _seeing(batch, without), _seeing(batch, alone)

    def _words(self, step: Step) -> tuple[Batch, Batch]:
        """The batch without its critical words, and with no others."""
        torch = need("torch", "train")
        tokens = step.batch.tokens
        delta = torch.zeros(*tokens.shape, 1, requires_grad=True)  # moving all numbers of a vector sums up its gradient
        with words_changed(step.net, delta):
            (slope,) = torch.autograd.grad(_correct(step, step.batch), delta)
        scores = slope.squeeze(2).masked_fill(tokens == PADDING, -torch.inf)  # (B, L)
        places = scores.topk(min(self.words, tokens.shape[1]), dim=1).indices
        critical = torch.zeros_like(tokens, dtype=torch.bool).scatter(1, places, True)
        real = tokens != PADDING
        without, alone = (tokens.masked_fill(missing & real, UNKNOWN) for missing in (critical, ~critical))
        return step.batch._replace(tokens=without), step.batch._replace(tokens=alone)


def critical_regions(scores: Tensor, mask: Tensor, eta: float) -> Tensor:
    """The fewest regions (B, K) whose softmax over the real ones adds up to more than ``eta``, the highest first.

    >>> import torch
    >>> scores = torch.tensor([[0.5, 0.3, 0.2], [0.5, 0.5, 0.9]]).log()
    >>> critical_regions(scores, torch.tensor([[True, True, True], [True, True, False]]), 0.65).tolist()
    [[True, True, False], [True, True, False]]
    """
    torch = need("torch", "train")
    shares, order = scores.masked_fill(~mask, -1e9).softmax(dim=1).sort(dim=1, descending=True, stable=True)
    before = shares.cumsum(dim=1) - shares  # what higher regions already hold
    critical: Tensor = torch.zeros_like(mask).scatter(1, order, before <= eta) & mask
    return critical


def _seeing(batch: Batch, mask: Tensor) -> Batch:
    """The batch with these regions only; the others become zeros, since an image without any region is not possible."""
    kept = mask.unsqueeze(2)
    return batch._replace(features=batch.features * kept, boxes=batch.boxes * kept)


def _correct(step: Step, batch: Batch) -> Tensor:
    """The logits of the correct answers, each weighted by how correct it is, summed over questions."""
    assert batch.answers is not None
    return (step.ask(batch).logits * batch.answers).sum()
