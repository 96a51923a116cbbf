"""Antonymous perturbations: the attribute or state that a yes/no question asks for becomes its opposite (VQA P2, §3.1).

Only questions of the forms "is/are the ..." and "is/are this/these ..." are changed, and only the word they ask about:
the predicate ("Is the window open?") or the attribute in "Is this a clean room?", never a word that is only mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from askew.language.inflect import base, inflected
from askew.language.paraphrases import in_phrase
from askew.language.senses import WordCounts, likely_sense, words_of
from askew.language.tagger import Token
from askew.language.thesaurus import Antonym, antonyms_of, opposed
from askew.language.wordnet import WORDNET, Synset
from askew.perturb.lexical.substitutions import Edit, trigger_words

PATTERN = re.compile(r"\s*(is|are)\s+(the|this|these)\b", re.IGNORECASE)
"""The paper's forms."""

_PLAIN = re.compile(r"[A-Za-z0-9 ]*\?*")
"""A question that the tagger splits at its spaces."""
_SUBJECT = frozenset(
    ("DT", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "POS", "CD", "PRP$", "IN", "VBN", "VBG", "HYPH")
)
_TAIL = re.compile(
    r"\s*(?:(?:in|on|of) (?:the|this) (?:picture|photo|image|scene)|right now|today)?\s*\?*\s*$", re.IGNORECASE
)
_END = re.compile(r"(?<=[a-z0-9])(?![a-z0-9])" + _TAIL.pattern, re.IGNORECASE)
"""The end of the last word before a tail, in such a question."""
_ANIMALS = 5
_KINDS: dict[int, tuple[str, ...]] = {
    **dict.fromkeys((14, 18), ("person", "living")),
    _ANIMALS: ("living",),
    **dict.fromkeys((6, 8, 13, 15, 17, 20), ("thing",)),
}
"""By WordNet's lexicographer files: people and groups, animals, and artifacts, plants and other objects."""
_TOPS = {"person": ("person", "living"), "animal": ("living",)}
"""The top words of these files, which have a file of their own; all others are things."""
_TOPS_FILE = 3


@dataclass(frozen=True, slots=True)
class AskedWord:
    """The word that a question asks about, and its subject."""

    place: int
    subject: str
    """The base form of the noun; empty for "this"."""
    attributive: bool
    """True for "Is this a clean room?", where "no" may also mean that it is not a room."""


Proposal = tuple[Edit, Antonym, AskedWord]
"""A substitution, its rule, and the word that the question asks about."""


@dataclass(frozen=True)
class Antonymous:
    """Proposes the opposite of the word that a question asks about.

    >>> from askew.language.tagger import Tagger
    >>> question = "Is the window open?"
    >>> [edit.text for edit, rule, asked in Antonymous().propose(question, Tagger().tags([question])[0])]
    ['closed', 'shut']
    """

    vocabulary: WordCounts = field(default_factory=WordCounts, repr=False)

    def propose(self, text: str, tokens: Sequence[Token]) -> tuple[Proposal | str, ...]:
        """Each substitution, or the reason against it; nothing if the question does not ask about such a word."""
        asked = self.asked(text, tokens)
        if asked is None:
            return ()
        token = tokens[asked.place]
        verb = token.tag == "VBG" and bool(antonyms_of(base(token.text, "VBG"), "v"))
        lemma = base(token.text, "VBG") if verb else token.lower
        rules = antonyms_of(lemma, "v" if verb else "a")
        if not rules:
            return ("no reviewed antonym",) if opposed(lemma, "v" if verb else "a") else ()
        reason = _against(text, tokens, asked, lemma)
        if reason:
            return (reason,)
        fitting = [
            rule for rule in _rules(rules, asked, words_of(text)) if not (rule.predicative and asked.attributive)
        ]
        return tuple(self._proposal(rule, token, asked, verb) for rule in fitting) or ("another sense of the word",)

    def _proposal(self, rule: Antonym, token: Token, asked: AskedWord, verb: bool) -> Proposal | str:
        form = inflected(rule.target, "VBG") if verb else rule.target
        if form is None or not self.vocabulary.holds(form):
            return "the antonym is not in the data's vocabulary"
        note = {"kind": "complementary" if rule.complementary else "contrary"}
        return Edit(token.start, token.end, form, f"{rule.source}→{rule.target}", note), rule, asked

    def could(self, text: str) -> bool:
        """False when there is nothing to propose, whatever the tags: a cheap test before tagging.

        >>> [Antonymous().could(text) for text in ("Is the window open?", "Is this a kitchen?", "What is open?")]
        [True, False, False]
        """
        opening = PATTERN.match(text)
        if opening is None:
            return False
        if not _PLAIN.fullmatch(text):
            return True
        end = _END.search(text, opening.end() + 1)
        return end is not None and any(map(_has_opposite, text[: end.start()].lower().split(" ")[-2:]))

    def asked(self, text: str, tokens: Sequence[Token]) -> AskedWord | None:
        """The word that the question asks about, if it has one of the paper's forms."""
        if not PATTERN.match(text):
            return None
        last = _last(text, tokens)
        return _predicate(tokens, last) or _attribute(tokens, last)


def _against(text: str, tokens: Sequence[Token], asked: AskedWord, lemma: str) -> str:
    """Why the word must not be replaced, whatever the rule; empty if it may."""
    if not trigger_words()["joined"].isdisjoint(words_of(text)):
        return "the attribute is compared, joined or graded"
    if in_phrase(tokens, asked.place):
        return "inside a fixed phrase"
    if lemma in trigger_words()["measured"] and not asked.attributive and _measure(tokens[: asked.place]):
        return "the attribute has a measure"
    return ""


def _rules(rules: Sequence[Antonym], asked: AskedWord, context: Sequence[str]) -> list[Antonym]:
    """The rules for the sense of the word here, by the kind of its subject or else by its context."""
    kinds = {asked.subject, *_kinds_of(asked.subject)}
    if "living" not in kinds:
        kinds.add("lifeless")
    if fitting := [rule for rule in rules if not kinds.isdisjoint(rule.of)]:
        return fitting
    sense = likely_sense(rules[0].source, rules[0].pos, context)
    return [rule for rule in rules if not rule.of and sense in rule.senses]


@lru_cache(maxsize=1 << 15)
def _has_opposite(word: str) -> bool:
    """True when a word has an antonym, reviewed or not."""
    verb = base(word, "VBG") if word.endswith("ing") else word
    return bool(antonyms_of(word, "a") or antonyms_of(verb, "v")) or opposed(word, "a")


def _kinds_of(noun: str) -> tuple[str, ...]:
    """The kinds of a noun, as named in the rules."""
    best = likely_sense(noun, "n", ()) if noun else None
    if best is None:
        return ()
    if best.lexfile == _TOPS_FILE:
        return _TOPS.get(noun, ("thing",))
    if best.lexfile == _ANIMALS and not _is_animal(best):
        return ("thing",)
    return _KINDS.get(best.lexfile, ())


def _is_animal(sense: Synset) -> bool:
    """False for a tail, a horn or a nest, which are also in the file of animals."""
    while (pointer := next(sense.related("@"), None)) is not None:
        sense = WORDNET.to(pointer)
        if "animal" in sense.words:
            return True
    return False


def _last(text: str, tokens: Sequence[Token]) -> int:
    """The last token that is not part of a tail such as "in this picture?"."""
    for place in range(2, len(tokens)):
        if _TAIL.match(text, tokens[place].end):
            return place
    return -1


def _predicate(tokens: Sequence[Token], last: int) -> AskedWord | None:
    """``is the NP X``: everything between is the subject, which ends in a noun (or is "this" alone)."""
    if last < 2:
        return None
    between = tokens[2:last]
    if any(token.tag not in _SUBJECT for token in between) or _two_phrases(between):
        return None
    if not between:
        alone = tokens[1].lower in ("this", "these") and not tokens[last].is_noun
        return AskedWord(last, "", False) if alone else None
    if not between[-1].is_noun:
        return None
    first_phrase = takewhile(lambda token: token.tag != "IN", between)
    heads = [token for token in first_phrase if token.is_noun]
    if not heads or any(token.tag in ("VBG", "VBN") for token in between[1:]):
        return None
    return AskedWord(last, base(heads[-1].text, heads[-1].tag), False)


def _two_phrases(tokens: Sequence[Token]) -> bool:
    """True when an article begins a second phrase that no preposition joins: "this a beach"."""
    return any(
        token.tag == "DT" and (place == 0 or tokens[place - 1].tag != "IN") for place, token in enumerate(tokens)
    )


def _measure(tokens: Sequence[Token]) -> bool:
    """True when the words before an adjective may be a measure: they have a number, or end in two nouns."""
    return any(token.tag == "CD" for token in tokens) or (tokens[-1].is_noun and tokens[-2].is_noun)


def _attribute(tokens: Sequence[Token], last: int) -> AskedWord | None:
    """``is this a X N``: one adjective and one noun."""
    if last < 3 or not tokens[last].is_noun or tokens[last - 1].tag != "JJ" or tokens[1].lower not in ("this", "these"):
        return None
    before = [token.lower for token in tokens[2 : last - 1]]
    if before not in (["a"], ["an"], []) or (not before and tokens[1].lower != "these"):
        return None
    return AskedWord(last - 1, base(tokens[last].text, tokens[last].tag), True)
