"""How a network is trained; all of it is written to ``config.json``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from askew.errors import BadOption


@dataclass(frozen=True)
class TrainConfig:
    """How a network is trained. Rate and batch size are those of Whitehead et al. (2020, App. A)."""

    seed: int = 0
    epochs: int = 10
    batch_size: int = 256
    rate: float = 8e-4
    """Learning rate of Adam."""
    decay: bool = True
    """Let the learning rate fall to nothing along half a cosine, over all steps."""
    clip: float = 1.0
    """The longest gradient; 0 leaves gradients as they are."""
    patience: int = 0
    """Stop after so many epochs without a better validation; 0 never does."""
    least_words: int = 1
    """How often a word must occur in training to be known."""
    least_answers: int = 3
    """How often people must have given an answer in training for the network to be able to give it."""
    most_answers: int = 3000
    threads: int = 0
    """Processor threads; 0 takes torch's own choice. Weights are the same only for the same number."""

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch_size", 1), ("least_words", 1), ("least_answers", 1)):
            if getattr(self, name) < least:
                raise BadOption(f"{name.replace('_', '-')} is {getattr(self, name)}; at least {least} is needed.")
        for name in ("rate", "clip", "patience", "threads", "seed"):
            if getattr(self, name) < 0:
                raise BadOption(f"{name} is {getattr(self, name)}; it cannot be below 0.")

    def record(self) -> dict[str, Any]:
        """As plain JSON."""
        return asdict(self)
