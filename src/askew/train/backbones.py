"""Vision backbones: networks that turn any image into regions, its patches or the boxes of a detector.

Patches are those of the whole image, resized to the input of the network and never cropped, so that their boxes are
exact. Patches of a finer grid are averaged down to ``grid`` x ``grid`` regions.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from askew.errors import AskewError, BadOption, DataError, ModelError, need
from askew.files.images import open_image
from askew.files.read_write import fingerprint
from askew.models.huggingface.folder import find
from askew.models.huggingface.loading import LOCAL, offline, quiet
from askew.models.huggingface.placement import pick_device
from askew.models.onnx_model import load_onnx, pixels
from askew.train.features import ImageFeatures
from askew.types import ImageRef

BOXES = 36
"""Boxes of an image that are kept of a detector, as in bottom-up features (Anderson et al. 2018)."""
MOST_OTHER_TOKENS = 16
"""Tokens before the patches (class, registers) at most."""
NORMALISATIONS = {
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "half": ((0.5,) * 3, (0.5,) * 3),
    "none": ((0.0,) * 3, (1.0,) * 3),
}
"""Mean and standard deviation of red, green and blue, as shares of 255."""


@dataclass(frozen=True)
class HfBackbone:
    """A vision model of transformers: patches of CLIP, SigLIP, DINOv2, ViT, ResNet and others, or a detector's boxes.

    ``layer`` counts like a Python index: -1 is the output of the network, -2 the layer before the last.
    """

    folder: str = field(repr=False)
    layer: int = -1
    grid: int = 7
    """Patches are averaged to at most this many on a side; 0 keeps all."""
    boxes: int | None = None
    """For detectors: the number of boxes of an image, those with the highest score first (36 if left out)."""
    batch_size: int = field(default=16, repr=False)
    device: Literal["auto", "cpu", "cuda", "mps"] = field(default="auto", repr=False)
    revision: str | None = field(default=None, repr=False)
    allow_download: bool = field(default=False, repr=False)
    content: str = field(init=False, default="")
    """A hash of the weights and the configuration."""

    def __post_init__(self) -> None:
        _check_numbers("hf", self.grid, self.batch_size)
        if self.boxes is not None and self.boxes < 1:
            raise BadOption(f"hf: boxes is {self.boxes}; at least 1 is needed.")
        need("torch", "hf"), need("transformers", "hf")
        found = find(self.folder, self.revision, self.allow_download)
        object.__setattr__(self, "content", found.content)

    def encode(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The regions of these images, computed together; a detector sees one image at a time, without padding."""
        try:
            if self._is_detector:
                return [self._detect(image) for image in images]
            return _patch_regions(*self._patches(images), self.grid, self.folder)
        except AskewError:
            raise
        except (RuntimeError, ValueError, TypeError, AttributeError) as trouble:
            raise ModelError(
                f"{self.folder}: the network does not read images as CLIP, SigLIP, DINOv2, ViT, ResNet or DETR do "
                f"({type(trouble).__name__}: {(str(trouble).splitlines() or [''])[0]}). Give one that does, or a file "
                "of features."
            ) from trouble

    def _patches(self, images: Sequence[ImageRef]) -> tuple[Any, tuple[int, int] | None]:
        """One layer of the network, and rows and columns of its patches if the configuration has their size."""
        from PIL import Image

        model, processor, device = self._loaded
        settings = processor.to_dict()
        height, width = _input_size(settings, self.folder)
        resample = settings.get("resample", Image.Resampling.BICUBIC)
        resized = [open_image(image).resize((width, height), resample) for image in images]
        # resized here: the processors of many models would crop the margins
        ready = processor(images=resized, do_resize=False, do_center_crop=False, return_tensors="pt")
        values = ready["pixel_values"].to(device)
        with need("torch", "train").inference_mode():
            output = model(pixel_values=values, output_hidden_states=self.layer != -1)
        if self.layer == -1:
            layer = output.last_hidden_state
        else:
            layers = output.hidden_states
            if not -len(layers) <= self.layer < len(layers):
                raise BadOption(
                    f"hf: layer is {self.layer}, and {self.folder} has {len(layers)}. "
                    f"Give a number from {-len(layers)} to {len(layers) - 1}."
                )
            layer = layers[self.layer]
        size = model.config.to_dict().get("patch_size")
        return layer, (height // size, width // size) if isinstance(size, int) else None

    def _detect(self, image: ImageRef) -> ImageFeatures:
        """The boxes with the highest scores, and the vectors that they were predicted from."""
        model, processor, device = self._loaded
        ready = processor(images=[open_image(image)], return_tensors="pt").to(device)
        with need("torch", "train").inference_mode():
            output = model(**ready)
        logits = output.logits[0]
        if logits.shape[-1] == model.config.num_labels + 1:  # the last class is "no object", as in DETR
            scores = logits.softmax(dim=-1)[:, :-1].amax(dim=-1)
        else:
            scores = logits.sigmoid().amax(dim=-1)
        best = scores.argsort(descending=True, stable=True)[: self.boxes or BOXES]
        vectors = output.last_hidden_state[0, -len(scores) :][best]  # in YOLOS patches come first
        centres = output.pred_boxes[0][best].cpu().numpy()
        start = (centres[:, :2] - centres[:, 2:] / 2).clip(0, 1)
        end = (centres[:, :2] + centres[:, 2:] / 2).clip(0, 1)
        return ImageFeatures(vectors.float().cpu().numpy(), np.concatenate([start, end - start], axis=1))

    @cached_property
    def _is_detector(self) -> bool:
        transformers = need("transformers", "hf")
        detects = self._config_type in transformers.AutoModelForObjectDetection._model_mapping
        if self.boxes is not None and not detects:
            raise BadOption(f"hf: {self.folder} is not a detector, so it has no boxes. Leave boxes out.")
        if detects and self.layer != -1:
            raise BadOption(f"hf: {self.folder} is a detector; its boxes come from its last layer. Leave layer out.")
        return detects

    @cached_property
    def _config_type(self) -> type:
        transformers = need("transformers", "hf")
        place = find(self.folder, self.revision).path
        try:
            return type(transformers.AutoConfig.from_pretrained(place, **LOCAL))
        except Exception as trouble:  # a family that transformers does not know, or a damaged config
            raise _not_loaded(self.folder, trouble) from trouble

    @cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        """The vision tower, its image processor and the device."""
        transformers, target = need("transformers", "hf"), pick_device(self.device)
        place = find(self.folder, self.revision).path
        loader = transformers.AutoModelForObjectDetection if self._is_detector else transformers.AutoModel
        with quiet(transformers), offline():
            try:
                model, report = loader.from_pretrained(place, output_loading_info=True, dtype="float32", **LOCAL)
            except Exception as trouble:  # anything that transformers raises for a wrong or incomplete folder
                raise _not_loaded(self.folder, trouble) from trouble
            towers = [name for name in ("vision_model", "vision_tower") if hasattr(model, name)]
            tower = getattr(model, towers[0]) if towers and "vision_config" in model.config.to_dict() else model
            if tower.main_input_name != "pixel_values":
                raise ModelError(
                    f"{self.folder}: {type(model).__name__} has no vision tower. Give a model that reads images, such "
                    "as CLIP, SigLIP, DINOv2, ViT, ResNet or DETR."
                )
            missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)  # not used here
            if missing:
                raise ModelError(
                    f"{self.folder}: {len(missing)} weights of {type(model).__name__} are missing, e.g. "
                    f"{missing[0]!r}; they would be random. Give a whole checkpoint."
                )
            try:
                processor = transformers.AutoImageProcessor.from_pretrained(place, backend="pil", **LOCAL)
            except Exception as trouble:  # as above
                raise ModelError(
                    f"{self.folder}: the image processor cannot be loaded ({str(trouble).splitlines()[0]}). Copy "
                    "preprocessor_config.json from the same checkpoint."
                ) from trouble
        return tower.to(target).eval(), processor, target

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields, not the loaded network."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class OnnxBackbone:
    """A vision network in an ONNX file: one input of pixels (N, 3, H, W), and patches or a map of features as output.

    It is run on one processor thread, on images resized to its input.
    """

    file: str = field(repr=False)
    output: str | None = None
    """The name of the output; the first if left out."""
    normalise: Literal["imagenet", "half", "none"] = "imagenet"
    """Colours by ImageNet's mean and deviation, from -1 to 1, or from 0 to 1. Input of bytes stays as it is."""
    size: int | None = None
    """Width and height in pixels, needed if the file leaves them open."""
    grid: int = 7
    """As for ``hf``."""
    batch_size: int = field(default=16, repr=False)
    content: str = field(init=False, default="")
    """A hash of the file."""

    def __post_init__(self) -> None:
        need("onnxruntime", "bundled")
        _check_numbers("onnx", self.grid, self.batch_size)
        if not os.path.isfile(self.file):
            raise DataError(f"{self.file}: there is no such ONNX file. Give an existing one (--features onnx:FILE).")
        object.__setattr__(self, "content", fingerprint(self.file))

    def encode(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The regions of these images, computed together, or one after the other if the file is for single images."""
        torch, source = need("torch", "train"), self._session.get_inputs()[0]
        values = np.stack([pixels(image, self._side) for image in images])
        if source.type != "tensor(uint8)":
            table = np.array(NORMALISATIONS[self.normalise], np.float32)[:, :, None, None]  # (2, 3, 1, 1)
            values = (values / np.float32(255) - table[0]) / table[1]
            values = values.astype(np.float16 if source.type == "tensor(float16)" else np.float32)
        single = source.shape[0] == 1
        parts = [values[place : place + 1] for place in range(len(values))] if single else [values]
        output = self._output
        try:
            found = np.concatenate([self._session.run([output], {source.name: part})[0] for part in parts])
        except Exception as trouble:  # onnxruntime has one exception class for each kind of trouble
            raise ModelError(
                f"{self.file}: it does not run on pixels of shape {values.shape} ({str(trouble).splitlines()[0]}). "
                "Give size=..., or export it with an open number of images."
            ) from None
        return _patch_regions(torch.from_numpy(found.astype(np.float32)), None, self.grid, self.file)

    @cached_property
    def _session(self) -> Any:
        session = load_onnx(Path(self.file), threads=1)
        shapes = [one.shape for one in session.get_inputs()]
        if len(shapes) != 1 or len(shapes[0]) != 4 or shapes[0][1] not in (3, "channels", "num_channels", None):
            raise ModelError(
                f"{self.file}: its inputs have the shapes {shapes}. Give a vision network with one input of pixels "
                "(N, 3, H, W)."
            )
        return session

    @cached_property
    def _side(self) -> int:
        fixed = {side for side in self._session.get_inputs()[0].shape[2:] if isinstance(side, int)}
        sides = fixed or {self.size} - {None}
        if len(sides) != 1 or (self.size or next(iter(sides))) not in sides:
            raise BadOption(
                f"{self.file}: its input is {self._session.get_inputs()[0].shape}, and size is {self.size or 'not set'}"
                ". Give the width and height that it was trained on, for example onnx:FILE,size=224."
            )
        return int(next(iter(sides)) or 0)

    @cached_property
    def _output(self) -> str:
        names: list[str] = [one.name for one in self._session.get_outputs()]
        if self.output is not None and self.output not in names:
            raise BadOption(f"{self.file}: no output is called {self.output!r}. Known: {', '.join(names)}.")
        return self.output or names[0]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields, not the loaded network."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _check_numbers(name: str, grid: int, batch_size: int) -> None:
    if grid < 0 or batch_size < 1:
        raise BadOption(f"{name}: grid={grid} and batch_size={batch_size}; at least 0 and 1 are needed.")


def _not_loaded(folder: str, trouble: Exception) -> ModelError:
    reason = f"{type(trouble).__name__}: {(str(trouble).strip().splitlines() or [''])[0]}"
    return ModelError(
        f"{folder}: transformers cannot load a vision model from it ({reason}). Give a folder of CLIP, SigLIP, DINOv2, "
        "ViT, ResNet or DETR, or newer transformers: pip install -U transformers"
    )


def _input_size(settings: Mapping[str, Any], folder: str) -> tuple[int, int]:
    """Height and width of what the network sees, by its image processor."""
    crops = settings.get("do_center_crop") and settings.get("crop_size")
    size: Mapping[str, int] = dict(crops or settings.get("size") or {})
    height, width = (size.get(side) or size.get("shortest_edge") for side in ("height", "width"))
    if not height or not width:
        raise ModelError(
            f"{folder}: its images have no fixed size ({size}), so its patches have no fixed places. Give a model with "
            "a fixed input, such as CLIP, SigLIP, DINOv2, ViT or ResNet."
        )
    return height, width


def _patch_regions(layer: Any, shape: tuple[int, int] | None, grid: int, where: str) -> list[ImageFeatures]:
    """Regions from maps (B, D, rows, columns), tokens (B, T, D) whose last ones are the patches, or vectors (B, D)."""
    if layer.ndim == 2:
        layer = layer[:, :, None, None]
    if layer.ndim == 3:
        count = layer.shape[1]
        if shape is None or math.prod(shape) > count:  # patches that the network merges
            shape = (math.isqrt(count),) * 2
        patches = math.prod(shape)
        if count - patches > MOST_OTHER_TOKENS:
            raise ModelError(
                f"{where}: its {count} tokens are not a grid of patches. Give a network whose output is one, a "
                "detector, or a file of features."
            )
        layer = layer[:, count - patches :].transpose(1, 2).unflatten(2, shape)
    if layer.ndim != 4:
        raise ModelError(f"{where}: its output has {layer.ndim} dimensions. Give one with patches (N, K, D).")
    if grid and max(layer.shape[2:]) > grid:
        pool = need("torch", "train").nn.functional.adaptive_avg_pool2d
        layer = pool(layer.float(), tuple(min(grid, side) for side in layer.shape[2:]))
    boxes = _grid_boxes(*layer.shape[2:])
    return [ImageFeatures(one.T, boxes) for one in layer.flatten(2).float().cpu().numpy()]


def _grid_boxes(rows: int, columns: int) -> NDArray[np.float32]:
    """Boxes of a grid, row by row.

    >>> _grid_boxes(1, 2).tolist()
    [[0.0, 0.0, 0.5, 1.0], [0.5, 0.0, 0.5, 1.0]]
    """
    cells = [(column / columns, row / rows, 1 / columns, 1 / rows) for row in range(rows) for column in range(columns)]
    return np.array(cells, np.float32)
