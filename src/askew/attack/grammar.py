"""Grammar errors that a rewording adds, found by a few rules of our own: ``grammar.rules``.

Published attacks count the errors reported by LanguageTool, which needs a Java server. These rules check *a* and *an*,
the agreement of noun and determiner and of verb and subject, and whether each word is in a dictionary. They find fewer
errors, so results call them ``grammar.rules``, not LanguageTool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from askew.attack.word_places import function_words, is_word
from askew.language.inflect import article, invariant, is_mass, is_plural, parts_of_speech
from askew.language.senses import WordCounts
from askew.language.tagger import Tagger, Token
from askew.language.wordnet import WordNet
from askew.perturb.same_grammar import disagreements

_ONE = frozenset(("a", "an", "this", "that", "each", "every", "another", "one"))
_MANY = frozenset(("these", "those", "many", "few", "several", "both", "two", "three", "four", "five", "six", "ten"))
_INNER = frozenset(("JJ", "JJR", "JJS", "VBN", "NN", "NNP"))
_ALPHABETS = ("n", "v", "a", "r")


@dataclass(frozen=True)
class GrammarRules:
    """Finds the grammar errors that a rewording adds to its original.

    >>> GrammarRules().added("Is it a car?", ["Is it a auto?", "Is it an auto?", "Is it a cars?", "Is it a ccar?"])
    [('a or an',), (), ('number',), ('unknown word',)]
    """

    vocabulary: WordCounts | None = field(default=None, repr=False)
    """The vocabulary of the data; all of its words count as known."""
    spelling: bool = True
    """False to allow unknown words: typing errors are unknown words, and their tags say nothing about number."""
    tagger: Tagger = field(default_factory=Tagger, repr=False)
    wordnet: WordNet = field(default_factory=WordNet, repr=False)

    def added(self, original: str, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """For each text, the names of the errors that the original does not have, in alphabetical order."""
        old, *new = self.tagger.tags([original, *texts])
        had = self._errors(old)
        return [tuple(sorted((self._errors(tokens) - had).elements())) for tokens in new]

    def _errors(self, tokens: Sequence[Token]) -> Counter[str]:
        found = Counter({"a or an": _articles(tokens)})
        if self.spelling:
            unknown = sum(is_word(token) and not self.knows(token.lower) for token in tokens)
            found += Counter({"number": _numbers(tokens), "verb": disagreements(tokens), "unknown word": unknown})
        return found

    def knows(self, word: str) -> bool:
        """True for words in WordNet, in lemminflect's dictionary or in the data.

        >>> [GrammarRules().knows(word) for word in ("dogs", "frisbee", "3", "dgo")]
        [True, True, True, False]
        """
        counts = self.vocabulary.counts if self.vocabulary is not None else None
        return (counts is not None and word in counts) or _is_word_form(self.wordnet, word)


@lru_cache(maxsize=1 << 16)
def _is_word_form(wordnet: WordNet, word: str) -> bool:
    if word in function_words() or not word.isalpha() or parts_of_speech(word):
        return True
    return any(wordnet.bases(word, pos) for pos in _ALPHABETS)  # type: ignore[arg-type]


def _articles(tokens: Sequence[Token]) -> int:
    """How often *a* precedes a vowel sound, or *an* a consonant."""
    return sum(
        token.lower in ("a", "an") and token.tag == "DT" and is_word(after) and article(after.text) != token.lower
        for token, after in pairwise(tokens)
    )


def _numbers(tokens: Sequence[Token]) -> int:
    """How many determiners do not agree with their noun in number: *a dogs*, *these dog*."""
    return sum(_disagrees(tokens, place) for place, token in enumerate(tokens) if token.lower in _ONE | _MANY)


def _disagrees(tokens: Sequence[Token], place: int) -> bool:
    end = place + 1
    while end < len(tokens) and tokens[end].tag in _INNER and tokens[end].tag not in ("NN", "NNP"):
        end += 1
    while end + 1 < len(tokens) and tokens[end].is_noun and tokens[end + 1].is_noun:
        end += 1
    if end >= len(tokens) or not tokens[end].is_noun:
        return False
    head = tokens[end].lower
    if tokens[place].lower in _ONE:
        single = tokens[place].lower in ("a", "an")
        return (is_plural(head) and head not in invariant() and tokens[end].tag == "NNS") or (
            single and is_mass(head) and tokens[end].tag != "NNS" and not tokens[place + 1 : end]
        )
    return tokens[end].tag == "NN" and not is_plural(head) and tokens[place].lower != "few"
