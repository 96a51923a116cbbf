"""What there is to know about a network without torch: its configuration, its words, its steps.

Configurations have specs (``xnm:hidden=256,steps=3``); questions become numbers by the words that a network knows; a
module network has steps that lead to an answer. No torch is imported here, so networks can be listed, exported ones
asked, and steps shown, without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from askew.answers.normalise import tokens
from askew.errors import BadOption
from askew.types import AttentionStep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EncoderChoice: TypeAlias = Literal["none", "conv"]
"""The input of the network: ``none`` takes region features as they are, ``conv`` learns features from pixels."""

Graph: TypeAlias = Literal["full", "near"]
"""Which regions XNM's Transform may move attention between: all, or only those whose boxes touch."""


MODULES = ("find", "transform", "filter", "and", "describe", "noop")
"""The modules of module networks, in the order of their weights."""


@dataclass(frozen=True)
class NetConfig:
    """Everything that determines a network's shape; written to ``config.json`` next to the weights.

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
    glimpses: int = 4
    """Maps of attention of BAN."""
    dropout: float = 0.1
    gumbel: bool = False
    """Gumbel noise on the choice of modules, in training only (the released code leaves it on in evaluation)."""
    temperature: float = 1.0
    """Temperature of the Gumbel softmax."""
    graph: Graph = "full"
    encoder: EncoderChoice = "none"

    def __post_init__(self) -> None:
        for field in ("hidden", "embedding", "steps", "layers", "heads", "glimpses"):
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


def stacknmn(
    hidden: int = 256, steps: int = 3, embedding: int = 128, dropout: float = 0.1, encoder: EncoderChoice = "none"
) -> NetConfig:
    """Stack neural module network: soft choice of modules, products of words and regions (Hu et al. 2018).

    >>> stacknmn(steps=4).steps
    4
    """
    return NetConfig("stacknmn", **locals())


def xnm(
    hidden: int = 256,
    steps: int = 3,
    embedding: int = 128,
    dropout: float = 0.1,
    gumbel: bool = True,
    temperature: float = 1.0,
    graph: Graph = "full",
    encoder: EncoderChoice = "none",
) -> NetConfig:
    """Explainable neural modules: attention moves along a graph of regions (Shi et al. 2019)."""
    return NetConfig("xnm", **locals())


def hybridnet(
    hidden: int = 256,
    steps: int = 4,
    embedding: int = 128,
    dropout: float = 0.1,
    gumbel: bool = True,
    temperature: float = 1.0,
    encoder: EncoderChoice = "none",
) -> NetConfig:
    """XNM with StackNMN's Transform (Whitehead et al. 2020)."""
    return NetConfig("hybridnet", **locals())


def language(hidden: int = 256, embedding: int = 128, dropout: float = 0.1) -> NetConfig:
    """Reads the question and ignores the image: the baseline that a model with images must beat."""
    return NetConfig("language", **locals())


def lstm_qi(
    hidden: int = 256, embedding: int = 128, dropout: float = 0.1, encoder: EncoderChoice = "none"
) -> NetConfig:
    """LSTM Q + norm I: the product of the question and the whole image (Antol et al. 2015)."""
    return NetConfig("lstm-qi", **locals())


def cnn_lstm(
    hidden: int = 256, embedding: int = 128, dropout: float = 0.1, encoder: EncoderChoice = "none"
) -> NetConfig:
    """CNN+LSTM: question and whole image concatenated, then a perceptron (Johnson et al. 2017)."""
    return NetConfig("cnn-lstm", **locals())


def butd(hidden: int = 256, embedding: int = 128, dropout: float = 0.1, encoder: EncoderChoice = "none") -> NetConfig:
    """Top-down attention over regions (Anderson et al. 2018)."""
    return NetConfig("butd", **locals())


def ban(
    hidden: int = 256, glimpses: int = 4, embedding: int = 128, dropout: float = 0.1, encoder: EncoderChoice = "none"
) -> NetConfig:
    """Bilinear attention over pairs of regions and words, in several glimpses (Kim et al. 2018)."""
    return NetConfig("ban", **locals())


def transformer(
    hidden: int = 128,
    layers: int = 2,
    heads: int = 4,
    embedding: int = 128,
    dropout: float = 0.1,
    encoder: EncoderChoice = "none",
) -> NetConfig:
    """A small cross-modal transformer in the manner of LXMERT (Tan and Bansal 2019), without pre-training."""
    return NetConfig("transformer", **locals())


Rows = Sequence[Sequence[float]]
"""One row for each step, or for each region."""


def attention_steps(text: str, weights: Rows, attention: Rows, words: Rows, boxes: Rows) -> tuple[AttentionStep, ...]:
    """The steps; ``boxes`` are those of the regions. Regions of no size are padding and are left out.

    >>> (step,) = attention_steps("A cat?", [[1, 0, 0, 0, 0, 0]], [[0.9, 0.1]], [[0.2, 0.8]], [[0, 0, 1, 1], [0] * 4])
    >>> step.modules["find"], step.words, step.regions
    (1, (('a', 0.2), ('cat', 0.8)), (((0, 0, 1, 1), 0.9),))
    """
    read = tokens(text)
    return tuple(
        AttentionStep(
            modules=dict(zip(MODULES, chosen, strict=True)),
            words=tuple(zip(read, shares, strict=False)),
            regions=tuple(
                ((box[0], box[1], box[2], box[3]), share)
                for box, share in zip(boxes, looked, strict=False)
                if box[2] > 0 and box[3] > 0
            ),
        )
        for chosen, looked, shares in zip(weights, attention, words, strict=True)
    )


def square_grid(cells: int) -> list[list[float]]:
    """The boxes of a square grid with this many cells, row by row: x, y, width, height as shares of the image.

    >>> square_grid(4)[3]
    [0.5, 0.5, 0.5, 0.5]
    """
    side = round(cells**0.5)
    return [[x / side, y / side, 1 / side, 1 / side] for y in range(side) for x in range(side)]


PADDING, UNKNOWN = 0, 1
"""The first two numbers are not words."""

LONGEST_QUESTION = 32
"""The number of words of a question that are read."""


@dataclass(frozen=True)
class QuestionWords:
    """The words a network knows; word i has the number i + 2.

    >>> words = QuestionWords.of(["Is it red?", "Is it on?"])
    >>> words.known
    ('is', 'it', 'on', 'red')
    >>> words.encode(["Is it blue?", "On?"]).tolist()
    [[2, 3, 1], [4, 0, 0]]
    """

    known: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> QuestionWords:
        """The words that occur at least ``least`` times in these texts: by frequency, then alphabetically."""
        counts = Counter(word for text in texts for word in tokens(text))
        kept = [word for word, count in counts.items() if count >= least]
        return cls(tuple(sorted(kept, key=lambda word: (-counts[word], word))))

    def __len__(self) -> int:
        return len(self.known) + 2

    def encode(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Texts as one row of numbers each, as long as the longest (at least 1), padded with zeros."""
        import numpy as np

        rows = [[self._numbers.get(word, UNKNOWN) for word in tokens(text)[:LONGEST_QUESTION]] for text in texts]
        encoded = np.full((len(rows), max((len(row) for row in rows), default=1) or 1), PADDING, np.int64)
        for at, row in enumerate(rows):
            encoded[at, : len(row)] = row
        return encoded

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.known, 2)}
