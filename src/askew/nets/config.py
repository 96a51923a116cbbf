"""What a network is built from. No torch here, so that what can be typed can be listed without it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from askew.errors import BadOption

Encoder: TypeAlias = Literal["none", "conv"]
"""What the network looks at: ``none`` takes region features as they are, ``conv`` takes pixels and learns to see."""

Graph: TypeAlias = Literal["full", "near"]
"""Which regions XNM's Transform may move attention between: all, or only those whose boxes touch."""


@dataclass(frozen=True)
class NetConfig:
    """Everything that decides a network's shape; written to ``config.json`` beside the weights.

    The first three sizes come from the data (``sized``), the others from what a person typed.
    """

    name: str = "xnm"
    words: int = 0
    """Rows of the embedding: the words known, and one each for padding (0) and unknown words (1)."""
    answers: int = 0
    """How many answers it can give."""
    features: int = 0
    """Numbers per region (3 for pixels)."""
    hidden: int = 256
    embedding: int = 128
    """Numbers per word."""
    steps: int = 3
    """Reasoning steps T of the module networks."""
    layers: int = 2
    """Cross-modal layers of the transformer."""
    heads: int = 4
    """Heads of each attention of the transformer."""
    dropout: float = 0.1
    gumbel: bool = False
    """Gumbel noise on the choice of modules, in training only (the released code leaves it on in evaluation)."""
    temperature: float = 1.0
    """Of the Gumbel softmax."""
    graph: Graph = "full"
    encoder: Encoder = "none"

    def __post_init__(self) -> None:
        for field in ("hidden", "embedding", "steps", "layers", "heads"):
            if getattr(self, field) < 1:
                raise BadOption(f"{self.name}: {field} is {getattr(self, field)}; at least 1 is needed.")
        if self.hidden % 2 or self.hidden % self.heads:
            raise BadOption(f"{self.name}: hidden is {self.hidden}; give an even multiple of heads={self.heads}.")
        if not 0 <= self.dropout < 1:
            raise BadOption(f"{self.name}: dropout is {self.dropout}; give a number from 0 to below 1.")
        if self.temperature <= 0:
            raise BadOption(f"{self.name}: temperature is {self.temperature}; give a number above 0.")

    def sized(self, words: int, answers: int, features: int) -> NetConfig:
        """The same network for data of these sizes."""
        return replace(self, words=words, answers=answers, features=features)

    def record(self) -> dict[str, Any]:
        """As plain JSON; ``NetConfig(**record)`` gives it back."""
        return asdict(self)
