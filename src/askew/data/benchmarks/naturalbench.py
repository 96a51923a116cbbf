"""NaturalBench (Li et al. 2024): two questions about two images, each answered differently for the two.

Three shapes: the hub's Parquet (``Index``, ``Image_0``, ``Question_0``, ``Image_0_Question_0``, ...), the repository's
``test_set.json`` (four consecutive rows ``[question, image file, answer, type]`` are a group, in the order q0i0, q0i1,
q1i0, q1i1), and VLMEvalKit's TSV in the same order.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, ClassVar

from askew.data.bad_records import Sieve, text, wrong
from askew.data.benchmarks.benchmark_reader import GroupBenchmark
from askew.data.json_stream import items
from askew.data.table_files import TableImages, parquet_image, parquet_records, table_records
from askew.errors import BadRecord
from askew.files.paths import stem_of
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

PLACES = (("0", "0"), ("0", "1"), ("1", "0"), ("1", "1"))
"""Question and image of the four members of a group, in the order of the files."""
SUFFIX = "Please answer Yes or No."
"""What the authors write after a yes/no question."""
_TYPE = ("Question_Type", "Question Type")
"""The column of the type, as editions of the Parquet files spell it."""
_OPTIONS = re.compile(r"\s*Options?:\s*A:\s*(?P<A>.*?);?\s*B:\s*(?P<B>.*?);?\s*(?:Please output the letter.*)?$", re.S)
_HUB = r"(?:train|test)-\d+-of-\d+\.parquet"

Member = tuple[str, Callable[[], ImageRef], str, str]
"""Question, how its image is found, answer, type."""


@dataclass(frozen=True, repr=False)
class NaturalBench(GroupBenchmark):
    """NaturalBench: two questions about two images, whose answers differ between the images (Li et al. 2024)."""

    title: ClassVar[str] = "NaturalBench"
    suites: ClassVar[Sequence[str]] = ("naturalbench",)
    rule: ClassVar[str] = "naturalbench"

    def files(self) -> Sequence[str]:
        """The one file, or all Parquet files of a folder."""
        found = self.marked_files("test_set.json (with its images), the Parquet files or the TSV")
        parts = [file for file in found if file.endswith(".parquet")]
        return parts or found[:1]

    def expected(self) -> Mapping[str, int]:
        """1,900 groups in the hub's Parquet and the TSV, 950 in the repository's JSON."""
        name = os.path.basename(self.files()[0])
        if name == "test_set.json":
            return {"groups": 950}
        return {"groups": 1900} if re.fullmatch(rf"NaturalBench(?:Dataset)?\.tsv|{_HUB}", name) else {}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The groups in the order of the files."""
        for path in self.files():
            sieve = self.sieve(path)
            for number, key, members in self._members(sieve):
                group = sieve.sift(number, key, _group, f"{stem_of(path)}/{key}", members)
                if group:
                    counts["groups"] += 1
                    yield group

    def _members(self, sieve: Sieve) -> Iterator[tuple[int, str, Sequence[Member]]]:
        """The four members of each group, with the number of its first record and its id."""
        if sieve.path.endswith(".parquet"):
            for number, row in parquet_records(sieve.path):
                members = sieve.sift(number, None, _from_columns, row)
                if members:
                    yield number, str(row.get("Index", number)), members
            return
        rows: Iterable[tuple[int, Member]]
        if re.search(r"\.[ct]sv(\.gz)?$", sieve.path):
            images = TableImages(sieve.path)
            rows = ((number, _from_row(row, images)) for number, row in table_records(sieve))
        else:
            rows = ((number, self._from_list(row)) for number, row in items(sieve.path, ""))
        for place, four in groupby(enumerate(rows), lambda item: item[0] // 4):
            found = [row for _, row in four]
            yield found[0][0], str(place), [member for _, member in found]

    def _from_list(self, row: Any) -> Member:
        if not isinstance(row, list) or len(row) != 4 or not all(isinstance(part, str) for part in row):
            return "", lambda: ImageRef(""), "", ""
        question, image, answer, kind = row
        return question, lambda: self.image(image), answer, kind


def _group(key: str, members: Sequence[Member]) -> Group:
    if len(members) != 4 or not all(member[0] for member in members):
        raise BadRecord("four consecutive rows [question, image, answer, type] make a group. Fix these rows.")
    questions = [_question(key, place, member) for place, member in zip(PLACES, members, strict=True)]
    truths = [question.answers for question in questions]
    if truths[0] == truths[1] or truths[2] == truths[3]:
        raise BadRecord("a question has the same answer for both images; the four rows are out of order. Fix them.")
    variants = tuple(
        Variant(question, Expect.GIVEN, f"q{asked}i{image}", "naturalbench")
        for question, (asked, image) in zip(questions[1:], PLACES[1:], strict=True)
    )
    return Group(key, "naturalbench", questions[0], variants)


def _question(key: str, place: tuple[str, str], member: Member) -> Question:
    words, image, answer, kind = member
    asked, shown = place
    tags = (("image", shown), ("question", asked))
    name = f"{key}/q{asked}i{shown}"
    if kind == "yes_no":
        label = answer.strip().lower()
        if label not in ("yes", "no"):
            raise wrong("answer", "Yes or No", answer)
        words = words if SUFFIX in words else f"{words} {SUFFIX}"
        return Question(name, image(), words, (label,), Kind("yes/no"), tags=tags)
    options = _OPTIONS.search(words)
    if kind not in ("multiple_choice", "mcq") or options is None or answer.strip() not in ("A", "B"):
        raise BadRecord(
            f"the type is {kind!r} and the answer {answer!r}. It must be yes_no, or multiple_choice with options "
            "'Option: A:...; B:...;' and the answer A or B."
        )
    choices = (options["A"].strip(), options["B"].strip())
    correct = choices["AB".index(answer.strip())]
    return Question(
        name, image(), words[: options.start()].strip(), (correct,), Kind("choice"), tags=tags, choices=choices
    )


def _from_columns(row: Mapping[str, Any]) -> list[Member]:
    return [
        (
            text(row, f"Question_{asked}"),
            partial(parquet_image, f"{row.get('Index')}/{shown}", row.get(f"Image_{shown}")),
            text(row, f"Image_{shown}_Question_{asked}"),
            text(row, next((name for name in _TYPE if name in row), _TYPE[0])),
        )
        for asked, shown in PLACES
    ]


def _from_row(row: Mapping[str, str], images: TableImages) -> Member:
    return row["question"], lambda: images.find(row["index"], row["image"]), row["answer"], row["type"]
