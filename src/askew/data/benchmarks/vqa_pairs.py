"""Complementary pairs of VQA v2 (Goyal et al. 2017): one question about two images, answered differently.

``v2_mscoco_{train,val}2014_complementary_pairs.json`` is a list of pairs of question ids, beside the questions and the
annotations. A pair is symmetric: the smaller id is taken as the original, so that the order does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from askew.answers.normalise import modal_answer, normalise
from askew.data.bad_records import distinct
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, folder_of, missing_files
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.benchmarks.vqa import Vqa, split_of
from askew.data.benchmarks.vqa_records import placed_questions
from askew.data.json_stream import items
from askew.errors import BadRecord, DataError
from askew.types import Expect, Group, Id, Question, Variant

_PAIRS = names_of("vqa_pairs:VqaPairs")


@dataclass(frozen=True, repr=False)
class VqaPairs(GroupBenchmark):
    """Complementary pairs of VQA v2: the same question about two images (Goyal et al. 2017)."""

    title: ClassVar[str] = "VQA v2 pairs"
    suites: ClassVar[Sequence[str]] = ("vqa-pairs",)

    split: str | None = None
    """Which pairs of a folder, e.g. ``val2014``."""

    def files(self) -> Sequence[str]:
        """The pairs, the questions and the annotations."""
        return [self._pairs, *self._vqa.files()]

    @cached_property
    def _pairs(self) -> str:
        found = [file for file in PathContents(self.path).named(_PAIRS) if (self.split or "") in file]
        if not found:
            name = f"v2_mscoco_{self.split or 'val2014'}_complementary_pairs.json"
            raise missing_files(self.path, self.title, f"{name}, the questions and the annotations")
        if len(found) > 1:
            raise DataError(
                f"{self.path}: {len(found)} files of pairs are here. Pick one, e.g. vqa-pairs:{self.path},split=val2014"
            )
        return found[0]

    @cached_property
    def _vqa(self) -> Vqa:
        match = match_name(_PAIRS, self._pairs)
        return Vqa(folder_of(self.path), split=match["split"] if match else None, skip_bad=self.skip_bad)

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The pairs in the order of their file, each once."""
        sieve = self.sieve(self._pairs)
        asked = {question.id: question for question in placed_questions(self, self._vqa, split_of(self._vqa.path))}
        for number, key, pair in distinct(sieve, items(self._pairs, ""), _key):
            group = sieve.sift(number, key, _group, pair, asked)
            if group is not None:
                counts["pairs"] += 1
                counts["pairs with the same most frequent answer"] += _has_same_answer(group)
                yield group


def _group(pair: Any, asked: Mapping[Id, Question]) -> Group:
    first, second = (_question(key, asked) for key in sorted(pair))
    if first.text != second.text:
        raise BadRecord(f"the questions differ: {first.text!r} and {second.text!r}. Use the files of one split.")
    variant = Variant(second, Expect.GIVEN, "pair", "vqa-pairs")
    return Group(first.id, "vqa-pairs", first, (variant,))


def _question(key: Id, asked: Mapping[Id, Question]) -> Question:
    if key not in asked:
        raise BadRecord(f"there is no question {key!r}. Use the files of one split.")
    return asked[key]


def _has_same_answer(group: Group) -> bool:
    members = (group.original, group.variants[0].question)
    return len({modal_answer(question.answers, normalise) for question in members}) == 1


def _key(pair: object) -> Id:
    if not isinstance(pair, list) or len(pair) != 2 or {type(key) for key in pair} not in ({int}, {str}):
        raise BadRecord("a pair must be a list of two question ids. Fix it.")
    return "-".join(map(str, sorted(pair)))
