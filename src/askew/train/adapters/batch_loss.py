"""Examples as one batch of rows, and what training minimises on it.

The rows of a pair are always in one batch. The loss is a mean over the questions of a batch, so it is the same however
many batches their gradients are accumulated from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from askew.train.adapters.answer_targets import Targets
from askew.train.adapters.schedule import Pair, TrainingExample
from askew.train.losses import Consistency, Distance, pointwise
from askew.types import Question

Batch = dict[str, Any]
"""``parts`` of the rows, ``weights`` (R,) of their errors, ``questions``, and what compares pairs of rows (P pairs)."""


@dataclass
class _Rows:
    """The rows of a batch: questions, how much the error of each counts, and pairs of rows to compare."""

    questions: list[Question] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    compared: list[tuple[int, int, Pair, float]] = field(default_factory=list)
    """Rows of original and variant, and the weight of their distance."""

    def add(self, question: Question, weight: float) -> int:
        self.questions.append(question)
        self.weights.append(weight)
        return len(self.questions) - 1


def as_batch(targets: Targets, examples: Sequence[TrainingExample]) -> Batch:
    """The rows of these examples: each question, and of its pairs the variants and, to compare them, the originals."""
    rows = _Rows()
    for example in examples:
        rows.add(example.question, example.weight)
        for loss, pair in example.pairs:
            compares = isinstance(loss, Consistency)
            variant = rows.add(pair.variant, float(loss.ce) if isinstance(loss, Consistency) else loss.weight)
            if compares and loss.weight and (pair.same or pair.flips):
                rows.compared.append((rows.add(pair.original, 0.0), variant, pair, loss.weight))
    parts = targets.parts(rows.questions)
    wanted = _in_order([targets.wanted(part) for part in parts], parts).cpu()
    masks, swaps, kept = [], [], []
    for before, after, pair, weight in rows.compared:
        swap = targets.yes_no(pair.variant) if pair.flips else None
        mask = targets.comparable(wanted[before], wanted[after])
        if pair.flips:  # with another first token, what follows cannot be compared
            mask = mask & (torch.arange(len(mask)) == 0) & (swap is not None)
        masks.append(mask)
        swaps.append(swap or (0, 0))
        kept.append((before, after, weight))
    return {
        "parts": parts,
        "weights": torch.tensor(rows.weights),
        "questions": len(examples),
        "pairs": torch.tensor([both[:2] for both in kept], dtype=torch.int64).reshape(-1, 2),
        "strength": torch.tensor([weight for *_, weight in kept]),
        "masks": torch.stack(masks) if masks else torch.zeros(0, 1, dtype=torch.bool),
        "swaps": torch.tensor(swaps, dtype=torch.int64).reshape(-1, 2),
    }


def loss_terms(model: Any, batch: Batch, targets: Targets, distance: Distance) -> dict[str, Tensor]:
    """The error of the answers, and the distance between the answers of pairs, by name."""
    logits = _in_order([targets.logits(model, part) for part in batch["parts"]], batch["parts"])
    wanted = _in_order([targets.wanted(part) for part in batch["parts"]], batch["parts"]).to(logits.device)
    weights = batch["weights"].to(logits.device)
    terms = {"answer": (targets.errors(logits, wanted) * weights).sum() / batch["questions"]}
    if len(batch["pairs"]):
        before, after = (logits[rows.to(logits.device)] for rows in batch["pairs"].T)  # (P, T, V) each
        masks, swaps, strength = (batch[name].to(logits.device) for name in ("masks", "swaps", "strength"))
        apart = divergence(before, after, masks, swaps, distance)
        terms["consistency"] = (apart * strength).sum() / batch["questions"]
    return terms


def divergence(before: Tensor, after: Tensor, masks: Tensor, swaps: Tensor, kind: Distance) -> Tensor:
    """How far the answers to variants are from those to originals, (P,), from scores (P, T, V) of answers or tokens.

    It is the mean over the places of ``masks`` (P, T). The two numbers of ``swaps`` (P, 2), yes and no where the answer
    flips, change places in the original's distribution.

    >>> before, after = torch.tensor([[[0.9, 0.1]]]).log(), torch.tensor([[[0.1, 0.9]]]).log()
    >>> everywhere, same, opposite = torch.ones(1, 1, dtype=torch.bool), torch.tensor([[0, 0]]), torch.tensor([[0, 1]])
    >>> [round(divergence(before, after, everywhere, swaps, "l1").item(), 4) for swaps in (same, opposite)]
    [1.6, 0.0]
    """
    numbers = torch.arange(before.shape[2], device=before.device).expand(len(before), -1)
    numbers = numbers.scatter(1, swaps, swaps.flip(1))[:, None].expand(before.shape)
    apart = pointwise(before.softmax(-1).gather(2, numbers), after.softmax(-1), kind).sum(-1)  # (P, T)
    return (apart * masks).sum(1) / masks.sum(1).clamp(min=1)


def _in_order(found: Sequence[Tensor], parts: Sequence[Any]) -> Tensor:
    """Rows of all parts in the order of the batch."""
    places = torch.cat([part["rows"] for part in parts]).to(found[0].device)
    return torch.cat(list(found))[places.argsort()]
