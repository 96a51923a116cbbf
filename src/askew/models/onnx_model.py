"""Models run by onnxruntime, without torch, on images of any size: exported networks and the bundled ones.

The encoder (the bundled one, or another exported one) turns images into regions, from which a network answers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.errors import AskewError, BadOption, DataError, UnknownName, need
from askew.files.images import content_hash, only_image, open_image
from askew.files.limits import read_object
from askew.files.read_write import fingerprint
from askew.nets.net_config import QuestionWords, attention_steps, square_grid
from askew.types import AttentionStep, ImageRef, Prediction, Question

REFERENCE = Path(__file__).parent / "reference"
"""Folder of the reference models."""
CACHED_IMAGES = 4096
"""Number of images whose regions are kept for later questions."""
_REMEDY = "Give a folder that the export wrote."
_NEAR_TIE = 0.001
"""Difference of two logits that counts as a near tie; the batch changes logits by a hundred times less."""


@dataclass(frozen=True)
class Onnx:
    """An exported network as a model: ``NAME.onnx`` and ``NAME.json`` in a folder, with ``encoder.onnx`` for images.

    The signature holds a hash of the files. With one thread (the default) the answer to a question does not depend
    on the batch: if the two best answers nearly tie, the question is asked again alone. The score can differ by
    about 0.000001 in another batch; on another processor a near tie can be decided differently.
    """

    folder: str = field(repr=False)
    name: str = "model"
    batch_size: int = field(default=128, repr=False)
    threads: int = field(default=1, repr=False)
    signature: str = field(init=False, default="")

    free_text: ClassVar[bool] = False

    def __post_init__(self) -> None:
        need("onnxruntime", "bundled")
        for option in ("batch_size", "threads"):
            if getattr(self, option) < 1:
                raise BadOption(f"onnx: {option} is {getattr(self, option)}; at least 1 is needed.")
        files = [self._file(".onnx"), self._file(".json")]
        for file in files:
            if not file.is_file():
                raise DataError(f"{file}: there is no such file. {_REMEDY}")
        if self.about.get("eyes") == "encoder":
            files.append(Path(self.folder) / "encoder.onnx")
        object.__setattr__(self, "signature", fingerprint(*map(str, files)))

    @property
    def opens_images(self) -> bool:
        """Whether every image file must exist."""
        return bool(self.about["eyes"] != "none")

    @property
    def blind(self) -> bool:
        """Whether the network never sees the image."""
        return not self.opens_images

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The best answers, with scores from 0 to 1; a question whose image cannot be read fails alone."""
        predictions = []
        for question, row in zip(questions, self._rows(questions), strict=True):
            if isinstance(row, str):
                predictions.append(Prediction(question.id, None, error=row))
                continue
            if _margin(row) < _NEAR_TIE:
                row = self.look([question])["logits"][0]
            best = int(row.argmax())
            predictions.append(
                Prediction(question.id, self.about["answers"][best], round(_sigmoid(float(row[best])), 6))
            )
        return predictions

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The sigmoid of each given answer's logit; 0 outside the vocabulary, nan if the image cannot be opened."""
        places = {answer: place for place, answer in enumerate(self.about["answers"])}
        return [
            float("nan") if isinstance(row, str) else _sigmoid(float(row[places[answer]])) if answer in places else 0.0
            for answer, row in zip(answers, self._rows(questions), strict=True)
        ]

    def look(self, questions: Sequence[Question]) -> dict[str, Any]:
        """All outputs of the network for these questions: logits, and for module networks weights and attention."""
        inputs: dict[str, Any] = {"tokens": self.words.encode([question.text for question in questions])}
        images = [question.image for question in questions if question.image is not None]
        if self.about["eyes"] == "encoder":
            regions = self.encoder.encode(images)
            inputs |= {"features": regions.features, "boxes": regions.boxes, "mask": regions.mask}
        elif self.about["eyes"] == "pixels":
            inputs["features"] = np.stack([pixels(image, self.about["size"]) for image in images]) / np.float32(255)
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(None, inputs), strict=True))

    def steps(self, question: Question) -> tuple[AttentionStep, ...]:
        """Modules and attention of each step of a module network; empty for other networks."""
        if question.image is None or "attention" not in {output.name for output in self.session.get_outputs()}:
            return ()
        outputs = {name: value[0].tolist() for name, value in self.look([question]).items()}
        if self.about["eyes"] == "encoder":
            boxes = self.encoder.encode([question.image]).boxes[0].tolist()
        else:
            boxes = square_grid(len(outputs["attention"][0]))
        return attention_steps(question.text, outputs["weights"], outputs["attention"], outputs["words"], boxes)

    @cached_property
    def about(self) -> dict[str, Any]:
        """Metadata of the exported network: words, answers, kind of image input, how it was trained."""
        about = read_object(self._file(".json"), _REMEDY)
        missing = [key for key in ("words", "answers", "eyes") if key not in about]
        if missing:
            raise DataError(f"{self._file('.json')}: the key {missing[0]!r} is missing. Export the network again.")
        return about

    @cached_property
    def words(self) -> QuestionWords:
        """The vocabulary of questions."""
        return QuestionWords(tuple(self.about["words"]))

    @cached_property
    def encoder(self) -> OnnxEncoder:
        """The image encoder, shared with other models of the same folder."""
        return shared_encoder(self.folder, self.threads, fingerprint(str(Path(self.folder) / "encoder.onnx")))

    @cached_property
    def session(self) -> Any:
        """The loaded network."""
        return load_onnx(self._file(".onnx"), self.threads)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but loaded networks."""
        kept = ("folder", "name", "batch_size", "threads", "signature")
        return {name: getattr(self, name) for name in kept}

    def _file(self, ending: str) -> Path:
        return Path(self.folder) / f"{self.name}{ending}"

    def _rows(self, questions: Sequence[Question]) -> Iterator[Any | str]:
        """The logits (A,) of each question, or why it cannot be asked."""
        for start in range(0, len(questions), self.batch_size):
            batch = questions[start : start + self.batch_size]
            troubles = [self._trouble(question) for question in batch]
            ready = [question for question, trouble in zip(batch, troubles, strict=True) if trouble is None]
            rows = iter(self.look(ready)["logits"] if ready else ())
            yield from (next(rows) if trouble is None else trouble for trouble in troubles)

    def _trouble(self, question: Question) -> str | None:
        """Why the question cannot be asked, or None."""
        if self.about["eyes"] == "none":
            return None
        try:
            image = only_image(question)
            if image is None:
                return "the question has no image"
            if self.about["eyes"] == "encoder":
                self.encoder.encode([image])
            else:
                pixels(image, self.about["size"])
        except AskewError as error:
            return str(error)
        return None


def _sigmoid(logit: float) -> float:
    """The logistic function, without overflow.

    >>> _sigmoid(0.0), _sigmoid(-1000.0), _sigmoid(1000.0)
    (0.5, 0.0, 1.0)
    """
    power = math.exp(-abs(logit))
    return (1.0 if logit >= 0 else power) / (1.0 + power)


def _margin(logits: Any) -> float:
    """Difference between the two highest logits; infinite for a single answer."""
    if len(logits) < 2:
        return math.inf
    best = np.partition(logits, -2)
    return float(best[-1] - best[-2])


@dataclass(frozen=True)
class Bundled(Onnx):
    """A reference model of askew: trained on the embedded world, run by onnxruntime. ``bundled:xnm``, for example.

    They show what the suites measure; they are not meant for images of other kinds.
    """

    folder: str = field(default=str(REFERENCE), init=False, repr=False, compare=False)
    name: str = "xnm"

    def __post_init__(self) -> None:
        if self.name not in bundled_names():
            raise UnknownName(f"No reference model is called {self.name!r}. Known: {', '.join(bundled_names())}.")
        super().__post_init__()


def bundled_names() -> list[str]:
    """Names of the bundled reference models."""
    return sorted(file.stem for file in REFERENCE.glob("*.json") if file.stem != "encoder")


@dataclass(frozen=True)
class OnnxEncoder:
    """An exported encoder, ``encoder.onnx`` and ``encoder.json`` in a folder. It is loaded for the first image."""

    folder: str
    threads: int = 1
    cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Regions of recent images, by content hash."""
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Held while the cache is used: models of several threads may share an encoder."""

    def encode(self, images: Sequence[ImageRef]) -> EncodedRegions:
        """The regions of these images; each distinct image is decoded and encoded once."""
        keys = [content_hash(image) for image in images]
        with self.lock:
            fresh = {key: image for key, image in zip(keys, images, strict=True) if key not in self.cache}
            encoded = {
                key: tuple(part[0] for part in self.encode_pixels(pixels(image, self.size)[None]))
                for key, image in fresh.items()  # each alone: in a batch the last bits would depend on other images
            }
            rows = [encoded[key] if key in encoded else self.cache[key] for key in keys]
            self.cache.update(encoded)
            while len(self.cache) > CACHED_IMAGES:
                del self.cache[next(iter(self.cache))]
        return EncodedRegions(*(np.stack(part) for part in zip(*rows, strict=True)))

    def encode_pixels(self, images: NDArray[np.uint8]) -> EncodedRegions:
        """Pixels (N, 3, S, S) to regions."""
        return EncodedRegions(*self.session.run(None, {"pictures": images}))

    @cached_property
    def size(self) -> int:
        """Width and height of the input in pixels."""
        return int(read_object(Path(self.folder) / "encoder.json", _REMEDY)["size"])

    @cached_property
    def regions(self) -> int:
        """Largest number of regions of an image, with the whole image."""
        return 1 + int(read_object(Path(self.folder) / "encoder.json", _REMEDY)["regions"])

    @cached_property
    def session(self) -> Any:
        """The loaded encoder."""
        return load_onnx(Path(self.folder) / "encoder.onnx", self.threads)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the path, not the loaded encoder."""
        return {"folder": self.folder, "threads": self.threads, "cache": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the path, with a lock of its own."""
        self.__dict__.update(state, lock=Lock())


class EncodedRegions(NamedTuple):
    """Regions of N images: first the whole image, then objects, then padding."""

    features: NDArray[np.float32]
    """(N, K, D)."""
    boxes: NDArray[np.float32]
    """(N, K, 4): x, y, width, height as fractions of the image."""
    mask: NDArray[np.bool_]
    """(N, K): False for padding."""


@lru_cache(maxsize=4)
def shared_encoder(folder: str, threads: int, file_hash: str) -> OnnxEncoder:
    """The encoder of a folder: one for all models that use it, so that each image is encoded once for all of them.

    ``file_hash`` is that of ``encoder.onnx``: a file that was replaced is another encoder.
    """
    return OnnxEncoder(folder, threads)


def pixels(ref: ImageRef, size: int) -> Any:
    """An image resized to ``size`` x ``size``: (3, size, size) uint8.

    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (30, 20), (255, 0, 7)).save(file, "PNG")
    >>> pixels(ImageRef("red", data=file.getvalue()), 4)[:, 0, 0].tolist()
    [255, 0, 7]
    """
    from PIL import Image

    image = open_image(ref)
    if image.size != (size, size):
        image = image.resize((size, size), Image.Resampling.BILINEAR)
    return np.ascontiguousarray(np.asarray(image).transpose(2, 0, 1))


def load_onnx(path: Path, threads: int) -> Any:
    """Load an ONNX file to run on the CPU. With one thread the same input gives the same bits every time."""
    runtime = need("onnxruntime", "bundled")
    runtime.disable_telemetry_events()  # on by default in some builds
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    if not path.is_file():
        raise DataError(f"{path}: there is no such file. {_REMEDY}")
    try:
        return runtime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
    except Exception as trouble:  # onnxruntime has one exception class for each kind of damage
        raise DataError(f"{path}: cannot be read as ONNX ({str(trouble).splitlines()[0]}). Export again.") from None
