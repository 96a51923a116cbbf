"""Back-translation: a question translated to another language and back (Sennrich et al. 2016).

RAD and VQA P2 use it as a baseline. It changes the meaning of many questions, so a filter keeps only those that ask
the same, as far as can be judged from words: the same content words or synonyms in the same order, each noun with its
article, the function words that matter, verbs that agree with their subjects, and the form of the question. Rejected
back-translations are counted by reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import NamedTuple

from askew.language.inflect import base
from askew.language.senses import words_of
from askew.language.tagger import Tagger, Token
from askew.language.thesaurus import synonyms_of
from askew.language.translate import Bergamot, Translator
from askew.language.wordnet import Pos
from askew.perturb.same_grammar import keeps_articles, kept_words, verb_fault, word_lists
from askew.types import Expect, Question, Refusal, Variant

TEST = "BT"
"""The column of RAD's tables."""

_CONTRACTED = re.compile(r"\b(what|who|where)'s\b", re.IGNORECASE)
_PARTS = ("any", "some", "most", "half", "none")
_PLAIN = "{}"
_OPENINGS = ("Tell me, {}", "Look at the photo. {}")
ATTEMPTS = 1 + len(_OPENINGS)
"""How many ways of asking there are."""
_REMEMBERED = 20_000
_POS: dict[str, Pos] = {"N": "n", "V": "v", "J": "a", "R": "r"}
_AUXILIARIES = frozenset(("is", "are", "was", "were", "do", "does", "did", "'s"))
_SMALL = ("IN", "DT", "PDT", "MD", "CC", "PRP", "PRP$", "WP$")
"""The tags of function words."""


class _Word(NamedTuple):
    """A content word: its base form, its tag, and its place among the tokens."""

    base: str
    tag: str
    place: int


@dataclass(frozen=True)
class BackTranslation:
    """Replaces a question by its back-translation; the answers stay the same.

    Back-translations that fail the filter are refused with the reason.
    """

    translator: Translator = field(default_factory=Bergamot)
    filtered: bool = True
    """False to accept every back-translation that differs, as in the RAD paper."""
    attempts: int = 3
    """How many ways of asking are translated, one after the other, until the filter accepts a back-translation."""
    tagger: Tagger = field(default_factory=Tagger, repr=False)

    def prepare(self, questions: Sequence[Question]) -> None:
        """Translate all questions in batches, and again those that the filter refuses."""
        texts = list(dict.fromkeys(question.text for question in questions))
        for form in self._forms:
            back = self._back([_asked(form, text) for text in texts])
            if not self.filtered:
                return
            candidates = [_candidate(text, form, other) for text, other in zip(texts, back, strict=True)]
            self.tagger.tags([tidied(text) for text in (*texts, *candidates)])
            texts = [text for text, candidate in zip(texts, candidates, strict=True) if self.fault(text, candidate)]

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """One back-translation, or a refusal with the reason against the first one."""
        reasons = []
        for form in self._forms:
            back = self._back([_asked(form, question.text)])[0]
            text = _candidate(question.text, form, back) if self.filtered else tidied(back)
            reasons.append(self.fault(question.text, text))
            if not reasons[-1]:
                break
        else:
            yield Refusal(question.id, TEST, reasons[0])
            return
        changed = replace(question, id=f"{question.id}/bt", text=text)
        yield Variant(changed, Expect.SAME, TEST, "bt", {"by": repr(self.translator)})

    @property
    def _forms(self) -> Sequence[str]:
        """The ways of asking: an opening before a question makes translators choose other words."""
        return (_PLAIN, *_OPENINGS)[: self.attempts if self.filtered else 1]

    def fault(self, before: str, after: str) -> str:
        """Why a back-translation is refused; empty if it is accepted.

        >>> check = BackTranslation().fault
        >>> check("What color is the laptop?", "What is the color of the laptop?")
        ''
        >>> check("What is in the sky?", "What is in the heaven?")
        'a content word is lost'
        """
        if words_of(before) == words_of(after):
            return "unchanged"
        if not self.filtered:
            return "" if words_of(after) else "the translation is empty"
        old, new = self.tagger.tags([tidied(before), tidied(after)])
        return _form(old, new) or self._content(old, new) or verb_fault(old, new)

    def _content(self, old: Sequence[Token], new: Sequence[Token]) -> str:
        before, after = _content_words(old), _content_words(new)
        matched: list[int] = []
        for word in before:
            place = next((i for i, other in enumerate(after) if i not in matched and self._same(word, other)), None)
            if place is None:
                return "a content word is lost"
            matched.append(place)
        if len(matched) < len(after):
            return "a content word is new"
        if matched != sorted(matched) and not (_turned(matched) and _owned(old) != _owned(new)):
            return "the words are in another order"
        places = {one.place: after[at].place for one, at in zip(before, matched, strict=True)}
        return "" if keeps_articles(old, new, places) else "an article is lost or new"

    def _same(self, one: _Word, other: _Word) -> bool:
        """True for the same word, or a reviewed synonym, in the same number, tense or comparison."""
        if one.tag != other.tag:
            return False
        if one.base == other.base:
            return True
        if _alike().get(one.base, one.base) == _alike().get(other.base, other.base):
            return True
        pos = _POS.get(one.tag[0])
        return pos is not None and any(rule.target == other.base for rule in synonyms_of(one.base, pos))

    def _back(self, texts: Sequence[str]) -> list[str]:
        known = _remembered(repr(self.translator))
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            if len(known) + len(missing) > _REMEMBERED:
                known.clear()
                missing = list(dict.fromkeys(texts))
            known.update(zip(missing, self.translator.there_and_back(missing), strict=True))
        return [known[text] for text in texts]


def _asked(form: str, text: str) -> str:
    """A question asked in this way; after an opening it begins in lower case."""
    return text if form == _PLAIN else form.format(text[:1].lower() + text[1:])


def _candidate(before: str, form: str, back: str) -> str:
    """The question in a back-translation, without the opening before it."""
    if form != _PLAIN:
        back = back.partition(form[form.index("{") - 2])[2]
    return tidied(restored(before, back))


def restored(before: str, after: str) -> str:
    """A back-translation without contractions, and with words restored that the other language does not distinguish.

    Portuguese has one word for *his*, *her* and *your*, and *this* often comes back as *that*.

    >>> restored("What color is his shirt?", "What's the color of your shirt?")
    'What is the color of his shirt?'
    """
    text = _CONTRACTED.sub(r"\1 is", after)
    had, has = set(words_of(before)), set(words_of(text))
    for right, wrong in word_lists()["confused"]:
        if right in had and wrong not in had and right not in has and wrong in has:
            text = re.sub(rf"\b{wrong}\b", right, text)
    return text


def tidied(text: str) -> str:
    """A translation in the form of a question: one line, a capital letter first, no space before the question mark.

    >>> tidied(" what is this ?")
    'What is this?'
    """
    text = " ".join(text.split()).replace(" ?", "?")
    return text[:1].upper() + text[1:]


def _form(old: Sequence[Token], new: Sequence[Token]) -> str:
    """What is wrong with the form of the question."""
    words = [token.lower for token in new]
    if not words or words[-1] != "?":
        return "no longer a question"
    first, data = old[0].lower if old else "", word_lists()
    if first in data["opens"] and words[0] != first and not _both_ask_what_is_there(old, new):
        return "the yes/no question begins differently"
    if first in data["asks"] and words[0] not in data["asks"]:
        return "no longer an open question"
    if first not in data["opens"] and words[0] in data["opens"]:
        return "no longer an open question"
    if (_how_or_adjective_alone(new) and not _how_or_adjective_alone(old)) or _asks_subject(old) != _asks_subject(new):
        return "asks something else"
    if _loose_end(old) != _loose_end(new):
        return "the end is cut off"
    if _kept(old) != _kept(new):
        return "a function word is lost or new"
    if _stray(new) > _stray(old) or (_generic(old) and not _generic(new)):
        return "an article or possessive is out of place"
    if _partitives(old) != _partitives(new):
        return "a part becomes the whole"
    return "a verb has a wrong form" if _unsupported(new) and not _unsupported(old) else ""


def _both_ask_what_is_there(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """True for *Is there ...* and *Are there ...*: one of them corrects the number of the other."""
    starts = [(tokens[0].lower, tokens[1].lower) for tokens in (old, new) if len(tokens) > 1]
    return sorted(starts) == [("are", "there"), ("is", "there")]


def _how_or_adjective_alone(tokens: Sequence[Token]) -> bool:
    """True for *How are the slices on it?*, and for *What is the logo visible?*, in which an adjective is left over."""
    words = [token for token in tokens if token.tag != "."]
    if len(words) < 3 or words[1].lower not in ("is", "are"):
        return False
    if words[0].lower == "how":
        return True
    return words[0].lower == "what" and words[-1].tag == "JJ" and words[-2].is_noun


def _asks_subject(tokens: Sequence[Token]) -> bool:
    """True for *What has a black top?*, which asks the opposite of *What does a black top have?*"""
    verb = tokens[1] if len(tokens) > 1 and tokens[0].lower in ("what", "who", "which") else None
    return verb is not None and verb.tag in ("VBZ", "VBP", "VBD") and verb.lower not in _AUXILIARIES


def _generic(tokens: Sequence[Token]) -> bool:
    """True for a possessive after *a*: *a farmer's market* is not *the market of a farmer*."""
    places = [place for place, token in enumerate(tokens) if token.tag == "POS"]
    return any(token.lower in ("a", "an") for place in places for token in tokens[max(0, place - 2) : place])


def _partitives(tokens: Sequence[Token]) -> int:
    """How many parts are asked about: *any of the glasses*."""
    return sum(one.lower in _PARTS and other.lower == "of" for one, other in pairwise(tokens))


def _unsupported(tokens: Sequence[Token]) -> bool:
    """True when *do* has a participle and no verb after it: *What does the man holding?*"""
    tags = [token.tag for token in tokens]
    does = next((place for place, token in enumerate(tokens) if token.lower in ("do", "does", "did")), len(tags))
    return "VBG" in tags[does:] and not {"VB", "VBP"}.intersection(tags[does + 1 :])


def _stray(tokens: Sequence[Token]) -> int:
    """How many articles have no noun (*the next to*), and how many possessives are before a plural (*baby's dogs*)."""
    return sum(
        (one.lower in ("a", "an", "the") and (other.tag in ("IN", "TO", ".") or other.lower == "next"))
        or (one.tag == "POS" and other.tag == "NNS")
        for one, other in pairwise(tokens)
    )


def _loose_end(tokens: Sequence[Token]) -> str:
    """The last word if it needs another one after it: a preposition, *is*, *the*; otherwise empty."""
    words = [token for token in tokens if token.tag != "."]
    if not words or (words[-1].tag not in ("IN", "RP", "TO") and words[-1].lower not in word_lists()["light"]):
        return ""
    return words[-1].lower


def _owned(tokens: Sequence[Token]) -> int:
    """How many more possessives use *'s* than *of*."""
    return sum(token.tag == "POS" for token in tokens) - sum(token.lower == "of" for token in tokens)


def _kept(tokens: Sequence[Token]) -> Counter[int | str]:
    """The counts of each set of function words that matter, and of each other function word that is not ``light``."""
    numbers, light = kept_words(), word_lists()["light"]
    return Counter(
        numbers.get(token.lower, token.lower)
        for token in tokens
        if token.lower in numbers or (token.tag in _SMALL and token.lower not in light)
    )


def _content_words(tokens: Sequence[Token]) -> list[_Word]:
    """The content words, including numbers."""
    found = []
    for place, token in enumerate(tokens):
        if token.lower in word_lists()["light"] or token.lower in kept_words():
            continue
        if token.tag[:1] in "NVJR" and token.tag not in ("RP", "RBR"):
            tag = "VB" if token.tag in ("VBP", "VBZ") else token.tag
            found.append(_Word(base(token.text, token.tag), tag, place))
        elif token.tag == "CD":
            found.append(_Word(token.lower, "CD", place))
    return found


def _turned(places: Sequence[int]) -> bool:
    """True when only two neighbours swapped places: "the dog's eyes", "the eyes of the dog"."""
    return sum(place != at for at, place in enumerate(places)) == 2 and all(
        abs(place - at) <= 1 for at, place in enumerate(places)
    )


@lru_cache(maxsize=1)
def _alike() -> dict[str, str]:
    """The first word of its set for each word."""
    return {word: words[0] for words in word_lists()["alike"] for word in words}


@lru_cache(maxsize=2)
def _remembered(translator: str) -> dict[str, str]:
    return {}
