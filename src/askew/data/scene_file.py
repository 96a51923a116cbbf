"""Scene graphs as data: one question without words for each scene, for suites that make their own questions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from askew.data.faults import Sieve, repeated
from askew.data.index import Index
from askew.data.pictures import Pictures
from askew.data.scenes import scene_files, scene_of
from askew.data.stream import pairs
from askew.files.fingerprint import fingerprint, signature
from askew.types import Question


@dataclass(frozen=True, repr=False)
class SceneFile:
    """GQA scene graphs without questions (Hudson & Manning 2019): ``scenes:val_sceneGraphs.json,images=pictures``."""

    path: str
    """The scene graph file, or a folder of files with ``sceneGraphs`` in their name."""
    images: str | None = None
    """The folder of pictures, named by the scene's id; without it, pictures are known by id alone."""
    skip_bad: bool = False
    """Leave bad scenes out, and list them in ``skipped``."""
    skipped: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """What the last reading left out."""

    counted: ClassVar[str] = "scene"
    """What there is one of for each question that this gives."""

    def __post_init__(self) -> None:
        scene_files(self.path)

    def __repr__(self) -> str:
        return signature(self)

    @property
    def name(self) -> str:
        """The file's or folder's name without its ending."""
        return os.path.basename(os.path.normpath(self.path)).split(".")[0]

    def fingerprint(self) -> str:
        """The content of the files, in 16 digits."""
        return fingerprint(*scene_files(self.path))

    def questions(self) -> Iterator[Question]:
        """One question for each scene, in the order of the files: no text, no answers, the scene and its picture."""
        self.skipped.clear()
        pictures = Pictures(self.images, ["{id}.jpg", "{id}.png"])
        with Index() as seen:
            for file in scene_files(self.path):
                sieve = Sieve(file, self.skip_bad, self.skipped)
                for number, (key, record) in pairs(file):
                    question = sieve.sift(number, key, _question, key, record, seen, pictures)
                    if question:
                        yield question


def _question(key: str, record: object, seen: Index, pictures: Pictures) -> Question:
    if not seen.add(key):
        raise repeated(key)
    return Question(key, pictures.find(key), "", scene=scene_of(key, record))
