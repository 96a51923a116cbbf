"""METEOR: which words of two texts are equal, share a stem or are synonyms, and how scattered the matches are.

Stems are those of the Porter stemmer (M. Porter, "An algorithm for suffix stripping", Program 14(3), 1980) with NLTK's
changes to its rules, on which METEOR's scores depend: ``flies`` and ``dies`` get different stems, ``y`` becomes ``i``
only after a consonant, a few words are irregular.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import tokens
from askew.errors import BadOption
from askew.files.read_write import resource
from askew.language.wordnet import PARTS_OF_SPEECH, WORDNET
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import Wides, check_ties, count_shared, index_of
from askew.rank.overlap.top_k import FittedOverlap, key_of, least_key, offer

Floats = NDArray[np.float64]

_RULES = "rank/overlap/porter.yaml"
SAME, STEM, SYNONYM = 1, 2, 3
"""How two words match; lower levels are tried first."""


@dataclass(frozen=True)
class Meteor:
    """METEOR (Lavie and Agarwal 2007) as NLTK computes it: the question is the reference.

    Words are matched from the right: equal ones first, then those with the same stem (Porter), then synonyms (WordNet).
    With P and R the matched shares of hypothesis and reference, and m matches in c chunks, the score is
    PR / (αP + (1 - α)R) · (1 - γ(c/m)^β). Here all four words match in two chunks, then three in one:

    >>> fitted = Meteor().fit(["is it a cat", "is it a red cow", "who"])
    >>> [round(score, 4) for score in fitted.top(["is it a cow"], 2)[0].scores]
    [0.9146, 0.7361]
    """

    synonyms_on: Literal["stems", "words"] = "stems"
    """What is looked up in WordNet. *Sic*: NLTK looks up stems, and since few stems are words, most synonyms never
    match (*pictur* has none); ``words`` looks up the words themselves."""
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    ties: str = "index"
    """Which of equally good texts comes first: ``index`` (the earlier in the pool) or ``seeded:N`` (shuffled)."""

    def __post_init__(self) -> None:
        check_ties(self.ties)
        if self.synonyms_on not in ("stems", "words"):
            raise BadOption(f"meteor: synonyms_on={self.synonyms_on!r} is not one of stems, words.")
        if not (0 < self.alpha < 1 and self.beta >= 0 and 0 <= self.gamma <= 1):
            raise BadOption("meteor: alpha must be between 0 and 1, beta at least 0, and gamma from 0 to 1.")

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool and look its words up in WordNet."""
        index = index_of(pool, self.ties, 1)
        return FittedOverlap(self, index, Relatives.of(index.words, self.synonyms_on == "stems"))

    def offer_all(self, fitted: FittedOverlap, text: str, query: Wides, own: int, top: Any) -> None:
        """Offer the texts; the words of the pool that match one of the query's have a row of ``levels`` each."""
        slots, places, index = dict[int, int](), tokens(text), fitted.index
        related = [fitted.fitted.to(word) for word in places]
        for number in chain.from_iterable(related):
            slots.setdefault(number, len(slots))
        levels = np.zeros((len(slots), len(places)), dtype=np.int8)
        for place, found in enumerate(related):
            for number, level in found.items():
                levels[slots[number], place] = level
        words = np.fromiter(slots, dtype=np.int64, count=len(slots))
        terms = np.zeros_like(words), words, (levels > 0).sum(axis=1)
        slot_of = np.full(len(index.words), -1)
        slot_of[words] = np.arange(len(words))
        factors = _factors(len(places), self.beta, self.gamma)
        scan(own, terms, slot_of, levels, index.arrays, index.postings, self.alpha, factors, top)


def synonyms(word: str) -> frozenset[str]:
    """The single words that share a sense with a form of this word, as NLTK finds them; never empty.

    >>> sorted(synonyms("sofa")), sorted(synonyms("pictur"))
    (['couch', 'lounge', 'sofa'], ['pictur'])
    """
    found = {word}
    for pos in PARTS_OF_SPEECH:
        forms = [*WORDNET.bases(word, pos)]
        if pos == "n" and word.endswith("ss"):
            forms.append(word[:-1])  # sic: NLTK takes "pass" for a plural of "pas" too
        for form in forms:
            found.update(name for sense in WORDNET.senses(form, pos) for name in sense.words if "_" not in name)
    return frozenset(found)


@dataclass(frozen=True, eq=False, repr=False)
class Relatives:
    """Which of the pool's words a word can be matched with."""

    words: Mapping[str, int]
    by_stem: Mapping[str, list[int]]
    by_synonym: Mapping[str, list[int]]
    """The pool's words that have this synonym: a stem, or a word."""
    stemmed: bool

    @classmethod
    def of(cls, words: Mapping[str, int], stemmed: bool) -> Relatives:
        """The relatives among these words, their synonyms looked up by their stems or by themselves."""
        by_stem: dict[str, list[int]] = {}
        by_synonym: dict[str, list[int]] = {}
        for word, number in words.items():
            by_stem.setdefault(stem(word), []).append(number)
        groups = by_stem.items() if stemmed else ((word, [number]) for word, number in words.items())
        for looked_up, numbers in groups:
            for synonym in sorted(synonyms(looked_up)):
                by_synonym.setdefault(synonym, []).extend(numbers)
        return cls(words, by_stem, by_synonym, stemmed)

    def to(self, word: str) -> dict[int, int]:
        """The pool's words that are the same as this one, have its stem or have it as a synonym, with the level."""
        ending = stem(word)
        found = dict.fromkeys(self.by_synonym.get(ending if self.stemmed else word, ()), SYNONYM)
        found.update(dict.fromkeys(self.by_stem.get(ending, ()), STEM))
        if word in self.words:
            found[self.words[word]] = SAME
        return found


@lru_cache(maxsize=256)
def _factors(reference: int, beta: float, gamma: float) -> Floats:
    """The factor that penalises scattered matches, by matches and chunks."""
    factors = np.ones((reference + 1, max(reference, 1) + 1))
    for matches in range(1, reference + 1):
        for chunks in range(1, matches + 1):
            factors[matches, chunks] = 1 - gamma * (float(chunks) / matches) ** beta
    return factors


@compiled
def align(document: Any, slots: Any, levels: Any, places: Any, free: Any) -> int:
    """Match words from the right, level by level, each with the last free place of the query; returns how many match.

    ``places`` gets the place of each of the document's words, or -1; ``free`` is scratch, one for each place.
    """
    places[: len(document)] = -1
    free[:] = True
    matched = 0
    for level in range(SAME, SYNONYM + 1):
        for i in range(len(document) - 1, -1, -1):
            slot = slots[document[i]]
            if slot < 0 or places[i] >= 0:
                continue
            for place in range(len(free) - 1, -1, -1):
                if free[place] and 0 < levels[slot, place] <= level:
                    places[i], free[place] = place, False
                    matched += 1
                    break
    return matched


@compiled
def chunks_of(places: Any) -> int:
    """The number of chunks: runs of matched words that are contiguous in both texts."""
    chunks, last = 0, -2
    for place in places:
        if place < 0:
            last = -2
        else:
            chunks += place != last + 1
            last = place
    return chunks


@compiled
def mean_of(matches: int, hypothesis: int, reference: int, alpha: float) -> float:
    """The weighted mean of precision and recall of texts of these lengths with this many matches."""
    if matches == 0:
        return 0.0
    precision, recall = matches / hypothesis, matches / reference
    return (precision * recall) / (alpha * precision + (1 - alpha) * recall)


@compiled
def scan(
    own: int,
    terms: Any,
    slots: Any,
    levels: Any,
    index: Any,
    postings: Any,
    alpha: float,
    factors: Any,
    top: Any,
) -> None:
    """Offer each text of the pool, unless the words that could be matched are too few to enter."""
    tokens, starts, firsts = index
    size = levels.shape[1]
    shared = np.zeros((1, len(firsts)), dtype=np.int32)
    count_shared(shared, terms, postings)
    places, free = np.empty(np.diff(starts).max(), dtype=np.int64), np.empty(size, dtype=np.bool_)
    least, fewest = least_key(top), 0
    for doc in range(len(firsts)):
        if shared[0, doc] < fewest:
            continue
        length, most = starts[doc + 1] - starts[doc], min(shared[0, doc], size)
        if doc == own or key_of(factors[most, 1] * mean_of(most, length, size, alpha)) + 1 < least:
            continue
        score = 0.0
        if most:
            matched = align(tokens[starts[doc] : starts[doc + 1]], slots, levels, places, free)
            chunks = chunks_of(places[:length])
            score = factors[matched, chunks] * mean_of(matched, length, size, alpha)
        if offer(top, score, firsts[doc], doc):
            least = least_key(top)
            while fewest < size and key_of(factors[fewest, 1] * mean_of(fewest, fewest, size, alpha)) + 1 < least:
                fewest += 1


Rules = Sequence[Sequence[str]]
"""Pairs of an ending and its replacement."""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word, in lower case.

    >>> [stem(word) for word in ("pictures", "running", "flies", "dies", "relational", "sky", "Is")]
    ['pictur', 'run', 'fli', 'die', 'relat', 'sky', 'is']
    """
    lowered, steps = word.lower(), resource(_RULES)
    for base, forms in steps["irregular"].items():
        if lowered in forms:
            return str(base)
    if len(word) <= 2:
        return lowered
    left = lowered[:-1] if lowered.endswith("ies") and len(lowered) == 4 else _replaced(lowered, steps["plurals"])
    left = _without_past(left)
    if left.endswith("y") and len(left) > 2 and _shape(left[:-1])[-1] == "c":
        left = left[:-1] + "i"
    left = _replaced(_double(left), steps["single"], lambda start: _measure(start) > 0)
    ends = ("s", "t") if left.endswith("ion") else ""
    last = [(ending, "") for ending in steps["last"]]
    return _tidy(_replaced(left, last, lambda start: _measure(start) > 1 and start.endswith(ends)))


def _shape(word: str) -> str:
    """Each letter as v (vowel) or c (consonant); y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(start: str) -> int:
    """How often a consonant follows a vowel: Porter's m."""
    return _shape(start).count("vc")


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


def _without_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        start = word.removesuffix(ending)
        if start != word and "v" in _shape(start):
            return _repaired(start)
    return word


def _repaired(start: str) -> str:
    """Repair a word after -ed or -ing was removed: hopp → hop, fil → file."""
    restored = resource(_RULES)["restored"]
    if any(start.endswith(old) for old, _ in restored):
        return _replaced(start, restored)
    if len(start) > 1 and start[-1] == start[-2] and _shape(start)[-1] == "c":
        return start if start[-1] in "lsz" else start[:-1]
    return start + "e" if _measure(start) == 1 and _short_syllable(start) else start


def _double(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _double(word[:-2])
    changed = _replaced(word, resource(_RULES)["double"], lambda start: _measure(start) > 0)
    if changed == word and word.endswith("logi") and _measure(word[:-3]) > 0:
        return word[:-1]
    return changed


def _tidy(word: str) -> str:
    """Delete a final e, unless a short syllable needs it, and the second of two final l in a long word."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short_syllable(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
