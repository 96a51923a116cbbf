"""ConVQA (Ray et al. 2019): sets of questions about an image whose answers follow from one another.

``cleaned_Logical_ConVQA_test.json``: ``{Visual Genome id: [[{question, answer}, ...], ...]}``, several sets for an
image (L-ConVQA). ``CommonSense_ConVQA_consistent.json``: ``{image URL: [[question, answer], ...]}``, one set for an
image, the first from VQA v2 (CS-ConVQA); ``highlevel_test_split.json`` lists the URLs of its test images. Questions
have no ids, are in lower case and lack the question mark: they are asked as they are. Contradicting pairs
(``..._inconsistent.json``) are not sets, and are not read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.answers.normalise import answer_type
from askew.data.bad_records import distinct, mapping, short, text, wrong
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, folder_of, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, first_keys, names_of
from askew.data.json_stream import items, pairs
from askew.errors import BadRecord
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

LOGICAL = "cleaned_Logical_ConVQA_test.json"
COMMON_SENSE = "CommonSense_ConVQA_consistent.json"
TEST = "highlevel_test_split.json"
_SETS = names_of("convqa:ConVqa")
_SIZES = {LOGICAL: {"images": 725, "sets": 2003, "questions": 6751}, COMMON_SENSE: {"images": 6439}}


@dataclass(frozen=True, repr=False)
class ConVqa(GroupBenchmark):
    """ConVQA: sets of questions about an image that imply one another, by logic or common sense (Ray et al. 2019)."""

    title: ClassVar[str] = "ConVQA"
    suites: ClassVar[Sequence[str]] = ("convqa",)

    def files(self) -> Sequence[str]:
        """The sets by logic, those by common sense, and the list of test images of the latter."""
        found = PathContents(self.path).named(_SETS)
        if not os.path.isdir(self.path) and not found:
            if not any(map(_is_coco_url, first_keys(self.path))):
                raise wrong_file(self.path, self.title, f"{LOGICAL} or {COMMON_SENSE}")
            found = [self.path]
        if not found:
            raise missing_files(self.path, self.title, f"{LOGICAL}, or {COMMON_SENSE} and {TEST}")
        split = PathContents(folder_of(self.path)).named(TEST.replace(".", r"\."))
        if all(map(_is_logical, found)):
            split = []
        return [*sorted(found, key=_is_logical, reverse=True), *split[:1]]

    def expected(self) -> Mapping[str, int]:
        """725 images with 2,003 sets by logic; 6,439 images by common sense, of which 1,590 are for tests."""
        sizes: dict[str, int] = {}
        for name in map(os.path.basename, self.files()):
            sizes |= {f"{what} in {name}": size for what, size in _SIZES.get(name, {}).items()}
            if name == TEST:
                sizes[f"images in {name}"] = 1590
        return sizes

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The sets in the order of the files."""
        files = self.files()
        split = files[-1] if os.path.basename(files[-1]).startswith(TEST) else None
        test = {_url(one) for _, one in items(split, "urls")} if split else None
        if split and test is not None:
            counts[f"images in {os.path.basename(split)}"] = len(test)
        for path in files:
            if _is_logical(path):
                yield from self._sets(path, counts, None)
            elif path != split:
                if split is None:
                    self.remarks.append(
                        f"{self.title}: without {TEST} beside it all of {os.path.basename(path)} is read; "
                        "published figures are for its test images."
                    )
                yield from self._sets(path, counts, test)

    def _sets(self, path: str, counts: Counter[str], keep: set[str] | None) -> Iterator[Group]:
        """The sets of a file; with ``keep`` only those of these images."""
        sieve, name = self.sieve(path), os.path.basename(path)
        make = self._logical if _is_logical(path) else self._common_sense
        for number, key, (_, record) in distinct(sieve, pairs(path), lambda pair: pair[0]):
            counts[f"images in {name}"] += 1
            if keep is not None and _url(key) not in keep:
                continue
            for group in sieve.sift(number, key, make, str(key), record) or ():
                counts[f"sets in {name}"] += 1
                counts[f"questions in {name}"] += 1 + len(group.variants)
                yield group

    def _logical(self, key: str, record: object) -> list[Group]:
        image = self.image_of(key, f"{key}.jpg", f"{key}.png")
        found = []
        for place, asked in enumerate(_listed(record)):
            questions = [(text(mapping(one), "question"), text(one, "answer")) for one in _listed(asked)]
            found.append(_group(f"L/{key}/{place}", image, questions, "logical"))
        return found

    def _common_sense(self, key: str, record: object) -> list[Group]:
        name = key.rpartition("/")[2]
        questions = []
        for one in _listed(record):
            if not isinstance(one, list) or len(one) != 2:
                raise BadRecord(f"a question must be a list [question, answer], but is {short(one)}. Fix it.")
            fields = dict(zip(("question", "answer"), one, strict=True))
            questions.append((text(fields, "question"), text(fields, "answer")))
        return [_group(f"CS/{name}", self.image(name), questions, "commonsense")]


def _group(key: str, image: ImageRef, asked: Sequence[tuple[str, str]], test: str) -> Group:
    if not asked:
        raise BadRecord("the set has no questions. Delete it.")
    first, *rest = (
        Question(f"{key}/{place}", image, question, (answer,), Kind(answer_type(answer)), tags=(("part", test),))
        for place, (question, answer) in enumerate(asked)
    )
    variants = tuple(Variant(question, Expect.GIVEN, test, f"convqa/{test}") for question in rest)
    return Group(key, "convqa", first, variants)


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise wrong("sets of questions", "a list", value)
    return value


def _is_logical(path: str) -> bool:
    return "Logical" in os.path.basename(path)


def _is_coco_url(key: str) -> bool:
    return key.startswith("http") and "COCO_" in key


def _url(value: object) -> str:
    return str(value).rpartition("/")[2]
