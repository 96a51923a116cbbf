"""Strict validity: whether a rewording that fools a model still asks the same question, as far as rules can tell.

An attack that destroys the question also succeeds, so success is reported with and without these checks. They are
stricter than the constraints of most recipes: the similarity of the whole question, words that must stay, the meaning
of each new word in the sense that the old one has in this question, and grammar.

Grammar errors that a rewording adds are found by a few rules of our own, ``grammar.rules``. Published attacks count the
errors reported by LanguageTool, which needs a Java server. These rules check *a* and *an*, the agreement of noun and
determiner and of verb and subject, and whether each word is in a dictionary. They find fewer errors, so results call
them ``grammar.rules``, not LanguageTool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from askew.attack.rewrite_rules import reviewed_rules
from askew.attack.similarity import SentenceSimilarity, edit_distance, opposite, same_meaning
from askew.attack.word_places import answer_words, function_words, is_word, option_words, word_lists
from askew.language.inflect import article, base, is_mass, is_plural, nouns, number_of, parts_of_speech
from askew.language.paraphrases import in_phrase
from askew.language.senses import words_of
from askew.language.tagger import Tagger, Token
from askew.language.wordnet import PARTS_OF_SPEECH, WordNet
from askew.perturb.lexical.synonymous import in_compound
from askew.perturb.same_grammar import disagreements, kept_words
from askew.types import Candidate, Question
from askew.verbs import Encoder

LEAST_SIMILARITY = 0.84
"""The angular similarity that a strictly valid rewording needs."""
_ALIKE = ({"VB", "VBP"}, {"VBD", "VBN"}, {"NN", "NNP"}, {"NNS", "NNPS"})
"""Tags that share the same word forms."""


class Validity(NamedTuple):
    """The result of the strict checks for one rewording."""

    faults: tuple[str, ...]
    """The names of the faults, each once; empty for a valid rewording."""
    similarity: float
    grammar: tuple[str, ...]
    """The grammar errors that were added, by the rules of ``grammar.rules``."""

    @property
    def valid(self) -> bool:
        """Whether the checks found no fault."""
        return not self.faults


class _Lost(NamedTuple):
    """A word that only one of the two texts has."""

    token: Token
    number: int
    lemma: str


@dataclass(frozen=True)
class StrictChecks:
    """Checks rewordings against their originals, in batches."""

    least: float = LEAST_SIMILARITY
    encoder: str | Encoder = "use"
    spelling: bool = True
    """False if the attack makes typing errors: a misspelled word then counts as the word it comes from."""

    def check(self, pairs: Sequence[tuple[Question, Candidate]]) -> list[Validity]:
        """The faults of each rewording."""
        self.read([text for question, candidate in pairs for text in (question.text, candidate.text)])
        return [self._check(question, candidate) for question, candidate in pairs]

    def read(self, texts: Sequence[str]) -> None:
        """Tag and encode these texts in one batch."""
        Tagger().tags(texts)
        self._similarity.read(texts)

    def _check(self, question: Question, candidate: Candidate) -> Validity:
        similarity = self._similarity.between(question.text, candidate.text)
        faults, grammar = self.words(question, candidate)
        return Validity(("similarity", *faults) if similarity < self.least else faults, similarity, grammar)

    def words(self, question: Question, candidate: Candidate) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The faults in the words of a rewording, and its grammar errors; nothing is encoded."""
        old, new = Tagger().tags([question.text, candidate.text])
        grammar = self._grammar.added(question.text, [candidate.text])[0]
        faults = (*self._word_faults(question, candidate, old, new), *(f"grammar: {name}" for name in grammar))
        return tuple(dict.fromkeys(faults)), grammar

    def _word_faults(
        self, question: Question, candidate: Candidate, old: Sequence[Token], new: Sequence[Token]
    ) -> Iterable[str]:
        ids = {rule.id for rule in reviewed_rules()}
        checked = (change for change in candidate.changes if change.rule in ids)  # by a person, so they are exempt
        exempt = frozenset(word for change in checked for word in words_of(f"{change.old} {change.new}"))
        lost, gained = _difference(old, new, exempt), _difference(new, old, exempt)
        if not self.spelling:
            lost, gained = self._misspelled(lost, gained)
        elif _small(old, exempt) != _small(new, exempt):
            yield "a small word that matters"
        if _numbers(old) != _numbers(new):
            yield "number"
        answers = answer_words(question.answers)
        if any(word.lemma in answers or word.token.lower in answers for word in (*lost, *gained)):
            yield "answer"
        options = {old[number].lower for number in option_words(old)}
        if any(word.token.lower in options for word in lost):
            yield "option"
        yield from self._meaning(question, old, _content(lost), _content(gained))

    def _meaning(
        self, question: Question, old: Sequence[Token], lost: list[_Lost], gained: list[_Lost]
    ) -> Iterable[str]:
        """Faults where a new content word means the same as none of the removed ones."""
        around, unmatched = words_of(question.text), 0
        for word in gained:
            if any(opposite(other.token.text, word.token.text, other.token.tag) for other in lost):
                yield "opposite"
            match = next((other for other in lost if _means_same(other, word, old, around)), None)
            if match is None:
                yield "meaning"
                unmatched += 1
                continue
            lost = [other for other in lost if other is not match]
            if in_phrase(old, match.number) or in_compound(old, match.number):
                yield "a fixed phrase"
        if len(lost) > unmatched:
            yield "a word is lost"

    def _misspelled(self, lost: list[_Lost], gained: list[_Lost]) -> tuple[list[_Lost], list[_Lost]]:
        """Both lists without the words that are misspellings of each other."""
        left = []
        for word in gained:
            match = next((o for o in lost if _is_typo(o.token.lower, word.token.lower)), None)
            if match is None or self._grammar.knows(word.token.lower):
                left.append(word)
            else:
                lost = [other for other in lost if other is not match]
        return lost, left

    @cached_property
    def _similarity(self) -> SentenceSimilarity:
        return SentenceSimilarity(self.encoder)

    @cached_property
    def _grammar(self) -> GrammarRules:
        return GrammarRules(self.spelling)


def _means_same(lost: _Lost, gained: _Lost, old: Sequence[Token], around: tuple[str, ...]) -> bool:
    """Whether two words have the same form (part of speech, number, tense, comparison) and the same meaning."""
    tag = lost.token.tag
    if tag != gained.token.tag and {tag, gained.token.tag} not in _ALIKE:
        return False
    after = old[lost.number + 1] if lost.number + 1 < len(old) else Token("?", ".", 0)
    return same_meaning(lost.lemma, gained.lemma, tag, around, (after.lower, after.tag))


def _is_typo(word: str, typed: str) -> bool:
    return word[:1] == typed[:1] and word[-1:] == typed[-1:] and edit_distance(word, typed) <= 2


def _difference(one: Sequence[Token], other: Sequence[Token], exempt: frozenset[str]) -> list[_Lost]:
    """The words that occur more often in one text than in the other."""
    left = Counter(token.lower for token in other)
    found = []
    for number, token in enumerate(one):
        if left[token.lower] > 0:
            left[token.lower] -= 1
        elif is_word(token) and token.lower not in exempt:
            found.append(_Lost(token, number, base(token.text, token.tag)))
    return found


def _content(words: Sequence[_Lost]) -> list[_Lost]:
    """The words that are neither function words nor words of little meaning."""
    light = word_lists()["light"]
    return [
        word
        for word in words
        if word.token.tag != "CD"
        and word.token.lower not in function_words()
        and word.lemma not in light
        and word.token.lower not in light
    ]


def _small(tokens: Sequence[Token], exempt: frozenset[str]) -> Counter[int]:
    """How often each function word that carries meaning occurs: prepositions, negations, question words, pronouns."""
    sets = _small_words()
    return Counter(sets[token.lower] for token in tokens if token.lower in sets and token.lower not in exempt)


@lru_cache(maxsize=1)
def _small_words() -> dict[str, int]:
    """Each such word with the number of its set; words of one set may replace each other."""
    found = kept_words()
    more = sorted((word_lists()["negation"] | word_lists()["prepositions"]) - found.keys() - {"of", "to", "as", "like"})
    return found | {word: len(found) + number for number, word in enumerate(more)}


def _numbers(tokens: Sequence[Token]) -> Counter[str]:
    found = ((token, _number(token.lower)) for token in tokens)
    return Counter(value or token.lower for token, value in found if token.tag == "CD" or value)


@lru_cache(maxsize=1 << 14)
def _number(word: str) -> str:
    """The number that a word stands for, in digits; empty for other words."""
    value = None if word in word_lists()["negation"] else number_of(word)
    return "" if value is None else str(value)


_ONE = frozenset(("a", "an", "this", "that", "each", "every", "another", "one"))
_MANY = frozenset(("these", "those", "many", "few", "several", "both", "two", "three", "four", "five", "six", "ten"))
_MODIFIERS = frozenset(("JJ", "JJR", "JJS", "VBN"))


@dataclass(frozen=True)
class GrammarRules:
    """Finds the grammar errors that a rewording adds to its original.

    >>> GrammarRules().added("Is it a car?", ["Is it a auto?", "Is it an auto?", "Is it a cars?", "Is it a ccar?"])
    [('a or an',), (), ('number',), ('unknown word',)]
    """

    spelling: bool = True
    """False to allow unknown words: typing errors are unknown words, and their tags say nothing about number."""

    def added(self, original: str, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """For each text, the names of the errors that the original does not have, in alphabetical order."""
        old, *new = Tagger().tags([original, *texts])
        had = self._errors(old)
        return [tuple(sorted((self._errors(tokens) - had).elements())) for tokens in new]

    def _errors(self, tokens: Sequence[Token]) -> Counter[str]:
        articles = sum(
            token.lower in ("a", "an") and token.tag == "DT" and is_word(after) and article(after.text) != token.lower
            for token, after in pairwise(tokens)
        )
        found = Counter({"a or an": articles})
        if self.spelling:
            unknown = sum(is_word(token) and not self.knows(token.lower) for token in tokens)
            number = sum(_disagrees(tokens, place) for place, token in enumerate(tokens) if token.lower in _ONE | _MANY)
            found += Counter({"number": number, "verb": disagreements(tokens), "unknown word": unknown})
        return found

    def knows(self, word: str) -> bool:
        """True for function words, and for words in WordNet or in lemminflect's dictionary.

        >>> [GrammarRules().knows(word) for word in ("dogs", "frisbee", "3", "dgo")]
        [True, True, True, False]
        """
        return _is_word_form(word)


@lru_cache(maxsize=1 << 16)
def _is_word_form(word: str) -> bool:
    if word in function_words() or not word.isalpha() or parts_of_speech(word):
        return True
    return any(WordNet().bases(word, pos) for pos in PARTS_OF_SPEECH)


def _disagrees(tokens: Sequence[Token], place: int) -> bool:
    """Whether this determiner does not agree with its noun in number: *a dogs*, *these dog*."""
    end = place + 1
    while end < len(tokens) and tokens[end].tag in _MODIFIERS:
        end += 1
    while end + 1 < len(tokens) and tokens[end].is_noun and tokens[end + 1].is_noun:
        end += 1
    if end >= len(tokens) or not tokens[end].is_noun:
        return False
    head = tokens[end].lower
    if tokens[place].lower in _ONE:
        single = tokens[place].lower in ("a", "an")
        return (is_plural(head) and head not in nouns("invariant") and tokens[end].tag == "NNS") or (
            single and is_mass(head) and tokens[end].tag != "NNS" and not tokens[place + 1 : end]
        )
    return tokens[end].tag == "NN" and not is_plural(head) and tokens[place].lower != "few"
