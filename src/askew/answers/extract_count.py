"""The number that a reply to a *how many* question gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from askew.answers.extract_frame import is_doing
from askew.answers.extract_reply import first_sentence, opened, refuses, sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_words import stem, word_set
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
    rf"(?:\btotal(?: number)?(?: of)?(?: [\w-]+){{0,2}}?(?: is)?:?|=|\bso(?: there (?:are|is))?:?"
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
    rf"\ba couple and\b|\bnumbers? \d+|\bthe other {_WHOLE}\b"
    r"|\b\d+[- ]years?[- ]olds?\b|\b\d+(?:st|nd|rd|th)\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*\d{1,2}[.)] (?=\D)", re.MULTILINE)
_LABELLED = re.compile(rf"^[^:\n]{{1,40}}: *{_WHOLE}\b", re.MULTILINE | re.IGNORECASE)
_AFTER_NAME = re.compile(rf"(?:^|[\n,;(] *|\b(?:the|of) )(\w+) ?[:=] ?({_WHOLE})(?![\d.,:]\d)\b", re.IGNORECASE)
_JOINED = re.compile(rf"\b({_WHOLE})-(\w+)", re.IGNORECASE)
_ENGLISH = frozenset(
    ("the", "is", "are", "there", "i", "of", "and", "it", "they", "see", "with", "them", "has", "have", "you")
)
_THERE_ARE = re.compile(r"there (?:is|are)\b", re.IGNORECASE)
_PLAIN = 8
_MEASURES = word_set("pairs slices pieces groups cups glasses bottles rows types kinds stacks sets")
_ASIDE = re.compile(r" ?\([^()]*\)")
_HAS_ASKED = re.compile(r"\bdo(?:es)?\b.*\bhave\b", re.IGNORECASE)
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "had", "wear", "sit", "stand", "hold", "there", "do"))
_SMALL_AFTER = frozenset(("of", "are", "is", "were", "was", "have", "has", "who", "which", _OF_THEM))
_YEAR = range(1500, 2100)
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
    text = _NUMBERED.sub("", _NUMERO.sub("", text)) if len(_NUMBERED.findall(text)) > 1 else _NUMERO.sub("", text)
    first = first_sentence(opened(text))
    if refuses(text) or rules().undecided.match(first):
        return None
    things, told = _asked(question)
    fitting = [one for one in sentences(text) if told and told <= {*map(stem, tokens(one))} and _NUMBER.search(one)]
    if (named := _named(text, things)) is not None:
        return named
    of_whom = told and _OF_WHICH.search(text)
    last = sentences(text)[-1:] if not of_whom or _OF_WHICH.search(sentences(text)[-1]) is None else ()
    whole = [one for one in last if _TOTAL.search(one) and _counts_things(one, things)]
    if (whole or not of_whom) and (totals := list(_TOTAL.finditer((whole or fitting or [text])[-1]))):
        return str(number_of(totals[-1]["after"] or totals[-1]["before"]))
    fitting = fitting or [one for one in sentences(text) if _counts_things(one, things)]
    before, mark, _ = first.partition(": ")
    start = before if mark and _NUMBER.search(before) else first
    sentence = fitting[-1] if fitting and {first, first_sentence(text)}.isdisjoint(fitting) else start
    sentence = _ASIDE.sub("", sentence) if _NUMBER.search(_ASIDE.sub("", sentence)) else sentence
    if (not fitting or sentence in fitting) and len(_LABELLED.findall(text)) > 1 and _LABELLED.match(sentence):
        return None
    if _RANGE.search(sentence) or _OPEN.search(sentence):
        return None
    if any("also" in words and things & {*map(_stem, words)} for words in map(tokens, sentences(text)[1:])):
        return None
    if (leads := _LEADS.match(sentence)) is not None:
        return str(number_of(leads[1]))
    plain = _OF_WHICH.sub(_OF_THEM, _NOT_ONE.sub(" no", _NO_COUNT.sub(" ", sentence)))
    mentions = list(_mentions(_PART_OF.sub(" ", _VAGUE.sub(" ", plain))))
    mentions = [*_without_others(mentions, things, told)]
    fits = [_fit(mention, things, told) for mention in mentions]
    if _HAS_ASKED.search(question) and _is_sum(mentions, things):
        return None
    doing, done = ({*filter(is_doing, tokens(said))} for said in (question, sentence))
    if doing and done and doing.isdisjoint(done) and max(fits, default=0) < _TELLS:
        return None  # standing, not sitting
    best = [mention for mention, fit in zip(mentions, fits, strict=True) if fit == max(fits)]
    best = [mention for mention in best if mention.exact] or best
    if _contradicts(text, things):
        return None
    if not best or (max(fits) < _COUNTS and not best[0].exact):
        if (elsewhere := _elsewhere(text)) is not None:
            return elsewhere
        return "0" if _says_none(sentence, things) else None
    is_joined = len(best) > 1 and (not best[0].exact or _COUNTS <= max(fits) < _TELLS or _of_places(best))
    if best[0].after[:1] in _MORE or is_joined:
        return None
    if (elsewhere := _elsewhere(text)) is not None:
        return elsewhere
    verbs = {word for word in tokens(question) if word.endswith("ing") or stem(word) in told}
    return _only_number(best, mentions, max(fits), verbs, len(tokens(sentence)) < _FEW)


def _elsewhere(text: str) -> str | None:
    """The only number of a reply that is not English.

    >>> _elsewhere("Auf dem Bild spielen drei Kinder."), _elsewhere("Il y a 4 chats."), _elsewhere("three in the sei")
    ('3', '4', None)
    """
    words = tokens(text)
    if not _ENGLISH.isdisjoint(words) or len(words) < (1 if not text.isascii() else _FEW - 1):
        return None
    known = rules().numbers_elsewhere
    found = {known[word] for word in words if word in known} | {int(word) for word in re.findall(r"\d{1,6}", text)}
    if not text.isascii() and not found:
        found = {
            number for word, number in known.items() if not word.isascii() and len(word) < _FEW - 1 and word in text
        }
    is_english = any(number_of(word) is not None for word in words if not word.isdecimal() and word not in known)
    return str(found.pop()) if len(found) == 1 and not is_english else None


def _contradicts(text: str, things: frozenset[str]) -> bool:
    """Whether two sentences give different numbers of the same things: "There are 5 boats. There are 8 boats."."""
    plain = (one for one in sentences(text) if _THERE_ARE.match(one) and len(tokens(one)) <= _PLAIN)
    found = {one.value for sentence in plain for one in _mentions(sentence) if one.exact and things & {*one.after}}
    return len(found) > 1


def _named(text: str, things: frozenset[str]) -> str | None:
    """The number after the name of the things or joined to it: "Cups: 3", "a three-legged table"."""
    found = {str(number_of(n)) for thing, n in _AFTER_NAME.findall(text) if _stem(thing.lower()) in things}
    kinds = things | ({"story", "storey"} if "floor" in things else frozenset())
    joined = {
        str(number_of(n))
        for n, thing in _JOINED.findall(text)
        if _stem(re.sub(r"(\w)\1ed$", r"\1", thing.lower()).removesuffix("ed")) in kinds
        or _stem(thing.lower()) in kinds
    }
    is_only = all(match["one"] for match in _NUMBER.finditer(_JOINED.sub("", text)))
    numbers = found or (joined if is_only else set())
    return numbers.pop() if len(numbers) == 1 else None


def _counts_things(sentence: str, things: frozenset[str]) -> bool:
    """Whether a number in the sentence counts the things."""
    return any(one.exact and things & {*one.after} for one in _mentions(sentence))


def _has_verb(clause: Set[str], told: Set[str]) -> bool:
    return not (clause.isdisjoint(told | _VERBS) and not any(map(is_doing, clause)))


def _without_others(mentions: Sequence[_Mention], things: frozenset[str], told: frozenset[str]) -> Sequence[_Mention]:
    """The numbers without those of other things in the same list: of "4 players and 2 referees on the field", 4."""
    counting = [one for one in mentions if one.exact and things & {*one.after}]
    if len(counting) != 1 or all(_has_verb(one.clause, frozenset()) for one in mentions):
        return mentions
    small = rules().little | rules().relations | rules().colours | _SMALL_AFTER | _VERBS
    others = [
        one
        for one in mentions
        if one is not counting[0]
        and one.exact
        and one.after
        and {one.after[0], one.after[0] + "s"}.isdisjoint(small)
        and not one.after[0].endswith("ing")
    ]
    if not others:
        return mentions
    left = [one for one in mentions if one not in others]
    return [replace(one, clause=one.clause | told) if one is counting[0] else one for one in left]


def _of_places(mentions: Sequence[_Mention]) -> bool:
    """Whether each number is followed by nothing but a place: "one on the roof, one on the tree"."""
    return all(one.after and one.after[0] in rules().relations - {"of"} for one in mentions)


def _is_sum(mentions: Sequence[_Mention], things: frozenset[str]) -> bool:
    """Whether a later number counts more of the things, without a verb: "four windows on the left and two windows"."""
    counting = [one for one in mentions if one.exact and things & {*one.after}]
    return len(counting) > 1 and not _has_verb(counting[-1].clause, frozenset())


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


def _says_none(sentence: str, things: frozenset[str]) -> bool:
    """Whether a sentence without a number denies: "nobody", "there aren't any dogs"."""
    words = tokens(sentence)
    denies = any(word in rules().zero - {"not"} or word.endswith("n't") for word in words)
    denies = denies or {"not", "any"} <= {*words}
    of_things = not things.isdisjoint(map(_stem, words)) or (words[:1] == ("nobody",) or words[:2] == ("no", "one"))
    return denies and (len(words) <= _FEW or of_things)


def _mentions(sentence: str) -> Iterator[_Mention]:
    start = 0
    for end in [*(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]:
        clause = sentence[start:end]
        words = frozenset(map(stem, tokens(clause)))
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
    verb = next((place for place, word in enumerate(words) if word in rules().auxiliaries), 0)
    verb = verb or next((place + 1 for place, word in enumerate(words) if _stem(word) != word), len(words))
    small = {*rules().little, *rules().auxiliaries}
    things, told = ([word for word in part if word not in small] for part in (words[:verb], words[verb:]))
    measures = [word for word, after in pairwise(words[:verb]) if after == "of" and word in _MEASURES]
    return frozenset(map(_stem, (*things[-1:], *measures))), frozenset(map(stem, told))


def _fit(mention: _Mention, things: frozenset[str], told: frozenset[str]) -> int:
    """How well a number fits the question: 2 if it counts the object, 3 if its clause also has the qualifying words."""
    counts = _COUNTS if things & set(mention.after) else 0
    told_alone = len(mention.clause) <= 2 and not told.isdisjoint(mention.after[:1])
    tells = _TELLS if told and told <= mention.clause and not told_alone and (mention.exact or counts) else 0
    return counts + tells


@lru_cache(maxsize=1 << 12)
def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return {"people": "person", "men": "man", "women": "woman", "children": "child"}.get(
        word, word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    )
