"""METEOR: which words of two texts are the same, have the same stem or are synonyms, and how scattered they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.language.wordnet import Pos, WordNet
from askew.rank.overlap.boards import Boards, FittedOverlap, Queries, visits
from askew.rank.overlap.index import Index, cumulated, read
from askew.rank.overlap.porter import stem
from askew.rank.overlap.ties import check_rule
from askew.text import tokens

Floats = NDArray[np.float64]

SAME, STEM, SYNONYM = 1, 2, 3
"""How two words are alike; a lower level is tried first."""


@dataclass(frozen=True)
class Meteor:
    """METEOR (Lavie and Agarwal 2007) as NLTK computes it: the question is the reference.

    Words are matched from the right: equal ones first, then those with the same stem (Porter), then synonyms (WordNet).
    With P and R the matched shares of hypothesis and reference, and m matches in c stretches, the score is
    PR / (αP + (1 - α)R) · (1 - γ(c/m)^β). Here all four words match in two stretches, then three in one:

    >>> fitted = Meteor().fit(["is it a cat", "is it a red cow", "who"])
    >>> [round(score, 4) for score in fitted.top(["is it a cow"], 2)[0].scores]
    [0.9146, 0.7361]
    """

    synonyms_on: Literal["stems", "words"] = "stems"
    """What is looked up in WordNet. *Sic*: NLTK looks up stems, and since few stems are words most synonyms never match
    (*pictur* has none); ``words`` looks up the words themselves."""
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    ties: str = "index"
    """Which of equally good texts comes first: ``index`` (the earlier in the pool) or ``seeded:N`` (shuffled)."""

    def __post_init__(self) -> None:
        check_rule(self.ties)
        if self.synonyms_on not in ("stems", "words"):
            raise BadOption(f"meteor: synonyms_on={self.synonyms_on!r} is not one of stems, words.")
        if not (0 < self.alpha < 1 and self.beta >= 0 and 0 <= self.gamma <= 1):
            raise BadOption("meteor: alpha must lie between 0 and 1, beta be 0 or more, gamma lie from 0 to 1.")

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool and look its words up in WordNet."""
        index = read(pool, self.ties)
        return FittedOverlap(self, index, _Meteor(self, index, Relatives.of(index.words, self.synonyms_on == "stems")))


def synonyms(word: str, wordnet: WordNet) -> frozenset[str]:
    """The single words that share a meaning with one of the forms of this word, as NLTK finds them; never empty.

    >>> sorted(synonyms("sofa", WordNet())), sorted(synonyms("pictur", WordNet()))
    (['couch', 'lounge', 'sofa'], ['pictur'])
    """
    found = {word}
    parts: tuple[Pos, ...] = ("n", "v", "a", "r")
    for pos in parts:
        forms = [*wordnet.bases(word, pos)]
        if pos == "n" and word.endswith("ss"):
            forms.append(word[:-1])  # sic: NLTK takes "pass" for a plural of "pas" too
        for form in forms:
            found.update(name for sense in wordnet.senses(form, pos) for name in sense.words if "_" not in name)
    return frozenset(found)


@dataclass(frozen=True, eq=False, repr=False)
class Relatives:
    """Which of the pool's words a word can be matched with."""

    words: Mapping[str, int]
    by_stem: Mapping[str, list[int]]
    by_synonym: Mapping[str, list[int]]
    """The pool's words that have this synonym: a stem, or a word."""
    stemmed: bool
    _known: dict[str, dict[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Mapping[str, int], stemmed: bool) -> Relatives:
        """The relatives among these words, their synonyms looked up by their stems or by themselves."""
        wordnet = WordNet()
        by_stem: dict[str, list[int]] = {}
        by_synonym: dict[str, list[int]] = {}
        for word, number in words.items():
            by_stem.setdefault(stem(word), []).append(number)
        groups = by_stem.items() if stemmed else ((word, [number]) for word, number in words.items())
        for looked_up, numbers in groups:
            for synonym in sorted(synonyms(looked_up, wordnet)):
                by_synonym.setdefault(synonym, []).extend(numbers)
        return cls(words, by_stem, by_synonym, stemmed)

    def to(self, word: str) -> dict[int, int]:
        """The pool's words that are the same as this one, have its stem or have it as a synonym, with the level."""
        if word not in self._known:
            ending = stem(word)
            found = dict.fromkeys(self.by_synonym.get(ending if self.stemmed else word, ()), SYNONYM)
            found.update(dict.fromkeys(self.by_stem.get(ending, ()), STEM))
            if word in self.words:
                found[self.words[word]] = SAME
            self._known[word] = found
        return self._known[word]


@dataclass(frozen=True, eq=False, repr=False)
class _Meteor:
    """METEOR over an index."""

    ranker: Meteor
    index: Index
    relatives: Relatives

    def fill(self, queries: Queries, boards: Boards) -> None:
        from askew.rank.overlap.meteor_kernel import rank

        index, counts = self.index, self.index.counters()
        slots = np.zeros(len(index.words) + 1, dtype=np.int64)
        related = self._related(queries.texts)
        for (length, _), members in queries.shapes():
            means, kept = self._means(length), self._kept(length)
            where = visits(means * kept[:, 1], index)
            known = queries.arrays, related, index.arrays, index.occurrences
            rank(members, *known, where, means, kept, slots, counts, boards.arrays)

    def _related(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each text the pool's words that match one of its own: word, place, level; and where a text's begin."""
        rows: list[tuple[int, int, int]] = []
        sizes = []
        for text in texts:
            before = len(rows)
            for place, word in enumerate(tokens(text)):
                rows.extend((number, place, level) for number, level in self.relatives.to(word).items())
            sizes.append(len(rows) - before)
        return np.array(rows, dtype=np.int64).reshape(-1, 3), cumulated(sizes)

    def _means(self, reference: int) -> Floats:
        """The weighted mean of precision and recall by length of the hypothesis and matches."""
        matches, alpha = np.arange(1.0, reference + 1), self.ranker.alpha
        precision = matches / np.maximum(self.index.lengths, 1)[:, None]
        recall = matches / max(reference, 1)
        means = np.zeros((len(self.index.lengths), reference + 1))
        means[:, 1:] = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
        return means

    def _kept(self, reference: int) -> Floats:
        """What is left of the mean by matches and chunks."""
        kept = np.ones((reference + 1, max(reference, 1) + 1))
        for matches in range(1, reference + 1):
            for chunks in range(1, matches + 1):
                kept[matches, chunks] = 1 - self.ranker.gamma * (float(chunks) / matches) ** self.ranker.beta
        return kept
