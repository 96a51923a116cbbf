"""Questions in the records of hubs and of training code, whose columns have one of the usual names.

A record has a question and answers in columns (``question``, ``answers``, ``options``, ...), or a conversation with an
image: LLaVA's ``conversations`` or Qwen-VL's ``messages``, in which each turn of the user is a question and the turns
before it are its context.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Literal

from askew.answers.image_places import MARK, number_marks, with_places
from askew.data.bad_records import Sieve, identity, mapping, short
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.data.find_images import ImagesByPath
from askew.data.hub_fields import (
    ANSWERS,
    CONTEXTS,
    IDS,
    PEOPLE,
    QUESTIONS,
    SUITES,
    image_cells,
    listed,
    named_value,
    options_of,
    tags_of,
    text_in,
    turns_of,
)
from askew.data.hub_records import columns_of, hub_files, hub_records, is_hub_path, split_of
from askew.data.jsonl import option_named
from askew.data.table_files import BytesById
from askew.errors import BadImage, BadRecord, DataError
from askew.files.paths import stem_of
from askew.types import Id, ImageRef, Kind, Question

_SAMPLE = 64
"""So many records show whether digits as answers are indices of options."""


@dataclass(frozen=True, repr=False)
class HubQuestions(QuestionBenchmark):
    """Questions in Parquet files, a saved folder of datasets, WebDataset archives, or JSON with conversations."""

    title: ClassVar[str] = "Records"

    split: str | None = None
    """Which split of a folder with several."""
    question: str | None = None
    """The column of the question, if its name is not a usual one."""
    answer: str | None = None
    """The column of the answer."""
    id: str | None = None
    """The column of the id; ``row``: number the rows."""
    answers: Literal["auto", "index", "text"] = "auto"
    """Whether digits as answers are indices of options from 0; ``auto``: if they are in all of the first records."""

    def __post_init__(self) -> None:
        super().__post_init__()
        first, columns = self.files()[0], self._columns
        asked = {self.question} if self.question else {*QUESTIONS, "conversations", "messages"}
        if columns and asked.isdisjoint(columns):
            raise DataError(
                f"{first}: there is no column for the question. Its columns are {', '.join(columns)}. Name it: "
                f"hub:{self.path},question=COLUMN (and answer=COLUMN, id=COLUMN)."
            )

    @cached_property
    def _columns(self) -> Sequence[str]:
        return columns_of(self.files()[0])

    @property
    def suites(self) -> Sequence[str]:  # type: ignore[override]
        """The suite of the benchmark that has such columns, else plain accuracy."""
        found = [suite for suite, columns in SUITES.items() if columns <= set(self._columns)]
        return found or ["accuracy" if "answers" in self._columns else "accuracy:accuracy=robust"]

    @property
    def name(self) -> str:
        """The name of the file or folder."""
        return stem_of(os.path.basename(self.path.rstrip(os.sep)))

    @property
    def extract(self) -> str:
        """Replies may be sentences."""
        return "short"

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the column of ids."""
        name = self.id or next((name for name in IDS if name in self._columns), "")
        return (identity(record, name),) if record.get(name) is not None else None

    def files(self) -> Sequence[str]:
        """The shards."""
        return hub_files(self.path, self.split)

    def read_questions(self, counts: Any) -> Iterator[Question]:
        """The questions in the order of the files."""
        rows, videos = 0, 0
        seen: set[Id] = set()
        splits: set[str] = set()
        for path in self.files():
            sieve = self.sieve(path, "row")
            for number, record in hub_records(sieve):
                rows += 1
                if isinstance(record, Mapping) and self._is_other_split(record):
                    continue
                if isinstance(record, Mapping) and record.get("data_type") == "video":
                    videos += 1
                    continue
                for question in sieve.sift(number, None, self._questions, record, rows) or ():
                    if question.id in seen:
                        sieve.refuse(number, _again(question.id, self.path), question.id)
                        continue
                    seen.add(question.id)
                    splits.add(split_of(dict(question.tags).get("split", "")))
                    counts["questions"] += 1
                    yield question

        self.remarks.extend(self._remarks(videos, splits - {""}))

    def _remarks(self, videos: int, splits: Set[str]) -> Iterator[str]:
        """What is to be known of the questions that were read."""
        if len(splits) > 1 and not os.path.isdir(self.path):
            yield (
                f"{self.name}: the splits {' and '.join(sorted(splits))} are read together. Pick one: "
                f"hub:{self.path},split={min(splits)}."
            )
        if "capability" in self._columns:
            yield "MM-Vet: its replies are graded by GPT-4; here a reply counts only if it is the answer."
        if videos:
            yield f"{self.name}: {videos:,} questions about videos were left out."

    def _is_other_split(self, record: Mapping[str, Any]) -> bool:
        """Whether a JSON file with all splits says that the record is of another."""
        split = record.get("split")
        return self.split is not None and isinstance(split, str) and split_of(split) != split_of(self.split)

    def _questions(self, record: object, row: int) -> list[Question]:
        fields = mapping(record)
        key = row if self.id == "row" else self._id(fields, row)
        turns = fields.get("conversations", fields.get("messages"))
        if isinstance(turns, list):
            return list(self._conversation(key, fields, turns))
        return [self._question(key, fields)]

    def _id(self, fields: Mapping[str, Any], row: int) -> Id:
        name = self.id or next((name for name in IDS if fields.get(name) is not None), "")
        return identity(fields, name) if name else row

    def _question(self, key: Id, fields: Mapping[str, Any]) -> Question:
        asked = named_value(fields, self.question, QUESTIONS, "question")
        if not isinstance(asked, str) or not asked.strip():
            raise BadRecord(f"the question is {short(asked)}; it must be text. Name its column: question=COLUMN.")
        choices, images = options_of(fields, asked), self._images(fields)
        given = (
            fields.get(self.answer)
            if self.answer
            else next((v for n in ANSWERS if (v := fields.get(n)) is not None), None)
        )
        answers = [self._answer(one, choices) for one in listed(given)]
        if choices:
            kind = "choice"
        else:
            kind = "yes/no" if {one.lower() for one in answers} & {"yes", "no"} else text_in(fields, "answer_type")
        question = Question(
            key,
            None,
            with_places(asked, len(images)),
            tuple(answers),
            Kind(kind, str(fields.get("question_type_id") or text_in(fields, "question_type"))),
            context=next((f"Hint: {text}" for name in CONTEXTS if (text := text_in(fields, name))), ""),
            tags=tuple(sorted(tags_of(fields).items())),
            choices=choices,
        )
        return question.with_images(images)

    def _answer(self, value: object, choices: Sequence[str]) -> str:
        """The text of an answer, which may be the index or the letter of an option."""
        if isinstance(value, Mapping):
            value = value.get("answer", value.get("text"))
        if not choices:
            return str(value)
        if type(value) is int or (isinstance(value, str) and value.isdecimal() and self._has_indices):
            if not 0 <= int(value) < len(choices):
                raise BadRecord(f"the answer {value} is not the index of one of the {len(choices)} options. Fix it.")
            return choices[int(value)]
        text = str(value).strip()
        return option_named(tuple(choices), text if text in choices else text.strip("().") or text)

    @cached_property
    def _has_indices(self) -> bool:
        if self.answers != "auto":
            return self.answers == "index"
        records = (record for _, record in islice(hub_records(Sieve(self.files()[0], True)), _SAMPLE))
        found = [record.get(self.answer or "answer") for record in records if options_of(record)]
        return bool(found) and all(str(answer).isdecimal() for answer in found)

    def _conversation(self, key: Id, fields: Mapping[str, Any], turns: Sequence[Any]) -> Iterator[Question]:
        """A question for each turn of the user, about the images shown so far, with what was said before as context."""
        said, named = turns_of(turns)
        images = self._images(fields if image_cells(fields) or not named else {**fields, "images": named})
        places = [text.count(MARK) for _, text in said]
        if sum(places) > len(images) != 1:
            raise BadRecord(f"there are {sum(places)} places <image> for {len(images)} images. Fix the record.")
        told: list[tuple[str, str]] = []
        for turn, (role, asked) in enumerate(said):
            if role in PEOPLE:
                reply = said[turn + 1][1] if turn + 1 < len(said) else ""
                shown = [*images[: sum(places[: turn + 1])], *images[sum(places) :]]
                texts = [*(text for _, text in told), asked]
                *before, text = (with_places(one, 1) for one in (number_marks(texts) if len(shown) > 1 else texts))
                if text:
                    context = "\n".join(f"{who}: {one}" for (who, _), one in zip(told, before, strict=True))
                    name = key if not told else f"{key}/{turn // 2 + 1}"
                    yield Question(name, None, text, (reply,) if reply else (), context=context).with_images(shown)
                told += [("Q", asked), *([("A", reply)] if reply else [])]

    def _images(self, fields: Mapping[str, Any]) -> list[ImageRef]:
        found = image_cells(fields)
        if not found and fields.get("data_type") == "image":  # SEED-Bench
            found = [fields["data_id"]]
        if fields.keys() >= SUITES["scienceqa"] and found and isinstance(found[0], str):  # in a folder of its own
            found = [f"{fields.get('split')}/{fields.get('id')}/{found[0]}"]
        if not found and "imageId" in fields:
            return [self._image_of_id(identity(fields, "imageId"))]
        return list(map(self._image_in, found))

    def _image_of_id(self, key: Id) -> ImageRef:
        """The image of a data set whose images are in files of their own (lmms-lab's GQA)."""
        if self._stored is None:
            return self._placed.place(ImageRef(key))
        content = self._stored.get(key)
        if content is None:
            raise BadImage(f"no row of {self._images_beside} has the image {key!r}. Copy or download its files again.")
        return ImageRef(key, data=content)

    @cached_property
    def _images_beside(self) -> str:
        """The folder with the images of a folder of questions; empty if there is none."""
        folder = os.path.dirname(self.files()[0])
        beside = self.images or re.sub(r"instructions(?=[^/]*$)", "images", folder)
        return beside if beside != folder and is_hub_path(beside) else ""

    @cached_property
    def _stored(self) -> BytesById | None:
        if not self._images_beside:
            return None
        rows = (row for file in hub_files(self._images_beside, None) for _, row in hub_records(Sieve(file, True)))
        return BytesById((identity(row, "id"), row["image"]["bytes"]) for row in rows)

    def _image_in(self, cell: object) -> ImageRef:
        content = cell.get("bytes") if isinstance(cell, Mapping) else cell
        name = cell.get("path") if isinstance(cell, Mapping) else cell
        if isinstance(content, bytes) and content:
            digest = hashlib.sha256(content).hexdigest()
            return ImageRef(digest[:16], data=content, sha256=digest)  # names may repeat in shards
        if isinstance(name, str) and name:
            return self._placed.place(ImageRef(name))
        raise BadImage(f"the image is {short(cell)}, neither bytes nor the name of a file. Use the published file.")

    @cached_property
    def _placed(self) -> ImagesByPath:
        return ImagesByPath(self.path if os.path.isdir(self.path) else os.path.dirname(self.path), self.images)


def _again(key: Id, path: str) -> BadRecord:
    return BadRecord(f"the id {short(key)} occurs twice. Name another column, or number the rows: hub:{path},id=row.")
