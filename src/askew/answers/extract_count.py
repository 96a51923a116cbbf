"""The number that a reply to a *how many* question gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from askew.answers.extract_rules import first_sentence, opened, refuses, rules, sentences
from askew.answers.normalise import tokens
from askew.language.inflect import number_of

_SMALL = "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORD = (
    rf"(?:(?:{_TENS})[- ](?:{_SMALL})|{_SMALL}|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|{_TENS})"
)
_WHOLE = rf"(?:(?<![\d.,])\d{{1,3}}(?:,\d{{3}}){{1,2}}(?![\d,])|(?<![\d.,:/$])\d{{1,9}}(?![:/]\d)|{_WORD})"
_NUMBER = re.compile(
    rf"\b(?:(?P<hundreds>{_WORD}|a) hundred(?: (?:and )?(?P<rest>{_WORD}))?|(?P<dozens>half a|a|{_WHOLE}) dozens?"
    rf"|(?:a )?(?P<group>pair|couple(?! and)|trio|both)(?: of)?|(?P<whole>{_WHOLE})(?!\.\d)|(?P<none>no|none|zero)"
    r"|(?P<one>an?|single))\b",
    re.IGNORECASE,
)
_GROUPS = {"pair": 2, "couple": 2, "both": 2, "trio": 3}
_VAGUE = re.compile(
    r"\ba few\b|an?(?: \w+)? (?:lot|few|number|group|bunch|flock|herd|crowd|team|row|variety|handful|pack|family|pile"
    r"|bowl|plate|set|stack|line) of",
    re.IGNORECASE,
)
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
_PART_OF = re.compile(
    r"(?<!pair )(?<!couple )(?<!trio )(?<!dozen )(?<!dozens )\b(?:out )?of (?:the |these |those )?(?:\d+|[\w-]+)\b"
    r"|\bno one\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()](?!\d)|(?<!hundred )\b(?:and|but|while|whereas|plus)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:how many|(?:number|amount|count|quantity) of)\s+(?:of (?:the|these|those) )?(?P<rest>.*)", re.I
)
_OPEN = re.compile(
    r"\b(?:(?:more|fewer|less|greater) than|over|under|up to|at most|almost|nearly|maybe|perhaps|possibly)\b"
    rf"(?= (?:about |around )?{_WHOLE}\b)|\b(?:more|or so)$",
    re.IGNORECASE,
)
_LEADS = re.compile(
    rf"(?:about |around |approximately |roughly |exactly |only |just )?({_WHOLE})"
    rf"(?=[;:(]|,(?!\d| (?:{_WHOLE}|and|or)\b)|\s[-–—(])",
    re.IGNORECASE,
)
"""A number at the start, before a comma: what follows explains it."""
_AFTER = ("them", "total", "who", "which", "but", "more", "exactly", "with", "other", "others", "one", "ones")
_COUNTS, _TELLS = 2, 3
"""How well a number fits that counts the things asked for, and one whose clause has their qualification."""
_OF_THEM = "ofthem"
_MORE = (("more",), ("other",), ("another",))
_NUMERO = re.compile(r"^(?:no|nr|number)\.? ?(?=\d)", re.IGNORECASE)
_OF_WHICH = re.compile(r"\bof (?:which|whom|them|these|those)\b", re.IGNORECASE)
_NO_COUNT = re.compile(
    r"\ba couple and\b|\bnumbers? \d+"
    r"|\b\d+[- ]years?[- ]olds?\b|\b\d+(?:st|nd|rd|th)\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m)\b",
    re.IGNORECASE,
)
_YEAR = range(1500, 2100)
_DOING = re.compile(r"(?!(?:during|building|ceiling|wing|ring|thing|nothing|evening|morning)s?$)\w{2,}ing")
_ANOTHER = re.compile(r"\b(?:and (?:another|an? (?:\w+ )?(?:one|other))|no wait)\b|\? no\b|, no, ", re.IGNORECASE)
"""Another of the things, or another number, after the first."""
_FEW = 4
"""A sentence of so few words is about nothing but the number."""
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
    text = _NUMERO.sub("", text)
    first = first_sentence(opened(text))
    if refuses(text) or rules().undecided.match(first):
        return None
    things, told = _asked(question)
    fitting = [one for one in sentences(text) if told and told <= {*map(_stem, tokens(one))} and _NUMBER.search(one)]
    of_whom = told and _OF_WHICH.search(text)
    if not of_whom and (totals := list(_TOTAL.finditer(fitting[-1] if fitting else text))):
        return str(number_of(totals[-1]["after"] or totals[-1]["before"]))
    before, mark, _ = first.partition(": ")
    first = before if mark and _NUMBER.search(before) else first
    sentence = fitting[-1] if fitting and first not in fitting else first
    if _RANGE.search(sentence) or _OPEN.search(sentence) or _ANOTHER.search(text):
        return None
    if any("also" in words and things & {*map(_stem, words)} for words in map(tokens, sentences(text)[1:])):
        return None
    if (leads := _LEADS.match(sentence)) is not None:
        return str(number_of(leads[1]))
    plain = _OF_WHICH.sub(_OF_THEM, _NOT_ONE.sub(" no", _NO_COUNT.sub(" ", sentence)))
    mentions = list(_mentions(_PART_OF.sub(" ", _VAGUE.sub(" ", plain))))
    fits = [_fit(mention, things, told) for mention in mentions]
    best = [mention for mention, fit in zip(mentions, fits, strict=True) if fit == max(fits)]
    best = [mention for mention in best if mention.exact] or best
    if not best or (max(fits) < _COUNTS and not best[0].exact):
        return "0" if _says_none(sentence, things) else None
    is_joined = len(best) > 1 and (not best[0].exact or _COUNTS <= max(fits) < _TELLS)
    if best[0].after[:1] in _MORE or is_joined:
        return None
    if max(fits) < _TELLS and _does_otherwise(question, sentence):
        return None
    verbs = {word for word in tokens(question) if word.endswith("ing")}
    return _only_number(best, mentions, max(fits), verbs, len(tokens(sentence)) < _FEW)


def _only_number(
    best: Sequence[_Mention], mentions: Sequence[_Mention], fit: int, verbs: Set[str], is_short: bool
) -> str | None:
    """The number of the mentions that fit best; None if another number may count the same things."""
    small = {*map(_stem, verbs | rules().little | rules().auxiliaries | rules().colours | {*_AFTER})}

    def is_alone(mention: _Mention) -> bool:
        word = mention.after[0] if mention.after else ""
        return not word or word in small or word.endswith("ing")

    if fit < _COUNTS or fit == _TELLS:
        if not (is_short or is_alone(best[0]) or best[0].after[0] == _OF_THEM):
            return None
        others = []
    else:
        free = [one for one in mentions if one.exact and _OF_THEM not in one.clause and is_alone(one)]
        others = free if fit == _COUNTS else []
    return str(best[0].value) if len({mention.value for mention in (*best, *others)}) == 1 else None


def _does_otherwise(question: str, sentence: str) -> bool:
    """Whether a sentence says that things do something else than the question asks: standing, not sitting.

    >>> [_does_otherwise("How many men are sitting?", said) for said in ("Two men stand.", "Two men are standing.")]
    [False, True]
    """
    asked, said = ({word for word in tokens(text) if _DOING.fullmatch(word)} for text in (question, sentence))
    return bool(asked and said) and said.isdisjoint(asked)


def _says_none(sentence: str, things: frozenset[str]) -> bool:
    """Whether a sentence without a number denies: "nobody", "there aren't any dogs"."""
    words = tokens(sentence)
    denies = any(word in rules().zero - {"not"} or word.endswith("n't") for word in words)
    denies = denies or {"not", "any"} <= {*words}
    return denies and (len(words) <= _FEW or not things.isdisjoint(map(_stem, words)))


def _mentions(sentence: str) -> Iterator[_Mention]:
    start = 0
    for end in [*(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]:
        clause = sentence[start:end]
        words = frozenset(map(_stem, tokens(clause)))
        for match in _NUMBER.finditer(clause):
            after = _counted(tokens(clause[match.end() :]))
            value, one = _value(match), (match["one"] or "single").lower()
            is_exact = one == "single" and not (value in _YEAR and match[0].isdigit())
            yield _Mention(value, after, words, is_exact)
        start = end


def _counted(words: Sequence[str]) -> tuple[str, ...]:
    """The words after a number, up to where another thing begins: not the plates of "two forks beside the plates"."""
    end = next((place for place, word in enumerate(words) if place and word in rules().relations), len(words))
    return tuple(map(_stem, words[: min(end, _NEAR)]))


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
    counts = _COUNTS if things & set(mention.after) else 0
    told_alone = len(mention.clause) <= 2 and not told.isdisjoint(mention.after[:1])
    tells = _TELLS if told and told <= mention.clause and not told_alone and (mention.exact or counts) else 0
    return counts + tells


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return {"people": "person", "men": "man", "women": "woman", "children": "child"}.get(
        word, word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    )
