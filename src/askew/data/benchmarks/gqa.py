"""GQA (Hudson & Manning 2019) and GQA-OOD (Kervadec et al. 2021).

GQA questions: ``{question_id: {question, imageId, answer, types, isBalanced, ...}}``. Ids are strings: "01827492" is
not "1827492". The answer type is derived from the answer, as in VQA; the question type is GQA's structural and semantic
type, e.g. ``verify/attr``.

GQA-OOD: questions of GQA whose answer is frequent (head) or rare (tail) in their group.
``ood_{testdev,val}_{head,tail}.json`` in the format of GQA; ``..._all.json`` is their union and is not needed. Each
question has the tag ``part``, head or tail.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from askew.answers.normalise import answer_type
from askew.data.bad_records import DataFiles, Sieve, mapping, repeated, text, wrong
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, Sizes, folder_of, missing_files
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.find_images import ImagesById, counting_missing
from askew.data.json_stream import may_be, pairs
from askew.data.scene_graphs import SceneIndex, scene_files
from askew.errors import DataError
from askew.types import Id, ImageRef, Kind, Question

_CHUNK = re.compile(r"_(\d+)(?=\.json(\.gz)?$)")
_QUESTIONS_FILE = re.compile(r"questions(_\d+)?\.json(\.gz)?$")


@dataclass(frozen=True, repr=False)
class Gqa(DataFiles):
    """GQA questions, optionally with the scene graphs of their images (Hudson & Manning 2019)."""

    path: str
    """The questions file, a folder (the chunks of train_all, or files of one split), or a pattern (``train_*``)."""
    scenes: str | None = None
    """The scene graph file, or a folder of them; each question then has its scene."""
    images: str | None = None
    """The folder of images; without it, images are only known by their ids."""
    split: str | None = None
    """Which questions of a folder, e.g. ``val_balanced``."""
    balanced: bool = False
    """Only the questions of the balanced part."""
    skip_bad: bool = False
    """Leave out bad records and list them in ``skipped``."""

    def __post_init__(self) -> None:
        question_files(self.path, self.split)

    @property
    def name(self) -> str:
        """The name of the file or folder without its extension."""
        return f"GQA {split_of(question_files(self.path, self.split)[0])}"

    def files(self) -> Sequence[str]:
        """The questions, and the scene graphs if they are named."""
        return [*question_files(self.path, self.split), *(scene_files(self.scenes) if self.scenes else ())]

    @counting_missing
    def questions(self) -> Iterator[Question]:
        """The questions in the order of the files."""
        self.begin()
        images = ImagesById(self.images, ["{id}.jpg", "{id}.png"])
        seen: set[Id] = set()
        scenes = SceneIndex(self.scenes) if self.scenes else None
        for file in question_files(self.path, self.split):
            sieve = Sieve(file, self.skip_bad, self.skipped)
            for number, (key, record) in pairs(file):
                question = sieve.sift(number, key, self._question, key, record, seen, images, scenes)
                if question:
                    yield question

    def _question(
        self, key: Id, record: object, seen: set[Id], images: ImagesById, scenes: SceneIndex | None
    ) -> Question | None:
        if key in seen:
            raise repeated(key)
        seen.add(key)
        fields = mapping(record)
        if self.balanced and not _is_balanced(fields):
            return None
        image = text(fields, "imageId")
        answer = text(fields, "answer", "")
        return Question(
            key,
            images.find(image),
            text(fields, "question"),
            answers=(answer,) if answer else (),
            kind=Kind(answer_type(answer), _question_type(fields)),
            scene=scenes.find(image) if scenes else None,
        )


def question_files(path: str, split: str | None = None) -> list[str]:
    """The questions files at a path, chunks in the order of their numbers."""
    if os.path.isdir(path):
        found = [os.path.join(path, name) for name in os.listdir(path) if _QUESTIONS_FILE.search(name)]
        found = [file for file in found if split in (None, split_of(file)) and may_be(file, "gqa")]
        return _one_split(path, found or _chunk_folder(path, split))
    found = [path] if os.path.exists(path) or not glob.has_magic(path) else glob.glob(path)
    return _one_split(path, found)


def split_of(path: str) -> str:
    """The name of the split of a questions file.

    >>> split_of("val_balanced_questions.json"), split_of("train_all_questions/train_all_questions_3.json")
    ('val_balanced', 'train_all')
    """
    file = os.path.basename(path)
    return _QUESTIONS_FILE.sub("", file).rstrip("_-.") or file.split(".")[0]


def _chunk_folder(path: str, split: str | None) -> list[str]:
    inner = os.path.join(path, f"{split}_questions")
    return [os.path.join(inner, name) for name in os.listdir(inner)] if split and os.path.isdir(inner) else []


def _one_split(path: str, found: list[str]) -> list[str]:
    splits = sorted({split_of(file) for file in found})
    if not splits:
        raise DataError(f"{path}: there is no GQA questions file. Put e.g. val_balanced_questions.json there.")
    if len(splits) > 1:
        raise DataError(
            f"{path}: questions of several splits ({', '.join(splits)}). Pick one, e.g. gqa:{path},split={splits[0]}"
        )
    return sorted(found, key=lambda file: (int(chunk[1]) if (chunk := _CHUNK.search(file)) else -1, file))


def _is_balanced(record: Mapping[str, Any]) -> bool:
    value = record.get("isBalanced")
    if not isinstance(value, bool):
        raise wrong("isBalanced", "true or false", value)
    return value


def _question_type(record: Mapping[str, Any]) -> str:
    types = record.get("types")
    if types is None:
        return ""
    known = mapping(types)
    return "/".join(part for part in (text(known, "structural", ""), text(known, "semantic", "")) if part)


OOD_PARTS = ("head", "tail")
_OOD_FILE = names_of("gqa:GqaOod")


@dataclass(frozen=True, repr=False)
class GqaOod(QuestionBenchmark):
    """GQA-OOD: questions of GQA with frequent and with rare answers (Kervadec et al. 2021)."""

    title: ClassVar[str] = "GQA-OOD"
    suites: ClassVar[Sequence[str]] = ("gqa-ood",)
    sizes: ClassVar[Sizes] = {
        "ood_testdev_head.json": {"questions in ood_testdev_head.json": 1733},
        "ood_testdev_tail.json": {"questions in ood_testdev_tail.json": 1063},
    }

    split: str | None = None
    """Which files of a folder with several: ``testdev`` or ``val``."""

    def files(self) -> Sequence[str]:
        """The head and the tail of one split, from the folder of the path."""
        named = match_name(_OOD_FILE, self.path)
        found: dict[str, dict[str, str]] = {}
        for file in PathContents(folder_of(self.path)).named(_OOD_FILE):
            if match := match_name(_OOD_FILE, file):
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
        if absent := [part for part in OOD_PARTS if part not in parts]:
            wanted = " and ".join(f"ood_{split}_{part}.json" for part in absent)
            raise missing_files(folder_of(self.path), f"{self.title} for {' and '.join(absent)}", wanted)
        return [parts[part] for part in OOD_PARTS]

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The head, then the tail."""
        seen: set[Id] = set()
        for part, path in zip(OOD_PARTS, self.files(), strict=True):
            sieve, data = self.sieve(path), Gqa(path, skip_bad=self.skip_bad)
            for number, question in enumerate(data.questions(), 1):
                if question.id in seen:
                    sieve.refuse(number, repeated(question.id, first="the head"), question.id)
                    continue
                seen.add(question.id)
                image = question.image and sieve.sift(number, question.id, self._image, question.image)
                if image is not None:
                    counts[f"questions in {os.path.basename(path)}"] += 1
                    yield replace(question, image=image, tags=(("part", part),))
            self.skipped.extend(data.skipped)

    def _image(self, image: ImageRef) -> ImageRef:
        return self.image_of(image.id, f"{image.id}.jpg", f"{image.id}.png")
