"""Fixed phrases: words that have their meaning only together, so that no single word may be replaced.

*Hot dog*, *traffic light* and *pick up* are compounds in WordNet; ``fixed_phrases.yaml`` lists phrases that it lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from askew.files.resources import resource
from askew.language.inflect import singular
from askew.language.tagger import Token
from askew.language.wordnet import WORDNET, Pos

_LONGEST = 4
_NOT_IN_COMPOUNDS = frozenset({"DT", "PRP$", "WDT", "."})
"""Tags that do not occur in the relevant compounds of WordNet."""


def in_phrase(tokens: Sequence[Token], place: int) -> bool:
    """True when the token at this place belongs to a fixed phrase.

    >>> from askew.language.tagger import Tagger
    >>> tokens = Tagger().tags(["Is the hot dog near the traffic lights hot?"])[0]
    >>> [place for place in range(len(tokens)) if in_phrase(tokens, place)]
    [2, 3, 6, 7]
    """
    first = max(0, place - _LONGEST + 1)
    words = [token.text.lower() for token in tokens[first : place + _LONGEST]]
    opens = list(map(_opens, words[: place - first + 1], words[1:]))
    return any(
        _is_phrase(tokens[first + start : first + end], words[start:end])
        for start in [start for start, does in enumerate(opens) if does]
        for end in range(max(place - first, start + 1) + 1, min(len(words), start + _LONGEST) + 1)
    )


def breaks_phrase(tokens: Sequence[Token], first: int, last: int) -> bool:
    """True when a fixed phrase contains some of the tokens from ``first`` to ``last`` and others next to them.

    A preposition at the start of these tokens counts as theirs, not as a verb's: *sitting* | *in front of*.
    """
    words = [token.text.lower() for token in tokens]
    for start in range(max(0, first - _LONGEST + 1), last + 1):
        least = (first if start < first else last + 1) + 1
        for end in range(least, min(len(words), start + _LONGEST) + 1):
            part, spelled = tokens[start:end], words[start:end]
            is_own_preposition = start < first == end - 1 and part[-1].tag == "IN" and part[0].tag.startswith("VB")
            if _is_listed(spelled) or (not is_own_preposition and _is_phrase(part, spelled)):
                return True
    return False


def _is_phrase(tokens: Sequence[Token], words: Sequence[str]) -> bool:
    if _is_listed(words):
        return True
    if any(token.tag in _NOT_IN_COMPOUNDS for token in tokens):
        return False
    if tokens[-1].is_noun:
        text = " ".join(words)
        return _is_noun(text) or (tokens[-1].tag in ("NNS", "NNPS") and _is_noun(singular(text)))
    if tokens[0].tag.startswith("VB") and tokens[-1].tag in ("RP", "IN", "RB"):
        return any(WORDNET.knows(" ".join([base, *words[1:]]), "v") for base in WORDNET.bases(words[0], "v"))
    return False


def _is_noun(text: str) -> bool:
    """True for a compound noun, which WordNet may spell with hyphens: *old-timer*."""
    return WORDNET.knows(text, "n") or WORDNET.knows(text.replace(" ", "-"), "n")


@lru_cache(maxsize=1 << 16)
def _opens(first: str, second: str) -> bool:
    """True when some phrase begins with these two words; cached, because questions share most pairs."""
    if any(_matches(phrase[:2], (first, second)) for phrase in _starts().get(first, ())):
        return True
    after = _openings("n").get(first, ())
    if after and (second in after or singular(second) in after):
        return True
    return any(second in _openings("v").get(base, ()) for base in WORDNET.bases(first, "v"))


@lru_cache(maxsize=4)
def _openings(pos: Pos) -> dict[str, set[str]]:
    """The second words of compounds, by their first word."""
    found: dict[str, set[str]] = {}
    for phrase in WORDNET.compounds(pos):
        first, second = phrase.split(" ", 2)[:2]
        found.setdefault(first, set()).add(second)
    return found


@lru_cache(maxsize=1)
def _starts() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The listed phrases by their first word; if that ends in ``*``, by each of its inflected forms."""
    starts: dict[str, list[tuple[str, ...]]] = {}
    for phrase in resource("language/fixed_phrases.yaml"):
        first, *rest = phrase.split()
        forms = [first[:-1] + ending for ending in ("", "s", "ed", "ing")] if first.endswith("*") else [first]
        for form in forms:
            starts.setdefault(form, []).append((form, *rest))
    return {first: tuple(found) for first, found in starts.items()}


def _is_listed(words: Sequence[str]) -> bool:
    """True for a phrase in ``fixed_phrases.yaml``."""
    return any(_matches(phrase, words) for phrase in _starts().get(words[0], ()))


def _matches(phrase: Sequence[str], words: Sequence[str]) -> bool:
    return len(phrase) == len(words) and all(
        word.startswith(part[:-1]) if part.endswith("*") else word == part
        for part, word in zip(phrase, words, strict=True)
    )
