"""Synonyms and antonyms of words.

Synonyms come from reviewed rules (``synonyms.yaml`` for senses of words, ``synonyms_in_context.yaml`` for contexts),
from WordNet alone and from PPDB files, each with a confidence: 1 if reviewed; less if only WordNet lists it, depending
on how common the shared sense is among the senses of both words; PPDB's scores are scaled to at most 1.

Antonyms are WordNet's direct antonyms, reviewed for whether there is something between the two (``antonyms.yaml``): a
window that is not open is closed (complementary), but water that is not hot need not be cold (contrary).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from askew.files.read_write import resource
from askew.language.wordnet import WORDNET, Pos, Synset

UNREVIEWED = 0.9
"""The highest confidence of a synonym that only WordNet lists: it also calls a hand a mitt."""

POS_OF_TAG: Mapping[str, Pos] = {
    **dict.fromkeys(("NN", "NNS"), "n"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "v"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "a"),
    "RB": "r",
}
"""The part of speech for each Penn Treebank tag that the rules replace."""

_AUXILIARY = frozenset({"be", "do", "have"})
"""Verbs with a mostly grammatical function: *Do you see?* must not become *Make you see?*"""


@dataclass(frozen=True, slots=True)
class Context:
    """What must surround a word for a rule to apply; an empty set allows anything."""

    tags: frozenset[str] = frozenset()
    """The tags of the word."""
    next: frozenset[str] = frozenset()
    """Words or tags, one of which must follow."""
    prev: frozenset[str] = frozenset()
    """Words or tags, one of which must precede."""
    but: frozenset[str] = frozenset()
    """Words that must not follow."""
    present: frozenset[str] = frozenset()
    """Words, one of which must be in the question."""
    absent: frozenset[str] = frozenset()
    """Words that must not be in the question."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Context:
        """The conditions of an entry in a file of rules."""
        names = ("tags", "next", "prev", "but", "with", "without")
        return cls(*(frozenset(entry.get(name, ())) for name in names))


ANYWHERE = Context()


@dataclass(frozen=True, slots=True)
class Synonym:
    """A rule: ``source`` may become ``target`` in this sense and this context."""

    source: str
    target: str
    pos: Pos
    confidence: float
    origin: str
    """``reviewed``, ``wordnet`` or ``ppdb``."""
    sense: Synset | None = None
    """The sense that the source must have; None for any sense."""
    context: Context = ANYWHERE
    bare: bool = False
    """True when a noun needs no article."""


@lru_cache(maxsize=1 << 13)
def synonyms_of(lemma: str, pos: Pos, least: float = UNREVIEWED) -> tuple[Synonym, ...]:
    """The rules for a base form with at least this confidence, highest first.

    >>> [(rule.target, rule.confidence) for rule in synonyms_of("car", "n")]
    [('automobile', 1.0)]
    >>> [rule.target for rule in synonyms_of("aeroplane", "n", 0.5)]
    ['airplane']
    """
    reviewed = reviewed_synonyms().get((lemma, pos), ())
    if least >= UNREVIEWED or reviewed or (pos == "v" and lemma in _AUXILIARY):
        return reviewed
    found = []
    for sense in WORDNET.senses(lemma, pos):
        for word in sense.synonyms(lemma):
            confidence = UNREVIEWED * sense_share(lemma, sense) * sense_share(word, sense)
            if confidence >= least:
                found.append(Synonym(lemma, word, pos, round(confidence, 3), "wordnet", sense))
    return tuple(sorted(found, key=lambda rule: (-rule.confidence, rule.target)))


@lru_cache(maxsize=1 << 14)
def sense_share(word: str, sense: Synset) -> float:
    """The share of this sense in the uses of a word: WordNet's counts, smoothed by its order of senses."""
    senses = WORDNET.senses(word, sense.pos)
    counts = [WORDNET.count(word, each) + 1 / rank for rank, each in enumerate(senses, 1)]
    return counts[senses.index(sense)] / sum(counts)


@lru_cache(maxsize=1)
def reviewed_synonyms() -> Mapping[tuple[str, Pos], tuple[Synonym, ...]]:
    """The reviewed rules by the base form and the part of speech that they replace."""
    rules: dict[tuple[str, Pos], dict[str, Synonym]] = {}
    for rule in (*_in_sense(), *_in_context()):
        rules.setdefault((rule.source, rule.pos), {}).setdefault(f"{rule.target}:{rule.context}", rule)
    return {key: tuple(found.values()) for key, found in rules.items()}


def _in_sense() -> Iterator[Synonym]:
    """The rules for a sense of a word."""
    for name, entry in resource("language/synonyms.yaml").items():
        sense, context, bare = WORDNET.named(name), Context.of(entry), entry.get("bare", False)
        own = dict.fromkeys((*entry.get("words", ()), *entry.get("from", ())), sense)
        also = {word: each and WORDNET.named(each) for word, each in entry.get("also", {}).items()}
        targets = [*entry.get("words", ()), *entry.get("also", ()), *entry.get("to", ())]
        for source, needed in (own | also).items():
            for target in targets:
                if target != source:
                    yield Synonym(source, target, sense.pos, 1.0, "reviewed", needed, context, bare)


def _in_context() -> Iterator[Synonym]:
    """The rules for a context, in which the words have only one sense."""
    for entry in resource("language/synonyms_in_context.yaml"):
        context, bare, both = Context.of(entry), entry.get("bare", False), entry.get("both", ())
        swap = entry.get("swap", {}) | {word: [other for other in both if other != word] for word in both}
        for source, targets in swap.items():
            for target in targets:
                yield Synonym(source, target, entry["pos"], 1.0, "reviewed", None, context, bare)


@dataclass(frozen=True, slots=True)
class Antonym:
    """A rule: ``source`` may become ``target`` in one of these senses."""

    source: str
    target: str
    pos: Pos
    complementary: bool
    """True when the two are complementary: nothing lies between them."""
    senses: tuple[Synset, ...]
    """The senses of the source that are opposite to a sense of the target."""
    of: tuple[str, ...] = ()
    """The subjects it applies to: ``person``, ``living``, ``thing``, ``lifeless`` or nouns; empty for any."""
    predicative: bool = False
    """True when it does not apply before a noun."""


def antonyms_of(lemma: str, pos: Pos) -> tuple[Antonym, ...]:
    """The reviewed antonyms of a base form.

    >>> [(rule.target, rule.complementary) for rule in antonyms_of("open", "a")]
    [('closed', True), ('shut', True)]
    >>> [(rule.target, rule.of) for rule in antonyms_of("old", "a")]
    [('young', ('living',)), ('new', ('thing',))]
    """
    return _antonyms().get((lemma, pos), ())


def opposed(lemma: str, pos: Pos) -> bool:
    """True when WordNet lists an antonym for some sense of the word, reviewed or not."""
    return any(WORDNET.antonyms(lemma, sense) for sense in WORDNET.senses(lemma, pos))


@lru_cache(maxsize=1)
def _antonyms() -> dict[tuple[str, Pos], tuple[Antonym, ...]]:
    rules: dict[tuple[str, Pos], tuple[Antonym, ...]] = {}
    for kind, entries in resource("language/antonyms.yaml").items():
        pos: Pos = "v" if kind == "verbs" else "a"
        for entry in entries:
            first, second = entry["pair"]
            of = entry.get("of", ())
            nouns = (of,) if isinstance(of, str) else tuple(of)
            for source, target in ((first, second), (second, first)):
                senses = tuple(sense for sense in WORDNET.senses(source, pos) if indirect_antonym(sense, target))
                complementary, predicative = kind == "complementary", entry.get("predicative", False)
                rule = Antonym(source, target, pos, complementary, senses, nouns, predicative)
                rules[source, pos] = (*rules.get((source, pos), ()), rule)
    return rules


def indirect_antonym(sense: Synset, word: str) -> bool:
    """True when a sense is the opposite of a sense of the word, directly or indirectly.

    WordNet links *moving* to *nonmoving*, and *nonmoving* to *stationary* as similar: an indirect antonym (Gross,
    Fischer and Miller 1989).
    """
    heads = [sense, *(WORDNET.to(pointer) for pointer in sense.related("&") if sense.satellite)]
    for head in heads:
        for pointer in head.related("!"):
            other = WORDNET.to(pointer)
            near = [other, *(WORDNET.to(similar) for similar in other.related("&"))]
            if any(word in synset.words for synset in near):
                return True
    return False
