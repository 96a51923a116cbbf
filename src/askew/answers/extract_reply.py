"""A reply without what surrounds its answer: markup, thoughts, openings, what it takes back, and refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import orjson

from askew.answers.extract_rules import rules
from askew.answers.extract_words import stem
from askew.answers.normalise import tokens

_LONGEST = 4000
"""The number of characters that are read; an answer is at the beginning or, after a marker, at the end."""
_ANSWER_IS = re.compile(
    r"(?:^|(?<=[\s*_>#.]))(?<!long )(?:(?:the |my )?(?:final |short |correct )?answer(?: to (?:the|this"
    r"|your) question)?)"
    r"\s*[*_]*\s*(?::|\b(?:is|should be|would be|must be)\b\s*:?|=|→|->)\s*[*_]*\s*",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"(?<=\S)\n+[\s#*_]*(?:explanation|reasoning|justification|rationale|why|note|long answer)[*_]*:", re.IGNORECASE
)
_LABEL = re.compile(r"[\s*-]*(?P<label>\w+(?: \w+){0,3})\**:\**\s+(?P<value>\S.*)$")
_SPEAKER = re.compile(r"^(?:assistant|response|model|a)\s*:\s*", re.IGNORECASE)
_MARKDOWN = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|^\s*(?:#+|>|[-•])\s+", re.MULTILINE)
_SENTENCE = re.compile(
    r"(?<![\s.](?i:mr|ms|dr|st|vs))(?<!(?i:\bmrs))(?<!(?i:\b[ap]\.m))(?<!\b[A-Za-z](?=\. [A-Za-z]\.))"
    r"(?<!\b[A-Za-z]\. [A-Za-z])[.!?;]+(?=\s|$)|\n+"
)
_MATH = re.compile(r"\$(\w|\w[^$\n]{0,40}\w)\$(?!\d)")
_KEYS = (
    *("answer", "final_answer", "result", "response", "value", "prediction"),
    *("choice", "label", "class", "name", "object", "text"),
)
_TABLE = re.compile(r"(?:^\|[^\n]*\n)?^\|[-:| ]+\|[ \t]*\n|^\|([^\n]*)\|[ \t]*$", re.MULTILINE)
"""The head of a table, or one of its rows."""
_SYMBOLS = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+")
_FIRST_ITEM = re.compile(r"^\d{1,2}[.)]\s+(?=[A-Za-z][^\n]*$)")
_BUT = re.compile(r",? (?:but|although|though|however)\b")
_IT_IS = re.compile(r"(?:so|it['’]s|it is|they['’]re|they are|that['’]s|the answer)\b", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*\n:]+)\*\*(?!\s*:)")
_UNSURE = re.compile(
    r"[^.;:]*\b(?:not (?:\w+ )?(?:sure|certain|clear|easy)|hard|difficult|impossible|cannot|can['’]t|no way)\b"
    r"[^.,;]*,? but (?!i (?:can|could|would|will)\b)(?=\w)",
    re.IGNORECASE,
)
_BULLETS = re.compile(r":\**[ \t]*\n+((?:[ \t]*[-*•][ \t]+[^\n:]{1,40}(?:\n+|$))+)$")
"""A list at the end of a reply, one thing to a line."""
_FEW = 6
_CACHED = 1 << 10
"""What is found out about a reply is needed several times, by the step and by the check of what it has extracted."""
_LONG = 4
"""A first sentence of so many words may be the reasoning before an answer."""
_QUOTES = "\"'“”‘’«»`"


@lru_cache(maxsize=_CACHED)
def bare(words: str, speaker: bool = True, question: str = "") -> str:
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
    text = _BULLETS.sub(_in_one_line, text)
    text = _EXPLAINS.split(text, maxsplit=1)[0]
    text = _labelled(_plain(_only_value(known.marks.sub(" ", text), question)), question)
    if "\n" in text:
        *_, last = known.answer_heading.split(text)
        text = known.heading.sub("", last)
    *_, last = _ANSWER_IS.split(text)
    text = _MARKDOWN.sub("", _FIRST_ITEM.sub("", _SPEAKER.sub("", last.strip())) if speaker else last.strip())
    text = known.unseen.sub(lambda said: f"there is {known.absent[said[1].lower()]}", text)
    return unquoted(text)


def _only_value(text: str, question: str = "") -> str:
    """The answer in a JSON object: its only value, or that of a key such as "label"; any other text as it is.

    >>> _only_value('{"color": "red"}'), _only_value('{"dog": true}'), _only_value('{"a": 1, "b": 2}')
    ('red', 'yes', '{"a": 1, "b": 2}')
    >>> _only_value('[{"bbox_2d": [1, 2, 3, 4], "label": "dog"}]')
    'dog'
    """
    if not text.lstrip(" `\n").startswith(("{", "[")):
        return text
    try:
        found = orjson.loads(text.strip().strip("`"))
    except orjson.JSONDecodeError:
        return text
    found = found[0] if isinstance(found, list) and len(found) == 1 else found
    if isinstance(found, str):
        return found
    if not isinstance(found, dict) or not found:
        return text
    asked = {*tokens(question)} | ({"count", "number", "total"} if rules().counting.search(question) else set())
    keys = (*(key for key in found if str(key) in asked), *_KEYS)
    key = next((key for key in keys if key in found), next(iter(found)) if len(found) == 1 else "")
    value = found.get(key)
    value = " and ".join(map(str, value)) if isinstance(value, list) else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else text


def _plain(text: str) -> str:
    """The text without formulas, tables, emojis and a repeated question.

    >>> _plain("$5$ dogs"), _plain("| a | n |\\n|---|---|\\n| cups | 3 |"), _plain("Q: What is it?\\nA: a cup")
    ('5 dogs', 'cups: 3', 'a cup')
    """
    text = _MATH.sub(r"\1", text) if "$" in text else text
    text = _TABLE.sub(_cells, text).strip() if "|" in text else text
    text = text.rpartition("\nA: ")[2] if text.startswith("Q:") else text
    return text if text.isascii() else _SYMBOLS.sub("", text)


def _in_one_line(bullets: re.Match[str]) -> str:
    items = [line.strip(" \t-*•.") for line in bullets[1].splitlines() if line.strip()]
    return f": {', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else f": {items[0]}"


def _labelled(text: str, question: str) -> str:
    """The value that a list gives for what is asked: "red" of "- Object: ball\\n- Color: red"; other text as it is.

    >>> _labelled("Object: ball\\nColor: red", "What color is it?"), _labelled("Note: a ball", "What is it?")
    ('red', 'Note: a ball')
    """
    lines = [line for line in text.splitlines() if line.strip()]
    found = [match for line in lines if (match := _LABEL.match(line)) is not None]
    asked = {*map(stem, tokens(question))} - rules().little
    values = [match["value"] for match in found if asked & {*map(stem, tokens(match["label"]))}]
    return values[0] if 1 < len(found) == len(lines) and len(values) == 1 else text


def _cells(row: re.Match[str]) -> str:
    """A table's row as "cups: 3"; nothing for its head."""
    return ": ".join(cell.strip() for cell in (row[1] or "").split("|"))


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


def committed(text: str) -> str:
    """What a reply says after its doubt: "it looks closed" from "I am not sure, but it looks closed".

    >>> committed("Hard to say, but probably not."), committed("I can't say, but I can't see it.")
    ('probably not.', "I can't say, but I can't see it.")
    """
    unsure = _UNSURE.match(text)
    return text if unsure is None or refuses(text[unsure.end() :]) else text[unsure.end() :]


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


def emphasised(words: str) -> str:
    """The only words in bold, if they are few and no label; empty otherwise.

    >>> [emphasised(said) for said in ("It is **under the bed**, asleep.", "**Answer:** a cat", "**A** or **B**")]
    ['under the bed', '', '']
    """
    found = _BOLD.findall(words) if "**" in words else []
    return str(found[0]) if len(found) == 1 and len(found[0].split()) <= _FEW and words.count("**") == 2 else ""


@lru_cache(maxsize=_CACHED)
def corrected(text: str) -> str:
    """What a reply says after it takes something back; all of it, if nothing follows.

    >>> [corrected(said) for said in ("It's blue. No wait, it's green.", "I first thought of a cat, but it's a fox.")]
    ["it's green.", "it's a fox."]
    """
    *before, last = rules().corrects.split(text)
    if before and len(said := sentences(last)) > 1 and _IT_IS.match(said[-1]):
        return said[-1]
    return last if last.strip() else text


@lru_cache(maxsize=_CACHED)
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
        if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES and text[0] not in text[1:-1]:
            text = text[1:-1]
    return text


@lru_cache(maxsize=_CACHED)
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


@lru_cache(maxsize=_CACHED)
def sentences(text: str) -> Sequence[str]:
    """The sentences and lines with content."""
    return tuple(part.strip() for part in _SENTENCE.split(text) if part and part.strip())


def repeats_itself(words: str) -> bool:
    """Whether two sentences after each other differ in their last word alone: "The answer is A. The answer is B."

    >>> repeats_itself("It is red. It is blue."), repeats_itself("It is red. It is round and blue.")
    (True, False)
    """
    if words.count(" ") > _LONGEST // 10 or "." not in words:
        return False
    said = [tokens(one) for one in sentences(words)]
    return any(
        one != two and ((len(one) > 1 and one[:-1] == two[:-1]) or _same_ends(one, two)) for one, two in pairwise(said)
    )


def _same_ends(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether two sentences begin and end with the same three words."""
    ends = _LONG - 1
    return min(len(one), len(two)) > 2 * ends and one[:ends] == two[:ends] and one[-ends:] == two[-ends:]


@lru_cache(maxsize=_CACHED)
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


@lru_cache(maxsize=_CACHED)
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
