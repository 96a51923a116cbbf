"""AMBER, discriminative part (Wang et al. 2023): are objects, attributes and relations in the image?

A folder with ``annotations.json`` (a list of ``{id, type, truth}``) and ``query/query_discriminative*.json`` (lists of
``{id, image, query}``). Questions about attributes come as consecutive opposite pairs (*is the sky sunny*, *is the sky
cloudy*), one yes and one no: the yes is the original, the no its variant. Others are groups of one question.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from askew.data.bad_records import distinct, id_in, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, bad_label, missing_files
from askew.data.benchmarks.sniff import PathContents
from askew.types import Expect, Group, Id, Kind, Question, Variant

WHOLE = "query_discriminative.json"
DIMENSIONS = {
    "discriminative-hallucination": "existence",
    "discriminative-attribute-state": "attribute",
    "discriminative-attribute-number": "attribute",
    "discriminative-attribute-action": "attribute",
    "discriminative-relation": "relation",
    "relation": "relation",
}
"""The paper's three kinds of questions, by the type in the annotations."""
Truths: TypeAlias = Mapping[Id, tuple[Any, Any]]
"""The type and the answer of each question in the annotations."""


@dataclass(frozen=True, repr=False)
class Amber(GroupBenchmark):
    """AMBER: yes/no questions about objects, attributes and relations (Wang et al. 2023)."""

    title: ClassVar[str] = "AMBER"
    suites: ClassVar[Sequence[str]] = ("amber",)
    rule: ClassVar[str] = "short"

    def files(self) -> Sequence[str]:
        """The annotations, then the queries: all in one file, or the files by dimension."""
        contents = PathContents(self.path)
        queries = contents.named(r"query_discriminative\.json") or contents.named(r"query_discriminative.*\.json")
        annotations = contents.named(r"annotations\.json")
        if not queries or not annotations or not os.path.isdir(self.path):
            raise missing_files(self.path, self.title, f"annotations.json and query/{WHOLE} (its folder data)")
        return [annotations[0], *queries]

    def expected(self) -> Mapping[str, int]:
        """14,216 questions, with 3,814 pairs of attributes."""
        names = [os.path.basename(file) for file in self.files()[1:]]
        return {"questions": 14216, "attribute pairs": 3814} if names == [WHOLE] else {}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """Pairs of attributes, and the other questions one by one, in the order of the files."""
        annotations, *queries = self.files()
        sieve = self.sieve(annotations)
        truths = {
            key: (record.get("type"), record.get("truth"))
            for _, key, record in distinct(sieve, self.records(sieve), id_in("id"))
        }
        for path in queries:
            yield from self._groups(path, truths, counts)

    def _groups(self, path: str, truths: Truths, counts: Counter[str]) -> Iterator[Group]:
        sieve = self.sieve(path)
        waiting: Question | None = None
        for number, key, record in distinct(sieve, self.records(sieve), id_in("id")):
            question = sieve.sift(number, key, self._question, key, record, truths)
            if question is None:
                continue
            counts["questions"] += 1
            if waiting is not None and _are_opposite(waiting, question):
                counts["attribute pairs"] += 1
                yield _group(*sorted((waiting, question), key=lambda one: one.answers, reverse=True))
                waiting = None
                continue
            if waiting is not None:
                yield _group(waiting)
            waiting = question
        if waiting is not None:
            yield _group(waiting)

    def _question(self, key: Id, record: Mapping[str, Any], truths: Truths) -> Question:
        kind, truth = truths.get(key, (None, None))
        if kind not in DIMENSIONS or truth not in ("yes", "no"):
            raise bad_label(f"{kind}: {truth}"[:60], "a discriminative type with yes or no, in annotations.json")
        return Question(
            key,
            self.image(text(record, "image")),
            text(record, "query"),
            (truth,),
            Kind("yes/no", DIMENSIONS[kind]),
            tags=(("type", kind.removeprefix("discriminative-")),),
        )


def _are_opposite(first: Question, second: Question) -> bool:
    return (
        first.kind.question_type == "attribute"
        and first.tags == second.tags
        and first.image == second.image
        and first.answers != second.answers
    )


def _group(original: Question, *opposite: Question) -> Group:
    variants = tuple(Variant(one, Expect.GIVEN, "opposite", "amber") for one in opposite)
    return Group(original.id, "amber", original, variants)
