"""Which word can stand for which: rules reviewed by us (``synonyms.yaml``), from WordNet alone, and from PPDB files.

Every rule has a confidence. What we reviewed has 1; what only WordNet says has less, the less common the shared sense
is among the senses of both words; PPDB's own scores are scaled to at most 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from askew.language.wordnet import Pos, Synset, WordNet
from askew.shipped import shipped

UNREVIEWED = 0.9
"""The most that WordNet alone can give: on its own it also calls a hand a mitt."""

POS_OF_TAG: Mapping[str, Pos] = {
    **dict.fromkeys(("NN", "NNS"), "n"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "v"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "a"),
    "RB": "r",
}
"""The Penn Treebank tags of words that rules exchange."""

_AUXILIARY = frozenset({"be", "do", "have"})
"""Verbs that are mostly there for the grammar: *Do you see?* is no *Make you see?*"""


@dataclass(frozen=True, slots=True)
class Synonym:
    """A rule: ``source`` may become ``target`` where it has this sense and what follows fits."""

    source: str
    target: str
    pos: Pos
    confidence: float
    origin: str
    """``reviewed``, ``wordnet`` or ``ppdb``."""
    sense: Synset | None = None
    """The sense that the source must have; None for any."""
    next: tuple[str, ...] = ()
    """Words or tags of which one must follow; empty for any."""
    bare: bool = False
    """True when a noun may stand without an article."""


@dataclass(frozen=True)
class Synonyms:
    """Synonyms of base forms.

    >>> [(rule.target, rule.confidence) for rule in Synonyms().of("car", "n")]
    [('automobile', 1.0)]
    >>> [rule.target for rule in Synonyms(confidence=0.5).of("aeroplane", "n")]
    ['airplane']
    """

    wordnet: WordNet = field(default_factory=WordNet)
    confidence: float = UNREVIEWED
    """The least confidence of a rule."""

    def of(self, lemma: str, pos: Pos) -> tuple[Synonym, ...]:
        """The rules for a base form, the surest first."""
        return _rules(self.wordnet, self.confidence, lemma, pos)

    def sources(self) -> frozenset[str]:
        """The base forms that reviewed rules replace."""
        return frozenset(word for word, _ in _reviewed(self.wordnet))


@lru_cache(maxsize=1 << 13)
def _rules(wordnet: WordNet, least: float, lemma: str, pos: Pos) -> tuple[Synonym, ...]:
    reviewed = list(_reviewed(wordnet).get((lemma, pos), ()))
    if least >= UNREVIEWED or reviewed or (pos == "v" and lemma in _AUXILIARY):
        return tuple(reviewed)
    found = []
    for sense in wordnet.senses(lemma, pos):
        for word in sense.words:
            if word.isalpha() and word.islower() and word != lemma:
                confidence = UNREVIEWED * _share(wordnet, lemma, sense) * _share(wordnet, word, sense)
                if confidence >= least:
                    found.append(Synonym(lemma, word, pos, round(confidence, 3), "wordnet", sense))
    return tuple(sorted(found, key=lambda rule: (-rule.confidence, rule.target)))


def _share(wordnet: WordNet, word: str, sense: Synset) -> float:
    """How much of a word's use this sense is, by WordNet's counts, smoothed by their order."""
    senses = wordnet.senses(word, sense.pos)
    counts = [wordnet.count(word, each) + 1 / rank for rank, each in enumerate(senses, 1)]
    return counts[senses.index(sense)] / sum(counts)


@lru_cache(maxsize=2)
def _reviewed(wordnet: WordNet) -> dict[tuple[str, Pos], tuple[Synonym, ...]]:
    data: dict[str, Any] = shipped("language/synonyms.yaml")
    rules: dict[tuple[str, Pos], list[Synonym]] = {}
    for name, entry in data.items():
        sense = wordnet.named(name)
        own = dict.fromkeys((*entry.get("words", ()), *entry.get("from", ())), sense)
        beyond = {word: each and wordnet.named(each) for word, each in entry.get("also", {}).items()}
        targets = [*entry.get("words", ()), *entry.get("also", ()), *entry.get("to", ())]
        for source, needed in (own | beyond).items():
            for target in targets:
                if target != source:
                    rule = Synonym(
                        source,
                        target,
                        sense.pos,
                        1.0,
                        "reviewed",
                        needed,
                        tuple(entry.get("next", ())),
                        entry.get("bare", False),
                    )
                    rules.setdefault((source, sense.pos), []).append(rule)
    return {key: tuple(found) for key, found in rules.items()}
