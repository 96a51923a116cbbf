"""Images: decoding, content hashes, and the errors for files that are not images."""

from __future__ import annotations

import hashlib
import io
import os
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import EpsImagePlugin, Image, ImageFile, UnidentifiedImageError

import askew
from askew.data import lmms_eval_task
from askew.errors import BadImage
from askew.files.images import FORMATS, check_image, content_hash, image_bytes, open_image, suffix_of
from askew.models.endpoint.chat_request import encode
from askew.perturb.visual.hide_background import PHOTOS, channel_mean
from askew.report.markup import Thumbnails
from askew.types import ImageRef


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)  # type: ignore[arg-type]
    return file.getvalue()


def noise(size: tuple[int, int] = (64, 48)) -> Image.Image:
    return Image.frombytes("RGB", size, bytes((i * 7919 >> 3) % 256 for i in range(size[0] * size[1] * 3)))


def huge_png(width: int, height: int) -> bytes:
    """A few bytes that claim to be a huge image."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_bytes_come_from_the_data_or_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"abc")
    assert image_bytes(ImageRef(1, data=b"xyz")) == b"xyz"
    assert image_bytes(ImageRef(1, str(tmp_path / "a.png"))) == b"abc"


def test_an_image_is_identified_by_its_bytes_wherever_the_file_is(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"abc")
    expected = hashlib.sha256(b"abc").hexdigest()
    assert content_hash(ImageRef(1, str(path))) == content_hash(ImageRef("x", data=b"abc")) == expected
    assert content_hash(ImageRef(1, sha256="feed")) == "feed"
    assert content_hash(ImageRef(1)) != content_hash(ImageRef("1"))


def test_an_edited_image_is_another_image_whatever_the_data_says(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"abc")
    ref = ImageRef(1, str(path), sha256=hashlib.sha256(b"abc").hexdigest())
    before = content_hash(ref)
    path.write_bytes(b"abd")
    os.utime(path, ns=(1, 1))
    assert content_hash(ref) != before
    with pytest.raises(BadImage, match="not the image that the data was made with"):
        check_image(ref)


def test_orientation_is_applied() -> None:
    image = Image.new("RGB", (40, 20), "red")
    exif = Image.Exif()
    exif[0x0112] = 6
    ref = ImageRef(1, data=encoded(image, "JPEG", exif=exif))
    assert open_image(ref).size == (20, 40)


@pytest.mark.parametrize(
    ("image", "kind", "pixel"),
    [
        (Image.new("RGB", (4, 4), (10, 20, 30)), "PNG", (10, 20, 30)),
        (Image.new("RGBA", (4, 4), (10, 20, 30, 0)), "PNG", (255, 255, 255)),
        (Image.new("LA", (4, 4), (10, 255)), "PNG", (10, 10, 10)),
        (Image.new("1", (4, 4), 1), "PNG", (255, 255, 255)),
        (Image.new("I;16", (4, 4), 128 * 256), "PNG", (128, 128, 128)),
        (Image.new("P", (4, 4), 0), "GIF", (0, 0, 0)),
        (Image.new("RGB", (4, 4), (10, 20, 30)).convert("CMYK"), "TIFF", (10, 20, 30)),
    ],
)
def test_every_kind_of_image_becomes_rgb(image: Image.Image, kind: str, pixel: tuple[int, int, int]) -> None:
    opened = open_image(ImageRef(1, data=encoded(image, kind)))
    assert opened.mode == "RGB"
    assert opened.getpixel((1, 1)) == pixel


def test_transparent_palette_colours_become_white() -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 200, 0, 0])
    ref = ImageRef(1, data=encoded(image, "PNG", transparency=bytes([255, 0])))
    assert open_image(ref).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "BMP", "WEBP"])
def test_whole_images_pass_and_truncated_ones_do_not(kind: str) -> None:
    whole = encoded(noise(), kind)
    assert check_image(ImageRef(1, data=whole)) == (64, 48)
    assert open_image(ImageRef(1, data=whole)).size == (64, 48)
    for check in (check_image, open_image):
        with pytest.raises(BadImage, match=r"image 'n1': .*(truncated or damaged|not an image)"):
            check(ImageRef("n1", data=whole[: len(whole) // 2]))


def test_bytes_after_the_end_of_a_jpeg_are_accepted() -> None:
    whole = encoded(noise(), "JPEG")
    assert check_image(ImageRef(1, data=whole + b"some camera's trailer" * 9)) == (64, 48)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "not an image"), (b"<html>", "not an image"), (b"%!PS-Adobe-3.0 EPSF-3.0\n", "not an image")],
)
def test_files_that_are_not_images_are_reported(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    for check in (check_image, open_image):
        with pytest.raises(BadImage) as error:
            check(ImageRef(7, str(path)))
        assert str(error.value).startswith(f"{path} (image 7): this is {said}")
        assert "Check or convert" in str(error.value)


def test_missing_images_say_what_to_give(tmp_path: Path) -> None:
    for ref in (ImageRef(7), ImageRef(7, str(tmp_path / "a.jpg")), ImageRef(7, str(tmp_path))):
        for check in (check_image, open_image, image_bytes):
            with pytest.raises(BadImage, match=r"image 7.*images="):
                check(ref)
    with pytest.raises(BadImage, match="images="):
        content_hash(ImageRef(7, str(tmp_path / "a.jpg")))


@pytest.mark.parametrize("size", [(9_000, 9_000), (12_000, 12_000), (60_000, 60_000)])
def test_small_files_that_claim_to_be_huge_are_refused_before_decoding(size: tuple[int, int]) -> None:
    settings = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES
    for check in (check_image, open_image):
        with pytest.raises(BadImage, match="smaller copy"):
            check(ImageRef(1, data=huge_png(*size)))
    assert settings == (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES)


def test_file_suffixes_follow_the_content() -> None:
    kinds = {"JPEG": ".jpg", "PNG": ".png", "GIF": ".gif", "BMP": ".bmp", "WEBP": ".webp"}
    assert {kind: suffix_of(encoded(noise(), kind)) for kind in kinds} == kinds
    assert suffix_of(b"what") == ".img"


def test_real_photographs(real_data: Callable[[str], Path]) -> None:
    for path in sorted(real_data("gqa_dev/images").glob("*.jpg")):
        ref = ImageRef(path.stem, str(path))
        assert open_image(ref).size == check_image(ref)


EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 8 8
%%EndComments
0 0 8 8 rectfill
showpage
%%EOF
"""


def test_an_eps_file_called_jpg_starts_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow passes EPS files to any program called gs on the path."""
    started = tmp_path / "started"
    program = tmp_path / "bin" / "gs"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho yes > {started}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)
    path = tmp_path / "x.jpg"
    path.write_bytes(EPS)
    ref = ImageRef(1, str(path))
    album = Thumbnails()
    assert album.add({"path": str(path)}, Path) is None
    assert album.unreadable == 1
    assert channel_mean([ref]) == PHOTOS
    for read in (open_image, check_image, lambda ref: encode(ref, 64)):
        with pytest.raises(BadImage, match="not an image"):
            read(ref)
    assert not started.exists()


def test_images_are_opened_in_one_place_with_a_list_of_allowed_formats() -> None:
    """Anything else would try every plugin of Pillow; the copy for lmms-eval stands alone and has its own list."""
    source = Path(askew.__file__).parent
    opening = re.compile(r"\bImage\.open\(|from PIL\.Image import .*\bopen\b|\bimread\(|\bImageFile\.Parser\b")
    found = {
        str(file.relative_to(source)): len(hits)
        for file in sorted(source.rglob("*.py"))
        if (hits := opening.findall(file.read_text(encoding="utf-8")))
    }
    assert found == {"files/images.py": 1, str(Path("data/lmms_eval_task.py")): 1}
    assert lmms_eval_task.FORMATS == FORMATS
    assert "EPS" not in FORMATS


def test_the_exported_task_reads_the_same_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmms_eval_task, "__file__", str(tmp_path / "task.py"))
    (tmp_path / "a.jpg").write_bytes(encoded(noise(), "JPEG"))
    (tmp_path / "x.jpg").write_bytes(EPS)
    assert lmms_eval_task.doc_to_visual({"image_paths": ["a.jpg"]})[0].size == (64, 48)
    with pytest.raises(UnidentifiedImageError):
        lmms_eval_task.doc_to_visual({"image_paths": ["x.jpg"]})
