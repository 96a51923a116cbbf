"""Which words of a question an attack must leave alone so that its answer stays, and why.

Words of people's answers, numbers, negations, names of sides and orders, colors where the color is asked for, and the
options of a choice: "What animal is it, a dog or a cat?" must not lose one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from askew.attack.function_words import word_lists
from askew.attack.word_places import is_word
from askew.language.inflect import base, number_of, singular
from askew.language.senses import words_of
from askew.language.tagger import Token

_PHRASE = ("NN", "JJ", "DT", "CD", "PRP$", "HYPH", "POS", "VBN", "VBG", "PDT")
"""How the tags of the words begin that an option consists of."""
_COLOR = frozenset(("color", "colors", "colour", "colours", "colored", "coloured"))


def protected(tokens: Sequence[Token], answers: frozenset[str]) -> dict[int, str]:
    """The reason for each word that must stay, by its number among the tokens.

    >>> from askew.language.tagger import Tagger
    >>> def reasons(text, *answers):
    ...     tokens = Tagger().tags([text])[0]
    ...     return {tokens[n].text: why for n, why in protected(tokens, answer_words(answers)).items()}
    >>> reasons("Are there two dogs on the red bus?", "yes", "2 dogs")
    {'two': 'number', 'dogs': 'answer'}
    >>> reasons("What color is the red bus?", "red and white")
    {'red': 'answer'}
    >>> reasons("What color is the red bus?", "white")
    {'red': 'color'}
    >>> reasons("Is it a big dog or a cat?", "dog")
    {'a': 'option', 'big': 'option', 'dog': 'answer', 'cat': 'option'}
    """
    lists, words = word_lists(), {token.lower for token in tokens}
    colored = not words.isdisjoint(_COLOR)
    found = dict.fromkeys(option_words(tokens), "option")
    for number, token in enumerate(tokens):
        word = token.lower
        if _lemma(token) in answers or word in answers:
            found[number] = "answer"
        elif word in lists["negation"]:
            found[number] = "negation"
        elif token.tag == "CD" or word.isdigit() or (number_of(word) is not None and token.tag != "DT"):
            found[number] = "number"
        elif word in ("yes", "no"):
            found[number] = "yes or no"
        elif colored and word in lists["colors"]:
            found[number] = "color"
        elif word in lists["sides"]:
            found[number] = "side or order"
    return dict(sorted(found.items()))


def option_words(tokens: Sequence[Token]) -> list[int]:
    """The numbers of the words on both sides of each *or*: "a dog", "a cat"; also of those that commas add."""
    found: set[int] = set()
    for number, token in enumerate(tokens):
        if token.lower == "or":
            found.update(_side(tokens, number, -1))
            found.update(_side(tokens, number, 1))
    return sorted(number for number in found if is_word(tokens[number]))


def _side(tokens: Sequence[Token], number: int, step: int) -> list[int]:
    """The words of the options on one side of *or*: a phrase, or one word of any other kind, and more after commas."""
    found: list[int] = []
    number += step
    while 0 <= number < len(tokens) and (tokens[number].tag.startswith(_PHRASE) or tokens[number].tag == ","):
        found.append(number)
        number += step
    if not found and 0 <= number < len(tokens):
        return [number]
    return found


@lru_cache(maxsize=1 << 12)
def answer_words(answers: tuple[str, ...]) -> frozenset[str]:
    """The words of people's answers in the singular, without *a*, *the* and the like, which carry no meaning.

    >>> sorted(answer_words(("the dogs", "Dog", "yes", "on table")))
    ['dog', 'dogs', 'table', 'yes']
    """
    lists = word_lists()
    small = lists["articles"] | lists["prepositions"] | lists["conjunctions"] | lists["auxiliaries"] | lists["pronouns"]
    words = {word for answer in answers for word in words_of(answer)} - small
    return frozenset(words | {singular(word) for word in words if word.isalpha()})


def _lemma(token: Token) -> str:
    return base(token.text, token.tag)
