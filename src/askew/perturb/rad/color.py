"""Y/N←C: "What color is the ⟨S⟩? ⟨C1⟩" becomes "Is the color of the ⟨S⟩ ⟨C2⟩?" (Rosenberg et al. 2021, Table 1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from askew.files.resources import resource
from askew.language.tagger import Tagger
from askew.perturb.rad.phrase import phrase_fault
from askew.perturb.rad.pool import Pools
from askew.perturb.rad.template import Asked, CannotAsk, plain, read_tokens, tidy

_SINGULAR = re.compile(r"what (colou?r) is the (.+)\?", re.IGNORECASE)
_PLURAL = re.compile(r"what (colou?r) are the (.+)\?", re.IGNORECASE)


@dataclass(frozen=True)
class ColorFrame:
    """A colour question, read."""

    word: str
    """``color`` or ``colour``, as the question has it."""
    subject: str
    """The thing, with its article."""
    frame: str

    @property
    def keys(self) -> Sequence[str]:
        """Colours come from one pool."""
        return ("color",)

    def ask(self, value: str) -> Asked:
        """Is it this colour?"""
        return Asked(f"Is the {self.word} of {self.subject} {value}?", "is the", self.frame)


@dataclass(frozen=True)
class Color:
    """The colour template. It takes single colours only.

    >>> template = Color()
    >>> template.value("Light Blue"), template.value("red and white"), template.value("plaid")
    ('light blue', None, None)
    >>> template.clash("grey", "gray"), template.clash("light blue", "blue"), template.clash("red", "blue")
    (True, True, False)
    """

    extensions: bool = False
    """Also "What color are the ⟨S⟩?", which the paper leaves out."""

    test = "Y/N←C"
    unfit = "the answer is not one colour"
    tagged = True

    def matches(self, text: str) -> bool:
        """For "What color is the ...?"."""
        return self._match(text) is not None

    def value(self, answer: str) -> str | None:
        """A colour name, with at most one of ``light``, ``dark``, ... before it."""
        value = plain(answer)
        return value if _base(value) is not None else None

    def keys(self, text: str) -> Sequence[str]:
        """Colours go into one pool."""
        return ("color",)

    def clash(self, drawn: str, given: str) -> bool:
        """True for one colour and for near ones, and when the given answer names the drawn colour among others."""
        base = _base(drawn)
        parts = _colors_in(given)
        return drawn == given or any(base == part or _near(base or drawn, part) for part in parts)

    def contrasts(self, drawn: str, value: str) -> bool:
        """Always: a thing asked about has one colour."""
        return True

    def read(self, text: str, tagger: Tagger, pools: Pools) -> ColorFrame:
        """The frame, when the words after "is" are one noun phrase."""
        match = self._match(text)
        assert match is not None
        word, inside = match.groups()
        tokens = read_tokens(text, tagger)
        fault = phrase_fault([token for token in tokens if token.start >= match.start(2)])
        if fault:
            raise CannotAsk(fault)
        plural = _PLURAL.fullmatch(tidy(text)) is not None
        return ColorFrame(word.lower(), f"the {inside}", "color/plural" if plural else "color")

    def _match(self, text: str) -> re.Match[str] | None:
        text = tidy(text)
        return _SINGULAR.fullmatch(text) or (_PLURAL.fullmatch(text) if self.extensions else None)


@lru_cache(maxsize=1)
def _data() -> dict[str, dict[str, list[str]]]:
    data: dict[str, dict[str, list[str]]] = resource("perturb/rad/colors.yaml")
    return data


@lru_cache(maxsize=4096)
def _base(value: str) -> str | None:
    colors, modifiers = _data()["colors"], _data()["modifiers"]
    if value in colors:
        return value
    first, _, rest = value.partition(" ")
    return rest if first in modifiers and rest in colors else None


@lru_cache(maxsize=4096)
def _colors_in(answer: str) -> tuple[str, ...]:
    base = _base(answer)
    words = re.findall(r"[a-z-]+", answer)
    return (base,) if base else tuple(word for word in words if word in _data()["colors"])


@lru_cache(maxsize=4096)
def _near(one: str, other: str) -> bool:
    colors = _data()["colors"]
    spelled = any(one in names and other in names for names in _data()["same"])
    ends = set(one.split()) & set(other.split()) & set(colors)
    return spelled or bool(ends) or other in colors.get(one, ()) or one in colors.get(other, ())
