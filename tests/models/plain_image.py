"""An image of one colour, as a file's bytes."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image


def image_bytes(color: str = "red", size: tuple[int, int] = (64, 48), kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, kind, **options)
    return out.getvalue()
