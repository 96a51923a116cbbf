"""The Porter stemmer, with NLTK's changes to its rules.

M. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. NLTK changes some rules (``flies`` and ``dies``
get different stems, ``y`` becomes ``i`` only after a consonant, a few irregular words); METEOR's scores depend on them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askew.files.resources import resource

Rules = Sequence[tuple[str, str]]

_SHORT = 2
"""Words of at most this many letters are unchanged."""
_VOWEL_CONSONANT = re.compile("vc")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word, in lower case.

    >>> [stem(word) for word in ("pictures", "running", "flies", "dies", "relational", "sky", "Is")]
    ['pictur', 'run', 'fli', 'die', 'relat', 'sky', 'is']
    """
    lowered, steps = word.lower(), _steps()
    if lowered in steps.irregular:
        return steps.irregular[lowered]
    if len(word) <= _SHORT:
        return lowered
    left = _without_past(_without_plural(lowered, steps), steps)
    left = _double(_with_i(left), steps)
    left = _replaced(left, steps.single, lambda start: _measure(start) > 0)
    return _tidy(_replaced(left, steps.last, _goes_last(left)))


@dataclass(frozen=True)
class _Steps:
    irregular: dict[str, str]
    plurals: Rules
    restored: Rules
    double: Rules
    single: Rules
    last: Rules


@lru_cache(maxsize=1)
def _steps() -> _Steps:
    data = resource("rank/overlap/porter.yaml")
    irregular = {form: base for base, forms in data["irregular"].items() for form in forms}
    rules = {name: [(old, new) for old, new in data[name]] for name in ("plurals", "restored", "double", "single")}
    return _Steps(irregular, last=[(ending, "") for ending in data["last"]], **rules)


def _shape(word: str) -> str:
    """Each letter as v (vowel) or c (consonant); y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(start: str) -> int:
    """How often a consonant follows a vowel: Porter's m."""
    return len(_VOWEL_CONSONANT.findall(_shape(start)))


def _short_syllable(start: str) -> bool:
    """True for consonant, vowel, consonant at the end, the last not w, x or y; and for just a vowel and a consonant."""
    shape = _shape(start)
    return (shape.endswith("cvc") and start[-1] not in "wxy") or shape == "vc"


def _replaced(word: str, rules: Rules, fits: Callable[[str], bool] = lambda start: True) -> str:
    """The word with its first matching ending replaced, if the part before it fits; no other ending is tried."""
    for old, new in rules:
        if word.endswith(old):
            start = word[: len(word) - len(old)]
            return start + new if fits(start) else word
    return word


def _without_plural(word: str, steps: _Steps) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return _replaced(word, steps.plurals)


def _without_past(word: str, steps: _Steps) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        start = word.removesuffix(ending)
        if start != word and "v" in _shape(start):
            return _repaired(start, steps)
    return word


def _repaired(start: str, steps: _Steps) -> str:
    """Repair a word after -ed or -ing was removed: hopp → hop, fil → file."""
    if any(start.endswith(old) for old, _ in steps.restored):
        return _replaced(start, steps.restored)
    if len(start) > 1 and start[-1] == start[-2] and _shape(start)[-1] == "c":
        return start if start[-1] in "lsz" else start[:-1]
    return start + "e" if _measure(start) == 1 and _short_syllable(start) else start


def _with_i(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 and _shape(word[:-1])[-1] == "c" else word


def _double(word: str, steps: _Steps) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _double(word[:-2], steps)
    changed = _replaced(word, steps.double, lambda start: _measure(start) > 0)
    if changed == word and word.endswith("logi") and _measure(word[:-3]) > 0:
        return word[:-1]
    return changed


def _goes_last(word: str) -> Callable[[str], bool]:
    def fits(start: str) -> bool:
        return _measure(start) > 1 and (not word.endswith("ion") or start.endswith(("s", "t")))

    return fits


def _tidy(word: str) -> str:
    """Delete a final e, unless a short syllable needs it, and the second of two final l in a long word."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short_syllable(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
