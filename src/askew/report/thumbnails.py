"""Small images for the page: each file once, at most 224 pixels wide or high, up to a total size."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from askew.files.images import open_encoded

LONGEST = 224
"""The longer side in pixels."""

QUALITY = 80
"""The JPEG quality."""


@dataclass
class Thumbnails:
    """The images embedded in the page, identified by content or path."""

    budget: int = 6_000_000
    """The limit on the base64 characters of all images together."""
    images: list[str] = field(default_factory=list)
    """JPEG files in base64."""
    sizes: list[tuple[int, int]] = field(default_factory=list)
    """Width and height of each image before scaling."""
    left_out: int = 0
    """The number of images that did not fit."""
    unreadable: int = 0
    """The number of images whose file is missing or damaged."""
    _known: dict[str, int | None] = field(default_factory=dict)

    def add(self, record: dict[str, Any], find: Callable[[str], Path | None]) -> int | None:
        """The index of this question's image; None if there is none to show. ``find`` returns the file of a name."""
        path = record.get("path")
        if not isinstance(path, str) or not path:
            return None
        known = record.get("sha256")
        file = None if known in self._known else find(path)
        key = str(known or file or path)
        if key not in self._known:
            self._known[key] = self._embed(file)
        return self._known[key]

    def _embed(self, file: Path | None) -> int | None:
        small = file and _small(file)
        if not small:
            self.unreadable += 1
            return None
        encoded, size = small
        if len(encoded) > self.budget:
            self.left_out += 1
            return None
        self.budget -= len(encoded)
        self.images.append(encoded)
        self.sizes.append(size)
        return len(self.images) - 1


def _small(file: Path) -> tuple[str, tuple[int, int]] | None:
    try:
        with open_encoded(file) as image:
            size = image.size
            image.draft("RGB", (2 * LONGEST, 2 * LONGEST))
            small = _flat(image)
            small.thumbnail((LONGEST, LONGEST))
            buffer = BytesIO()
            small.save(buffer, "JPEG", quality=QUALITY, optimize=True)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
    return b64encode(buffer.getvalue()).decode("ascii"), size


def _flat(image: Image.Image) -> Image.Image:
    """The image as RGB, with transparent parts on white."""
    if image.mode not in ("RGBA", "LA", "PA") and "transparency" not in image.info:
        return image.convert("RGB")
    above = image.convert("RGBA")
    ground = Image.new("RGBA", above.size, "white")
    ground.alpha_composite(above)
    return ground.convert("RGB")
