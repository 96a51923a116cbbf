"""HallusionBench (Guan et al. 2024): the same question about a figure, about a changed figure, and without any.

``HallusionBench.json``: a list of ``{category, subcategory, visual_input, set_id, figure_id, question_id, question,
gt_answer "1" | "0", filename}``. Its questions are grouped in five ways, under the tag ``grouping``: ``single`` (each
alone: aAcc), ``question`` (one question about all figures of a set: qAcc), the same with only the unchanged figures or
none (``easy``) or only the changed ones (``hard``), and ``figure`` (all questions about a figure: fAcc). Each question
is still asked once. Easy and hard accuracy of the leaderboard are over such groups, not over questions: 79.56 % is 362
of 455, 38.37 % is 165 of 430.

VLMEvalKit's ``HallusionBench.tsv`` leaves out the 178 questions without an image. The parts of its ``index`` are
category, subcategory, visual_input, set, figure and question, in the order of the authors' columns. Its groups are by
``l2-category``, so those of VD and VS with equal numbers are one (*sic*), and figures differ from the authors'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from askew.data.bad_records import Sieve, distinct, gathered, mapping, short, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, Sizes, bad_label
from askew.data.table_files import TableImages, table_records
from askew.errors import BadRecord
from askew.files.paths import is_table
from askew.types import Expect, Group, Id, Kind, Question, Variant

NAME = "HallusionBench.json"
TABLE = "HallusionBench.tsv"
_ID = ("category", "subcategory", "set_id", "figure_id", "question_id")
_QUESTION = ("category", "subcategory", "set_id", "question_id")
_SAME = {"question": _QUESTION, "figure": _ID[:4], "easy": _QUESTION, "hard": _QUESTION}
"""The fields that the records of a group have in common, for each grouping."""
_SAME_IN_TABLE = {grouping: names[1:] for grouping, names in _SAME.items()}


@dataclass(frozen=True, repr=False)
class HallusionBench(GroupBenchmark):
    """HallusionBench: questions about figures, changed figures and none (Guan et al. 2024)."""

    title: ClassVar[str] = "HallusionBench"
    suites: ClassVar[Sequence[str]] = ("hallusionbench",)
    wanted: ClassVar[str] = f"{NAME} and its folder hallusion_bench, or {TABLE}"
    sizes: ClassVar[Sizes] = {
        NAME: {"questions": 1129, "questions without an image": 178, "question groups": 455, "figure groups": 346},
        TABLE: {"questions": 951},
    }

    @property
    def extract(self) -> str:
        """Answers are in sentences, or that of VLMEvalKit for its table."""
        return "vlmevalkit" if is_table(self.path) else "short"

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the five fields that name a question, or by VLMEvalKit's index."""
        if "index" in record and is_table(self.path):
            return (text(record, "index"),)
        fields = _of_table(record) if "l2-category" in record else record
        return (_id({name: str(fields[name]) for name in _ID}),) if all(name in fields for name in _ID) else None

    def records(self, sieve: Sieve, key: str = "questions") -> Iterator[tuple[int, Any]]:
        """The records of the JSON file, or the rows of the table with the same fields."""
        if not is_table(sieve.path):
            return super().records(sieve, key)
        return ((number, _of_table(row)) for number, row in table_records(sieve))

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """Every question alone, then the groups by question, by figure, and by easy and by hard question."""
        path = self.files()[0]
        sieve, same = self.sieve(path), _SAME_IN_TABLE if is_table(path) else _SAME
        images = TableImages(path) if is_table(path) else None
        for number, key, record in distinct(sieve, self.records(sieve), _id):
            question = sieve.sift(number, key, self._question, key, record, images)
            if question is not None:
                counts["questions"] += 1
                if question.image is None:
                    counts["questions without an image"] += 1
                yield _group("single", [question])
        for grouping, names in same.items():
            silent = Sieve(path, True)  # bad records were reported above
            rows = distinct(silent, self.records(silent), _id)
            chosen = (
                (n, "/".join(str(record[name]) for name in names), record)
                for n, _, record in rows
                if _in(grouping, record)
            )
            for group in gathered(chosen):
                records = sorted(group, key=_order)
                asked = (
                    silent.sift(number, None, self._question, _id(record), record, images) for number, record in records
                )
                members = [question for question in asked if question is not None]
                if members:
                    counts[f"{grouping} groups"] += 1
                    yield _group(grouping, members)

    def _question(self, key: Id, record: Mapping[str, Any], images: TableImages | None) -> Question:
        answer = {"1": "yes", "0": "no"}.get(text(record, "gt_answer"))
        if answer is None:
            raise bad_label(record["gt_answer"], '"1" (yes) or "0" (no)')
        if text(record, "visual_input") not in ("0", "1", "2"):
            raise bad_label(record["visual_input"], '"0", "1" or "2" (visual_input)')
        name = text(record, "filename", "")
        tags = (
            ("category", text(record, "category")),
            ("figure", text(record, "figure_id")),
            ("subcategory", text(record, "subcategory")),
            ("visual_input", record["visual_input"]),
        )
        image = self.image(name) if name else None
        if images is not None:
            image = images.find(str(key), text(record, "image"))
        return Question(key, image, text(record, "question"), (answer,), Kind("yes/no"), tags=tags)


def _group(grouping: str, members: Sequence[Question]) -> Group:
    first, *rest = (
        replace(question, tags=tuple(sorted((*question.tags, ("grouping", grouping))))) for question in members
    )
    variants = tuple(Variant(question, Expect.GIVEN, grouping, f"hallusionbench/{grouping}") for question in rest)
    return Group(f"{grouping}/{first.id}", "hallusionbench", first, variants)


def _in(grouping: str, record: Mapping[str, Any]) -> bool:
    """Whether a question is in a grouping: fAcc leaves out those without a figure."""
    if grouping == "figure":
        return (record["category"], record["figure_id"]) != ("VS", "0")
    return grouping == "question" or (record.get("visual_input") == "2") == (grouping == "hard")


def _order(member: tuple[int, Mapping[str, Any]]) -> tuple[str, str]:
    """The unchanged figure (or none) first."""
    return str(member[1]["figure_id"]), str(member[1]["question_id"])


def _of_table(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row of the table with the fields of the JSON file."""
    parts = text(row, "index").split("_")
    if len(parts) < 6:
        raise BadRecord(
            f"the index is {short(row['index'])}; it must have six parts, such as VD_chart_1_0_0_0. Fix it."
        )
    answer = row.get("answer", "")
    numbers = {"visual_input": parts[2], "set_id": parts[3], "figure_id": parts[4], "question_id": parts[5]}
    places = {"category": row.get("category"), "subcategory": row.get("l2-category"), **numbers}
    return {**row, **places, "gt_answer": {"yes": "1", "no": "0"}.get(answer.lower(), answer)}


def _id(record: object) -> Id:
    fields = mapping(record)
    if "l2-category" in fields:
        return text(fields, "index")
    return "/".join(text(fields, name) for name in _ID)
