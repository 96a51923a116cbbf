"""The number in a reply to a question how many: of several, the one that counts the things asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askew.answers.extract_rules import first_sentence, opened, refuses, rules
from askew.answers.normalise import tokens
from askew.language.numbers import number_of

_SMALL = "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORD = (
    rf"(?:(?:{_TENS})[- ](?:{_SMALL})|{_SMALL}|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|{_TENS})"
)
_WHOLE = rf"(?:(?<![\d.,])\d{{1,3}}(?:,\d{{3}}){{1,2}}(?![\d,])|(?<![\d.,:/$])\d{{1,9}}(?![:/]\d)|{_WORD})"
_NUMBER = re.compile(
    rf"\b(?:(?P<hundreds>{_WORD}|a) hundred(?: (?:and )?(?P<rest>{_WORD}))?|(?P<dozens>half a|a|{_WHOLE}) dozens?"
    rf"|(?:a )?(?P<group>pair|couple|trio|both)(?: of)?|(?P<whole>{_WHOLE})(?!\.\d)|(?P<none>no|none|zero)"
    r"|(?P<one>an?|single))\b",
    re.IGNORECASE,
)
_GROUPS = {"pair": 2, "couple": 2, "both": 2, "trio": 3}
_VAGUE = re.compile(r"an?(?: \w+)? (?:lot|few|number|group|bunch|flock|herd|crowd|team|row|variety|handful) of", re.I)
_NOT_ONE = re.compile(r"\bnot (?:a single|one|any)\b", re.IGNORECASE)
_RANGE = re.compile(
    rf"\bbetween {_WHOLE} and {_WHOLE}\b|\b{_WHOLE} (?:or|to) {_WHOLE}\b|\b\d+\s*[-–—]\s*\d+\b", re.IGNORECASE
)
_TOTAL = re.compile(
    rf"(?:\btotal(?: number)?(?: of)?(?: [\w-]+){{0,2}}?(?: is)?:?|=|\bso(?: there (?:are|is))?)\s+"
    rf"(?P<after>{_WHOLE})\b"
    rf"|\b(?P<before>{_WHOLE})(?: [\w-]+){{0,3}} (?:in total|altogether|in all)\b",
    re.IGNORECASE,
)
_PART_OF = re.compile(r"\b(?:out )?of (?:the |these |those )?(?:\d+|[\w-]+)\b|\bno one\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:()](?!\d)|(?<!hundred )\b(?:and|but|while|whereas|plus)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:how many|(?:number|amount|count|quantity) of)\s+(?:of (?:the|these|those) )?(?P<rest>.*)", re.I
)
_NEAR = 4
"""Words after a number among which the thing it counts is looked for."""


@dataclass(frozen=True)
class _Mention:
    """A number in a sentence, the words after it in its clause, and the clause."""

    value: int
    after: tuple[str, ...]
    clause: frozenset[str]
    exact: bool
    """False for "a" and "an", which count only in front of the thing asked for."""


def count(question: str, text: str) -> str | None:
    """The number that the text gives, in digits, or None where it gives none or several to choose from.

    >>> count("How many dogs?", "There are twenty-one dogs."), count("How many dogs?", "No dogs."), count("", "2 or 3")
    ('21', '0', None)
    >>> said = "There are no people, but two dogs."
    >>> count("How many people are there?", said), count("How many dogs are there?", said)
    ('0', '2')
    """
    if (number := number_of(text)) is not None:
        return str(number)
    sentence = first_sentence(opened(text))
    if refuses(text) or rules().undecided.match(sentence):
        return None
    if totals := list(_TOTAL.finditer(text)):
        return str(number_of(totals[-1]["after"] or totals[-1]["before"]))
    if _RANGE.search(sentence):
        return None
    mentions = list(_mentions(_PART_OF.sub(" ", sentence) if _NOT_ONE.search(sentence) is None else "no " + sentence))
    things, told = _asked(question)
    if not mentions:
        return "0" if any(word in rules().zero or word.endswith("n't") for word in tokens(sentence)) else None
    best = max(mentions, key=lambda mention: _fit(mention, things, told))
    if not best.exact and _fit(best, things, told) < 2:
        return "0" if any(word in rules().zero or word.endswith("n't") for word in tokens(sentence)) else None
    return str(best.value)


def _mentions(sentence: str) -> Iterator[_Mention]:
    start = 0
    for end in [*(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]:
        clause = sentence[start:end]
        words = frozenset(map(_stem, tokens(clause)))
        for match in _NUMBER.finditer(_VAGUE.sub(" ", clause)):
            after = tuple(map(_stem, tokens(_VAGUE.sub(" ", clause)[match.end() :])))[:_NEAR]
            yield _Mention(_value(match), after, words, match["one"] is None or match["one"].lower() == "single")
        start = end


def _value(match: re.Match[str]) -> int:
    if match["group"]:
        return _GROUPS[match["group"].lower()]
    if match["dozens"]:
        many = match["dozens"].lower()
        return 6 if many == "half a" else 12 * (1 if many == "a" else number_of(many) or 0)
    if match["hundreds"]:
        many = match["hundreds"].lower()
        return 100 * (1 if many == "a" else number_of(many) or 0) + (number_of(match["rest"] or "0") or 0)
    if match["whole"]:
        return number_of(match["whole"]) or 0
    return 0 if match["none"] else 1


def _asked(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """The things that are counted, and what is told of them: "dogs", "black" of "How many dogs are black?"."""
    match = _ASKED.search(question)
    if match is None:
        return frozenset(), frozenset()
    words = tokens(match["rest"])
    verb = next((place for place, word in enumerate(words) if word in rules().auxiliaries), len(words))
    small = {*rules().little, *rules().auxiliaries}
    things, told = ([word for word in part if word not in small] for part in (words[:verb], words[verb:]))
    return frozenset(map(_stem, things[-1:])), frozenset(map(_stem, told))


def _fit(mention: _Mention, things: frozenset[str], told: frozenset[str]) -> int:
    """How well a number fits the question: it counts the thing (2), and its clause tells what is asked of it (3)."""
    counts = 2 if things & set(mention.after) else 0
    tells = 3 if told and told <= mention.clause else 0
    return counts + tells


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return {"people": "person", "men": "man", "women": "woman", "children": "child"}.get(
        word, word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    )
