"""Precomputed region features, from an ``.npz`` file, for models that do not read pixels."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadImage, DataError
from askew.files.images import content_hash
from askew.files.read_write import fingerprint
from askew.types import Question


@dataclass(frozen=True)
class Regions:
    """K regions for each image: ``ID/features`` of shape (K, d) and ``ID/boxes`` of shape (K, 4).

    ID is the image's id or the SHA-256 of its file. The hash is looked up first, so that a changed image can have
    features of its own. Boxes are x1, y1, x2, y2, divided by width and height.
    """

    file: str = field(repr=False)
    signature: str = field(init=False, default="")
    table: Any = field(init=False, repr=False, compare=False, default=None)
    names: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self) -> None:
        try:
            table = np.load(self.file, allow_pickle=False)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{self.file}: cannot be read as region features ({error}). Expected a .npz file."
            ) from None
        if not isinstance(table, np.lib.npyio.NpzFile) or not any(name.endswith("/features") for name in table.files):
            raise DataError(
                f"{self.file}: no region features in it. Expected a .npz file of arrays named ID/features and ID/boxes."
            )
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "names", frozenset(table.files))
        object.__setattr__(self, "signature", fingerprint(self.file))

    def of(self, question: Question) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Features and boxes of the question's image."""
        if question.image is None:
            raise BadImage("The question has no image, and the model needs its region features.")
        names = (content_hash(question.image), str(question.image.id))
        name = next((name for name in names if f"{name}/features" in self.names), None)
        if name is None:
            raise BadImage(
                f"{self.file}: no region features of image {question.image.id!r}. Extract them, as "
                f"'{question.image.id}/features' and '{question.image.id}/boxes'."
            )
        try:
            features, boxes = self.table[f"{name}/features"], self.table[f"{name}/boxes"]
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise BadImage(
                f"{self.file}: the region features of image {name!r} are damaged ({error}). "
                f"Expected arrays of numbers called '{name}/features' and '{name}/boxes'."
            ) from None
        return checked(self.file, name, features, boxes)


def checked(
    file: str, name: str, features: NDArray[Any], boxes: NDArray[Any]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """An image's features and boxes; raises BadImage for wrong shapes and for boxes outside 0 to 1."""
    if features.ndim != 2 or boxes.shape != (len(features), 4) or not len(features):
        raise BadImage(
            f"{file}: image {name!r} has features of shape {features.shape} and boxes of shape {boxes.shape}. "
            "Expected (K, d) and (K, 4)."
        )
    if boxes.min() < -0.01 or boxes.max() > 1.01:
        raise BadImage(
            f"{file}: boxes of image {name!r} go from {boxes.min():g} to {boxes.max():g}. "
            "Divide x by the width and y by the height, so that they are between 0 and 1."
        )
    return features.astype(np.float32), boxes.astype(np.float32)
