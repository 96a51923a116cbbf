"""BLINK (Fu et al. 2024) is recognised and refused: its questions are about several images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.errors import DataError
from askew.types import Question


@dataclass(frozen=True, repr=False)
class Blink(QuestionBenchmark):
    """BLINK: refused, since its questions are about up to four images (Fu et al. 2024)."""

    title: ClassVar[str] = "BLINK"

    def files(self) -> Sequence[str]:
        """Always raises an error."""
        raise DataError(
            f"{self.path}: this is BLINK, whose questions are about up to four images, and askew asks about one image. "
            "Choose another benchmark; askew ls reader lists them."
        )

    def expected(self) -> Mapping[str, int]:
        """Nothing is read."""
        return {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """None."""
        return iter(())
