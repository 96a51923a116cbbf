"""MMStar (Chen et al. 2024): multiple-choice questions that cannot be answered without the image.

The hub's Parquet or VLMEvalKit's TSV: ``index, question, image, answer, category, l2_category``; the options are in
the question ("Options: A: ..., B: ...") or in columns A to D.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.answers.choices import LETTERS
from askew.data.bad_records import text
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, Sizes, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, first_keys, names_of
from askew.data.benchmarks.vlmevalkit import answered_by_index
from askew.data.jsonl import check_choices, option_named
from askew.data.table_files import TableImages, parquet_image, parquet_records, table_records
from askew.errors import BadRecord
from askew.types import Id, ImageRef, Kind, Question

_FILE = names_of("mmstar:MmStar")
_COLUMNS = {"index", "question", "image", "answer", "category"}
_HEADING = re.compile(r"\s*(?:Options|Choices)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class MmStar(QuestionBenchmark):
    """MMStar: multiple-choice questions that need the image (Chen et al. 2024)."""

    title: ClassVar[str] = "MMStar"
    rule: ClassVar[str] = "short"
    sizes: ClassVar[Sizes] = {name: {"questions": 1500} for name in ("MMStar.tsv", "mmstar.parquet")}

    def files(self) -> Sequence[str]:
        """The one file."""
        if not os.path.isdir(self.path):
            if not first_keys(self.path) >= _COLUMNS:
                raise wrong_file(self.path, self.title, "MMStar.tsv or mmstar.parquet")
            return [self.path]
        found = [file for file in PathContents(self.path).named(_FILE) if first_keys(file) >= _COLUMNS]
        if not found:
            raise missing_files(self.path, self.title, "MMStar.tsv or mmstar.parquet")
        return found[:1]

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the index of a row, which is text in the TSV."""
        found = answered_by_index(record)
        return found if found is None or self.files()[0].endswith(".parquet") else tuple(map(str, found))

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        path = self.files()[0]
        sieve = self.sieve(path, "row")
        rows: Iterable[tuple[int, Mapping[str, Any]]]
        image: Callable[[Id, Any], ImageRef]
        if path.endswith(".parquet"):
            rows, image = parquet_records(path), parquet_image
        else:
            images = TableImages(path)
            rows, image = table_records(sieve), lambda key, cell: images.find(str(key), cell)
        return self.sifted(sieve, rows, _key, lambda key, row: _question(key, row, image), counts)


def _question(key: Id, row: Mapping[str, Any], image: Callable[[Id, Any], ImageRef]) -> Question:
    words = text(row, "question")
    options = tuple(str(row[letter]).strip() for letter in LETTERS if str(row.get(letter) or "").strip())
    if not options:
        words, options = _split_options(words)
    check_choices(options)
    correct = option_named(options, text(row, "answer").strip())
    parts = {"category": text(row, "category", ""), "l2_category": text(row, "l2_category", "")}
    tags = tuple((name, value) for name, value in parts.items() if value)
    kind = Kind("choice", parts["category"])
    return Question(key, image(key, row["image"]), words, (correct,), kind, tags=tags, choices=options)


def _split_options(words: str) -> tuple[str, tuple[str, ...]]:
    """A question and the options that follow it.

    >>> _split_options("What is it?\\nOptions: A: a cat, B: a dog, or so, C: a cow")
    ('What is it?', ('a cat', 'a dog, or so', 'a cow'))
    >>> _split_options("Which?\\nChoices:\\n(A) x\\n(B) y")
    ('Which?', ('x', 'y'))
    """
    *_, heading = (None, *_HEADING.finditer(words))
    if heading is None:
        raise BadRecord("there are no options after 'Options:' in the question, and no columns A to D. Add them.")
    rest, found = words[heading.end() :], []
    for letter, after in zip(LETTERS, [*LETTERS[1:], None], strict=True):
        start = re.match(rf"\(?{letter}[):.]\s*", rest)
        if start is None:
            break
        rest = rest[start.end() :]
        end = after and re.search(rf"[,;\s]\s*\(?(?={after}[):.]\s)", rest)
        found.append((rest[: end.start()] if end else rest).strip().rstrip(",;"))
        if not end:
            break
        rest = rest[end.end() :]
    return words[: heading.start()].strip(), tuple(found)


def _key(row: Mapping[str, Any]) -> Id:
    value = row.get("index")
    return value if isinstance(value, int) else text(row, "index")
