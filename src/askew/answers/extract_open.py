"""The short answer in a reply to an open question.

A reply is cut into clauses. Each is compared with the question: what it repeats is its topic, and the answer is what it
adds in the place that the question leaves open, on the other side of its verb. The clause that repeats most of the
question answers it, a conclusion before a remark; a clause about another thing does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter

from askew.answers.extract_clauses import Clause, clauses
from askew.answers.extract_either import either
from askew.answers.extract_frame import Frame, frame, is_doing, is_done
from askew.answers.extract_phrase import ARTICLE, of_form, trimmed
from askew.answers.extract_reply import emphasised, opened
from askew.answers.extract_rules import rules
from askew.answers.extract_value import (
    ALIGNED,
    DESCRIBES,
    FRAGMENT,
    GENERIC,
    LOOSE,
    POINTS,
    REFERS,
    TAIL,
    is_fragment,
    value_of,
)
from askew.answers.extract_words import LINKS, PEOPLE, PREPOSITIONS, plain_words, stem, word_set
from askew.answers.normalise import tokens

_SURE = 1.5
_SHORT = 3
_HEDGES = word_set("possibly probably maybe perhaps likely not")
_PLAIN = re.compile(r"[\w'’ ,&-]+")
"""A reply of so few words, and nothing else, is the answer as it is, without its article."""

_CONCLUDES = re.compile(
    r"(?:so|therefore|thus|hence|overall|in conclusion|in short|as for|regarding|that (?:makes|means|would be))\b", re.I
)
_OUTSIDE = word_set("inside outside indoors outdoors above below upstairs downstairs nearby left right")
_BESIDE = word_set("next near beside behind under above on at front below against")
_ASKS = re.compile(
    r"(?:please|let me|let us|could you|can you|would you|sure|here is|here are|step \d+|image|note)\b", re.IGNORECASE
)
_STEPS = re.compile(r"(?:step (?:1|one)\b|first,|let me\b|let us\b|let's\b|reasoning:|thinking:)", re.IGNORECASE)
_NAMES = re.compile(
    r"(?:that|this|it) (?:is|must be|would be|has to be) (?:an?|the|(?:most )?likely|probably|definitely|clearly)\b",
    re.I,
)
_CUT_OFF = re.compile(r"(?:\b(?:an?|the|of|with|and|is|are|to)|[,:])\s*$", re.IGNORECASE)
_LEFT_OPEN = re.compile(
    r".{0,60}?\bor (?!so\b)|(?:it|they|that|this|the \w+|its \w+) (?:is|are|looks?) (?:\w+ )?"
    r"(?:not (?:\w+ )?(?:legible|readable|visible|clear|shown|known)|too \w+|illegible|unreadable|hidden|blurry"
    r"|unclear)"
    r"|i (?:cannot|could not|am (?:unable|not able) to) (?:\w+ )?(?:read|make|identify|see|say which)",
    re.IGNORECASE,
)
"""What is named is not the answer, or not the only one: "a tag, but it is not legible", "spring (buds) or autumn"."""
_SUBJECT = re.compile(r"(?:the|an?|it|you|he|she|they|there|i|we|this|that|his|her|its|their)\b", re.IGNORECASE)
_CALLS = re.compile(r"\bi(?: would)? (?:describe|call) (?:it|this|that|them)(?: as)?(?= \w)", re.IGNORECASE)
_REMARK = re.compile(
    r",? by the looks? of [^.,;]+|(?<=\w) i (?:guess|think|suppose|believe)$"
    r"|, (?:it (?:seems|appears|looks like)|i(?: would)? (?:think|guess|believe|say|suppose|assume)"
    r"|i am (?:fairly |pretty )?sure"
    r"|as far as i can (?:tell|see)|if i am not mistaken|from what i can (?:see|tell))(?=[.,;!]|$)",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|in order|due to)\b(?: of)? ([^.;]+)", re.IGNORECASE)


@lru_cache(maxsize=1 << 10)
def open_answer(question: str, text: str, words: str) -> tuple[str, bool]:
    """The short answer, and whether it is clear; ``words`` is the reply with its markup.

    >>> open_answer("What is the man holding?", "The man is holding a tennis racket in his hand.", "")
    ('tennis racket', True)
    >>> open_answer("What color is the car?", "The car is next to a red bus.", "")[1]
    False
    """
    asked = frame(question)
    if (taken := either(question, text)) is not None:
        return taken, True
    if _is_short(asked, text):
        return ARTICLE.sub("", text).lower(), _CUT_OFF.search(words) is None
    if (bold := emphasised(words)) and bold.lower() in text.lower():
        answer = trimmed(question, asked.kind, plain_words(bold))
        if answer and not {*map(stem, tokens(answer))} <= asked.given and _fits(asked, answer):
            return answer, True
    plain = _CALLS.sub("it is", _REMARK.sub("", plain_words(text)))
    parts = clauses(plain if DESCRIBES.match(plain) else plain_words(opened(plain)))
    if asked.kind == "manner" and (reason := _REASON.search(text)) is not None:
        return reason[1].strip(" .").lower(), True
    found: list[tuple[float, str]] = []
    topic: frozenset[str] = frozenset()
    is_steps = len(parts) > 2 and _STEPS.match(text) is not None
    for place, clause in enumerate(parts):
        said = frozenset(map(stem, clause.words))
        topic = said | topic if clause.words[:1] != () and clause.words[0] in REFERS else said
        answer, worth = _worth(
            question, asked, clause, topic, (len(parts) - place if is_steps else place) / len(parts), len(parts) == 1
        )
        if place + 1 < len(parts) and parts[place + 1].joint == "colon" and "," in clause.text:
            worth -= 2  # what is seen, before what it is: "A sink, a tub: a bathroom"
        if clause.text.startswith("or ") or _LEFT_OPEN.match(
            " ".join([one.text for one in parts[place + 1 : place + 4] if one.joint][:3])
        ):
            worth = min(worth, _SURE - 1)
        if answer:
            found.append((worth, answer))
    if asked.kind == "text" and not found and len(tokens(text)) <= FRAGMENT and _SUBJECT.match(text) is None:
        return text.lower(), True  # the text itself: "Life is good"
    most, best = max(found, key=itemgetter(0), default=(0.0, ""))
    if asked.kind == "colour" and any(abs(worth - most) < 1 / 2 and answer != best for worth, answer in found):
        most = 0  # "The left one is red, and the right one is blue"
    if not best and parts:
        link = next((at for at, word in enumerate(parts[0].words[:-1]) if word in LINKS), -1)
        is_said = link >= 0 or is_fragment(parts[0].words)
        best = trimmed(question, asked.kind, " ".join(parts[0].written[link + 1 :])) if is_said else ""
    return best or text.lower(), most >= _SURE and _CUT_OFF.search(words) is None


def _is_short(asked: Frame, text: str) -> bool:
    """Whether a reply is nothing but a short answer: of colours, only those."""
    words, known = tokens(text), rules()
    if not 0 < len(words) <= _SHORT or _PLAIN.fullmatch(text) is None or not is_fragment(words) or opened(text) != text:
        return False
    return {*words}.isdisjoint(_HEDGES) and (asked.kind != "colour" or {*words} <= known.colours | known.shades)


def _worth(
    question: str, asked: Frame, clause: Clause, topic: Set[str], place: float, is_all: bool = True
) -> tuple[str, float]:
    """The answer in a clause, and how likely it is the one."""
    if _ASKS.match(clause.text):
        return "", 0
    value, fit = value_of(asked, clause)
    if formed := of_form(question, clause.text):
        value, fit = formed, max(fit, POINTS) + 1.5
    answer = trimmed(question, asked.kind, value) if value else ""
    if not answer or not _fits(asked, answer):
        return "", 0
    if _is_state(answer) and fit > LOOSE and _is_no_state(asked, clause.words):
        return "", 0
    if asked.kind != "text" and {*map(stem, tokens(answer))} <= asked.given | asked.head:
        return "", 0
    cover = len(topic & asked.given) / len(asked.given) if asked.given else 1.0
    worth = fit + (2 if fit > LOOSE else 0.9) * cover - place / 4
    if (
        clause.joint in ("so", "arrow", "that")
        or _CONCLUDES.match(clause.text)
        or (place and _NAMES.match(clause.text))
    ):
        worth += 1
    if clause.joint in ("aside", "paren"):
        worth -= 2
    hues = rules().colours | rules().shades
    if (
        asked.kind == "colour"
        and all(hues.isdisjoint((word, *word.split("-"))) for word in tokens(answer))
        and (place or not is_all or len(clause.words) > 2)
    ):
        return "", 0
    if asked.kind == "colour" and value.lower().partition(" ")[0] in _BESIDE:
        return "", 0
    if asked.kind == "colour" and fit < ALIGNED and _of_another(asked, answer, clause.words):
        worth -= 1.5
    if (
        (not {"or", "either", "any"}.isdisjoint(tokens(value)[:FRAGMENT]) and "any" not in asked.asked)
        or clause.words.count("one") > 1
    ) and "or" not in asked.asked:
        worth = min(worth, _SURE - 1)
    return answer, worth


def _is_state(answer: str) -> bool:
    """Whether an answer only says what something is like."""
    known = rules()
    if answer in _OUTSIDE or answer in PEOPLE:
        return False
    return answer in known.colours or answer in known.states or answer in known.contrasts or is_done(answer)


def _is_no_state(asked: Frame, words: Sequence[str]) -> bool:
    """Whether a question asks for a place, a person or an object, so that no state answers it in a sentence."""
    if LINKS.isdisjoint(words):
        return False
    return asked.kind in ("place", "who") or (
        asked.kind == "thing" and bool(asked.verbs) and asked.verbs.isdisjoint(map(stem, words))
    )


def _of_another(asked: Frame, colour: str, words: Sequence[str]) -> bool:
    """Whether a colour is followed by another thing than what is asked about: "a red dress", of hair."""
    last = colour.split()[-1]
    after = [after for word, after in pairwise(words) if word == last]
    small = rules().shades | rules().colours | PREPOSITIONS | TAIL | LINKS
    return any(word not in small and stem(word) not in asked.given | GENERIC for word in after)


def _fits(asked: Frame, answer: str) -> bool:
    """Whether an answer is of the kind that is asked for, and no sentence."""
    words = tokens(answer)
    if asked.kind == "text":
        return bool(words)
    if (
        not words
        or len(words) > FRAGMENT + 3 * (asked.kind == "place")
        or (words[0] in ("not", "no", "too") and words != ("no", "one"))
    ):
        return False
    if asked.kind == "colour":
        return not rules().colours.isdisjoint(words) or len(words) <= 2
    if asked.kind == "doing":
        return any(word.endswith("ing") for word in words) or is_done(words[0]) or len(words) <= 2
    if asked.kind == "place" and words[0] not in PREPOSITIONS and (is_doing(words[0]) or is_done(words[0])):
        return False
    return len(words) < 2 or not any(word in rules().clause - {"can", "am"} for word in words)
