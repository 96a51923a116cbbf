"""The words of a question as places of an attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askew.attack.function_words import function_words
from askew.language.fixed_phrases import FixedPhrases
from askew.language.senses import words_of
from askew.language.tagger import Token
from askew.language.thesaurus import POS_OF_TAG
from askew.perturb.lexical.substitutions import trigger_words
from askew.perturb.lexical.synonymous import in_compound
from askew.types import Place, Swap

_COARSE = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV", "I": "ADP", "D": "DET", "W": "PRON", "M": "VERB"}
_EXACT = {"RP": "PRT", "WRB": "ADV", "WDT": "DET", "CD": "NUM", "CC": "CONJ", "PRP": "PRON", "PRP$": "PRON",
          "TO": "PRT", "EX": "PRON", "PDT": "DET", "POS": "PRT", "WP$": "PRON"}  # fmt: skip


def coarse(tag: str) -> str:
    """The universal part of speech of a Penn Treebank tag; auxiliaries are verbs and names nouns.

    >>> [coarse(tag) for tag in ("NNP", "VBZ", "MD", "WRB", "WP", "CD", ".")]
    ['NOUN', 'VERB', 'VERB', 'ADV', 'PRON', 'NUM', 'PUNCT']
    """
    return _EXACT.get(tag) or _COARSE.get(tag[:1], "PUNCT")


def is_word(token: Token) -> bool:
    """True for a word or a number; False for punctuation and for what an apostrophe joins to a word."""
    return token.text[0].isalnum() and token.lower != "n't"


def word_places(tokens: Sequence[Token], swaps: Mapping[int, Sequence[Swap]]) -> tuple[Place, ...]:
    """Every word of a question, with the swaps given for its number among the tokens."""
    return tuple(
        Place(token.start, token.end, token.text, token.tag, tuple(swaps.get(number, ())))
        for number, token in enumerate(tokens)
        if is_word(token)
    )


def free_words(text: str, tokens: Sequence[Token], phrases: FixedPhrases) -> list[int]:
    """The numbers of the content words that stand on their own: no name, no part of a fixed phrase or a compound.

    None in a question that means a word as a word: "How do you spell couch?"

    >>> from askew.language.tagger import Tagger
    >>> question = "Is the hot dog stand near the old tree?"
    >>> tokens = Tagger().tags([question])[0]
    >>> [tokens[number].text for number in free_words(question, tokens, FixedPhrases())]
    ['old', 'tree']
    """
    around = words_of(text)
    if '"' in text or not trigger_words()["mentions"].isdisjoint(around):
        return []
    return [
        number
        for number, token in enumerate(tokens)
        if token.tag in POS_OF_TAG
        and is_word(token)
        and token.lower not in function_words()
        and not (token.start > 0 and token.text[0].isupper())
        and around.count(token.lower) == 1
        and not in_compound(tokens, number)
        and not phrases.hold(tokens, number)
    ]
