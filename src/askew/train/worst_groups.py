"""Losses of the worst: the kind of question with the largest error, and the worst variant of each question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from askew.errors import BadOption, DataError, need
from askew.suites.suite_parts import listed
from askew.train.losses import AnswerKind, blend, check_share, check_weight, one_of
from askew.verbs import Loss

if TYPE_CHECKING:
    from torch import Tensor, nn

    from askew.nets.branches import GroupShares
    from askew.train.losses import Step
    from askew.train.prepare import Training

By: TypeAlias = Literal["question_type", "answer_type"]


@dataclass(frozen=True)
class GroupDRO(Loss):
    """The mean errors of kinds of questions, weighted so that the worst count most (Sagawa et al. 2020, Algorithm 1).

    After each step the share of a kind grows by exp(step_size · its mean error). Batches are drawn from all questions,
    not from each kind equally often: kinds that a batch lacks keep their shares and add nothing. A long or strongly
    regularised training is the authors' condition; one that fits every question has no worst kind.
    """

    weight: float = 1.0
    """The share of this loss in the loss of the answers; the rest is the plain answer loss."""
    step_size: float = 0.01
    """η."""
    by: By = "question_type"
    """What makes a kind."""

    replaces_answer: ClassVar[tuple[AnswerKind, ...]] = ("bce", "ce")

    def __post_init__(self) -> None:
        check_share("group-dro", "weight", self.weight)
        one_of("group-dro", "by", self.by, ("question_type", "answer_type"))
        if self.step_size < 0:
            raise BadOption(f"group-dro: step_size is {self.step_size}; give 0 or more.")

    def branch(self, training: Training, net: nn.Module) -> GroupShares:
        """The shares of all kinds, equal at first."""
        from askew.nets.branches import GroupShares

        kinds = training.types if self.by == "question_type" else training.answer_types
        known = sorted(set(kinds))
        if len(known) < 2:
            raise DataError(
                f"{self!r}: all training questions are of one kind, {known[0]!r}; there is no worst. Give other data, "
                "or another 'by'."
            )
        numbers = {kind: number for number, kind in enumerate(known)}
        return GroupShares(len(known), need("torch", "train").tensor([numbers[kind] for kind in kinds]))

    def term(self, step: Step) -> Tensor:
        """The loss of the answers."""
        assert step.batch.answers is not None
        assert step.branch is not None
        errors = step.answer.errors(step.ask(step.batch).logits, step.batch.answers)
        weighted = errors if step.weights is None else errors * step.weights
        return blend(weighted.mean(), step.branch(weighted, step.which, self.step_size), self.weight)


@dataclass(frozen=True)
class WorstVariant(Loss):
    """The answer loss on that variant of a question which the network answers worst: worst of k (Engstrom et al. 2019).

    Each of a batch's questions has k random variants of its own, with replacement.
    """

    weight: float = 1.0
    rate: float = 0.2
    """The share of steps with this term."""
    k: int = 4
    """How many variants are tried; a batch has a k-th as many questions."""
    types: str = ""
    groups: str = ""

    def __post_init__(self) -> None:
        check_weight("worst-variant", self.weight, self.rate)
        if self.k < 2:
            raise BadOption(f"worst-variant: k is {self.k}; the worst of at least 2 is needed.")

    def term(self, step: Step) -> Tensor | None:
        """The mean over questions of the largest error among k variants."""
        if step.rng.random() >= self.rate:
            return None
        assert step.pairs is not None
        count = max(1, len(step.batch.tokens) // self.k)
        which = step.pairs.draw_together(listed(self.types) or list(step.pairs.tests), count, self.k, step.rng)
        batch = step.pairs.variants.batch(which)
        assert batch.answers is not None
        errors = step.answer.errors(step.ask(batch).logits, batch.answers)  # (count · k,)
        return self.weight * errors.view(count, self.k).amax(dim=1).mean()
