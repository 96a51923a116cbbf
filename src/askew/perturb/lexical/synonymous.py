"""Perturbations that keep the meaning (VQA P2, §3.1).

Synonymous: one word becomes its synonym, in the same number, tense or comparison. Paraphrastic: several words become
others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from askew.language.inflect import base, inflected, is_mass, is_plural, needs_no_article
from askew.language.paraphrase_tables import Ppdb
from askew.language.paraphrases import ParaphraseMatch, Paraphrases, breaks_phrase, in_phrase
from askew.language.senses import WordCounts, likely_sense, supported, words_of
from askew.language.tagger import Token
from askew.language.thesaurus import (
    ANYWHERE,
    POS_OF_TAG,
    UNREVIEWED,
    Context,
    Synonym,
    reviewed_synonyms,
    synonyms_of,
)
from askew.language.wordnet import WORDNET
from askew.perturb.lexical.substitutions import Edit, trigger_words

_BEFORE_NOUN = frozenset(("JJ", "JJR", "JJS", "CD", "VBN", "VBG", "RB"))
_DETERMINERS = frozenset(("DT", "PRP$", "POS", "WDT", "PDT", "WP$"))
_JOINED = ("NN", "HYPH")
"""How the tags of words that form a compound with a noun begin."""
_RARE = 3
"""Senses after the third count as rare."""

Exchanges = tuple[tuple[tuple[Synonym, str], ...], tuple[str, ...]]
"""Rules with the inflected replacement, and the reasons against other rules."""


@dataclass(frozen=True)
class Synonymous:
    """Proposes synonyms for the words of a question.

    >>> from askew.language.tagger import Tagger
    >>> question = "Is there a car by the phone booth?"
    >>> [edit.rule for edit in Synonymous().propose(question, Tagger().tags([question])[0]) if isinstance(edit, Edit)]
    ['car→automobile']
    """

    confidence: float = UNREVIEWED
    """The lowest confidence of a rule."""
    vocabulary: WordCounts = field(default_factory=WordCounts, repr=False)
    ppdb: Ppdb | None = None
    """Further rules from PPDB files."""

    def propose(self, text: str, tokens: Sequence[Token]) -> Iterator[Edit | str]:
        """Each possible substitution, or the reason why a matching rule does not apply."""
        around = words_of(text)
        if '"' in text or not trigger_words()["mentions"].isdisjoint(around):
            return
        for place, (word, tag, _) in enumerate(tokens):
            possible, reasons = self._exchanges(word, tag)
            is_name = place > 0 and word[:1].isupper() and word.lower() != "tv"
            if not (possible or reasons) or is_name:
                continue
            yield from reasons
            if not possible:
                continue
            if around.count(word.lower()) > 1:
                yield "the word occurs more than once"
            elif in_phrase(tokens, place):
                yield "inside a fixed phrase"
            elif in_compound(tokens, place):
                yield "inside a compound"
            else:
                for rule, form in possible:
                    if _in_context(rule.context, tokens, place, around):
                        yield _edit(rule, form, tokens, place, around)

    def could(self, words: frozenset[str]) -> bool:
        """False when there is nothing to propose for these words, whatever their tags: a cheap test before tagging.

        >>> Synonymous().could(frozenset({"two", "cars"})), Synonymous().could(frozenset({"two", "zebras"}))
        (True, False)
        """
        return self._forms is None or not self._forms.isdisjoint(words)

    @cached_property
    def _forms(self) -> frozenset[str] | None:
        """Every form of every word that a rule replaces; None if that can be any word."""
        if self.confidence < UNREVIEWED:
            return None
        forms = {inflected(lemma, tag) for lemma, _ in reviewed_synonyms() for tag in POS_OF_TAG}
        return frozenset(form for form in forms if form is not None).union(self.ppdb.sources() if self.ppdb else ())

    @cached_property
    def _exchanges(self) -> Callable[[str, str], Exchanges]:
        """The possible replacements of a word with a tag in any context, and the reasons against others; cached."""
        return lru_cache(maxsize=1 << 15)(self._exchanges_of)

    def _exchanges_of(self, text: str, tag: str) -> Exchanges:
        possible, reasons = [], []
        for rule in self._rules(text, tag):
            form = rule.target if rule.origin == "ppdb" else inflected(rule.target, tag)
            if form is None:
                reasons.append("no such form of the synonym")
            elif not self.vocabulary.holds(form):
                reasons.append("the synonym is not in the data's vocabulary")
            else:
                possible.append((rule, form))
        return tuple(possible), tuple(reasons)

    def _rules(self, text: str, tag: str) -> tuple[Synonym, ...]:
        if tag not in POS_OF_TAG or not self.could(frozenset((text.lower(),))):
            return ()
        rules = synonyms_of(base(text, tag), POS_OF_TAG[tag], self.confidence)
        return (*rules, *self.ppdb.of(text.lower(), tag)) if self.ppdb else rules


def _edit(rule: Synonym, form: str, tokens: Sequence[Token], place: int, around: Sequence[str]) -> Edit | str:
    token = tokens[place]
    if form in around:
        return "the synonym is already in the question"
    if not _fits(rule, token, tokens, place) or _possessive_changes(token, form, tokens, place):
        return "the synonym does not fit the grammar"
    if _other_sense(rule, around):
        return "another sense of the word"
    note = {"confidence": rule.confidence, "origin": rule.origin}
    return Edit(token.start, token.end, form, f"{rule.source}→{rule.target}", note)


def _other_sense(rule: Synonym, around: Sequence[str]) -> bool:
    """True unless the word has the rule's sense here, or another sense that both words share.

    A rare sense must be supported by a word of the question.
    """
    if rule.sense is None:
        return False
    chosen = likely_sense(rule.source, rule.pos, around)
    if chosen is None or (chosen != rule.sense and rule.target not in chosen.words):
        return True
    rank = WORDNET.senses(rule.source, rule.pos).index(chosen)
    return rank >= _RARE and not supported(rule.source, chosen, around)


def in_compound(tokens: Sequence[Token], place: int) -> bool:
    """True for a noun next to another noun, and for a part of a hyphenated word: *phone booth*, *store-bought*."""
    joined = _JOINED if tokens[place].is_noun else "HYPH"
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return any(token.tag.startswith(joined) for token in beside)


def _in_context(context: Context, tokens: Sequence[Token], place: int, around: Sequence[str]) -> bool:
    """True when the words around a token meet the conditions of a rule."""
    if context is ANYWHERE:
        return True
    token = tokens[place]
    if context.tags and token.tag not in context.tags:
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else Token("?", ".", token.end)
    before = tokens[place - 1] if place else Token("", "", 0)
    if context.next and context.next.isdisjoint((after.tag, after.lower)):
        return False
    if context.prev and context.prev.isdisjoint((before.tag, before.lower)):
        return False
    if after.lower in context.but or not context.absent.isdisjoint(around):
        return False
    return not context.present or not context.present.isdisjoint(around)


def _fits(rule: Synonym, token: Token, tokens: Sequence[Token], place: int) -> bool:
    after = tokens[place + 1] if place + 1 < len(tokens) else Token("?", ".", token.end)
    if rule.pos == "v":
        return after.tag != "RP" and (after.tag != "TO" or not rule.context.next.isdisjoint(("TO", "to")))
    if rule.pos == "a":
        return not (after.is_noun and is_mass(after.lower))
    if rule.pos != "n":
        return True
    if is_mass(rule.source) != is_mass(rule.target):
        return False
    if token.tag == "NNS" and place and tokens[place - 1].lower in ("a", "an"):
        return False
    if token.tag == "NN" and is_plural(rule.source) != is_plural(rule.target):
        return False
    return token.tag == "NNS" or rule.bare or needs_no_article(rule.target) or _determined(tokens, place)


def _possessive_changes(token: Token, form: str, tokens: Sequence[Token], place: int) -> bool:
    """True when the possessive would be spelled differently: *women's*, *ladies'*."""
    owns = place + 1 < len(tokens) and tokens[place + 1].tag == "POS"
    return owns and token.lower.endswith("s") != form.endswith("s")


def _determined(tokens: Sequence[Token], place: int) -> bool:
    """True when a determiner precedes the noun."""
    before = place - 1
    while before >= 0 and tokens[before].tag in _BEFORE_NOUN:
        if tokens[before].tag == "CD":
            return True
        before -= 1
    return before >= 0 and tokens[before].tag in _DETERMINERS


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
