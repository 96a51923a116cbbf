"""Rules for extraction: what surrounds an answer in free text, how models refuse to answer, and which number counts.

Words and patterns are in ``extract_rules.yaml``. From a reply to a *how many* question, the number that counts the
objects in question is extracted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import orjson

from askew.answers.normalise import tokens
from askew.files.read_write import resource

_LONGEST = 4000
"""The number of characters that are read; an answer is at the beginning or, after a marker, at the end."""
_ANSWER_IS = re.compile(
    r"(?:^|(?<=[\s*_>#.]))(?:(?:the |my )?(?:final |short |correct )?answer(?: to (?:the|this|your) question)?)"
    r"\s*[*_]*\s*(?::|\bis\b\s*:?|=|→|->)\s*[*_]*\s*",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"^(?:assistant|response|model|a)\s*:\s*", re.IGNORECASE)
_MARKDOWN = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|^\s*(?:#+|>|[-•])\s+", re.MULTILINE)
_SENTENCE = re.compile(r"(?<![\s.](?:mr|ms|dr|st|vs))(?<!\bmrs)(?<!\b[ap]\.m)[.!?;]+(?=\s|$)|\n+", re.IGNORECASE)
_FIRST_ITEM = re.compile(r"^\d{1,2}[.)]\s+(?=[A-Za-z][^\n]*$)")
_BUT = re.compile(r",? (?:but|although|though|however)\b")
_LONG = 4
"""A first sentence of so many words may be the reasoning before an answer."""
_QUOTES = "\"'“”‘’«»`"


@dataclass(frozen=True)
class Rules:
    """Patterns and words of ``extract_rules.yaml``."""

    thoughts: Sequence[tuple[str, str]]
    wrapped: re.Pattern[str]
    answer_heading: re.Pattern[str]
    heading: re.Pattern[str]
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
    weakened: re.Pattern[str]
    affirm_alone: frozenset[str]
    open: frozenset[str]
    partly: frozenset[str]
    colours: frozenset[str]
    shades: frozenset[str]
    clause: frozenset[str]
    people_say: frozenset[str]
    affirm: frozenset[str]
    deny: frozenset[str]
    zero: frozenset[str]
    auxiliaries: frozenset[str]
    little: frozenset[str]
    degrees: frozenset[str]
    states: Mapping[str, frozenset[str]]
    """For a state, the states that deny it: of open, closed and shut. What is not closed is open."""
    contrasts: Mapping[str, frozenset[str]]
    """For another word, those that deny it: of big, small and tiny. What is not small may not be big."""
    same_states: Mapping[str, frozenset[str]]
    """For a state, other words for it: of closed, shut."""
    relations: frozenset[str]
    unanswered: re.Pattern[str]
    unreadable: re.Pattern[str]
    asks_text: re.Pattern[str]
    image_missing: tuple[re.Pattern[str], re.Pattern[str]]
    concludes: re.Pattern[str]


@lru_cache(maxsize=1)
def rules() -> Rules:
    """The rules, loaded once."""
    data = resource("answers/extract_rules.yaml")
    unseen = data["unseen"]

    def any_of(patterns: Sequence[str], wrap: str = "{}") -> re.Pattern[str]:
        return re.compile(wrap.format("|".join(f"(?:{part})" for part in patterns)), re.IGNORECASE | re.DOTALL)

    return Rules(
        thoughts=[(start, end) for start, end in data["thoughts"]],
        wrapped=any_of(data["wrapped"]),
        answer_heading=re.compile(data["answer_heading"], re.IGNORECASE | re.MULTILINE),
        heading=re.compile(data["heading"], re.IGNORECASE | re.MULTILINE),
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
        weakened=any_of(data["weakened"]),
        states=_opposites(data["states"]),
        contrasts=_opposites(data["contrasts"]),
        same_states=_same(data["states"]),
        unanswered=any_of(data["unanswered"]),
        unreadable=any_of(data["unreadable"]["words"]),
        asks_text=any_of(data["unreadable"]["asked"], r"\b(?:{})\b"),
        image_missing=(any_of(data["image_missing"]["what"]), any_of(data["image_missing"]["how"])),
        concludes=any_of(
            data["concludes"], r"(?<=[.!?;\n])\s+(?:(?:{})\b,?\s+(?=\S)|(?=(?:it|this|that|he|she|they) must\b))"
        ),
        **{
            name: frozenset(data[name])
            for name in (
                *("affirm", "affirm_alone", "deny", "zero", "auxiliaries", "little", "degrees", "open", "partly"),
                *("colours", "people_say", "relations", "shades", "clause"),
            )
        },
    )


def _opposites(pairs: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each word of "open opened | closed shut", the words on the other side."""
    opposites: dict[str, frozenset[str]] = {}
    for pair in pairs:
        left, right = (frozenset(side.split()) for side in pair.split("|"))
        for words, others in ((left, right), (right, left)):
            opposites |= {word: opposites.get(word, frozenset()) | others for word in words}
    return opposites


def _same(pairs: Sequence[str]) -> dict[str, frozenset[str]]:
    """For each word of "open opened | closed shut", the words on the same side."""
    sides = [frozenset(side.split()) for pair in pairs for side in pair.split("|")]
    return {word: side for side in sides for word in side}


def bare(words: str, speaker: bool = True) -> str:
    """The words without thoughts, wrappings, marks, markdown, quotes around them and a period at the end.

    "I cannot see any X" becomes "there is no X". ``speaker``: a name before a colon ("A: ") is removed too.

    >>> bare("<think>A cat?</think>**Answer:** a cat."), bare("I cannot see any cat.")
    ('a cat', 'there is no cat')
    """
    known = rules()
    text = without_thoughts(words)
    text = text if len(text) <= _LONGEST else text[: _LONGEST // 2] + "\n" + text[-_LONGEST // 2 :]
    if wrapped := known.wrapped.findall(text):
        text = next((part for part in wrapped[-1] if part), "") if isinstance(wrapped[-1], tuple) else wrapped[-1]
    text = _only_value(known.marks.sub(" ", text))
    if "\n" in text:
        *_, last = known.answer_heading.split(text)
        text = known.heading.sub("", last)
    *_, last = _ANSWER_IS.split(text)
    text = _MARKDOWN.sub("", _FIRST_ITEM.sub("", _SPEAKER.sub("", last.strip())) if speaker else last.strip())
    text = known.unseen.sub(lambda said: f"there is {known.absent[said[1].lower()]}", text)
    return unquoted(text)


def _only_value(text: str) -> str:
    """The value of a JSON object that has only one; any other text as it is.

    >>> _only_value('{"color": "red"}'), _only_value('{"dog": true}'), _only_value('{"a": 1, "b": 2}')
    ('red', 'yes', '{"a": 1, "b": 2}')
    """
    try:
        found = orjson.loads(text.strip().strip("`"))
    except orjson.JSONDecodeError:
        return text
    value = next(iter(found.values())) if isinstance(found, dict) and len(found) == 1 else None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else text


def without_echo(question: str, text: str) -> str:
    """The text without the question, if it begins with it.

    >>> without_echo("Is it on?", "Is it on? The lamp is dark."), without_echo("Is it on?", "Is it on?")
    ('The lamp is dark.', 'Is it on?')
    """
    asked = question.strip().rstrip("?").strip()
    if not asked or not text.lower().startswith(asked.lower()):
        return text
    rest = text[len(asked) :]
    return rest.lstrip("?: \n") or text if rest[:1] in ("?", ":", "\n") else text


def concluded(text: str) -> str:
    """What a reply concludes after a longer first sentence: "a tank" from "It has tracks and a turret. So a tank".

    A reply that begins with yes, no or a few words has answered.

    >>> concluded("It has tracks and a turret. So it's a tank."), concluded("A tank. So it has a turret.")
    ("it's a tank.", 'A tank. So it has a turret.')
    """
    known, start = rules(), tokens(first_sentence(opened(text)))
    if len(start) < _LONG or start[0] in known.affirm | known.deny:
        return text
    *_, last = known.concludes.split(text)
    return last


def lacks_answer(question: str, text: str) -> bool:
    """Whether a reply to an open question says that the answer is not to be seen or not known.

    >>> lacks_answer("What is her name?", "Her name isn't shown."), lacks_answer("What is it?", "unknown")
    (True, False)
    >>> lacks_answer("What does it say?", "It is too blurry."), lacks_answer("What is wrong?", "It is too blurry.")
    (True, False)
    """
    known = rules()
    plain = _BUT.split(first_sentence(opened(text.replace("’", "'"))))[0]
    if len(tokens(plain)) < 2 or unquoted(plain).lower() in known.people_say:
        return False
    if known.open & {*tokens(plain)} and known.refused_anywhere.search(opened(text)) is not None:
        return True
    unreadable = known.asks_text.search(question) is not None and known.unreadable.search(plain) is not None
    return unreadable or known.unanswered.search(plain) is not None


def marked(words: str) -> list[str]:
    """The parts of a reply that are marked as an answer, in order; empty if there are fewer than two.

    >>> marked("Answer: red. Wait, look again. Final answer: blue"), marked("Answer: red")
    (['red. Wait, look again.', 'blue'], [])
    """
    text = without_thoughts(words)
    found = [
        next((part for part in match if part), "") if isinstance(match, tuple) else match
        for match in rules().wrapped.findall(text)
    ]
    if len(found) < 2:
        found = [part.strip() for part in _ANSWER_IS.split(text)[1:]]
    return found if len(found) > 1 else []


def without_thoughts(words: str) -> str:
    """The text after the last thought, or before the first if nothing follows.

    The opening marker may be missing, if it is part of the prompt; an unfinished thought has no answer after it.

    >>> [without_thoughts(words) for words in ("<think>A cat?</think>a cat", "A cat?</think>a cat", "<think>A c")]
    ['a cat', 'a cat', '']
    """
    for start, end in rules().thoughts:
        after = words.rpartition(end)[2].partition(start)[0]
        words = after if after.strip() else words.partition(start)[0] if start in words else after
    return words


def unquoted(text: str) -> str:
    """The text without surrounding quotes and trailing punctuation.

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
    """The text without empty opening phrases; kept if there is nothing else."""
    previous = None
    while previous != text:
        previous, text = text, rules().opening.sub("", text, count=1)
    return text


def first_sentence(text: str) -> str:
    """The first sentence or line with content.

    >>> first_sentence("It costs 3.50. That is a lot.")
    'It costs 3.50'
    """
    return next(iter(sentences(text)), text.strip())


def sentences(text: str) -> list[str]:
    """The sentences and lines with content."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def refuses(text: str) -> bool:
    """Whether the text is a refusal to answer.

    >>> refuses("I'm sorry, but I can't identify people."), refuses("It is red, but I can't tell the brand.")
    (True, False)
    """
    known = rules()
    plain = text.replace("’", "'")
    if unquoted(plain).lower() in known.people_say:
        return False
    if declines(plain):
        return True
    first = _BUT.split(first_sentence(opened(plain)))[0]
    return known.refused_anywhere.search(first) is not None


def declines(text: str) -> bool:
    """Whether the text begins by refusing, which comes before any yes or no in it.

    >>> declines("No image was provided."), declines("No puedo ayudar con eso."), declines("No, it is red.")
    (True, True, False)
    """
    plain = text.replace("’", "'")
    if any(rules().refused.match(part) is not None for part in {plain, opened(plain)}):
        return True
    first = first_sentence(plain)
    return all(pattern.search(first) is not None for pattern in rules().image_missing)
