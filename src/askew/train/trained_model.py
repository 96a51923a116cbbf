"""The model ``trained:FOLDER``: a network from the folder that ``askew train`` wrote."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from askew.errors import BadOption, DataError, need
from askew.files.limits import read_object
from askew.files.read_write import fingerprint
from askew.types import AttentionStep, Prediction, Question

if TYPE_CHECKING:
    from askew.train.checkpoint import Trained


@dataclass(frozen=True)
class TrainedModel:
    """The best weights of a training as a model, answering with torch. They are loaded at the first question.

    The signature covers the content of the folder's files, so a model that was trained further is another model.
    """

    folder: str = field(repr=False)
    features: str | None = field(default=None, repr=False)
    """Replaces the region features of the training."""
    batch_size: int = field(default=256, repr=False)
    signature: str = field(init=False, default="")

    free_text: ClassVar[bool] = False

    def __post_init__(self) -> None:
        need("torch", "train")
        if self.batch_size < 1:
            raise BadOption(f"trained: batch_size is {self.batch_size}; at least 1 is needed.")
        parts = [Path(self.folder) / name for name in ("config.json", "words.json", "answers.json", "weights.pt")]
        missing = [part.name for part in parts if not part.is_file()]
        if missing:
            raise DataError(f"{self.folder}: has no {missing[0]}. Give a folder that 'askew train --output' wrote.")
        content = fingerprint(*map(str, parts))
        object.__setattr__(self, "signature", f"{Path(self.folder).name}#{content}{self._features_part()}")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: everything but the loaded weights."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _features_part(self) -> str:
        """The part of the signature on region features (a file's content, or a spec): others make another model."""
        try:
            spec = self.features or read_object(Path(self.folder) / "config.json", "Train again.").get("features_spec")
        except DataError:
            return ""  # reported when the network is loaded
        if spec and os.path.isfile(spec):
            return f", features#{fingerprint(spec)}"
        return f", features={self.features}" if self.features else ""

    @cached_property
    def trained(self) -> Trained:
        """The network in memory."""
        from askew.train.checkpoint import load_trained

        return load_trained(self.folder, self.features)

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The answers of the network; a question whose image has no features fails alone."""
        return self.trained.answer(questions, self.batch_size)

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The probability that the network gives each answer; 0 outside its vocabulary."""
        return self.trained.scores(questions, answers, self.batch_size)

    def steps(self, question: Question) -> tuple[AttentionStep, ...]:
        """Modules and attention of each step of a module network; empty for any other network."""
        return self.trained.steps(question)
