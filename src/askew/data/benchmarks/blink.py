"""BLINK (Fu et al. 2024) is recognised and refused: its questions are about several images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.data.benchmarks.sniff import PathContents, first_keys
from askew.errors import DataError
from askew.types import Question

_KEYS = {"sub_task", "image_1", "choices"}


@dataclass(frozen=True, repr=False)
class Blink(QuestionBenchmark):
    """BLINK: refused, since its questions are about up to four images (Fu et al. 2024)."""

    title: ClassVar[str] = "BLINK"

    @classmethod
    def sniff(cls, contents: PathContents) -> bool:
        """Whether the path is a file with BLINK's columns, or a folder with Parquet files that have them."""
        return contents.keys >= _KEYS or any(
            first_keys(file) >= _KEYS for file in contents.named(r"(?:val|test)-.*\.parquet")[:1]
        )

    def files(self) -> Sequence[str]:
        """None: always an error."""
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
