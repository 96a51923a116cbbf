"""Paraphrastic perturbations: several words become others with the same meaning (VQA P2, §3.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from askew.language.fixed_phrases import breaks_phrase
from askew.language.inflect import base
from askew.language.paraphrases import ParaphraseMatch, Paraphrases
from askew.language.senses import WordCounts, words_of
from askew.language.tagger import Token
from askew.perturb.lexical.substitutions import Edit

_SLOT = re.compile(r"\[[^\]]+\]")
_SHORTEST = 4
"""The minimum length of a word that must not be repeated: shorter ones are mostly articles and prepositions."""


@dataclass(frozen=True)
class Paraphrastic:
    """Proposes paraphrases for parts of a question.

    >>> from askew.language.tagger import Tagger
    >>> question = "What kind of dog is next to the bed?"
    >>> [edit.text for edit in Paraphrastic().propose(question, Tagger().tags([question])[0]) if isinstance(edit, Edit)]
    ['beside the bed']
    """

    paraphrases: Paraphrases = field(default_factory=Paraphrases)
    vocabulary: WordCounts = field(default_factory=WordCounts, repr=False)

    def propose(self, text: str, tokens: Sequence[Token]) -> Iterator[Edit | str]:
        """Each possible substitution, or the reason why a matching rule does not apply."""
        for found in self.paraphrases.find(text, tokens):
            if not self.vocabulary.holds(_SLOT.sub(" ", found.rule.target)):
                yield "the paraphrase is not in the data's vocabulary"
                continue
            # reviewed rules were written to respect fixed phrases
            if found.rule.origin != "reviewed" and breaks_phrase(tokens, found.first, found.last):
                yield "inside a fixed phrase"
                continue
            if _repeats_word(found, tokens):
                yield "the paraphrase repeats a word of the question"
                continue
            start, end = tokens[found.first].start, tokens[found.last].end
            note = {"confidence": found.rule.confidence, "origin": found.rule.origin}
            yield Edit(start, end, found.text, found.rule.id, note)


def _repeats_word(found: ParaphraseMatch, tokens: Sequence[Token]) -> bool:
    """True for a new word that the question already has: *the location of this location*, *lined up in a line*."""
    inside = tokens[found.first : found.last + 1]
    added = Counter(words_of(found.text)) - Counter(token.lower for token in inside)
    new = {word for word in added if len(word) >= _SHORTEST}
    outside = (*tokens[: found.first], *tokens[found.last + 1 :]) if new else ()
    return any(token.lower in new for token in inside) or any(
        token.lower in new or base(token.text, token.tag) in new for token in outside
    )
