"""RUBi: questions that can be answered without the image count less in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from askew.errors import BadOption
from askew.train.losses import AnswerKind, blend, check_share
from askew.verbs import Loss

if TYPE_CHECKING:
    from torch import Tensor, nn

    from askew.nets.branches import QuestionOnly
    from askew.train.losses import Step
    from askew.train.prepare import Training


@dataclass(frozen=True)
class RUBi(Loss):
    """The answer loss on logits times the mask of a question-only branch, and that of the branch (Cadene et al. 2019).

    The mask lies between 0 and 1; where the question alone suggests the right answer, the masked error is small already
    and the network learns less. The branch has words and a GRU of its own; the authors' reads the network's vector of
    the question and passes no gradient back to it. The network alone answers, without a mask.

    Only for ``answer:kind=ce``, as in the paper: a mask says nothing about answers that are decided one by one.
    """

    weight: float = 1.0
    """The share of this loss in the loss of the answers; the rest is the plain answer loss."""
    branch_weight: float = 1.0
    """λ_QO: the weight of the branch's own answer loss."""

    replaces_answer: ClassVar[tuple[AnswerKind, ...]] = ("ce",)

    def __post_init__(self) -> None:
        check_share("rubi", "weight", self.weight)
        if self.branch_weight < 0:
            raise BadOption(f"rubi: branch_weight is {self.branch_weight}; give 0 or more.")

    def branch(self, training: Training, net: nn.Module) -> QuestionOnly:
        """The question-only branch, as large as the network."""
        from askew.nets.branches import QuestionOnly

        return QuestionOnly(training.net)

    def term(self, step: Step) -> Tensor:
        """The loss of the answers."""
        assert step.batch.answers is not None
        assert step.branch is not None
        logits = step.ask(step.batch).logits
        mask, alone = step.branch(step.batch)  # (B, A) each
        plain, masked, own = (
            step.answer(given, step.batch.answers, step.weights) for given in (logits, logits * mask, alone)
        )
        return blend(plain, masked + self.branch_weight * own, self.weight)
