"""Files of all kinds as images of a round: refused with the reason, or stored as pixels alone."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import sqlalchemy as sa
from PIL import Image, PngImagePlugin
from small_study import SmallStudy

from askew.collect.image_import import cleaned, import_images
from askew.collect.schema import image
from askew.errors import BadImage

HTML = b"<script>alert(1)</script>"
WHERE = "N 47 22 36"


def encoded(kind: str, step: int = 5, **options: object) -> bytes:
    buffer = io.BytesIO()
    colours = bytes(range(0, 48 * step, step)) * 4
    Image.frombytes("RGB", (8, 8), colours).save(buffer, kind, **options)
    return buffer.getvalue()


def with_place() -> bytes:
    """A photo with its location in the metadata, rotated."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = WHERE
    exif.get_ifd(0x8825)[1] = "N"
    return encoded("JPEG", exif=exif, comment=HTML)


def with_text() -> bytes:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", WHERE)
    return encoded("PNG", pnginfo=notes) + HTML


def huge() -> bytes:
    """A header of 50,000 by 50,000 pixels with only a fraction of the data."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(10**6))) + chunk(b"IEND", b"")


FILES = {
    "place.jpg": (with_place(), ""),
    "text.png": (with_text(), ""),
    "twice.png": (with_text(), "the same image is in round 1 already, as text.png"),
    "photo.webp": (encoded("WEBP"), ""),
    "really_a.png": (encoded("GIF", step=4) + HTML, ""),
    "huge.png": (huge(), "too large"),
    "drawing.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "only .jpeg, .jpg, .png, .webp"),
    "drawing.png": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image"),
    "page.jpg": (b"<!doctype html>" + HTML, "not an image"),
    "moving.gif": (encoded("GIF") + HTML, "only .jpeg, .jpg, .png, .webp"),
    "half.jpg": (with_place()[:300], "not an image"),
    "half.png": (encoded("PNG")[:60], "truncated or damaged"),
    "empty.png": (b"", "not an image"),
    "archive.png": (b"PK\x03\x04" + bytes(100), "not an image"),
}
STORED = ("place.jpg", "text.png", "photo.webp", "really_a.png")


@pytest.fixture
def draft(tmp_path: Path):
    made = SmallStudy.make(tmp_path / "study", images=0, opened=False)
    yield made
    made.close()


def test_only_pixels_are_stored_and_the_rest_is_refused(tmp_path, draft):
    for name, (content, _) in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    (tmp_path / "secret.png").symlink_to("/etc/hostname")
    paths = [tmp_path / name for name in (*FILES, "loop.png", "secret.png", "missing.png")]
    done = import_images(draft.study, paths, draft.round_id)
    assert done.added == len(STORED)
    refused = {re.search(r"(\w+\.\w+)\b", line.removeprefix(f"{tmp_path}/")).group(1): line for line in done.left_out}
    assert refused.keys() == {path.name for path in paths} - set(STORED)
    for name, line in refused.items():
        assert FILES.get(name, (b"", ""))[1] in line
    rows = draft.look(lambda tx: tx.rows(sa.select(image).order_by(image.c.id)))
    assert [row.name for row in rows] == list(STORED)
    for row in rows:
        path = draft.study.image_path(row.sha256, row.suffix)
        content = path.read_bytes()
        assert HTML not in content
        assert WHERE.encode() not in content
        with Image.open(path) as kept:
            assert kept.format == {".png": "PNG", ".jpg": "JPEG"}[row.suffix]
            assert not kept.getexif()
            assert set(kept.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert sorted(path.name for path in (draft.study.folder / "images").iterdir()) == sorted(
        row.sha256 + row.suffix for row in rows
    ), "nothing else is left in the folder"


PEAK = """\
import sys
from pathlib import Path
from askew.collect.image_import import cleaned
one = cleaned(Path(sys.argv[1]))
print(*one.size, Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.parametrize(
    ("name", "size", "stored"),
    [
        ("rotated.jpg", (7744, 5160), (2580, 3872)),
        ("screenshot.png", (6200, 4000), (6200, 4000)),
        ("drawing.webp", (3050, 2040), (3050, 2040)),
    ],
)
def test_a_large_image_is_imported_in_200_mb(tmp_path, name, size, stored):
    """A JPEG of 40 megapixels took 249 MB, and a WebP of that size 680."""
    exif = Image.Exif()
    exif[0x0112] = 6 if "rotated" in name else 1
    Image.radial_gradient("L").resize(size).convert("RGB").save(tmp_path / name, exif=exif)
    done = subprocess.run([sys.executable, "-c", PEAK, tmp_path / name], capture_output=True, text=True, check=True)
    width, height, kilobytes = map(int, done.stdout.split())
    assert (width, height) == stored
    assert kilobytes < 200_000


def test_an_image_that_takes_more_memory_is_refused_with_a_remedy(tmp_path):
    Image.new("RGB", (3200, 2400)).save(tmp_path / "large.webp")
    with pytest.raises(BadImage, match=r"take 122 MB to decode, .* Save it as baseline JPEG, or make it smaller"):
        cleaned(tmp_path / "large.webp")


def test_transparency_is_white_in_every_strip(tmp_path):
    Image.new("RGBA", (3, 300), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    with Image.open(io.BytesIO(cleaned(tmp_path / "clear.png").content)) as stored:
        assert stored.getcolors() == [(900, (255, 255, 255))]
