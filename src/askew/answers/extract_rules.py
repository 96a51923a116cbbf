"""Rules for extraction: what surrounds an answer in free text, and how models refuse to answer.

Words and patterns are in ``extract_rules.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askew.files.resources import resource

_LONGEST = 4000
"""Letters that are looked at; an answer stands at the beginning or, after a mark, at the end."""
_ANSWER_IS = re.compile(
    r"(?:^|(?<=[\s*_>#.]))(?:(?:the |my )?(?:final |short |correct )?answer(?: to (?:the|this|your) question)?)"
    r"\s*[*_]*\s*(?::|\bis\b\s*:?|=)\s*[*_]*\s*",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"^(?:assistant|response|model|a)\s*:\s*", re.IGNORECASE)
_MARKDOWN = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|^\s*(?:#+|>|[-•])\s+", re.MULTILINE)
_SENTENCE = re.compile(r"(?<![\s.](?:mr|ms|dr|st|vs))(?<!\bmrs)(?<!\b[ap]\.m)[.!?;]+(?=\s|$)|\n+", re.IGNORECASE)
_QUOTES = "\"'“”‘’«»`"


@dataclass(frozen=True)
class Rules:
    """Patterns and words of ``extract_rules.yaml``."""

    thoughts: Sequence[tuple[str, str]]
    wrapped: re.Pattern[str]
    marks: re.Pattern[str]
    opening: re.Pattern[str]
    unseen: re.Pattern[str]
    absent: Mapping[str, str]
    refused: re.Pattern[str]
    refused_anywhere: re.Pattern[str]
    counting: re.Pattern[str]
    says_yes: re.Pattern[str]
    says_no: re.Pattern[str]
    undecided: re.Pattern[str]
    open: frozenset[str]
    partly: frozenset[str]
    colours: frozenset[str]
    people_say: frozenset[str]
    affirm: frozenset[str]
    deny: frozenset[str]
    zero: frozenset[str]
    auxiliaries: frozenset[str]
    little: frozenset[str]


@lru_cache(maxsize=1)
def rules() -> Rules:
    """The rules, read once."""
    data = resource("answers/extract_rules.yaml")
    unseen = data["unseen"]

    def any_of(patterns: Sequence[str], wrap: str = "{}") -> re.Pattern[str]:
        return re.compile(wrap.format("|".join(f"(?:{part})" for part in patterns)), re.IGNORECASE | re.DOTALL)

    return Rules(
        thoughts=[(start, end) for start, end in data["thoughts"]],
        wrapped=any_of(data["wrapped"]),
        marks=any_of(data["marks"]),
        opening=any_of(data["openings"], r"^(?:{})\b[,:!.]*\s+(?=\S)"),
        unseen=re.compile(rf"{unseen['start']} ({'|'.join(unseen['words'])})\b(?!{'|'.join(unseen['except'])})", re.I),
        absent=unseen["words"],
        refused=any_of(data["refusals"]["start"], r"^(?:{})"),
        refused_anywhere=any_of(data["refusals"]["anywhere"]),
        counting=any_of(data["counting"]),
        says_yes=any_of(data["says_yes"], r"^(?:{})"),
        says_no=any_of(data["says_no"], r"^(?:{})"),
        undecided=any_of(data["undecided"], r"^(?:{})"),
        **{
            name: frozenset(data[name])
            for name in ("affirm", "deny", "zero", "auxiliaries", "little", "open", "partly", "colours", "people_say")
        },
    )


def bare(words: str) -> str:
    """The words without thoughts, wrappings, marks, markdown, quotes around them and a period at the end.

    What the speaker cannot see in the image is not there.

    >>> bare("<think>A cat?</think>**Answer:** a cat."), bare("I cannot see any cat.")
    ('a cat', 'there is no cat')
    """
    known = rules()
    text = _without_thoughts(words)
    text = text if len(text) <= _LONGEST else text[: _LONGEST // 2] + "\n" + text[-_LONGEST // 2 :]
    if wrapped := known.wrapped.findall(text):
        text = next((part for part in wrapped[-1] if part), "") if isinstance(wrapped[-1], tuple) else wrapped[-1]
    text = known.marks.sub(" ", text)
    *_, last = _ANSWER_IS.split(text)
    text = _MARKDOWN.sub("", _SPEAKER.sub("", last.strip()))
    text = known.unseen.sub(lambda said: f"there is {known.absent[said[1].lower()]}", text)
    return unquoted(text)


def _without_thoughts(words: str) -> str:
    """What follows the last thought, or what stands before the first when nothing follows.

    A template may have written the opening mark into the prompt; a thought without an end has no answer after it.
    """
    for start, end in rules().thoughts:
        after = words.rpartition(end)[2].partition(start)[0]
        words = after if after.strip() else words.partition(start)[0] if start in words else after
    return words


def unquoted(text: str) -> str:
    """The text without quotes around it and marks after it.

    >>> unquoted('"Stop."')
    'Stop'
    """
    previous = None
    while previous != text:
        previous, text = text, text.strip().rstrip(".!,;:?").strip()
        if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
            text = text[1:-1]
    return text


def opened(text: str) -> str:
    """The text without openings that say nothing; one that is all there is stays."""
    previous = None
    while previous != text:
        previous, text = text, rules().opening.sub("", text, count=1)
    return text


def first_sentence(text: str) -> str:
    """The first sentence or line that says anything.

    >>> first_sentence("It costs 3.50. That is a lot.")
    'It costs 3.50'
    """
    return next((part.strip() for part in _SENTENCE.split(text) if part and part.strip()), text.strip())


def refuses(text: str) -> bool:
    """True when the text says that there is no answer to be had.

    >>> refuses("I'm sorry, but I can't identify people."), refuses("It is red, but I can't tell the brand.")
    (True, False)
    """
    known = rules()
    plain = text.replace("’", "'")
    if unquoted(plain).lower() in known.people_say:
        return False
    if known.refused.match(plain) or known.refused.match(opened(plain)):
        return True
    first = re.split(r",? (?:but|although|though|however)\b", first_sentence(opened(plain)))[0]
    return known.refused_anywhere.search(first) is not None
