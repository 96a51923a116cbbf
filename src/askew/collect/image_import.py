"""Images of a round: read once, stripped of everything but pixels, and stored in the study's folder by their hash."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from askew.collect.database import Tx, record_event
from askew.collect.protocol import Refused
from askew.collect.schema import image, place, round_
from askew.collect.study import Study
from askew.errors import BadImage, DataError
from askew.files.images import image_bytes, open_in_little_memory, suffix_of
from askew.files.read_write import file_sha256, replaced
from askew.types import ImageRef

MAX_PIXELS = 40_000_000
FULL_JPEG, MAX_BYTES = 16_000_000, 100_000_000
"""Larger JPEG files are decoded at half their width and height, and files whose pixels take more memory are refused: an
import stays below 200 MB."""
FORMATS = {".jpg": "JPEG", ".jpeg": "JPEG", ".png": "PNG", ".webp": "WEBP"}
_QUALITY = 92


@dataclass
class Added:
    """The result of adding images, gold questions or quiz examples."""

    added: int = 0
    left_out: list[str] = field(default_factory=list)
    """Those that were left out, each with the reason."""


@dataclass(frozen=True)
class Cleaned:
    """An image as it is stored: only pixels, rotated upright."""

    content: bytes
    suffix: str
    size: tuple[int, int]
    source_sha256: str

    @property
    def sha256(self) -> str:
        """The hash that identifies it."""
        return hashlib.sha256(self.content).hexdigest()


def cleaned(path: Path) -> Cleaned:
    """Decode an image and encode it again: no EXIF, no comment, no trailing data survives.

    A JPEG of more than 16 megapixels is stored at half its width and height."""
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise BadImage(f"{path}: only {', '.join(sorted(FORMATS))} can be imported. Convert the file.")
    try:
        source = file_sha256(str(path))
    except DataError as trouble:
        raise BadImage(str(trouble)) from None
    pixels = open_in_little_memory(path, MAX_PIXELS, FULL_JPEG, MAX_BYTES)
    pixels.info.clear()  # otherwise Pillow writes a comment and a colour profile again
    buffer = io.BytesIO()
    if kind == "PNG":
        pixels.save(buffer, "PNG", optimize=False)
    else:
        pixels.save(buffer, "JPEG", quality=_QUALITY, subsampling=0)
    suffix = ".png" if kind == "PNG" else ".jpg"
    return Cleaned(buffer.getvalue(), suffix, pixels.size, source)


def cleaned_ref(ref: ImageRef) -> Cleaned:
    """The image of a question, cleaned like an image file."""
    content = image_bytes(ref)
    with tempfile.TemporaryDirectory(prefix="askew-") as scratch:
        path = Path(scratch) / f"image{suffix_of(content)}"
        path.write_bytes(content)
        try:
            return cleaned(path)
        except BadImage as trouble:
            raise BadImage(f"image {ref.id!r}: {str(trouble).removeprefix(f'{path}: ')}") from None


def import_images(
    study: Study,
    paths: Iterable[Path],
    round_id: int,
    domain: str = "",
    domains: Mapping[str, str] | None = None,
) -> Added:
    """Add image files to a draft round; files that are not images, or are in a round already, are left out and listed.

    ``domains`` gives a file, by its name, a domain of its own.
    """
    done = Added()
    for path in paths:
        try:
            one = cleaned(path)
        except BadImage as trouble:
            done.left_out.append(str(trouble))
            continue
        write_image(study, one)
        with study.database.write() as tx:
            reason = add_image(tx, one, path.name, round_id, (domains or {}).get(path.name, domain))
        if reason:
            done.left_out.append(f"{path}: {reason}")
        else:
            done.added += 1
    with study.database.write() as tx:
        about = {"added": done.added, "refused": len(done.left_out), "domain": domain}
        record_event(tx, "images.imported", f"round {round_id}", None, about)
    return done


def write_image(study: Study, one: Cleaned) -> tuple[str, str]:
    """Write a cleaned image to the study's folder, unless it is there already; returns its hash and suffix."""
    target = study.image_path(one.sha256, one.suffix)
    if not target.exists():
        with replaced(target) as file:
            file.write(one.content)
    return one.sha256, one.suffix


def add_image(tx: Tx, one: Cleaned, name: str, round_id: int, domain: str) -> str:
    """Add a cleaned image with its writer places; returns a reason if it is in a round already, else an empty text."""
    state = tx.value(sa.select(round_.c.state).where(round_.c.id == round_id))
    if state != "DRAFT":
        raise Refused(f"The round is {state}; images are added to a draft.")
    keys = (one.sha256, one.source_sha256)  # the file may be a stored image, from a release
    same = image.c.sha256.in_(keys) | (image.c.source_sha256 == one.source_sha256)
    known = tx.first(sa.select(image.c.name, round_.c.number).join(round_).where(same))
    if known is not None:
        return f"the same image is in round {known.number} already, as {known.name}"
    new = tx.insert(
        image,
        round_id=round_id,
        sha256=one.sha256,
        source_sha256=one.source_sha256,
        suffix=one.suffix,
        name=os.path.basename(name),
        domain=domain,
        width=one.size[0],
        height=one.size[1],
    )
    places = [{"image_id": new, "n": n} for n in range(1, tx.settings.writers_per_image + 1)]
    tx.execute(sa.insert(place), places)
    return ""
