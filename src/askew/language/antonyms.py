"""Opposites: WordNet's direct antonyms, reviewed for whether there is something between the two (``antonyms.yaml``).

What is not open is closed (complementary); what is not hot need not be cold (contrary).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from askew.language.wordnet import Pos, Synset, WordNet
from askew.shipped import shipped


@dataclass(frozen=True, slots=True)
class Antonym:
    """A rule: ``source`` may become ``target`` where it has one of these senses."""

    source: str
    target: str
    pos: Pos
    complementary: bool
    """True when there is nothing between the two."""
    senses: tuple[Synset, ...]
    """The senses of the source that are opposed to one of the target."""
    of: tuple[str, ...] = ()
    """When the sense goes by the subject: ``person``, ``living``, ``thing``, ``lifeless`` or nouns; empty for any."""
    predicative: bool = False
    """True when it does not hold before a noun."""


@dataclass(frozen=True)
class Antonyms:
    """The opposites of base forms.

    >>> [(rule.target, rule.complementary) for rule in Antonyms().of("open", "a")]
    [('closed', True), ('shut', True)]
    >>> [(rule.target, rule.of) for rule in Antonyms().of("old", "a")]
    [('young', ('living',)), ('new', ('thing',))]
    """

    wordnet: WordNet = field(default_factory=WordNet)

    def of(self, lemma: str, pos: Pos) -> tuple[Antonym, ...]:
        """The reviewed opposites of a base form."""
        return _rules(self.wordnet).get((lemma, pos), ())

    def opposed(self, lemma: str, pos: Pos) -> bool:
        """True when WordNet gives the word an opposite in some sense, reviewed or not."""
        return any(self.wordnet.antonyms(lemma, sense) for sense in self.wordnet.senses(lemma, pos))


@lru_cache(maxsize=2)
def _rules(wordnet: WordNet) -> dict[tuple[str, Pos], tuple[Antonym, ...]]:
    data: dict[str, list[dict[str, Any]]] = shipped("language/antonyms.yaml")
    rules: dict[tuple[str, Pos], list[Antonym]] = {}
    for kind, entries in data.items():
        pos: Pos = "v" if kind == "verbs" else "a"
        for entry in entries:
            first, second = entry["pair"]
            for source, target in ((first, second), (second, first)):
                senses = tuple(s for s in wordnet.senses(source, pos) if _opposed(wordnet, s, target))
                of = entry.get("of", ())
                nouns = (of,) if isinstance(of, str) else tuple(of)
                rule = Antonym(
                    source, target, pos, kind == "complementary", senses, nouns, entry.get("predicative", False)
                )
                rules.setdefault((source, pos), []).append(rule)
    return {key: tuple(found) for key, found in rules.items()}


def _opposed(wordnet: WordNet, sense: Synset, word: str) -> bool:
    """True when a sense is opposed to one that the word has.

    WordNet joins *moving* and *nonmoving*, and *stationary* to the latter as similar; that is what Gross, Fischer and
    Miller (1989) call an indirect antonym.
    """
    heads = [sense, *(wordnet.to(pointer) for pointer in sense.related("&") if sense.satellite)]
    for head in heads:
        for pointer in head.related("!"):
            other = wordnet.to(pointer)
            near = [other, *(wordnet.to(similar) for similar in other.related("&"))]
            if any(word in synset.words for synset in near):
                return True
    return False
