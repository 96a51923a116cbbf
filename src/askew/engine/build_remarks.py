"""What is said while groups are built: questions that are not English, and the space that changed images need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from askew.data.bad_records import short
from askew.types import Group

_ENGLISH = re.compile(
    r"\b(what|which|who|where|when|why|how|many|much|the|are|does|did|there|this|that|these|you)\b", re.IGNORECASE
)
"""Words of English questions that are rare in those of other languages."""
_READ = 200
"""The number of questions whose language is looked at."""
_LEAST = 3
"""From fewer questions no language is inferred."""
_FOREIGN = 0.8
"""The share of questions without any of the words from which the others are taken for chance."""


class QuestionLanguage:
    """Whether questions seem to be English.

    >>> language = QuestionLanguage()
    >>> for text in ("Welche Farbe hat das Auto?", "Wie viele Hunde sind da?", "Ist das ein Bus?"):
    ...     language.add(text)
    >>> language.remarks([]), language.remarks(["rad"])[0][:65]
    ([], "The questions do not seem to be English, e.g. 'Welche Farbe hat d")
    """

    def __init__(self) -> None:
        self._foreign: list[str] = []
        self._read = 0

    def add(self, text: str) -> None:
        """Look at one question."""
        if self._read < _READ:
            self._read += 1
            if not _ENGLISH.search(text):
                self._foreign.append(text)

    def remarks(self, suites: Sequence[str]) -> list[str]:
        """A remark if most questions do not seem to be English, and the rules of these suites are for English."""
        if not suites or len(self._foreign) < max(_LEAST, _FOREIGN * self._read):
            return []
        return [
            f"The questions do not seem to be English, e.g. {short(self._foreign[0])}, and the rules of "
            f"{' and '.join(suites)} are for English: few questions are changed, or none. Translate them, or use "
            "suites that change images or options: visual, corruption, choices."
        ]


def measured(groups: Iterable[Group], sizes: list[int]) -> Iterator[Group]:
    """The same groups; the bytes of the changed images of the first group that has some are added to ``sizes``."""
    for group in groups:
        if not sizes:
            images = (image for variant in group.variants for image in variant.question.images)
            size = sum(
                {image.id: len(image.data or b"") for image in images if image not in group.original.images}.values()
            )
            sizes.extend([size] if size else [])
        yield group


def disk_use(size: int, folder: Path, groups: int | None) -> str:
    """The space that changed images need, ``size`` bytes for each question.

    >>> disk_use(2_700_000, Path("o/images"), 30)
    'Changed images are kept in o/images: about 2.7 MB for each question, 81.0 MB for 30.'
    """
    total = f", {groups * size / 1e6:,.1f} MB for {groups:,}" if groups else ""
    return f"Changed images are kept in {folder}: about {size / 1e6:,.1f} MB for each question{total}."
