"""Paraphrase rules over words and parts of speech (``paraphrases.yaml``).

A pattern consists of words and slots: ``what color [is|are] [NP]`` becomes ``what is the color of [2]``. A slot is a
choice of words, a Penn Treebank tag, ``NP`` for a noun phrase or ``N`` for one without its article, ``NP/NN`` for a
singular and ``NP/NNS`` for a plural one; the target refers to slots by number. ``^`` and ``$`` are the start and the
end of the question.

Fixed phrases have their meaning only together, so that no single word may be replaced: *hot dog*, *traffic light* and
*pick up* are compounds in WordNet; ``fixed_phrases.yaml`` lists phrases that it lacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from askew.errors import DataError
from askew.files.read_write import resource
from askew.language.inflect import singular
from askew.language.tagger import Token
from askew.language.wordnet import WORDNET, Pos

_INNER = frozenset(("JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "CD", "POS", "VBN", "HYPH"))
_OUTER = frozenset(("DT", "PDT", "PRP$", "WP$"))
_ENDS = frozenset(".?!")
_SLOT = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A rule: text that matches ``source`` may become ``target``."""

    id: str
    source: str
    target: str
    good: tuple[str, str] = ("", "")
    """A question and its paraphrase."""
    bad: str = ""
    """A similar question that must not change."""
    confidence: float = 1.0
    origin: str = "reviewed"


@dataclass(frozen=True, slots=True)
class ParaphraseMatch:
    """A match of a rule: the tokens it covers, and their replacement."""

    rule: Paraphrase
    first: int
    last: int
    """The last token, inclusive."""
    text: str


@dataclass(frozen=True)
class Paraphrases:
    """Finds the matches of paraphrase rules.

    >>> from askew.language.tagger import Tagger
    >>> question = "What color is the old bus?"
    >>> [found.text for found in Paraphrases().find(question, Tagger().tags([question])[0])]
    ['what is the color of the old bus']
    """

    rules: tuple[Paraphrase, ...] = ()
    """The rules; empty for the reviewed ones."""

    def find(self, text: str, tokens: Sequence[Token]) -> list[ParaphraseMatch]:
        """Every match, ordered by place in the question, then by rule."""
        words = [token.text.lower() for token in tokens]
        possible = {entry[0]: entry for entry in self._possible(frozenset(words))}
        found: list[ParaphraseMatch] = []
        for _, (_, rule, parts, _) in sorted(possible.items()):
            end = 0
            for start in _starts(parts[0], words):
                match = _match(parts, tokens, words, start) if start >= end else None
                if match is not None:
                    end, slots = match
                    taken = [text[tokens[a].start : tokens[b - 1].end] for a, b in slots]
                    found.append(ParaphraseMatch(rule, start, end - 1, _filled(rule.target, taken)))
        return sorted(found, key=lambda match: match.first)

    def could(self, words: frozenset[str]) -> bool:
        """True when these words contain all the words of some rule: a cheap test before tagging.

        >>> Paraphrases().could(frozenset({"what", "color", "is", "it"})), Paraphrases().could(frozenset({"why"}))
        (True, False)
        """
        return next(self._possible(words), None) is not None

    def _possible(self, words: frozenset[str]) -> Iterator[Entry]:
        """The rules whose words all occur."""
        for word in words & self._index.keys():
            for entry in self._index[word]:
                if not any(map(words.isdisjoint, entry[3])):
                    yield entry

    @cached_property
    def _index(self) -> Mapping[str, Sequence[Entry]]:
        return _index(self.rules or reviewed())


@lru_cache(maxsize=1)
def reviewed() -> tuple[Paraphrase, ...]:
    """The reviewed rules."""
    return tuple(
        Paraphrase(entry["id"], entry["from"], entry["to"], (entry["good"], entry["becomes"]), entry["bad"])
        for entry in resource("language/paraphrases.yaml")
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One step of a pattern: the words or tags that match, or a noun phrase."""

    kind: str
    """``word``, ``tag``, ``phrase``, ``start`` or ``end``."""
    values: frozenset[str]
    kept: bool
    """True for a slot, which the target can refer to."""


Matched = tuple[int, tuple[tuple[int, int], ...]]
"""The end of a match, and the tokens of its slots."""


Entry = tuple[int, Paraphrase, tuple[_Part, ...], tuple[frozenset[str], ...]]
"""A rule with its number, its parsed pattern, and sets of words; it needs one word of each set."""


def _starts(part: _Part, words: Sequence[str]) -> Sequence[int]:
    """The places where a pattern that begins with this part can begin."""
    if part.kind == "start":
        return (0,)
    if part.kind == "word":
        return [place for place, word in enumerate(words) if word in part.values]
    return range(len(words))


def _match(parts: Sequence[_Part], tokens: Sequence[Token], words: Sequence[str], place: int) -> Matched | None:
    """Match the parts one after another; noun phrases match greedily, without backtracking."""
    slots: tuple[tuple[int, int], ...] = ()
    for part in parts:
        if part.kind == "start":
            end = place if place == 0 else None
        elif part.kind == "end":
            end = place if all(word in _ENDS for word in words[place:]) else None
        elif part.kind == "phrase":
            end = _phrase(tokens, place, part.values)
        elif place < len(tokens) and (words[place] if part.kind == "word" else tokens[place].tag) in part.values:
            end = place + 1
        else:
            end = None
        if end is None:
            return None
        if part.kept:
            slots = (*slots, (place, end))
        place = end
    return place, slots


def _phrase(tokens: Sequence[Token], place: int, values: frozenset[str]) -> int | None:
    """The end of the noun phrase that begins here; None if there is none of the required number."""
    end = place
    while "NP" in values and end < len(tokens) and end < place + 2 and tokens[end].tag in _OUTER:
        end += 1
    while end < len(tokens) and tokens[end].tag in _INNER:
        end += 1
    while end > place and not tokens[end - 1].is_noun:
        end -= 1
    if end == place:
        return None
    number = "NNS" if tokens[end - 1].tag.endswith("S") else "NN"
    return end if values.isdisjoint(("NN", "NNS")) or number in values else None


def _filled(target: str, taken: Sequence[str]) -> str:
    return _SLOT.sub(lambda slot: taken[int(slot.group(1)) - 1], target).strip()


def _index(rules: Sequence[Paraphrase]) -> Mapping[str, Sequence[Entry]]:
    """The rules by their rarest required word."""
    parsed = [_parsed(rule) for rule in rules]
    uses = Counter(word for parts in parsed for part in parts if part.kind == "word" for word in part.values)
    index: dict[str, list[Entry]] = {}
    for number, (rule, parts) in enumerate(zip(rules, parsed, strict=True)):
        words = [part.values for part in parts if part.kind == "word"]
        if not words:
            raise DataError(f"paraphrase {rule.id!r}: {rule.source!r} has no word. Give at least one that must match.")
        for anchor in sorted(min(words, key=lambda values: (sum(uses[word] for word in values), sorted(values)))):
            index.setdefault(anchor, []).append((number, rule, parts, tuple(words)))
    return index


def _parsed(rule: Paraphrase) -> tuple[_Part, ...]:
    parts = []
    for piece in rule.source.split():
        slot = _SLOT.fullmatch(piece)
        inside = slot.group(1) if slot else piece
        kind = "word"
        if piece in ("^", "$"):
            kind = "start" if piece == "^" else "end"
        elif inside.partition("/")[0] in ("NP", "N"):
            kind = "phrase"
        elif inside == "," or (slot and inside.isupper()):
            kind = "tag"
        parts.append(_Part(kind, frozenset(inside.split("/" if kind == "phrase" else "|")), slot is not None))
    wanted = [int(number) for number in _SLOT.findall(rule.target)]
    slots = sum(part.kept for part in parts)
    if any(not 0 < number <= slots for number in wanted):
        raise DataError(f"paraphrase {rule.id!r}: {rule.target!r} refers to a slot that {rule.source!r} does not have.")
    return tuple(parts)


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
    if any(_matches(phrase[:2], (first, second)) for phrase in _phrase_starts().get(first, ())):
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
def _phrase_starts() -> dict[str, tuple[tuple[str, ...], ...]]:
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
    return any(_matches(phrase, words) for phrase in _phrase_starts().get(words[0], ()))


def _matches(phrase: Sequence[str], words: Sequence[str]) -> bool:
    return len(phrase) == len(words) and all(
        word.startswith(part[:-1]) if part.endswith("*") else word == part
        for part, word in zip(phrase, words, strict=True)
    )
