"""Questions that people wrote against models beside base data: accuracy on both, and the gap between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import ClassVar

from askew.errors import DataError
from askew.metrics.accuracy import check_mode
from askew.metrics.benchmark_metrics import PartMean
from askew.metrics.part_gap import PartGap
from askew.suites.suite_parts import published
from askew.types import Column, Group, Mode, Question, Table
from askew.verbs import Dataset, Fingerprints, Metric

BASE, RELEASE = "base", "release"
"""The values of the tag ``part``: questions that models learned to answer, and questions collected against them."""


@dataclass(frozen=True)
class AvqaGapSuite:
    """Accuracy on base data minus that on questions people wrote against models (Li et al. 2021, Table 2)."""

    base: Dataset | None = None
    """The base data, such as the val split of VQA v2; the data of the run are the release."""
    accuracy: Mode = "official"
    """How answers are compared with people's."""

    name: ClassVar[str] = "avqa-gap"
    title: ClassVar[str] = "Gap to base data (Adversarial VQA)"
    paper: ClassVar[str] = (
        "Li, Lei, Gan, Liu: Adversarial VQA: A New Benchmark for Evaluating the Robustness of VQA Models. ICCV 2021"
    )
    correct: ClassVar[str] = "modal"
    tests: ClassVar[Sequence[str]] = ()
    slices: ClassVar[Sequence[str]] = ("answer_type",)
    headline: ClassVar[tuple[str, str]] = (
        "gap",
        "the gap between its accuracy on base data and on questions that people wrote to fool models is {value}",
    )
    titles: ClassVar[Mapping[str, tuple[str, str]]] = {
        "accuracy.base": ("Base data", "accuracy on the base data"),
        "accuracy.release": ("Release", "accuracy on questions that people wrote to fool models"),
        "gap": ("Gap", "accuracy on the base data minus that on the release, in points"),
    }

    def __post_init__(self) -> None:
        check_mode(self.accuracy)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy on both parts, and the gap."""
        return {
            "accuracy.base": PartMean("part", BASE, self.accuracy),
            "accuracy.release": PartMean("part", RELEASE, self.accuracy),
            "gap": PartGap("part", BASE, RELEASE, self.accuracy),
        }

    @property
    def notes(self) -> Sequence[str]:
        """Which base data these are, and what the published rows are."""
        known = f", content {self.base.fingerprint()}" if isinstance(self.base, Fingerprints) else ""
        return (
            *([f"The base data are {self.base.name}{known}."] if self.base else []),
            "In the published rows the base data are VQA v2 test-dev and the release is the test split of AVQA; the "
            "gap is their (v2, AVQA). They are for models trained on the data in brackets.",
        )

    @property
    def tables(self) -> Sequence[Table]:
        """The last two blocks of the paper's Table 2."""
        columns = (Column("Base", "accuracy.base"), Column("Release", "accuracy.release"), Column("Gap", "gap"))
        rows = published("avqa_gap")["avqa-gap"]
        return (Table("avqa-gap", "Adversarial VQA beside its base data", columns, published=rows),)

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Every question as a group of its own, alternating, so that a part of them (``--limit``) has both.

        Ids of the base data's questions and images get ``base/`` in front, since those of the release may be the same;
        so each part is a sample of images of its own.
        """
        if self.base is None:
            raise DataError(
                "avqa-gap: name the base data, e.g. avqa-gap:base=v2_OpenEnded_mscoco_val2014_questions.json"
            )
        count = 0
        for collected, plain in zip_longest(data.questions(), self.base.questions()):
            if collected is not None:
                yield self._group(collected, RELEASE)
            if plain is not None:
                count += 1
                images = [replace(image, id=f"{BASE}/{image.id}") for image in plain.images]
                yield self._group(replace(plain.with_images(images), id=f"{BASE}/{plain.id}"), BASE)
        if not count:
            raise DataError(f"{self.base.name}: there is no question in it, so there is no gap. Give other base data.")

    def _group(self, question: Question, part: str) -> Group:
        tags = (*(tag for tag in question.tags if tag[0] != "part"), ("part", part))
        return Group(question.id, self.name, replace(question, tags=tags))
