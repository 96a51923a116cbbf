"""Rules for extraction: what surrounds an answer in free text, how models refuse to answer, and which number counts.

Words and patterns are in ``extract_rules.yaml``. From a reply to a *how many* question, the number that counts the
objects in question is extracted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askew.answers.normalise import tokens
from askew.files.resources import resource
from askew.language.inflect import number_of

_LONGEST = 4000
"""The number of characters that are read; an answer is at the beginning or, after a marker, at the end."""
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
    open: frozenset[str]
    partly: frozenset[str]
    colours: frozenset[str]
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
        states=_opposites(data["states"]),
        contrasts=_opposites(data["contrasts"]),
        **{
            name: frozenset(data[name])
            for name in (
                *("affirm", "deny", "zero", "auxiliaries", "little", "degrees", "open", "partly", "colours"),
                "people_say",
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
    text = known.marks.sub(" ", text)
    if "\n" in text:
        *_, last = known.answer_heading.split(text)
        text = known.heading.sub("", last)
    *_, last = _ANSWER_IS.split(text)
    text = _MARKDOWN.sub("", _SPEAKER.sub("", last.strip()) if speaker else last.strip())
    text = known.unseen.sub(lambda said: f"there is {known.absent[said[1].lower()]}", text)
    return unquoted(text)


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
    return next((part.strip() for part in _SENTENCE.split(text) if part and part.strip()), text.strip())


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
    first = re.split(r",? (?:but|although|though|however)\b", first_sentence(opened(plain)))[0]
    return known.refused_anywhere.search(first) is not None


def declines(text: str) -> bool:
    """Whether the text begins by refusing, which comes before any yes or no in it.

    >>> declines("No image was provided."), declines("No puedo ayudar con eso."), declines("No, it is red.")
    (True, True, False)
    """
    plain = text.replace("’", "'")
    return any(rules().refused.match(part) is not None for part in {plain, opened(plain)})


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
_NOT_ONE = re.compile(r"(?:\bnot|n['’]t) (?:a single|one|any)\b", re.IGNORECASE)
_RANGE = re.compile(
    rf"\bbetween {_WHOLE} and {_WHOLE}\b|\b{_WHOLE} (?:or|to) {_WHOLE}\b|\b\d+\s*[-–—]\s*\d+\b", re.IGNORECASE
)
_TOTAL = re.compile(
    rf"(?:\btotal(?: number)?(?: of)?(?: [\w-]+){{0,2}}?(?: is)?:?|=|\bso(?: there (?:are|is))?"
    rf"|\b(?:mak(?:es|ing)|equals|add(?:s|ing)? up to|com(?:es|ing) to|leav(?:es|ing)))\s+"
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
"""The object that a number counts is searched for among this many words after it."""


@dataclass(frozen=True)
class _Mention:
    """A number in a sentence, the words after it in its clause, and the clause."""

    value: int
    after: tuple[str, ...]
    clause: frozenset[str]
    exact: bool
    """False for "a" and "an", which count only before the object in question."""


def count(question: str, text: str) -> str | None:
    """The number in the text, in digits; None if there is none, or if it is ambiguous.

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
    mentions = list(_mentions(_PART_OF.sub(" ", _NOT_ONE.sub(" no", sentence))))
    things, told = _asked(question)
    best = max(mentions, key=lambda mention: _fit(mention, things, told), default=None)
    if best is None or (not best.exact and _fit(best, things, told) < 2):
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
    """The objects to count and the words that qualify them: "dogs", "black" from "How many dogs are black?"."""
    match = _ASKED.search(question)
    if match is None:
        return frozenset(), frozenset()
    words = tokens(match["rest"])
    verb = next((place for place, word in enumerate(words) if word in rules().auxiliaries), len(words))
    small = {*rules().little, *rules().auxiliaries}
    things, told = ([word for word in part if word not in small] for part in (words[:verb], words[verb:]))
    return frozenset(map(_stem, things[-1:])), frozenset(map(_stem, told))


def _fit(mention: _Mention, things: frozenset[str], told: frozenset[str]) -> int:
    """How well a number fits the question: 2 if it counts the object, 3 if its clause also has the qualifying words."""
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
