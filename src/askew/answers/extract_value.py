"""Answers that have a form of their own: quoted text, times, prices, measures, the result of a calculation."""

from __future__ import annotations

import re

from askew.answers.extract_reply import first_sentence, unquoted


def stated_value(question: str, text: str) -> str | None:
    """The only value of the form that a question asks for; None if there is none, or if there are several.

    >>> stated_value("What time is it?", "The hands of the clock show 10:10."), stated_value("What is it?", "At 10:10.")
    ('10:10', None)
    >>> stated_value("What does the sign say?", 'The sign says "Stop" in white letters.')
    'stop'
    """
    if (equals := _EQUALS.search(text)) is not None and question.lower().startswith("what"):
        return equals[1]
    for asked, value in _TYPED:
        if asked.search(question) and len(values := {*value.findall(text)}) == 1 and len(text.split()) > _SHORT:
            return str(values.pop()).lower()
    if TEXT_ASKED.search(question):
        first = first_sentence(text) if '"' not in text else text
        if not _QUOTED.search(first) and (says := _SAYS.match(first)) is not None:
            return _IN_LETTERS.sub("", says["rest"]).strip(" .,!").lower()
        if (
            _SAYS_ASKED.search(question)
            and len(text.split()) <= _SHORT
            and text[:1] not in _OPEN_QUOTES
            and not _SUBJECT.match(text)
        ):
            return unquoted(text).lower()
    if TEXT_ASKED.search(question) and len(quoted := _QUOTED.findall(first_sentence(text))) == 1:
        return "".join(quoted[0]).strip(" .,!").lower()
    return None


TEXT_ASKED = re.compile(
    r"\b(?:say|says|read|reads|written|text|words?|name|called|brand|title|slogan|message|letters?)\b", re.I
)
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<![\w])['‘]([^'’\n]+)['’](?!\w)")
_EQUALS = re.compile(r"=\s*(-?\d+(?:\.\d+)?(?: ?\w{1,4})?)\s*$")
_UNITS = (
    r"(?:kg|kilos?|kilograms?|g|grams?|lbs?|pounds?|oz|ounces?|cm|centimet(?:er|re)s?|mm|m|met(?:er"
    r"|re)s?|km|kilomet(?:er|re)s?"
    r"|miles?|feet|foot|ft|inch(?:es)?|yards?|mph|km/h|kmh|ml|l|lit(?:er|re)s?|gallons?|°\s?[cf]?"
    r"|degrees?(?: celsius| fahrenheit)?"
    r"|%|percent|years?(?: old)?|months?(?: old)?|dollars?|euros?|cents?|watts?|volts?|calories|kcal)"
)
_TYPED = (
    (
        re.compile(
            r"^what (?:is|are|was) the (?:\w+ ){0,2}(?:weight|height|length|width|speed|speed limit"
            r"|temperature|age|size|volume"
            r"|distance|depth|capacity)\b|^how (?:tall|long|heavy|fast|far|old|high|hot|cold|wide|deep"
            r"|much does .* weigh)\b",
            re.I,
        ),
        re.compile(rf"\d+(?:[.,]\d+)?\s?{_UNITS}(?!\w)", re.I),
    ),
    (re.compile(r"\b(?:what|which) year\b", re.I), re.compile(r"\b(?:1[5-9]|20)\d\d\b")),
    (re.compile(r"\b(?:what|which) season\b", re.I), re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.I)),
    (
        re.compile(r"\bwhat time (?!of)|\bclock (?:say|show|read)", re.I),
        re.compile(r"\b\d{1,2}:\d{2}(?: ?[ap]\.?m\b)?", re.I),
    ),
    (re.compile(r"\bhow much\b.*\b(?:cost|price|for)\b|\bprice\b", re.I), re.compile(r"[$€£]\d+(?:[.,]\d+)?")),
)
"""Questions whose answers have a form of their own, and that form: times and prices."""
_OPEN_QUOTES = ('"', "“", "'", "‘")
_SAYS_ASKED = re.compile(r"\bsays?\b|\breads?\b|\bwritten\b", re.IGNORECASE)
_SAYS = re.compile(
    r"(?:it|this|the|that)\b[^:\"]*?\b(?:says|reads|states|spells)(?: simply)?[:,]? (?P<rest>.+)$", re.IGNORECASE
)
_IN_LETTERS = re.compile(r" in (?:\w+ ){0,3}(?:letters|letter|font|type|print|text|capitals)\b.*$", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:the|an?|it|you|he|she|they|there|i|we|this|that|his|her|its|their)\b", re.IGNORECASE)
_SHORT = 4
"""A reply of so few words is nothing but the answer."""
