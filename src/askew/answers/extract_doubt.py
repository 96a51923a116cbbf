"""Answers to open questions that rest on too weak a cue, and are counted as no short answer instead.

A sentence may be about another thing than the question ("The car is next to a red bus"), say of it what was not asked
("The dog is brown" to where it is), or name something whose answer it then leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from askew.answers.extract_phrase import COLOUR_ASKED
from askew.answers.extract_rules import first_sentence, opened, rules
from askew.answers.extract_yes_no import PRONOUNS, denies, stem
from askew.answers.normalise import tokens


def doubtful(question: str, answer: str, words: str) -> bool:
    """Whether an answer extracted from these words may not answer the question.

    >>> doubtful("What color is the car?", "red", "The car is next to a red bus.")
    True
    >>> said = ("The man is holding a cup.", "The woman is holding a cup.")
    >>> [doubtful("What is the man holding?", "cup", words) for words in said]
    [False, True]
    """
    sentence = first_sentence(opened(words))
    if _LEFT_OPEN.search(opened(words)) or _REASONING.search(sentence):
        return True
    if COLOUR_ASKED.search(question):
        return _of_another_thing(question, answer, tokens(sentence))
    if len(tokens(sentence)) <= _SHORT:
        return False
    return _of_another_person(question, tokens(sentence)) or _of_another_kind(question, answer, sentence)


def _of_another_thing(question: str, answer: str, said: Sequence[str]) -> bool:
    """Whether a colour is said of something else: "The car's wheels are black" of the car."""
    known = rules()
    colours = [word for word in tokens(answer) if word in known.colours | known.shades]
    if len(said) <= _SHORT and not any(map(denies, said)):
        return False
    if not colours or colours[0] not in said or colours[-1] not in said:
        return True
    first, last = said.index(colours[0]), said.index(colours[-1])
    things = _asked_things(question)
    others = known.colours - {*tokens(question)}
    coloured = [word for word, after in pairwise(said) if word in others and stem(after) in things]
    denied = [after for word, after in pairwise(said) if denies(word) and {word, stem(after)} & things]
    later = {*said[last + 1 :]}
    if {*coloured} - {*colours} or denied or ("but" in later and later & known.colours):
        return True
    if not (things | _WHOLE).isdisjoint(map(stem, said[last + 1 : last + 3])):
        return _of_another_person(question, said)
    return _said_of_another(said[:first], things)


def _said_of_another(before: Sequence[str], things: set[str]) -> bool:
    """Whether the words before a colour name another thing than these."""
    known = rules()
    small = known.little | known.auxiliaries | PRONOUNS | known.colours | known.shades | _LEADING
    verb = next((place for place in range(len(before) - 1, -1, -1) if before[place] in _COPULAS), None)
    if verb is None:
        denied = any(map(denies, before)) and "but" not in before
        return denied or "has" in before or not {stem(word) for word in before if word not in small} <= things
    between = before[verb + 1 : -1] if before[-1] == "in" else before[verb + 1 :]
    if (any(map(denies, between)) and "but" not in between) or not known.relations.isdisjoint(between):
        return True
    start = next((place + 1 for place in range(verb - 1, -1, -1) if before[place] in _JOINS), 0)
    subject = before[start:verb]
    end = next((place for place, word in enumerate(subject) if place and word in known.relations), len(subject))
    heads = [stem(word) for word in subject[:end] if word not in small]
    return bool(heads) and not any(heads[-1].startswith(thing) for thing in things | _WHOLE)


def _asked_things(question: str) -> set[str]:
    """What the colour is asked of: the collar of "What color is the cat's collar?"."""
    asked = re.split(r"\bcolou?rs?\b|\w['’]s\b|s['’] ", question, flags=re.IGNORECASE)[-1]
    words = tokens(asked)
    end = next((place for place, word in enumerate(words) if place > 1 and word in rules().relations), len(words))
    return {stem(word) for word in words[:end]} - rules().little - rules().auxiliaries


def _of_another_person(question: str, said: Sequence[str]) -> bool:
    """Whether a sentence begins with a person that the question, which is about another, does not name."""
    people = [word for word in said[:3] if word in _PEOPLE]
    asked = {*tokens(question)}
    return bool(people) and not _PEOPLE.isdisjoint(asked) and asked.isdisjoint(people)


def _of_another_kind(question: str, answer: str, sentence: str) -> bool:
    """Whether an answer taken from a sentence is of another kind than asked: no place, no action, no thing."""
    known, words = rules(), tokens(answer)
    if not words or TEXT_ASKED.search(question):
        return '"' in answer
    if len(words) > 1 and words[0] in tokens(question) and sentence.lower().startswith(("the ", "a ")):
        return not {*words[:1]} <= known.little and sentence.lower().split(maxsplit=1)[1].startswith(answer)
    state = len(words) == 1 and words[0] in {*known.states, *known.contrasts, *_STATES} | known.colours
    is_said = re.search(rf"\b(?:is|are|was|were) {re.escape(answer)}\b", sentence, re.IGNORECASE) is not None
    is_a = re.search(rf"\b(?:is|are|like) an? {re.escape(answer)}\b", sentence, re.IGNORECASE) is not None
    if _NAME_ASKED.search(question):
        return (
            (is_a and "brand" not in tokens(question))
            or (is_said and state)
            or words[-1] in {*tokens(question), "logo"}
        )
    if _PLACE_ASKED.match(question) and is_a and known.relations.isdisjoint(words):
        return True
    if _PLACE_ASKED.match(question):
        return is_said and (state or words[0].endswith("ing")) and words[0] not in _PLACES
    if _DOING_ASKED.search(question):
        return not any(word.endswith("ing") for word in words)
    if not _THING_ASKED.match(question):
        return False
    if words[0] in _PREPOSITIONS and _PLACE_NOUN.search(question) is None:
        return True
    if "than" in words or (_COMPARED.search(question) and _COMPARED.fullmatch(answer)):
        return True
    if is_said and ((words[0].endswith("ing") and not words[0].endswith("thing")) or _PARTICIPLE.match(answer)):
        return True
    return is_said and state and _OF_PLACE_OR_PERSON.match(question) is not None


_SHORT = 3
"""A reply of so few words is nothing but the answer."""
_COPULAS = frozenset(("is", "are", "was", "were", "appears", "appear", "seems", "seem", "looks", "look"))
_JOINS = frozenset(("and", "but", "while", "whereas"))
_LEADING = frozenset(
    (
        *("which", "main", "its", "his", "her", "their", "they're", "both", "all", "painted", "dressed", "mostly"),
        *("mainly", "but", "be", "to", "as", "i", "i'd", "describe"),
    )
)
_WHOLE = frozenset(
    ("color", "colour", "body", "exterior", "paint", "finish", "fur", "coat", "feather", "surface", "petal")
)
"""Words for what has a thing's colour."""
_PEOPLE = frozenset(
    ("man", "woman", "boy", "girl", "child", "baby", "lady", "men", "women", "boys", "girls", "children")
)
_STATES = ("empty", "hidden", "visible", "parked", "located", "closed", "open", "small", "large")
_PLACES = ("outside", "inside", "indoors", "outdoors", "above", "below", "upstairs", "downstairs")
_PREPOSITIONS = ("on", "in", "at", "under", "near", "between", "to", "with", "after", "behind", "beside", "next")
TEXT_ASKED = re.compile(r"^why\b|\b(?:say|says|read|reads|written|text|words|slogan|message)\b", re.IGNORECASE)
"""Questions whose answers may be sentences."""
_PLACE_ASKED = re.compile(r"where (?:is|are|was|were) (?:the|his|her|its|their)\b", re.IGNORECASE)
_DOING_ASKED = re.compile(r"\b(?:doing|happening|going on)\b", re.IGNORECASE)
_THING_ASKED = re.compile(r"(?:what|which|who)\b", re.IGNORECASE)
_NAME_ASKED = re.compile(r"\b(?:brand|name|called)\b", re.IGNORECASE)
_COMPARED = re.compile(r"\b\w{2,}(?<!oth)(?<!wat)(?<!und)er\b", re.IGNORECASE)
_PLACE_NOUN = re.compile(
    r"\b(?:side|direction|way|part|place|room|floor|location|position|time|day|month|year|season|hand|end|stage)\b"
    r"|\b(?:in|on|at|to|from|for|with)\?*$",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"(?:(?!made by)(?:\w+ed|made|driven|worn|held|seen)) (?:by|for|from|of|with|to|in|on|at)\b", re.IGNORECASE
)
_OF_PLACE_OR_PERSON = re.compile(
    r"who\b|(?:what|which)(?: is| are|['’]s)? (?:on|in|under|behind|next|beside|near|above|below|the \w+ \w+ing)\b"
    r"|.*\b(?:material|made of)\b",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(
    r"\bbut (?:it|its \w+|they|that|this|the \w+|i)(?: is|['’]s| are|['’]re| cannot| can['’]t| do not| don['’]t)"
    r"(?: \w+){0,3} (?:legible|readable|visible|clear|known|seen|shown|read|make (?:it|them|that) out|hidden|blurry)"
    r"(?: here| from here| in (?:the|this) (?:image|picture|photo))?\s*(?:[.!;]|$)"
    r"|\b(?:no wait|wait, (?:no|it|that)|scratch that|on second thought|correction:)|[.,…] ?no, (?:it|that|an?|the)\b",
    re.IGNORECASE,
)
"""What is named is not the answer, or is taken back: "a tag, but it's not legible", "a lion... no, a tiger"."""
_REASONING = re.compile(
    r"\b(?:which|that) (?:(?:is|are) (?:\w+ )?(?:typical|characteristic|common)|suggests?|indicates?|implies)\b",
    re.IGNORECASE,
)
