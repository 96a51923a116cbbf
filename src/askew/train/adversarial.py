"""Adversarial training on words and regions as a network receives them, in the manner of VILLA."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from askew.errors import BadOption, need
from askew.train.losses import check_weight, distance, one_of
from askew.verbs import Loss

if TYPE_CHECKING:
    from torch import Tensor, nn

    from askew.train.losses import Step

Part: TypeAlias = Literal["words", "regions"]


@dataclass(frozen=True)
class Villa(Loss):
    """The answer loss where the words' or the regions' vectors are changed for the worse (Gan et al. 2020).

    The change is found by projected gradient ascent on the answer loss, within a ball around each question's vectors,
    and is then learned from, together with the divergence of the answers from those without the change. As in the
    paper, a step changes words or regions, not both, each equally often. Unlike there, the gradients on the way are not
    accumulated, training is not preceded by adversarial pre-training, and the ball is as large for every network: a
    share of the norm of what is changed. With ``encoder=conv``, regions are the pixels.
    """

    weight: float = 1.0
    rate: float = 1.0
    """The share of steps with this term."""
    radius: float = 0.1
    """The largest norm of the change, as a share of the norm of the question's word or region vectors."""
    steps: int = 3
    """Steps of the ascent; each is as long as the radius divided by their number, times 1.5."""
    divergence: float = 1.0
    """α: the weight of the divergence."""
    part: Literal["words", "regions", "both"] = "both"
    """What is changed; ``both``: one of them in each step."""

    def __post_init__(self) -> None:
        check_weight("villa", self.weight, self.rate)
        one_of("villa", "part", self.part, ("words", "regions", "both"))
        for name in ("radius", "divergence"):
            if getattr(self, name) < 0:
                raise BadOption(f"villa: {name} is {getattr(self, name)}; give 0 or more.")
        if self.steps < 1:
            raise BadOption(f"villa: steps is {self.steps}; at least 1 is needed.")

    def term(self, step: Step) -> Tensor | None:
        """The weighted answer loss with the change, and the divergence."""
        if step.rng.random() >= self.rate:
            return None
        torch = need("torch", "train")
        part: Part = step.rng.choice(("words", "regions")) if self.part == "both" else self.part
        vectors = word_embedding(step.net)(step.batch.tokens).detach() if part == "words" else step.batch.features
        whole = tuple(range(1, vectors.dim()))
        most = self.radius * torch.linalg.vector_norm(vectors, dim=whole, keepdim=True)  # (B, 1, ...)
        delta = torch.zeros_like(vectors)
        for _ in range(self.steps):
            delta.requires_grad_()
            error, _ = self._error(step, part, delta)
            (uphill,) = torch.autograd.grad(error, delta, allow_unused=True, materialize_grads=True)
            with torch.no_grad():
                delta = delta + 1.5 / self.steps * most * _unit(uphill)
                delta = _unit(delta) * torch.linalg.vector_norm(delta, dim=whole, keepdim=True).minimum(most)
        error, logits = self._error(step, part, delta)
        with torch.no_grad():
            expected = _chances(step.ask(step.batch).logits, step.answer.kind)
        changed = _chances(logits, step.answer.kind)
        return self.weight * (error + self.divergence * distance(expected, changed, "kl", "sum"))

    def _error(self, step: Step, part: Part, delta: Tensor) -> tuple[Tensor, Tensor]:
        """The answer loss and the logits with a change."""
        assert step.batch.answers is not None
        if part == "words":
            with words_changed(step.net, delta):
                logits = step.ask(step.batch).logits
        else:
            logits = step.ask(step.batch._replace(features=step.batch.features + delta)).logits
        return step.answer(logits, step.batch.answers, step.weights), logits


def word_embedding(net: nn.Module) -> nn.Embedding:
    """The layer of a network that turns words into vectors: the one that has a padding."""
    embedding = need("torch", "train").nn.Embedding
    found: list[nn.Embedding] = [one for one in net.modules() if isinstance(one, embedding) and one.padding_idx == 0]
    assert len(found) == 1
    return found[0]


@contextmanager
def words_changed(net: nn.Module, delta: Tensor) -> Iterator[None]:
    """The word vectors (B, L, E) of the network are moved by ``delta`` within the context; padding stays."""

    def move(layer: nn.Module, given: tuple[Tensor], vectors: Tensor) -> Tensor:
        return vectors + delta * (given[0] > 0).unsqueeze(2)

    handle = word_embedding(net).register_forward_hook(move)
    try:
        yield
    finally:
        handle.remove()


def _unit(vectors: Tensor) -> Tensor:
    """Each question's part (B, ...) with norm 1; zeros stay zeros."""
    norms = vectors.flatten(1).norm(dim=1).clamp(min=1e-12)
    scaled: Tensor = vectors / norms.view(-1, *(1 for _ in vectors.shape[1:]))
    return scaled


def _chances(logits: Tensor, kind: str) -> Tensor:
    """The distributions of all decisions, (B, decisions, outcomes): yes or no for each answer, or one among all."""
    if kind == "ce":
        return logits.softmax(dim=1).unsqueeze(1)
    chosen: Tensor = need("torch", "train").stack([logits.sigmoid(), (-logits).sigmoid()], dim=2)
    return chosen
