"""Constraints on rewordings: which of them still ask the same question.

Each checks the changes of a candidate or its text. Texts are tagged and encoded in batches and cached, so each distinct
text is tagged once and encoded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import pi

from askew.attack.similarity import SentenceSimilarity, angular, edit_distance, opposite
from askew.attack.validity import GrammarRules, StrictChecks
from askew.attack.word_places import answer_words, coarse, function_words, protected
from askew.errors import BadOption
from askew.language.inflect import base, number_of
from askew.language.senses import words_of
from askew.language.tagger import Tagger, Token
from askew.types import Candidate, Change, Question
from askew.verbs import Constraint, Encoder

_WINDOW = 15
"""TextFooler's code compares this many words around a swap, and skips the comparison for shorter texts."""


@dataclass(frozen=True)
class ContentWords(Constraint):
    """Function words must stay: articles, pronouns, prepositions, auxiliaries, question words."""

    by_word = True

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate leaves function words unchanged."""
        stop = function_words()
        return [not any(change.old.lower() in stop for change in candidate.changes) for candidate in candidates]


@dataclass(frozen=True)
class ProtectedWords(Constraint):
    """Words that the answer depends on must stay: those of the answers, numbers, negations, sides, options."""

    by_word = True

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate leaves these words unchanged."""
        tokens = Tagger().tags([original.text])[0]
        held = protected(tokens, answer_words(original.answers))
        spans = [(tokens[number].start, tokens[number].end) for number in held]
        return [
            not any(
                start < change.start + len(change.old) and change.start < end
                for change in candidate.changes
                for start, end in spans
            )
            for candidate in candidates
        ]

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Tag these texts in one batch, before ``keep`` needs them."""
        Tagger().tags(texts)


@dataclass(frozen=True)
class HarmlessWords(Constraint):
    """A new word must not be an opposite of the old one, a number, a negation, an answer, or a word of the question."""

    by_word = True

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate only has new words that meet these conditions."""
        taken = frozenset(words_of(original.text)) | answer_words(original.answers)
        return [all(_harmless(change, taken) for change in candidate.changes) for candidate in candidates]


def _harmless(change: Change, taken: frozenset[str]) -> bool:
    new = change.new.lower()
    forms = {new, base(new, change.tag)} if new else set()
    if not new or not forms.isdisjoint(taken) or not forms.isdisjoint(function_words()):
        return False
    return number_of(new) is None and not opposite(change.old, new, change.tag)


@dataclass(frozen=True)
class SamePartOfSpeech(Constraint):
    """In its context, the new word must have the same part of speech as the old one (TextFooler).

    With ``window``, as in TextFooler's code, only this many words on either side are tagged in texts of more than ten
    words, and nouns and verbs may replace each other.
    """

    window: int = 0

    def __post_init__(self) -> None:
        if self.window < 0:
            raise BadOption(f"window is {self.window}; it must be at least 0.")

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate has the original's parts of speech at the changed words."""
        texts = [self._around(candidate) for candidate in candidates]
        old, *tagged = Tagger().tags([original.text, *texts])
        tags = {token.start: token.tag for token in old}
        return [
            all(self._same(change.tag or tags.get(change.start, ""), found) for change, found in matched)
            for matched in map(_tags_of_changes, tagged, candidates)
        ]

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Tag these texts in one batch, before ``keep`` needs them."""
        Tagger().tags(texts)

    def _same(self, old: str, new: str) -> bool:
        one, other = coarse(old), coarse(new)
        return one == other or (self.window > 0 and {one, other} == {"NOUN", "VERB"})

    def _around(self, candidate: Candidate) -> str:
        words = candidate.text.split()
        if not self.window or len(words) <= 10 or len(candidate.changes) != 1:
            return candidate.text
        place = next((i for i, word in enumerate(words) if candidate.changes[0].new in word), 0)
        return " ".join(words[max(0, place - self.window) : place + self.window + 1])


def _tags_of_changes(tokens: Sequence[Token], candidate: Candidate) -> list[tuple[Change, str]]:
    """Each change with the tag of its last new word; changes are located from left to right."""
    found, place = [], 0
    for change in candidate.changes:
        words = change.new.split() or [""]
        last = words[-1]
        match = next((n for n in range(place, len(tokens)) if tokens[n].text == last and _near(tokens, n, words)), None)
        if match is None:  # the tokenizer splits "t-shirt" and "can't"
            match = next((n for n in range(place, len(tokens)) if last.endswith(tokens[n].text)), len(tokens) - 1)
        found.append((change, tokens[match].tag if tokens else ""))
        place = match + 1
    return found


def _near(tokens: Sequence[Token], last: int, words: Sequence[str]) -> bool:
    return [token.text for token in tokens[max(0, last - len(words) + 1) : last + 1]] == list(words)


@dataclass(frozen=True)
class SimilarQuestion(Constraint):
    """The whole question must stay similar to the original, by a sentence encoder (angular similarity)."""

    least: float = 0.84
    """*dog → hound* has 0.85, *dog → cat* 0.81. Negation also passes, which is why there are other constraints."""
    encoder: str | Encoder = "use"

    def __post_init__(self) -> None:
        if not 0.0 <= self.least <= 1.0:
            raise BadOption(f"similarity is {self.least}. Give a number between 0 and 1.")

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate is similar enough."""
        return [found >= self.least for found in self.similarity(original, candidates)]

    def similarity(self, original: Question, candidates: Sequence[Candidate]) -> list[float]:
        """The similarity of each candidate to the original, from 0 to 1."""
        return self._similarity.of(original.text, [candidate.text for candidate in candidates])

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Encode these texts in one batch, before ``keep`` needs them."""
        self._similarity.read(texts)

    @cached_property
    def _similarity(self) -> SentenceSimilarity:
        return SentenceSimilarity(self.encoder)


@dataclass(frozen=True)
class SimilarWindow(Constraint):
    """TextFooler's similarity as in its code: a window of 15 words, compared with the text before this swap.

    The score is 1 − arccos(cos) without the division by π, and texts of fewer than 15 words always pass, which is 99.7
    % of VQA v2's questions. *Sic*; ``faithful=true`` relies on it.
    """

    least: float = 0.5
    encoder: str | Encoder = "use"

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate passes."""
        return [self._passes(candidate) for candidate in candidates]

    def similarity(self, original: Question, candidates: Sequence[Candidate]) -> list[float]:
        """The angular similarity of each candidate's whole text to the original."""
        return self._similarity.of(original.text, [candidate.text for candidate in candidates])

    @cached_property
    def _similarity(self) -> SentenceSimilarity:
        return SentenceSimilarity(self.encoder)

    def _passes(self, candidate: Candidate) -> bool:
        old, new = candidate.base.split(), candidate.text.split()
        if len(old) < _WINDOW or not candidate.changes:
            return True
        place = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
        start = max(0, min(place - (_WINDOW - 1) // 2, len(old) - _WINDOW))
        pair = (" ".join(old[start : start + _WINDOW]), " ".join(new[start : start + _WINDOW]))
        # 1 − arccos(cos) = 1 − π · (1 − angular), which is below the angular similarity.
        angle = 1.0 - angular(self._similarity.cosines([pair])[0])
        return 1.0 - pi * angle >= self.least


@dataclass(frozen=True)
class Grammatical(Constraint):
    """No grammar errors may be added, according to ``GrammarRules``."""

    spelling: bool = True
    """False to allow unknown words."""

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate adds no error."""
        rules = GrammarRules(self.spelling)
        return [not added for added in rules.added(original.text, [candidate.text for candidate in candidates])]

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Tag these texts in one batch, before ``keep`` needs them."""
        Tagger().tags(texts)


@dataclass(frozen=True)
class FewChanges(Constraint):
    """At most this share of the words may be changed (BERT-Attack: 40 %)."""

    share: float = 0.4

    def __post_init__(self) -> None:
        if not 0.0 < self.share <= 1.0:
            raise BadOption(f"share is {self.share}. Give a number above 0 and up to 1.")

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate changes few enough words; one change is always allowed."""
        words = len(words_of(original.text))
        return [len(candidate.changes) <= max(1, self.share * words) for candidate in candidates]


@dataclass(frozen=True)
class FewLetters(Constraint):
    """At most this many letters may be inserted, deleted or replaced in total (Levenshtein distance)."""

    most: int = 2

    def __post_init__(self) -> None:
        if self.most < 1:
            raise BadOption(f"most is {self.most}; it must be at least 1.")

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate changes few enough letters."""
        return [
            sum(edit_distance(change.old, change.new) for change in candidate.changes) <= self.most
            for candidate in candidates
        ]


@dataclass(frozen=True)
class StrictlyValid(Constraint):
    """The model is only queried with rewordings that pass every strict check."""

    checks: StrictChecks = field(default_factory=StrictChecks)

    def keep(self, original: Question, candidates: Sequence[Candidate]) -> list[bool]:
        """Whether each candidate is strictly valid."""
        return [found.valid for found in self.checks.check([(original, candidate) for candidate in candidates])]

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Tag these texts; later only those whose words pass the checks are encoded."""
        Tagger().tags(texts)
