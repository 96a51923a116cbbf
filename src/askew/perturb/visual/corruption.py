"""The same question about a picture of worse quality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from askew.errors import BadOption
from askew.perturb.visual.corrupt import KINDS, SEVERITIES, check_corruption, corrupted
from askew.perturb.visual.encode import Encoding, check_encoding, encode
from askew.perturb.visual.source import picture_of
from askew.types import Expect, Question, Refusal, Variant


@dataclass(frozen=True)
class Corruption:
    """Noise, blur, brightness, low contrast and JPEG in five severities (after Hendrycks & Dietterich 2019).

    Each variant's note has its ``level``, so that accuracy can be drawn over severity.
    """

    kinds: tuple[str, ...] = KINDS
    severities: tuple[int, ...] = SEVERITIES
    encoding: Encoding = "jpeg"
    """How the corrupted pictures are written."""

    def __post_init__(self) -> None:
        if not self.kinds or not self.severities:
            raise BadOption(f"No corruption is named. Give some of {', '.join(KINDS)} and severities from 1 to 5.")
        check_encoding(self.encoding)
        for kind in self.kinds:
            for severity in self.severities:
                check_corruption(kind, severity)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question with its picture corrupted in each way."""
        picture = picture_of(question)
        if isinstance(picture, str):
            yield from (Refusal(question.id, kind, picture) for kind in self.kinds)
            return
        seed = rng.random()
        for kind in self.kinds:
            for severity in self.severities:
                made = corrupted(picture, kind, severity, Random(f"{seed}:{kind}:{severity}"))
                yield Variant(
                    replace(
                        question, id=f"{question.id}/corruption-{kind}-{severity}", image=encode(made, self.encoding)
                    ),
                    Expect.SAME,
                    kind,
                    f"corruption/{kind}",
                    {"level": severity},
                )
