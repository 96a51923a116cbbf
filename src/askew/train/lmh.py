"""Learned-Mixin +H: the network need not learn what the type of a question already says about its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from askew.errors import BadOption, need
from askew.train.losses import AnswerKind, blend, check_share
from askew.verbs import Loss

if TYPE_CHECKING:
    from torch import Tensor, nn

    from askew.nets.branches import LearnedMixin
    from askew.train.losses import Step
    from askew.train.prepare import Training


@dataclass(frozen=True)
class LMH(Loss):
    """The answer loss on logits to which g(x) log b is added, and the entropy of that addition (Clark et al. 2019).

    b is how often each answer is given to the training questions of the same type, g(x) ≥ 0 is learned from the fused
    question and image. With ``bce`` each answer is a decision of its own with the log odds of b, as in the authors'
    code for VQA; with ``ce`` all answers are one decision. The network alone answers.
    """

    weight: float = 1.0
    """The share of this loss in the loss of the answers; the rest is the plain answer loss."""
    entropy: float = 0.36
    """The weight of the entropy of the bias, which keeps g(x) from vanishing; the paper's for VQA-CP v2."""

    replaces_answer: ClassVar[tuple[AnswerKind, ...]] = ("bce", "ce")

    def __post_init__(self) -> None:
        check_share("lmh", "weight", self.weight)
        if self.entropy < 0:
            raise BadOption(f"lmh: entropy is {self.entropy}; give 0 or more.")

    def branch(self, training: Training, net: nn.Module) -> LearnedMixin:
        """g, the smoothing and the frequencies of answers."""
        torch = need("torch", "train")
        from askew.nets.branches import LearnedMixin, answer_head_of

        numbers = {name: number for number, name in enumerate(sorted(set(training.types)))}
        types = torch.tensor([numbers[name] for name in training.types])
        sums, counts = torch.zeros(len(numbers), training.train.answers + 1), torch.bincount(types)
        columns = training.train.numbers.shape[1]
        rows = types.unsqueeze(1).expand(-1, columns)
        sums.index_put_((rows, training.train.numbers), training.train.values, accumulate=True)
        frequencies = sums[:, : training.train.answers] / counts.unsqueeze(1)
        head = answer_head_of(net)[0]
        return LearnedMixin(head.in_features, frequencies, types)  # type: ignore[arg-type]

    def term(self, step: Step) -> Tensor:
        """The loss of the answers."""
        from torch.nn.functional import softplus

        from askew.nets.branches import fused_vectors

        assert step.batch.answers is not None
        assert step.branch is not None
        with fused_vectors(step.net) as seen:
            logits = step.ask(step.batch).logits
        factor, bias = step.branch(seen[0], step.which)  # (B, 1), (2, B, A)
        if step.answer.kind == "bce":
            added = factor * (bias[0].log() - bias[1].log())  # (B, A) log odds
            spread = (softplus(added) - added * added.sigmoid()).mean()
        else:
            added = factor * bias[0].log()  # (B, A)
            chances = added.log_softmax(dim=1)
            spread = -(chances.exp() * chances).sum(dim=1).mean()
        plain = step.answer(logits, step.batch.answers, step.weights)
        mixed = step.answer(logits + added, step.batch.answers, step.weights)
        return blend(plain, mixed + self.entropy * spread, self.weight)
