"""MME (Fu et al. 2023): two yes/no questions about each image, one to be answered yes and one no.

The release is a folder for each of 14 categories; beside each image (or in ``questions_answers_YN``) is a text file of
its name with two lines, question and answer with a tab between them. Or one table with ``question``, ``answer`` and
``category``: VLMEvalKit's ``MME.tsv``, or lmms-lab's Parquet, where ``question_id`` is category and image.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from askew.data.bad_records import text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, Sizes, yes_or_no
from askew.data.benchmarks.sniff import MARKS
from askew.data.benchmarks.vlmevalkit import answered_by_index, index_key
from askew.data.json_stream import decoded, lines
from askew.data.table_files import TableImages, parquet_image, parquet_records, table_records
from askew.errors import BadRecord
from askew.files.paths import is_table, stem_of
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

MME_CATEGORIES = frozenset().union(*(mark.folders for mark in MARKS["mme:Mme"]))
_TEXTS = "questions_answers_YN"
_IMAGES = (".jpg", ".png", ".jpeg")
_WORD = re.compile(r"\w+")


class MmeRow(NamedTuple):
    """A question of MME, with what tells the image of its pair."""

    key: Id
    place: tuple[str, str]
    image: ImageRef
    text: str
    label: str


@dataclass(frozen=True, repr=False)
class Mme(GroupBenchmark):
    """MME: two yes/no questions about each image, in 14 categories of perception and cognition (Fu et al. 2023)."""

    title: ClassVar[str] = "MME"
    suites: ClassVar[Sequence[str]] = ("mme",)
    sizes: ClassVar[Sizes] = {"MME.tsv": {"questions": 2374}}

    @property
    def extract(self) -> str:
        """Answers are in sentences, or that of VLMEvalKit for its table."""
        return "vlmevalkit" if is_table(self.path) else "short"

    def files(self) -> Sequence[str]:
        """The table, or the text files of the categories."""
        return self.marked_files("the folders of its categories (existence, count, ...), MME.tsv or its Parquet files")

    def expected(self) -> Mapping[str, int | tuple[int, ...]]:
        """2,374 questions in all 14 categories."""
        whole = {os.path.basename(_folder(file)) for file in self.files()} >= MME_CATEGORIES
        return {"questions": 2374} if whole else super().expected()

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By category, image and the words of the question, or by VLMEvalKit's index."""
        if is_table(self.path) and "index" in record:
            return answered_by_index(record)
        name = record.get("question_id", record.get("image"))
        asked = record.get("question", record.get("prompt"))
        if not isinstance(name, str) or not isinstance(asked, str):
            return None
        category = str(record.get("category") or os.path.dirname(name) or stem_of(file))
        return [key for key, words in self._by_image.get((category, stem_of(name)), ()) if words in _words(asked)][:1]

    @cached_property
    def _by_image(self) -> Mapping[tuple[str, str], list[tuple[Id, str]]]:
        """The ids of the questions about each image, with their words."""
        found: dict[tuple[str, str], list[tuple[Id, str]]] = {}
        for row in self._rows():
            found.setdefault((row.place[0], stem_of(row.place[1])), []).append((row.key, _words(row.text)))
        return found

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The two questions about each image."""
        for _, pair in groupby(self._rows(), lambda row: row.place):
            rows = list(pair)
            counts["questions"] += len(rows)
            counts["images"] += 1
            first, *others = map(_question, rows)
            variants = tuple(Variant(other, Expect.GIVEN, "image", "mme") for other in others)
            yield Group(first.id, "mme", first, variants)

    def _rows(self) -> Iterator[MmeRow]:
        for path in self.files():
            sieve = self.sieve(path, "row")
            if path.endswith(".txt"):
                made = ((number, self._line, (path, number, line)) for number, line in lines(path))
                rows = (sieve.sift(number, None, make, *given) for number, make, given in made)
            elif is_table(path):
                images = TableImages(path)
                rows = (sieve.sift(n, None, _table_row, record, images) for n, record in table_records(sieve))
            else:
                rows = (sieve.sift(n, None, _hub_row, n, record) for n, record in parquet_records(path))
            yield from (row for row in rows if row is not None)

    def _line(self, path: str, number: int, line: bytes) -> MmeRow:
        cells = decoded(line).split("\t")
        if len(cells) != 2:
            raise BadRecord(f"{len(cells)} cells instead of 2: question and answer, with a tab. Copy the file again.")
        folder, stem = _folder(path), stem_of(path)
        category = os.path.basename(folder)
        key = f"{category}/{stem}/{number}"
        return MmeRow(key, (category, stem), self._beside(folder, stem), cells[0].strip(), yes_or_no(cells[1]))

    def _beside(self, folder: str, stem: str) -> ImageRef:
        """The image of a text file: in the folder of its category, or in ``images`` there."""
        category = os.path.basename(folder)
        places = [os.path.join(folder, *below, stem + end) for below in ((), ("images",)) for end in _IMAGES]
        found = next(filter(os.path.isfile, places), None) if self.images is None else None
        name = f"{category}/{os.path.basename(found or places[0])}"
        return ImageRef(name, found) if found else self.image(name)


def _folder(path: str) -> str:
    """The folder of the category of a text file."""
    folder = os.path.dirname(os.path.abspath(path))
    return os.path.dirname(folder) if os.path.basename(folder) == _TEXTS else folder


def _table_row(record: Mapping[str, str], images: TableImages) -> MmeRow:
    image = images.find(text(record, "index"), text(record, "image"))
    category = text(record, "category")
    shown = record.get("image_path") or str(image.id)
    return MmeRow(
        index_key(record), (category, shown), image, text(record, "question"), yes_or_no(text(record, "answer"))
    )


def _hub_row(number: int, record: Mapping[str, Any]) -> MmeRow:
    name = text(record, "question_id")
    category = text(record, "category")
    image = parquet_image(name, record.get("image"))
    label = yes_or_no(text(record, "answer"))
    return MmeRow(
        f"{name}/{number % 2 or 2}", (category, os.path.basename(name)), image, text(record, "question"), label
    )


def _question(row: MmeRow) -> Question:
    return Question(row.key, row.image, row.text, (row.label,), Kind("yes/no", row.place[0]))


def _words(asked: str) -> str:
    return " ".join(_WORD.findall(asked.lower()))
