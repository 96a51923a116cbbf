"""The three perturbations of VQA P2 together: fit to the data's vocabulary, then vary questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from askew.errors import BadOption
from askew.language.fixed_phrases import FixedPhrases
from askew.language.paraphrases import Paraphrases, reviewed
from askew.language.ppdb import Ppdb, read_ppdb
from askew.language.senses import Senses, WordCounts, words_of
from askew.language.tagger import Tagger, Token
from askew.language.thesaurus import Antonyms, Synonyms
from askew.language.wordnet import WordNet
from askew.perturb.lexical.antonymous import Antonymous, Proposal
from askew.perturb.lexical.substitutions import Edit, drawn, edited
from askew.perturb.lexical.synonymous import Synonymous
from askew.types import Expect, Question, Refusal, Variant

TYPES = {"synonymous": "syn", "paraphrastic": "para", "antonymous": "ant"}
"""The perturbations and their names in the release."""

_SLOT = re.compile(r"\[[^\]]+\]")
_OPPOSITE = {"yes": "no", "no": "yes"}
_REMEMBERED = 50_000
"""How many texts are cached."""


class _Proposed(NamedTuple):
    """The substitutions of one type that rules propose for a text, and the reasons against others."""

    edits: tuple[Edit, ...] = ()
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Edit | str]) -> _Proposed:
        edits: list[Edit] = []
        reasons: list[str] = []
        for item in found:
            if isinstance(item, str):
                reasons.append(item)
            else:
                edits.append(item)
        return cls(tuple(edits), tuple(reasons)) if edits or reasons else _NOTHING


_NOTHING = _Proposed()


class _Found(NamedTuple):
    """What the rules of all types propose for one text."""

    synonyms: _Proposed = _NOTHING
    paraphrases: _Proposed = _NOTHING
    opposite: Proposal | str | None = None

    @property
    def leaves_choice(self) -> bool:
        """True when there is more than one substitution of a type."""
        return len(self.synonyms.edits) > 1 or len(self.paraphrases.edits) > 1


@dataclass(frozen=True)
class P2Perturbation:
    """Replaces words of a question by synonyms, paraphrases or antonyms (Whitehead et al. 2020).

    Synonymous and paraphrastic variants keep the answers. In an antonymous one each person's yes becomes no and no
    becomes yes; other answers drop out. Where there is something between the two (hot and cold), a "no" does not say
    that the opposite is true: with ``contraries="sure"`` such questions are changed only when most people said yes.
    """

    types: tuple[str, ...] = field(default=tuple(TYPES), repr=False)
    """Which perturbations; not part of the ``repr``, so that each gives the same alone and with the others."""
    substitutions: int = 2
    """The maximum number of substitutions of one type in a question."""
    confidence: float = 0.9
    """The lowest confidence of a synonymous rule; below 0.9 also synonyms that only WordNet lists."""
    contraries: str = "sure"
    """``sure`` or, as in the paper, ``all``."""
    vocabulary: WordCounts = field(default_factory=WordCounts, repr=False, hash=False)
    ppdb: Ppdb | None = field(default=None, repr=False, hash=False)
    tagger: Tagger = field(default_factory=Tagger, repr=False)
    wordnet: WordNet = field(default_factory=WordNet, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.types, str):
            raise BadOption(f"p2: types is {self.types!r}. Give a tuple, such as ({self.types!r},).")
        for name in self.types:
            if name not in TYPES:
                raise BadOption(f"p2: there is no perturbation {name!r}. Perturbations are {', '.join(TYPES)}.")
        if not self.types:
            raise BadOption(f"p2: no perturbation is given. Perturbations are {', '.join(TYPES)}.")
        if self.substitutions < 1:
            raise BadOption(f"p2: substitutions is {self.substitutions}; at least 1 is needed.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadOption(f"p2: confidence is {self.confidence}. Give a share between 0 and 1.")
        if self.contraries not in ("sure", "all"):
            raise BadOption(f"p2: contraries is {self.contraries!r}. Give sure or all.")

    @cached_property
    def synonymous(self) -> Synonymous:
        """Proposes synonyms."""
        own = self.wordnet
        return Synonymous(
            Synonyms(own, self.confidence), Senses(own), FixedPhrases(own), vocabulary=self.vocabulary, ppdb=self.ppdb
        )

    @cached_property
    def paraphrastic(self) -> Paraphrastic:
        """Proposes paraphrases."""
        mined = self.ppdb.paraphrases if self.ppdb else ()
        return Paraphrastic(
            Paraphrases((*reviewed(), *mined) if mined else ()), self.vocabulary, FixedPhrases(self.wordnet)
        )

    @cached_property
    def antonymous(self) -> Antonymous:
        """What proposes opposites."""
        own = self.wordnet
        return Antonymous(Antonyms(own), Senses(own), FixedPhrases(own), vocabulary=self.vocabulary)

    def prepare(self, questions: Sequence[Question]) -> None:
        """Read the questions all at once: tag those that a rule could match, and see what rules propose."""
        self._read([question.text for question in questions])

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """At most one variant of each type; a refusal when rules of a type matched and none could be used."""
        if question.text not in self._known:
            self._read([question.text])
        found = self._known[question.text]
        if found is None:
            return
        chance = rng.random() if found.leaves_choice else 0.0
        for name in self.types:
            if name == "antonymous":
                made = self._opposite(question, found.opposite)
            elif name == "synonymous":
                made = self._same(question, TYPES[name], _unanswered(found.synonyms, question), chance)
            else:
                made = self._same(question, TYPES[name], found.paraphrases, chance)
            if made is not None:
                yield made

    def _read(self, texts: Sequence[str]) -> None:
        """Find and cache what the rules propose for texts: many questions are asked about many images."""
        known = self._known
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if len(known) + len(new) > _REMEMBERED:
            known.clear()
            new = list(dict.fromkeys(texts))
        known.update(dict.fromkeys(new))
        possible = {text: types for text in new if (types := self._possible(text))}
        for text, tokens in self.tagger.read(list(possible)):
            known[text] = self._propose(text, tokens, possible[text])

    def _propose(self, text: str, tokens: Sequence[Token], types: Sequence[str]) -> _Found:
        return _Found(
            _Proposed.of(self.synonymous.propose(text, tokens)) if "synonymous" in types else _NOTHING,
            _Proposed.of(self.paraphrastic.propose(text, tokens)) if "paraphrastic" in types else _NOTHING,
            self.antonymous.propose(text, tokens) if "antonymous" in types else None,
        )

    @cached_property
    def _known(self) -> dict[str, _Found | None]:
        """The proposals for each text; None if no rule can match."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _same(self, question: Question, test: str, proposed: _Proposed, chance: float) -> Variant | Refusal | None:
        edits: Sequence[Edit] = proposed.edits
        if not edits:
            reasons = proposed.reasons
            return Refusal(question.id, test, max(reasons, key=reasons.count)) if reasons else None
        if len(edits) > 1:
            # A new seed, so that a type gives the same result whichever other types are used.
            edits = drawn(edits, self.substitutions, Random(f"{chance}:{test}"))
        return _variant(question, test, Expect.SAME, edits)

    def _opposite(self, question: Question, found: Proposal | str | None) -> Variant | Refusal | None:
        if found is None:
            return None
        test = TYPES["antonymous"]
        if isinstance(found, str):
            return Refusal(question.id, test, found)
        edit, rule, asked = found
        yes, no = (sum(_plain(answer) == word for answer in question.answers) for word in ("yes", "no"))
        people = len(question.answers)
        if 2 * (yes + no) <= people:
            return Refusal(question.id, test, "most answers are neither yes nor no") if people else None
        if asked.attributive and yes <= no:
            return Refusal(question.id, test, "a no may refer to the noun")
        if self.contraries == "sure" and not rule.complementary and 2 * yes <= people:
            return Refusal(question.id, test, "a no does not imply the opposite")
        return _variant(_flipped(question), test, Expect.DIFFERENT, [edit])

    def _possible(self, text: str) -> list[str]:
        """The types of which some rule could match: a cheap test before tagging."""
        words = frozenset(words_of(text))
        return [name for name in self.types if self._could(name, text, words)]

    def _could(self, name: str, text: str, words: frozenset[str]) -> bool:
        if name == "antonymous":
            return self.antonymous.could(text)
        return self.synonymous.could(words) if name == "synonymous" else self.paraphrastic.paraphrases.could(words)


@dataclass(frozen=True)
class Paraphrastic:
    """Proposes paraphrases for parts of a question.

    >>> from askew.language.tagger import Tagger
    >>> question = "What kind of dog is next to the bed?"
    >>> [edit.text for edit in Paraphrastic().propose(question, Tagger().tags([question])[0]) if isinstance(edit, Edit)]
    ['What type of dog', 'beside the bed']
    """

    paraphrases: Paraphrases = field(default_factory=Paraphrases)
    vocabulary: WordCounts = field(default_factory=WordCounts, repr=False)
    phrases: FixedPhrases = field(default_factory=FixedPhrases, repr=False)
    """Fixed phrases that mined rules must not break; reviewed rules were written to respect them."""

    def propose(self, text: str, tokens: Sequence[Token]) -> Iterator[Edit | str]:
        """Each possible substitution, or the reason why a matching rule does not apply."""
        for found in self.paraphrases.find(text, tokens):
            if not self.vocabulary.holds(_SLOT.sub(" ", found.rule.target)):
                yield "the paraphrase is not in the data's vocabulary"
                continue
            if found.rule.origin != "reviewed" and self.phrases.overlap(tokens, found.first, found.last):
                yield "inside a fixed phrase"
                continue
            start, end = tokens[found.first].start, tokens[found.last].end
            note = {"confidence": found.rule.confidence, "origin": found.rule.origin}
            yield Edit(start, end, found.text, found.rule.id, note)


def fit(
    questions: Iterable[Question],
    types: tuple[str, ...] = tuple(TYPES),
    substitutions: int = 2,
    confidence: float = 0.9,
    contraries: str = "sure",
    least: int = 1,
    ppdb: Sequence[str] | Ppdb = (),
    score: float = 3.5,
) -> P2Perturbation:
    """The perturbation with the vocabulary of this data: words with a count of at least ``least`` (0: every word)."""
    vocabulary = WordCounts.of((question.text for question in questions), least) if least > 0 else WordCounts()
    mined = ppdb if isinstance(ppdb, Ppdb) else read_ppdb(ppdb, score) if ppdb else None
    return P2Perturbation(types, substitutions, confidence, contraries, vocabulary, mined)


def _unanswered(proposed: _Proposed, question: Question) -> _Proposed:
    """The proposals that leave words alone that are also answers."""
    if not proposed.edits:
        return proposed
    answered = {word for answer in set(question.answers) for word in words_of(answer)}
    kept = tuple(edit for edit in proposed.edits if question.text[edit.start : edit.end].lower() not in answered)
    gone = len(proposed.edits) - len(kept)
    return _Proposed(kept, (*proposed.reasons, *("the word is also an answer",) * gone)) if gone else proposed


def _plain(answer: str) -> str:
    return answer.strip().lower().rstrip(".")


def _flipped(question: Question) -> Question:
    """The question with yes and no exchanged; other answers and their confidences are dropped."""
    sure = question.confidences or ("",) * len(question.answers)
    kept = [
        (_OPPOSITE[_plain(a)], how) for a, how in zip(question.answers, sure, strict=True) if _plain(a) in _OPPOSITE
    ]
    confidences = tuple(how for _, how in kept) if question.confidences else ()
    return replace(question, answers=tuple(answer for answer, _ in kept), confidences=confidences)


def _variant(question: Question, test: str, expect: Expect, edits: Sequence[Edit]) -> Variant:
    text = edited(question.text, edits)
    changed = replace(question, id=f"{question.id}/{test}", text=text)
    note = {
        "from": " + ".join(question.text[edit.start : edit.end] for edit in edits),
        "to": " + ".join(edit.text for edit in edits),
        **edits[0].note,
    }
    return Variant(changed, expect, test, "+".join(f"{test}/{edit.rule}" for edit in edits), note)
