"""GQA-OOD (Kervadec et al. 2021): questions of GQA whose answer is frequent (head) or rare (tail) in their group.

``ood_{testdev,val}_{head,tail}.json`` in the format of GQA; ``..._all.json`` is their union and is not needed. Each
question has the tag ``part``, head or tail.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from askew.data.bad_records import repeated
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, folder_of, missing_files
from askew.data.benchmarks.gqa import Gqa
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.disk_index import SeenIds
from askew.errors import DataError
from askew.types import ImageRef, Question

PARTS = ("head", "tail")
_FILE = names_of("gqa_ood:GqaOod")
_SIZES = {"ood_testdev_head.json": 1733, "ood_testdev_tail.json": 1063}


@dataclass(frozen=True, repr=False)
class GqaOod(QuestionBenchmark):
    """GQA-OOD: questions of GQA with frequent and with rare answers (Kervadec et al. 2021)."""

    title: ClassVar[str] = "GQA-OOD"
    suites: ClassVar[Sequence[str]] = ("gqa-ood",)

    split: str | None = None
    """Which files of a folder with several: ``testdev`` or ``val``."""

    def files(self) -> Sequence[str]:
        """The head and the tail of one split, from the folder of the path."""
        named = match_name(_FILE, self.path)
        found: dict[str, dict[str, str]] = {}
        for file in PathContents(folder_of(self.path)).named(_FILE):
            if match := match_name(_FILE, file):
                found.setdefault(match["split"].lower(), {}).setdefault(match["part"].lower(), file)
        asked = self.split or (named["split"].lower() if named else None)
        splits = [asked] if asked else list(found)
        if len(splits) > 1:
            raise DataError(
                f"{self.path}: files of several splits are here: {', '.join(splits)}. Pick one, e.g. "
                f"gqa-ood:{self.path},split={splits[0]}"
            )
        split = splits[0] if splits else "testdev"
        parts = found.get(split, {})
        if absent := [part for part in PARTS if part not in parts]:
            wanted = " and ".join(f"ood_{split}_{part}.json" for part in absent)
            raise missing_files(folder_of(self.path), f"{self.title} for {' and '.join(absent)}", wanted)
        return [parts[part] for part in PARTS]

    def expected(self) -> Mapping[str, int]:
        """1,733 and 1,063 questions of testdev."""
        names = map(os.path.basename, self.files())
        return {f"questions in {name}": _SIZES[name] for name in names if name in _SIZES}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The head, then the tail."""
        with SeenIds() as seen:
            for part, path in zip(PARTS, self.files(), strict=True):
                sieve, data = self.sieve(path), Gqa(path, skip_bad=self.skip_bad)
                for number, question in enumerate(data.questions(), 1):
                    if seen.add(question.id, number) is not None:
                        sieve.refuse(number, repeated(question.id, first="the head"), question.id)
                        continue
                    image = question.image and sieve.sift(number, question.id, self._image, question.image)
                    if image is not None:
                        counts[f"questions in {os.path.basename(path)}"] += 1
                        yield replace(question, image=image, tags=(("part", part),))
                self.skipped.extend(data.skipped)

    def _image(self, image: ImageRef) -> ImageRef:
        return self.image_of(image.id, f"{image.id}.jpg", f"{image.id}.png")
