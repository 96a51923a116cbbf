"""POPEv2: a question about an image, and about the same image without the object.

``POPEv2/dataset/annotations.json`` of POPE's repository (Li et al. 2023) is a list of ``{image_id, image_name,
target_object, query, label}``: consecutive pairs of the same query, the edited image (No) first. The unedited image is
the original of a group.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.data.bad_records import mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, bad_label
from askew.errors import BadRecord
from askew.types import Expect, Group, Kind, Question, Variant


@dataclass(frozen=True, repr=False)
class PopeV2(GroupBenchmark):
    """POPEv2: is an object in the image, and in the same image without it? (Li et al. 2023)."""

    title: ClassVar[str] = "POPEv2"
    suites: ClassVar[Sequence[str]] = ("pope-v2",)

    def files(self) -> Sequence[str]:
        """The one file."""
        return self.marked_files("annotations.json (POPEv2/dataset)")[:1]

    def expected(self) -> Mapping[str, int]:
        """500 pairs."""
        return {"pairs": 500} if os.path.basename(self.files()[0]) == "annotations.json" else {}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The pairs in the order of the file."""
        sieve = self.sieve(self.files()[0])
        first: Question | None = None
        for number, record in self.records(sieve):
            question = sieve.sift(number, None, self._question, number, record)
            if number % 2:
                first = question
            elif first is not None and question is not None:
                pair = sorted((first, question), key=lambda one: one.answers, reverse=True)
                if pair[0].text != pair[1].text or pair[0].answers == pair[1].answers:
                    fault = BadRecord("two consecutive records must be a pair: one query, labels Yes and No. Fix them.")
                    sieve.refuse(number, fault)
                    continue
                counts["pairs"] += 1
                variant = Variant(pair[1], Expect.GIVEN, "edited", "pope-v2")
                yield Group(pair[0].id, "pope-v2", pair[0], (variant,))

    def _question(self, number: int, record: object) -> Question:
        fields: Mapping[str, Any] = mapping(record)
        label = text(fields, "label").strip().lower()
        if label not in ("yes", "no"):
            raise BadRecord(bad_label(fields["label"], "Yes or No"))
        return Question(
            f"pope-v2/{number}",
            self.image(text(fields, "image_name")),
            text(fields, "query"),
            (label,),
            Kind("yes/no"),
            tags=(("object", text(fields, "target_object")),),
        )
