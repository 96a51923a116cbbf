"""The embedded world as a data set: scenes are generated when first read, and cached on disk."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

import orjson

from askew.errors import BadOption, DataError
from askew.files.paths import cache_folder
from askew.files.read_write import replaced
from askew.files.records import question_from, question_record, scene_from, scene_record
from askew.types import ImageRef, Question, Scene
from askew.world.ask import AnswerPrior, asked_and_answered
from askew.world.phrasing import data
from askew.world.scenes import make_scene
from askew.world.splits import Shift, YesNoBalance, indices, split_of

VERSION = "2"
"""Names the world in signatures, datasheets and the cache, so that stored runs know which world they used.

Raise it (``"2"``, ``"3"``, ...) when a seed gives other scenes, questions, answers or images than before, so whenever
the YAML files of the world change. Formatting, moving or renaming code keeps it.
"""
_QUALITY = 95

Priors: TypeAlias = Literal["train", "all"]
"""Which splits have yes/no questions whose words predict the answer: ``train`` alone, or all of them."""


@dataclass(frozen=True)
class CachedQuestion:
    """A question of the world, with the fields that GQA files and the datasheet need."""

    question: Question
    kind: str
    """The kind of question, e.g. ``exists``."""
    gqa: str
    """GQA's structural and semantic type, e.g. ``verify/obj``."""
    answer: str
    """The true answer."""


class MadeScene(NamedTuple):
    """A scene that is not in the cache yet."""

    number: int
    record: bytes
    image: bytes
    """Empty if it is already drawn."""


@dataclass(frozen=True)
class SceneCache:
    """A cache folder: images in ``images/``, and a JSON record for each scene."""

    folder: str
    seed: int
    size: int
    shifted: bool = False
    priors: Priors = "train"
    records: str = "records"
    """The name of the subfolder with the records."""

    def image_path(self, index: int) -> str:
        """The path of an image; files are named as in COCO."""
        name = f"COCO_world_{split_of(self.seed, index)}_{index:012d}.jpg"
        return os.path.join(self.folder, "images", name)

    def record(self, index: int) -> str:
        """The path of a record."""
        suffix = "-shifted" if self.shifted else "-priors" if self.priors == "all" else ""
        return os.path.join(self.folder, self.records + suffix, f"{index:06d}.json")

    def entry(self, index: int) -> tuple[Scene, list[CachedQuestion]]:
        """A scene and its questions, generated if they are not in the cache."""
        record = None
        if os.path.isfile(self.image_path(index)):
            with suppress(OSError, ValueError):
                record = orjson.loads(Path(self.record(index)).read_bytes())
        if record is None:
            made = self.made((index, self.image_hash(index)))
            self.put(made)
            # Parsed again, so that a scene is the same (floats, tuples) whether it is generated or read from the cache.
            record = orjson.loads(made.record)
        scene = scene_from(record["scene"])
        image = ImageRef(scene.id, self.image_path(index), None, record["sha256"], (self.size, self.size))
        return scene, [
            CachedQuestion(
                replace(question_from(part), image=image, scene=scene), part["made"], part["gqa"], part["true"]
            )
            for part in record["questions"]
        ]

    def holds(self, index: int) -> bool:
        """Whether a scene is in the cache."""
        return os.path.isfile(self.record(index)) and os.path.isfile(self.image_path(index))

    def put(self, made: MadeScene) -> None:
        """Write a scene that a worker made."""
        if made.image:
            _write(self.image_path(made.number), made.image)
        _write(self.record(made.number), made.record)

    def made(self, wanted: tuple[int, str]) -> MadeScene:
        """A new scene, given its index and, if the image is already drawn, its hash; writes nothing."""
        index, sha256 = wanted
        scene = make_scene(self.seed, index, (self.size, self.size))
        image = b""
        if not sha256:
            from askew.world.draw import draw

            buffer = io.BytesIO()
            draw(scene, self.size).save(buffer, "JPEG", quality=_QUALITY, subsampling=0)
            image = buffer.getvalue()
        questions = [
            question_record(replace(question, scene=None))
            | {"made": asked.kind, "gqa": data("types")["gqa"][asked.meaning.op], "true": asked.answer}
            for asked, question in asked_and_answered(scene, self.seed, self._prior(index))
        ]
        sha256 = sha256 or hashlib.sha256(image).hexdigest()
        record = orjson.dumps({"scene": scene_record(scene), "sha256": sha256, "questions": questions})
        return MadeScene(index, record, image)

    def image_hash(self, index: int) -> str:
        """The hash of an image; empty if it is not drawn yet."""
        path = Path(self.image_path(index))
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    def _prior(self, index: int) -> AnswerPrior | None:
        """The prior that decides which answers are frequent; None for the scenes' own."""
        split = split_of(self.seed, index)
        if self.shifted:
            return Shift(split)
        return None if split == "train" or self.priors == "all" else YesNoBalance()


def _write(path: str, content: bytes) -> None:
    try:
        with replaced(path) as file:
            file.write(content)
    except OSError as trouble:
        raise DataError(
            f"{path}: cannot be written ({trouble.strerror or trouble}). Free some disk space or use another folder; "
            "the environment variable ASKEW_CACHE sets where the world is cached."
        ) from None


SMALLEST, LARGEST = 64, 2048
"""The smallest and largest width of images, in pixels."""


@dataclass(frozen=True, repr=False)
class World:
    """Scenes with known answers: images, questions and the answers of ten simulated people (see ``askew world``).

    ``scenes`` counts all splits: of 200 scenes, 140 are in train and 30 each in val and test. Everything is generated
    when first read, and cached in ``$ASKEW_CACHE`` (or ``$XDG_CACHE_HOME``, or ``~/.cache``).
    """

    split: Literal["val", "train", "test", "all"] = "val"
    scenes: int = 200
    """How many scenes, over all splits."""
    seed: int = 0
    """Which world; worlds with different seeds share no scene."""
    size: int = 224
    """Width and height of the images."""
    shifted: bool = False
    """Test favours other answers than train and val, for each kind of question (the idea of VQA-CP)."""
    priors: Priors = "train"
    """``all``: words predict yes or no in val and test as they do in train; by default they do so only in train."""

    def __post_init__(self) -> None:
        if self.priors not in get_args(Priors):
            raise BadOption(f"world: priors is {self.priors!r}. Give train or all.")
        if self.shifted and self.priors == "all":
            raise BadOption("world: shifted=true decides the priors of each split itself. Leave priors=all out.")
        if self.split not in ("val", "train", "test", "all"):
            raise BadOption(f"world: there is no split {self.split!r}. Splits are train, val, test and all.")
        if self.scenes < 1:
            raise BadOption(f"world: scenes is {self.scenes}; at least 1 is needed.")
        if not SMALLEST <= self.size <= LARGEST:
            raise BadOption(f"world: size is {self.size}; images have {SMALLEST} to {LARGEST} pixels on a side.")

    def __repr__(self) -> str:
        values = [(option.name, getattr(self, option.name)) for option in fields(self)]
        changed = [f"{name}={value!r}" for name, value in values if value != getattr(World, name)]
        return f"World({', '.join([*changed, f'generator={VERSION!r}'])})"

    @property
    def name(self) -> str:
        """The split, e.g. ``world/val``."""
        return f"world/{self.split}{' (shifted)' if self.shifted else ''}"

    @property
    def skipped(self) -> Sequence[str]:
        """Always empty: the world has no bad records."""
        return ()

    def fingerprint(self) -> str:
        """A hash of what the data set contains, as 16 hexadecimal digits."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

    def questions(self) -> Iterator[Question]:
        """The questions, scene by scene, each with its image and its scene."""
        wanted = list(indices(self.seed, self.scenes, self.split))
        if not wanted:
            raise DataError(
                f"{self.name}: with scenes={self.scenes} no scene is in {self.split}. Of every 20 scenes, 14 "
                "are in train and 3 each in val and test: use more scenes, or world:all."
            )
        cache = SceneCache(world_cache(self.seed, self.size), self.seed, self.size, self.shifted, self.priors)
        for index in wanted:
            for cached in cache.entry(index)[1]:
                yield cached.question


def world_cache(seed: int, size: int) -> str:
    """The folder in which the scenes of a world are cached."""
    return str(cache_folder() / "world" / VERSION / f"seed-{seed}-size-{size}")
