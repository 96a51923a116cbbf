"""The words of a question as the places of an attack: which may be replaced, which must stay and why, and the new text.

Function words stay (``function_words.yaml``), and so do the words that the answer depends on: words of people's
answers, numbers, negations, names of sides and orders, colors if the question is about color, and the options of a
choice ("What animal is it, a dog or a cat?"). When a word is replaced, its article is adapted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from askew.files.read_write import resource
from askew.language.inflect import base, number_of, singular
from askew.language.paraphrases import in_phrase
from askew.language.senses import words_of
from askew.language.tagger import Token
from askew.language.thesaurus import POS_OF_TAG
from askew.perturb.lexical.substitutions import fix_article, trigger_words
from askew.perturb.lexical.synonymous import in_compound
from askew.types import Candidate, Change, Place, Question, Swap

_FUNCTIONS = (
    *("articles", "pronouns", "demonstratives", "question words", "auxiliaries", "negations", "prepositions"),
    *("conjunctions", "quantifiers", "endings"),
)


@lru_cache(maxsize=1)
def word_lists() -> dict[str, frozenset[str]]:
    """The word lists by name, in lower case.

    >>> "never" in word_lists()["negation"]
    True
    """
    data: dict[str, list[str]] = resource("attack/function_words.yaml")
    return {name: frozenset(words) for name, words in data.items()}


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Articles, pronouns, prepositions, auxiliaries, question words and the like.

    >>> [word in function_words() for word in ("what", "is", "many", "does", "dog", "side")]
    [True, True, True, True, False, False]
    """
    lists = word_lists()
    return frozenset().union(*(lists[name] for name in _FUNCTIONS))


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
    """True for a word or a number; False for punctuation and for contracted endings such as *n't*."""
    return token.text[0].isalnum() and token.lower != "n't"


def word_places(tokens: Sequence[Token], swaps: Mapping[int, Sequence[Swap]]) -> tuple[Place, ...]:
    """All words of a question; ``swaps`` has the swaps of each by token index."""
    return tuple(
        Place(token.start, token.end, token.text, token.tag, tuple(swaps.get(number, ())))
        for number, token in enumerate(tokens)
        if is_word(token)
    )


def open_class_words(tokens: Sequence[Token]) -> list[int]:
    """The indices of common nouns, verbs, adjectives and adverbs."""
    return [number for number, token in enumerate(tokens) if token.tag in POS_OF_TAG and is_word(token)]


def free_words(text: str, tokens: Sequence[Token]) -> list[int]:
    """The indices of content words that may be replaced alone: not names, nor parts of fixed phrases or compounds.

    Questions about words themselves have none: "How do you spell couch?"

    >>> from askew.language.tagger import Tagger
    >>> question = "Is the hot dog stand near the old tree?"
    >>> tokens = Tagger().tags([question])[0]
    >>> [tokens[number].text for number in free_words(question, tokens)]
    ['old', 'tree']
    """
    around = words_of(text)
    if '"' in text or not trigger_words()["mentions"].isdisjoint(around):
        return []
    return [
        number
        for number in open_class_words(tokens)
        if (token := tokens[number]).lower not in function_words()
        and not (token.start > 0 and token.text[0].isupper())
        and around.count(token.lower) == 1
        and not in_compound(tokens, number)
        and not in_phrase(tokens, number)
    ]


_PHRASE = ("NN", "JJ", "DT", "CD", "PRP$", "HYPH", "POS", "VBN", "VBG", "PDT")
"""Prefixes of the tags of words that can be part of an option."""
_COLOR = frozenset(("color", "colors", "colour", "colours", "colored", "coloured"))


def protected(tokens: Sequence[Token], answers: frozenset[str]) -> dict[int, str]:
    """The words that must stay, by token index, each with the reason.

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
        if base(token.text, token.tag) in answers or word in answers:
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
    """The token indices of the options on both sides of each *or* ("a dog", "a cat"), also between commas."""
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


def repaired(text: str, changes: Sequence[Change]) -> str:
    """The changed text with the articles that its new words need.

    >>> repaired("Is it a auto?", [Change(8, "car", "auto")])
    'Is it an auto?'
    """
    shift = 0
    for change in changes:
        start = change.start + shift
        before = fix_article(text[:start], change.new) if change.new else text[:start]
        text = before + text[start:]
        shift += len(before) - start + len(change.new) - len(change.old)
    return text


UNKNOWN = "<oov>"
"""TextFooler's code replaces a word by this token to measure how much the word matters."""


def reworded(question: Question, chosen: Mapping[Place, Swap], base: str = "", repair: bool = True) -> Candidate:
    """The question with these places replaced; new words take the case of the old ones.

    ``base`` is the text before the last change. With ``repair``, articles are adapted to the new words.

    >>> asked = Question(1, None, "Is there a car?")
    >>> reworded(asked, {Place(11, 14, "car"): Swap("auto")}).text
    'Is there an auto?'
    """
    changes, text = [], question.text
    for place in sorted(chosen, key=lambda place: place.start, reverse=True):
        new = in_case_of(place.text, chosen[place].text, place.start == 0)
        text = text[: place.start] + new + text[place.end :]
        changes.append(Change(place.start, place.text, new, place.tag, chosen[place].rule))
    changes.reverse()
    if repair:
        text = repaired(text, changes)
    return Candidate(text, tuple(changes), base or question.text)


def without(question: Question, place: Place, filler: str = "") -> Candidate:
    """A probe: the question with one word deleted, or replaced by a filler.

    >>> without(Question(1, None, "Is the big dog brown?"), Place(7, 10, "big")).text
    'Is the dog brown?'
    """
    before, after = question.text[: place.start], question.text[place.end :]
    text = before + filler + after if filler else (before.rstrip() + " " + after.lstrip()).strip()
    return Candidate(text, (Change(place.start, place.text, filler, place.tag),), question.text, probe=True)


def in_case_of(old: str, new: str, first: bool) -> str:
    """The new word, capitalised if the old one is.

    >>> in_case_of("People", "persons", True), in_case_of("TV", "screen", False), in_case_of("car", "auto", False)
    ('Persons', 'screen', 'auto')
    """
    capital = old[:1].isupper() and (first or not old[1:2].isupper()) and not new[:1].isupper()
    return new[:1].upper() + new[1:] if capital else new


def alone(question: Question, places: Sequence[Place], repair: bool = True) -> list[Candidate]:
    """One candidate for each swap of each place, in order."""
    return [reworded(question, {place: swap}, repair=repair) for place in places for swap in place.swaps]
