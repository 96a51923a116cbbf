"""What training minimises: the answer loss in every step, and losses that add a term to it and can be combined.

No torch is imported before a loss is used, so losses can be listed without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from askew.errors import BadOption, DataError, need
from askew.suites.suite_parts import listed
from askew.verbs import Loss

if TYPE_CHECKING:
    from torch import Tensor, nn

    from askew.nets.layers import Batch, Output
    from askew.train.batches import Pairs
    from askew.train.prepare import Training

Distance: TypeAlias = Literal["l1", "l2", "kl"]
Reduce: TypeAlias = Literal["mean", "sum"]
AnswerKind: TypeAlias = Literal["bce", "ce"]


@dataclass(frozen=True)
class AnswerLoss:
    """The error of the answers against the share of people who gave each (soft targets, Teney et al. 2018).

    ``bce`` treats each answer as a binary decision and sums over answers; ``ce`` treats answers as mutually exclusive.
    """

    kind: AnswerKind = "bce"

    def __post_init__(self) -> None:
        one_of("answer", "kind", self.kind, ("bce", "ce"))

    def __call__(self, logits: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """(B, A) and (B, A) to one number, the mean over questions; ``weights`` (B,) multiply the error of each."""
        errors = self.errors(logits, targets)
        return (errors if weights is None else errors * weights).mean()

    def errors(self, logits: Tensor, targets: Tensor) -> Tensor:
        """The error of each question, (B,)."""
        functional = need("torch.nn.functional", "train")
        if self.kind == "bce":
            errors: Tensor = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none").sum(dim=1)
        else:
            shares = targets / targets.sum(dim=1, keepdim=True).clamp(min=1e-6)
            errors = functional.cross_entropy(logits, shares, reduction="none")
        return errors

    def term(self, step: Step) -> Tensor:
        """The error of the answers to the questions of the step."""
        assert step.batch.answers is not None
        return self(step.ask(step.batch).logits, step.batch.answers, step.weights)


@dataclass(frozen=True)
class Step:
    """What a loss can use in one step of training."""

    net: nn.Module
    batch: Batch
    rng: Random
    """The random numbers of this loss in this step: a function of the seed, the epoch and the step."""
    answer: AnswerLoss
    pairs: Pairs | None = None
    """Pairs of the loss's groups."""
    yes_no: tuple[int, int] | None = None
    """The numbers of yes and no among the answers."""
    which: Tensor | None = None
    """(B,): the numbers of the batch's questions among those of the training."""
    weights: Tensor | None = None
    """(B,): how much the error of each question counts; None if all count the same."""
    branch: nn.Module | None = None
    """What the loss trains beside the network (``HasBranch``)."""

    def ask(self, batch: Batch) -> Output:
        """The output of the network for another batch."""
        output: Output = self.net(batch.tokens, batch.features, batch.boxes, batch.mask)
        return output


@runtime_checkable
class TakesGroups(Protocol):
    """A loss that compares originals with variants."""

    @property
    def groups(self) -> str:
        """A suite or a file of groups; empty for the groups of the training."""


@runtime_checkable
class ReplacesAnswer(Protocol):
    """A loss that takes the place of the answer loss on the questions of a step; a training has at most one."""

    replaces_answer: ClassVar[tuple[AnswerKind, ...]]
    """The kinds of answer loss whose place it can take."""


@runtime_checkable
class HasBranch(Protocol):
    """A loss with weights or statistics of its own: saved with the state of a training, and not used to answer."""

    def branch(self, training: Training, net: nn.Module) -> nn.Module:
        """A fresh one, with random weights from torch's generator."""


@dataclass(frozen=True)
class Q3R(Loss):
    """Related questions should take the same path through the modules (Whitehead et al. 2020, Algorithm 1)."""

    weight: float = 1.0
    """λ."""
    rate: float = 0.2
    """r: the share of steps with this term."""
    distance: Distance = "l1"
    types: str = ""
    """Tests of the groups, separated by commas; by default all. Each step uses one of them, each equally often."""
    ce: bool = True
    """Also learn the answers to the variants, as the authors' code does; their Algorithm 1 does not say so."""
    reduce: Reduce = "mean"
    """``mean`` over steps and modules as in their code, or the ``sum`` of eq. 1."""
    groups: str = ""
    """A suite or a file of groups; by default those of the training."""

    needs_modules: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weight("q3r", self.weight, self.rate)
        one_of("q3r", "distance", self.distance, ("l1", "l2", "kl"))
        one_of("q3r", "reduce", self.reduce, ("mean", "sum"))

    def term(self, step: Step) -> Tensor | None:
        """λ d(w, w̃), and the answer loss on the variants."""
        if step.rng.random() >= self.rate:
            return None
        assert step.pairs is not None
        which = _draw(step, self.types)
        original = step.net.choose(step.pairs.originals.words(which))  # type: ignore[operator]
        if not self.ce:
            changed = step.net.choose(step.pairs.variants.words(which))  # type: ignore[operator]
            return self.weight * distance(original, changed, self.distance, self.reduce)
        batch = step.pairs.variants.batch(which)
        output = step.ask(batch)
        assert output.weights is not None
        assert batch.answers is not None
        apart = distance(original, output.weights, self.distance, self.reduce)
        return self.weight * apart + step.answer(output.logits, batch.answers)


@dataclass(frozen=True)
class Consistency(Loss):
    """Related questions should get the same answer: the loss that Q3R is compared with.

    The distance is between the two distributions over answers; if yes becomes no, the two are swapped first.
    Variants with answers of their own have no such distance and are skipped.
    """

    weight: float = 1.0
    rate: float = 0.2
    distance: Distance = "kl"
    types: str = ""
    ce: bool = True
    """Also learn the answers to the variants."""
    groups: str = ""

    def __post_init__(self) -> None:
        check_weight("consistency", self.weight, self.rate)
        one_of("consistency", "distance", self.distance, ("l1", "l2", "kl"))

    def term(self, step: Step) -> Tensor | None:
        """The weighted distance, and the answer loss on the variants."""
        if step.rng.random() >= self.rate:
            return None
        assert step.pairs is not None
        which = _draw(step, self.types)
        first, second = step.pairs.originals.batch(which), step.pairs.variants.batch(which)
        before, after = step.ask(first).logits, step.ask(second).logits  # (B, A) each
        flips = step.pairs.flips.index_select(0, which)  # (B,)
        comparable = flips | step.pairs.same.index_select(0, which)
        if step.yes_no is None:
            comparable = comparable & ~flips
        expected = _flipped(before, flips, step.yes_no).softmax(dim=1)[comparable]  # (N, A)
        apart = distance(expected[:, None], after.softmax(dim=1)[comparable][:, None], self.distance, "sum")
        total = self.weight * apart if len(expected) else 0.0 * after.sum()
        assert second.answers is not None
        return total + step.answer(after, second.answers) if self.ce else total


@dataclass(frozen=True)
class Augment(Loss):
    """Variants as additional questions to learn from, and nothing else."""

    weight: float = 1.0
    rate: float = 0.2
    """The share of steps with a batch of variants."""
    types: str = ""
    mixed: bool = True
    """Mix tests in a batch by their size; ``false``: one test per batch, each equally often, as in Q3R."""
    groups: str = ""

    def __post_init__(self) -> None:
        check_weight("augment", self.weight, self.rate)

    def term(self, step: Step) -> Tensor | None:
        """The answer loss on a batch of variants."""
        if step.rng.random() >= self.rate:
            return None
        assert step.pairs is not None
        batch = step.pairs.variants.batch(_draw(step, self.types, self.mixed))
        assert batch.answers is not None
        return self.weight * step.answer(step.ask(batch).logits, batch.answers)


@dataclass(frozen=True)
class RandomImage(Loss):
    """With the image of another question, the correct answer should become unlikely (Teney et al. 2020).

    The term is the probability of the correct answers, each weighted by how correct it is.
    """

    weight: float = 1.0
    rate: float = 1.0
    """The share of steps with this term."""

    def __post_init__(self) -> None:
        check_weight("random-image", self.weight, self.rate)

    def term(self, step: Step) -> Tensor | None:
        """The probability of the correct answers to questions whose images were rotated within the batch."""
        count = len(step.batch.tokens)
        if step.rng.random() >= self.rate or count < 2:
            return None
        turn = step.rng.randrange(1, count)
        batch = step.batch
        other = [part.roll(turn, 0) for part in (batch.features, batch.boxes, batch.mask)]
        output: Output = step.net(batch.tokens, *other)
        assert batch.answers is not None
        probability = output.logits.sigmoid() if step.answer.kind == "bce" else output.logits.softmax(dim=1)
        return self.weight * (probability * batch.answers).sum() / count


def check_types(loss: Any, pairs: Pairs) -> None:
    """Raise DataError if a test that a loss names has no pairs, or if there are no pairs at all."""
    missing = [test for test in listed(loss.types) if test not in pairs.tests]
    if missing or not pairs.tests:
        known = ", ".join(pairs.tests) or "none"
        raise DataError(
            f"{loss!r}: the groups have no pairs of test {missing[0]!r}. Tests with pairs: {known}."
            if missing
            else f"{loss!r}: not a single pair could be built from the training data. Give other groups, or omit it."
        )


def _draw(step: Step, types: str, mixed: bool = False) -> Tensor:
    """As many random pairs as the batch has questions, of one test (each equally often) or of all."""
    assert step.pairs is not None
    tests: Sequence[str] = listed(types) or list(step.pairs.tests)
    return step.pairs.draw(tests if mixed else [step.rng.choice(tests)], len(step.batch.tokens), step.rng)


def _flipped(logits: Tensor, flips: Tensor, yes_no: tuple[int, int] | None) -> Tensor:
    """Logits (B, A) with yes and no swapped where ``flips`` (B,) is True."""
    if yes_no is None:
        return logits
    torch = need("torch", "train")
    places = torch.arange(logits.shape[1])
    places[list(yes_no)] = places[list(reversed(yes_no))]
    swapped: Tensor = torch.where(flips.unsqueeze(1), logits.index_select(1, places), logits)
    return swapped


def check_weight(name: str, weight: float, rate: float) -> None:
    """Raise BadOption unless the weight is 0 or more and the rate from 0 to 1."""
    if weight < 0:
        raise BadOption(f"{name}: weight is {weight}; give 0 or more.")
    check_share(name, "rate", rate)


def check_share(name: str, option: str, value: float) -> None:
    """Raise BadOption unless the value is from 0 to 1."""
    if not 0 <= value <= 1:
        raise BadOption(f"{name}: {option} is {value}; give a share from 0 to 1.")


def blend(plain: Tensor, other: Tensor, share: float) -> Tensor:
    """A share of the other loss, and the rest of the plain one.

    >>> import torch
    >>> blend(torch.tensor(1.0), torch.tensor(3.0), 0.25).item()
    1.5
    """
    return (1 - share) * plain + share * other


def one_of(name: str, option: str, value: str, known: tuple[str, ...]) -> None:
    """Raise BadOption if the value is not known."""
    if value not in known:
        raise BadOption(f"{name}: {option} is {value!r}, which is not one of {', '.join(known)}.")


_LEAST = 1e-8
"""The least probability in a logarithm; smaller ones are raised to it."""


def distance(w: Tensor, other: Tensor, kind: Distance = "l1", reduce: Reduce = "mean") -> Tensor:
    """The distance between distributions (B, T, M) over M modules in T steps: d of Q3R (Whitehead et al. 2020, eq. 1).

    ``mean`` is over questions, steps and modules, as in the authors' code; ``sum`` adds up steps and modules and takes
    the mean over questions, as in eq. 1. ``l1`` is |w - w̃|, ``l2`` its square, ``kl`` w log(w / w̃).

    >>> import torch
    >>> w, other = torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]), torch.tensor([[[0.75, 0.25], [0.5, 0.5]]])
    >>> distance(w, other).item(), distance(w, other, reduce="sum").item(), distance(w, other, "l2", "sum").item()
    (0.125, 0.5, 0.125)
    """
    apart = pointwise(w, other, kind)
    return apart.mean() if reduce == "mean" else apart.sum() / w.shape[0]


def pointwise(w: Tensor, other: Tensor, kind: Distance) -> Tensor:
    """The parts of the distance between distributions, of the same shape; their sum is the distance."""
    if kind == "l1":
        return (w - other).abs()
    if kind == "l2":
        return (w - other).square()
    return w * (w.clamp(min=_LEAST).log() - other.clamp(min=_LEAST).log())
