"""Synonyms from WordNet as swaps (PWWS, Ren et al. 2019; TextFooler without a file of word vectors).

By default with askew's senses, compounds and inflection, as for VQA P2; ``senses="all"`` gives every synonym of every
sense, as PWWS does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

from askew.attack.word_places import is_word, word_places
from askew.errors import BadOption
from askew.language.fixed_phrases import FixedPhrases
from askew.language.inflect import base, inflected
from askew.language.senses import Senses
from askew.language.tagger import Tagger, Token
from askew.language.thesaurus import POS_OF_TAG, Synonyms
from askew.language.wordnet import Pos, WordNet
from askew.perturb.lexical.substitutions import Edit
from askew.perturb.lexical.synonymous import Synonymous
from askew.types import Place, Question, Swap


@dataclass(frozen=True)
class SynonymSwaps:
    """Words of the same WordNet synset, in the same number, tense or comparison.

    >>> places = SynonymSwaps().places([Question(1, None, "Is there a car by the phone booth?")])[0]
    >>> [(place.text, [swap.text for swap in place.swaps]) for place in places if place.swaps]
    [('car', ['automobile'])]
    """

    senses: Literal["likely", "all"] = "likely"
    """``likely``: of the sense that the word has in the question; ``all``: of any sense, also within compounds."""
    confidence: float = 0.15
    """The lowest confidence of a synonym that was not reviewed: the share of the sense among the uses of both words."""
    wordnet: WordNet = field(default_factory=WordNet, repr=False)
    tagger: Tagger = field(default_factory=Tagger, repr=False)

    def __post_init__(self) -> None:
        if self.senses not in ("likely", "all"):
            raise BadOption(f"senses is {self.senses!r}. Give likely or all.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadOption(f"confidence is {self.confidence}. Give a share between 0 and 1.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Every word of each question, with its synonyms."""
        texts = [question.text for question in questions]
        return [self._places(text, tokens) for text, tokens in zip(texts, self.tagger.tags(texts), strict=True)]

    def _places(self, text: str, tokens: Sequence[Token]) -> tuple[Place, ...]:
        found: dict[int, list[Swap]] = {}
        for start, new in self._all(tokens) if self.senses == "all" else self._likely(text, tokens):
            found.setdefault(start, []).append(Swap(new, "synonym"))
        return word_places(tokens, {n: found[token.start] for n, token in enumerate(tokens) if token.start in found})

    def _likely(self, text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
        for edit in self._synonymous.propose(text, tokens):
            if isinstance(edit, Edit) and (edit.note["origin"] == "reviewed" or self._attested(edit, tokens)):
                yield edit.start, edit.text

    def _attested(self, edit: Edit, tokens: Sequence[Token]) -> bool:
        """True when WordNet's authors found the new word in a text, in some sense of this part of speech."""
        tag = next(token.tag for token in tokens if token.start == edit.start)
        return attested(self.wordnet, edit.rule.rpartition("→")[2], POS_OF_TAG[tag])

    def _all(self, tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
        for token in tokens:
            if token.tag in POS_OF_TAG and is_word(token):
                for new in synonyms(self.wordnet, base(token.text, token.tag), POS_OF_TAG[token.tag]):
                    form = inflected(new, token.tag)
                    if form is not None and form != token.lower:
                        yield token.start, form

    @cached_property
    def _synonymous(self) -> Synonymous:
        own = self.wordnet
        return Synonymous(Synonyms(own, self.confidence), Senses(own), FixedPhrases(own))


@lru_cache(maxsize=1 << 14)
def synonyms(wordnet: WordNet, lemma: str, pos: Pos) -> tuple[str, ...]:
    """The single words that share a synset with a base form, in WordNet's order.

    >>> synonyms(WordNet(), "car", "n")
    ('auto', 'automobile', 'machine', 'motorcar', 'railcar', 'gondola')
    """
    words = (word for sense in wordnet.senses(lemma, pos) for word in sense.words)
    return tuple(dict.fromkeys(word for word in words if word.isalpha() and word.islower() and word != lemma))


@lru_cache(maxsize=1 << 14)
def attested(wordnet: WordNet, lemma: str, pos: Pos) -> bool:
    """True when the texts that WordNet's authors tagged contain this word: false of rare ones such as *ikon*.

    >>> attested(WordNet(), "automobile", "n"), attested(WordNet(), "ikon", "n")
    (True, False)
    """
    return any(wordnet.count(lemma, sense) for sense in wordnet.senses(lemma, pos))
